"""The entries of whole Gaussians."""

from workbench import losses
from workbench.estimators.gaussian.unbounded import UnboundedGaussian

from .entry import Entry, Example
from .spectral import APPROX, CONCENTRATED, DELTA, EPSILON, NORMAL, THIN, VOTES, N

GAUSSIAN = (
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
)
