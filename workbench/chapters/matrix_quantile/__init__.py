"""Everything that the notebook `06_matrix_quantile` shows, in its order."""

from workbench.chapters.matrix_quantile.lifted import means
from workbench.chapters.matrix_quantile.outliers import abstains, stability
from workbench.chapters.matrix_quantile.quantiles import (
    UNIT,
    count_curve,
    descent,
    in_logs,
    interlacing,
    world,
)
from workbench.chapters.matrix_quantile.rows import rows_needed

CLAIMS = (
    "matrix-quantile/planned-rows-succeed",
    "matrix-quantile/planned-rows-near",
    "matrix-quantile/right-or-none",
    "matrix-quantile/law-from-few-rows",
    "matrix-quantile/lifted-anywhere",
)
FULL = (  # minutes of search
    "matrix-quantile/fourfold-rows-grow",
    "matrix-quantile/near-rows-grow",
    "matrix-quantile/mean-rows-grow",
    "matrix-quantile/mean-rows-in-steps",
    "matrix-quantile/law-rows-grow",
)
