"""What is claimed, and the checks that decide it."""

from workbench.chapters.robust_and_private.claims import exact, parts, robust, sizes, source
from workbench.study.claim import Claim

CLAIMS: tuple[Claim, ...] = (*source.CLAIMS, *parts.CLAIMS, *exact.CLAIMS, *robust.CLAIMS, *sizes.CLAIMS)
