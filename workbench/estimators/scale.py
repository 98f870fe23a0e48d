"""The private standard deviation of a column, its mean unknown.  Karwa & Vadhan 2018, Section 4.

Rows x of shape (n,), of which nothing is known, or sigma within [lower, upper]. Neighbours: replace one row.
Differences are those of rows that are neighbours in the order given, so that a row touches one of them:

    (1) D_i = |x_{2i} - x_{2i-1}|/√2, i ≤ m = ⌊n/2⌋

"paper", by a histogram of binary exponents:

    (2) key_i = e with 2^(e-1) ≤ D_i < 2^e, or "zero" for D_i = 0
    (3) ê = the largest bin of a private histogram of the keys
    (4) out = 2^(ê+1)        sigma ≤ out ≤ 8 sigma, or, twice as large, sigma ≤ out ≤ 16 sigma

Exponents are those of the float itself (frexp), no logarithm is rounded. Without a range of scales the
histogram is stability-based; with one it is finite and pure. "tight", ours, stated by no source:

    (5) ln s = window-median position of ln(D_i/.67449), whose median is ln sigma for normal rows, window
        [-4.2, 1.9], with a share a of the budget. Where no range is told it is [1e-300, 1e101], in which any
        column's scale is, or 0: ties are at its low end, and a place there is no answer
    (6) V_j = (variance within group j of g rows that follow each other)/s², q = ⌊n/g⌋ groups;
        y = mean(clip(V, lo, hi)) + noise, of sensitivity (hi - lo)/q given s
    (7) out = s √(h⁻¹(y)), h(v) the mean of clipped v χ²_ν/ν, ν = g - 1: for normal rows v = sigma²/s²

a, g, lo and hi minimise a predicted error, a function of n, budget and range alone; where the optimum is
a = 1, s is the output. D is then of all pairs in k blocks of b ≤ 64 rows that follow each other,
|x_i - x_j|/√2 for i < j: a row touches b - 1 of k b(b - 1)/2, which takes no more noise than one of n/2, and
they say more.
Proof: `proofs/univariate.md`.
"""

from dataclasses import replace
from functools import lru_cache
from math import exp, expm1, frexp, inf, log, pi, sinh, sqrt
from typing import ClassVar

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.base import Abstention, Univariate
from workbench.estimators.shared.budgets import composed, divided, mean_charge, require_selection
from workbench.estimators.shared.noisy_means import median_norm, noise_quantile, noise_sd, uniform_deviation
from workbench.estimators.shared.rows import mean_in_box, only_present, present
from workbench.estimators.shared.window_median import (
    WindowMedian,
    located_within,
    location_law,
    median_beyond,
)
from workbench.linalg import fewest
from workbench.privacy import ZCDP, ApproxDP, Budget, Charge, NoiseSource, Plan, PureDP
from workbench.privacy.grid import OnGrid
from workbench.privacy.histograms import (
    finite_histogram,
    histogram_charge,
    largest_noise,
    stability_charge,
    stability_threshold,
    stable_mode,
)
from workbench.privacy.mechanisms import additive
from workbench.special import brentq, chdtr, chdtri, ndtr
from workbench.types import Array, Calibration, frozen, public, remembered

