"""The covariance entries for rows of which some may be anything."""

from functools import partial

from workbench import losses
from workbench.catalog.entry import DELTA, EPSILON, Example, N
from workbench.catalog.spectral import APPROX, CORRUPTION, ROBUST, thin
from workbench.estimators.covariance.filter_nonprivate import FilterNonprivateCovariance
from workbench.estimators.covariance.populous_robust import PopulousRobustCovariance
from workbench.privacy import NonPrivate

thin_covariance = partial(thin, estimand="covariance", loss=losses.mahalanobis_covariance_error)

COVARIANCE_ROBUST = (
    thin_covariance(
        key="covariance/filter-nonprivate",
        summary="covariance of rows of which some may be anything, without privacy",
        statements=("AL22/Thm6.1",),
        examples=(
            Example(FilterNonprivateCovariance(corruption=0.05), NonPrivate()),
            Example(FilterNonprivateCovariance(corruption=0.05, centred=True), NonPrivate()),
            Example(FilterNonprivateCovariance(corruption=0.05, calibration="paper"), NonPrivate()),
        ),
        knobs=(N, CORRUPTION),
    ),
    thin_covariance(
        key="covariance/populous-robust",
        summary="covariance of rows of which some may be anything, by a vote of robust groups",
        statements=("AL22/Alg4", "AL22/Thm6.3"),
        examples=(
            Example(PopulousRobustCovariance(corruption=0.05), APPROX),
            Example(PopulousRobustCovariance(corruption=0.02), APPROX),
        ),
        knobs=(N, EPSILON, DELTA, CORRUPTION),
        bounded_steps=ROBUST,
    ),
)
