"""Adversaries who see all n rows and replace floor(corruption n) of them, with whatever they like.

The strongest of the models of corruption. Huber's contamination, which is blind to the rows, is
`populations.Contaminated`. Names are unique within each tuple.
"""

from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from math import log, sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from workbench.errors import in_range
from workbench.linalg import norms
from workbench.special import ndtr, ndtri
from workbench.types import Array, frozen

Attack = Callable[[Array, int, Generator], Array]
"""(rows (n, d), how many may be replaced, generator) -> a new array with at most so many replaced."""


@frozen
class Adversary:
    """A named way to corrupt rows of mean 0 and covariance I (map them there, corrupt, map them back).

    Parameters
    ----------
    name : str
        The word in tables and widgets.
    summary : str
        One line: which rows are replaced, and by what.
    attack : callable
        `attack(x, bad, rng)` returns a new array in which at most `bad` rows differ; `x` is untouched.
    """

    name: str
    summary: str
    attack: Attack

    def corrupt(self, x: Array, corruption: float, *, rng: Generator) -> Array:
        """Return a copy of the rows with at most floor(corruption n) of them replaced.

        >>> import numpy as np
        >>> far = Adversary("far", "the first rows", lambda x, bad, rng: replaced(x, slice(bad), 1e6))
        >>> far.corrupt(np.zeros((10, 2)), 0.25, rng=np.random.default_rng(1))[:, 0].tolist()[:3]
        [1000000.0, 1000000.0, 0.0]
        """
        in_range(0, 0.5, "[)", corruption=corruption)
        bad = int(corruption * len(x))
        return self.attack(x, bad, rng) if bad else x.copy()


def replaced(x: Array, rows: np.ndarray | slice, values: Array | float) -> Array:
    """Return a copy of x in which `rows` hold `values`."""
    y = x.copy()
    y[rows] = values
    return y


# Rows that an attack takes, and puts others in the places of.


