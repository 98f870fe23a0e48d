"""The claims of all topics, and those about how n grows."""

from workbench.chapters.covariance import heavy_tails, joint, net, unbounded
from workbench.chapters.covariance.claims import scalings_heavy, scalings_table, scalings_unbounded
from workbench.study.claim import Claim

CLAIMS: tuple[Claim, ...] = (
    *heavy_tails.CLAIMS,
    *unbounded.CLAIMS,
    *net.CLAIMS,
    *joint.CLAIMS,
    *scalings_heavy.CLAIMS,
    *scalings_unbounded.CLAIMS,
    *scalings_table.CLAIMS,
)
