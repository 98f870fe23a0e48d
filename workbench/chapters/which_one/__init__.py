"""Everything that the notebook `09_which_one` shows, in its order: a file a topic."""

from workbench.chapters.which_one import claims
from workbench.chapters.which_one.choice import judged, keys
from workbench.chapters.which_one.family import table, tree
from workbench.chapters.which_one.maps import best_map, fewest_rows

CLAIMS = tuple(claim.id for claim in claims.CLAIMS)

__all__ = ["CLAIMS", "best_map", "fewest_rows", "judged", "keys", "table", "tree"]
