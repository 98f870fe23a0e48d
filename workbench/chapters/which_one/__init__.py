"""Everything that the notebook `09_which_one` shows, in its order."""

from workbench.chapters.which_one import claims
from workbench.chapters.which_one.best_view import best_view
from workbench.chapters.which_one.choice import keys
from workbench.chapters.which_one.family import table
from workbench.chapters.which_one.judge import judged
from workbench.chapters.which_one.maps import best_map, fewest_rows
from workbench.chapters.which_one.pictures import family_of_covariances, family_of_means
from workbench.chapters.which_one.tree import tree

CLAIMS = tuple(claim.id for claim in claims.CLAIMS)

__all__ = [
    "CLAIMS",
    "best_map",
    "best_view",
    "family_of_covariances",
    "family_of_means",
    "fewest_rows",
    "judged",
    "keys",
    "table",
    "tree",
]
