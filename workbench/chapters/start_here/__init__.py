"""Everything that the notebook `00_start_here` shows, in its order: a file a topic."""

from workbench.chapters.start_here.applicable import patients, side_by_side, spending

__all__ = ["patients", "side_by_side", "spending"]
