"""What is claimed, and the checks that decide it."""

from workbench.chapters.covariance.claims import (
    coinpress,
    heavy,
    net,
    scalings_heavy,
    scalings_table,
    scalings_unbounded,
    unbounded,
)
from workbench.study.claim import Claim

CLAIMS: tuple[Claim, ...] = (
    *heavy.CLAIMS,
    *unbounded.CLAIMS,
    *net.CLAIMS,
    *coinpress.CLAIMS,
    *scalings_heavy.CLAIMS,
    *scalings_unbounded.CLAIMS,
    *scalings_table.CLAIMS,
)
