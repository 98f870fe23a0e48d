"""Mean and covariance of all rows from a frame in which they have a moderate, known spread.

Given a frame A and eigenvalues μ_1 ≥ … ≥ μ_r of the rows in it, both released. Neighbours: replace one row.

    (1) A ← A/√μ_1, s = μ/μ_1;  c = the point whose coordinates in A are window medians of those of the rows,
        windows of 4 (and across a subspace, in units of `thin`)
    (2) k + 1 times: m, M = the noisy mean and second moment of the rows A(x - c) shrunk to the ball of R, in
        one draw (`parts.gaussians.lifted_moment`);  Z = M - mmᵀ
    (3) where s is round: m over its slope at 0, and Z with its winsorising undone
        (`parts.preconditioned.winsorised_covariance`);  c + A⁻¹ m and A⁻¹ Z A⁻ᵀ answer, but for the first of
        several steps
    (4) c ← c + A⁻¹ m;  A ← (Z₊ + eI)^(-1/2) A;  s ← s/(s + e)
    (5) out = the answers, weighted by their budgets; no answer if there is none

s is the spectrum that rows should have in A, and round where its least is at least a quarter of its largest.
A step divides the spread by about 1/e, so that k steps make it round whatever it was; k, R and e follow from
s and public numbers (`parts.gaussians.steps`). Z₊ + eI, not the larger of Z + eI and a bound: small
eigenvalues of Z are noise of either sign, and e keeps the rows' own from growing above 1. No rows are paired:
given c, all n are used. Rows are divided by R, so that what is drawn has a public sensitivity. `centred`
skips c and m. Proof: `proofs/aggregation.md`, section 5.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from workbench.estimators.base import FARTHEST, Abstention
from workbench.estimators.parts.gaussians.frame import Frame, Moments
from workbench.estimators.parts.gaussians.steps import LOCATOR, RoundSteps, is_round, round_steps, slope
from workbench.estimators.parts.preconditioned.winsorised_covariance import unwinsorised
from workbench.linalg import spectral_map
from workbench.privacy import ZCDP, Charge, NoiseSource
from workbench.types import Array

THIN = 1e-9  # the unit of location across a subspace, in that of its longest axis


@dataclass(frozen=True)
class RoundFinish:
    """The recipe for n rows of dimension d, whose frame should leave a spectrum no wider than `worst`.

    `narrowest` is the least sd of a coordinate in the frame, 0 where rows may be of a subspace. `placed`: a
    centre near the mean was released before, and takes the place of c.
    """

    n: int
    d: int
    cost: ZCDP
    worst: tuple[float, ...]
    centred: bool = False
    thin: float = THIN
    narrowest: float = 0.0
    placed: bool = False

    @cached_property
    def steps(self) -> RoundSteps:
        """The public numbers."""
        shape = self.centred, self.narrowest, self.placed
        return round_steps(self.n, self.d, self.cost, self.worst, *shape)

    def charges(self) -> Iterator[Charge]:
        """Yield all charges, in the order of the run."""
        if self.steps.location:
            each = self.steps.location.split(*(1.0,) * self.d)
            for i, cost in enumerate(each, start=1):
                yield LOCATOR.charge(f"location {i}", cost)
        for i, cost in enumerate(self.steps.costs, start=1):
            yield self.steps.lift.charge(f"moment {i}", cost)

    def estimate(
        self, x: Array, frame: Frame, spread: Array, charges: list[Charge], noise: NoiseSource
    ) -> Moments | Abstention:
        """Return the private moments of sanitised rows, from a frame and eigenvalues in it."""
        located = charges[: -len(self.steps.costs)]
        whole = frame.then(np.eye(frame.rank) / sqrt(spread[0]))
        centre = self._located(x, whole, located, noise)  # (1)
        if isinstance(centre, Abstention):
            return centre
        return self.round(x, centre, frame, spread, charges[len(located) :], noise)

    def round(
        self,
        x: Array,
        centre: Array,
        frame: Frame,
        spread: Array,
        measured: list[Charge],
        noise: NoiseSource,
    ) -> Moments | Abstention:
        """Return the private moments from a released centre, and a frame and eigenvalues in it."""
        costs = self.steps.costs
        frame, spectrum = frame.then(np.eye(frame.rank) / sqrt(spread[0])), spread / spread[0]
        answers = []
        for number, (cost, charge) in enumerate(zip(costs, measured, strict=True)):
            m, z = self._measured(x, centre, frame, spectrum, charge, noise)  # (2) (3)
            centre = centre + frame.back(m)
            if is_round(spectrum) and (number or len(costs) == 1):
                answers.append((cost, centre, frame.covariance(z)))
            excess = self.steps.excess(spectrum, cost)
            frame = frame.then(_rounder(z, excess))  # (4)
            spectrum = spectrum / (spectrum + excess)
        return self._pooled(answers) if answers else Abstention(measured[-1].step)  # (5)

    def _located(
        self, x: Array, frame: Frame, charges: list[Charge], noise: NoiseSource
    ) -> Array | Abstention:
        if self.centred:
            return np.zeros(self.d)
        whole, found = completed(frame, self.thin), []
        for axis, charge in zip(whole, charges, strict=True):
            place = LOCATOR.draw(np.clip(x @ axis, -FARTHEST, FARTHEST), charge, noise)
            if place is None:
                return Abstention(charge.step)
            found.append(place)
        return np.asarray(np.linalg.solve(whole, np.array(found)))

    def _measured(
        self, x: Array, centre: Array, frame: Frame, spectrum: Array, charge: Charge, noise: NoiseSource
    ) -> tuple[Array, Array]:
        """Return m and Z of steps (2) and (3)."""
        radius, lift = self.steps.ball(spectrum), self.steps.lift
        mapping = frame.matrix.T / radius
        moment = lift.of(x, lambda block: (block - centre) @ mapping)
        m, second = lift.draw(moment, charge, noise)
        m, z = m * radius, (second - np.outer(m, m)) * radius**2
        if not is_round(spectrum):
            return m, z
        return m / slope(frame.rank, radius), unwinsorised(z, radius)

    def _pooled(self, answers: list[tuple[ZCDP, Array, Array]]) -> Moments:
        costs, means, covariances = zip(*answers, strict=True)
        weights = [cost.rho for cost in costs]
        mean, covariance = (np.average(values, axis=0, weights=weights) for values in (means, covariances))
        return Moments(None if self.centred else mean, covariance)


def _rounder(z: Array, excess: float) -> Array:
    """Return (Z₊ + eI)^(-1/2)."""
    return spectral_map(z, lambda values: 1 / np.sqrt(np.maximum(values, 0.0) + excess))


def completed(frame: Frame, thin: float = THIN) -> Array:
    """Return the frame's axes and, for a subspace, thin ones across it: shape (d, d)."""
    d, r = frame.basis.shape
    if r == d:
        return frame.matrix
    across = np.linalg.svd(frame.basis, full_matrices=True)[0][:, r:].T
    return np.concatenate([frame.matrix, across * (np.linalg.norm(frame.shape, -2) / thin)])
