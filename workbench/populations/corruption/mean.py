"""Adversaries who want to move the mean, by name; LKKO21 Assumptions 1 and 2.

They see rows of mean 0 and covariance I, of shape (n, d), and a share of them is theirs. Distances are in
standard deviations; u is a unit direction, along (1, .., 1) unless the name says another one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from workbench.linalg import norms
from workbench.populations.corruption.adversary import Adversary, Attack, replaced
from workbench.types import Array

SHIFT = 1.5  # per coordinate: the planted cluster of LKKO21 Figure 1 lies at 1.5 √d
FAR = 1e6
STOP = 1.0  # `mean/prime` stops where the excess variance is at most STOP · share · ln(1/share)


@dataclass(frozen=True)
class Taken:
    """The rows an adversary took, of shape (bad, d), the share of all rows that they are, a generator."""

    own: Array
    share: float
    rng: np.random.Generator

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows were taken, and their dimension."""
        return len(self.own), self.own.shape[1]

    def mixed(self, *parts: tuple[float, float]) -> Array:
        """Return one of several (weight, number) for each row, drawn with these weights."""
        weights, numbers = zip(*parts, strict=True)
        return np.asarray(self.rng.choice(numbers, p=weights, size=len(self.own)))


Direction = Callable[[int, np.random.Generator], Array]
Offset = Callable[[Taken], Array | float]
Ranks = NDArray[np.intp]


def ones(d: int, rng: np.random.Generator) -> Array:
    """Return (1, .., 1)/√d."""
    return np.full(d, 1 / sqrt(d))


def alternating(d: int, rng: np.random.Generator) -> Array:
    """Return (1, -1, 1, ..)/√d."""
    return np.resize([1.0, -1.0], d) / sqrt(d)


def first_axis(d: int, rng: np.random.Generator) -> Array:
    """Return (1, 0, .., 0)."""
    return np.asarray(np.eye(d)[0])


def uniform(d: int, rng: np.random.Generator) -> Array:
    """Return a uniform unit vector."""
    draw = rng.standard_normal((1, d))
    return np.asarray((draw / norms(draw))[0])


def two_coordinates(d: int, rng: np.random.Generator) -> Array:
    """Return (1, 1, 0, .., 0)/√2; the first axis in one dimension."""
    return np.asarray(ones(min(d, 2), rng) @ np.eye(min(d, 2), d))


def replacing(change: Callable[[Taken], Array]) -> Attack:
    """Return the attack that takes rows at random and puts what `change` makes of them in their places."""

    def attack(x: Array, bad: int, rng: np.random.Generator) -> Array:
        taken = rng.choice(len(x), bad, replace=False)
        return replaced(x, taken, change(Taken(x[taken], bad / len(x), rng)))

    return attack


def shifted(offset: Offset, direction: Direction = ones, spread: float = 1.0) -> Attack:
    """Return the attack that moves `spread` times a row by `offset` along u."""

    def change(taken: Taken) -> Array:
        u = direction(taken.shape[1], taken.rng)
        return np.asarray(spread * taken.own + np.multiply.outer(_each(offset, taken), u))

    return replacing(change)


def placed(offset: Offset, direction: Direction = ones) -> Attack:
    """Return the attack that puts a row at `offset` times u, with no spread round it."""
    return shifted(offset, direction, spread=0.0)


def laid(coordinate: Offset, direction: Direction = ones) -> Attack:
    """Return the attack that sets a row's coordinate along u and leaves the others."""

    def change(taken: Taken) -> Array:
        u = direction(taken.shape[1], taken.rng)
        return np.asarray(taken.own + np.multiply.outer(_each(coordinate, taken) - taken.own @ u, u))

    return replacing(change)


def _each(offset: Offset, taken: Taken) -> Array:
    return np.broadcast_to(offset(taken), len(taken.own))


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


def diffuse(taken: Taken) -> Array:
    """Return rows of three times the spread, all on the side of u."""
    return np.asarray(3.0 * taken.own * np.sign(taken.own.sum(axis=1))[:, None])


def ranked(x: Array, rng: np.random.Generator) -> Ranks:
    """Return the rows by their place along u."""
    return np.argsort(x @ ones(x.shape[1], rng), kind="stable")


def by_rank(choose: Callable[[Ranks, int, np.random.Generator], tuple[Ranks, Ranks]]) -> Attack:
    """Return the attack that puts copies of some rows in the places of others, chosen by rank along u."""

    def attack(x: Array, bad: int, rng: np.random.Generator) -> Array:
        places, copies = choose(ranked(x, rng), bad, rng)
        return replaced(x, places, x[copies])

    return attack


