"""Private confidence intervals for the mean of a column.  Karwa & Vadhan 2018; more than half is ours.

Rows x of shape (n,). Neighbours: replace one row. No answer from a step gives the whole line.

**Normal rows**, a known or an unknown sigma. Coverage is at least 1 - level for every mean, sigma and n (for
|mean| up to 1e12 sigma, where floats resolve it). "tight", ours:

    (1) s = sigma, or `univariate/scale`, tight, its log scale placed as a mean is, without a range, with a
        share of ε and half of δ that a public width formula chooses
    (2) est = s · the tight mean of x/s, anywhere (`two_step.WindowMean`), with the rest
    (3) est ± q s, q a critical value of the pivot T = (est - mean)/s, whose distribution depends on public
        numbers only. `UnboundedMean` has the same steps for s = sigma

On n standard normal rows of mean z̄ and standard deviation S let R = (est - z̄)/S and u = s/S. Both are
independent of √n z̄/S, which has Student's distribution F of n - 1 degrees:

    P(|T| > q) = E[F(√n (R - qu)) + F(-√n (R + qu))]             sigma known: s = S = u = 1, F normal

    (4) B = 200 runs with public seeds, 2/level if that is more, those without an answer left out; at least
        half have to be left. A level below 1e-4 is that of the whole line
    (5) p_b(q) = the bracket's mean over 32 draws of the noise of the last step; q: the largest at which the
        mean of p_b + 5 (sd of p_b)/√B is the level
    (6) n > 1000: m = 1000 rows and n/m times the ε; F and √n are those of n. What the step of the mean,
        without noise, differs by from its expectation given centre and scale is multiplied by √(m/n)
    (7) where the noisy share of rows that are there, drawn with the mean, is not 1: a = a share that is
        absent at most, with chance 1 - .05 level, rounded up to 2 %; q is that at .95 level, a n rows of each
        run being absent at random

(4) and (5) are proved but for the normal approximation of a mean of B numbers, (6) is measured:
`proofs/univariate.md`, section 9.

"paper" for a known sigma (Theorem 3.1), z = x/sigma, a = level:

    (1) c = stability-based histogram location of z with .2 ε and all of δ
    (2) est = c + mean(clip(z - c, ±w)) + Lap(b),  w = 2.5 + √(2 ln(4n/(.1a))),  b = 2w/(.8 ε n)
    (3) est ± the (1 - .9a) quantile of |N(0, 1/n) + Lap(b)|, times sigma

Union: .9a for (3), .05a for clipping, .05a for a wrong place; where n is too small to show the last, the
whole line. "paper" for an unknown sigma (Theorem 5.1), m = ⌊n/2⌋, differences D_i of pairs, shares .2, .15,
.3, .35 of ε and δ/2 for each histogram:

    (1) ê = exponent histogram of D; s = 2^(ê+2), so that sigma ≤ s ≤ 16 sigma
    (2) c = stability-based histogram of x/s with bins of width 1                 within 1.5 s of the mean
    (3) V = B/2 + mean(clip(D² - B/2, ±B/2)) + Lap(B/(.3 ε m)),  B = 2 s² ln(2m/(.05a))
    (4) σ_hi² = (V + B ln(1/(.1a))/(.3 ε m)) m/χ²_m(.1a), at most s²                  lower quantile of χ²_m
    (5) est = c + mean(clip(x - c, ±w)) + Lap(2w/(.35 ε n)),  w = 1.5 s + σ_hi √(2 ln(4n/(.1a)))
    (6) est ± the (1 - .7a) quantile of |N(0, σ_hi²/n) + Lap(2w/(.35 ε n))|

Union: .05a for clipping D², .05a for the noise of V, .1a for χ², .05a for clipping x, .7a for (6), whose mean
of x is independent of all D_i, .05a for (1) and (2) together. Where n is too small to show the last, and for
a constant column, the whole line. Constants of "paper" are ours, the source's are not explicit.

**Any distribution with a fourth moment** (`IntervalMean`, ours): skewed, discrete, or mostly ties.

    (1) s = a scale that .15 of the pair differences exceed, within 1e±15; a tie is -∞    (`RankWindow`)
    (2) k = pair differences of s/8 or more + noise. Rows are *spread* if k is twice the rank of (1) and a
        margin, and s is not at the low end of its range; else they *pile up* on one value, without a scale
    (3) c = window-median position without a range, of x/s ± 1; piled up: of x ± 2^-38 of it. None, or where
        rows are capped at ±1e15: no answer
    (4) spread: r_0, r_1 = radii round c that about k_0 = 4 k_1 and k_1 rows lie beyond, from s/4 to 64 s,
        G = r_1 + the mean excess that both tell, b = where 3 rows would be left, f = 2b
        piled up: r_1 = b = G = a radius that about k_2 rows lie beyond, anywhere, f = 3b; r_0 is drawn, but
        not used, so that what is drawn does not depend on the branch
    (5) y = mean of (w, above, below, far) + noise, of sensitivity 2/n. A row up to r_1 has w = z/G, up to b
        w = ±1; up to f it counts as 1 above or below, farther as 1 that is far
    (6) v = mean(w²) + noise, of sensitivity 1/n
    (7) no answer if more are far than noise explains or, piled up, if v is noise: r_1 is of no rows then
    (8) s (c + G (w ± (q + doubt))), q the quantile of N(0, (v - w²)/n) and the noise together. Rows that are
        seen above or below lie 1.5b away, which is in doubt by b/2; piled up, unseen ones may be there

k_1 is about 10/ε of step (4): fewer could not be told from none. Rows between r_1 and b count as if at G, so
that clipping does not bias the mean where the tail is as guessed: if its log survival is concave in the log
distance and it is no lighter than exponential, its mean excess lies between

    r_1 (1 - e^-u)/λ     the tail of an exponential distribution,     u = ln(r_1/r_0), λ = ln(k_0/k_1)
    r_1 / (λ/u - 1)      a power of the distance, which has a mean for u < λ

half of their difference times k_1/n being the doubt in (8). Where n leaves no k_0 the plan refuses. With E
the ε of a choice that has the whole budget, shares are

    scale, support, centre   18/(rank · E), 50/(nE) and 70/(nE), between .01 and .3: no more is asked of them
    of the rest              .13 inner radius, .38 outer radius, .40 mean, .09 variance
    under zCDP               the squares of these, of ρ

Constants are chosen, on other distributions than those of the claims but for rare events (.1). (5) and (6)
are over the share p/n of rows that are there, drawn with (5) at no cost (`shared.noisy_means`), and the
widths of (8) are for p rows. Proof: `proofs/univariate.md`, sections 1.5 and 11.
"""

