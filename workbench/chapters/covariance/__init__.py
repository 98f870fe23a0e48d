"""Everything that the notebook `04_covariance` shows, in its order."""

from workbench.chapters.covariance.heavy_tails import long_ellipsoids, three_layers
from workbench.chapters.covariance.net import net_floors
from workbench.chapters.covariance.one_radius import judge, one_radius, step_by_step
from workbench.chapters.covariance.unbounded import side_by_side

CLAIMS = (
    "covariance/moments-decide-rate",
    "covariance/step-keeps-promise",
    "covariance/flat-in-condition",
    "covariance/eigenvalues-to-a-factor",
    "covariance/error-follows-gap",
    "covariance/coarse-closes-gap",
    "covariance/net-falls-to-floor",
    "covariance/price-of-unknown-mean",
)
FULL = (  # minutes of runs
    "covariance/joint-error-as-predicted",
    "covariance/step-within-its-bound",
    "covariance/spectral-rows-grow",
    "covariance/mahalanobis-rows-grow",
    "covariance/step-rows-grow",
    "covariance/heavy-table-rows-grow",
    "covariance/subspace-rows-grow",
    "covariance/coarse-rows-grow",
    "covariance/fine-rows-grow",
    "covariance/unbounded-table-rows-grow",
    "covariance/net-rows-grow",
    "covariance/four-kinds-side-by-side",
)
