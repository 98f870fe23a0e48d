"""Public radii, heights and shares of `gaussian/coinpress`: everything that is fixed before a row is read.

Before a step the rows have ℓ I ≤ T ≤ I, and a mean within r of 0. The step has the share a of μ², the height
τ and the ball of radius g; k is the share of the variance of white rows that this ball leaves, q a quantile
of their length:

    s = √2 g² (1 + τ²)/(nμ√a),  t = s/(√2 τ g)     sd of the noise on the moment, and of that on the mean
    e = max(0, (√2 (√d + 1) s + 2 r √d t + d t²)/k - ℓ/2)
    ℓ ← ℓ/(ℓ + e);  r ← q √(1/n + t²/(ℓ + e)) + (1 - slope) r/√(ℓ + e)

Noise takes from no eigenvalue of T + eI more than a half of T's, but in about .2 % of runs. τ makes
d t² + d(d + 1) s²/2, what noise adds to the squared error, least. Where ℓ + e ≥ 1 nothing is learned of the
covariance: the step is for the mean alone, τ = 1, r ← q √(1/n + t²); where this is not below r the step is
skipped, and its share goes to the last one. The ball of the last step, the number of steps and the shares
make the predicted error of the worse of T = ℓ I and T = I least. Proof: `proofs/gaussian_steps.md`,
section 2.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import hypot, inf, sqrt

import numpy as np

from workbench.estimators.parts.gaussians.error import SquaredErrors
from workbench.estimators.parts.gaussians.steps import slope
from workbench.estimators.parts.normal_ball import clipped_moment
from workbench.estimators.parts.preconditioned.winsorised_covariance import BEYOND, squared_errors
from workbench.estimators.parts.rows import second_moment_sensitivity
from workbench.special import chdtri

MOST_STEPS = 30
SPREAD = (0.02, 0.05, 0.1, 0.15, 0.25, 0.4, 0.6)  # shares of all steps but the last
CLIPPED, MEAN_CLIPPED = 0.7, 0.05  # share of white rows clipped
MISSED, MEAN_MISSED = 0.01, 1e-5  # share of balls that miss the mean: far from it, it is lost for good
DEAR = 1.002  # a step more has to make the error smaller by this factor
BENT = 0.2  # of r²/ℓ: what clipping rows that are off their centre adds to the error


@dataclass(frozen=True)
class JointStep:
    """One step: its share, g, τ and e (infinite if the frame stays as it is); ℓ and r before it."""

    weight: float
    clip: float
    height: float
    excess: float
    lower: float
    offset: float


@dataclass(frozen=True)
class JointDesign:
    """All steps, of which the last one measures, and its predicted errors."""

    steps: tuple[JointStep, ...]
    errors: SquaredErrors

    @property
    def weights(self) -> tuple[float, ...]:
        """The shares of all steps."""
        return tuple(step.weight for step in self.steps)


@lru_cache(maxsize=4096)
def joint_design(n: int, d: int, radius: float, spread: float, mu: float) -> JointDesign:
    """Return the design of least predicted error, for n rows and `mu`-GDP in all.

    The covariance is between 1/`spread` and 1 times the identity, the mean within `radius` of the centre.
    """
    noise = Noise(n, d, mu)
    tried = (_design(noise, radius, 1 / spread, weights) for weights in _shares())
    return min(tried, key=_price)


@dataclass(frozen=True)
class Noise:
    """The draw of a step, for n rows and `mu`-GDP in all."""

    n: int
    d: int
    mu: float

    def moment(self, step: JointStep) -> float:
        """Return s."""
        reach = step.clip * hypot(1.0, step.height)
        return second_moment_sensitivity(self.n, reach) / (self.mu * sqrt(step.weight))

    def mean(self, step: JointStep) -> float:
        """Return t."""
        return self.moment(step) / (sqrt(2) * step.height * step.clip)


def balanced_height(d: int, radius: float) -> float:
    """Return the τ at which (1 + τ²)² (1/τ² + a), a = (d + 1) radius², is least: 2aτ⁴ + τ² = 1."""
    return sqrt(2 / (1 + sqrt(1 + 8 * (d + 1) * radius**2)))


def _price(design: JointDesign) -> float:
    return sqrt(_sum(design.errors)) * DEAR ** len(design.steps)


def _shares() -> Iterator[tuple[float, ...]]:
    yield ()
    for count in range(1, MOST_STEPS):
        for spread in SPREAD:
            yield (spread / count,) * count


def _design(noise: Noise, offset: float, lower: float, weights: Sequence[float]) -> JointDesign:
    steps: list[JointStep] = []
    for weight in weights:
        step = _frame_step(noise, weight, lower, offset)
        if lower + step.excess >= 1:
            step = _mean_step(noise, weight, lower, offset)
        after = _after(noise, step)
        if after[0] > lower or after[1] < offset:
            steps.append(step)
            lower, offset = after
    last = _last_step(noise, 1 - sum(step.weight for step in steps), lower, offset)
    errors = (squared_error(noise, last, size) for size in (lower, 1.0))
    return JointDesign((*steps, last), max(errors, key=_sum))


def _frame_step(noise: Noise, weight: float, lower: float, offset: float) -> JointStep:
    d = noise.d
    clip = sqrt(_squared(d, CLIPPED) + 4 * offset + offset**2)
    step = JointStep(weight, clip, balanced_height(d, clip), inf, lower, offset)
    edge, shift = sqrt(2) * (sqrt(d) + 1) * noise.moment(step), sqrt(d) * noise.mean(step)
    taken = (edge + 2 * offset * shift + shift**2) / clipped_moment(d, clip)
    return replace(step, excess=max(0.0, taken - lower / 2))


def _mean_step(noise: Noise, weight: float, lower: float, offset: float) -> JointStep:
    clip = sqrt(_squared(noise.d, MEAN_CLIPPED) + 4 * offset + offset**2)
    return JointStep(weight, clip, 1.0, inf, lower, offset)


def _after(noise: Noise, step: JointStep) -> tuple[float, float]:
    """Return ℓ and r after a step."""
    d, drawn = noise.d, noise.mean(step) ** 2
    if step.excess == inf:
        return step.lower, sqrt(_squared(d, MEAN_MISSED) * (1 / noise.n + drawn))
    raised = step.lower + step.excess
    found = sqrt(_squared(d, MISSED) * (1 / noise.n + drawn / raised))
    return step.lower / raised, found + (1 - slope(d, step.clip)) * step.offset / sqrt(raised)


def _last_step(noise: Noise, weight: float, lower: float, offset: float) -> JointStep:
    n, d, told = noise.n, noise.d, noise.mu * sqrt(weight)
    squares = chdtri(d, BEYOND)
    least, most = (squared_errors(squares / size, n, d, told) for size in (lower, 1.0))
    clip = sqrt(squares[np.argmin(np.maximum(least, most))])
    return JointStep(weight, clip, balanced_height(d, clip), inf, lower, offset)


def squared_error(noise: Noise, last: JointStep, size: float) -> SquaredErrors:
    """Return the errors of the last step, in the norm of Σ, for rows of covariance `size` I in its frame."""
    n, d, radius = noise.n, noise.d, last.clip / sqrt(size)
    told = noise.mu * sqrt(last.weight) / (1 + last.height**2)
    covariance = float(squared_errors(np.array(radius**2), n, d, told))
    drawn = d * (clipped_moment(d, radius) / n + noise.mean(last) ** 2 / size) / slope(d, radius) ** 2
    return SquaredErrors(d, drawn + (BENT * last.offset**2 / size) ** 2, covariance)


def _sum(errors: SquaredErrors) -> float:
    return errors.mean + errors.covariance


@lru_cache(maxsize=256)
def _squared(d: int, share: float) -> float:
    """Return the upper `share`-quantile of the squared length of N(0, I_d)."""
    return float(chdtri(d, share))
