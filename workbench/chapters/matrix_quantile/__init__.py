"""Everything that the notebook `06_matrix_quantile` shows, in its order."""

from workbench.chapters.matrix_quantile import claims
from workbench.chapters.matrix_quantile.exercise import UNIT, in_logs, world
from workbench.chapters.matrix_quantile.figures.abstains import abstains, abstains_in_the_plane
from workbench.chapters.matrix_quantile.figures.film import descent
from workbench.chapters.matrix_quantile.figures.lift import lift
from workbench.chapters.matrix_quantile.figures.lifted_view import lifted_view
from workbench.chapters.matrix_quantile.figures.means import means, means_elsewhere
from workbench.chapters.matrix_quantile.figures.neighbours import interlacing
from workbench.chapters.matrix_quantile.figures.pictures import count_curve, nested
from workbench.chapters.matrix_quantile.figures.rows import flat, rows_needed
from workbench.chapters.matrix_quantile.figures.runs_view import runs_view
from workbench.chapters.matrix_quantile.figures.steps import mask, stability, strength
from workbench.chapters.matrix_quantile.figures.view import quantile_view

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
    "abstains_in_the_plane",
    "count_curve",
    "descent",
    "flat",
    "in_logs",
    "interlacing",
    "lift",
    "lifted_view",
    "mask",
    "means",
    "means_elsewhere",
    "nested",
    "quantile_view",
    "rows_needed",
    "runs_view",
    "stability",
    "strength",
    "world",
]
