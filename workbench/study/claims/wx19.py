"""All claims about WX19, in the order of their numbers."""

from workbench.study.claims import (
    wx19_dimension,
    wx19_entries,
    wx19_noise,
    wx19_radius,
    wx19_rates,
    wx19_rules,
)
from workbench.study.claims.base import Claim

MODULES = (wx19_noise, wx19_dimension, wx19_rates, wx19_rules, wx19_entries, wx19_radius)


def number(claim: Claim) -> float:
    """Return the number in the id of a claim."""
    return float(claim.id.removeprefix("S"))


CLAIMS: tuple[Claim, ...] = tuple(
    sorted((claim for module in MODULES for claim in module.CLAIMS), key=number)
)
