"""Everything that the notebook `08_matrix_quantile` shows, in its order."""

from workbench.lab.gallery.matrix_quantile_abstains import abstains
from workbench.lab.gallery.matrix_quantile_pictures import count_curve, interlacing, nested
from workbench.lab.gallery.matrix_quantile_rows import flat, rows_needed
from workbench.lab.gallery.matrix_quantile_runs_view import runs_view
from workbench.lab.gallery.matrix_quantile_steps import mask, stability
from workbench.lab.gallery.matrix_quantile_view import quantile_view

CLAIMS = ("MQ1", "MQ2", "MQ3", "MQ4", "MQ5", "MQ6", "MQ7", "MQ8")

__all__ = [
    "CLAIMS",
    "abstains",
    "count_curve",
    "flat",
    "interlacing",
    "mask",
    "nested",
    "quantile_view",
    "rows_needed",
    "runs_view",
    "stability",
]
