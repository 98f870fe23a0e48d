"""What is claimed, and the checks that decide it."""

from workbench.chapters.any_gaussian.claims import (
    crossover,
    learners,
    oracles,
    scalings,
    scalings_laws,
    scalings_robust,
    votes,
)
from workbench.study.claim import Claim

CLAIMS: tuple[Claim, ...] = (
    *votes.CLAIMS,
    *learners.CLAIMS,
    *oracles.CLAIMS,
    *scalings.CLAIMS,
    *scalings_laws.CLAIMS,
    *scalings_robust.CLAIMS,
    *crossover.CLAIMS,
)
