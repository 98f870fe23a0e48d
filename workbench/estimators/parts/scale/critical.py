"""Critical values of pivots of private means of normal rows, in closed form given what noise does to a run.

T = (est - mean)/s. On n standard normal rows of mean z̄ and standard deviation S let R = (est - z̄)/S and
u = s/S. Both are functions of the rows' direction (z - z̄)/S and of the noise, hence independent of √n z̄/S,
which has Student's law F of n - 1 degrees:

    P(|T| > q) = E[F(√n (R - qu)) + F(-√n (R + qu))]             sigma known: s = S = u = 1, F normal

    (1) B = 200 runs with public seeds, 2/level if that is more, those without an answer left out; at least
        half have to be left. A level below 1e-4 is that of the whole line
    (2) p_b(q) = the bracket's mean over 32 draws of the noise of the last step
    (3) q: the largest at which the mean of p_b + 5 (sd of p_b)/√B is the level
    (4) n > 1000: m = 1000 rows and n/m times the ε, so that locations, scales and means have the noise of n
        rows; F and √n are those of n. What the step of the mean, without noise, differs by from its
        expectation given centre and scale is an error of sampling, and multiplied by √(m/n)

Of rows that are absent, as many as a noisy count allows:

    (5) p/n = the noisy share of rows that are there, drawn with the mean (`shared.rescaled`); where it is 1,
        (3) for all rows
    (6) else a = a share that is absent at most, with chance 1 - .05 level: 1 - p/n and a quantile of the
        noise of (5), rounded up to 2 %
    (7) the value of (3) at .95 level, a n rows of each run being absent at random

Fewer rows vary more, so that (7) covers where less than a is absent. (5) is too narrow by half of what noise
hides. (1) to (3) are proved but for the normal approximation of a mean of B numbers, (4) is measured:
`proofs/univariate.md`, section 9.
"""

from dataclasses import replace
from functools import lru_cache, partial
from math import ceil, inf, sqrt

import numpy as np

from workbench.errors import MOST_LOSS
from workbench.estimators.base import Abstention, standardised
from workbench.estimators.parts.locate import huber
from workbench.estimators.parts.locate.laplace_normal import noise_quantile
from workbench.estimators.parts.locate.window_median import selection_epsilon
from workbench.estimators.parts.scale.winsorised_scale import WinsorisedScale
from workbench.estimators.shared.rescaled import LEAST, charge_of_share, mean_and_share
from workbench.estimators.shared.rows import only_present
from workbench.estimators.two_step import WindowMean, clipped_mean
from workbench.privacy import ZCDP, ApproxDP, Budget, Charge, Plan, PureDP, Sequential, SimulatedNoise
from workbench.privacy.grid import OnGrid
from workbench.privacy.roots import brentq
from workbench.special import ndtr, stdtr
from workbench.types import Array

RUNS, NOISES, MOST = 200, 32, 1000
LEAST_LEVEL = 1e-4
CAUTION = 5.0  # standard errors of the mean of (3), whose distribution is skewed
SEED = 20191126
SURE, GRID = 0.05, 50  # of the level for (6); one over what shares are rounded to
MEAN, SCALE = WindowMean(None), WinsorisedScale(None, None)
OFFSETS = np.linspace(-huber.FAR, huber.FAR, 4001)  # between which a step of Huber's is interpolated


def pivotal_width(
    n: int, mean: Budget, level: float, there: float = 1.0, scale: Budget | None = None
) -> float:
    """Return q of a mean on n rows, of which a noisy share is there, and of a scale if it has a budget.

    Infinite where few runs answer, or few rows may be there.
    """
    if there == 1:
        return critical_value(n, mean, level, 0.0, scale)  # (5)
    absent = absent_at_most(there, n, MEAN.plan(n, mean), level)
    return critical_value(n, mean, (1 - SURE) * level, absent, scale) if absent <= 1 - LEAST else inf  # (7)


def absent_at_most(there: float, n: int, plan: Plan, level: float) -> float:
    """Return a of step (6)."""
    margin = noise_quantile(charge_of_share(plan["mean"], n), 2 * SURE * level)
    return ceil(GRID * (1 - there + margin) * (1 - 1e-12)) / GRID


