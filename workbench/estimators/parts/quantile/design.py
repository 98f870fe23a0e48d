"""The design of a matrix quantile for n rows: level, count, strength, and the vote_and_mask of (ε, δ).

With (ε_t, δ_t) for the test and (ε_m, δ_m) for the mask, shares β/5, 3β/10 and β/2 of a probability β:

    (1) T = ⌈A + ln(1/(2β_t))/ε_t⌉, A the bound of truncated Laplace noise: h = T passes but for β_t = β/5
    (2) u = n E ψ(χ²_d/p)/d for a scale p, G = the slope that normal rows exceed but for 3β/10, less (e + ζ)T
    (3) of all scales and shares ε_t/ε the one whose mask is narrowest: the largest ε_m/ln(1 + g)
        (Thompson-Laplace, d ≤ 4; all of δ is the test's), or the largest ν (Wishart, δ/2 each: above d = 4,
        or where it is asked for)
    (4) the error of f under that mask, by simulation, and the fewest rows at which its quantile 1 - β/2 is α

Slopes are taken from `parts.quantile.cells`, linear in 1/√n and in T/u. All of it is public, and
privacy rests on g alone, which is a function of n, d, u, T and G.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil, floor, log, log1p, sqrt
from typing import Literal

import numpy as np
from scipy.special import ndtri

from workbench.errors import ArgumentError
from workbench.estimators.parts.budgets import vote_and_mask
from workbench.estimators.parts.quantile.cells import RATIOS, Cell, cells, influence_for, powers, scales
from workbench.estimators.parts.quantile.influence import normal_level
from workbench.estimators.parts.quantile.levels import WIDEST
from workbench.estimators.parts.quantile.stability import Stability
from workbench.privacy import ApproxDP, Charge, PureDP, Sequential, SimulatedNoise
from workbench.privacy.masks import LARGEST_THOMPSON, least_rate, masked_identity, wishart_trace_scale
from workbench.privacy.mechanisms import truncated_laplace_bound
from workbench.types import Array

TEST, MASK = "stability", "mask"
SHARES = (0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7)
HIGHEST = 7  # cells beyond n = 4⁷ are extended from the last two
DRAWS, SEED = 600, 53
Target = Literal["thompson", "frobenius"]
Mask = Literal["auto", "wishart"]


@dataclass(frozen=True)
class Design:
    """The test, the budget and the share of it that the test has, and what normal rows do."""

    test: Stability
    budget: ApproxDP
    share: float
    mask: Mask
    narrowness: float
    scale: float
    law: tuple[float, float, float]  # of ln f: mean trace, variance of the trace, mean square of the rest

    @property
    def charges(self) -> tuple[Charge, Charge]:
        """Return the charges of the test and of the mask."""
        cost, rest = vote_and_mask(self.budget, self.share, _kind(self.test.d, self.mask))
        return _count(cost), _mask(self.test.change, rest)

    @property
    def plan(self) -> Sequential:
        """Return the plan."""
        return Sequential("basic", self.charges)

    @cached_property
    def released(self) -> Array:
        """Return simulated releases for the covariance I, before they are centred, shape (draws, d, d)."""
        d, rng = self.test.d, np.random.default_rng((SEED, self.test.d))
        noise, masking = SimulatedNoise(rng), self.charges[1]
        masks = np.array([masked_identity(d, masking, noise) for _ in range(DRAWS)])
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
    tried = [(share, mask, widest, index) for share in SHARES for index in range(len(scales(d)))]
    found = [one for each in tried if (one := _designed(n, d, budget, beta, *each))]
    if not found:
        raise ArgumentError("n", n, f"more rows for d = {d} at {budget}")
    return max(found, key=lambda one: one.narrowness)


def _designed(
    n: int, d: int, budget: ApproxDP, beta: float, share: float, mask: Mask, widest: float, index: int
) -> Design | None:
    """Return the design with this share for the test and this scale, or None if there is none."""
    cost, rest = vote_and_mask(budget, share, _kind(d, mask))
    most = ceil(truncated_laplace_bound(_count(cost)) + log(1 / (0.4 * beta)) / cost.epsilon)  # (1)
    influence, scale = influence_for(d), scales(d)[index]
    level = n * normal_level(influence, d, scale)
    law = interpolated(n, d, index)
    try:
        rough = _test(n, d, index, beta, level, most, widest, 1.0)
        test = _test(n, d, index, beta, level, most, widest, rough.spacing)  # (2)
        scaled = _narrowness(_mask(test.change, rest), d)
    except ArgumentError:
        return None
    moments = law.shift, law.trace / n, law.rest / n
    return Design(test, budget, share, mask, scaled, scale, moments)


def _test(
    n: int, d: int, index: int, beta: float, level: float, most: int, widest: float, spacing: float
) -> Stability:
    """Return the test whose slope normal rows exceed but for 3β/10."""
    influence, law = influence_for(d), interpolated(n, d, index)
    ratio = most * spacing / level
    mean, spread = (np.interp(ratio, RATIOS, one, right=0.0) for one in (law.slopes, law.spreads))
    slope = n * mean + float(ndtri(0.3 * beta)) * sqrt(n) * spread
    strength = float(slope * (1 - 1e-3) - influence.most * most)
    return Stability(n, d, influence, level, most, strength, widest)


def _kind(d: int, mask: Mask) -> str:
    return "thompson_laplace" if mask == "auto" and d <= LARGEST_THOMPSON else "wishart"


def _count(cost: ApproxDP) -> Charge:
    return Charge(TEST, "truncated_laplace", 1.0, cost)


def _mask(change: float, cost: PureDP | ApproxDP) -> Charge:
    if isinstance(cost, PureDP):
        return Charge(MASK, "thompson_laplace", log1p(change), cost)
    return Charge(MASK, "wishart_trace", change, cost)


def _narrowness(mask: Charge, d: int) -> float:
    """Return θ or ν; raise where there is no such mask, or hardly one."""
    if isinstance(mask.cost, PureDP):
        rate = mask.cost.epsilon / mask.sensitivity
        if not rate > least_rate(d):
            raise ArgumentError("sensitivity", mask.sensitivity, "smaller")
        return rate
    rows = 1 / wishart_trace_scale(mask, d)
    if not rows > 2 * d:
        raise ArgumentError("sensitivity", mask.sensitivity, "smaller")
    return rows


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
