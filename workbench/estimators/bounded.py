"""Counts, histograms and means of rows within public bounds, with intervals for every distribution.

The Laplace and the Gaussian mechanism on the statistics that one asks for first (Dwork, McSherry, Nissim &
Smith 2006). Neighbours: replace one row. In whole numbers, so that sums are exact (`proofs/exact.md`):

    (1) BoundedMean   y = (1/n) Σ clip(x_i, low, high)       sensitivity (high - low)/n
        Count         c = #{i : x_i ≥ ½}                     sensitivity 1
        Histogram     c_j = #{i : x_i in bin j}              one row moves two counts by 1: 2 in l1, √2 in l2
    (2) noise: Laplace, for counts its form on whole numbers (geometric on both sides); Gaussian under zCDP
        and GDP; under (ε, δ) the one of the two whose .975 quantile is smaller, a public choice
    (3) the result is moved to what is possible: into [low, high], to a whole number from 0 to n

**Intervals** are post-processing of what is released. Rows are independent, of any distribution on the line.
With s the released sum or count, S the true one, N the noise, a share μ is below the interval if

    Count, Histogram   P(Bin(n, μ) + N ≥ s) ≤ level/2              exact (Clopper & Pearson 1934 with noise)
    BoundedMean        inf_{t < s} E(Bin(n, μ) + N - t)₊/(s - t) ≤ level/2

and above it if the same holds of n - s and 1 - μ. The second bounds P(S + N ≥ s) for rows in [0, 1] of mean
μ: no sum of such rows is above Bin(n, μ) in convex order (Hoeffding 1963). Proof: `proofs/bounded.md`.
"""

from collections.abc import Callable
from dataclasses import replace
from math import log, sqrt
from typing import Any

import numpy as np

from workbench.distributions import Counts, Interval
from workbench.errors import ArgumentError, finite
from workbench.estimators.base import MOST_CHARGED, Univariate
from workbench.estimators.shared.noisy_means import (
    better_than,
    median_of_sum,
    noise_quantile,
    normal_beyond,
    uniform_deviation,
)
from workbench.estimators.shared.rows import (
    BITS,
    FARTHEST,
    NEAREST,
    mean_in_box,
    mean_sensitivity,
    only_present,
    row_blocks,
)
from workbench.privacy import ZCDP, ApproxDP, Budget, Charge, GaussianDP, NoiseSource, Plan, PureDP
from workbench.privacy.histograms import COUNTS_L1, COUNTS_L2
from workbench.privacy.mechanisms import additive, gaussian_scale, laplace_scale
from workbench.special import bdtr, ndtr, ndtri
from workbench.types import Array, Floats, public

HALF = 0.5  # of the rows: the share that is hardest to estimate
QUANTILE = 0.975  # at which the noises are compared
CELLS, WINDOW, MORE = 1000, 9.0, 30  # of a binomial distribution: how many, how many sds, rows beside
THRESHOLDS = np.geomspace(0.02, 20.0, 32)  # (s - t) over the sd of Bin(n, ½) + N
HALVINGS = 34


def noise_charge(step: str, laplace: str, l1: float, l2: float, budget: Budget) -> Charge:
    double, normal = Charge(step, laplace, l1, budget), Charge(step, "gaussian", l2, budget)
    match budget:
        case PureDP():
            return double
        case GaussianDP() | ZCDP(_, 0.0):
            return normal
        case ApproxDP(_, delta) if delta > 0:
            far = -float(ndtri(1 - QUANTILE)) * gaussian_scale(normal)
            return double if laplace_scale(double) * log(0.5 / (1 - QUANTILE)) <= far else normal
    allowed = "PureDP, ApproxDP with delta > 0, ZCDP with delta = 0, or GaussianDP"
    raise ArgumentError("budget", budget, allowed)


def survival(t: Array, charge: Charge) -> Array:  # P(N ≥ t), N the noise of a count
    if charge.mechanism == "gaussian":
        return ndtr(-t / gaussian_scale(charge))
    scale, whole = laplace_scale(charge), np.ceil(t)
    ratio = np.exp(-1 / scale)
    above = np.exp(-np.where(whole > 0, whole, 1 - whole) / scale) / (1 + ratio)
    return np.where(whole > 0, above, 1 - above)


def mean_beyond(t: Array, charge: Charge) -> Array:  # E(N - t)₊
    if charge.mechanism == "gaussian":
        return gaussian_scale(charge) * normal_beyond(t / gaussian_scale(charge))
    scale = laplace_scale(charge)
    return np.asarray(scale / 2 * np.exp(-np.abs(t) / scale) + np.maximum(-t, 0.0), np.float64)


