"""The design of a matrix quantile for n rows: level, count, strength, and the mask that (ε, δ) leaves.

    (1) T on a grid of multiples of ln(1/δ)/ε, u = n E ψ(χ²_d/p)/d for a scale p
    (2) G = the slope that normal rows exceed but for 3β/10, less (e + ζ)T
    (3) the mask of `privacy.stable`, Thompson-Laplace for d ≤ 4, Wishart above, or where it is asked for: no
        answer with chance β/5 where h = T. Of all T and p the one whose mask is narrowest
    (4) the error of f under that mask, by simulation, and the fewest rows at which its quantile 1 - β/2 is α

Test and mask are one mechanism that has all of (ε, δ). Slopes are taken from `parts.quantile.cells`, linear
in 1/√n and in T/u. All of it is public, and privacy rests on g and T alone, g a function of n, d, u, T and G.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil, floor, log, log1p, sqrt
from typing import Literal

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.parts.quantile.cells import RATIOS, Cell, cells, influence_for, powers, scales
from workbench.estimators.parts.quantile.influence import normal_level
from workbench.estimators.parts.quantile.levels import WIDEST
from workbench.estimators.parts.quantile.stability import Stability
from workbench.privacy import ApproxDP, SimulatedNoise
from workbench.privacy.stable import (
    LAPLACE,
    LARGEST_THOMPSON,
    WISHART,
    StableCharge,
    rough_scale,
    stable_identity,
    stable_scale,
)
from workbench.special import ndtri
from workbench.types import Array

TEST = "stability"
COUNTS = (1.45, 1.5, 1.55, 1.6, 1.65, 1.7, 1.8, 1.9, 2.0, 2.2, 2.5, 3.0)  # T in units of ln(1/δ)/ε
SILENT, STEEP = 0.2, 0.3  # of β: no answer where h = T, and a smaller slope
HIGHEST = 7  # cells beyond n = 4⁷ are extended from the last two
DRAWS, SEED = 600, 53
Target = Literal["thompson", "frobenius"]
Mask = Literal["auto", "wishart"]


@dataclass(frozen=True)
class Design:
    """The test, what it and its mask together cost, and what normal rows do."""

    test: Stability
    budget: ApproxDP
    silent: float
    mask: Mask
    scale: float
    law: tuple[float, float, float]  # of ln f: mean trace, variance of the trace, mean square of the rest

    @property
    def charge(self) -> StableCharge:
        """Return the charge of the test and of the mask of what passes it."""
        return stable_charge(self.test, self.budget, self.silent, self.mask)

    @property
    def charges(self) -> tuple[StableCharge]:
        """Return the one charge."""
        return (self.charge,)

    @property
    def plan(self) -> StableCharge:
        """Return the plan."""
        return self.charge

    @cached_property
    def released(self) -> Array:
        """Return simulated releases for the covariance I, before they are centred, shape (draws, d, d)."""
        d, rng = self.test.d, np.random.default_rng((SEED, self.test.d))
        noise = SimulatedNoise(rng)
        charge = self.charge
        masks = np.array([stable_identity(charge, noise) for _ in range(DRAWS)])
        mean, variance, rest = self.law
        free = rng.standard_normal((DRAWS, d, d))
        free = (free + free.transpose(0, 2, 1)) / 2
        free -= np.trace(free, axis1=1, axis2=2)[:, None, None] / d * np.eye(d)
        size = sqrt(rest / (d * (d + 1) / 2 - 1)) if d > 1 else 0.0
        trace = (mean + sqrt(variance) * rng.standard_normal(DRAWS)) / d
        values, axes = np.linalg.eigh(free * size)
        halves = np.exp((values + trace[:, None]) / 2) * sqrt(self.scale)
        root = axes * halves[:, None, :] @ axes.transpose(0, 2, 1)
        return np.asarray(root @ masks @ root)

    @cached_property
    def centring(self) -> float:
        """Return c: the release times c is centred on the covariance."""
        values = np.linalg.eigvalsh(self.released)
        return float(np.exp(-np.median(np.log(values[:, 0] * values[:, -1])) / 2))

    def error(self, target: Target, beta: float) -> float:
        """Return the upper β-quantile of the error for normal rows, given an answer."""
        found = self.released * self.centring
        if target == "thompson":
            errors = np.abs(np.log(np.linalg.eigvalsh(found))).max(axis=1)
        else:
            errors = np.linalg.norm(found - np.eye(self.test.d), axis=(1, 2))
        return float(np.quantile(errors, 1 - beta))


@lru_cache(maxsize=4096)
def design(
    n: int, d: int, budget: ApproxDP, beta: float, mask: Mask = "auto", widest: float = WIDEST
) -> Design:
    """Return the design of step (3), for a trace up to `widest` (`parts.quantile.levels`).

    Raises
    ------
    ArgumentError
        If n rows are too few for any.
    """
    tried = ((most, index) for most in counts(budget) for index in range(len(scales(d))))
    found = [one for each in tried if (one := _designed(n, d, budget, beta, mask, widest, *each))]
    made = min(found, key=lambda one: rough_scale(one.charge), default=None)
    if made is None or not masked(made.charge):
        raise ArgumentError("n", n, f"more rows for d = {d} at {budget}")
    return made


def counts(budget: ApproxDP) -> list[int]:
    """Return the counts T that are tried."""
    return sorted({max(2, ceil(one * log(1 / budget.delta) / budget.epsilon)) for one in COUNTS})


def _designed(
    n: int, d: int, budget: ApproxDP, beta: float, mask: Mask, widest: float, most: int, index: int
) -> Design | None:
    """Return the design with this count and scale, or None if there is none."""
    influence, scale = influence_for(d), scales(d)[index]
    level, law = n * normal_level(influence, d, scale), interpolated(n, d, index)  # (1)
    try:
        rough = _test(n, d, index, beta, level, most, widest, 1.0)
        test = _test(n, d, index, beta, level, most, widest, rough.spacing)  # (2)
    except ArgumentError:
        return None
    moments = law.shift, law.trace / n, law.rest / n
    return Design(test, budget, SILENT * beta, mask, scale, moments)  # (3)


def _test(
    n: int, d: int, index: int, beta: float, level: float, most: int, widest: float, spacing: float
) -> Stability:
    """Return the test whose slope normal rows exceed but for 3β/10."""
    influence, law = influence_for(d), interpolated(n, d, index)
    ratio = most * spacing / level
    mean, spread = (np.interp(ratio, RATIOS, one, right=0.0) for one in (law.slopes, law.spreads))
    slope = n * mean + float(ndtri(STEEP * beta)) * sqrt(n) * spread
    strength = float(slope * (1 - 1e-3) - influence.most * most)
    return Stability(n, d, influence, level, most, strength, widest)


def stable_charge(test: Stability, budget: ApproxDP, silent: float, mask: Mask = "auto") -> StableCharge:
    """Return the charge of a test and the mask of what passes it."""
    thin = mask == "auto" and test.d <= LARGEST_THOMPSON
    kind, distance = (LAPLACE, log1p(test.change)) if thin else (WISHART, test.change)
    return StableCharge(TEST, kind, distance, budget, most=test.most, d=test.d, silent=silent)


def masked(charge: StableCharge) -> bool:
    """Tell whether there is a mask for a charge."""
    try:
        return stable_scale(charge) > 0
    except ArgumentError:
        return False


@lru_cache(maxsize=4096)
def interpolated(n: int, d: int, index: int) -> Cell:
    """Return the cell of a scale for n rows: linear in 1/√n between powers of 4."""
    power = min(max(floor(log(max(n, 1), 4)), powers(d).start), HIGHEST - 1)
    low, high = cells(d, power)[index], cells(d, power + 1)[index]
    share = (1 / sqrt(n) - 2.0**-power) / (2.0 ** -(power + 1) - 2.0**-power)

    def between(a: float, b: float) -> float:
        return a + share * (b - a)

    slopes, spreads = (
        tuple(between(a, b) for a, b in zip(one, other, strict=True))
        for one, other in ((low.slopes, high.slopes), (low.spreads, high.spreads))
    )
    rest = max(0.0, between(low.rest, high.rest))
    return Cell(
        slopes, spreads, between(low.shift, high.shift), max(0.0, between(low.trace, high.trace)), rest
    )


@lru_cache(maxsize=256)
def fewest_rows(
    d: int,
    budget: ApproxDP,
    beta: float,
    target: Target,
    alpha: float,
    mask: Mask = "auto",
    widest: float = WIDEST,
) -> int:
    """Return the fewest rows, to 1 %, whose error is at most α with probability 1 - β/2, given an answer."""

    def accurate(n: int) -> bool:
        try:
            return design(n, d, budget, beta, mask, widest).error(target, beta / 2) <= alpha
        except ArgumentError:
            return False

    low, high = 16, 64
    while not accurate(high):
        low, high = high, 2 * high
        if high > 2**40:
            raise ArgumentError("alpha", alpha, f"more for d = {d} at {budget}")
    while high > 1.01 * low + 1:
        middle = (low + high) // 2
        low, high = (low, middle) if accurate(middle) else (middle, high)
    return high
