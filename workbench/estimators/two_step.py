"""Private means of a column whose range is long or unknown: locate, then average round the place.  L17.

Rows x of shape (n,), standard deviation sigma. Neighbours: replace one row. The mean lies within `radius` of
`centre` (`TwoStepMean`; L17 Theorem 2.5, eq. (2)), or anywhere (Theorem 2.8, eq. (6): `UnboundedMean`, which
stands with its pivot in `intervals`). With z = (x - centre)/sigma, capped at ±1e15, and R = radius/sigma:

    (1) c = a private location of z in [-R, R], or anywhere, with a share of ε and all of δ; none: no answer
    (2) y = mean(clip(z - c, ±w)) + noise, with the rest                         sensitivity 2w/n given c
    (3) out = centre + sigma (c + u(y))

              "paper"                                       "tight", ours
    (1)       histogram, bins of width 1                    window median, window ±4, stretch .02
              (`estimators.histograms`)                     (`shared.window_median`)
    share     1/2                                           the pair of least predicted error, which n, the
    w         2.5 + √(2 ln(4n/β))                           budget and R decide; w = 0: (1) is the output
    u(y)      y                                             g_w⁻¹(y), g_w(u) = E clip(Z + u, ±w), Z normal:
                                                            one Huber step, consistent whatever c is

Departures of "paper": ⌈2R⌉ bins cover the range (the source's numbering skips one), the end bins are open. A
wrong bin is possible and silent, as in the source. Proof: `proofs/univariate.md`; of other rows than normal
ones, section 12.
"""

from abc import ABC, abstractmethod
from dataclasses import field
from math import hypot, inf, log, pi, sqrt

import numpy as np

from workbench.estimators.base import Abstention, Located
from workbench.estimators.histograms import REACH, UnitHistogram
from workbench.estimators.release import FOR_OTHERS
from workbench.estimators.shared.budgets import composed, divided, mean_charge
from workbench.estimators.shared.noisy_means import (
    FAR,
    better_than,
    counted_error,
    density,
    mean_and_share,
    median_norm,
    median_of_sum,
    noise_quantile,
    noise_sd,
    normal_beyond,
    uniform_deviation,
)
from workbench.estimators.shared.rows import mean_in_box
from workbench.estimators.shared.window_median import (
    WindowMedian,
    located_median,
    located_within,
    location_law,
)
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.privacy.grid import OnGrid
from workbench.special import brentq, ndtr, ndtri
from workbench.types import Array, Calibration, frozen, public, remembered

