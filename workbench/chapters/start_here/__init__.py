"""Everything that the notebook `00_start_here` shows, in its order: a file a topic."""

from workbench.chapters.start_here.applicable import patients, price, side_by_side, spending

__all__ = ["patients", "price", "side_by_side", "spending"]
