"""Adversaries who see all n rows and replace floor(corruption n) of them, with whatever they like.

The strongest of the models of corruption. Huber's contamination, which is blind to the rows, is
`populations.Contaminated`. Names are unique within each tuple.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from math import log, sqrt
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from workbench.errors import in_range
from workbench.linalg import norms
from workbench.special import ndtr, ndtri
from workbench.types import Array

Generator = np.random.Generator
Attack = Callable[[Array, int, Generator], Array]
"""(rows (n, d), how many may be replaced, generator) -> a new array with at most so many replaced."""


@dataclass(frozen=True)
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


# Attacks on a mean (LKKO21 Assumptions 1 and 2). Rows have mean 0 and covariance I; distances are in standard
# deviations; u is a unit direction, along (1, .., 1) unless the name says another one.

SHIFT = 1.5  # per coordinate: the planted cluster of LKKO21 Figure 1 lies at 1.5 √d
FAR = 1e6
STOP = 1.0  # `mean/prime` stops where the excess variance is at most STOP · share · ln(1/share)


@dataclass(frozen=True)
class Taken:
    """The rows an adversary took, of shape (bad, d), the share of all rows that they are, a generator."""

    own: Array
    share: float
    rng: Generator

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.own), self.own.shape[1]


Direction = Callable[[int, Generator], Array]
Offset = Callable[[Taken], Array | float]


def ones(d: int, rng: Generator) -> Array:
    return np.full(d, 1 / sqrt(d))


def alternating(d: int, rng: Generator) -> Array:
    return np.resize([1.0, -1.0], d) / sqrt(d)


def first_axis(d: int, rng: Generator) -> Array:
    return np.asarray(np.eye(d)[0])


def uniform(d: int, rng: Generator) -> Array:
    draw = rng.standard_normal((1, d))
    return np.asarray((draw / norms(draw))[0])


def replacing(change: Callable[[Taken], Array]) -> Attack:
    """Return the attack that takes rows at random and puts what `change` makes of them in their places."""

    def attack(x: Array, bad: int, rng: Generator) -> Array:
        taken = rng.choice(len(x), bad, replace=False)
        return replaced(x, taken, change(Taken(x[taken], bad / len(x), rng)))

    return attack


def shifted(offset: Offset, direction: Direction = ones, spread: float = 1.0) -> Attack:
    """Return the attack that moves `spread` times a row by `offset` along u."""

    def change(taken: Taken) -> Array:
        u = direction(taken.shape[1], taken.rng)
        return np.asarray(
            spread * taken.own + np.multiply.outer(np.broadcast_to(offset(taken), len(taken.own)), u)
        )

    return replacing(change)


def clusters(count: int | None, distance: float) -> Attack:
    """Return the attack that moves rows along one of `count` axes (all: None), each with the same chance."""

    def change(taken: Taken) -> Array:
        bad, d = taken.shape
        axes = np.eye(d)[: count or d]
        return np.asarray(taken.own + distance * axes[taken.rng.integers(len(axes), size=bad)])

    return replacing(change)


def tail_matched(taken: Taken) -> Array:
    """Return rows of the length of those they replace, with 4/5 of it along u: the norms tell nothing."""
    u, length = ones(taken.shape[1], taken.rng), norms(taken.own)
    rest = taken.own - np.multiply.outer(taken.own @ u, u)
    rest *= (0.6 * length / np.maximum(norms(rest), np.finfo(float).tiny))[:, None]
    return np.asarray(rest + np.multiply.outer(0.8 * length, u))


def half_sphere(taken: Taken) -> Array:
    """Return uniform points of the sphere of radius 1.5 √d on the side of u."""
    bad, d = taken.shape
    draw = taken.rng.standard_normal((bad, d))
    draw *= (SHIFT * sqrt(d) / norms(draw) * np.sign(draw.sum(axis=1)))[:, None]
    return np.asarray(draw)


def ranked(x: Array, rng: Generator) -> NDArray[np.intp]:
    return np.argsort(x @ ones(x.shape[1], rng), kind="stable")


def _swapped(x: Array, bad: int, rng: Generator) -> Array:
    order = ranked(x, rng)
    return replaced(x, order[:bad], x[order[-bad:]])


def inward(x: Array, bad: int, rng: Generator) -> Array:
    """Put the rows that reach farthest along u at the centre: what is left looks cleaner than clean rows."""
    return replaced(x, ranked(x, rng)[-bad:], 0.0)


def under_threshold(constant: float) -> Attack:
    return shifted(lambda t: sqrt(0.95 * constant * log(1 / t.share) / (1 - t.share)))


def _planted(taken: Taken) -> float:
    return SHIFT * sqrt(taken.shape[1])


def _root(multiple: float) -> Offset:
    return lambda taken: multiple / sqrt(taken.share)


_PLANTED = "a cluster at 1.5 √d along "

MEAN_ATTACKS = (
    Adversary("shift-ones", _PLANTED + "(1, .., 1)", shifted(_planted)),
    Adversary("shift-alternating", _PLANTED + "(1, -1, 1, ..)", shifted(_planted, alternating)),
    Adversary("shift-axis", _PLANTED + "the first axis", shifted(_planted, first_axis)),
    Adversary("shift-random", _PLANTED + "a random direction", shifted(_planted, uniform)),
    Adversary("five-clusters", "clusters at 8 along five axes", clusters(5, 8.0)),
    Adversary("axis-clusters", "clusters at 6 along every axis", clusters(None, 6.0)),
    Adversary("far", "a point mass at 1e6", shifted(lambda t: FAR, spread=0.0)),
    Adversary("tail-matched", "rows of unsuspicious length, turned to one side", replacing(tail_matched)),
    Adversary("inward", "the farthest rows of one side, put at the centre", inward),
    Adversary("under-threshold", "a cluster just too near for the filter to act", under_threshold(STOP)),
    Adversary(
        "cancelling",
        "clusters at 3 and -12 of mean 0",
        shifted(lambda t: t.rng.choice((3.0, -12.0), p=(0.8, 0.2), size=len(t.own))),
    ),
    Adversary("tail-swap", "copies of one tail in the places of the other: the covariance stays", _swapped),
    Adversary("half-sphere", "half of the sphere of radius 1.5 √d", replacing(half_sphere)),
    Adversary("root-1", "a cluster at 1/√share", shifted(_root(1.0))),
    Adversary("root-2", "a cluster at 2/√share", shifted(_root(2.0))),
    Adversary(
        "edge", "a point mass at √(d/share)", shifted(lambda t: sqrt(t.shape[1] / t.share), spread=0.0)
    ),
    Adversary(
        "spread",
        "distances uniform on [0, 3/√share]",
        shifted(lambda t: t.rng.uniform(0, _root(3.0)(t), len(t.own))),
    ),
)


# Attacks on a covariance. Rows come standardised; ξ is the share of rows that may be replaced, a and b are
# orthonormal directions of the attack's own choice (b = a on the line), and the top along a are the rows with
# the largest |x·a|. The unit of what an attack can do is ξ ln 1/ξ, in Frobenius norm. Three kinds: rows
# planted somewhere, typical rows taken away, and both such that the second moment stays what it was. The last
# two are the hard ones: no estimator tells them from a normal law of another covariance.

Values = Callable[[Array, Generator], Array]
"""(the rows that are to be replaced, generator) -> what replaces them."""


def directions(d: int, rng: Generator) -> Array:
    return np.asarray(np.linalg.qr(rng.standard_normal((d, d)))[0])


def pair(d: int, rng: Generator) -> tuple[Array, Array]:
    axes = directions(d, rng)
    return axes[:, 0], axes[:, -1]


def signed(count: int, rng: Generator) -> Array:
    return np.asarray(rng.choice([-1.0, 1.0], (count, 1)))


def planted(values: Values) -> Attack:

    def attack(x: Array, bad: int, rng: Generator) -> Array:
        rows = rng.permutation(len(x))[:bad]
        return replaced(x, rows, values(x[rows], rng))

    return attack


def ends(x: Array, bad: int, a: Array) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(np.abs(x @ a), kind="stable")
    return order[:bad], order[-bad:]


def _spikes(radius: float) -> Values:
    return lambda x, rng: radius * signed(len(x), rng) * directions(x.shape[1], rng)[:, 0]


def _plane(x: Array, rng: Generator) -> Array:
    axes = directions(x.shape[1], rng)[:, :2]
    return np.asarray(3 * rng.standard_normal((len(x), axes.shape[1])) @ axes.T)


def _heavy(x: Array, rng: Generator) -> Array:
    return x + 3 * rng.standard_t(2, (len(x), 1)) * directions(x.shape[1], rng)[:, 0]


def _on_sphere(squared: Callable[[int], float]) -> Values:
    def values(x: Array, rng: Generator) -> Array:
        y = rng.standard_normal(x.shape)
        lengths = np.sqrt((y * y).sum(axis=1, keepdims=True))
        return np.asarray(sqrt(squared(x.shape[1])) * y / lengths)

    return values


def _axes(x: Array, rng: Generator) -> Array:
    axes = directions(x.shape[1], rng)[:, : (x.shape[1] + 1) // 2]
    return np.asarray(3.5 * signed(len(x), rng) * axes.T[np.arange(len(x)) % axes.shape[1]])


def _two_scales(x: Array, rng: Generator) -> Array:
    (a, b), first = pair(x.shape[1], rng), np.arange(len(x))[:, None] % 2 == 0
    return signed(len(x), rng) * np.where(first, 1e3 * b, 3.2 * a)


def _corner(x: Array, rng: Generator) -> Array:
    return np.tile(sqrt(x.shape[1] + 2) * directions(x.shape[1], rng)[:, 0], (len(x), 1))


def _hyperplane(x: Array, rng: Generator) -> Array:
    a, b = pair(x.shape[1], rng)
    return 2.2 * signed(len(x), rng) * (a + b if x.shape[1] > 1 else a)


def _uniform(x: Array, rng: Generator) -> Array:
    return x + rng.uniform(-5, 5, (len(x), 1)) * directions(x.shape[1], rng)[:, 0]


def _half_zero(x: Array, rng: Generator) -> Array:
    axes, half = directions(x.shape[1], rng), len(x) // 2
    values = 2.7 * signed(len(x), rng) * axes.T[np.arange(len(x)) % x.shape[1]]
    values[:half] = 0.0
    return np.asarray(values)


def _flattened(x: Array, rng: Generator) -> Array:
    axes = directions(x.shape[1], rng)[:, : (x.shape[1] + 1) // 2]
    return np.asarray(x - x @ axes @ axes.T)


def _three_radii(x: Array, rng: Generator) -> Array:
    (a, b), third = pair(x.shape[1], rng), np.arange(len(x))[:, None] % 3
    return signed(len(x), rng) * np.where(third == 0, 2.5 * a, np.where(third == 1, 6.0 * b, 40.0 * a))


def _edge(x: Array, bad: int, rng: Generator) -> Array:
    radius = -ndtri(bad / len(x) / 2)
    return planted(_spikes(float(radius)))(x, bad, rng)


def _same_moment(carriers: float) -> Attack:

    def attack(x: Array, bad: int, rng: Generator) -> Array:
        a = directions(x.shape[1], rng)[:, 0]
        top = ends(x, bad, a)[1]
        along, count = x[top] @ a, max(1, round(carriers * bad))
        moved = np.zeros((bad, 1))
        moved[:count] = sqrt(float(along @ along) / count) * signed(count, rng)
        return replaced(x, top, x[top] + (moved - along[:, None]) * a)

    return attack


def _top_along(values: Values) -> Attack:
    def attack(x: Array, bad: int, rng: Generator) -> Array:
        top = ends(x, bad, directions(x.shape[1], rng)[:, 0])[1]
        return replaced(x, top, values(x[top], rng))

    return attack


def _small_to_quantile(x: Array, bad: int, rng: Generator) -> Array:
    a = directions(x.shape[1], rng)[:, 0]
    small = ends(x, bad, a)[0]
    radius = -ndtri(bad / len(x) / 6)
    return replaced(x, small, radius * signed(bad, rng) * a)


def _top_over_small(x: Array, bad: int, rng: Generator) -> Array:
    order = np.argsort((x * x).sum(axis=1), kind="stable")
    return replaced(x, order[:bad], x[order[-bad:]])


def _longest(factor: float) -> Attack:
    def attack(x: Array, bad: int, rng: Generator) -> Array:
        longest = np.argsort((x * x).sum(axis=1), kind="stable")[-bad:]
        return replaced(x, longest, factor * x[longest])

    return attack


COVARIANCE_ATTACKS = (
    Adversary("planted", "±3a", planted(_spikes(3.0))),
    Adversary("plane", "normal of standard deviation 3 on a plane", planted(_plane)),
    Adversary("zeros", "0", planted(lambda x, rng: np.zeros_like(x))),
    Adversary("far", "±10√d a", planted(lambda x, rng: _spikes(10 * sqrt(x.shape[1]))(x, rng))),
    Adversary("very-far", "±10⁶ a", planted(_spikes(1e6))),
    Adversary("moment", "the top, to ±r along a, of the same second moment", _same_moment(1.0)),
    Adversary(
        "moment-far", "the same, carried by a fifth of them; the others to 0 along a", _same_moment(0.2)
    ),
    Adversary("heavy", "x + 3t a, t Student's with 2 degrees of freedom", planted(_heavy)),
    Adversary("shell", "on the sphere of radius 0.3 √d", planted(_on_sphere(lambda d: 0.09 * d))),
    Adversary("inward", "the longest rows, times 0.3", _longest(0.3)),
    Adversary("top-to-zero", "the top along a, to 0", _top_along(lambda x, rng: np.zeros_like(x))),
    Adversary("top-to-far", "the top along a, to ±30b", _top_along(_spikes(30.0))),
    Adversary("small-to-quantile", "the bottom along a, to its ξ/3 quantile", _small_to_quantile),
    Adversary("outer-shell", "|x|² = d + 3√(2d)", planted(_on_sphere(lambda d: d + 3 * sqrt(2 * d)))),
    Adversary("axes", "±3.5 on half of the axes", planted(_axes)),
    Adversary("two-scales", "±1000b and ±3.2a", planted(_two_scales)),
    Adversary("corner", "√(d + 2) a", planted(_corner)),
    Adversary(
        "one-row", "one of the rows, again and again", planted(lambda x, rng: np.tile(x[0], (len(x), 1)))
    ),
    Adversary("diagonal", "±2.2 (a + b)", planted(_hyperplane)),
    Adversary("stretched", "x times 1.8", planted(lambda x, rng: 1.8 * x)),
    Adversary(
        "wide", "normal of standard deviation 2", planted(lambda x, rng: 2 * rng.standard_normal(x.shape))
    ),
    Adversary("uniform", "x + U a, U uniform on ±5", planted(_uniform)),
    Adversary("half-zero", "half to 0, half to ±2.7 on the axes", planted(_half_zero)),
    Adversary("flattened", "x without its part in half of the space", planted(_flattened)),
    Adversary("cauchy", "Cauchy in every coordinate", planted(lambda x, rng: rng.standard_cauchy(x.shape))),
    Adversary("copied", "the shortest rows, to copies of the longest", _top_over_small),
    Adversary("three-radii", "±2.5a, ±6b and ±40a", planted(_three_radii)),
    Adversary("laplace", "Laplace of scale 1.5", planted(lambda x, rng: rng.laplace(0, 1.5, x.shape))),
    Adversary("longest-to-zero", "the longest rows, to 0", _longest(0.0)),
    Adversary("edge", "±q a, q the ξ quantile", _edge),
)


# Attacks on a covariance that no constant was chosen on: an error on them is evidence, no fit.

RING, CROSS, SHOULDER = 3.0, 3.0, 1.8


def _ring(x: Array, rng: Generator) -> Array:
    axes, angles = directions(x.shape[1], rng)[:, :2], rng.uniform(0, 2 * np.pi, len(x))
    around = np.column_stack([np.cos(angles), np.sin(angles)])
    if axes.shape[1] == 1:
        around = np.sign(around[:, :1])
    return np.asarray(RING * around @ axes.T)


def _tail_to_bulk(x: Array, bad: int, rng: Generator) -> Array:
    a = directions(x.shape[1], rng)[:, 0]
    top = ends(x, bad, a)[1]
    central = ndtri(rng.uniform(0.25, 0.75, bad))
    return replaced(x, top, x[top] + np.outer(central - x[top] @ a, a))


def _flipped(x: Array, bad: int, rng: Generator) -> Array:
    a, b = pair(x.shape[1], rng)
    rows = np.argsort((x @ a) * (x @ b), kind="stable")[:bad]
    turned = x[rows] - 2 * np.outer(x[rows] @ b, b)
    return replaced(x, rows, turned)


def _shoulder(x: Array, bad: int, rng: Generator) -> Array:
    a = directions(x.shape[1], rng)[:, 0]
    low = ends(x, bad, a)[0]
    sizes = -ndtri(rng.uniform(0, float(ndtr(-SHOULDER)), (bad, 1)))
    return replaced(x, low, x[low] - np.outer(x[low] @ a, a) + sizes * signed(bad, rng) * a)


def _crossed(x: Array, bad: int, rng: Generator) -> Array:
    a, b = pair(x.shape[1], rng)
    top = ends(x, bad, b)[1]
    return replaced(x, top, CROSS * signed(bad, rng) * a)


HELD_OUT_ATTACKS = (
    Adversary("ring", "on a circle of radius 3 in a plane", planted(_ring)),
    Adversary("tail-to-bulk", "the top along a, into the middle half along a", _tail_to_bulk),
    Adversary("flipped", "the sign of the part along b, where those along a and b differ most", _flipped),
    Adversary("shoulder", "the bottom along a, into the normal tail beyond 1.8", _shoulder),
    Adversary("crossed", "the top along b, to ±3a", _crossed),
)


# A family of attacks on a covariance, what a search for the worst one runs over. A subspace of dimension
# `rank`; the rows to be replaced are random ones, or those with the largest or smallest part in it; their
# parts go to a sphere of a radius that varies, some to a second one; what they have outside stays, goes to 0,
# or is drawn anew.

Chosen = Literal["random", "largest", "smallest"]
CHOSEN: tuple[Chosen, ...] = get_args(Chosen)
Outside = Literal["kept", "zero", "typical"]
RANGES = {"radius": 4.5, "jitter": 0.6, "second": 0.5, "farther": 20.0}


@dataclass(frozen=True)
class Recipe:
    """One attack of the family; `rank` 0 stands for d, radii are those of a coordinate."""

    rank: int = 1
    chosen: Chosen = "random"
    radius: float = 3.0
    jitter: float = 0.0
    second: float = 0.0  # share of the rows
    farther: float = 0.0  # their radius
    outside: Outside = "kept"

    def attack(self, x: Array, bad: int, rng: Generator) -> Array:
        d = x.shape[1]
        axes = directions(d, rng)[:, : min(self.rank, d) or d]
        if self.chosen == "random":
            rows = np.asarray(rng.permutation(len(x))[:bad])
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
            step = 0.1 * RANGES[name] * float(rng.standard_normal())
            changed[name] = min(abs(getattr(self, name) + step), RANGES[name])
        return replace(self, **changed)


NAMES = [field.name for field in fields(Recipe)]


def drawn(rng: Generator) -> Recipe:
    return Recipe(
        rank=int(rng.choice([1, 2, 0])),
        chosen=str(rng.choice(CHOSEN)),  # type: ignore[arg-type]
        radius=float(rng.uniform(0, RANGES["radius"])),
        jitter=float(rng.uniform(0, RANGES["jitter"])),
        second=float(rng.choice([0.0, rng.uniform(0, RANGES["second"])])),
        farther=float(rng.uniform(0, RANGES["farther"])),
        outside=str(rng.choice(get_args(Outside))),  # type: ignore[arg-type]
    )