from dataclasses import replace
from functools import lru_cache, partial
from math import ceil, exp, expm1, inf, log, sqrt

import numpy as np

from workbench.distributions import Interval as ConfidenceInterval
from workbench.errors import MOST_LOSS, ArgumentError, probability
from workbench.estimators.base import FARTHEST, Abstention, Univariate, standardised
from workbench.estimators.bounded import BoundedMean
from workbench.estimators.histograms import BEST, REACH, UnitHistogram
from workbench.estimators.release import FOR_OTHERS
from workbench.estimators.scale import LEAST_ROWS, ZERO, Scale, pair_differences
from workbench.estimators.shared.budgets import composed, divided, mean_charge
from workbench.estimators.shared.noisy_means import (
    FAR,
    LEAST_SHARE,
    SURE,
    charge_of_share,
    half_width,
    mean_and_share,
    noise_quantile,
    noise_sd,
)
from workbench.estimators.shared.rows import mean_in_box, only_present, present, with_count
from workbench.estimators.shared.window_median import RankWindow, WindowMedian, selection_epsilon
from workbench.estimators.two_step import Stepwise, WindowMean, clipped_mean, expected_clip, sensitivity
from workbench.linalg import fewest
from workbench.privacy import (
    ZCDP,
    ApproxDP,
    Budget,
    Charge,
    NoiseSource,
    Plan,
    PureDP,
    Sequential,
    SimulatedNoise,
)
from workbench.privacy.grid import OnGrid
from workbench.privacy.histograms import stability_charge
from workbench.privacy.mechanisms import additive
from workbench.special import brentq, chdtri, ndtr, ndtri, stdtr
from workbench.types import Array, Calibration, frozen, public, remembered

WHOLE_LINE = ConfidenceInterval()


class AnyScale(Scale):  # in no range at all, so that its law is that of every sigma
    untold = (None, None)


MEAN, SCALE, LOCATION = WindowMean(None), AnyScale(), UnitHistogram(None, "tight")
SCALE_SHARES = (0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6)
T_EXPANSION = 2.42  # t-quantile over z-quantile at the 95 % level: 1 + 2.42 r², r the sd of ln s
RUNS, NOISES, MOST_SIMULATED, SEED = 200, 32, 1000, 20191126
LEAST_LEVEL = 1e-4
STANDARD_ERRORS = 5.0  # of the mean of (5), whose distribution is skewed
DOUBT, PER_SHARE = 0.05, 50  # of the level for (7); one over what shares are rounded to
OFFSETS = np.linspace(-FAR, FAR, 4001)  # between which a step of Huber's is interpolated
KNOWN_SHARE, PAPER_SHARES = 0.2, (0.2, 0.15, 0.3)
ONE_SIDE = 0.15865525393145707  # P(Z > 1): the most mass of a bin whose centre is more than 1.5 s away


def pivotal_width(
    n: int, mean: Budget, level: float, there: float = 1.0, scale: Budget | None = None
) -> float:
    """Return q for a noisy share of rows; infinite where few runs answer, or few rows may be there."""
    if there == 1:
        return critical_value(n, mean, level, 0.0, scale)
    margin = noise_quantile(charge_of_share(MEAN.plan(n, mean)["mean"], n), 2 * DOUBT * level)
    absent = ceil(PER_SHARE * (1 - there + margin) * (1 - 1e-12)) / PER_SHARE
    if absent > 1 - LEAST_SHARE:
        return inf
    return critical_value(n, mean, (1 - DOUBT) * level, absent, scale)  # (7)


