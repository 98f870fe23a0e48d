"""Everything that the notebook `09_which_one` shows, in its order: a file a topic."""

from workbench.chapters.which_one import choice
from workbench.chapters.which_one.choice import (
    best_map,
    fewest_rows,
    judged,
    keys,
    price_of_facts,
    table,
    tree,
    wrong_facts,
)

CLAIMS = tuple(claim.id for claim in choice.CLAIMS)
