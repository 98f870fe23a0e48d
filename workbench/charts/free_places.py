"""Where words stand beside a curve and cover none, between two logarithmic axes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np

from workbench.charts.chart import Series
from workbench.charts.words import wrapped
from workbench.types import Array

CHARACTER, LINE = 0.0265, 0.06  # of the sides of axes that stand in a pair
NARROW, THIN = frozenset(" ,.;:'()ijlftr"), 0.6  # characters that take that share of another's width
GRID, DENSE, MARGIN = 61, 400, 0.014
APART = np.array([0.08, MARGIN])  # two names: those in one line are not one phrase
COVERS = 10.0  # what it costs to stand on a curve or on another name
LINES = 24  # characters in a line
POINT, ALONE = np.zeros(2), 0.02  # of the sides: a point of a curve that is nearer to another is not alone
NEAR = 0.04  # of the sides: a name that is nearer to its curve needs no leader

Named = tuple[str, Sequence[Series]]  # a name, and the curves that have it


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
        more = np.where(high > low, 0.05 * (high - low), 1.0)
        low, high = low - more, high + more
        if ylim is not None:
            low[1], high[1] = np.log(ylim)
        return cls(low, high)

    def shares(self, points: Array) -> Array:
        """Return places as shares of the axes."""
        return np.asarray((points - self.low) / (self.high - self.low))

    def value(self, share: Array) -> tuple[float, float]:
        """Return a place in the units of the axes, to three digits."""
        x, y = np.exp(self.low + share * (self.high - self.low))
        return float(f"{x:.3g}"), float(f"{y:.3g}")


def beside(
    named: Sequence[Named], curves: Sequence[Series], ylim: tuple[float, float] | None = None
) -> list[tuple[float, float]]:
    """Return a place for each name: near where its curves are alone, on no curve, on no other name.

    >>> flat, steep = Series("", (1, 1000), (1, 1)), Series("", (1, 1000), (1000, 1))
    >>> [(x, y)] = beside([("flat", (flat,))], [flat, steep])
    >>> 1 < x < 1000, 1 / 2 < y < 2
    (True, True)
    """
    axes = Axes.around(curves, ylim)
    halves = [_half(words) for words, _ in named]
    rooms = [_room(own, curves, axes, half) for (_, own), half in zip(named, halves, strict=True)]
    orders = (_in_order(order, rooms, halves) for order in permutations(range(len(named))))
    _, places = min(orders, key=lambda found: found[0])
    return [axes.value(place) for place in places]


def feet(
    named: Sequence[Named],
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
    for at, (_, belonging) in enumerate(named):
        own, half = boxes[at]
        points = _alone(belonging, curves, axes)
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
    places = beside([(one.label, (one,)) for one in named], seen, ylim)
    found = dict(zip(map(id, named), places, strict=True))
    return tuple(replace(one, label_at=found.get(id(one))) for one in curves)


def _half(words: str) -> Array:
    lines = wrapped(words, LINES)
    widest = max(sum(THIN if one in NARROW else 1.0 for one in line) for line in lines)
    return np.array([CHARACTER * widest, LINE * len(lines)]) / 2


def _alone(own: Sequence[Series], curves: Sequence[Series], axes: Axes) -> Array:
    """Return the points of some curves that no other curve is near to, or all if there is none."""
    points = np.concatenate([axes.shares(_dense(one)) for one in own])
    far = [_distance(points, axes.shares(_dense(one)), POINT) > ALONE for one in _others(own, curves)]
    alone = points[np.all(far, axis=0)] if far else points
    return alone if len(alone) else points


def _others(own: Sequence[Series], curves: Sequence[Series]) -> list[Series]:
    return [one for one in curves if all(one is not mine for mine in own)]


def _room(own: Sequence[Series], curves: Sequence[Series], axes: Axes, half: Array) -> tuple[Array, Array]:
    """Return the centres of the boxes that could hold a name, and what each costs, the best first."""
    ticks = [np.linspace(side + MARGIN, 1 - side - MARGIN, GRID) for side in half]
    centres = np.stack(np.meshgrid(*ticks), axis=-1).reshape(-1, 2)
    near = _distance(centres, _alone(own, curves, axes), half)
    mine = _nearest(centres, own, axes, half)
    others = _nearest(centres, _others(own, curves), axes, half)
    free = (np.minimum(mine, others) > MARGIN) & (near < 0.5)
    cost = near + 2 * np.maximum(0.0, near + MARGIN - others) + np.where(free, 0.0, COVERS)
    order = np.argsort(cost, kind="stable")
    return centres[order], cost[order]


def _nearest(centres: Array, curves: Sequence[Series], axes: Axes, half: Array) -> Array:
    """Return how far every box is from the nearest of some curves."""
    far = [_distance(centres, axes.shares(_dense(one)), half) for one in curves]
    return np.asarray(np.min(far, axis=0, initial=1.0))


def _in_order(
    order: Sequence[int], rooms: Sequence[tuple[Array, Array]], halves: Sequence[Array]
) -> tuple[float, list[Array]]:
    """Return what it costs to give each name, in this order, the best place that is left, and the places."""
    total, places = 0.0, dict[int, Array]()
    for name in order:
        centres, costs = rooms[name]
        free = np.ones(len(costs), bool)
        for other, place in places.items():
            free &= (np.abs(centres - place) > halves[other] + halves[name] + APART).any(axis=1)
        best = int(np.argmax(free))
        places[name] = centres[best]
        total += float(costs[best]) + (0.0 if free[best] else COVERS)
    return total, [places[name] for name in range(len(rooms))]


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
