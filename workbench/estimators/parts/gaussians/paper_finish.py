"""The last two stages of M21/UG: CoinPress between released bounds, and the mean of whitened rows.

Given a frame A and eigenvalues λ_1 ≥ … ≥ λ_r of the rows in it, each known to a factor of 2, both released:

    (1) A ← A/√(2 λ_1), ℓ = λ_r/(4 λ_1); one CoinPress step: rows shrunk to the ball of R = tail(r, β/N),
        which clips no normal row, noise, U = V diag(max(z + e, ℓ)) Vᵀ, A ← U^(-1/2) A
    (2) S = the PSD part of the noisy second moment of the rows in A;  covariance = A⁻¹ S A⁻ᵀ
    (3) c = the centre of the fullest bin, of width 1, in every coordinate of the n rows whitened by it
    (4) mean = c + the noisy mean of the whitened rows round c, shrunk to the ball of 3.75 √r + tail(r, β/n)

(1) and (2) see the rows of the loop (pairs), (3) and (4) all n. Rows are divided by R, so that sensitivities
are public: √2/N and 2/n. Proof: `proofs/aggregation.md`, section 5.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from workbench.estimators.base import FARTHEST, Abstention
from workbench.estimators.parts.gaussians.error import SquaredErrors
from workbench.estimators.parts.gaussians.finish import completed
from workbench.estimators.parts.gaussians.frame import Frame, Moments, padded
from workbench.estimators.parts.integers import mean_in_ball, moment_in_ball
from workbench.estimators.parts.rows import mean_sensitivity, second_moment_sensitivity
from workbench.linalg import psd_part, spectral_map, symmetric_noise_norm, tail
from workbench.privacy import ZCDP, Charge, NoiseSource
from workbench.privacy.histograms import stability_charge, stable_mode
from workbench.privacy.mechanisms import gaussian, gaussian_scale, symmetric_gaussian
from workbench.types import Array

FIRST, LAST, LOCATION, MEAN = 0.0875, 0.2625, 0.1, 0.2  # shares of ρ of the whole
BETA, CAUTION, NEAR = 0.05, 0.3, 3.75
LEAST = 1e-12  # of a whitening: smaller eigenvalues are taken as this share of the largest


@dataclass(frozen=True)
class PaperFinish:
    """The recipe for n rows of dimension d, N of them in the loop; without (3) and (4) unless `with_mean`."""

    n: int
    rows: int
    d: int
    cost: ZCDP
    with_mean: bool

    @cached_property
    def costs(self) -> tuple[ZCDP, ...]:
        """The costs of the steps; the location has all of δ."""
        shares = (FIRST, LAST, LOCATION, MEAN) if self.with_mean else (FIRST, LAST)
        first, last, *rest = ZCDP(self.cost.rho).split(*shares)
        return (
            first,
            last,
            *(ZCDP(part.rho, delta) for part, delta in zip(rest, (self.cost.delta, 0.0), strict=False)),
        )

    @property
    def squared_error(self) -> SquaredErrors:
        """The predicted errors of (2) and (4) for normal rows that (1) made round: sampling and noise."""
        d, moment = self.d, second_moment_sensitivity(self.rows, 1.0)
        noise = gaussian_scale(Charge("", "symmetric_gaussian", moment, self.costs[1]))
        covariance = d * (d + 1) * (1 / self.rows + (noise * tail(d, BETA / self.rows) ** 2) ** 2 / 2)
        if not self.with_mean:
            return SquaredErrors(d, 0.0, covariance)
        drawn = gaussian_scale(Charge("", "gaussian", mean_sensitivity(self.n, 1.0), self.costs[3]))
        return SquaredErrors(d, d * (1 / self.n + (drawn * self._reach(d)) ** 2), covariance)

    def _reach(self, r: int) -> float:
        """Return the radius of (4)."""
        return NEAR * sqrt(r) + tail(r, BETA / self.n)

    def charges(self) -> Iterator[Charge]:
        """Yield all charges, in the order of the run."""
        moment = second_moment_sensitivity(self.rows, 1.0)
        yield Charge("step 1", "symmetric_gaussian", moment, self.costs[0])
        yield Charge("step 2", "symmetric_gaussian", moment, self.costs[1])
        if self.with_mean:
            for i, cost in enumerate(self.costs[2].split(*(1.0,) * self.d), start=1):
                yield stability_charge(f"location {i}", cost)
            yield Charge("mean", "gaussian", mean_sensitivity(self.n, 1.0), self.costs[3])

    def estimate(
        self,
        x: Array,
        rows: Array,
        frame: Frame,
        values: Array,
        charges: Iterator[Charge],
        noise: NoiseSource,
    ) -> Moments | Abstention:
        """Return the private moments from the rows themselves and those of the loop."""
        frame = frame.then(np.eye(frame.rank) / sqrt(2 * values[0]))
        charge = next(charges)
        z, scale = self._moment(rows, frame, charge, noise)
        excess = CAUTION * scale * symmetric_noise_norm(frame.rank, BETA)
        least = values[-1] / (4 * values[0])
        frame = frame.then(spectral_map(z, lambda v: 1 / np.sqrt(np.maximum(v + excess, least))))  # (1)
        s = psd_part(self._moment(rows, frame, next(charges), noise)[0])  # (2)
        if not self.with_mean:
            return Moments(None, frame.covariance(s))
        white = frame.then(spectral_map(s, _inverse_root))
        mean = self._mean(x, white, charges, noise)
        return mean if isinstance(mean, Abstention) else Moments(mean, frame.covariance(s))

    def _moment(self, rows: Array, frame: Frame, charge: Charge, noise: NoiseSource) -> tuple[Array, float]:
        """Return the noisy second moment of the rows in a frame, and the sd of its noise."""
        r, squared = frame.rank, tail(frame.rank, BETA / len(rows)) ** 2
        mapping = frame.matrix.T / sqrt(squared)
        moment = moment_in_ball(rows, lambda block: block @ mapping, 1.0)
        noisy = symmetric_gaussian(padded(moment, self.d), charge, noise)[:r, :r]
        return noisy * squared, gaussian_scale(charge) * squared

    def _mean(
        self, x: Array, white: Frame, charges: Iterator[Charge], noise: NoiseSource
    ) -> Array | Abstention:
        whole, r, places = completed(white), white.rank, []
        for axis in whole:
            charge = next(charges)
            keys = np.floor(np.clip(x @ axis, -FARTHEST, FARTHEST))
            place = stable_mode(keys, charge, noise)
            if not isinstance(place, float):
                return Abstention(charge.step)
            places.append(place + 0.5)
        centre = np.linalg.solve(whole, np.array(places))  # (3)
        radius = self._reach(r)
        mapping = white.matrix.T / radius
        mean = mean_in_ball(x, lambda block: (block - centre) @ mapping, 1.0)
        noisy = gaussian(padded(mean, self.d), next(charges), noise)[:r]
        return np.asarray(centre + white.back(noisy * radius))  # (4)


def _inverse_root(values: Array) -> Array:
    return np.asarray(1 / np.sqrt(np.maximum(values, LEAST * max(float(values.max()), LEAST))))