@remembered
def critical_value(n: int, mean: Budget, level: float, absent: float, scale: Budget | None) -> float:
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
        return chances.mean(axis=1)  # (5)

    def excess(q: float) -> float:
        chances = missed(q)
        return float(chances.mean() + STANDARD_ERRORS * chances.std(ddof=1) / sqrt(len(chances))) - level

    high = 1 / root
    while missed(high).max() > level / (1 + STANDARD_ERRORS):  # then there is no excess at any larger q
        high *= 2
    while excess(0.9 * high) <= 0:
        high *= 0.9
    return brentq(excess, 0.9 * high, high, xtol=1e-9 * high)


@lru_cache(maxsize=64)
def runs(count: int, n: int, mean: Budget, absent: float, scale: Budget | None) -> tuple[Array, Array]:
    # R, shape (B, 32), and u, shape (B, 1), of the runs of (4) that answer
    m = min(n, MOST_SIMULATED)
    gone, apart, units = ceil(absent * m), [], []
    rng = np.random.default_rng(SEED)
    noise, means, clip = SimulatedNoise(rng), _on_fewer(MEAN.plan(n, mean), n / m), MEAN.design(n, mean).clip
    curve = expected_clip(OFFSETS, clip)
    if scale is not None:
        scales, design = _on_fewer(SCALE.plan(n, 1, scale), n / m), SCALE.design(n, scale)
    for _ in range(count if m - gone > 1 else 0):
        z, s, unit = rng.standard_normal(m), 1.0, 1.0
        z[rng.permutation(m)[:gone]] = np.nan  # (7)
        rows = only_present(z)
        if scale is not None:
            drawn = SCALE.drawn(z, scales, design, noise)
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
            expected = wide * expected_clip(np.asarray((middle / s - centre) / wide), clip / wide)
            meant = np.interp(expected, curve, OFFSETS)
        sampled = sqrt(m / n) * (still - meant)  # (6)
        apart.append((s * (centre + meant + sampled + noisy - still) - middle) / unit)
        units.append(s / unit)
    return np.array(apart).reshape(-1, NOISES), np.array(units).reshape(-1, 1)


def _on_fewer(plan: Plan, factor: float) -> Plan:
    charges = []
    for charge in plan.charges():
        cost: Budget = charge.cost
        if charge.mechanism == "window_median":
            cost = ApproxDP(min(factor * selection_epsilon(cost), MOST_LOSS), getattr(cost, "delta", 0.0))
        elif isinstance(cost, PureDP):
            cost = PureDP(min(factor * cost.epsilon, MOST_LOSS))
        elif isinstance(cost, ZCDP):
            cost = ZCDP(min(factor**2 * cost.rho, MOST_LOSS))
        charges.append(replace(charge, sensitivity=factor * charge.sensitivity, cost=cost))
    return Sequential("basic", tuple(charges))


@public
class UnboundedMean(Stepwise):
    """Private mean of one column, its range unknown (L17 Theorem 2.8).

    Accurate for normal rows of standard deviation `sigma`, wherever their mean is; with too few of them the
    release is "no answer". Parameters and `release.interval()` as of `TwoStepMean`.
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP, or ZCDP, with delta > 0,
    below 1/2 for "paper".
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    others' mean is left, as in `TwoStepMean`.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=1000)
    >>> release = UnboundedMean(sigma=1.0)(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> abs(release.value - 3.0) < 0.2
    True
    """

    radius = None
    sigma: float
    beta: float = 0.05
    calibration: Calibration = "tight"

    def interval_reach(self, n: int, d: int, budget: Budget, level: float) -> float:
        """Return the critical value of the pivot (out - mean)/sigma, in the unit of the data."""
        if self.calibration == "paper":
            return self.error_bound(n, d, budget, level)
        return self.sigma * pivotal_width(n, budget, level)


class OfLevel(Univariate[ConfidenceInterval]):
    level: float

    def _validate(self) -> None:
        probability(level=self.level)

    def normal_reach(self, n: int) -> float:  # of "paper": sds beyond which some row is, chance .05 level
        return sqrt(2 * log(4 * n / (0.1 * self.level)))

    def pivotal(
        self, x: Array, s: float, cost: Budget, noise: NoiseSource, scale: Budget | None = None
    ) -> ConfidenceInterval:  # for an s that `scale` was spent on
        found = MEAN.counted(standardised(x, 0.0, s), cost, noise)  # (2)
        if isinstance(found, Abstention):
            return WHOLE_LINE
        middle, there = found
        reach = s * pivotal_width(len(x), cost, self.level, there, scale)  # (3)
        return ConfidenceInterval(s * middle - reach, s * middle + reach)


