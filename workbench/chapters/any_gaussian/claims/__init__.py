"""What is claimed, and the checks that decide it."""

from workbench.chapters.any_gaussian.claims import learners, oracles, votes
from workbench.study.claim import Claim

CLAIMS: tuple[Claim, ...] = (*votes.CLAIMS, *learners.CLAIMS, *oracles.CLAIMS)
