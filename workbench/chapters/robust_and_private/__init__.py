"""Everything that the notebook `07_robust_and_private` shows, in its order."""

from workbench.chapters.robust_and_private.adversaries import collusion, hidden_world, scoreboard, tail_swap
from workbench.chapters.robust_and_private.filters import filtering, score_histogram
from workbench.chapters.robust_and_private.planted import against_corruption, figure_1, figure_2
from workbench.chapters.robust_and_private.tables import table_1, table_2

CLAIMS = (
    "robust-and-private/plain-mean-grows",
    "robust-and-private/prime-is-robust",
    "robust-and-private/every-direction",
    "robust-and-private/against-corruption",
    "robust-and-private/figure-1-flat",
    "robust-and-private/figure-1-source-constants",
    "robust-and-private/few-bad-rows",
    "robust-and-private/threshold-in-epsilon",
    "robust-and-private/single-directions",
    "robust-and-private/passes-against-clusters",
    "robust-and-private/threshold-lemma",
    "robust-and-private/log-rounds-suffice",
    "robust-and-private/matrix-noise",
    "robust-and-private/neighbours-stay",
    "robust-and-private/bins-are-safe",
    "robust-and-private/better-from-many-rows",
    "robust-and-private/plain-wins-few-rows",
    "robust-and-private/few-rows-harmless",
    "robust-and-private/depth-is-robust",
    "robust-and-private/resilient-pass-size",
    "robust-and-private/table-1-in-shape",
    "robust-and-private/table-2-in-shape",
    "robust-and-private/exponential-column",
    "robust-and-private/heavy-tails-prime",
)
FULL = (  # minutes of search
    "robust-and-private/table-1-hidden-cluster",
    "robust-and-private/price-of-dimension",
    "robust-and-private/nonprivate-filter-rows-grow",
    "robust-and-private/filter-rows-grow",
    "robust-and-private/prime-rows-grow",
    "robust-and-private/heavy-prime-rows-grow",
    "robust-and-private/resilient-rows-grow",
    "robust-and-private/heavy-resilient-rows-grow",
    "robust-and-private/tukey-rows-grow",
    "robust-and-private/box-range-rows-grow",
    "robust-and-private/ball-range-rows-grow",
    "robust-and-private/prime-pays-from",
)
