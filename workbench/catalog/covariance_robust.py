"""The covariance entries for rows of which some may be anything."""

from workbench import losses
from workbench.catalog.entry import Entry, Example
from workbench.catalog.spectral import APPROX, CORRUPTION, DELTA, EPSILON, NORMAL, ROBUST, THIN, N
from workbench.estimators.covariance.filter_nonprivate import FilterNonprivateCovariance
from workbench.estimators.covariance.populous_robust import PopulousRobustCovariance
from workbench.privacy import NonPrivate

COVARIANCE_ROBUST = (
    Entry(
        key="covariance/filter-nonprivate",
        summary="covariance of rows of which some may be anything, without privacy",
        estimand="covariance",
        statements=("AL22/Thm6.1",),
        examples=(
            Example(FilterNonprivateCovariance(corruption=0.05), NonPrivate()),
            Example(FilterNonprivateCovariance(corruption=0.05, centred=True), NonPrivate()),
            Example(FilterNonprivateCovariance(corruption=0.05, calibration="paper"), NonPrivate()),
        ),
        population=THIN,
        loss=losses.mahalanobis_covariance_error,
        assumptions=(NORMAL,),
        knobs=(N, CORRUPTION),
        symmetries={"translation": "exact", "scale": "exact"},
    ),
    Entry(
        key="covariance/populous-robust",
        summary="covariance of rows of which some may be anything, by a vote of robust groups",
        estimand="covariance",
        statements=("AL22/Alg4", "AL22/Thm6.3"),
        examples=(
            Example(PopulousRobustCovariance(corruption=0.05), APPROX),
            Example(PopulousRobustCovariance(corruption=0.02), APPROX),
        ),
        population=THIN,
        loss=losses.mahalanobis_covariance_error,
        assumptions=(NORMAL,),
        knobs=(N, EPSILON, DELTA, CORRUPTION),
        symmetries={"translation": "exact", "scale": "exact"},
        bounded_steps=ROBUST,
    ),
)
