"""A film: frames that an explorer steps through, each a picture of the plane and a sentence about it.

>>> frame = Frame("It begins.", Panel("", "x", "y", (Series("a", (0, 1), (0, 1)),)))
>>> Film("line", "A line", (frame,), alt="A line.").chart(1).caption
'It begins.'
"""

from dataclasses import dataclass, replace

from workbench.charts.chart import Chart, Panel, Series
from workbench.errors import one_of


@dataclass(frozen=True)
class Frame:
    """One picture of a film and what happens in it."""

    words: str
    panel: Panel


@dataclass(frozen=True)
class Film:
    """Frames in their order; `shared` is drawn beneath each, and the others are as of a `Chart`."""

    name: str
    title: str
    frames: tuple[Frame, ...]
    alt: str
    how_to_read: str = ""
    shared: tuple[Series, ...] = ()

    def chart(self, frame: int) -> Chart:
        """Return a frame, from 1, as a picture with its sentence as caption."""
        one_of(range(1, len(self.frames) + 1), frame=frame)
        one = self.frames[frame - 1]
        panel = replace(one.panel, series=(*self.shared, *one.panel.series))
        return Chart(self.name, self.title, (panel,), self.alt, self.how_to_read, one.words)
