"""The design of a location for n rows and d columns: knee, count, strength, and the noise that (ε, δ) needs.

    (1) T on a grid of multiples of ln(1/δ)/ε; u = share · n/(d + 1)
    (2) G and s_min = what normal rows exceed but for β/5 each, from `parts.affine.cells`, less what T takes
    (3) σ of `privacy.stable`: no answer with chance β/5 where h = T
    (4) of all knees and T the one whose predicted error is least: √(d (1 + excess)/n + σ² tr S), at most 1

Cells are linear in 1/√n and in r = T/u. All of it is public, and privacy rests on b and g alone, which are
functions of n, d, u, T, G and s_min (`parts.affine.stability`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor, log, sqrt

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.parts.affine.cells import KNEES, POWERS, RATIOS, Cell, cell, share
from workbench.estimators.parts.affine.stability import LiftedStability
from workbench.estimators.parts.quantile.influence import Influence
from workbench.privacy import ApproxDP
from workbench.privacy.ramps import CLOSE, require_events
from workbench.privacy.stable import LocatedCharge, located_scale, suffices
from workbench.special import ndtri

STEP = "location"
COUNTS = (1.55, 1.65, 1.75, 1.85, 2.0, 2.2, 2.5, 3.0, 3.7)  # T in units of ln(1/δ)/ε
FARTHEST = 1.0  # a larger predicted error, in standard deviations, is no answer
SHARE = 0.2  # of β: the slope, the scale, and no answer where h = T


@dataclass(frozen=True)
class LocationDesign:
    """The test, its charge, and what normal rows do: the root mean square of |out - mean| in units of Σ."""

    test: LiftedStability
    budget: ApproxDP
    silent: float
    noise: float
    sampling: float

    @property
    def charge(self) -> LocatedCharge:
        """The one charge of test and mask."""
        return _charge(self.test, self.budget, self.silent)

    @property
    def error(self) -> float:
        """The root mean square of the error, given an answer."""
        return sqrt(self.noise**2 + self.sampling**2)


@lru_cache(maxsize=4096)
def location_design(n: int, d: int, budget: ApproxDP, beta: float) -> LocationDesign:
    """Return the design of step (4).

    Raises
    ------
    ArgumentError
        If n rows are too few, or too many, for any, or δ is too small.
    """
    require_events(budget)
    best: LocationDesign | None = None
    for each in _tried(budget):
        if _reaches(best.error if best else FARTHEST, n, d, budget, beta, *each):
            best = _designed(n, d, budget, beta, *each)
    if best is None:
        fewest = fewest_rows(d, budget, beta)
        allowed = f"at least {fewest}" if n < fewest else "fewer, as rounding grows with n,"
        raise ArgumentError("n", n, f"{allowed} for d = {d} at {budget}")
    return best


def _tried(budget: ApproxDP) -> Iterator[tuple[float, int]]:
    return ((knee, count) for knee in KNEES for count in counts(budget))


def counts(budget: ApproxDP) -> list[int]:
    """Return the counts T that are tried."""
    return sorted({max(2, ceil(one * log(1 / budget.delta) / budget.epsilon)) for one in COUNTS})


def _designed(n: int, d: int, budget: ApproxDP, beta: float, knee: float, most: int) -> LocationDesign:
    test, law = _tested(n, d, beta, knee, most), interpolated(n, d, knee)
    assert test is not None
    sigma = located_scale(_charge(test, budget, SHARE * beta))  # (3)
    noise, sampling = sigma * sqrt(d * law.scatter), _sampling(law, n, d)
    return LocationDesign(test, budget, SHARE * beta, noise, sampling)


def _reaches(error: float, n: int, d: int, budget: ApproxDP, beta: float, knee: float, most: int) -> bool:
    """Tell whether a design has an error that is smaller, without the design."""
    test, law = _tested(n, d, beta, knee, most), interpolated(n, d, knee)
    left = error**2 - _sampling(law, n, d) ** 2
    if test is None or left <= 0:
        return False
    return suffices(_charge(test, budget, SHARE * beta), sqrt(left / (d * law.scatter)) / CLOSE)


def _sampling(law: Cell, n: int, d: int) -> float:
    return sqrt(d * (1 + law.excess) / n)


def _tested(n: int, d: int, beta: float, knee: float, most: int) -> LiftedStability | None:
    level = share(d) * n / (d + 1)
    try:
        rough = _test(n, d, knee, beta, level, most, 1.0)
        return _test(n, d, knee, beta, level, most, rough.spacing)  # (2)
    except ArgumentError:
        return None


def _charge(test: LiftedStability, budget: ApproxDP, silent: float) -> LocatedCharge:
    moved, (spread, most, d) = 2 * test.shift, (test.change, test.most, test.d - 1)
    return LocatedCharge(STEP, "located_normal", moved, budget, spread=spread, most=most, d=d, silent=silent)


def _test(
    n: int, d: int, knee: float, beta: float, level: float, most: int, spacing: float
) -> LiftedStability:
    law, ratio, deviations = interpolated(n, d, knee), most * spacing / level, float(ndtri(SHARE * beta))
    if ratio > RATIOS[-1]:
        raise ArgumentError("n", n, "more rows for this count")
    tables = (law.slopes, law.slope_spreads, law.scales, law.scale_spreads)
    slope, slope_spread, scale, scale_spread = (float(np.interp(ratio, RATIOS, one)) for one in tables)
    influence = Influence(knee)
    strength = (n * slope + deviations * sqrt(n) * slope_spread) * (1 - 1e-3) - influence.most * most
    least = (scale + deviations * scale_spread / sqrt(n)) * (1 - 1e-3)
    return LiftedStability(n, d + 1, influence, level, most, strength, least=least)


@lru_cache(maxsize=4096)
def interpolated(n: int, d: int, knee: float) -> Cell:
    """Return the cell for n rows: linear in 1/√n between powers of 4, and on from the last two of them."""
    power = min(max(floor(log(n, 4)), POWERS[0]), POWERS[-2])
    low, high = cell(d, knee, power), cell(d, knee, power + 1)
    part = (1 / sqrt(n) - 2.0**-power) / (2.0 ** -(power + 1) - 2.0**-power)

    def between(a: object, b: object) -> object:
        first, second = np.asarray(a, float), np.asarray(b, float)
        found = first + part * (second - first)
        return tuple(found.tolist()) if found.ndim else max(0.0, float(found))

    return Cell(*(between(getattr(low, one), getattr(high, one)) for one in Cell.__dataclass_fields__))  # type: ignore[arg-type]


@lru_cache(maxsize=256)
def fewest_rows(d: int, budget: ApproxDP, beta: float) -> int:
    """Return the fewest rows, to 1 %, that have a design."""
    require_events(budget)

    def works(n: int) -> bool:
        return any(_reaches(FARTHEST, n, d, budget, beta, *each) for each in _tried(budget))

    low, high = 8, 64
    while not works(high):
        low, high = high, 2 * high
        if high > 2**40:
            raise ArgumentError("budget", budget, f"one that some number of rows allows for d = {d}")
    return nearly(works, low, high)[1]


def nearly(works: Callable[[int], bool], low: int, high: int) -> tuple[int, int]:
    """Return numbers within 1 % of which the higher one works and the lower one does not, as at first."""
    while high > 1.01 * low + 1:
        middle = (low + high) // 2
        low, high = (low, middle) if works(middle) else (middle, high)
    return low, high
