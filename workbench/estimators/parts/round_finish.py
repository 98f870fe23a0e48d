"""Mean and covariance of all rows from a frame in which they are round up to a moderate, known spread.

Given the frame A and eigenvalues μ_1 ≥ … ≥ μ_r of the rows in it, both released. Neighbours: replace one row.

    (1) c = the point whose coordinates in A/√μ_1 are window medians of those of the rows, windows of 4
        (and in the complement of a subspace, in units of 1e-9 √μ_1)
    (2) twice: M = the second moment of the rows w = A(x - c) shrunk to the ball of R + noise;
        A ← U^(-1/2) A, U = M with eigenvalues max(λ + e, ℓ), e a share of the noise, ℓ the least of μ/μ_1
    (3) c ← c + A⁻¹ m, m = the mean of the rows w shrunk to the ball of R + noise, over its slope at 0
    (4) S = the winsorised covariance of the rows w (`parts.winsorised_covariance`);  out = c, A⁻¹ S A⁻ᵀ

No rows are paired: given c, all n are used. Every R and e follows from released numbers: R of (2) is a
quantile of |w| for normal rows of the spectrum that the steps before predict. Rows are divided by R, so that
what is drawn has a public sensitivity: √2/n for (2), 2/n for (3). `centred` skips (1) and (3). Proof:
`proofs/aggregation.md`, section 5.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import sqrt

import numpy as np
from scipy.special import chdtri, gamma, gammainc, gammaincc

from workbench.estimators.base import FARTHEST, Abstention, Array
from workbench.estimators.parts.frame import Frame, padded
from workbench.estimators.parts.moments import Moments
from workbench.estimators.parts.rows import (
    mean_of,
    mean_sensitivity,
    moment_of,
    second_moment_sensitivity,
    within_ball,
)
from workbench.estimators.parts.window_median import WindowMedian
from workbench.estimators.parts.winsorised_covariance import WinsorisedCovariance, unwinsorised
from workbench.linalg import spectral_map
from workbench.privacy import ZCDP, Charge, NoiseSource
from workbench.privacy.mechanisms import gaussian, gaussian_scale, symmetric_gaussian

SHARES = {"location": 0.0075, "mean": 0.13, "frame 1": 0.036, "frame 2": 0.05, "covariance": 0.2}
LOCATOR = WindowMedian(left=4.0, right=4.0)
THIN = 1e-9  # the unit of location across a subspace, in that of its longest axis
BEYOND, MEAN_BEYOND, MEAN_SLACK = 0.1, 0.1, 0.2
CAUTION = 0.7  # e in units of √r sd: about half of what the noise adds to an eigenvalue at most
DIRECTIONS, SEED = 4096, 23


@dataclass(frozen=True)
class RoundFinish:
    """The recipe for n rows of dimension d."""

    n: int
    d: int
    cost: ZCDP
    centred: bool = False

    @cached_property
    def costs(self) -> dict[str, ZCDP]:
        """The cost of every step; the location has all of δ."""
        skipped = ("location", "mean") if self.centred else ()
        shares = {step: share for step, share in SHARES.items() if step not in skipped}
        parts = ZCDP(self.cost.rho).split(*shares.values())
        costs = dict(zip(shares, parts, strict=True))
        if not self.centred:
            costs["location"] = ZCDP(costs["location"].rho, self.cost.delta)
        return costs

    @property
    def white(self) -> WinsorisedCovariance:
        """The recipe of (4)."""
        return WinsorisedCovariance(self.n, self.d, self.costs["covariance"])

    def charges(self) -> Iterator[Charge]:
        """Yield all charges, in the order of the run."""
        costs, moment = self.costs, second_moment_sensitivity(self.n, 1.0)
        if not self.centred:
            each = costs["location"].split(*(1.0,) * self.d)
            for i, cost in enumerate(each, start=1):
                yield LOCATOR.charge(f"location {i}", cost)
        for step in ("frame 1", "frame 2"):
            yield Charge(step, "symmetric_gaussian", moment, costs[step])
        if not self.centred:
            yield Charge("mean", "gaussian", mean_sensitivity(self.n, 1.0), costs["mean"])
        yield self.white.charge("covariance")

    def estimate(
        self, x: Array, frame: Frame, spread: Array, charges: list[Charge], noise: NoiseSource
    ) -> Moments | Abstention:
        """Return the private moments of sanitised rows, from a frame and eigenvalues in it."""
        left = iter(charges)
        frame = frame.then(np.eye(frame.rank) / sqrt(spread[0]))
        centre: Array | Abstention = np.zeros(self.d)
        if not self.centred:
            centre = self._located(x, frame, [next(left) for _ in range(self.d)], noise)  # (1)
        if isinstance(centre, Abstention):
            return centre
        spectrum = spread / spread[0]
        for _ in range(2):  # (2)
            frame, spectrum = self._rounder(x, centre, frame, spectrum, next(left), noise)
        if not self.centred:
            centre = centre + frame.back(self._shift(x, centre, frame, next(left), noise))  # (3)
        rows = moment_of(x, lambda block: within_ball((block - centre) @ frame.matrix.T, self.white.radius))
        z = symmetric_gaussian(padded(rows, self.d), next(left), noise)[: frame.rank, : frame.rank]
        covariance = frame.covariance(unwinsorised(z, self.white.radius))  # (4)
        return Moments(None if self.centred else centre, covariance)

    def _located(
        self, x: Array, frame: Frame, charges: list[Charge], noise: NoiseSource
    ) -> Array | Abstention:
        whole = completed(frame)
        found = []
        for axis, charge in zip(whole, charges, strict=True):
            place = LOCATOR.draw(np.clip(np.nan_to_num(x @ axis), -FARTHEST, FARTHEST), charge, noise)
            if place is None:
                return Abstention(charge.step)
            found.append(place)
        return np.asarray(np.linalg.solve(whole, np.array(found)))

    def _rounder(
        self, x: Array, centre: Array, frame: Frame, spectrum: Array, charge: Charge, noise: NoiseSource
    ) -> tuple[Frame, Array]:
        """Return the frame of step (2), and the spectrum that rows should have in it."""
        radius, r = length_beyond(tuple(spectrum.tolist()), BEYOND), frame.rank
        mapping = frame.matrix.T / radius
        rows = moment_of(x, lambda block: within_ball((block - centre) @ mapping, 1.0))
        noisy = symmetric_gaussian(padded(rows, self.d), charge, noise)[:r, :r] * radius**2
        excess, least = CAUTION * sqrt(r) * gaussian_scale(charge) * radius**2, spectrum.min()
        rounder = spectral_map(noisy, lambda values: 1 / np.sqrt(np.maximum(values + excess, least)))
        return frame.then(rounder), spectrum / (spectrum + excess)

    def _shift(self, x: Array, centre: Array, frame: Frame, charge: Charge, noise: NoiseSource) -> Array:
        """Return m of step (3), shape (r,)."""
        r = frame.rank
        radius = sqrt(chdtri(r, MEAN_BEYOND)) + MEAN_SLACK
        mapping = frame.matrix.T / radius
        mean = mean_of(x, lambda block: within_ball((block - centre) @ mapping, 1.0))
        noisy = gaussian(np.pad(mean, (0, self.d - r)), charge, noise)[:r]
        return np.asarray(noisy * radius / slope(r, radius))


def completed(frame: Frame) -> Array:
    """Return the frame's axes and, for a subspace, thin ones across it: shape (d, d)."""
    d, r = frame.basis.shape
    if r == d:
        return frame.matrix
    across = np.linalg.svd(frame.basis, full_matrices=True)[0][:, r:].T
    return np.concatenate([frame.matrix, across * (np.linalg.norm(frame.shape, -2) / THIN)])


def slope(d: int, radius: float) -> float:
    """Return how fast the mean of N(a, I_d) rows shrunk to a ball moves with a, at a = 0.

    P(|z| ≤ R) + (1 - 1/d) R E[1/|z|; |z| > R].
    """
    squared = radius**2 / 2
    inside = float(gammainc(d / 2, squared))
    if d == 1:
        return inside
    inverse = gamma((d - 1) / 2) / (sqrt(2) * gamma(d / 2)) * float(gammaincc((d - 1) / 2, squared))
    return inside + (1 - 1 / d) * radius * float(inverse)


@lru_cache(maxsize=256)
def length_beyond(spectrum: tuple[float, ...], share: float) -> float:
    """Return what the length of normal rows of this spectrum exceeds in about `share` of cases."""
    squares = np.random.default_rng((SEED, len(spectrum))).standard_normal((DIRECTIONS, len(spectrum))) ** 2
    return sqrt(float(np.quantile(squares @ np.array(spectrum), 1 - share)))
