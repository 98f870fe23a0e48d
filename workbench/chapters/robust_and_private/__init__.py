"""Everything that the notebook `07_robust_and_private` shows, in its order."""

from workbench.chapters.robust_and_private import claims
from workbench.chapters.robust_and_private.figures.crossover import figure_2
from workbench.chapters.robust_and_private.figures.duel import scoreboard
from workbench.chapters.robust_and_private.figures.duel_view import duel_view
from workbench.chapters.robust_and_private.figures.planted import against_corruption, figure_1
from workbench.chapters.robust_and_private.figures.rows import collusion, tail_swap
from workbench.chapters.robust_and_private.figures.scores import extremes, score_histogram
from workbench.chapters.robust_and_private.figures.source_design import figure_1_in_full
from workbench.chapters.robust_and_private.figures.success import success_under_attack
from workbench.chapters.robust_and_private.figures.tables import table_1, table_2

FULL = tuple(claim.id for claim in claims.FULL)
CLAIMS = tuple(claim.id for claim in claims.CLAIMS if claim.id not in FULL)
DEEP = (figure_1_in_full,)

__all__ = [
    "CLAIMS",
    "FULL",
    "against_corruption",
    "collusion",
    "duel_view",
    "extremes",
    "figure_1",
    "figure_2",
    "score_histogram",
    "scoreboard",
    "success_under_attack",
    "table_1",
    "table_2",
    "tail_swap",
]
