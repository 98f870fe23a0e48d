"""Everything that the notebook `02_one_mean` shows, in its order: a file a topic."""

from workbench.chapters.one_mean.costs import private_for_free, rows_against_accuracy, tight_ratio
from workbench.chapters.one_mean.intervals import confidence_intervals
from workbench.chapters.one_mean.locating import error_against_radius, rows_against_delta, rows_against_radius

CLAIMS = (
    "one-mean/clipping-pays-range",
    "one-mean/flat-in-radius",
    "one-mean/rows-per-log-range",
    "one-mean/rows-per-log-delta",
    "one-mean/private-for-free",
    "one-mean/intervals-cover",
    "one-mean/any-law-is-covered",
    "one-mean/finite-histogram-error",
    "one-mean/stable-histogram-error",
    "one-mean/bin-facts",
    "one-mean/window-halves-rows",
    "one-mean/near-sample-mean",
    "one-mean/error-as-predicted",
    "one-mean/scale-within-percents",
    "one-mean/clipped-rows-grow",
    "one-mean/two-step-rows-grow",
    "one-mean/unbounded-rows-grow",
    "one-mean/finite-histogram-rows-grow",
    "one-mean/stable-histogram-rows-grow",
    "one-mean/stable-histogram-rows-proved",
    "one-mean/rows-grow-as-packing",
    "one-mean/many-quantiles-gain",
    "one-mean/quantile-rows-grow",
)
FULL = ("one-mean/votes-on-shares-suffice", "one-mean/counts-beat-votes")  # a minute of search