@lru_cache(maxsize=1024)
def critical_value(n: int, mean: Budget, level: float, absent: float, scale: Budget | None) -> float:
    """Return q of step (3)."""
    if level < LEAST_LEVEL:
        return inf
    count = max(RUNS, ceil(2 / level))  # what happens less often than in one of them is not seen
    apart, units = runs(count, n, mean, absent, scale)
    if 2 * len(apart) < count:
        return inf
    there = n - ceil(absent * n)
    root, law = sqrt(there), ndtr if scale is None else partial(stdtr, there - 1)

    def missed(q: float) -> Array:
        chances = law(root * (apart - q * units)) + law(-root * (apart + q * units))
        return np.asarray(chances.mean(axis=1))  # (2)

    def excess(q: float) -> float:
        chances = missed(q)
        return float(chances.mean() + CAUTION * chances.std(ddof=1) / sqrt(len(chances))) - level

    high = 1 / root
    while missed(high).max() > level / (1 + CAUTION):  # then there is no excess at any larger q
        high *= 2
    while excess(0.9 * high) <= 0:
        high *= 0.9
    return float(brentq(excess, 0.9 * high, high, xtol=1e-9 * high))


@lru_cache(maxsize=64)
def runs(count: int, n: int, mean: Budget, absent: float, scale: Budget | None) -> tuple[Array, Array]:
    """Return R, shape (B, 32), and u, shape (B, 1), of the runs of (1) that answer."""
    m = min(n, MOST)
    gone, apart, units = ceil(absent * m), [], []
    rng = np.random.default_rng(SEED)
    noise, means, clip = SimulatedNoise(rng), _on_fewer(MEAN.plan(n, mean), n / m), MEAN.design(n, mean).clip
    curve = huber.clipped_mean(OFFSETS, clip)
    if scale is not None:
        scales, winsor = _on_fewer(SCALE.plan(n, scale), n / m), SCALE.design(n, scale).winsor
    for _ in range(count if m - gone > 1 else 0):
        z, s, unit = rng.standard_normal(m), 1.0, 1.0
        z[rng.permutation(m)[:gone]] = np.nan  # (7)
        rows = only_present(z)
        if scale is not None:
            drawn = SCALE.drawn(z, scales, winsor, noise)
            if isinstance(drawn, Abstention):
                continue
            s, unit = drawn, float(rows.std(ddof=1))
        x, middle = standardised(z, 0.0, s), float(rows.mean())
        centre = MEAN.locator.draw(x, means["locate"], noise)
        if centre is None:
            continue
        noisy = still = meant = np.zeros(NOISES)
        if clip:
            exact, wide = clipped_mean(x, centre, clip, counted=True), unit / s
            many = OnGrid(np.append(np.repeat(exact.counts[:-1], NOISES), exact.counts[-1]), exact.unit)
            noisy = np.interp(mean_and_share(many, m, means["mean"], noise)[0], curve, OFFSETS)
            still = np.interp(float(exact.counts[0]) * exact.unit * m / len(rows), curve, OFFSETS)
            expected = wide * huber.clipped_mean(np.asarray((middle / s - centre) / wide), clip / wide)
            meant = np.interp(expected, curve, OFFSETS)
        sampled = sqrt(m / n) * (still - meant)  # (4)
        apart.append((s * (centre + meant + sampled + noisy - still) - middle) / unit)
        units.append(s / unit)
    return np.array(apart).reshape(-1, NOISES), np.array(units).reshape(-1, 1)


def _on_fewer(plan: Plan, factor: float) -> Plan:
    """Return the charges of steps on so many times fewer rows with the same noise."""
    return Sequential("basic", tuple(_sharper(charge, factor) for charge in plan.charges()))


def _sharper(charge: Charge, factor: float) -> Charge:
    cost: Budget = charge.cost
    if charge.mechanism == "window_median":
        cost = ApproxDP(min(factor * selection_epsilon(cost), MOST_LOSS), getattr(cost, "delta", 0.0))
    elif isinstance(cost, PureDP):
        cost = PureDP(min(factor * cost.epsilon, MOST_LOSS))
    elif isinstance(cost, ZCDP):
        cost = ZCDP(min(factor**2 * cost.rho, MOST_LOSS))
    return replace(charge, sensitivity=factor * charge.sensitivity, cost=cost)
