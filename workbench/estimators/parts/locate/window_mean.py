"""Locate with the window-median mechanism, then one Huber step: the tight mean of unit-variance rows.

    (1) c = window-median position of x, window ±4, stretch .02, with a share a of the budget
    (2) y = mean(clip(x - c, ±k)) + noise                        sensitivity 2k/n given c
    (3) out = c + g_k⁻¹(y), g_k the mean of clipped normal values

The share a and the clip k minimise a predicted error, a function of n, budget and range alone; where the
optimum is a = 1, step (1) is the output. Ours: no source states it. Proof: `proofs/univariate.md`.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from math import inf, log, pi, sqrt

import numpy as np

from workbench.estimators.base import Abstention, Trace
from workbench.estimators.parts.budgets import divided, mean_charge, rule
from workbench.estimators.parts.foreseen import median_beyond, median_norm, median_norm_found
from workbench.estimators.parts.locate import huber
from workbench.estimators.parts.locate.clipping import clipped_mean, record_clipping, sensitivity
from workbench.estimators.parts.locate.laplace_normal import median_of_sum, noise_quantile, noise_sd
from workbench.estimators.parts.locate.law import located_within, location_law, uniform_deviation
from workbench.estimators.parts.locate.window_median import WindowMedian
from workbench.estimators.parts.rescaled import counted_error, mean_and_share
from workbench.privacy import Budget, NoiseSource, Plan, Sequential
from workbench.special import ndtr
from workbench.types import Array

WINDOW, STRETCH = 4.0, 0.02
SHARES = (0.03, 0.05, 0.08, 0.12, 0.17, 0.23, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
NOTHING, SURE = 1e-13, 1e-9  # of the largest term of a sum; how near sums are known
CLIPS = (0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 1.1, 1.35, 1.6, 1.9, 2.2, 2.6, 3.0, 3.5, 4.0)
BIASES = (0.93, 0.85, 0.78, 0.72, 0.61, 0.51, 0.43, 0.34, 0.26, 0.19, 0.13, 0.11, 0.10, 0.08, 0.07)
ALONE = 1.25  # the bias where location is all


@dataclass(frozen=True)
class Prediction:
    """The predicted error of a run: its rms if the mean is found, and the chance that it is not."""

    rms: float
    failure: float


@dataclass(frozen=True)
class Design:
    """Public choices of a run and what they are predicted to give; clip = 0 means location alone."""

    share: float
    clip: float
    prediction: Prediction


@dataclass(frozen=True)
class WindowMean:
    """The recipe for rows of standard deviation 1 and mean within ±`radius` (None: anywhere)."""

    radius: float | None
    suffix: str = field(default="", compare=False)  # of its steps' names, where several recipes run

    @property
    def locator(self) -> WindowMedian:
        """The mechanism of step (1)."""
        if self.radius is None:
            return WindowMedian(left=WINDOW, right=WINDOW, stretch=STRETCH)
        reach = self.radius
        return WindowMedian(left=WINDOW, right=WINDOW, stretch=STRETCH, low=-reach, high=reach)

    def design(self, n: int, budget: Budget) -> Design:
        """Return the public share and clip of least predicted error."""
        return _design(self, n, budget)

    def predict(self, n: int, budget: Budget) -> Prediction:
        """Return the predicted error for normal rows."""
        return self.design(n, budget).prediction

    def predicted_error(self, n: int, budget: Budget) -> float:
        """Return the median error for normal rows; infinite where the mean is sooner missed than found."""
        design = self.design(n, budget)
        if not design.clip:
            return located_median(self.locator, n, budget)
        locate, mean = divided(budget, design.share)
        apart = np.asarray(located_median(self.locator, n, locate))
        if apart == inf:
            return inf
        slope = float(huber.clipped_slope(apart, design.clip))
        sampling = sqrt(float(huber.clipped_variance(apart, design.clip)) / n) / slope
        charge = mean_charge("mean", sensitivity(n, design.clip) / slope, mean)
        lost = median_norm_found(1, design.prediction.failure) / median_norm(1)
        return lost * median_of_sum(sampling, charge)

    def bias(self, n: int, budget: Budget) -> float:
        """Return how far out may be from the mean of other rows of sd at most 1, sampling and noise apart.

        The most over all distributions and all c from quantile .4 to .6, by a linear programme on a grid,
        rounded up. Proof: `proofs/univariate.md`, section 12.
        """
        return dict(zip(CLIPS, BIASES, strict=True)).get(self.design(n, budget).clip, ALONE)

    def plan(self, n: int, budget: Budget) -> Plan:
        """Return the charges of steps (1) and (2)."""
        name = f"locate{self.suffix}"
        self.locator.charge(name, budget)
        design = self.design(n, budget)
        if not design.clip:
            return self.locator.charge(name, budget)
        locate, mean = divided(budget, design.share)
        step = mean_charge(f"mean{self.suffix}", sensitivity(n, design.clip), mean)
        return Sequential(rule(budget), (self.locator.charge(name, locate), step))

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> float | Abstention:
        """Return the private mean of standardised rows."""
        return self.with_share(x, budget, noise, trace)[0]

    def with_share(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> tuple[float | Abstention, float]:
        """Return the same, and the noisy share of rows that are there; 1 where nothing tells."""
        centre = self.located(x, budget, noise)
        if isinstance(centre, Abstention):
            return centre, 1.0
        return self._averaged(x, centre, budget, noise, trace)

    def located(self, x: Array, budget: Budget, noise: NoiseSource) -> float | Abstention:
        """Return the centre of step (1) for standardised rows."""
        name = f"locate{self.suffix}"
        centre = self.locator.draw(x, self.plan(len(x), budget)[name], noise)
        return Abstention(name) if centre is None else centre

    def averaged(
        self, x: Array, centre: float, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> float:
        """Return the mean of steps (2) and (3) round a centre; the centre where location is all."""
        return self._averaged(x, centre, budget, noise, trace)[0]

    def _averaged(
        self, x: Array, centre: float, budget: Budget, noise: NoiseSource, trace: Trace | None
    ) -> tuple[float, float]:
        clip, plan = self.design(len(x), budget).clip, self.plan(len(x), budget)
        if not clip:
            return centre, 1.0
        record_clipping(trace, x, centre, clip)
        statistic, charge = clipped_mean(x, centre, clip, counted=True), plan[f"mean{self.suffix}"]
        noisy, share = mean_and_share(statistic, len(x), charge, noise)  # (2)
        return centre + huber.uncentred(float(noisy[0]), clip), share  # (3)

    def error_bound(self, n: int, budget: Budget, beta: float) -> float:
        """Return a proved bound for normal rows.

        Four events take beta/4 each: Dvoretzky-Kiefer-Wolfowitz with deviation D; the location within h;
        the noise; and the clipped mean at the mean itself, a Lipschitz function of normal rows, within
        √(2 ln(8/β)/n) of its expectation. At another centre within h its deviation is at most 2Dh more.
        Where the share of rows that are there is divided by, it is one of g_k(h).
        """
        plan, clip = self.plan(n, budget), self.design(n, budget).clip
        deviation = uniform_deviation(n, beta / 4)
        apart = located_within(self.locator, n, plan[f"locate{self.suffix}"].cost, beta / 4, ndtr, deviation)
        if not clip or apart > huber.FAR:
            return inf if clip else apart
        sampling = sqrt(2 * log(8 / beta) / n) + 2 * deviation * apart
        charge, away = plan[f"mean{self.suffix}"], float(huber.clipped_mean(np.asarray(apart), clip))

        def error(part: float) -> float:
            return sampling + noise_quantile(charge, part)

        deviation = counted_error(error, away, charge, n, beta / 4)
        return inf if deviation == inf else huber.inverse_error(apart, deviation, clip)


def located_median(locator: WindowMedian, n: int, cost: Budget) -> float:
    """Return the median distance of a location from the mean of normal rows."""
    offsets, chances, failure = location_law(locator, n, cost, ndtr, huber.FAR)
    return median_beyond(np.abs(offsets), (1 - failure) * chances, sqrt(pi / (2 * n)), 1)


@lru_cache(maxsize=4096)
def _design(recipe: WindowMean, n: int, budget: Budget) -> Design:
    best = Design(1.0, 0.0, _alone(recipe, n, budget))
    best_value = best.prediction.rms + best.prediction.failure
    for share, clip in _likely(recipe, n, budget):
        locate, mean = divided(budget, share)
        offsets, weights, failure = location_law(recipe.locator, n, locate, ndtr, huber.FAR)
        sd = noise_sd(mean_charge("mean", sensitivity(n, clip), mean))
        rms = sqrt(float(weights @ _step_variance(offsets, clip, n, sd)))
        if rms + failure < best_value:
            best, best_value = Design(share, clip, Prediction(rms, failure)), rms + failure
    return best if best.prediction.failure <= 0.5 else Design(1.0, 0.0, _alone(recipe, n, budget))


def _likely(recipe: WindowMean, n: int, budget: Budget) -> list[tuple[float, float]]:
    """Return, in order, pairs of share and clip, that of least predicted error among them.

    Squared errors are summed over the offsets that matter, both sides at once; others add at most `rest`.
    """
    laws, noises = [], []
    for share in SHARES:
        locate, mean = divided(budget, share)
        laws.append(location_law(recipe.locator, n, locate, ndtr, huber.FAR))
        noises.append(noise_sd(mean_charge("mean", sensitivity(n, 1.0), mean)))
    offsets, half = laws[0][0], len(laws[0][0]) // 2  # the same in all laws, and symmetric about 0
    weights = np.array([weight[half:] + weight[half - 1 :: -1] for _, weight, _ in laws])
    apart = np.sqrt(offsets[half:] ** 2 + pi / (2 * n))
    most = weights * (apart + huber.FAR) ** 2
    matter = (most > NOTHING * most.max(axis=1, keepdims=True)).any(axis=0)
    clips, rest = np.array(CLIPS)[:, None], most[:, ~matter].sum(axis=1, keepdims=True)
    sampling, slopes = _step(apart[matter], clips, n)
    squares = (sampling + (np.array(noises)[:, None, None] * clips) ** 2) / slopes
    squares = np.minimum(squares, (apart[matter] + huber.FAR) ** 2)
    least = (squares @ weights[:, matter, None])[:, :, 0]
    failures = np.array([[failure] for *_, failure in laws])
    below, above = np.sqrt(least) + failures, np.sqrt(least + rest) + failures
    chosen = np.argwhere(below <= above.min() * (1 + SURE))
    return [(SHARES[i], CLIPS[j]) for i, j in chosen]


def _alone(recipe: WindowMean, n: int, budget: Budget) -> Prediction:
    offsets, weights, failure = location_law(recipe.locator, n, budget, ndtr, huber.FAR)
    return Prediction(sqrt(float(weights @ offsets**2) + pi / (2 * n)), failure)


def _step_variance(offsets: Array, clip: float, n: int, sd: float) -> Array:
    """Return the mean squared error of step (3) for a centre this far from the population median."""
    apart = np.sqrt(offsets**2 + pi / (2 * n))
    sampling, squared_slope = _step(apart, clip, n)
    most = (apart + huber.FAR) ** 2  # the inverse stays within ±4 of the centre
    return np.minimum((sampling + sd * sd) / squared_slope, most)


def _step(apart: Array, clip: float | Array, n: int) -> tuple[Array, Array]:
    """Return the variance of the clipped mean this far from the mean, and its slope squared."""
    return huber.clipped_variance(apart, clip) / n, huber.clipped_slope(apart, clip) ** 2
