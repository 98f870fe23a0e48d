"""One state of an explorer's picture, and the words below it."""

from dataclasses import dataclass
from html import escape
from typing import Literal

from workbench.charts.chart import Chart
from workbench.charts.layout import Layout

Stage = Literal["theory", "simulation", "finished"]


@dataclass(frozen=True)
class Drawing:
    """One state of the picture: its bytes and its sentence, or the line that stands in its place.

    `position` says where the controls stand, `shown` what the picture shows, and `stage` how far the view
    has come: predictions only, some runs, or all that it yields. `chart` is what the view yielded.
    """

    picture: bytes = b""
    sentence: str = ""
    error: str = ""
    stage: Stage = "finished"
    position: str = ""
    shown: str = ""
    chart: Chart | None = None

    @property
    def alt(self) -> str:
        """The picture in words: what it shows, of what, with which numbers."""
        return " ".join(words for words in (self.shown, self.position, self.sentence) if words)

    def words(self, move: int) -> str:
        """Return what stands below the picture after so many moves."""
        role, colour = ('role="alert"', ERROR) if self.error else ('aria-live="polite"', "inherit")
        busy = str(self.stage != "finished").lower()
        state = f'data-move="{move}" data-stage="{self.stage}" aria-busy="{busy}"'
        style = f"color:{colour};line-height:1.45;margin:0 12px"
        said = f"<b>{escape(self.position)}</b> {escape(self.error or self.sentence)}"
        return f'<p {role} {state} style="{style}">{said}</p>'


def area(chart: Chart) -> list[float]:
    """Return where the axes of the first panel are: left, top, width and height as shares of the picture."""
    left, bottom, width, height = Layout.of(chart).rectangle(0)
    return [left, 1 - bottom - height, width, height]


ERROR = "var(--jp-error-color1, #a33a00)"


def stage(chart: Chart, first: bool) -> Stage:
    """Return how far a chart has come: rows or colours of a first one wait for what is made of them."""
    drawn = {"estimate", "release"} if first else {"estimate", "release", "rows"}
    found = [series for panel in chart.panels for series in panel.series if series.role in drawn]
    coloured = not first and any(panel.heat for panel in chart.panels)
    return "simulation" if coloured or any(tuple(series.x) for series in found) else "theory"
