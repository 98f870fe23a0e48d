"""Where words stand beside a curve and cover none, between two logarithmic axes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.charts.chart import Series
from workbench.charts.words import wrapped
from workbench.types import Array

CHARACTER, LINE = 0.0235, 0.06  # of the sides of axes that stand in a pair
GRID, DENSE, MARGIN = 61, 400, 0.014
LINES = 24  # characters in a line
NEAR = 0.04  # of the sides: a name that is nearer to its curve needs no leader


@dataclass(frozen=True)
class Axes:
    """The limits of both axes, as logarithms."""

    low: Array
    high: Array

    @classmethod
    def around(cls, curves: Iterable[Series], ylim: tuple[float, float] | None = None) -> "Axes":
        """Return the limits that hold all curves, or these of y."""
        points = np.vstack([_points(one) for one in curves])
        low, high = points.min(axis=0), points.max(axis=0)
        if ylim is not None:
            low[1], high[1] = np.log(ylim)
        more = np.where(high > low, 0.05 * (high - low), 1.0)
        return cls(low - more, high + more)

    def shares(self, points: Array) -> Array:
        """Return places as shares of the axes."""
        return np.asarray((points - self.low) / (self.high - self.low))

    def value(self, share: Array) -> tuple[float, float]:
        """Return a place in the units of the axes, to three digits."""
        x, y = np.exp(self.low + share * (self.high - self.low))
        return float(f"{x:.3g}"), float(f"{y:.3g}")


def beside(
    named: Sequence[tuple[str, Series]], curves: Sequence[Series], ylim: tuple[float, float] | None = None
) -> list[tuple[float, float]]:
    """Return a place for the name of each curve: near it, nearer than to others, on none, on no other name.

    >>> flat, steep = Series("", (1, 1000), (1, 1)), Series("", (1, 1000), (1000, 1))
    >>> [(x, y)] = beside([("flat", flat)], [flat, steep])
    >>> 1 < x < 1000, 1 / 2 < y < 2
    (True, True)
    """
    axes = Axes.around(curves, ylim)
    lines = [axes.shares(_dense(one)) for one in curves]
    taken: list[tuple[Array, Array]] = []
    places = []
    for words, curve in named:
        half = _half(words)
        here = _best(axes.shares(_dense(curve)), lines, taken, half)
        taken.append((here, half))
        places.append(axes.value(here))
    return places


def feet(
    named: Sequence[tuple[str, Series]],
    places: Sequence[tuple[float, float]],
    curves: Sequence[Series],
    ylim: tuple[float, float] | None = None,
) -> list[tuple[float, float] | None]:
    """Return the points that leaders go to from the places of names: on their curves, past the other names.

    None where a name is so near to its curve that it needs no leader.
    """
    axes = Axes.around(curves, ylim)
    boxes = [
        (axes.shares(np.log(place)), _half(words)) for (words, _), place in zip(named, places, strict=True)
    ]
    found: list[tuple[float, float] | None] = []
    for at, (_, curve) in enumerate(named):
        own, half = boxes[at]
        points = axes.shares(_dense(curve))
        points = points[(np.abs(points - 0.5) <= 0.44).all(axis=1)]
        near = float(_distance(own[None], points, half)[0]) if len(points) else 0.0
        others = [box for place, box in enumerate(boxes) if place != at]
        clear = [end for end in points if not any(_crosses(own, end, *box) for box in others)]
        if near < NEAR or not clear:
            found.append(None)
        else:
            found.append(axes.value(min(clear, key=lambda end: float(((end - own) ** 2).sum()))))
    return found


def _crosses(start: Array, end: Array, centre: Array, half: Array) -> bool:
    """Return whether a line comes into a box."""
    line = start + np.linspace(0, 1, DENSE)[:, None] * (end - start)
    return bool((np.abs(line - centre) < half + MARGIN).all(axis=1).any())


def placed(curves: Sequence[Series], ylim: tuple[float, float] | None = None) -> tuple[Series, ...]:
    """Return the curves, those with a name and a point with the name beside them.

    >>> line, none = placed([Series("flat", (1, 1000), (1, 1)), Series("none", (), ())])
    >>> line.label_at is not None, none.label_at
    (True, None)
    """
    seen = [one for one in curves if len(_points(one))]
    named = [one for one in seen if one.label]
    if not named:
        return tuple(curves)
    places = beside([(one.label, one) for one in named], seen, ylim)
    found = dict(zip(map(id, named), places, strict=True))
    return tuple(replace(one, label_at=found.get(id(one))) for one in curves)


def _half(words: str) -> Array:
    lines = wrapped(words, LINES)
    return np.array([CHARACTER * max(map(len, lines)), LINE * len(lines)]) / 2


def _best(own: Array, lines: list[Array], taken: list[tuple[Array, Array]], half: Array) -> Array:
    """Return the centre of the free box that is nearest to its own curve."""
    ticks = [np.linspace(side + MARGIN, 1 - side - MARGIN, GRID) for side in half]
    centres = np.stack(np.meshgrid(*ticks), axis=-1).reshape(-1, 2)
    near = _distance(centres, own, half)
    others = np.min([_distance(centres, one, half) for one in lines], axis=0)
    free = (others > MARGIN) & (near < 0.5)
    for place, size in taken:
        free &= (np.abs(centres - place) > size + half + MARGIN).any(axis=1)
    cost = near + 2 * np.maximum(0.0, near - others) + np.where(free, 0.0, 10.0)
    return np.asarray(centres[int(np.argmin(cost))])


def _distance(centres: Array, points: Array, half: Array) -> Array:
    """Return how far every box is from the nearest of some points."""
    apart = np.maximum(np.abs(centres[:, None] - points[None]) - half, 0.0)
    far: Array = np.hypot(apart[..., 0], apart[..., 1])
    nearest: Array = far.min(axis=1)
    return nearest


def _points(curve: Series) -> Array:
    points = np.array([tuple(curve.x), tuple(curve.y)], float).T
    logs: Array = np.log(points[np.isfinite(points).all(axis=1) & (points > 0).all(axis=1)])
    return logs


def _dense(curve: Series) -> Array:
    """Return points along a curve, close together."""
    points = _points(curve)
    if len(points) < 2:
        return points
    at = np.linspace(0, len(points) - 1, DENSE)
    return np.stack([np.interp(at, np.arange(len(points)), side) for side in points.T], axis=-1)
