"""What is claimed, in the order of the notebook."""

from workbench.chapters.sparse_covariance import (
    dimension,
    entries,
    figures_1_to_4,
    noise,
    open_problems,
    rates,
)
from workbench.chapters.sparse_covariance.claims import entry_scalings, scalings
from workbench.study.claim import Claim

TOPICS = (noise, dimension, rates, figures_1_to_4, entries, open_problems)


def number(claim: Claim) -> float:
    """Return the number of a claim without its letter."""
    return float(claim.number.removeprefix("S"))


CLAIMS: tuple[Claim, ...] = (
    *sorted((claim for topic in TOPICS for claim in topic.CLAIMS), key=number),
    *scalings.CLAIMS,
    *entry_scalings.CLAIMS,
)
