"""Everything that the notebook `06_matrix_quantile` shows, in its order."""

from workbench.chapters.matrix_quantile import claims
from workbench.chapters.matrix_quantile.figures.abstains import abstains
from workbench.chapters.matrix_quantile.figures.pictures import count_curve, interlacing, nested
from workbench.chapters.matrix_quantile.figures.rows import flat, rows_needed
from workbench.chapters.matrix_quantile.figures.runs_view import runs_view
from workbench.chapters.matrix_quantile.figures.steps import mask, stability
from workbench.chapters.matrix_quantile.figures.view import quantile_view

FULL = (
    "matrix-quantile/fourfold-rows-grow",
    "matrix-quantile/fewer-than-squares",
    "matrix-quantile/near-rows-grow",
)  # minutes of search
CLAIMS = tuple(claim.id for claim in claims.CLAIMS if claim.id not in FULL)

__all__ = [
    "CLAIMS",
    "FULL",
    "abstains",
    "count_curve",
    "flat",
    "interlacing",
    "mask",
    "nested",
    "quantile_view",
    "rows_needed",
    "runs_view",
    "stability",
]
