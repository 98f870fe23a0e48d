"""The entries of whole Gaussians."""

from workbench import losses
from workbench.estimators.gaussian.populous import PopulousGaussian
from workbench.estimators.gaussian.populous_robust import PopulousRobustGaussian
from workbench.estimators.gaussian.unbounded import UnboundedGaussian

from .entry import Entry, Example
from .spectral import APPROX, CONCENTRATED, CORRUPTION, DELTA, EPSILON, MASK, NORMAL, ROBUST, THIN, VOTES, N

GAUSSIAN = (
    Entry(
        key="gaussian/populous-robust",
        summary="a Gaussian from rows of which some may be anything, by two votes of robust groups",
        estimand="gaussian",
        statements=("AL22/Cor7.5",),
        examples=(Example(PopulousRobustGaussian(corruption=0.02), APPROX),),
        population=THIN,
        loss=losses.gaussian_error,
        assumptions=(NORMAL,),
        knobs=(N, EPSILON, DELTA, CORRUPTION),
        symmetries={"translation": "none", "scale": "none"},
        bounded_steps=frozenset(f"{stage}, {step}" for stage in ("covariance", "mean") for step in ROBUST),
    ),
    Entry(
        key="gaussian/unbounded",
        summary="mean and covariance of a Gaussian without any bound on either",
        estimand="gaussian",
        statements=("M21/UG/iteration", "M21/UG/mean-known-covariance", "M21/UG/complexity"),
        examples=(
            Example(UnboundedGaussian(), APPROX),
            Example(UnboundedGaussian(calibration="paper"), CONCENTRATED),
        ),
        population=THIN,
        loss=losses.gaussian_error,
        assumptions=(NORMAL,),
        knobs=(N, EPSILON, DELTA),
        symmetries={"translation": "none", "scale": "lattice"},
        bounded_steps=VOTES,
    ),
    Entry(
        key="gaussian/populous",
        summary="any Gaussian: its subspace, a frame in which it is round, mean and covariance in it",
        estimand="gaussian",
        statements=("AL22/Thm5.7", "AL22/four-steps"),
        examples=(
            Example(PopulousGaussian(), APPROX),
            Example(PopulousGaussian(degenerate=False), APPROX),
            Example(PopulousGaussian(degenerate=False, covariance="matrix-quantile"), APPROX),
        ),
        population=THIN,
        loss=losses.gaussian_error,
        assumptions=(NORMAL,),
        knobs=(N, EPSILON, DELTA),
        symmetries={"translation": "none", "scale": "none"},
        # rows of full rank all name one subspace, and normal rows are stable as far as the count goes:
        # spectral/subspace-exact and covariance/matrix-quantile, in the audit, attain them
        bounded_steps=MASK | {"subspace", "stability"},
    ),
)
