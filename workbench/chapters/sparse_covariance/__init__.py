"""Everything that the notebook `08_sparse_covariance` shows, in its order."""

from workbench.chapters.sparse_covariance import story
from workbench.chapters.sparse_covariance.dimension import error_against_p
from workbench.chapters.sparse_covariance.figures_1_to_4 import figure_1, figure_2, figure_3, figure_4
from workbench.chapters.sparse_covariance.noise import promise
from workbench.chapters.sparse_covariance.open_problems import hidden_worlds
from workbench.chapters.sparse_covariance.regimes import matrices, regime_map

CLAIMS = tuple(claim.id for claim in story.CLAIMS)

__all__ = [
    "CLAIMS",
    "error_against_p",
    "figure_1",
    "figure_2",
    "figure_3",
    "figure_4",
    "hidden_worlds",
    "matrices",
    "promise",
    "regime_map",
]
