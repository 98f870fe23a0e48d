"""Composition: the distribution of the privacy loss, of the sum of k of them, and the ε of many releases.

The privacy loss of an output y is ln(f(y)/f'(y)), y drawn from f. Losses of k independent releases add up, so
that their law is a convolution: one Fourier transform, raised to the power k. Rounded up to the grid, losses
give a δ that is too large; rounded down, one that is too small.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import exp, nan, sqrt

import numpy as np

from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.style import number
from workbench.privacy import ApproxDP
from workbench.privacy.budgets import gaussian_delta, optimal_composition
from workbench.special import brentq, log_ndtr, ndtr
from workbench.study.claim import Claim
from workbench.study.rules import Verdict, combine, largest
from workbench.study.run import Run
from workbench.types import Array

CELLS = 1000  # of the grid of one loss
USES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
FEW_USES, SLACKS, MUS = (1, 4, 16, 64), (1e-4, 1e-6), (0.25, 0.5, 1.0)
BERRY_ESSEEN = 0.4748  # Shevtsova 2011, for sums of independent terms of one distribution
WIDTH = 1.02  # δ of losses rounded up over that of losses rounded down
LEAST = 1e-10  # δ that is resolved: below it the rounding of the transform is of its size


@dataclass(frozen=True)
class Losses:
    """The law of a privacy loss: P(loss = first + j step) = mass[j]; it is infinite with what is left."""

    first: float
    step: float
    mass: Array

    @classmethod
    def of(
        cls,
        distribution: Callable[[Array], Array],
        low: float,
        high: float,
        cells: int = CELLS,
        up: bool = True,
    ) -> "Losses":
        """Return a law with this distribution function, rounded up or down to a grid on [low, high]."""
        heights = distribution(np.linspace(low, high, cells + 1))
        mass = np.diff(heights, prepend=0.0)
        return cls(low, (high - low) / cells, mass if up else np.append(mass[0] + mass[1], mass[2:]))

    def times(self, k: int) -> "Losses":
        """Return the law of the sum of k independent losses."""
        size = k * (len(self.mass) - 1) + 1
        power = np.fft.irfft(np.fft.rfft(self.mass, size) ** k, size)
        return Losses(k * self.first, self.step, np.maximum(power, 0.0))

    @property
    def values(self) -> Array:
        """The finite losses."""
        return np.asarray(self.first + self.step * np.arange(len(self.mass)), np.float64)

    @property
    def mean(self) -> float:
        """The expected loss, of those that are finite."""
        return float(self.values @ self.mass)

    @property
    def sd(self) -> float:
        """Its standard deviation."""
        return sqrt(float((self.values - self.mean) ** 2 @ self.mass))

    @property
    def third(self) -> float:
        """The third absolute moment about the mean."""
        return float(np.abs(self.values - self.mean) ** 3 @ self.mass)

    def delta(self, epsilon: float) -> float:
        """Return the least δ for this ε: E (1 - e^(ε - loss))₊."""
        above = self.values > epsilon
        finite = -np.expm1(epsilon - self.values[above]) @ self.mass[above]
        return float(finite) + max(1.0 - float(self.mass.sum()), 0.0)

    def epsilon(self, delta: float) -> float:
        """Return the least loss on the grid that is an ε for this δ."""
        with np.errstate(divide="ignore"):
            weighted = np.logaddexp.accumulate((np.log(self.mass) - self.values)[::-1])[::-1] + self.values
        beyond = max(1.0 - float(self.mass.sum()), 0.0)
        enough = np.cumsum(self.mass[::-1])[::-1] - np.exp(weighted) + beyond <= delta
        return float(self.values[np.argmax(enough)] if enough.any() else self.values[-1])

    def distance_to_normal(self) -> float:
        """Return the largest distance between the distribution function and the normal one."""
        heights, normal = np.cumsum(self.mass), ndtr((self.values - self.mean) / self.sd)
        return float(np.max(np.abs([heights - normal, heights - self.mass - normal])))


def laplace_losses(epsilon: float) -> Losses:
    """Return the loss of Laplace noise on the worst neighbours: ±ε at the ends, a density between them."""

    def distribution(loss: Array) -> Array:
        return np.where(loss >= epsilon, 1.0, np.exp((loss - epsilon) / 2) / 2)

    return Losses.of(distribution, -epsilon, epsilon)


def gaussian_losses(mu: float, *, up: bool = True, reach: float = 9.0, cells: int = 20 * CELLS) -> Losses:
    """Return the loss of μ-GDP noise: N(μ²/2, μ²)."""
    middle, half = mu**2 / 2, reach * mu
    return Losses.of(lambda loss: ndtr((loss - middle) / mu), middle - half, middle + half, cells, up)


def normal_epsilon(mean: float, sd: float, delta: float) -> float:
    """Return the ε at this δ of a normal loss."""

    def excess(epsilon: float) -> float:
        z = (mean - epsilon) / sd
        return float(ndtr(z)) - exp(epsilon - mean + sd**2 / 2 + float(log_ndtr(z - sd))) - delta

    return brentq(excess, 0.0, mean + 12 * sd, xtol=1e-10) if excess(0.0) > 0 else 0.0


def composition(_run: Run, *, epsilon: float = 0.5, delta: float = 1e-4) -> Chart:
    """Return the ε of k releases over the sum of their ε."""
    one = laplace_losses(epsilon)
    best = [optimal_composition(ApproxDP(epsilon, 0.0), k, delta).epsilon for k in USES]
    exact = [one.times(k).epsilon(delta) if delta >= LEAST else nan for k in USES]
    normal = [normal_epsilon(k * one.mean, sqrt(k) * one.sd, delta) for k in USES]
    series = [Series("sum of all ε", (USES[0], USES[-1]), (1, 1), role="reference")]
    for label, found, key in (
        ("any mechanism, at best", best, "idea/public"),
        ("Laplace noise, exactly", exact, "idea/laplace"),
        ("normal distribution", normal, "idea/total"),
    ):
        ratios = [total / (k * epsilon) for total, k in zip(found, USES, strict=True)]
        series.append(Series(label, USES, ratios, role="reference", colour_key=key))
    panel = Panel(
        f"Laplace noise, ε = {number(epsilon)} a release; all of them together at δ = {number(delta)}",
        "releases k", "ε after k releases / kε", tuple(series), yscale="linear", ylim=(0.0, 1.1),
    )  # fmt: skip
    return Chart(
        "composition",
        "Many releases cost far less than the sum of their ε",
        (panel,),
        alt="ε of all releases over the sum of their ε, against the number of releases: 1 for few, then"
        " falling, for Laplace noise down to the value of a normal distribution.",
        how_to_read="Privacy losses of independent releases add up, and their sum is nearly normal. For few"
        " releases the sum of all ε is needed, for many it is far too much.",
    )


def losses_become_normal() -> Verdict:
    """Return the checks of what-epsilon-means/losses-become-normal; nothing is random."""
    checks = [
        largest("ε of k Laplace releases over that of any mechanism", _over_optimal(), 1 + 1e-9, "at most 1"),
        largest("distance to the normal law over its bound", _normal(), 1.0, "at most 1"),
        largest("δ of losses rounded down over the package's δ", _gaussian(up=False), 1.0, "at most 1"),
        largest("the package's δ over that of losses rounded up", _gaussian(up=True), 1.0, "at most 1"),
        largest("rounded up over rounded down", _widths(), WIDTH, f"at most {WIDTH:g}"),
    ]
    return combine(checks)


def _over_optimal() -> Iterator[float]:
    for epsilon in (0.1, 0.5, 1.0):
        for k in FEW_USES:
            for slack in SLACKS:
                any_mechanism = optimal_composition(ApproxDP(epsilon, 0.0), k, slack).epsilon
                yield laplace_losses(epsilon).times(k).epsilon(slack) / any_mechanism


def _normal() -> Iterator[float]:
    for epsilon in (0.1, 0.5, 1.0, 2.0, 4.0):
        one = laplace_losses(epsilon)
        for k in FEW_USES:
            yield one.times(k).distance_to_normal() / (BERRY_ESSEEN * one.third / one.sd**3 / sqrt(k))


def _deltas(up: bool) -> Iterator[tuple[float, float]]:
    for mu in MUS:
        for k in FEW_USES[:3]:
            epsilon = 2 * mu * sqrt(k)
            yield gaussian_losses(mu, up=up).times(k).delta(epsilon), gaussian_delta(mu * sqrt(k), epsilon)


def _gaussian(up: bool) -> Iterator[float]:
    for rounded, exact in _deltas(up):
        yield exact / rounded if up else rounded / exact


def _widths() -> Iterator[float]:
    for (up, _), (down, _) in zip(_deltas(up=True), _deltas(up=False), strict=True):
        yield up / down


CLAIMS = (
    Claim(
        "what-epsilon-means/losses-become-normal",
        "X2",
        ("M21/properties", "KOV15/Thm3.3"),
        "The loss of k = 1 .. 64 Laplace releases is within .4748 E|L - EL|^3/(sd^3 √k) of a normal law, its"
        " ε at most that of optimal composition; δ of k Gaussian releases is between sums of losses rounded"
        " down and up, which differ by 2 %.",
        checks=losses_become_normal,
        kind="ours",
    ),
)
