"""What is claimed, in the order of the notebook."""

from workbench.chapters.robust_and_private import crossover, exact, filters, planted, tables
from workbench.chapters.robust_and_private.claims import filter_scalings, net_scalings
from workbench.study.claim import Claim

FULL: tuple[Claim, ...] = (
    *tables.SEARCHED,
    *filter_scalings.CLAIMS,
    *net_scalings.CLAIMS,
    *crossover.SEARCHED,
)
"""Minutes of searches."""

CLAIMS: tuple[Claim, ...] = (
    *planted.CLAIMS,
    *filters.CLAIMS,
    *crossover.CLAIMS,
    *exact.CLAIMS,
    *tables.CLAIMS,
    *FULL,
)
