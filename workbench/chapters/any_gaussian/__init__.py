"""Everything that the notebook `05_any_gaussian` shows, in its order."""

from workbench.chapters.any_gaussian.exercise import attack
from workbench.chapters.any_gaussian.figures.learners import attacked, ten_attacks, two_learners, whole_law
from workbench.chapters.any_gaussian.figures.rows import (
    flat,
    rows_against_d,
    rows_of_covariances,
    subspace_cliff,
    subspace_rows,
)
from workbench.chapters.any_gaussian.figures.rows_view import rows_view
from workbench.chapters.any_gaussian.figures.success import success_of_votes
from workbench.chapters.any_gaussian.figures.view import MASKED_ROWS, mask_view, vote_view
from workbench.chapters.any_gaussian.figures.vote import masks, the_vote

CLAIMS = (
    "any-gaussian/triangles-hold",
    "any-gaussian/mixtures-are-local",
    "any-gaussian/truncated-noise-exact",
    "any-gaussian/masks-hide-more",
    "any-gaussian/masks-concentrate",
    "any-gaussian/neighbours-move-little",
    "any-gaussian/agreeing-groups-heard",
    "any-gaussian/subspaces-exact",
    "any-gaussian/preconditioners-found",
    "any-gaussian/means-without-range",
    "any-gaussian/laws-learned",
    "any-gaussian/covariances-learned",
    "any-gaussian/frobenius-masks-concentrate",
    "any-gaussian/subspace-rows-grow",
    "any-gaussian/vote-groups-grow",
)
ATTACKED = (
    "any-gaussian/oracles-within-unit",
    "any-gaussian/searches-stay-below",
    "any-gaussian/robust-votes",
    "any-gaussian/robust-mean-votes",
    "any-gaussian/robust-laws",
)
FULL = (
    *ATTACKED,
    "any-gaussian/mean-rows-grow",
    "any-gaussian/conditioned-rows-grow",
    "any-gaussian/preconditioner-rows-grow",
    "any-gaussian/law-rows-grow",
    "any-gaussian/robust-mean-rows-grow",
    "any-gaussian/robust-covariance-rows-grow",
    "any-gaussian/votes-overtake-late",
)  # minutes of search and of attacked votes

__all__ = [
    "ATTACKED",
    "CLAIMS",
    "FULL",
    "MASKED_ROWS",
    "attack",
    "attacked",
    "flat",
    "mask_view",
    "masks",
    "rows_against_d",
    "rows_of_covariances",
    "rows_view",
    "subspace_cliff",
    "subspace_rows",
    "success_of_votes",
    "ten_attacks",
    "the_vote",
    "two_learners",
    "vote_view",
    "whole_law",
]
