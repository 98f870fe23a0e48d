"""What is claimed, and the checks that decide it."""

from workbench.chapters.sparse_covariance.claims import (
    degree,
    dimension,
    entries,
    entry_scalings,
    noise,
    radius,
    rates,
    rules,
    scalings,
)
from workbench.study.claim import Claim

MODULES = (noise, dimension, rates, rules, entries, degree, radius)


def number(claim: Claim) -> float:
    """Return the number of a claim without its letter."""
    return float(claim.number.removeprefix("S"))


CLAIMS: tuple[Claim, ...] = (
    *sorted((claim for module in MODULES for claim in module.CLAIMS), key=number),
    *scalings.CLAIMS,
    *entry_scalings.CLAIMS,
)
