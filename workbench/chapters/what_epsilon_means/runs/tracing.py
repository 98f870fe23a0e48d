"""Tracing: whether a released mean says who was in the table.

Rows are d fair signs, their mean over n rows is released, with or without Gaussian noise. A member's row z
has a score ⟨z, out⟩ of about d/n, a stranger's of about 0; both are √(d/n) off, and with noise of scale s in
every coordinate by s√d more. What is measured is how often a member's score is above a stranger's on the same
output. Exchange the two, and the table is a neighbour, on which the same event has the share 1 - p instead of
p: for μ-GDP p ≤ Φ(Φ⁻¹(1 - p) + μ), which is p ≤ Φ(μ/2).
"""

from math import hypot, sqrt

import numpy as np
from numpy.random import Generator

from workbench.privacy import ApproxDP, Charge, SimulatedNoise
from workbench.privacy.mechanisms import gaussian, gaussian_mu, gaussian_scale
from workbench.special import ndtr
from workbench.study.grids import Sweep, grid
from workbench.study.profiles import blocks
from workbench.types import Array, Columns

EPSILON, DELTA = 1.0, 1e-2
N = 100
DIMENSIONS = (10, 30, 100, 300, 1000)


def released(n: int, d: int, epsilon: float, delta: float) -> Charge:
    """Return the charge of a mean of n rows of d signs: one row moves it by 2√d/n."""
    return Charge("mean", "gaussian", 2 * sqrt(d) / n, ApproxDP(epsilon, delta))


def noise_scale(n: int, d: int, epsilon: float, delta: float) -> float:
    """Return the standard deviation of the noise in every coordinate."""
    return gaussian_scale(released(n, d, epsilon, delta))


def gap(n: int, d: int, scale: float) -> float:
    """Return the gap of the expected scores over the standard deviation of a stranger's."""
    return (d / n) / hypot(sqrt(d / n), scale * sqrt(d))


def area(n: int, d: int, scale: float) -> float:
    """Return how often a member's score is above a stranger's, by the central limit theorem."""
    spread = hypot(sqrt(d * (2 * n - 1)) / n, scale * sqrt(2 * d))
    return float(ndtr((d / n) / spread))


def most_area(epsilon: float, delta: float) -> float:
    """Return the most that any attacker reaches against this Gaussian noise: Φ(μ/2)."""
    return float(ndtr(gaussian_mu(ApproxDP(epsilon, delta)) / 2))


def scores(
    n: int, d: int, charge: Charge, trials: int, data: Generator, noise: Generator
) -> tuple[Array, Array]:
    """Return scores of members and of strangers, shape (2, trials): without noise, and with it.

    The other n - 1 rows matter through their sum alone, which is drawn from its own law.
    """
    member, stranger = (2.0 * data.integers(2, size=(trials, d), dtype=np.int8) - 1 for _ in range(2))
    others = 2.0 * data.binomial(n - 1, 0.5, size=(trials, d)) - (n - 1)
    total = member + others
    private = gaussian(total / n, charge, SimulatedNoise(noise))
    plain = (
        np.array([(z * total).sum(axis=1) for z in (member, stranger)]) / n
    )  # whole numbers: ties are exact
    return plain, np.array([(z * private).sum(axis=1) for z in (member, stranger)])


def traced(
    d: int,
    n: int,
    epsilon: float,
    delta: float,
    *,
    trials: int,
    data: Generator,
    noise: Generator,
) -> Columns:
    """Trace one member and one stranger in every trial; a coin decides between equal scores."""
    plain, private = scores(n, d, released(n, d, epsilon, delta), trials, data, noise)
    coin = data.integers(2, size=trials).astype(bool)
    above = np.where(plain[0] == plain[1], coin, plain[0] > plain[1])
    return {"plain": above, "private": private[0] > private[1]}


TRACED = Sweep(
    "what-epsilon-means-traced",
    grid(d=list(DIMENSIONS), n=[N], epsilon=[EPSILON], delta=[DELTA]),
    traced,
    trials=2500,
    blocks=blocks(full=80),
    in_law=True,
)
