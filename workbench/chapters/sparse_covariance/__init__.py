"""Everything that the notebook `08_sparse_covariance` shows, in its order."""

from workbench.chapters.sparse_covariance.designs import promise
from workbench.chapters.sparse_covariance.dimension import error_against_p
from workbench.chapters.sparse_covariance.entries import hidden_worlds
from workbench.chapters.sparse_covariance.figures_1_to_4 import (
    figure_1,
    figure_2,
    figure_3,
    figure_4,
    matrices,
    regime_map,
)

CLAIMS = (
    "sparse-covariance/sensitivity-root-two",
    "sparse-covariance/noise-as-root-p",
    "sparse-covariance/flat-in-block",
    "sparse-covariance/power-behind-norm",
    "sparse-covariance/price-of-privacy",
    "sparse-covariance/figure-shows-diagonal",
    "sparse-covariance/every-curve-diagonal",
    "sparse-covariance/entries-concentrate",
    "sparse-covariance/entry-by-entry",
    "sparse-covariance/error-in-degree",
    "sparse-covariance/every-norm",
    "sparse-covariance/stated-noise-keeps-promise",
    "sparse-covariance/support-found",
    "sparse-covariance/unknown-radius",
    "sparse-covariance/rows-grow-with-noise",
    "sparse-covariance/rows-grow-with-sampling",
    "sparse-covariance/users-grow",
    "sparse-covariance/rows-grow-in-column-sums",
    "sparse-covariance/rows-grow-for-entries",
)
