"""What is claimed, and the checks that decide it."""

from workbench.chapters.robust_and_private.claims import (
    beside,
    exact,
    filter_scalings,
    net_scalings,
    parts,
    robust,
    sizes,
    source,
)
from workbench.study.claim import Claim

SEARCHED: tuple[Claim, ...] = (*filter_scalings.CLAIMS, *net_scalings.CLAIMS, *beside.CLAIMS)
CLAIMS: tuple[Claim, ...] = (
    *source.CLAIMS,
    *parts.CLAIMS,
    *exact.CLAIMS,
    *robust.CLAIMS,
    *sizes.CLAIMS,
    *SEARCHED,
)