@frozen
class Taken:
    """The rows an adversary took, of shape (bad, d), the share of all rows that they are, a generator."""

    own: Array
    share: float
    rng: Generator

    @property
    def bad(self) -> int:
        return len(self.own)

    @property
    def d(self) -> int:
        return self.own.shape[1]

    def normal(self) -> Array:
        return self.rng.standard_normal(self.own.shape)

    def signs(self, count: int | None = None) -> Array:
        return self.rng.choice([-1.0, 1.0], (count or self.bad, 1))

    def axes(self) -> Array:
        return directions(self.d, self.rng)

    def half_of_the_axes(self) -> Array:
        return self.axes()[:, : (self.d + 1) // 2]

    def in_turn(self, axes: Array) -> Array:
        """Return plus or minus one of these axes for every row."""
        return self.signs() * axes.T[np.arange(self.bad) % axes.shape[1]]


Order = NDArray[np.intp]
Change = Callable[[Taken], Array]


def taking(rows: Callable[[Array, int, Generator], Order], change: Change) -> Attack:
    """Return the attack that puts what `change` makes of some rows in their places."""

    def attack(x: Array, bad: int, rng: Generator) -> Array:
        chosen = rows(x, bad, rng)
        return replaced(x, chosen, change(Taken(x[chosen], bad / len(x), rng)))

    return attack


def directions(d: int, rng: Generator) -> Array:
    return np.linalg.qr(rng.standard_normal((d, d)))[0]


def by_length(x: Array) -> Order:
    return np.argsort((x * x).sum(axis=1), kind="stable")


def zeros(t: Taken, *_: Array) -> Array:
    return np.zeros_like(t.own)


def copying(ranked: Callable[[Array], Order]) -> Attack:
    """Return the attack that puts copies of the last rows of an order in the places of the first."""

    def attack(x: Array, bad: int, rng: Generator) -> Array:
        order = ranked(x)
        return replaced(x, order[:bad], x[order[-bad:]])

    return attack


# Attacks on a mean (LKKO21 Assumptions 1 and 2). Rows have mean 0 and covariance I; distances are in standard
# deviations; u is a unit direction, along (1, .., 1) unless the name says another one.

SHIFT = 1.5  # per coordinate: the planted cluster of LKKO21 Figure 1 lies at 1.5 √d
FAR = 1e6
STOP = 1.0  # `mean/prime` stops where the excess variance is at most STOP · share · ln(1/share)


replacing = partial(taking, lambda x, bad, rng: rng.choice(len(x), bad, replace=False))


def ones(d: int) -> Array:
    return np.full(d, 1 / sqrt(d))


def uniform(t: Taken) -> Array:
    draw = t.rng.standard_normal((1, t.d))
    return (draw / norms(draw))[0]


def shifted(
    offset: Callable[[Taken], Array | float],
    direction: Change = lambda t: ones(t.d),
    spread: float = 1.0,
) -> Attack:
    """Return the attack that moves `spread` times a row by `offset` along u."""

    def change(t: Taken) -> Array:
        u = direction(t)
        return spread * t.own + np.multiply.outer(np.broadcast_to(offset(t), t.bad), u)

    return replacing(change)


def clusters(count: int | None, distance: float) -> Attack:
    """Return the attack that moves rows along one of `count` axes (all: None), each with the same chance."""

    def change(t: Taken) -> Array:
        axes = np.eye(t.d)[: count or t.d]
        return t.own + distance * axes[t.rng.integers(len(axes), size=t.bad)]

    return replacing(change)


def tail_matched(t: Taken) -> Array:
    """Return rows of the length of those they replace, with 4/5 of it along u: the norms tell nothing."""
    u, length = ones(t.d), norms(t.own)
    rest = t.own - np.multiply.outer(t.own @ u, u)
    rest *= (0.6 * length / np.maximum(norms(rest), np.finfo(float).tiny))[:, None]
    return rest + np.multiply.outer(0.8 * length, u)


def half_sphere(t: Taken) -> Array:
    """Return uniform points of the sphere of radius 1.5 √d on the side of u."""
    draw = t.normal()
    draw *= (SHIFT * sqrt(t.d) / norms(draw) * np.sign(draw.sum(axis=1)))[:, None]
    return draw


def ranked(x: Array) -> Order:
    return np.argsort(x @ ones(x.shape[1]), kind="stable")


def _planted(t: Taken) -> float:
    return SHIFT * sqrt(t.d)


_PLANTED = "a cluster at 1.5 √d along "

MEAN_ATTACKS = (
    Adversary("shift-ones", _PLANTED + "(1, .., 1)", shifted(_planted)),
    Adversary(
        "shift-alternating",
        _PLANTED + "(1, -1, 1, ..)",
        shifted(_planted, lambda t: np.resize([1.0, -1.0], t.d) / sqrt(t.d)),
    ),
    Adversary("shift-axis", _PLANTED + "the first axis", shifted(_planted, lambda t: np.eye(t.d)[0])),
    Adversary("shift-random", _PLANTED + "a random direction", shifted(_planted, uniform)),
    Adversary("five-clusters", "clusters at 8 along five axes", clusters(5, 8.0)),
    Adversary("axis-clusters", "clusters at 6 along every axis", clusters(None, 6.0)),
    Adversary("far", "a point mass at 1e6", shifted(lambda t: FAR, spread=0.0)),
    Adversary("tail-matched", "rows of unsuspicious length, turned to one side", replacing(tail_matched)),
    Adversary(  # what is left looks cleaner than clean rows
        "inward",
        "the farthest rows of one side, put at the centre",
        taking(lambda x, bad, rng: ranked(x)[-bad:], zeros),
    ),
    Adversary(
        "under-threshold",
        "a cluster just too near for the filter to act",
        shifted(lambda t: sqrt(0.95 * STOP * log(1 / t.share) / (1 - t.share))),
    ),
    Adversary(
        "cancelling",
        "clusters at 3 and -12 of mean 0",
        shifted(lambda t: t.rng.choice((3.0, -12.0), p=(0.8, 0.2), size=t.bad)),
    ),
    Adversary(
        "tail-swap", "copies of one tail in the places of the other: second moments stay", copying(ranked)
    ),
    Adversary("half-sphere", "half of the sphere of radius 1.5 √d", replacing(half_sphere)),
    Adversary("root-1", "a cluster at 1/√share", shifted(lambda t: 1.0 / sqrt(t.share))),
    Adversary("root-2", "a cluster at 2/√share", shifted(lambda t: 2.0 / sqrt(t.share))),
    Adversary("edge", "a point mass at √(d/share)", shifted(lambda t: sqrt(t.d / t.share), spread=0.0)),
    Adversary(
        "spread",
        "distances uniform on [0, 3/√share]",
        shifted(lambda t: t.rng.uniform(0, 3.0 / sqrt(t.share), t.bad)),
    ),
)


# Attacks on a covariance. Rows come standardised; ξ is the share of rows that may be replaced, a and b are
# orthonormal directions of the attack's own choice (b = a on the line), and the top along a are the rows with
# the largest |x·a|. The unit of what an attack can do is ξ ln 1/ξ, in Frobenius norm. Three kinds: rows
# planted somewhere, typical rows taken away, and both such that the second moment stays what it was. The last
# two are the hard ones: no estimator tells them from a normal law of another covariance.


planted = partial(taking, lambda x, bad, rng: rng.permutation(len(x))[:bad])


def along(change: Callable[[Taken, Array], Array], least: bool = False, by: int = 0) -> Attack:
    """Return the attack on the top along a, or b (`by` -1), or on the bottom; `change` is told a."""

    def attack(x: Array, bad: int, rng: Generator) -> Array:
        axes = directions(x.shape[1], rng)
        order = np.argsort(np.abs(x @ axes[:, by]), kind="stable")
        rows = order[:bad] if least else order[-bad:]
        return replaced(x, rows, change(Taken(x[rows], bad / len(x), rng), axes[:, 0]))

    return attack


def spikes(t: Taken, radius: float) -> Array:
    return radius * t.signs() * t.axes()[:, 0]


def _plane(t: Taken) -> Array:
    axes = t.axes()[:, :2]
    return 3 * t.rng.standard_normal((t.bad, axes.shape[1])) @ axes.T


def _on_sphere(t: Taken, squared: float) -> Array:
    y = t.normal()
    return sqrt(squared) * y / np.sqrt((y * y).sum(axis=1, keepdims=True))


def _two_scales(t: Taken) -> Array:
    axes, first = t.axes(), np.arange(t.bad)[:, None] % 2 == 0
    return t.signs() * np.where(first, 1e3 * axes[:, -1], 3.2 * axes[:, 0])


def _diagonal(t: Taken) -> Array:
    axes = t.axes()
    return 2.2 * t.signs() * (axes[:, 0] + axes[:, -1] if t.d > 1 else axes[:, 0])


def _half_zero(t: Taken) -> Array:
    values = 2.7 * t.in_turn(t.axes())
    values[: t.bad // 2] = 0.0
    return values


def _flattened(t: Taken) -> Array:
    axes = t.half_of_the_axes()
    return t.own - t.own @ axes @ axes.T


def _three_radii(t: Taken) -> Array:
    axes, third = t.axes(), np.arange(t.bad)[:, None] % 3
    a, b = axes[:, 0], axes[:, -1]
    return t.signs() * np.where(third == 0, 2.5 * a, np.where(third == 1, 6.0 * b, 40.0 * a))


def _same_moment(carriers: float) -> Attack:
    def change(t: Taken, a: Array) -> Array:
        part, count = t.own @ a, max(1, round(carriers * t.bad))
        moved = np.zeros((t.bad, 1))
        moved[:count] = sqrt(part @ part / count) * t.signs(count)
        return t.own + (moved - part[:, None]) * a

    return along(change)


def _longest(factor: float) -> Attack:
    return taking(lambda x, bad, rng: by_length(x)[-bad:], lambda t: factor * t.own)


COVARIANCE_ATTACKS = (
    Adversary("planted", "±3a", planted(lambda t: spikes(t, 3.0))),
    Adversary("plane", "normal of standard deviation 3 on a plane", planted(_plane)),
    Adversary("zeros", "0", planted(zeros)),
    Adversary("far", "±10√d a", planted(lambda t: spikes(t, 10 * sqrt(t.d)))),
    Adversary("very-far", "±10⁶ a", planted(lambda t: spikes(t, 1e6))),
    Adversary("moment", "the top, to ±r along a, of the same second moment", _same_moment(1.0)),
    Adversary(
        "moment-far", "the same, carried by a fifth of them; the others to 0 along a", _same_moment(0.2)
    ),
    Adversary(
        "heavy",
        "x + 3t a, t Student's with 2 degrees of freedom",
        planted(lambda t: t.own + 3 * t.rng.standard_t(2, (t.bad, 1)) * t.axes()[:, 0]),
    ),
    Adversary("shell", "on the sphere of radius 0.3 √d", planted(lambda t: _on_sphere(t, 0.09 * t.d))),
    Adversary("inward", "the longest rows, times 0.3", _longest(0.3)),
    Adversary("top-to-zero", "the top along a, to 0", along(zeros)),
    Adversary("top-to-far", "the top along a, to ±30b", along(lambda t, a: spikes(t, 30.0))),
    Adversary(
        "small-to-quantile",
        "the bottom along a, to its ξ/3 quantile",
        along(lambda t, a: -ndtri(t.share / 6) * t.signs() * a, least=True),
    ),
    Adversary("outer-shell", "|x|² = d + 3√(2d)", planted(lambda t: _on_sphere(t, t.d + 3 * sqrt(2 * t.d)))),
    Adversary("axes", "±3.5 on half of the axes", planted(lambda t: 3.5 * t.in_turn(t.half_of_the_axes()))),
    Adversary("two-scales", "±1000b and ±3.2a", planted(_two_scales)),
    Adversary("corner", "√(d + 2) a", planted(lambda t: np.tile(sqrt(t.d + 2) * t.axes()[:, 0], (t.bad, 1)))),
    Adversary(
        "one-row", "one of the rows, again and again", planted(lambda t: np.tile(t.own[0], (t.bad, 1)))
    ),
    Adversary("diagonal", "±2.2 (a + b)", planted(_diagonal)),
    Adversary("stretched", "x times 1.8", planted(lambda t: 1.8 * t.own)),
    Adversary("wide", "normal of standard deviation 2", planted(lambda t: 2 * t.normal())),
    Adversary(
        "uniform",
        "x + U a, U uniform on ±5",
        planted(lambda t: t.own + t.rng.uniform(-5, 5, (t.bad, 1)) * t.axes()[:, 0]),
    ),
    Adversary("half-zero", "half to 0, half to ±2.7 on the axes", planted(_half_zero)),
    Adversary("flattened", "x without its part in half of the space", planted(_flattened)),
    Adversary("cauchy", "Cauchy in every coordinate", planted(lambda t: t.rng.standard_cauchy(t.own.shape))),
    Adversary("copied", "the shortest rows, to copies of the longest", copying(by_length)),
    Adversary("three-radii", "±2.5a, ±6b and ±40a", planted(_three_radii)),
    Adversary("laplace", "Laplace of scale 1.5", planted(lambda t: t.rng.laplace(0, 1.5, t.own.shape))),
    Adversary("longest-to-zero", "the longest rows, to 0", _longest(0.0)),
    Adversary("edge", "±q a, q the ξ quantile", planted(lambda t: spikes(t, -ndtri(t.share / 2)))),
)


# Attacks on a covariance that no constant was chosen on: an error on them is evidence, no fit.

RING, CROSS, SHOULDER = 3.0, 3.0, 1.8


def _ring(t: Taken) -> Array:
    axes, angles = t.axes()[:, :2], t.rng.uniform(0, 2 * np.pi, t.bad)
    around = np.column_stack([np.cos(angles), np.sin(angles)])
    if axes.shape[1] == 1:
        around = np.sign(around[:, :1])
    return RING * around @ axes.T


def _tail_to_bulk(t: Taken, a: Array) -> Array:
    central = ndtri(t.rng.uniform(0.25, 0.75, t.bad))
    return t.own + np.outer(central - t.own @ a, a)


def _flipped(x: Array, bad: int, rng: Generator) -> Array:
    axes = directions(x.shape[1], rng)
    a, b = axes[:, 0], axes[:, -1]
    rows = np.argsort((x @ a) * (x @ b), kind="stable")[:bad]
    turned = x[rows] - 2 * np.outer(x[rows] @ b, b)
    return replaced(x, rows, turned)


def _shoulder(t: Taken, a: Array) -> Array:
    sizes = -ndtri(t.rng.uniform(0, ndtr(-SHOULDER), (t.bad, 1)))
    return t.own - np.outer(t.own @ a, a) + sizes * t.signs() * a


HELD_OUT_ATTACKS = (
    Adversary("ring", "on a circle of radius 3 in a plane", planted(_ring)),
    Adversary("tail-to-bulk", "the top along a, into the middle half along a", along(_tail_to_bulk)),
    Adversary("flipped", "the sign of the part along b, where those along a and b differ most", _flipped),
    Adversary(
        "shoulder", "the bottom along a, into the normal tail beyond 1.8", along(_shoulder, least=True)
    ),
    Adversary("crossed", "the top along b, to ±3a", along(lambda t, a: CROSS * t.signs() * a, by=-1)),
)


# A family of attacks on a covariance, what a search for the worst one runs over. A subspace of dimension
# `rank`; the rows to be replaced are random ones, or those with the largest or smallest part in it; their
# parts go to a sphere of a radius that varies, some to a second one; what they have outside stays, goes to 0,
# or is drawn anew.

CHOSEN = ("random", "largest", "smallest")
OUTSIDE = ("kept", "zero", "typical")
RANGES = {"radius": 4.5, "jitter": 0.6, "second": 0.5, "farther": 20.0}


@frozen
class Recipe:
    """One attack of the family; `rank` 0 stands for d, radii are those of a coordinate."""

    rank: int = 1
    chosen: str = "random"
    radius: float = 3.0
    jitter: float = 0.0
    second: float = 0.0  # share of the rows
    farther: float = 0.0  # their radius
    outside: str = "kept"

    def attack(self, x: Array, bad: int, rng: Generator) -> Array:
        d = x.shape[1]
        axes = directions(d, rng)[:, : min(self.rank, d) or d]
        if self.chosen == "random":
            rows = rng.permutation(len(x))[:bad]
        else:
            order = np.argsort(((x @ axes) ** 2).sum(axis=1), kind="stable")
            rows = order[-bad:] if self.chosen == "largest" else order[:bad]
        moved = rng.standard_normal((bad, axes.shape[1]))
        radii = self.radius + self.jitter * rng.standard_normal((bad, 1))
        radii = np.where(rng.random((bad, 1)) < self.second, self.farther, radii)
        moved *= radii / np.sqrt((moved * moved).sum(axis=1, keepdims=True))
        outside = x[rows] if self.outside == "kept" else rng.standard_normal((bad, d))
        outside = np.zeros((bad, d)) if self.outside == "zero" else outside
        return replaced(x, rows, outside + (moved * sqrt(axes.shape[1]) - outside @ axes) @ axes.T)

    @property
    def adversary(self) -> Adversary:
        return Adversary("recipe", str(self), self.attack)

    def mutated(self, rng: Generator) -> "Recipe":
        """Return a recipe that differs in one or two of the numbers, radii by a tenth of their range."""
        changed = {
            str(name): getattr(drawn(rng), name) for name in rng.choice(NAMES, rng.integers(1, 3), False)
        }
        for name in sorted(changed.keys() & RANGES.keys()):
            step = 0.1 * RANGES[name] * rng.standard_normal()
            changed[name] = min(abs(getattr(self, name) + step), RANGES[name])
        return replace(self, **changed)


NAMES = [field.name for field in fields(Recipe)]


def drawn(rng: Generator) -> Recipe:
    def below(name: str) -> float:
        return rng.uniform(0, RANGES[name])

    return Recipe(
        rank=int(rng.choice([1, 2, 0])),
        chosen=str(rng.choice(CHOSEN)),
        radius=below("radius"),
        jitter=below("jitter"),
        second=float(rng.choice([0.0, below("second")])),
        farther=below("farther"),
        outside=str(rng.choice(OUTSIDE)),
    )