@public
class Interval(OfLevel):
    """Private confidence interval for the mean of one column, sigma known (KV18 Theorem 3.1).

    Covers the mean of normal rows of standard deviation `sigma` only, with probability 1 - `level`, wherever
    the mean is and whatever n is; for other rows use `IntervalMean` (n at least about 1200/ε) or, between
    bounds, `BoundedMean(low=, high=)` and its `release.interval()`. Where there is no answer it is the whole
    line.
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP, or ZCDP, with delta > 0,
    below 1/2 for "paper".
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    share of the others is drawn with the mean at no cost: where more are absent than its noise hides, the
    interval is wide enough, if they are absent at random. "paper" is as wide as for n rows: where a share s
    is absent, too narrow by √(1 - s) and drawn to a private place near the mean.

    Parameters
    ----------
    sigma : float
        Standard deviation of the rows, known.
    level : float, default 0.05
        Chance, at most, of missing the mean.
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the constants of the source, "tight" ours: the same guarantee, less noise.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=1000)
    >>> release = Interval(sigma=1.0)(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> release.value.contains(3.0)
    True
    """

    laws = f"normal rows of standard deviation sigma only; {FOR_OTHERS}"

    sigma: float
    level: float = 0.05
    calibration: Calibration = "tight"

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        if self.calibration == "tight":
            return MEAN.plan(n, budget)
        LOCATION.charge("locate", budget)  # raises for the whole budget, not for a share of it
        locate, mean = divided(budget, KNOWN_SHARE)
        step = mean_charge("mean", sensitivity(n, self.window(n)), mean)
        return composed(budget, LOCATION.charge("locate", locate), step)

    def window(self, n: int) -> float:
        return REACH + self.normal_reach(n)

    def half_width(self, n: int, budget: Budget) -> float:
        if self.calibration == "tight":
            return self.sigma * pivotal_width(n, budget, self.level)
        plan = self.plan(n, 1, budget)
        if LOCATION.error_bound(n, plan["locate"].cost, 0.05 * self.level) == inf:
            return inf
        return self.sigma * half_width(0.9 * self.level, 1 / sqrt(n), plan["mean"])

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> ConfidenceInterval:
        if self.calibration == "tight":
            return self.pivotal(x, self.sigma, budget, noise)
        n, plan, z = len(x), self.plan(len(x), 1, budget), standardised(x, 0.0, self.sigma)
        centre = LOCATION.draw(z, plan["locate"], noise)  # (1)
        if isinstance(centre, Abstention):
            return WHOLE_LINE
        noisy = additive(clipped_mean(z, centre, self.window(n)), plan["mean"], noise)  # (2)
        middle, reach = self.sigma * (centre + float(noisy)), self.half_width(n, budget)
        return ConfidenceInterval(middle - reach, middle + reach)  # (3)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return the half-width, a public number (infinite with the chance of no answer).

        All rows are taken to be there. Infinite for a beta at which noise may make some of them seem absent.
        """
        return self.half_width(n, budget) if beta >= SURE / 2 else inf


@public
class IntervalUnknownVariance(OfLevel):
    """Private confidence interval for the mean of one column, nothing known (KV18 Theorem 5.1).

    Covers the mean of normal rows only, with probability 1 - `level`, whatever mean, sigma and n are.
    Parameters, and what is for other rows, as of `Interval`. Where there is no answer it is the whole line.
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP, or ZCDP, with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. All
    else as of `Interval`; where few pairs are left it is the whole line.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=1000)
    >>> rng = np.random.default_rng(2)
    >>> release = IntervalUnknownVariance()(x, budget=ApproxDP(1.0, 1e-6), rng=rng)
    >>> release.value.contains(3.0)
    True
    """

    laws = f"normal rows only; {FOR_OTHERS}"

    level: float = 0.05
    calibration: Calibration = "tight"

    least_rows = LEAST_ROWS

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        if self.calibration == "tight":
            scale, mean = scale_and_mean(n, budget)
            return composed(budget, SCALE.plan(n, 1, scale), MEAN.plan(n, mean))
        SCALE.locator.charge("log-scale", budget)  # raises for the whole budget, not for a share of it
        exponent, locate, variance, mean = divided(budget, *PAPER_SHARES, deltas=(0.5, 0.5, 0.0, 0.0))
        return composed(
            budget,
            stability_charge("exponent", exponent),
            LOCATION.charge("locate", locate),
            mean_charge("variance", self.variance_cap(n) / (n // 2), variance),
            mean_charge("mean", sensitivity(n, 1.0), mean),
        )

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> ConfidenceInterval:
        if self.calibration == "paper":
            return self.from_histograms(x, budget, noise)
        scale, mean = scale_and_mean(len(x), budget)
        s = SCALE.estimate(x, scale, noise)  # (1)
        return WHOLE_LINE if isinstance(s, Abstention) else self.pivotal(x, s, mean, noise, scale)

    def from_histograms(self, x: Array, budget: Budget, noise: NoiseSource) -> ConfidenceInterval:
        n, plan = len(x), self.plan(len(x), 1, budget)
        exponent = SCALE.exponent(x, plan["exponent"], noise)  # (1)
        if isinstance(exponent, Abstention) or exponent == ZERO:
            return WHOLE_LINE
        s = 2.0 ** (exponent + 2)
        z = standardised(x, 0.0, s)
        centre = LOCATION.draw(z, plan["locate"], noise)  # (2)
        middle, ratios = self.variance_cap(n) / 2, standardised(pair_differences(x), 0.0, s)
        squares = mean_in_box(ratios, lambda part: part * part - middle, middle)
        square = float(additive(squares, plan["variance"], noise)) + middle  # (3)
        margin = noise_quantile(plan["variance"], 0.1 * self.level)
        upper = (square + margin) * (n // 2) / chdtri(n // 2, 1 - 0.1 * self.level)  # (4)
        spread = sqrt(upper) if 0 < upper < 1 else 1.0
        if isinstance(centre, Abstention) or not self.located(n, plan):
            return WHOLE_LINE
        window, reach = self.window_and_reach(n, spread, plan["mean"])
        unit = additive(clipped_mean(z, centre, window) / window, plan["mean"], noise)  # (5)
        middle = centre + window * float(unit)
        return ConfidenceInterval(s * (middle - reach), s * (middle + reach))  # (6)

    def variance_cap(self, n: int) -> float:
        return 2 * log(2 * (n // 2) / (0.05 * self.level))

    def window_and_reach(self, n: int, spread: float, charge: Charge) -> tuple[float, float]:
        # w of (5) and the half-width of (6), over s, for σ_hi = `spread` s
        window = 1.5 + spread * self.normal_reach(n)
        return window, window * half_width(0.7 * self.level, spread / sqrt(n) / window, charge)

    def located(self, n: int, plan: Plan) -> bool:
        # whether (1) and (2) surely fail with probability at most .05 level on normal rows
        exponent, locate, beta = plan["exponent"].cost, plan["locate"].cost, 0.05 * self.level / 2
        deviation = sqrt(n * log(6 / beta) / 2)
        noise = LOCATION.count_error(n, locate, beta / 2)
        apart = (BEST - ONE_SIDE) * n > 2 * deviation + 2 * noise
        kept = BEST * n - deviation - noise >= LOCATION.threshold(locate)
        return apart and kept and SCALE.found(n, exponent, beta, factor=16)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on half-width/sigma for normal rows: q times the bound on s/sigma.

        All rows are taken to be there; of beta, `SURE`/2 is for noise that makes some seem absent. That of
        "paper" is 16 times the half-width at σ_hi = s = 1: what a found scale allows.
        """
        plan = self.plan(n, d, budget)
        if self.calibration == "paper":
            found = self.located(n, plan) and beta >= 0.05 * self.level
            return 16 * self.window_and_reach(n, 1.0, plan["mean"])[1] if found else inf
        if beta <= SURE / 2:
            return inf
        cost, mean = scale_and_mean(n, budget)
        scale = SCALE.error_bound(n, 1, cost, beta - SURE / 2)
        return inf if scale == inf else pivotal_width(n, mean, self.level, scale=cost) * (1 + scale)


