"""Everything that the notebook `01_what_epsilon_means` shows, in its order."""

from workbench.chapters.what_epsilon_means import claims
from workbench.chapters.what_epsilon_means.figures.adding_up import composition
from workbench.chapters.what_epsilon_means.figures.attacks import attacker
from workbench.chapters.what_epsilon_means.figures.currencies import currencies
from workbench.chapters.what_epsilon_means.figures.definition import two_outputs
from workbench.chapters.what_epsilon_means.figures.leaks import floats
from workbench.chapters.what_epsilon_means.figures.line_up import suspects
from workbench.chapters.what_epsilon_means.figures.tracing import tracing
from workbench.chapters.what_epsilon_means.figures.tracing_view import tracing_view
from workbench.chapters.what_epsilon_means.runs.floats import float_noise, grid_noise
from workbench.chapters.what_epsilon_means.runs.suspects import suspect
from workbench.study.audit import last_bit

CLAIMS = tuple(claim.id for claim in claims.CLAIMS)

__all__ = [
    "CLAIMS",
    "attacker",
    "composition",
    "currencies",
    "float_noise",
    "floats",
    "grid_noise",
    "last_bit",
    "suspect",
    "suspects",
    "tracing",
    "tracing_view",
    "two_outputs",
]
