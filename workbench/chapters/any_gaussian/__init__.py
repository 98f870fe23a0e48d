"""Everything that the notebook `05_any_gaussian` shows, in its order."""

from workbench.chapters.any_gaussian import attacks, claims
from workbench.chapters.any_gaussian.attacks import attacked
from workbench.chapters.any_gaussian.frames import rows_against_d, subspace_cliff, subspace_rows
from workbench.chapters.any_gaussian.learners import whole_law
from workbench.chapters.any_gaussian.masking import masks
from workbench.chapters.any_gaussian.votes import attack, the_vote

ATTACKED = tuple(claim.id for claim in attacks.CLAIMS)
FULL = (
    *ATTACKED,
    "any-gaussian/mean-rows-grow",
    "any-gaussian/conditioned-rows-grow",
    "any-gaussian/preconditioner-rows-grow",
    "any-gaussian/law-rows-grow",
    "any-gaussian/robust-mean-rows-grow",
    "any-gaussian/robust-covariance-rows-grow",
)  # minutes of search and of attacked votes
CLAIMS = tuple(claim.id for claim in claims.CLAIMS if claim.id not in FULL)

__all__ = [
    "ATTACKED",
    "CLAIMS",
    "FULL",
    "attack",
    "attacked",
    "masks",
    "rows_against_d",
    "subspace_cliff",
    "subspace_rows",
    "the_vote",
    "whole_law",
]
