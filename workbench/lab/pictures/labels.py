"""Names of curves at their ends, apart from one another."""

import numpy as np
from matplotlib import patheffects
from matplotlib.axes import Axes

from workbench.charts.chart import Series
from workbench.charts.layout import Layout, beside_end
from workbench.charts.methods import INK
from workbench.lab.pictures.style import look

GAP = 0.12  # inches between the axes and the names
FAR = 0.9  # share of the axes: a line from a name to a curve that ends before is dotted, as no curve is
HALO = [patheffects.withStroke(linewidth=4, foreground="white")]


def write_labels(axes: Axes, named: tuple[Series, ...], layout: Layout) -> None:
    """Write names at the ends of their lines, apart from one another, or where they have a place."""
    form, (wide, tall) = layout.form, layout.box
    placed = [one for one in named if one.label_at is not None]
    for one in placed:
        axes.annotate(
            one.label, one.label_at or (0, 0), color=_colour(one), fontsize=form.label, ha="center",
            va="center", path_effects=HALO, zorder=8, annotation_clip=False,
        )  # fmt: skip
    ended = [one for one in named if one.label_at is None]
    if not ended:
        return
    ends = [_end(axes, one) for one in ended]
    lines = [beside_end(one, layout.columns) for one in ended]
    heights = [form.line(form.label) * len(text) for text in lines]
    places = apart([up * tall for _, up in ends], heights, tall)
    for one, text, (across, up), at in zip(ended, lines, ends, places, strict=True):
        axes.text(
            1 + GAP / wide, at / tall, "\n".join(text), transform=axes.transAxes, color=_colour(one),
            fontsize=form.label, ha="left", va="center", linespacing=1.1, clip_on=False,
        )  # fmt: skip
        if across < 0.985 or abs(at / tall - up) > 0.02:
            far = across < FAR
            axes.plot(
                [across, 1 + 0.7 * GAP / wide], [up, at / tall], transform=axes.transAxes, clip_on=False,
                color=_colour(one), alpha=0.6 if far else 0.35, linewidth=0.9, zorder=1.8,
                linestyle=":" if far else "-",
            )  # fmt: skip


def apart(middles: list[float], heights: list[float], room: float) -> list[float]:
    """Return places near the middles at which labels of these heights do not touch, if there is room.

    >>> apart([1.0, 1.0, 3.0], [0.5, 0.5, 0.5], 4.0)
    [0.75, 1.25, 3.0]
    """
    order = sorted(range(len(middles)), key=lambda k: middles[k])
    groups: list[list[int]] = []
    for k in order:
        groups.append([k])
        while len(groups) > 1 and _top(groups[-2], middles, heights, room) > _bottom(
            groups[-1], middles, heights, room
        ):
            last = groups.pop()
            groups[-1] += last
    places = [0.0] * len(middles)
    for group in groups:
        edge = _bottom(group, middles, heights, room)
        for k in group:
            places[k] = edge + heights[k] / 2
            edge += heights[k]
    return places


def _bottom(group: list[int], middles: list[float], heights: list[float], room: float) -> float:
    tall = sum(heights[k] for k in group)
    middle = sum(middles[k] for k in group) / len(group)
    return float(min(max(middle - tall / 2, -0.1), max(room + 0.1 - tall, -0.1)))


def _top(group: list[int], middles: list[float], heights: list[float], room: float) -> float:
    return _bottom(group, middles, heights, room) + sum(heights[k] for k in group)


def _end(axes: Axes, series: Series) -> tuple[float, float]:
    """Return where a line ends within the axes, as shares of them; for a closed one, where it is highest."""
    points = np.array([tuple(series.x), tuple(series.y)]).T
    if series.low is not None and series.role == "area":
        points[:, 1] = (points[:, 1] + np.fromiter(series.low, float)) / 2
    with np.errstate(all="ignore"):
        shares = axes.transAxes.inverted().transform(axes.transData.transform(points))
    shares = np.where(
        np.isposinf(points[:, 1:]), np.column_stack([shares[:, 0], np.full(len(shares), 0.97)]), shares
    )
    inside = np.isfinite(shares).all(axis=1) & (shares[:, 0] <= 1.001) & (shares[:, 0] >= -0.001)
    if not inside.any():
        return 1.0, 0.5
    level = inside & (shares[:, 1] <= 1.001) & (shares[:, 1] >= -0.001)
    seen = shares[level if level.any() else inside]
    across, up = seen[np.argmax(seen[:, 0])]
    return float(across), float(np.clip(up, 0.0, 1.0))


def _colour(series: Series) -> str:
    return INK if series.role == "truth" else look(series.colour_key, series.rank).colour
