"""Attacks on the covariance of normal rows.

Rows come standardised: mean 0 and covariance I, but for sampling. ξ is the share of rows that may be
replaced, a and b are orthonormal directions of the attack's own choice (b = a on the line), and the top along
a are the rows with the largest |x·a|. The unit of what an attack can do is ξ ln 1/ξ, in Frobenius norm.

Three kinds: rows planted somewhere, typical rows taken away, and both such that the second moment stays what
it was. The last two are the hard ones: no estimator tells them from a normal law of another covariance.
"""

from collections.abc import Callable
from math import sqrt

import numpy as np

from workbench.populations.corruption.adversary import Adversary, Attack, replaced
from workbench.special import ndtri
from workbench.types import Array

Generator = np.random.Generator
Values = Callable[[Array, Generator], Array]
"""(the rows that are to be replaced, generator) -> what replaces them."""


def directions(d: int, rng: Generator) -> Array:
    """Return an orthogonal matrix; its columns are the axes of an attack."""
    return np.asarray(np.linalg.qr(rng.standard_normal((d, d)))[0])


def pair(d: int, rng: Generator) -> tuple[Array, Array]:
    """Return orthonormal directions a and b, twice the same one on the line."""
    axes = directions(d, rng)
    return axes[:, 0], axes[:, -1]


def signed(count: int, rng: Generator) -> Array:
    """Return signs, shape (count, 1)."""
    return np.asarray(rng.choice([-1.0, 1.0], (count, 1)))


def planted(values: Values) -> Attack:
    """Return the attack that puts values in the place of random rows."""

    def attack(x: Array, bad: int, rng: Generator) -> Array:
        rows = rng.permutation(len(x))[:bad]
        return replaced(x, rows, values(x[rows], rng))

    return attack


def ends(x: Array, bad: int, a: Array) -> tuple[np.ndarray, np.ndarray]:
    """Return the `bad` rows with the smallest and with the largest |x·a|."""
    order = np.argsort(np.abs(x @ a), kind="stable")
    return order[:bad], order[-bad:]


def _spikes(radius: float) -> Values:
    return lambda x, rng: radius * signed(len(x), rng) * directions(x.shape[1], rng)[:, 0]


def _far(x: Array, rng: Generator) -> Array:
    return 10 * sqrt(x.shape[1]) * signed(len(x), rng) * directions(x.shape[1], rng)[:, 0]


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
    """Return the attack that moves the top along a, along a, so that the second moment stays what it was."""

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
    Adversary("far", "±10√d a", planted(_far)),
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
"""Attacks by name."""