@remembered
def scale_and_mean(n: int, budget: Budget) -> tuple[Budget, Budget]:
    def width(share: float) -> float:
        scale, mean = divided(budget, share, deltas=(0.5, 0.5))
        scales, means = SCALE.design(n, scale), MEAN.design(n, mean)
        return means.rms * (1 + T_EXPANSION * scales.rms**2) + scales.failure + means.failure

    SCALE.locator.charge("log-scale", budget)
    scale, mean = divided(budget, min(SCALE_SHARES, key=width), deltas=(0.5, 0.5))
    return scale, mean


# Any distribution

PAIRS_BEYOND = 0.15  # of the pairs, those that differ by more than s
HEADS = ((18.0, 0.0, 0.3), (50.0, 0.01, 0.2), (70.0, 0.03, 0.2))  # over (its rows)E, least and most share
REST = (0.13, 0.38, 0.40, 0.09)
LEAST_WHOLE = 1200.0  # rows times E
NATS, WIDE_NATS, RATIO, LEAST_RATIO, LARGEST_SHARE = 4.8, 8.44, 4.0, 3.0, 0.2
CARRIED, NEARLY = 2.0, log(8.0)  # times the rank, pairs that differ by s/8
FARTHEST_LOG = 15 * log(10)
NEAREST_INNER, FARTHEST_INNER = log(0.25), log(64.0)  # over s
SCALE_WIDTH, INNER_WIDTH, OUTER_WIDTH, WIDE_WIDTH = 0.5, 0.1, 0.05, 0.1  # half widths of stretches, of logs
HEAVIEST = 1.25  # the least power of a tail that is dealt with
LEFT_BEYOND, NEAREST_FAR, FARTHEST_FAR = 3.0, 1.25, 3.0  # rows beyond b, which is between these times r_1
SEEN = 2.5  # sds of its noise by which a count differs from none
CAUTION = 0.35  # sds of its noise that are added to a variance, and the least that it may be
RESOLVED, TIED = 2.0**-40, 2.0**-37  # of an entry: differences that are ties, of two rows and from c
DROPPED = 13  # bits of a float, so that the others, as a whole number, stay below 1e15
CENTRE = WindowMedian(left=1.0, right=1.0)
FEW, MANY = 300, 5000  # rows from which skewed, and lognormal ones are covered at any budget