LEAST_ROWS = 4
RANGE = (1e-300, 1e101)  # of scales where none is told: columns of numbers up to 1e100 have no larger one
LOST = 0.05  # the chance of a wrong place in that range, above which n is refused
ZERO = -5000  # the key of D = 0, below every exponent of a float
FULLEST = 0.2895  # least mass of the best bin of exponents, over all positions of the grid
FAR_BELOW = {8: 0.1974126514, 16: 0.0994764497}  # P(|Z| < 2/factor): all bins that would make out < sigma
LEFT, RIGHT = 4.2, 1.9
HALF_NORMAL_MEDIAN = 0.6744897501960817
MEDIAN_DENSITY = 0.42872  # of a log difference at its median
BLOCK, MOST_PAIRED = 64, 100_000  # rows of a block of pairs, and of all blocks, at most
SHARED = 0.0266  # variance of P(D is below its median) given one of the two rows
LARGEST_RATIO = 64.0  # sigma²/s² is taken to lie within [1/64, 64]
GROUPS = (2, 3, 4, 6, 9, 14, 22, 35)
TAILS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3)
LOCATION_SHARES = (0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def pair_differences(x: Array) -> Array:
    """Return D of (1); an odd last row is unused."""
    even = len(x) - len(x) % 2
    return np.abs(x[1:even:2] - x[:even:2]) / np.sqrt(2.0)


def blocks(n: int) -> tuple[int, int]:
    """Return how many blocks there are, k, and of how many rows, b; fewer than k rows are unused."""
    k = -(-n // BLOCK)
    return k, n // k


def all_differences(x: Array) -> Array:
    """Return |x_i - x_j|/√2 for all i < j of a block, block by block."""
    k, b = blocks(len(x))
    first, second = np.triu_indices(b, 1)
    rows = x[: k * b].reshape(k, b)
    return (np.abs(rows[:, first] - rows[:, second]) / np.sqrt(2.0)).ravel()


def exponents(differences: Array) -> Array:
    """Return the binary exponent of every difference, ZERO for 0, NaN for an absent one."""
    keys = np.where(differences > 0, np.frexp(differences)[1], ZERO).astype(np.float64)
    return np.where(present(differences), keys, np.nan)


@frozen
class Winsor:
    """Group size and clip of (6), and moments of clipped variances for v = sigma²/s²."""

    group: int
    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low

    @property
    def middle(self) -> float:
        return self.low + self.width / 2

    def moment(self, v: Array, power: int, inside: Array) -> Array:
        nu = self.group - 1
        below, above = chdtr(nu, nu * self.low / v), 1 - chdtr(nu, nu * self.high / v)
        return self.low**power * below + self.high**power * above + inside

    def between(self, v: Array, more: int) -> Array:  # P(low < v χ²_{ν+more}/ν < high)
        nu = self.group - 1
        return chdtr(nu + more, nu * self.high / v) - chdtr(nu + more, nu * self.low / v)

    def mean(self, v: Array) -> Array:  # h
        return self.moment(v, 1, v * self.slope(v))

    def slope(self, v: Array) -> Array:  # h'
        return self.between(v, 2)

    def variance(self, v: Array) -> Array:
        nu = self.group - 1
        second = self.moment(v, 2, v * v * (nu + 2) / nu * self.between(v, 4))
        return np.maximum(second - self.mean(v) ** 2, 0.0)

    def inverse(self, y: float) -> float:
        """Return the v in [1/64, 64] with h(v) = y, after clipping y to the values taken there."""

        def excess(log_v: float) -> float:
            return float(self.mean(np.exp(log_v))) - y

        far = log(LARGEST_RATIO)
        if excess(-far) >= 0:
            return 1 / LARGEST_RATIO
        return LARGEST_RATIO if excess(far) <= 0 else float(np.exp(brentq(excess, -far, far, xtol=1e-12)))

    def ratios(self, x: Array, log_s: float) -> Array:
        q = len(x) // self.group
        spread = _spread(x[: q * self.group].reshape(q, self.group))
        with np.errstate(divide="ignore", over="ignore"):
            return np.exp(2 * (np.log(spread) - log_s))

    def statistic(self, x: Array, log_s: float) -> OnGrid:
        ratios = self.ratios(x, log_s)
        if not present(ratios).all():  # a group without two rows has the ratio to expect if s is sigma
            ratios = np.where(present(ratios), ratios, self.mean(np.float64(1.0)))  # type: ignore[arg-type]
        return mean_in_box(ratios, lambda ratios: ratios - self.middle, self.width / 2)


def _spread(groups: Array) -> Array:  # of the numbers that are there; NaN where they are fewer than two
    there = present(groups[..., None])
    if there.all():
        return groups.std(axis=1, ddof=1)
    left = there.sum(axis=1)
    values = np.where(there, groups, 0.0)
    away = np.where(there, groups - (values.sum(axis=1) / np.maximum(left, 1))[:, None], 0.0)
    squares = (away * away).sum(axis=1) / np.maximum(left - 1, 1)
    return np.where(left > 1, np.sqrt(squares), np.nan)


@public
class Scale(Univariate[float]):
    """Private standard deviation of one column, its mean unknown (KV18 Section 4).

    Accurate for normal rows, at least 4, of any mean. Without a range of sigma the release is "no answer"
    where most pairs of rows are equal, and fewer rows are refused than find the place, 45 at ε = 1.
    Guarantee: central model, one replaced row, for every input. Budgets: PureDP and ZCDP, and ApproxDP with
    delta > 0: delta is not spent. "paper" without a range: ApproxDP or ZCDP, with delta above 0 and below
    1/2. From n = 60 on at ε = 1 a range gains nothing.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. Its
    pairs are absent, and its group says what its other rows say.

    Parameters
    ----------
    lower : float or None, default None
        Least standard deviation, given with `upper` or not at all.
    upper : float or None, default None
        Largest standard deviation, given with `lower` or not at all.
    calibration : {"paper", "tight"}, default "tight"
        "paper" finds it up to a factor of 8, "tight" to a few per cent.

    Examples
    --------
    >>> from workbench.privacy import PureDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=1000)
    >>> release = Scale()(x, budget=PureDP(1.0), rng=np.random.default_rng(2))
    >>> abs(release.value - 1.0) < 0.1
    True
    """

    lower: float | None = None
    upper: float | None = None
    calibration: Calibration = "tight"

    least_rows = 1  # and LEAST_ROWS, or those that find the place
    untold: ClassVar[tuple[float | None, float | None]] = RANGE

    def _validate(self) -> None:
        if (self.lower is None) != (self.upper is None):
            raise ArgumentError("upper", self.upper, "a number if and only if lower is one")
        if self.lower is not None and self.upper is not None and self.lower >= self.upper:
            raise ArgumentError("upper", self.upper, f"a number above lower = {self.lower:g}")

    @property
    def ends(self) -> tuple[int, int] | None:
        if self.lower is None or self.upper is None:
            return None
        return frexp(self.lower)[1] - 3, frexp(self.upper)[1] + 3

    @property
    def locator(self) -> WindowMedian:
        low, high = (end and log(end) for end in self.range)
        return WindowMedian(left=LEFT, right=RIGHT, low=low, high=high)

    @property
    def range(self) -> tuple[float | None, float | None]:
        return (self.lower, self.upper) if self.lower else self.untold

    def spent(self, budget: Budget) -> Budget:  # without its delta, but where a histogram needs it
        told = self.lower if self.calibration == "paper" else self.range[0]
        match budget:
            case ApproxDP(epsilon, delta) if told and delta > 0:
                return PureDP(epsilon)
            case ZCDP(rho) if told:
                return ZCDP(rho)
        return budget

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        budget = self.spent(budget)
        if n < LEAST_ROWS and (self.calibration == "paper" or self.range is not RANGE):
            raise ArgumentError("n", n, f"at least {LEAST_ROWS}")
        if self.calibration == "paper" and self.ends:
            require_selection(budget)
            return histogram_charge("exponent", budget)
        if self.calibration == "paper":
            return stability_charge("exponent", budget)
        self.locator.charge("log-scale", budget)  # raises for the whole budget, not for a share of it
        design = self.design(max(n, LEAST_ROWS), budget)
        if self.range is RANGE and (n < LEAST_ROWS or design.failure > LOST):  # among 400 decades
            least = fewest(lambda n: self.design(n, budget).failure <= LOST or None, LEAST_ROWS)
            raise ArgumentError("n", n, f"at least {least} at {budget}, or lower= and upper=")
        if design.winsor is None:
            return design.locator.charge("log-scale", budget)
        locate, mean = divided(budget, design.share)
        variance = _mean_charge(n, design.winsor.group, design.winsor.width, mean)
        return composed(budget, self.locator.charge("log-scale", locate), variance)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> float | Abstention:
        plan = self.plan(len(x), 1, budget)
        if self.calibration == "tight":
            return self.drawn(x, plan, self.design(len(x), budget), noise)
        exponent = self.exponent(x, plan["exponent"], noise)
        if isinstance(exponent, Abstention):
            return exponent
        return 0.0 if exponent == ZERO else 2.0 ** min(exponent + 1, 1000)  # (4)

    def exponent(self, x: Array, charge: Charge, noise: NoiseSource) -> int | Abstention:  # ê
        keys = exponents(pair_differences(x))  # (1) (2)
        if self.ends is None:  # (3)
            mode = stable_mode(keys, charge, noise)
            return int(mode) if isinstance(mode, float) else Abstention(charge.step)
        low, high = self.ends
        bins = np.clip(only_present(keys) - low, 0, high - low).astype(np.int64)
        return low + int(np.argmax(finite_histogram(bins, high - low + 1, charge, noise)))

    def drawn(
        self, x: Array, plan: Plan, design: "ScaleDesign", noise: NoiseSource
    ) -> float | Abstention:  # charges and clip may be those for more rows
        locator, winsor = design.locator, design.winsor
        differences = pair_differences(x) if locator.touched == 1 else all_differences(x)  # (1)
        with np.errstate(divide="ignore"):
            points = np.log(differences) - log(HALF_NORMAL_MEDIAN)
        least = -inf if self.lower or locator.low is None else locator.low
        log_s = locator.draw(np.maximum(points, least), plan["log-scale"], noise)  # (5)
        if log_s is None or log_s < least + LEFT:
            return Abstention("log-scale")
        if winsor is not None:
            noisy = float(additive(winsor.statistic(x, log_s), plan["variance"], noise))  # (6)
            log_s += log(winsor.inverse(winsor.middle + noisy)) / 2  # (7)
        return float(np.exp(np.clip(log_s, -700.0, 700.0)))

    def found(self, n: int, cost: Budget, beta: float, factor: int = 8) -> bool:
        # sigma ≤ 2^(ê+1) factor/8 ≤ factor·sigma but with probability beta, for normal rows: Hoeffding for
        # four sets takes beta/2: the best bin; the largest bin that makes out < sigma, all below it, and all
        # that make out too large, each of mass at most P(|Z| < 2/factor). The noise takes beta/2
        m = n // 2
        bins = m if self.ends is None else self.ends[1] - self.ends[0] + 1
        deviation, noise = sqrt(m * log(8 / beta) / 2), largest_noise(bins, cost, beta / 2)
        found = (FULLEST - FAR_BELOW[factor]) * m > 2 * deviation + 2 * noise
        kept = self.ends is not None or FULLEST * m - deviation - noise >= stability_threshold(cost)
        return found and kept

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a proved bound on |out/sigma - 1| for normal rows; 7 or infinity for "paper".

        DKW for differences and for group variances, location and noise take beta/4 each.
        """
        plan = self.plan(n, d, budget)
        if self.calibration == "paper":
            return 7.0 if self.found(n, plan["exponent"].cost, beta) else inf
        design, part = self.design(n, budget), beta / 4
        winsor, locator, pairs = design.winsor, design.locator, n // 2
        deviation = uniform_deviation(pairs, part)
        if locator.touched > 1:
            k, b = blocks(n)
            deviation, pairs = _deviation_of_all(k * (b // 2), part), k * b * (b - 1) // 2
        one = locator.of_a_point(plan["log-scale"].cost)
        apart = located_within(locator, pairs, one, part, log_difference_cdf, deviation)
        if winsor is None or apart > log(LARGEST_RATIO) / 4:
            return expm1(apart) if winsor is None and apart < 700 else inf
        spread = winsor.width * uniform_deviation(n // winsor.group, part)
        return _worst_ratio(winsor, apart, spread + noise_quantile(plan["variance"], part))

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out/sigma - 1| for normal rows; infinite where most runs miss it."""
        plan = self.plan(n, d, budget)
        if self.calibration == "paper":
            return 7.0 if self.found(n, plan["exponent"].cost, 0.5) else inf
        design = self.design(n, budget)
        apart = design.rms * median_norm(1, design.failure)
        if design.winsor is None:  # its law is peaked, and no normal one
            u, weights, failure, sampling = _law(design.locator, n, plan["log-scale"].cost)
            apart = median_beyond(np.abs(u), (1 - failure) * weights, sampling, 1)
        return sinh(apart) if apart < log(LARGEST_RATIO) else inf

    def design(self, n: int, budget: Budget) -> "ScaleDesign":
        return _scale_design(self, n, budget)


def log_difference_cdf(u: Array) -> Array:  # of normal rows, less ln sigma
    return 2 * ndtr(HALF_NORMAL_MEDIAN * np.exp(np.minimum(u, 50.0))) - 1


def _deviation_of_all(pairs: int, beta: float) -> float:
    """Return a D that sup |F_N - F| of all pairs exceeds with probability at most beta (Hoeffding 1963).

    So many of them share no row.
    """

    def excess(y: float) -> float:
        return exp(-2 * y * y) + 4 * sqrt(pi) * y * exp(-y * y) - beta

    return brentq(excess, 1.0, 40.0) / sqrt(2 * pairs)


def _worst_ratio(winsor: Winsor, apart: float, deviation: float) -> float:
    """Return the largest |out/sigma - 1| over |ln s - ln sigma| ≤ apart (a grid) and deviations of h."""
    worst = 0.0
    for u in np.linspace(-apart, apart, 101):
        for shift in (-deviation, deviation):
            reached = winsor.inverse(float(winsor.mean(np.exp(-2 * u))) + shift)
            if not 1 / LARGEST_RATIO < reached < LARGEST_RATIO:
                return inf
            worst = max(worst, abs(sqrt(reached) * float(np.exp(u)) - 1))
    return worst


@frozen
class ScaleDesign:
    share: float
    locator: WindowMedian
    winsor: Winsor | None
    rms: float  # of ln(out/sigma)
    failure: float  # the chance of no or a wrong location


def _mean_charge(n: int, group: int, width: float, cost: Budget) -> Charge:
    return mean_charge("variance", width / (n // group), cost)


@remembered
def _scale_design(of: Scale, n: int, budget: Budget) -> ScaleDesign:
    budget, one = of.spent(budget), of.locator
    pairs = one if one.low is None or n > MOST_PAIRED else replace(one, touched=blocks(n)[1] - 1)
    alone = best = ScaleDesign(1.0, pairs, None, *_location(pairs, n, budget))
    for share in LOCATION_SHARES:
        locate, mean = divided(budget, share)
        sd, failure = _location(one, n, locate)
        v = np.exp(-2 * sqrt(3) * sd * np.array([-1.0, 0.0, 1.0]))  # of three points for N(ln sigma, sd²)
        for group in (group for group in GROUPS if 2 * group <= n):
            together, clips = _clips(group)
            noise = noise_sd(_mean_charge(n, group, 1.0, mean)) * together.width
            variance = together.variance(v) / (n // group) + noise**2
            squared = variance / np.maximum(2 * (v * together.slope(v)), 1e-12) ** 2
            rms = np.sqrt(squared @ np.array([1 / 6, 2 / 3, 1 / 6]))
            least = int(np.argmin(rms))
            if rms[least] + failure < best.rms + best.failure:
                best = ScaleDesign(share, one, clips[least], float(rms[least]), failure)
    return best if best.failure <= 0.5 else alone


def _location(locator: WindowMedian, n: int, cost: Budget) -> tuple[float, float]:
    # the sd of ln s - ln sigma, sampling included, and the chance of a miss
    u, weights, failure, sampling = _law(locator, n, cost)
    mechanism = float(weights @ u**2) if failure < 1 else 1.0
    return sqrt(mechanism + sampling**2), failure


def _law(locator: WindowMedian, n: int, cost: Budget) -> tuple[Array, Array, float, float]:
    # the law of the mechanism's offset, the chance of a miss, and the sd of sampling
    pairs, alike = n // 2, float(n // 2)  # so many independent ones say as much
    if locator.touched > 1:
        k, b = blocks(n)
        pairs = k * b * (b - 1) // 2
        alike = 2 * pairs / (16 * (b - 2) * SHARED + 2)
    law = location_law(locator, pairs, locator.of_a_point(cost), log_difference_cdf, 2.0)
    return *law, 1 / (2 * MEDIAN_DENSITY * sqrt(alike))


@lru_cache(maxsize=len(GROUPS))
def _clips(group: int) -> tuple[Winsor, tuple[Winsor, ...]]:
    nu = group - 1  # all clips of the grid: together, their ends as columns, and one by one
    ends = [(chdtri(nu, 1 - low) / nu, chdtri(nu, high) / nu) for low in TAILS for high in TAILS]
    low, high = np.array(ends).T[:, :, None]
    return Winsor(group, low, high), tuple(Winsor(group, float(one), float(two)) for one, two in ends)
