"""Everything that the notebook `00_start_here` shows, in its order."""

from workbench.chapters.start_here.columns import patients
from workbench.chapters.start_here.costs import price, spending
from workbench.chapters.start_here.means import side_by_side, side_by_side_view

CLAIMS = ("start-here/shares-add-up",)

__all__ = ["CLAIMS", "patients", "price", "side_by_side", "side_by_side_view", "spending"]
