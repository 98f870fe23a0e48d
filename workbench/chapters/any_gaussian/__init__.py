"""Everything that the notebook `05_any_gaussian` shows, in its order."""

from workbench.chapters.any_gaussian.figures.learners import attacked, two_learners, whole_law
from workbench.chapters.any_gaussian.figures.rows import flat, rows_against_d, subspace_cliff
from workbench.chapters.any_gaussian.figures.view import mask_view, vote_view
from workbench.chapters.any_gaussian.figures.vote import masks, the_vote

CLAIMS = ("C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9", "C10", "C12", "AL22.5", "AL22.6")
FULL = ("C11", "AL22.1", "AL22.2", "AL22.3", "AL22.4")  # minutes of search and of attacked votes

__all__ = [
    "CLAIMS",
    "FULL",
    "attacked",
    "flat",
    "mask_view",
    "masks",
    "rows_against_d",
    "subspace_cliff",
    "the_vote",
    "two_learners",
    "vote_view",
    "whole_law",
]