def binomial(n: int, share: float) -> tuple[Array, Array, float]:
    """Return the upper ends of cells of Bin(n, share), their probabilities, and that of what is left out."""
    half = WINDOW * sqrt(n * share * (1 - share)) + MORE
    low, high = max(0.0, np.floor(n * share - half)), min(float(n), np.ceil(n * share + half))
    ends = np.append(np.arange(low - 1, high, max(1.0, np.ceil((high - low) / CELLS))), high)
    below = np.where(ends < 0, 0.0, bdtr(np.maximum(ends, 0.0), n, share))
    masses = np.diff(below)
    return ends[1:], masses, max(0.0, 1 - float(masses.sum()))


def covering(total: float, n: int, chance: Callable[[float, float], float], level: float) -> Interval:
    """Return the shares that neither of the two tests refuses, given a released sum of n rows."""

    def end(reached: float) -> float:
        low, high = 0.0, reached / n
        if chance(reached, low) > level / 2:
            return 0.0
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if chance(reached, middle) <= level / 2 else (low, middle)
        return low

    return Interval(end(total), 1 - end(n - total))


def of_shares(charge: Charge, n: int) -> Charge:  # of counts over n, for formulas of noise without a grid
    kind = "gaussian" if charge.mechanism == "gaussian" else "laplace"
    return replace(charge, mechanism=kind, sensitivity=charge.sensitivity / n)


@public
class BoundedMean(Univariate[float]):
    """Private mean, or sum, of one column between public bounds (L17 section 2.1, the Laplace mechanism).

    The mean of the rows moved into [low, high]; n times it is the sum. Accurate for rows of any distribution:
    no other fact about them is needed. `release.interval(0.95)` covers the mean of the distribution of which
    these rows are independent draws, whatever it is.
    Guarantee: central model, one replaced row, for every input. Budgets: PureDP, ApproxDP with delta > 0,
    ZCDP with delta = 0, GaussianDP.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It
    counts as the middle of the bounds.

    Parameters
    ----------
    low : float
        Least value of a row, in the unit of the data; rows below it are moved to it.
    high : float
        Largest value of a row; rows above it are moved to it.

    Examples
    --------
    >>> ages = np.random.default_rng(1).uniform(18, 90, size=1000)
    >>> release = BoundedMean(low=0, high=120)(ages, budget=PureDP(1.0), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - ages.mean()) < 1)
    True
    >>> release.interval(0.95).contains(54.0)
    True
    """

    in_passes = True
    least_rows = 1
    low: float
    high: float

    def _validate(self) -> None:
        finite(low=self.low, high=self.high)
        if not NEAREST <= self.reach <= FARTHEST:
            raise ArgumentError("high", self.high, f"{2 * NEAREST:g} to {2 * FARTHEST:g} above low")

    @property
    def reach(self) -> float:
        return self.high / 2 - self.low / 2

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        moved = mean_sensitivity(n, self.reach)
        return noise_charge("mean", "laplace", moved, moved, budget)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> float:
        middle, charge = self.low + self.reach, self.plan(len(x), 1, budget)["mean"]
        mean = mean_in_box(x, lambda rows: rows - middle, self.reach)  # (1)
        noisy = middle + float(additive(mean, charge, noise))  # (2)
        return min(max(noisy, self.low), self.high)  # (3)

    def interval(self, value: float, n: int, budget: Budget, level: float) -> Interval:
        charge, length = self.plan(n, 1, budget)["mean"], 2 * self.reach
        of_sum = replace(charge, sensitivity=charge.sensitivity * (n / length))
        spread = float(mean_beyond(np.zeros(1), of_sum)[0])  # E N₊
        steps = THRESHOLDS * (sqrt(n) / 2 + 2 * spread)

        def chance(total: float, share: float) -> float:
            counts, masses, lost = binomial(n, share)
            thresholds = total - steps
            beyond = mean_beyond(thresholds[:, None] - counts, of_sum) @ masses
            beyond += lost * (n + spread + np.maximum(-thresholds, 0.0))
            return float((beyond / steps).min())

        total = min(max((value - self.low) / length, 0.0), 1.0) * n
        found, grid = covering(total, n, chance, level), self.reach * 2.0**-BITS
        low, high = self.low + length * found.low - grid, self.low + length * found.high + grid
        return Interval(min(max(low, self.low), value), max(min(high, self.high), value))

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on |out - mean|, true with probability 1 - beta, for all rows within the bounds."""
        noise = noise_quantile(self.plan(n, d, budget)["mean"], beta / 2)
        return 2 * self.reach * (uniform_deviation(n, beta / 2) + 2.0**-BITS) + noise

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean| for the widest rows, half at either bound."""
        error = median_of_sum(self.reach / sqrt(n), self.plan(n, d, budget)["mean"])
        return better_than(self.reach, error)


