"""Everything that the notebook `08_sparse_covariance` shows, in its order."""

from workbench.chapters.sparse_covariance import claims
from workbench.chapters.sparse_covariance.exercise import hidden_worlds
from workbench.chapters.sparse_covariance.figures.figures import (
    figure_1,
    figure_1_further,
    figure_3,
    figure_3_further,
)
from workbench.chapters.sparse_covariance.figures.maps import regime_further, regime_map
from workbench.chapters.sparse_covariance.figures.matrix_view import matrices_view
from workbench.chapters.sparse_covariance.figures.norms import figure_2, figure_4
from workbench.chapters.sparse_covariance.figures.promise import promise
from workbench.chapters.sparse_covariance.figures.radius_view import radius_view
from workbench.chapters.sparse_covariance.figures.regimes import (
    error_against_p,
    matrices,
)
from workbench.chapters.sparse_covariance.figures.rules import (
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
    "figure_1_further",
    "figure_2",
    "figure_3",
    "figure_3_further",
    "figure_4",
    "hidden_worlds",
    "matrices",
    "matrices_view",
    "promise",
    "radius_view",
    "regime_further",
    "regime_map",
    "rules",
    "support",
    "unknown_radius",
]
