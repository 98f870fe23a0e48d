"""Everything that the notebook `00_start_here` shows, in its order: a file a topic."""

from workbench.chapters.start_here.applicable import patients
from workbench.chapters.start_here.bars import side_by_side
from workbench.chapters.start_here.costs import price, spending

__all__ = ["patients", "price", "side_by_side", "spending"]
