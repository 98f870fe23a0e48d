"""Everything that the notebook `07_robust_and_private` shows, in its order."""

from workbench.chapters.robust_and_private import story
from workbench.chapters.robust_and_private.adversaries import collusion, tail_swap
from workbench.chapters.robust_and_private.crossover import figure_2
from workbench.chapters.robust_and_private.duel import hidden_world, scoreboard
from workbench.chapters.robust_and_private.filters import score_histogram
from workbench.chapters.robust_and_private.passes import filtering
from workbench.chapters.robust_and_private.planted import against_corruption, figure_1
from workbench.chapters.robust_and_private.tables import table_1, table_2

FULL = tuple(claim.id for claim in story.FULL)
CLAIMS = tuple(claim.id for claim in story.CLAIMS if claim.id not in FULL)

__all__ = [
    "CLAIMS",
    "FULL",
    "against_corruption",
    "collusion",
    "figure_1",
    "figure_2",
    "filtering",
    "hidden_world",
    "score_histogram",
    "scoreboard",
    "table_1",
    "table_2",
    "tail_swap",
]
