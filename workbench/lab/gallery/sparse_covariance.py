"""Everything that the notebook `06_sparse_covariance` shows, in its order."""

from workbench.lab.gallery.sparse_covariance_figures import figure_1, figure_2, figure_3, figure_4
from workbench.lab.gallery.sparse_covariance_matrix_view import matrices_view
from workbench.lab.gallery.sparse_covariance_regimes import error_against_p, matrices, regime_map
from workbench.lab.gallery.sparse_covariance_rules import promise, rules, support, unknown_radius
from workbench.lab.gallery.sparse_covariance_view import error_against_rows_view
from workbench.study.claims import wx19

CLAIMS = tuple(claim.id for claim in wx19.CLAIMS)

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
    "regime_map",
    "rules",
    "support",
    "unknown_radius",
]
