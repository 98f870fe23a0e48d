"""Everything that the notebook `02_one_mean` shows, in its order."""

from workbench.chapters.one_mean.figures.costs import (
    private_for_free,
    rows_against_accuracy,
    tight_ratio,
)
from workbench.chapters.one_mean.figures.currencies import confidence_intervals, currencies
from workbench.chapters.one_mean.figures.free_view import private_for_free_view
from workbench.chapters.one_mean.figures.location import (
    error_against_radius,
    rows_against_delta,
    rows_against_radius,
)
from workbench.chapters.one_mean.figures.location_view import error_against_radius_view

CLAIMS = (
    *("G1", "G2", "G3", "G4", "G5", "G6", "G17"),
    *("L1.1", "L1.2", "L2.3", "L2.7"),
    *("W1", "W2", "W3", "W4"),
)

__all__ = [
    "CLAIMS",
    "confidence_intervals",
    "currencies",
    "error_against_radius",
    "error_against_radius_view",
    "private_for_free",
    "private_for_free_view",
    "rows_against_accuracy",
    "rows_against_delta",
    "rows_against_radius",
    "tight_ratio",
]
