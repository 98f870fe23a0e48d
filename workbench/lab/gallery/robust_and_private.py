"""Everything that the notebook `05_robust_and_private` shows, in its order."""

from workbench.lab.gallery.robust_and_private_duel import duel_view, scoreboard
from workbench.lab.gallery.robust_and_private_figures import against_corruption, figure_1, figure_2
from workbench.lab.gallery.robust_and_private_rows import collusion, tail_swap
from workbench.lab.gallery.robust_and_private_scores import extremes, score_histogram
from workbench.lab.gallery.robust_and_private_tables import table_1, table_2
from workbench.study.claims import lkko21, lkko21_exact, lkko21_parts, lkko21_robust, lkko21_sizes

FAMILIES = (lkko21, lkko21_parts, lkko21_exact, lkko21_robust, lkko21_sizes)
CLAIMS = tuple(claim.id for family in FAMILIES for claim in family.CLAIMS)

__all__ = [
    "CLAIMS",
    "against_corruption",
    "collusion",
    "duel_view",
    "extremes",
    "figure_1",
    "figure_2",
    "score_histogram",
    "scoreboard",
    "table_1",
    "table_2",
    "tail_swap",
]
