"""Which names stand at the ends of their lines, and which in a legend."""

from workbench.charts.chart import Chart, Panel, Series

MOST = 5  # lines whose names stand at their ends, a panel
LINES = ("estimate", "theory", "bound", "reference", "truth", "release", "area")


def direct(chart: Chart, columns: int) -> tuple[tuple[Series, ...], ...]:
    """Return the series of every panel whose names stand on the picture.

    They do in a panel of at most five names. A name that two neighbours share is written at the right one.
    """
    shown = [_named(panel) for panel in chart.panels]
    kept = []
    for place, own in enumerate(shown):
        beside = shown[place + 1] if (place + 1) % columns and place + 1 < len(shown) else ()
        later = {_look(one) for one in beside if one.label_at is None}
        kept.append(tuple(one for one in own if one.label_at is not None or _look(one) not in later))
    return tuple(kept)


def _named(panel: Panel) -> tuple[Series, ...]:
    if panel.names or panel.heat is not None:
        return ()
    first: dict[str, Series] = {}
    for one in panel.series:
        if one.label and any(True for _ in one.x):
            first.setdefault(one.label, one)
    if any(one.role not in LINES and one.label_at is None for one in first.values()):
        return tuple(one for one in first.values() if one.label_at is not None)
    return tuple(first.values()) if len(first) <= MOST else ()


def _look(one: Series) -> tuple[object, ...]:
    return one.label, one.colour_key, one.rank


def legend(chart: Chart, directs: tuple[tuple[Series, ...], ...]) -> dict[str, Series]:
    """Return the series of the legend, the first of each label that stands nowhere else."""
    there = {one.label for shown in directs for one in shown}
    found: dict[str, Series] = {}
    for panel in chart.panels:
        for one in panel.series:
            if one.label and one.label not in there:
                found.setdefault(one.label, one)
    return found
