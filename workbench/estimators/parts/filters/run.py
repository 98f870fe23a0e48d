"""A private filter: passes that score rows by their moments and remove the worst.  After LKKO21 Alg 10, 16.

Rows x in standard units, public numbers by `parts.filters.design`. One release of a pass serves all its
questions, the rest of them being post-processing.

    (1) c = centres of the largest bins of a noisy histogram of every coordinate             sensitivity √(2d)
    (2) c = c + the noisy mean of the rows within r₀ of c                                          2 r₀/n
    (3) y = x - c shrunk to the ball of radius r, in whole numbers of a step; S = all rows that are there
    (4) N, s, A of S with noise (`parts.filters.weighted_moments`); m = s/N, F = A/N - m mᵀ - base I, λ =
    λ_max(F)
    (5) λ at most the level, or N < n/2: S is what it will be, go to (8)
    (6) U = exp(β F/λ)/trace, Ψ = ⟨F, U⟩, τ_i = (y_i - m)ᵀ U (y_i - m), T = the tail of S
        (`parts.filters.removal`)
    (7) ρ from noisy counts of the scores of T (`parts.filters.removal`); S = S without {i in T : τ_i
    ≥ ρ};
        to (4)
    (8) every step of a pass that is not taken any more, and the last one: N, s of S with noise
    (9) out = c + s/max(N, n/10), in the ball, from all N and s of the last S

U is a true exponential of a matrix. The threshold is not shrunk at random, Z = 1: any law of Z that the
data do not touch is private, and the uniform one costs accuracy. Proof: `proofs/prime.md`, sections 1 to 4.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from workbench.estimators.base import Trace
from workbench.estimators.parts.filters.design import PRICES, FilterDesign
from workbench.estimators.parts.filters.removal import (
    SENSITIVITY,
    Mask,
    Score,
    left_after,
    score_counts,
    tail_set,
    threshold,
)
from workbench.estimators.parts.filters.weighted_moments import (
    MEAN,
    Costs,
    Sums,
    counted_sums,
    grid,
    merged,
    release,
    released,
)
from workbench.estimators.parts.integers import in_ball, mean_in_ball
from workbench.estimators.parts.rows import blocks, only_present, present
from workbench.linalg import norms
from workbench.privacy import Budget, Charge, NoiseSource
from workbench.privacy.grid import OnGrid
from workbench.privacy.mechanisms import gaussian
from workbench.types import Array

FEWEST = 0.1  # of n: no mean is divided by less


def filtered_mean(
    x: Array, design: FilterDesign, charges: Sequence[Charge], noise: NoiseSource, trace: Trace | None
) -> Array:
    """Return the private mean of rows in standard units."""
    rest = iter(charges)
    c = coarse_centre(x, design, next(rest), noise)  # (1)
    shift = mean_in_ball(x, lambda rows: rows - c, design.outer)
    c = c + gaussian(shift, next(rest), noise)  # (2)
    y = rows_within(x, c, design.radius)  # (3)
    left = Filter(y, design, noise, trace, present(x))
    return np.asarray(c + within(left.run(rest), design))  # (9)


def coarse_centre(x: Array, design: FilterDesign, charge: Charge, noise: NoiseSource) -> Array:
    """Return the centre of the bin with the largest noisy count, for every coordinate."""
    half, counts = design.bins // 2, np.zeros((design.d, design.bins), np.int64)
    offsets = np.arange(design.d) * design.bins
    for block in blocks(*x.shape):
        places = np.clip(np.floor(only_present(x[block]) / design.width), -half, half - 1).astype(np.int64)
        places += half + offsets
        counts += np.bincount(places.ravel(), minlength=counts.size).reshape(counts.shape)
    largest = np.argmax(gaussian(counts, charge, noise), axis=1)
    return np.asarray((largest - half + 0.5) * design.width)


def rows_within(x: Array, centre: Array, radius: float) -> Array:
    """Return the rows seen from a centre, shrunk to a ball: whole numbers, in steps of `grid`."""
    y, step = np.empty_like(x), grid(radius)
    for block in blocks(*x.shape):
        y[block] = in_ball(x[block] - centre, radius, step)
    return y


class Filter:
    """Passes over rows y of whole numbers, shape (n, d): what is left, and what was released of it."""

    def __init__(
        self,
        y: Array,
        design: FilterDesign,
        noise: NoiseSource,
        trace: Trace | None = None,
        there: Mask | None = None,
    ) -> None:
        self.y, self.design, self.noise, self.trace = y, design, noise, trace
        self.kept, self.step = np.ones(len(y), bool) if there is None else there, grid(design.radius)
        self.sums = counted_sums(y, self.kept, self.step)
        self.done = design.tail == 0
        self.found: list[tuple[Sums, Costs, Budget]] = []

    def run(self, charges: Iterator[Charge]) -> Sums:
        """Return N and s of the rows that are left, from all their releases."""
        for _ in range(self.design.passes):
            self.look(next(charges))
            self.cut(next(charges))
        self.mean(next(charges))
        return merged(self.found)

    def look(self, charge: Charge) -> None:
        """Release the moments, and judge them."""
        if self.done:
            self.mean(charge, self.design.sizes[0])  # (8)
            return
        noisy = release(self.sums, self.design.radius, PRICES, charge, self.noise)  # (4)
        self.score, self.psi, top = judged(noisy, self.design)  # (6)
        self.done = noisy.count < len(self.y) / 2 or top <= self.design.threshold(charge.cost)  # (5)
        if self.done:
            self.found.append((noisy, PRICES, charge.cost))
        if self.trace is not None:
            self.trace.add(excess=top, left=int(self.kept.sum()))

    def cut(self, charge: Charge) -> None:
        """Release the counts of the scores, and remove rows."""
        n, size = len(self.y), self.design.sizes[1]
        if self.done:
            self.mean(charge, size)  # (8)
            return
        tau = self.score.of(self.y)  # (6)
        tail = tail_set(tau, self.kept, self.design.tail, self.y)
        counts = OnGrid(score_counts(tau, tail, self.design.largest), 1 / SENSITIVITY)
        noisy = released(counts, charge, self.noise, size) * SENSITIVITY
        self.kept = left_after(tau, self.kept, tail, threshold(noisy, n, self.psi))  # (7)
        self.sums = counted_sums(self.y, self.kept, self.step)

    def mean(self, charge: Charge, size: int = 0) -> None:
        """Release N and s alone."""
        noisy = release(self.sums.alone, self.design.radius, MEAN, charge, self.noise, size)
        self.found.append((noisy, MEAN, charge.cost))


def judged(sums: Sums, design: FilterDesign) -> tuple[Score, float, float]:
    """Return the score of step (6), Ψ, and λ: functions of what was released."""
    m = within(sums, design)
    square = np.zeros((design.d, design.d)) if sums.square is None else sums.square
    excess = square / max(sums.count, FEWEST * design.n) - np.multiply.outer(m, m)
    values, basis = np.linalg.eigh(excess - design.base * np.eye(design.d))
    weights = weighed(values, design.sharpness)
    score = Score(m, basis * np.sqrt(weights), grid(design.radius))
    return score, float(weights @ values), float(values[-1])


def weighed(values: Array, sharpness: float) -> Array:
    """Return the eigenvalues of U: exp(β λ_j/λ) scaled to sum 1, all of it on the last for β = ∞ or λ ≤ 0."""
    top = values[-1]
    if not (np.isfinite(sharpness) and top > 0):
        return np.asarray(np.eye(len(values))[-1])
    powers = np.exp(sharpness * (values / top - 1))
    return np.asarray(powers / powers.sum())


def within(sums: Sums, design: FilterDesign) -> Array:
    """Return s/N, N at least a tenth of n, shrunk to the ball."""
    mean = sums.total / max(sums.count, FEWEST * design.n)
    return np.asarray(mean * min(1.0, design.radius / max(float(norms(mean[None])[0]), np.finfo(float).tiny)))
