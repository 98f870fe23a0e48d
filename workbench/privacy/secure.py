"""`SecureNoise`: noise that may be released, of whole numbers and of the operating system's randomness.

Every statistic comes as whole numbers and a public unit (`privacy.grid`). The noise is ⌊X + ½⌋, X exactly the
real variable of the mechanism in that unit (`privacy.exact`), of a scale that is rounded up; with whole
numbers q, q + ⌊X + ½⌋ = ⌊q + X + ½⌋, a function of what the ideal mechanism releases: the accounting of the
ideal one holds. There is no seed. Nothing is claimed about the time that a draw takes.

Proof: `proofs/exact.md`, section 2.
"""

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from workbench.errors import ArgumentError
from workbench.privacy import exact, exact_shapes
from workbench.privacy.cuts import Level
from workbench.privacy.grid import UP, Later, OnGrid, Reaching, on_grid
from workbench.privacy.masks import MASKS, ChargedRoot
from workbench.privacy.noise import CountingNoise, NoiseSource
from workbench.privacy.plan import Plan
from workbench.privacy.stable import LIFTED, STABLE
from workbench.types import Array

SHAPED = {
    *MASKS,
    *STABLE,
    "located_normal",
    LIFTED,
}  # mechanisms whose noise has the shape of a root


class SecureNoise:
    """Exact noise on a grid; it takes no argument: what could be repeated would not be private.

    Needs the extra `secure`. A statistic that is not on a grid is refused; `workbench list --secure` says
    which step of which estimator has one.
    """

    def laplace(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        """Add Laplace noise."""
        at = _whole(value)
        return at.plus(exact.laplace(_units(scale, at), at.shape))

    def truncated_laplace(self, value: ArrayLike, sensitivity: float, scale: float, bound: float) -> Array:
        """Add Laplace noise conditioned on [-bound, bound], as many scales as are asked for or more."""
        at = _whole(value)
        width = _units(scale, at)
        return at.plus(exact.truncated_laplace(width, width * (bound / scale) * UP, at.shape))

    def discrete_laplace(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        """Add integer noise of probability proportional to e^(-|z|/scale)."""
        at = _whole(value)
        if isinstance(at, Reaching):
            return _reaching(at, exact.DiscreteLaplace(_units(scale, at)))
        return at.plus(exact.discrete_laplace(_units(scale, at), at.shape))

    def gaussian(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        """Add normal noise."""
        at = _whole(value)
        if isinstance(at, Reaching):
            return _reaching(at, exact.Normal(_units(scale, at)))
        if np.ndim(at.unit) == 0:
            return at.plus(exact.normal(_units(scale, at), at.shape))
        units, noise = np.broadcast_to(at.unit, at.shape), np.zeros(at.shape, object)
        for unit in np.unique(units):
            alike = units == unit
            noise[alike] = exact.normal(_units(scale, at, unit), (int(alike.sum()),))
        return at.plus(noise)

    def symmetric_gaussian(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        """Add a symmetric normal matrix: sd scale on the diagonal, at least scale/√2 off it.

        Entries below the diagonal are not looked at: beside their mirror images they would have no noise.
        """
        at = _whole(value)
        d = len(at)
        noisy, above = at.counts.astype(object), np.triu_indices(d, 1)
        noisy[above] += exact.normal(_units(scale / sqrt(2), at), (d * (d - 1) // 2,))
        noisy[np.diag_indices(d)] += exact.normal(_units(scale, at), (d,))
        noisy.T[above] = noisy[above]
        return np.asarray(OnGrid(noisy, at.unit), np.float64)

    def choice(self, scores: ArrayLike, sensitivity: float, scale: float, weights: Any = None) -> int:
        """Choose an index with probability proportional to weight · e^(score/scale)."""
        if isinstance(scores, Later) and scores.band:
            return int(exact.choose_near(scores, 1 / _units(scale, scores.band.scores), weights))
        at = _whole(scores)
        base = None if weights is None else _whole(weights)
        return int(exact.choose(at.counts, 1 / _units(scale, at), base))

    def exponential(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        """Add exponential noise."""
        at = _whole(value)
        return at.plus(exact.exponential(_units(scale, at), at.shape))

    def thompson_laplace(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        """Draw a mask of the root as it is, each entry rounded to the next float."""
        return exact_shapes.thompson_laplace(_charged(value), scale * UP)

    def wishart(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        """Draw the second moment of 1/scale normal rows, each entry rounded to the next float."""
        return exact_shapes.wishart(_charged(value), scale * UP)

    def square(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        """Draw L (I + scale G)(I + scale G)ᵀ Lᵀ, L the value, each entry rounded to the next float."""
        return exact_shapes.square(_charged(value), scale * UP)

    def cuts(self, value: Level, sensitivity: float, scale: float) -> list[list[int]]:
        """Draw the pieces of all cuts of a level, node by node."""
        return exact_shapes.cut(value, scale * UP)

    def uniform(self, low: float, high: float) -> float:
        """Return a uniform point of [low, high], on 2^53 points: of [0, 1) exactly, as ramps ask."""
        return low + (high - low) * (int(exact.below(2**53)) / 2**53)

    def below(self, count: int) -> int:
        """Return a uniform whole number of 0, .., count - 1."""
        return exact.below(count)


def inexact_steps(estimator: object, plan: Plan) -> list[str]:
    """Return the steps of an estimator's plan that have no exact noise.

    They have the shape of a root whose rounding no charge covers: all masks but those of an estimator that
    says `charged_roots`, and the noise of `privacy.located`.
    """
    if getattr(estimator, "charged_roots", False):
        return []
    return [charge.step for charge in plan.charges() if charge.mechanism in SHAPED]


def require_exact(estimator: object, plan: Plan, noise: NoiseSource) -> None:
    """Raise if the source is a secure one and the plan has a step without exact noise."""
    while isinstance(noise, CountingNoise):
        noise = noise.source
    steps = inexact_steps(estimator, plan) if isinstance(noise, SecureNoise) else []
    if steps:
        none = "SimulatedNoise, for study: no exact noise for " + ", ".join(dict.fromkeys(steps))
        raise ArgumentError("rng", "SecureNoise", none)


def _charged(value: Any) -> Array:
    if not isinstance(value, ChargedRoot):
        raise ArgumentError("root", "array", "a root whose rounding is charged for (privacy.masks)")
    return value.root


def _whole(value: Any) -> OnGrid:
    at = on_grid(value)
    if at is None:
        raise ArgumentError("value", "statistic of floats", "whole numbers and a unit (privacy.grid)")
    return at


def _reaching(at: Reaching, law: exact.Law) -> Array:
    """Return the numbers that reach `least` with their noise, and -inf for others."""
    places, noise = exact.reaching(law, at.counts, at.least)
    found = np.full(at.shape, -np.inf)
    found[places] = at[places].plus(noise)
    return found


def _units(scale: float, at: OnGrid, unit: float | None = None) -> float:
    """Return a scale in units, never less than what the charge asks for: 2^-40 covers 4000 roundings."""
    return float(scale) / float(at.unit if unit is None else unit) * UP
