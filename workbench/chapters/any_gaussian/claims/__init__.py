"""What is claimed, in the order of the topics; the claims about how n grows come last."""

from workbench.chapters.any_gaussian import attacks, frames, learners, masking, votes
from workbench.chapters.any_gaussian.claims import scalings, scalings_laws, scalings_robust
from workbench.study.claim import Claim

CLAIMS: tuple[Claim, ...] = (
    *votes.CLAIMS,
    *masking.CLAIMS,
    *frames.CLAIMS,
    *learners.CLAIMS,
    *attacks.CLAIMS,
    *scalings.CLAIMS,
    *scalings_laws.CLAIMS,
    *scalings_robust.CLAIMS,
)
