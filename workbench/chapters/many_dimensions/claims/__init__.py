"""The claims of all topics, and those about how n grows."""

from workbench.chapters.many_dimensions import price, steps
from workbench.chapters.many_dimensions.claims import scalings
from workbench.study.claim import Claim

CLAIMS: tuple[Claim, ...] = (*price.CLAIMS, *steps.CLAIMS, *scalings.CLAIMS)
