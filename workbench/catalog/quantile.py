"""The entry of the matrix quantile."""

from workbench import losses
from workbench.catalog.entry import Entry, Example
from workbench.catalog.spectral import APPROX, DELTA, EPSILON, MASK, NORMAL, THIN, N
from workbench.estimators.covariance.matrix_quantile import MatrixQuantileCovariance

QUANTILE = (
    Entry(
        key="covariance/matrix-quantile",
        summary="covariance of any Gaussian by one vote of each row, and noise of its own shape",
        estimand="covariance",
        statements=("AL22/matrix-quantile",),
        examples=(
            Example(MatrixQuantileCovariance(), APPROX),
            Example(MatrixQuantileCovariance(mask="wishart"), APPROX),  # the mask of d > 4
            Example(MatrixQuantileCovariance(alpha=0.5, degenerate=True), APPROX),
        ),
        population=THIN,
        loss=losses.thompson_error,
        assumptions=(NORMAL,),
        knobs=(N, EPSILON, DELTA),
        symmetries={"translation": "exact", "scale": "exact"},
        bounded_steps=MASK | {"stability", "subspace"},  # a count that is neither 0 nor its most moves
    ),
)