def inward(x: Array, bad: int, rng: np.random.Generator) -> Array:
    """Put the rows that reach farthest along u at the centre: what is left looks cleaner than clean rows."""
    return replaced(x, ranked(x, rng)[-bad:], 0.0)


def under_threshold(constant: float) -> Attack:
    """Return the cluster whose excess variance is 19/20 of constant · share · ln(1/share): a filter stops."""
    return shifted(lambda t: sqrt(0.95 * constant * log(1 / t.share) / (1 - t.share)))


def _planted(taken: Taken) -> float:
    return SHIFT * sqrt(taken.shape[1])


def _root(multiple: float) -> Offset:
    """Return `multiple`/√share: as far as rows of bounded covariance may reach."""
    return lambda taken: multiple / sqrt(taken.share)


_PLANTED = "a cluster at 1.5 √d along "

MEAN_ATTACKS = (
    Adversary("shift-ones", _PLANTED + "(1, .., 1)", shifted(_planted)),
    Adversary("shift-alternating", _PLANTED + "(1, -1, 1, ..)", shifted(_planted, alternating)),
    Adversary("shift-axis", _PLANTED + "the first axis", shifted(_planted, first_axis)),
    Adversary("shift-random", _PLANTED + "a random direction", shifted(_planted, uniform)),
    Adversary("shift-sparse", _PLANTED + "the first two coordinates", shifted(_planted, two_coordinates)),
    Adversary("five-clusters", "clusters at 8 along five axes", clusters(5, 8.0)),
    Adversary("axis-clusters", "clusters at 6 along every axis", clusters(None, 6.0)),
    Adversary("far", "a point mass at 1e6", placed(lambda t: FAR)),
    Adversary("tail-matched", "rows of unsuspicious length, turned to one side", replacing(tail_matched)),
    Adversary("inward", "the farthest rows of one side, put at the centre", inward),
    Adversary("under-threshold", "a cluster just too near for the filter to act", under_threshold(STOP)),
    Adversary("cluster-2", "a cluster at 2", shifted(lambda t: 2.0)),
    Adversary("cluster-0.9", "a cluster at 0.9", shifted(lambda t: 0.9)),
    Adversary(
        "two-sided", "clusters at 4 and -4, 70 to 30", shifted(lambda t: t.mixed((0.7, 4.0), (0.3, -4.0)))
    ),
    Adversary(
        "two-depths", "clusters at 3 and 7, 60 to 40", shifted(lambda t: t.mixed((0.6, 3.0), (0.4, 7.0)))
    ),
    Adversary(
        "cancelling", "clusters at 3 and -12 of mean 0", shifted(lambda t: t.mixed((0.8, 3.0), (0.2, -12.0)))
    ),
    Adversary("point-3", "a point mass at 3", placed(lambda t: 3.0)),
    Adversary("point-1.5", "a point mass at 1.5", placed(lambda t: 1.5)),
    Adversary(
        "upper-tail",
        "copies of the farthest rows of one side",
        by_rank(lambda order, bad, rng: (rng.choice(order, bad, replace=False), order[-bad:])),
    ),
    Adversary(
        "tail-swap",
        "copies of one tail in the places of the other: the covariance stays",
        by_rank(lambda order, bad, rng: (order[:bad], order[-bad:])),
    ),
    Adversary("wide", "a cluster at 3 of spread 3", shifted(lambda t: 3.0, spread=3.0)),
    Adversary("half-sphere", "half of the sphere of radius 1.5 √d", replacing(half_sphere)),
    Adversary("half-space", "rows of spread 3, all on one side", replacing(diffuse)),
    Adversary(
        "cauchy", "Cauchy distances round 3", shifted(lambda t: 3.0 + t.rng.standard_cauchy(len(t.own)))
    ),
    Adversary("ladder", "distances uniform on [0, 8]", shifted(lambda t: t.rng.uniform(0, 8, len(t.own)))),
    Adversary(
        "one-sided",
        "coordinates |N(0, 1.2²)| along u",
        laid(lambda t: 1.2 * np.abs(t.rng.standard_normal(len(t.own)))),
    ),
    Adversary("root-1", "a cluster at 1/√share", shifted(_root(1.0))),
    Adversary("root-2", "a cluster at 2/√share", shifted(_root(2.0))),
    Adversary("edge", "a point mass at √(d/share)", placed(lambda t: sqrt(t.shape[1] / t.share))),
    Adversary(
        "spread",
        "distances uniform on [0, 3/√share]",
        shifted(lambda t: t.rng.uniform(0, _root(3.0)(t), len(t.own))),
    ),
)
"""Every adversary of a mean, in the order of tables; names are unique."""
