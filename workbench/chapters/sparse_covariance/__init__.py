"""Everything that the notebook `08_sparse_covariance` shows, in its order."""

from workbench.chapters.sparse_covariance import claims
from workbench.chapters.sparse_covariance.figures.figures import (
    figure_1,
    figure_2,
    figure_3,
    figure_4,
)
from workbench.chapters.sparse_covariance.figures.matrix_view import matrices_view
from workbench.chapters.sparse_covariance.figures.radius_view import radius_view
from workbench.chapters.sparse_covariance.figures.regimes import (
    error_against_p,
    matrices,
    regime_map,
)
from workbench.chapters.sparse_covariance.figures.rules import (
    promise,
    rules,
    support,
    unknown_radius,
)
from workbench.chapters.sparse_covariance.figures.source_design import DEEP as DEEP
from workbench.chapters.sparse_covariance.figures.view import error_against_rows_view

CLAIMS = tuple(claim.id for claim in claims.CLAIMS)

__all__ = [
    "CLAIMS",
    "error_against_p",
    "error_against_rows_view",
    "figure_1",
    "figure_2",
    "figure_3",
    "figure_4",
    "matrices",
    "matrices_view",
    "promise",
    "radius_view",
    "regime_map",
    "rules",
    "support",
    "unknown_radius",
]
