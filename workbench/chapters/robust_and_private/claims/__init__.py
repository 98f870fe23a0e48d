"""What is claimed, and the checks that decide it."""

from workbench.chapters.robust_and_private.claims import (
    beside,
    exact,
    filter_scalings,
    nearby,
    net_scalings,
    parts,
    robust,
    source,
    tables,
)
from workbench.study.claim import Claim

FULL: tuple[Claim, ...] = (
    *tables.FULL,
    *filter_scalings.CLAIMS,
    *net_scalings.CLAIMS,
    *beside.CLAIMS,
    *nearby.CLAIMS,
)
"""Minutes of searches."""

CLAIMS: tuple[Claim, ...] = (
    *source.CLAIMS,
    *parts.CLAIMS,
    *exact.CLAIMS,
    *robust.CLAIMS,
    *tables.CLAIMS,
    *FULL,
)
