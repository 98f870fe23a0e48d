"""Everything that the notebook `06_matrix_quantile` shows, in its order."""

from workbench.chapters.matrix_quantile import claims
from workbench.chapters.matrix_quantile.counting import stability
from workbench.chapters.matrix_quantile.figures.film import descent
from workbench.chapters.matrix_quantile.figures.lifted_view import lifted_view
from workbench.chapters.matrix_quantile.figures.runs_view import runs_view
from workbench.chapters.matrix_quantile.figures.view import quantile_view
from workbench.chapters.matrix_quantile.mean_rows import means
from workbench.chapters.matrix_quantile.outliers import abstains
from workbench.chapters.matrix_quantile.quantiles import UNIT, count_curve, in_logs, interlacing, world
from workbench.chapters.matrix_quantile.rows import rows_needed

FULL = (
    "matrix-quantile/fourfold-rows-grow",
    "matrix-quantile/fewer-than-squares",
    "matrix-quantile/near-rows-grow",
    "matrix-quantile/mean-rows-grow",
    "matrix-quantile/mean-rows-in-steps",
    "matrix-quantile/law-rows-grow",
)  # minutes of search
CLAIMS = tuple(claim.id for claim in claims.CLAIMS if claim.id not in FULL)

FILMS = (descent,)

__all__ = [
    "CLAIMS",
    "FILMS",
    "FULL",
    "UNIT",
    "abstains",
    "count_curve",
    "descent",
    "in_logs",
    "interlacing",
    "lifted_view",
    "means",
    "quantile_view",
    "rows_needed",
    "runs_view",
    "stability",
    "world",
]
