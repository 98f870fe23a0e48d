"""The entry of the matrix quantile."""

from workbench import losses
from workbench.catalog.entry import Example
from workbench.catalog.spectral import APPROX, MASK, thin
from workbench.estimators.covariance.matrix_quantile import MatrixQuantileCovariance

QUANTILE = (
    thin(
        key="covariance/matrix-quantile",
        summary="covariance of any Gaussian by one vote of each row, and noise of its own shape",
        estimand="covariance",
        statements=("AL22/matrix-quantile",),
        examples=(
            Example(MatrixQuantileCovariance(), APPROX),
            Example(MatrixQuantileCovariance(mask="wishart"), APPROX),  # the mask of d > 4
            Example(MatrixQuantileCovariance(alpha=0.5, degenerate=True), APPROX),
        ),
        loss=losses.thompson_error,
        bounded_steps=MASK | {"stability", "subspace"},  # a count that is neither 0 nor its most moves
    ),
)