class Counted(Univariate[Counts]):
    in_passes = True
    least_rows = 1
    first = 0
    step, moved = "counts", (COUNTS_L1, COUNTS_L2)  # of its charge: what a row moves in l1, l2
    edges: Floats

    def plan(self, n: int, d: int, budget: Budget) -> Charge:
        return noise_charge(self.step, "discrete_laplace", *self.moved, budget)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Counts:
        n, bins = len(x), len(self.edges) + 1
        counts = np.zeros(bins, np.int64)
        for rows in row_blocks(x):
            places = np.searchsorted(self.edges, only_present(rows), side="right")
            counts += np.bincount(places, minlength=bins)  # (1)
        noisy = additive(counts[self.first :], self.plan(n, 1, budget), noise)  # (2)
        return Counts(np.clip(np.rint(noisy), 0, n), n)  # (3)

    def interval(self, value: Counts, n: int, budget: Budget, level: float) -> Any:
        charge, each = self.plan(n, 1, budget), level / len(value.counts)
        near = HALF if charge.mechanism == "gaussian" else 0.0  # what is released is rounded

        def chance(total: float, share: float) -> float:
            counts, masses, lost = binomial(n, share)
            return float(masses @ survival(total - near - counts, charge)) + lost

        found = [covering(float(count), n, chance, each) for count in value.counts]
        spans = tuple(Interval(n * one.low, n * one.high) for one in found)
        return spans[0] if self.first else spans

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on the largest |count/n - chance of a row|, true with probability 1 - beta."""
        part = beta / (len(self.edges) + 1 - self.first)
        noise = noise_quantile(of_shares(self.plan(n, d, budget), n), part / 2)
        return uniform_deviation(n, part / 2) + noise + 1 / n  # a row more for whole numbers


@public
class Count(Counted):
    """Private count of the rows that are true, or their share (L17 section 2.1, the Laplace mechanism).

    Accurate for rows of any distribution. A row counts if it is at least ½: give truth values, or 0 and 1.
    The value is a whole number, which `float` returns; `value.shares` divides by n. `release.interval(0.95)`
    covers n times the probability that a row counts, exactly, for independent rows.
    Guarantee: central model, one replaced row, for every input. Budgets: PureDP, ApproxDP with delta > 0,
    ZCDP with delta = 0, GaussianDP.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It
    does not count.

    Examples
    --------
    >>> ages = np.random.default_rng(1).uniform(18, 90, size=1000)
    >>> release = Count()(ages > 65, budget=PureDP(1.0), rng=np.random.default_rng(2))
    >>> bool(abs(float(release) - (ages > 65).sum()) < 10)
    True
    >>> release.interval(0.95).contains(1000 * 25 / 72)
    True
    """

    edges = (HALF,)
    first = 1  # the bin that counts
    step, moved = "count", (1.0, 1.0)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |count/n - chance of a row|, where that is a half."""
        error = median_of_sum(HALF / sqrt(n), of_shares(self.plan(n, d, budget), n))
        return better_than(HALF, error)


@public
class Histogram(Counted):
    """Private counts of the rows in every bin of a line (L17 Theorem 1.1).

    Accurate for rows of any distribution. k edges make k + 1 bins: below the first, from each to the next,
    and from the last on. The value is an array of whole numbers for numpy; `value.shares` divides by n.
    `release.interval(0.95)` has an interval for each bin, which cover the expected numbers all at once.
    All else as of `Count`.

    Parameters
    ----------
    edges : tuple of float
        Where one bin ends and the next begins, increasing.

    Examples
    --------
    >>> ages = np.random.default_rng(1).uniform(18, 90, size=1000)
    >>> release = Histogram(edges=(30, 65))(ages, budget=PureDP(1.0), rng=np.random.default_rng(2))
    >>> np.asarray(release).shape, [one.contains(n) for one, n in zip(release.interval(), (167, 486, 347))]
    ((3,), [True, True, True])
    """

    edges: Floats

    def _validate(self) -> None:
        finite(**{f"edges[{j}]": edge for j, edge in enumerate(self.edges)})
        if not 0 < len(self.edges) < MOST_CHARGED or any(np.diff(self.edges) <= 0):
            raise ArgumentError("edges", self.edges, f"1 to {MOST_CHARGED - 1} increasing numbers")
