"""The definition as a picture: the densities of what is released about two neighbours, and draws from them.

`Additive` is the clipped mean with Laplace or Gaussian noise; without its clip it is what somebody makes who
forgets it. `Middle` is the private median. Densities are on a line of points, draws are the package's.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, log, pi, sqrt
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.style import number
from workbench.estimators.quantiles import Median
from workbench.estimators.two_step import clipped_mean, sensitivity
from workbench.privacy import ApproxDP, Charge, PureDP, SimulatedNoise
from workbench.privacy.mechanisms import additive, gaussian_scale, laplace_scale
from workbench.study.run import Run
from workbench.types import Array

BOUND = 5.0  # rows are clipped to ±5, a public range
LAPLACE, GAUSSIAN, MEDIAN, UNCLIPPED = "Laplace", "Gaussian", "median", "Laplace, not clipped"
MECHANISMS = (LAPLACE, GAUSSIAN, MEDIAN, UNCLIPPED)
KEYS: Mapping[str, str] = MappingProxyType(
    {LAPLACE: "idea/laplace", GAUSSIAN: "idea/gaussian", MEDIAN: "univariate/median", UNCLIPPED: "idea/wrong"}
)
POINTS = 481  # of a picture
NEAR, FAR = np.array([-1.0]), np.array([1.0])  # one row in [-1, 1], which moves from end to end


class Law(Protocol):
    """What is released about a column."""

    def log_density(self, x: Array, at: Array) -> Array:
        """Return the log density of the output on the data set x."""
        ...

    def draw(self, x: Array, trials: int, rng: np.random.Generator) -> Array:
        """Return so many releases about x."""
        ...


@dataclass(frozen=True)
class Additive:
    """The mean of rows clipped to ±`clip`, with the noise that the charge names."""

    charge: Charge
    clip: float

    @property
    def scale(self) -> float:
        """The scale of Laplace noise, the standard deviation of Gaussian noise."""
        return (
            laplace_scale(self.charge) if self.charge.mechanism == "laplace" else gaussian_scale(self.charge)
        )

    def log_density(self, x: Array, at: Array) -> Array:
        """Return the log density of the output on the data set x."""
        z = (at - self.mean(x)) / self.scale
        if self.charge.mechanism == "laplace":
            return np.asarray(-np.abs(z) - log(2 * self.scale))
        return np.asarray(-(z**2) / 2 - log(self.scale * sqrt(2 * pi)))

    def draw(self, x: Array, trials: int, rng: np.random.Generator) -> Array:
        """Return so many releases about x."""
        return additive(np.full(trials, self.mean(x)), self.charge, SimulatedNoise(rng))

    def mean(self, x: Array) -> float:
        """Return the mean of the clipped rows, of the rows themselves where nothing is clipped."""
        return float(x.mean()) if self.clip == inf else float(clipped_mean(x, 0.0, self.clip))


@dataclass(frozen=True)
class Middle:
    """The private median on ±`bound`: the density at t falls by e^(ε/2) for every row that t is too far."""

    epsilon: float
    bound: float

    def steps(self, x: Array) -> tuple[Array, Array]:
        """Return the ends of the pieces on which the density is constant, and their log densities."""
        pieces = Median(radius=self.bound, calibration="paper", sigma=1.0).locator.pieces(x)
        weights = -self.epsilon * pieces.penalty / 2
        total = np.logaddexp.reduce(weights + pieces.log_length())
        return pieces.edges, weights - total

    def log_density(self, x: Array, at: Array) -> Array:
        """Return the log density of the output on the data set x."""
        edges, values = self.steps(x)
        place = np.clip(np.searchsorted(edges, at, side="right") - 1, 0, len(values) - 1)
        return np.where(np.abs(at) <= self.bound, values[place], -inf)

    def draw(self, x: Array, trials: int, rng: np.random.Generator) -> Array:
        """Return so many releases about x."""
        made, noise = Median(radius=self.bound, calibration="paper", sigma=1.0), SimulatedNoise(rng)
        charge = made.locator.charge("locate", PureDP(self.epsilon))
        return np.array([made.locator.draw(x, charge, noise) for _ in range(trials)], np.float64)


def law(mechanism: str, n: int, epsilon: float, delta: float, bound: float = BOUND) -> Law:
    """Return a mechanism at a budget; δ is that of Gaussian noise alone."""
    if mechanism == MEDIAN:
        return Middle(epsilon, bound)
    cost: Any = ApproxDP(epsilon, delta) if mechanism == GAUSSIAN else PureDP(epsilon)
    kind = "gaussian" if mechanism == GAUSSIAN else "laplace"
    return Additive(
        Charge("mean", kind, sensitivity(n, bound), cost), inf if mechanism == UNCLIPPED else bound
    )


@dataclass(frozen=True)
class Densities:
    """Two densities on a line of points, each of which stands for a cell of this width."""

    first: Array
    second: Array
    width: ArrayLike

    @classmethod
    def of(cls, made: Law, x: Array, other: Array, at: Array) -> "Densities":
        """Return the densities on two data sets at evenly spaced points."""
        first, second = (np.exp(made.log_density(one, at)) for one in (x, other))
        return cls(first, second, at[1] - at[0])

    def excess(self, epsilon: float) -> float:
        """Return the δ that (ε, δ) needs for this pair: the larger of both slivers."""
        up = np.maximum(self.second - np.exp(epsilon) * self.first, 0.0)
        down = np.maximum(self.first - np.exp(epsilon) * self.second, 0.0)
        return max(float((up * self.width).sum()), float((down * self.width).sum()))

    @property
    def advantage(self) -> float:
        """True minus false positives of the best attacker: half the area between the densities."""
        return float((np.abs(self.first - self.second) * self.width).sum()) / 2

    def trade_off(self) -> tuple[Array, Array]:
        """Return false positives and false negatives of likelihood-ratio tests, from no guess to all."""
        with np.errstate(divide="ignore", invalid="ignore"):
            order = np.argsort(-np.nan_to_num(self.second / self.first, nan=1.0), kind="stable")
        width = np.broadcast_to(self.width, self.first.shape)[order]
        positives = np.append(0.0, np.cumsum(self.first[order] * width))
        return positives, 1 - np.append(0.0, np.cumsum(self.second[order] * width))


def two_outputs(_run: Run, *, epsilon: float = 1.0, delta: float = 0.05) -> Chart:
    """Return the densities of a release on two neighbours, Laplace and Gaussian noise."""
    return Chart(
        "two_outputs",
        "Neighbours' densities differ by at most a factor eᵋ, up to an area δ",
        (_panel(LAPLACE, epsilon, delta), _panel(GAUSSIAN, epsilon, delta)),
        alt="Two pairs of densities. Left, two tents; the second stays inside a band round the first. Right,"
        " two bells; far out on one side the second is higher than the band, by a thin sliver.",
        how_to_read="Grey: the blue density, from 1/eᵋ times to eᵋ times. Left, the orange one never leaves"
        " that band. Right, it does, far out: the area of the sliver is δ.",
    )


def _panel(mechanism: str, epsilon: float, delta: float) -> Panel:
    made = law(mechanism, 1, epsilon, delta, bound=1.0)
    assert isinstance(made, Additive)
    reach = 1 + 3.2 * made.scale
    at = np.linspace(-reach, reach, POINTS)
    both = Densities.of(made, NEAR, FAR, at)
    low, high, tall = np.exp(-epsilon) * both.first, np.exp(epsilon) * both.first, float(both.first.max())
    height = 0.8 * tall  # where names stand, beside the flanks
    left, right = at[both.first >= height][0], at[both.second >= height][-1]
    series = [
        Series("", at, high, low, role="area", colour_key="idea/data"),
        Series("", at, low, role="reference", colour_key="idea/data"),
    ]
    for label, y, key, place in (
        ("on X", both.first, "idea/first", (left - 0.12 * reach, height)),
        ("on X′", both.second, "idea/second", (right + 0.2 * reach, height)),
    ):
        series.append(Series(label, at, y, role="theory", colour_key=key, label_at=place))
    out, marks = both.second > high * (1 + 1e-9), tuple[Mark, ...]()
    if out.any():
        series.append(Series("", at[out], both.second[out], high[out], role="area", colour_key="idea/second"))
        marks = (Mark("area δ", x=0.8 * reach, y=0.3 * tall, colour_key="idea/second"),)
    given = f", δ = {number(delta)}" if mechanism == GAUSSIAN else ""
    return Panel(
        f"{mechanism} noise, ε = {number(epsilon)}{given}", "released number y", "density", tuple(series),
        "linear", "linear", xlim=(-reach, reach), ylim=(0.0, 1.2 * tall), marks=marks,
        note="" if given else "Grey: from 1/eᵋ to eᵋ times the density on X.",
    )  # fmt: skip
