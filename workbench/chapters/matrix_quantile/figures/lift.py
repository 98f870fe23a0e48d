"""The lift: rows (x, 1), the quantile of theirs, and its slice, which holds a location and a scatter."""

from collections.abc import Iterable

import numpy as np

from workbench.chapters.covariance.worlds import tilted
from workbench.chapters.matrix_quantile.figures.pictures import (
    AWAY,
    FAR,
    PLAIN,
    REACH,
    known,
    level_of,
    rows_of,
)
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.ellipses import ellipse, plane
from workbench.charts.words import number
from workbench.study.run import Run
from workbench.types import Array

MEAN, MOVED, FAR_ROWS = "mean/affine", "idea/second", "idea/bad"
N, LEVEL, SHOWN = 400, 0.2, 40
FEWER, MOST = 1.75, (0.45, 0.25)  # levels: one column takes this much more; the most of one and of two
OFFSETS = (0.0, 6.0)


def lifted(x: Array, level: float) -> tuple[float, Array, Array, Array]:
    """Return s, m, S and P of the rows (x, 1): P = [[S + s m mᵀ, s m], [s mᵀ, s]].

    >>> s, m, _, _ = lifted(np.array([[9.0], [10.0], [11.0], [10.5], [9.5]]), 1.2)
    >>> s > 1, round(float(m[0]), 6)
    (True, 10.0)
    """
    shape = known(np.column_stack([x, np.ones(len(x))]), level)
    s, m = float(shape[-1, -1]), shape[:-1, -1] / shape[-1, -1]
    return s, m, shape[:-1, :-1] - s * np.outer(m, m), shape


def sliced(s: float, scatter: Array) -> Array:
    """Return the shape of {x: (x, 1) in the ellipsoid of P}, which is centred at m."""
    return (1 - 1 / s) * scatter


def lift(run: Run, *, n: int = N, level: float = LEVEL, corruption: float = FAR) -> Chart:
    """Return lifted rows of one column with their ellipses (and a slice in the plane with some rows far)."""
    part = number(100 * corruption)
    return Chart(
        "lift",
        "A shift of the rows shears the lifted ellipse; its slice keeps its width",
        (_line(run, n, level), _slices(run, n, level, corruption)),
        alt="Left, dots on the line z = 1 at two places, each with an ellipse round 0 that leans to them;"
        " both cut the line in a piece of the same width, centred at its dots. Right, ellipses among rows in"
        f" the plane, {part} % of which are far away: the slice stays, the plain mean is pulled aside.",
        how_to_read="Left, each row x becomes the point (x, 1). The ellipse holds both directions up; what it"
        " cuts off the line is centred at the location. Right, the same with two columns: rows at"
        f" ({number(AWAY[0])}, 0) pull the sample mean, and hardly this centre.",
    )


def _line(run: Run, n: int, level: float) -> Panel:
    x = rows_of("mq-lift-line", run.seed).standard_normal((n, 1))
    series: list[Series] = []
    marks = [Mark("z = 1", "horizontal", y=1.0)]
    for offset, key, word, low in zip(
        OFFSETS, (MEAN, MOVED), ("rows", "moved rows"), (0.75, 0.2), strict=True
    ):
        s, (m,), scatter, shape = lifted(x + offset, level_of(min(FEWER * level, MOST[0]), n))
        half, tall = float(np.sqrt(sliced(s, scatter)[0, 0])), float(np.sqrt(s))
        series += [
            Series("", x[:SHOWN, 0] + offset, np.ones(SHOWN), role="rows"),
            ellipse("", shape, colour_key=key),
            _point((m, 1.0), key),
        ]
        marks += [
            Mark(word, x=m * tall, y=1.07 * tall, colour_key=key),
            Mark("slice", "span", x=m - half, x2=m + half, y=low, colour_key=key),
        ]
    marks.append(Mark("centre", x=OFFSETS[0], y=1.1, colour_key=MEAN))
    return Panel(
        "one column: x becomes (x, 1)", "row x", "added coordinate z", tuple(series), "linear", "linear",
        xlim=(-5.0, 1.25 * OFFSETS[1] * tall), ylim=(0.0, 1.2 * tall), marks=tuple(marks),
    )  # fmt: skip


def _slices(run: Run, n: int, level: float, corruption: float) -> Panel:
    law = tilted(9.0)
    x = law.sample(n, rng=rows_of("mq-lift-plane", run.seed))
    x[: round(corruption * n)] = AWAY
    s, m, scatter, _ = lifted(x, level_of(min(level, MOST[1]), n))
    middle = x.mean(0)
    series = (
        Series("", x[:, 0], x[:, 1], role="rows"),
        ellipse("", sliced(s, scatter), m, colour_key=MEAN),
        *(_point(at, key) for at, key in ((m, MEAN), (middle, PLAIN))),
    )
    marks = (
        Mark("slice's centre", "leader", -7.5, 6.5, float(m[0]), float(m[1]), colour_key=MEAN),
        Mark("sample mean", "leader", 7.5, -6.0, float(middle[0]), float(middle[1]), colour_key=PLAIN),
        Mark("to the far rows →", x=8.5, y=11.0),
    )
    return plane(
        f"two columns: {number(100 * corruption)} % far away, the slice stays",
        series,
        reach=REACH,
        marks=marks,
    )


def _point(at: Iterable[float], key: str) -> Series:
    first, second = at
    return Series("", [first], [second], colour_key=key)
