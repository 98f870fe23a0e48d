"""What is claimed, and the checks that decide it."""

from workbench.chapters.covariance.claims import coinpress, heavy, net, unbounded
from workbench.study.claim import Claim

CLAIMS: tuple[Claim, ...] = (*heavy.CLAIMS, *unbounded.CLAIMS, *net.CLAIMS, *coinpress.CLAIMS)