@public
class IntervalMean(OfLevel):
    """Private confidence interval for the mean of one column, of any distribution, nothing known (ours).

    For distributions with a fourth moment: skewed, discrete and two-valued ones as well as normal rows, most
    of which may be one value. Covers their mean with probability about 1 - `level` (simulated, not proved),
    with three exceptions:

    - Values in fewer than 100/ε rows, far from the others, are likely to be missed, and an answer then misses
      the mean: the release says how many rows that are. At ε = 1 and n = 1,200 normal rows of which 24 lie at
      8 standard deviations are covered .6 of the time; more other rows do not help.
    - A heavy or skewed tail with steps (coarse rounding, many rows at one far value) is covered .65 of the
      time at worst with 1,200/ε rows, .7 with 2,000/ε, .85 with 10,000/ε and as it should be with 20,000/ε;
      normal rows rounded to two standard deviations .93 of the time.
    - A smooth tail heavier than that of lognormal rows of log sd 1: at log sd 1.5 .87 to .94 of the time,
      where Student's interval without privacy has .89 to .94. At ε > 1 or under zCDP, where fewer rows are
      enough, that of log sd 1 and a Pareto tail of power 4.5 are covered .88 to .93 of the time with fewer
      than 5,000 rows; exponential rows and those of log sd .5 .91 to .93 with 150 rows or fewer.

    Where coverage cannot be seen it is the whole line, as for a constant column; fewer than about 1200/ε rows
    are refused beforehand. Given `low` and `high`, budgets without a delta and fewer rows have the interval
    of `BoundedMean`, which covers the mean of any distribution of rows between them.
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP, or ZCDP, with delta > 0;
    with a range all those of `BoundedMean`, too.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    share of the others is drawn with the mean at no cost: mean and width are theirs. A share of absent rows
    that its noise hides draws the mean to the private centre.

    Parameters
    ----------
    level : float, default 0.05
        Chance, about, of missing the mean.
    low : float or None, default None
        Least value of a row, in the unit of the data, given with `high` or not at all.
    high : float or None, default None
        Largest value of a row, in the unit of the data.

    Examples
    --------
    >>> x = np.random.default_rng(1).exponential(3.0, size=10_000)
    >>> release = IntervalMean()(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> release.value.contains(3.0)
    True
    """

    laws = "rows of any distribution with a fourth moment, but for few far values"
    least_rows = 1  # between bounds

    level: float = 0.05
    low: float | None = None
    high: float | None = None

    def _validate(self) -> None:
        super()._validate()
        if (self.low is None) != (self.high is None):
            raise ArgumentError("high", self.high, "a number if and only if low is one")
        if self.low is not None and self.high is not None:
            BoundedMean(low=self.low, high=self.high)

    def within(self, n: int, budget: Budget) -> BoundedMean | None:  # whose interval is taken
        if self.low is None or self.high is None:
            return None
        with_delta = isinstance(budget, ApproxDP | ZCDP) and budget.delta > 0
        if with_delta and ranks(n, budget) is not None:
            return None
        return BoundedMean(low=self.low, high=self.high)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        if mean := self.within(n, budget):
            return mean.plan(n, d, budget)
        return composed(budget, *tail_design(n, budget).charges)

    def other_rows(self, n: int, d: int, budget: Budget) -> str:
        """Return which distributions are not covered."""
        if self.within(n, budget):
            return ""
        seen = ceil(1.5 * tail_design(n, budget).wide.rank)
        usual = isinstance(budget, ApproxDP) and budget.epsilon <= 1
        tail = "heavier than" if usual or n >= MANY else "as heavy as"
        return (
            f"it misses the mean where values in fewer than {seen} rows are far from the others, and covers "
            "it less often where rows are rounded to two standard deviations, or a heavy or skewed tail is "
            f"rounded, has many rows at one value or is {tail} lognormal{', or skewed' * (n < FEW)}; within "
            "known bounds BoundedMean(low=, high=) covers all"
        )

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> ConfidenceInterval:
        if mean := self.within(len(x), budget):
            return mean.interval(mean.estimate(x, budget, noise), len(x), budget, self.level)
        n, chosen, plan = len(x), tail_design(len(x), budget), self.plan(len(x), 1, budget)
        even, apart = n - n % 2, pair_differences(x)
        with np.errstate(divide="ignore"):
            logs = np.log(apart)
        ties = apart <= RESOLVED * np.maximum(np.abs(x[:even:2]), np.abs(x[1:even:2]))
        logs[ties] = -inf  # what floats do not resolve
        log_scale = chosen.scale.draw(logs, plan["log-scale"], noise)  # (1)
        assert log_scale is not None
        carried = float(additive(count_from(logs, log_scale - NEARLY), plan["support"], noise))  # (2)
        least = CARRIED * chosen.scale.rank + noise_quantile(plan["support"], 0.1)
        spread = carried >= least and log_scale > 1 - FARTHEST_LOG
        unit = exp(log_scale) if spread else 1.0
        points = standardised(x, 0.0, unit) if spread else ordinals(x)
        centre = CENTRE.draw(points, plan["locate"], noise)  # (3)
        if centre is None or (spread and abs(centre) > FARTHEST / 2):  # where rows are capped
            return WHOLE_LINE
        if spread:
            z = points - centre
        else:
            centre = of_ordinal(centre)
            z = x - centre
            z[np.abs(z) <= TIED * abs(centre)] = 0.0
        with np.errstate(divide="ignore"):
            distances = np.log(np.abs(z))
        inner = chosen.inner.draw(distances, plan["inner-radius"], noise)  # (4)
        assert inner is not None
        outer = (chosen.outer(inner) if spread else chosen.wide).draw(distances, plan["outer-radius"], noise)
        assert outer is not None
        tail = chosen.tail(inner, outer) if spread else chosen.counted(outer)
        if tail is None:
            return WHOLE_LINE
        moved = with_count(moved_mean(z, tail), int(present(x).sum()))
        sums, there = mean_and_share(moved, n, plan["average"], noise)  # (5)
        square = (0.5 + float(additive(mean_square(z, tail), plan["variance"], noise))) / there  # (6)
        found = self.middle_and_reach(n, tail, sums, square, plan, there)
        if found is None:
            return WHOLE_LINE
        middle, reach = found
        reach += 0.0 if spread else TIED * abs(centre)
        return ConfidenceInterval(unit * (centre + middle - reach), unit * (centre + middle + reach))

    def middle_and_reach(
        self, n: int, tail: "Tail", sums: Array, square: float, plan: Plan, there: float = 1.0
    ) -> tuple[float, float] | None:  # the mean less the centre, and the half-width
        mean, *sides, far = (float(one) for one in sums)
        cell, caution = (noise_sd(plan[step]) / there for step in ("average", "variance"))
        seen = SEEN * cell + tail.left / n
        if far > seen or (tail.piled and square < max(tail.least / n, SEEN * caution)):
            return None  # (7)
        variance, doubt, place = square - mean * mean, tail.doubt / there, 1.5 * tail.beyond / tail.end
        for side, share in zip((1, -1), sides, strict=True):
            if share > seen:
                mean += side * place * share
                doubt += place * share / 3
                variance += place**2 * (n * cell**2 + share)
            elif tail.piled:
                doubt += place * max(share, 0.0)
        sd = sqrt(max(variance + CAUTION * caution, CAUTION * caution) / (n * there))
        average = replace(plan["average"], sensitivity=plan["average"].sensitivity / there)
        return tail.end * mean, tail.end * (half_width(self.level, sd, average) + doubt)  # (8)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median half-width over sigma for normal rows; infinite where it is the whole line.

        That of `BoundedMean` is for a mean in the middle, in the unit of the data.
        """
        if mean := self.within(n, budget):
            return mean.interval(mean.low + mean.reach, n, budget, self.level).width / 2
        chosen = tail_design(n, budget)
        inner, outer = (float(-ndtri(rank / (2 * n))) for rank in (chosen.inner.rank, chosen.outer_rank))
        tail = chosen.tail(log(inner), log(outer))
        if tail is None:
            return inf
        found = self.middle_and_reach(n, tail, np.zeros(4), 1 / tail.end**2, self.plan(n, 1, budget))
        return found[1] if found else inf


@frozen
class Tail:
    """Rows up to `radius` go where they are, up to `beyond` to `end`, up to `far` they are counted."""

    radius: float
    beyond: float
    far: float
    end: float
    doubt: float = 0.0  # in their mean over G
    left: float = 0.0  # rows that may be beyond
    piled: bool = False
    least: float = 0.0  # of Σ w²

    def moved(self, z: Array) -> Array:  # (w, above, below, far), at most 1 together; absent rows nowhere
        size = np.abs(z)
        w = np.where(size <= self.radius, z / self.end, np.where(size <= self.beyond, np.sign(z), 0.0))
        counted = (size > self.beyond) & (size <= self.far)
        return np.column_stack([w, counted & (z > 0), counted & (z < 0), size > self.far])


@frozen
class TailDesign:
    """The charges of the steps in their order, and the mechanisms of (1) and (4): public."""

    n: int
    charges: tuple[Charge, ...]
    scale: RankWindow
    inner: RankWindow
    wide: RankWindow  # of rows that pile up
    outer_rank: int

    @property
    def log_share(self) -> float:
        return log(self.inner.rank / self.outer_rank)

    def outer(self, inner: float) -> RankWindow:
        furthest = inner + self.log_share / HEAVIEST
        return _stretched(OUTER_WIDTH, inner - INNER_WIDTH, furthest, self.outer_rank)

    def tail(self, inner: float, outer: float) -> Tail | None:
        # what the logs of both radii tell; None at an end of either range
        if not NEAREST_INNER + 2 * INNER_WIDTH <= inner <= FARTHEST_INNER - 2 * INNER_WIDTH:
            return None
        if outer > inner + self.log_share / HEAVIEST - 2 * OUTER_WIDTH:
            return None
        radius, apart = exp(outer + OUTER_WIDTH), max(outer - inner, 0.0)
        exponential = -radius * expm1(-apart) / self.log_share
        power = radius * apart / (self.log_share - apart)
        end = radius + (exponential + power) / 2
        further = (self.outer_rank / LEFT_BEYOND) ** (apart / self.log_share)
        further = min(max(further, NEAREST_FAR), FARTHEST_FAR)
        left = self.outer_rank * further ** (-self.log_share / apart) if apart else 0.0
        doubt = self.outer_rank / self.n * (power - exponential) / (2 * end)
        beyond = further * radius
        return Tail(radius, beyond, 2 * beyond, end, doubt, left)

    def counted(self, outer: float) -> Tail | None:
        if not 1 - FARTHEST_LOG <= outer <= FARTHEST_LOG - 2 * WIDE_WIDTH:
            return None
        radius = exp(outer + WIDE_WIDTH)
        return Tail(radius, radius, 3 * radius, radius, piled=True, least=self.wide.rank / 2)


def _stretched(width: float, low: float, high: float, rank: int) -> RankWindow:
    return RankWindow(left=width, right=width, low=low, high=high, rank=rank)


def tail_design(n: int, budget: Budget) -> TailDesign:
    costs = _costs(n, budget)
    found = ranks(n, budget)
    if found is None:
        least = fewest(lambda rows: ranks(rows, budget), 64)
        raise ArgumentError("n", n, f"at least {least} at {budget}; with fewer use BoundedMean(low=, high=)")
    inner, outer, wide = found
    charges = (
        Charge("log-scale", "window_median", 1.0, costs[0]),
        mean_charge("support", 1.0, costs[1]),
        CENTRE.charge("locate", costs[2]),
        Charge("inner-radius", "window_median", 1.0, costs[3]),
        Charge("outer-radius", "window_median", 1.0, costs[4]),
        mean_charge("average", 2 / n, costs[5]),
        mean_charge("variance", 1 / n, costs[6]),
    )
    return TailDesign(
        n,
        charges,
        scale=_stretched(SCALE_WIDTH, -FARTHEST_LOG, FARTHEST_LOG, _scale_rank(n)),
        inner=_stretched(INNER_WIDTH, NEAREST_INNER, FARTHEST_INNER, inner),
        wide=_stretched(WIDE_WIDTH, -FARTHEST_LOG, FARTHEST_LOG, wide),
        outer_rank=outer,
    )


def ranks(n: int, budget: Budget) -> tuple[int, int, int] | None:
    epsilon = selection_epsilon(_costs(n, budget)[4])
    outer, wide = ceil(2 * NATS / epsilon), ceil(2 * WIDE_NATS / epsilon)
    inner = min(ceil(RATIO * outer), int(LARGEST_SHARE * n))
    enough = inner >= LEAST_RATIO * outer and n * selection_epsilon(budget) >= LEAST_WHOLE
    return (inner, outer, wide) if enough else None


def _scale_rank(n: int) -> int:
    return max(1, round(PAIRS_BEYOND * (n // 2)))


def _costs(n: int, budget: Budget) -> tuple[Budget, ...]:
    if not isinstance(budget, ApproxDP | ZCDP) or not budget.delta > 0:
        allowed = "ApproxDP or ZCDP with delta > 0; without a delta give low= and high=, or use BoundedMean"
        raise ArgumentError("budget", budget, allowed)
    whole, power = selection_epsilon(budget), 2 if isinstance(budget, ZCDP) else 1
    asked = zip((_scale_rank(n), n, n), HEADS, strict=True)
    heads = [min(max(a / (rows * whole), low), high) ** power for rows, (a, low, high) in asked]
    rest = [share**power for share in REST]
    shares = [*heads, *((1 - sum(heads)) * share / sum(rest) for share in rest)]
    if isinstance(budget, ZCDP):
        concentrated = ZCDP(budget.rho).split(*shares)
        return (*concentrated[:2], ZCDP(concentrated[2].rho, budget.delta), *concentrated[3:])
    pure = PureDP(budget.epsilon).split(*shares)
    return (*pure[:2], ApproxDP(pure[2].epsilon, budget.delta), *pure[3:])


def count_from(logs: Array, least: float) -> OnGrid:  # sensitivity 1, of neighbours and given `least`
    return OnGrid(np.asarray((logs >= least).sum(), np.int64), 1.0)


def ordinals(x: Array) -> Array:  # whole numbers in the order of x: the first bits of every float
    numbers = (np.abs(x).view(np.int64) >> DROPPED).astype(np.float64)
    return np.where(np.isnan(x), np.nan, np.copysign(numbers, x))


def of_ordinal(number: float) -> float:
    bits = np.asarray(abs(round(number)) << DROPPED, np.int64)
    return float(np.copysign(bits.view(np.float64), number))


def moved_mean(z: Array, tail: Tail) -> OnGrid:  # sensitivity 2/n in l1 and l2
    return mean_in_box(z, tail.moved, 1.0)


def mean_square(z: Array, tail: Tail) -> OnGrid:  # of w² - 1/2: sensitivity 1/n
    return mean_in_box(z, lambda rows: tail.moved(rows)[:, 0] ** 2 - 0.5, 0.5)
