"""Everything that the notebook `05_any_gaussian` shows, in its order."""

from workbench.chapters.any_gaussian.attacks import attacked
from workbench.chapters.any_gaussian.frames import rows_against_d, subspace_cliff, whole_law
from workbench.chapters.any_gaussian.votes import attack, masks, the_vote

ATTACKED = (
    "any-gaussian/oracles-within-unit",
    "any-gaussian/searches-stay-below",
    "any-gaussian/robust-votes",
    "any-gaussian/robust-mean-votes",
    "any-gaussian/robust-laws",
)
CLAIMS = (
    "any-gaussian/neighbours-move-little",
    "any-gaussian/frobenius-masks-concentrate",
    "any-gaussian/subspaces-exact",
    "any-gaussian/preconditioners-found",
    "any-gaussian/means-without-range",
    "any-gaussian/laws-learned",
    "any-gaussian/covariances-learned",
    "any-gaussian/subspace-rows-grow",
    "any-gaussian/vote-groups-grow",
)
FULL = (  # minutes of search and of attacked votes
    *ATTACKED,
    "any-gaussian/mean-rows-grow",
    "any-gaussian/conditioned-rows-grow",
    "any-gaussian/preconditioner-rows-grow",
    "any-gaussian/law-rows-grow",
    "any-gaussian/lower-bounds",
    "any-gaussian/robust-mean-rows-grow",
    "any-gaussian/robust-covariance-rows-grow",
    "any-gaussian/robust-law-rows-grow",
)
