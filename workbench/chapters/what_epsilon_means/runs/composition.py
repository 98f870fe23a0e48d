"""The law of the privacy loss, and of the sum of k of them, on a grid.

The privacy loss of an output y is ln(f(y)/f'(y)), y drawn from f. Losses of k independent releases add up, so
that their law is a convolution: one Fourier transform, raised to the power k. Rounded up to the grid, losses
give a δ that is too large; rounded down, one that is too small.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, sqrt

import numpy as np

from workbench.special import brentq, log_ndtr, ndtr
from workbench.types import Array

CELLS = 1000  # of the grid of one loss
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
