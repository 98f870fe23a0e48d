"""All claims about WX19, in the order of their numbers."""

from workbench.chapters.sparse_covariance.claims import (
    dimension,
    entries,
    noise,
    radius,
    rates,
    rules,
)
from workbench.study.claim import Claim

MODULES = (noise, dimension, rates, rules, entries, radius)


def number(claim: Claim) -> float:
    """Return the number in the id of a claim."""
    return float(claim.id.removeprefix("S"))


CLAIMS: tuple[Claim, ...] = tuple(
    sorted((claim for module in MODULES for claim in module.CLAIMS), key=number)
)