SHARE = 0.5  # of "paper", stated in L17: both steps with ε/2
WINDOW, STRETCH = 4.0, 0.02
SHARES = (0.03, 0.05, 0.08, 0.12, 0.17, 0.23, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
CLIPS = (0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 1.1, 1.35, 1.6, 1.9, 2.2, 2.6, 3.0, 3.5, 4.0)  # w
BIASES = (0.93, 0.85, 0.78, 0.72, 0.61, 0.51, 0.43, 0.34, 0.26, 0.19, 0.13, 0.11, 0.10, 0.08, 0.07)
ALONE = 1.25  # the bias where location is all


def clipped_mean(x: Array, centre: float, clip: float, counted: bool = False) -> OnGrid:
    return mean_in_box(x, lambda rows: rows - centre if centre else rows, clip, counted)


def sensitivity(n: int, clip: float) -> float:  # of `clipped_mean`
    return 2 * clip / n


def clipped_off(beyond: float) -> float:
    """Return the most that E (X - t)₊ may be, X of sd at most 1, t so far beyond its mean (Scarf 1958)."""
    return (hypot(1.0, beyond) - beyond) / 2


def other_rows(bias: float) -> str:
    return f"other distributions of standard deviation sigma: up to {bias:.3g} more, however many rows"


def expected_clip(u: Array, k: float | Array) -> Array:
    """Return g_k(u) = -k + E (Z + u + k)₊ - E (Z + u - k)₊."""
    return -k + normal_beyond(-k - u) - normal_beyond(k - u)


def clipped_slope(u: Array, k: float | Array) -> Array:
    """Return g_k'(u) = P(|Z + u| < k)."""
    return ndtr(k - u) - ndtr(-k - u)


def clipped_variance(u: Array, k: float | Array) -> Array:
    """Return Var clip(Z + u, ±k)."""
    low, high = -k - u, k - u
    middle = clipped_slope(u, k)
    second = (u * u + 1) * middle + 2 * u * (density(low) - density(high))
    second += low * density(low) - high * density(high) + k * k * (1 - middle)
    return second - expected_clip(u, k) ** 2


def uncentred(y: float, k: float) -> float:
    """Return the u in [-4, 4] with g_k(u) = y, after clipping y to the values taken there."""

    def excess(u: float) -> float:
        return float(expected_clip(np.float64(u), k)) - y  # type: ignore[arg-type]

    if excess(-FAR) >= 0:
        return -FAR
    return FAR if excess(FAR) <= 0 else brentq(excess, -FAR, FAR, xtol=1e-12)


def inverse_error(u: float, deviation: float, k: float) -> float:
    """Return the most that `uncentred` errs at offsets up to u when its argument is off by `deviation`.

    g_k is concave on the right of 0, so that the error is largest at u itself; 4 + u bounds it anyway.
    """
    shifted = float(expected_clip(np.float64(u), k)) + deviation  # type: ignore[arg-type]
    reached = uncentred(shifted, k)
    return FAR + u if reached >= FAR else reached - u


@frozen
class Design:
    share: float
    clip: float  # 0: location alone
    rms: float = inf  # where the mean is found
    failure: float = 1.0  # the chance that it is not


@frozen
class TwoSteps(ABC):
    """The algorithm on rows of standard deviation 1 and mean within ±`radius` (None: anywhere)."""

    radius: float | None
    suffix = ""  # of the names of steps, where several run

    @property
    @abstractmethod
    def locator(self) -> UnitHistogram | WindowMedian: ...

    @abstractmethod
    def design(self, n: int, budget: Budget) -> Design: ...

    def unbiased(self, y: float, clip: float) -> float:
        return y

    def plan(self, n: int, budget: Budget) -> Plan:
        name = f"locate{self.suffix}"
        alone = self.locator.charge(name, budget)  # raises for the whole budget, not for a share of it
        design = self.design(n, budget)
        if not design.clip:
            return alone
        locate, mean = divided(budget, design.share)
        step = mean_charge(f"mean{self.suffix}", sensitivity(n, design.clip), mean)
        return composed(budget, self.locator.charge(name, locate), step)

    def counted(self, x: Array, budget: Budget, noise: NoiseSource) -> tuple[float, float] | Abstention:
        """Return the mean, and the share of rows that are there, 1 where none is drawn."""
        plan, clip, name = self.plan(len(x), budget), self.design(len(x), budget).clip, f"locate{self.suffix}"
        centre = self.locator.draw(x, plan[name], noise)  # (1)
        if centre is None or isinstance(centre, Abstention):
            return Abstention(name)
        if not clip:
            return centre, 1.0
        counted = clipped_mean(x, centre, clip, counted=True)
        noisy, there = mean_and_share(counted, len(x), plan[f"mean{self.suffix}"], noise)  # (2)
        return centre + self.unbiased(float(noisy[0]), clip), there  # (3)


@frozen
class HistogramMean(TwoSteps):
    """The steps of "paper"."""

    beta: float

    @property
    def locator(self) -> UnitHistogram:
        return UnitHistogram(self.radius, "paper")

    def design(self, n: int, budget: Budget) -> Design:
        return Design(SHARE, REACH + sqrt(2 * log(4 * n / self.beta)))

    def bias(self, n: int, budget: Budget) -> float:
        # of other rows of sd at most 1, if c is within 2.5
        return clipped_off(self.design(n, budget).clip - REACH)

    def predicted_error(self, n: int, budget: Budget) -> float:
        # infinite unless half of the locations hold by proof
        plan = self.plan(n, budget)
        found = self.locator.error_bound(n, plan["locate"].cost, 0.5) < inf
        return median_of_sum(1 / sqrt(n), plan["mean"]) if found else inf

    def error_bound(self, n: int, budget: Budget, beta: float) -> float:
        # beta/4 each for location, clipping, sampling and noise
        plan = self.plan(n, budget)
        if self.locator.error_bound(n, plan["locate"].cost, beta / 4) == inf or beta < self.beta:
            return inf
        sampling, charge = float(-ndtri(beta / 8)) / sqrt(n), plan["mean"]
        return counted_error(lambda part: sampling + noise_quantile(charge, part), REACH, charge, n, beta / 4)


@frozen
class WindowMean(TwoSteps):
    """The steps of "tight"."""

    suffix: str = field(default="", compare=False)

    @property
    def locator(self) -> WindowMedian:
        low, high = (None, None) if self.radius is None else (-self.radius, self.radius)
        return WindowMedian(left=WINDOW, right=WINDOW, stretch=STRETCH, low=low, high=high)

    def unbiased(self, y: float, clip: float) -> float:
        return uncentred(y, clip)

    def bias(self, n: int, budget: Budget) -> float:
        # the most over all distributions of sd at most 1 and all c from quantile .4 to .6, rounded up
        return dict(zip(CLIPS, BIASES, strict=True)).get(self.design(n, budget).clip, ALONE)

    def predicted_error(self, n: int, budget: Budget) -> float:
        design = self.design(n, budget)
        if not design.clip:
            return located_median(self.locator, n, budget)
        locate, mean = divided(budget, design.share)
        apart = np.asarray(located_median(self.locator, n, locate))
        if apart == inf:
            return inf
        slope = float(clipped_slope(apart, design.clip))
        sampling = sqrt(float(clipped_variance(apart, design.clip)) / n) / slope
        charge = mean_charge("mean", sensitivity(n, design.clip) / slope, mean)
        lost = median_norm(1, design.failure) / median_norm(1)
        return lost * median_of_sum(sampling, charge)

    def error_bound(self, n: int, budget: Budget, beta: float) -> float:
        """Return a proved bound for normal rows, of four events with beta/4 each.

        Dvoretzky-Kiefer-Wolfowitz with deviation D; the location within h; the noise; and the clipped mean
        at the mean itself, a Lipschitz function of normal rows, within √(2 ln(8/β)/n) of its expectation. At
        another centre within h its deviation is at most 2Dh more.
        """
        plan, clip = self.plan(n, budget), self.design(n, budget).clip
        deviation = uniform_deviation(n, beta / 4)
        apart = located_within(self.locator, n, plan[f"locate{self.suffix}"].cost, beta / 4, ndtr, deviation)
        if not clip or apart > FAR:
            return inf if clip else apart
        sampling = sqrt(2 * log(8 / beta) / n) + 2 * deviation * apart
        charge, away = plan[f"mean{self.suffix}"], float(expected_clip(np.asarray(apart), clip))
        off = counted_error(lambda part: sampling + noise_quantile(charge, part), away, charge, n, beta / 4)
        return inf if off == inf else inverse_error(apart, off, clip)

    def design(self, n: int, budget: Budget) -> Design:
        return _design(self, n, budget)


@remembered
def _design(of: WindowMean, n: int, budget: Budget) -> Design:
    # the share and clip that minimise rms + failure; location alone where most fail
    drift = pi / (2 * n)  # the squared error of a sample's median
    offsets, weights, failure = location_law(of.locator, n, budget, ndtr, FAR)
    alone = Design(1.0, 0.0, sqrt(float(weights @ offsets**2) + drift), failure)
    apart, half = np.sqrt(offsets**2 + drift), len(offsets) // 2  # for any share, and even
    most = (apart + FAR) ** 2  # the inverse stays within ±4 of the centre
    least, found, clips = alone.rms + failure, None, np.array(CLIPS)[:, None]
    variance, slope = clipped_variance(apart[half:], clips) / n, clipped_slope(apart[half:], clips) ** 2
    for part in SHARES:
        locate, mean = divided(budget, part)
        _, weights, failure = location_law(of.locator, n, locate, ndtr, FAR)
        unit = noise_sd(mean_charge("mean", sensitivity(n, 1.0), mean))
        squared = np.minimum((variance + (unit * clips) ** 2) / slope, most[half:])
        total = np.sqrt(squared @ (weights[half:] + weights[:half][::-1])) + failure
        if total.min() < least:
            least, found = total.min(), (part, CLIPS[int(total.argmin())], mean, weights, failure)
    if found is None:
        return alone
    share, clip, mean, weights, failure = found
    sd = noise_sd(mean_charge("mean", sensitivity(n, clip), mean))
    squared = (clipped_variance(apart, clip) / n + sd * sd) / clipped_slope(apart, clip) ** 2
    best = Design(share, clip, sqrt(float(weights @ np.minimum(squared, most))), failure)
    return best if failure <= 0.5 else alone


class Stepwise(Located[float]):
    laws = f"normal rows only; {FOR_OTHERS}"

    beta: float
    calibration: Calibration

    @property
    def steps(self) -> HistogramMean | WindowMean:
        return HistogramMean(self.reach, self.beta) if self.calibration == "paper" else WindowMean(self.reach)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        return self.steps.plan(n, budget)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> float | Abstention:
        found = self.steps.counted(self.standard(x), budget, noise)
        return found if isinstance(found, Abstention) else self.centre + self.sigma * found[0]

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a proved bound for normal rows, in the unit of the data."""
        return self.sigma * self.steps.error_bound(n, budget, beta)

    interval_reach = error_bound

    def other_rows(self, n: int, d: int, budget: Budget) -> str:
        """Return how far other rows may carry the mean, in words."""
        return other_rows(self.sigma * self.steps.bias(n, budget))

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean| for normal rows; infinite from `radius` on.

        Infinite, too, where the location is sooner missed than found.
        """
        self.plan(n, d, budget)  # which refuses what the steps have no design for
        error = self.sigma * self.steps.predicted_error(n, budget)
        return better_than(inf if self.radius is None else self.radius, error)


@public
class TwoStepMean(Stepwise):
    """Private mean of one column whose range is known only roughly (L17 Theorem 2.5).

    Accurate for normal rows of standard deviation `sigma` with the mean within `radius` of `centre`; a long
    range costs little. `release.interval()` covers the mean of normal rows only: for others use
    `IntervalMean` (n at least about 1200/ε) or, between bounds, `BoundedMean`.
    Guarantee: central model, one replaced row, for every input. Budgets: PureDP, or ZCDP with delta = 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    others' mean is left: it is divided by their share, which is drawn with the sum at no cost. A share of
    absent rows that its noise hides shrinks the mean towards a private place near it.

    Parameters
    ----------
    radius : float
        The mean lies within it of `centre`; in the unit of the data, like `centre` and `sigma`.
    centre : float, default 0.0
        Middle of the range.
    sigma : float
        Standard deviation of the rows, known.
    beta : float, default 0.05
        Failure probability that sets the window of "paper".
    calibration : {"paper", "tight"}, default "tight"
        "paper" locates by a histogram, "tight" by the window-median mechanism, with an un-biased mean.

    Examples
    --------
    >>> from workbench.privacy import PureDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=1000)
    >>> release = TwoStepMean(radius=1e6, sigma=1.0)(x, budget=PureDP(1.0), rng=np.random.default_rng(2))
    >>> abs(release.value - 3.0) < 0.2
    True
    """

    radius: float
    centre: float = 0.0
    sigma: float
    beta: float = 0.05
    calibration: Calibration = "tight"
