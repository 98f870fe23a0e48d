"""Everything that the notebook `07_robust_and_private` shows, in its order."""

from workbench.chapters.robust_and_private import claims
from workbench.chapters.robust_and_private.figures.attacks import attacks_far, attacks_hidden, attacks_near
from workbench.chapters.robust_and_private.figures.crossover import figure_2
from workbench.chapters.robust_and_private.figures.duel import scoreboard
from workbench.chapters.robust_and_private.figures.duel_view import duel_view
from workbench.chapters.robust_and_private.figures.film import filtering
from workbench.chapters.robust_and_private.figures.planted import (
    against_corruption,
    figure_1,
    little_corruption,
)
from workbench.chapters.robust_and_private.figures.rows import collusion, few_together, tail_swap
from workbench.chapters.robust_and_private.figures.scores import extremes, score_histogram
from workbench.chapters.robust_and_private.figures.source_design import figure_1_in_full
from workbench.chapters.robust_and_private.figures.success import success_under_attack
from workbench.chapters.robust_and_private.figures.tables import table_1, table_2, table_formulas
from workbench.chapters.robust_and_private.runs.hidden import hidden_world

FULL = tuple(claim.id for claim in claims.FULL)
CLAIMS = tuple(claim.id for claim in claims.CLAIMS if claim.id not in FULL)
DEEP = (figure_1_in_full,)

FILMS = (filtering,)

__all__ = [
    "CLAIMS",
    "FILMS",
    "FULL",
    "against_corruption",
    "attacks_far",
    "attacks_hidden",
    "attacks_near",
    "collusion",
    "duel_view",
    "extremes",
    "few_together",
    "figure_1",
    "figure_2",
    "filtering",
    "hidden_world",
    "little_corruption",
    "score_histogram",
    "scoreboard",
    "success_under_attack",
    "table_1",
    "table_2",
    "table_formulas",
    "tail_swap",
]
