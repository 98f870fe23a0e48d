"""A picture that stays while the next ones are drawn: its curves lie beneath theirs."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from workbench.charts.chart import Chart, Panel, Series

CURVES = ("estimate", "theory")


@dataclass(frozen=True)
class Kept:
    """The chart that is kept, and where the controls stood."""

    chart: Chart
    position: str

    def beneath(self, chart: Chart) -> Chart:
        """Return a chart with the kept curves first, in panels that lie on the same axes.

        One line of the legend says where the controls stood.
        """
        if len(chart.panels) != len(self.chart.panels):
            return chart
        pairs = zip(self.chart.panels, chart.panels, strict=True)
        panels = [_with(self._pale(kept), panel) if _same(kept, panel) else panel for kept, panel in pairs]
        return replace(chart, panels=tuple(panels))

    def _pale(self, panel: Panel) -> Iterator[Series]:
        for one in panel.series:
            if one.role in CURVES and tuple(one.x):
                yield Series(f"kept: {self.position}", one.x, one.y, role="kept", colour_key=one.colour_key)


def keeps(chart: Chart) -> bool:
    """Return whether a chart has curves that can lie beneath another's."""
    panels = [panel for panel in chart.panels if not (panel.heat or panel.names)]
    return any(one.role in CURVES and tuple(one.x) for panel in panels for one in panel.series)


def _with(kept: Iterator[Series], panel: Panel) -> Panel:
    return replace(panel, series=(*kept, *panel.series))


def _same(kept: Panel, panel: Panel) -> bool:
    """Return whether two panels have curves over the same numbers."""
    if panel.heat or panel.names:
        return False
    axes = ("xlabel", "ylabel", "xscale", "yscale")
    return all(getattr(kept, axis) == getattr(panel, axis) for axis in axes)
