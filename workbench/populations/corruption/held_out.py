"""Attacks on a covariance that no constant of an estimator was chosen on.

As in `corruption.covariance`; they are kept apart so that an error on them is evidence and not a fit.
"""

import numpy as np

from workbench.populations.corruption.adversary import Adversary, replaced
from workbench.populations.corruption.covariance import Generator, directions, ends, pair, planted, signed
from workbench.special import ndtr, ndtri
from workbench.types import Array

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
"""Attacks by name."""
