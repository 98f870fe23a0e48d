"""The definition in pictures: a hundred people and what may be believed of one, then densities of neighbours.

The hundred are made up, always the same. With ε-DP, whoever believes with probability p that a table is X
and not its neighbour X′ believes so afterwards with a probability from p/(p + (1 - p)e^ε) to
p e^ε/(p e^ε + 1 - p): by Bayes' theorem the odds are multiplied by a ratio of likelihoods, e^ε at most.

`Additive` is the clipped mean with Laplace or Gaussian noise, `Middle` the private median. Densities are on a
line of points, draws are the package's.
"""

from dataclasses import dataclass
from itertools import product
from math import ceil, exp, inf, log, nan, pi, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from workbench.charts.curves import Chart, Mark, Panel, Series, across, number, styled, text_at, theory
from workbench.estimators.bounded import Count, Histogram
from workbench.estimators.quantiles import Median
from workbench.estimators.two_step import clipped_mean, sensitivity
from workbench.privacy import ApproxDP, Charge, PureDP, SimulatedNoise
from workbench.privacy.budgets import gaussian_delta, optimal_composition
from workbench.privacy.mechanisms import additive, gaussian_scale, laplace_scale
from workbench.special import brentq, log_ndtr, ndtr
from workbench.study.rules import Claim, Verdict, combine, largest
from workbench.study.sweeps import Role, Run, stream, value_of
from workbench.types import Array, Mask

MANY = 100  # people
DECADES = (30.0, 40.0, 50.0, 60.0)
AGES = ("below 30", "30 to 39", "40 to 49", "50 to 59", "60 and more")
TIMES = 5  # that the noisy histogram is released
PRIORS = np.linspace(0.0, 1.0, 101)


@dataclass(frozen=True)
class People:
    age: Array
    salary: Array
    smokes: Mask


def people() -> People:
    """Return the hundred.

    >>> people().smokes.sum(), people().salary.mean()
    (np.int64(26), np.float64(51507.0))
    """
    rng = np.random.default_rng(100)
    age = rng.integers(18, 67, size=MANY)
    salary = np.round(rng.lognormal(10.2 + age / 80, 0.35), -2)
    return People(age.astype(float), salary, rng.random(MANY) < 0.3)


def two_coins(_run: Run, *, epsilon: float = 1.0, n: int = 100) -> Chart:
    """Return what an answer says of the truth, and errors of a share by n coins or a noisy count."""
    true = exp(epsilon) / (1 + exp(epsilon))  # the chance of a true answer
    chances = Panel(
        "What one answer gives away", "", "probability of the answer yes",
        [styled("bars", "", (1, 2), (true, 1 - true), "idea/first")],
        yscale="linear", ylim=(0.0, 1.0), names=("smokes", "does not smoke"),
        note=f"The ratio of the two is eᵋ = {number(exp(epsilon))}.",
    )  # fmt: skip
    # standard deviations: a share from n answers has the variance p(1 - p)/(2p - 1)²/n
    coins = sqrt(true * (1 - true) / n) / (2 * true - 1)
    count = sqrt(2) * laplace_scale(Count().plan(n, 1, PureDP(epsilon))) / n
    at = np.linspace(-3.2 * coins, 3.2 * coins, 301)
    bell, tent = np.exp(-((at / coins) ** 2) / 2), np.exp(-np.abs(at) * sqrt(2) / count)
    errors = Panel(
        f"Share of smokers among {n}: how far off", "released share less the true one",
        "density over its largest value",
        (
            theory("a coin for each", at, bell, "idea/first", label_at=(2.0 * coins, 0.5)),
            theory("a noisy count", at, tent, "idea/laplace", label_at=(1.4 * coins, 0.95)),
        ),
        "linear", "linear", xlim=(at[0], at[-1]), ylim=(0.0, 1.1),
    )  # fmt: skip
    return Chart(
        "two_coins",
        f"With a coin for every answer the error is {number(coins / count)} times that of a noisy count",
        (chances, errors),
        alt="Left, two bars: how often somebody who smokes, and somebody who does not, answers yes. Right, a"
        " wide bell, the error of a share from such answers, and a narrow tent, that of a noisy count.",
        how_to_read="Left, nobody can tell from one answer who smokes. Right, narrower is better: a noisy"
        " count needs somebody who is trusted with the true answers.",
    )


def noisy_count(run: Run, *, epsilon: float = 1.0) -> Chart:
    """Return a noisy count with and without one person, and five noisy histograms."""
    budget, those = PureDP(epsilon), people()
    scale, smokers = laplace_scale(Count().plan(MANY, 1, budget)), int(those.smokes.sum())
    reach, top = ceil(4.0 * scale) + 2, float(np.tanh(0.5 / scale))
    at = np.arange(smokers - reach, smokers + reach + 1)
    series = [
        Series(label, at, np.tanh(0.5 / scale) * np.exp(-np.abs(at - centre) / scale), colour_key=key)
        for label, key, centre in (
            ("if they smoke", "idea/first", smokers),
            ("if not", "idea/second", smokers - 1),
        )
    ]
    law = Panel(
        f"A noisy count of smokers, ε = {number(epsilon)}", "released count", "probability", series,
        "linear", "linear", xlim=(at[0], at[-1]), ylim=(0.0, 1.15 * top),
    )  # fmt: skip
    places = np.searchsorted(DECADES, those.age, side="right")
    bars = styled("bars", "", range(1, 6), np.bincount(places, minlength=5), "idea/data")
    noise = stream(run.seed, Role.NOISE, "what-epsilon-means-people", MANY)
    released: list[Any] = [
        value_of(Histogram(edges=DECADES), those.age, budget, noise)
        for _ in range(TIMES if run.simulate else 0)
    ]
    dots = [Series("", range(1, 6), one.counts, colour_key="idea/laplace", joined=False) for one in released]
    ages = Panel(
        f"{TIMES} noisy histograms of their ages", "", "people", (bars, *dots), yscale="linear",
        ylim=(0.0, 50.0), names=AGES, note="Bars: the true numbers.",
    )  # fmt: skip
    return Chart(
        "noisy_count",
        "One person hides in the noise of a count; a hundred do not",
        (law, ages),
        alt="Left, two tents side by side, the chances of every released count with one person and"
        " without. Right, bars of the numbers of people by age, with dots of five releases near their ends.",
        how_to_read="Left, the two differ by a factor of at most eᵋ at every count. Right, dots scatter by"
        " the noise alone, the same for few people and for many.",
    )


def posterior(_run: Run, *, epsilon: float = 1.0) -> Chart:
    """Return what somebody may believe after a release, against what they believed before."""
    low, high = believed(PRIORS, -epsilon), believed(PRIORS, epsilon)
    half = float(believed(np.array(0.5), epsilon))
    panel = Panel(
        f"ε = {number(epsilon)}", "probability before the release", "probability afterwards",
        (
            Series("", PRIORS, high, low, role="area", colour_key="idea/laplace"),
            theory("at most", PRIORS, high, "idea/laplace", label_at=(0.2, 0.9)),
            theory("at least", PRIORS, low, "idea/laplace", label_at=(0.8, 0.1)),
            styled("reference", "nothing learnt", PRIORS, PRIORS, label_at=(0.66, 0.5)),
        ),
        "linear", "linear", xlim=(0.0, 1.0), ylim=(0.0, 1.0), equal=True,
        marks=[Mark(f"{100 * half:.0f} %", "point", 0.5, half, side="left")],
    )  # fmt: skip
    return Chart(
        "posterior",
        f"Whoever thought 50 % before thinks {100 * half:.0f} % at most afterwards",
        [panel],
        alt="What an attacker may believe after a release against what they believed before: a band round the"
        " diagonal, the wider the larger ε is.",
        how_to_read="Across, how sure somebody was that a row is this one and not that one. Whatever is"
        " released, and whatever else they know, they end within the band.",
    )


def believed(prior: Array, epsilon: float) -> Array:
    """Return p e^ε/(p e^ε + 1 - p): odds of p : 1 - p, multiplied by e^ε."""
    return prior * np.exp(epsilon) / (prior * np.exp(epsilon) + 1 - prior)


BOUND = 5.0  # rows are clipped to ±5, a public range
LAPLACE, GAUSSIAN, MEDIAN = "Laplace", "Gaussian", "median"
KEYS = {LAPLACE: "idea/laplace", GAUSSIAN: "idea/gaussian", MEDIAN: "univariate/median"}
POINTS = 481  # of a picture
NEAR, FAR = np.array([-1.0]), np.array([1.0])  # one row in [-1, 1], which moves from end to end


@dataclass(frozen=True)
class Additive:
    """The mean of rows clipped to ±`clip`, with the noise that the charge names."""

    charge: Charge
    clip: float

    @property
    def laplace(self) -> bool:
        return self.charge.mechanism == "laplace"

    @property
    def scale(self) -> float:
        return laplace_scale(self.charge) if self.laplace else gaussian_scale(self.charge)

    def log_density(self, x: Array, at: Array) -> Array:
        z = (at - self.mean(x)) / self.scale
        if self.laplace:
            return -np.abs(z) - log(2 * self.scale)
        return -(z**2) / 2 - log(self.scale * sqrt(2 * pi))

    def draw(self, x: Array, trials: int, rng: Generator) -> Array:
        return additive(np.full(trials, self.mean(x)), self.charge, SimulatedNoise(rng))

    def mean(self, x: Array) -> float:
        return float(clipped_mean(x, 0.0, self.clip))


@dataclass(frozen=True)
class Middle:
    """The private median on ±`bound`: the density at t falls by e^(ε/2) for every row that t is too far."""

    epsilon: float
    bound: float

    @property
    def locator(self) -> Any:
        return Median(radius=self.bound, calibration="paper", sigma=1.0).locator

    def steps(self, x: Array) -> tuple[Array, Array]:
        pieces = self.locator.pieces(x)
        weights = -self.epsilon * pieces.penalty / 2
        return pieces.edges, weights - np.logaddexp.reduce(weights + pieces.log_length())

    def log_density(self, x: Array, at: Array) -> Array:
        edges, values = self.steps(x)
        place = np.clip(np.searchsorted(edges, at, side="right") - 1, 0, len(values) - 1)
        return np.where(np.abs(at) <= self.bound, values[place], -inf)

    def draw(self, x: Array, trials: int, rng: Generator) -> Array:
        charge, noise = self.locator.charge("locate", PureDP(self.epsilon)), SimulatedNoise(rng)
        return np.array([self.locator.draw(x, charge, noise) for _ in range(trials)], np.float64)


Law = Additive | Middle


def law(mechanism: str, n: int, epsilon: float, delta: float, bound: float = BOUND) -> Law:
    """Return a mechanism at a budget; δ is that of Gaussian noise alone."""
    if mechanism == MEDIAN:
        return Middle(epsilon, bound)
    cost: Any = ApproxDP(epsilon, delta) if mechanism == GAUSSIAN else PureDP(epsilon)
    kind = "gaussian" if mechanism == GAUSSIAN else "laplace"
    return Additive(Charge("mean", kind, sensitivity(n, bound), cost), bound)


@dataclass(frozen=True)
class Densities:
    """Two densities on a line of points, each of which stands for a cell of this width."""

    first: Array
    second: Array
    width: ArrayLike

    @classmethod
    def of(cls, made: Law, x: Array, other: Array, at: Array) -> "Densities":
        first, second = (np.exp(made.log_density(one, at)) for one in (x, other))
        return cls(first, second, at[1] - at[0])

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


def two_outputs(run: Run, *, epsilon: float = 1.0, delta: float = 0.05) -> Chart:
    """Return the densities of a release on two neighbours, Laplace and Gaussian noise."""
    panels = []
    for mechanism, given in ((LAPLACE, ""), (GAUSSIAN, f", δ = {number(delta)}")):
        made: Any = law(mechanism, 1, epsilon, delta, bound=1.0)
        reach = 1 + 3.2 * made.scale
        at = np.linspace(-reach, reach, POINTS)[:: 1 if run.simulate else 4]  # an explorer has few
        both = Densities.of(made, NEAR, FAR, at)
        low, high, tall = np.exp(-epsilon) * both.first, np.exp(epsilon) * both.first, both.first.max()
        height = 0.8 * tall  # where names stand, beside the flanks
        left, right = at[both.first >= height][0], at[both.second >= height][-1]
        series = [
            Series("", at, high, low, role="area", colour_key="idea/data"),
            styled("reference", "", at, low, "idea/data"),
            theory("on X", at, both.first, "idea/first", label_at=(left - 0.12 * reach, height)),
            theory("on X′", at, both.second, "idea/second", label_at=(right + 0.2 * reach, height)),
        ]
        out, marks = both.second > high * (1 + 1e-9), tuple[Mark, ...]()
        if out.any():
            beyond = at[out], both.second[out], high[out]
            series.append(Series("", *beyond, role="area", colour_key="idea/second"))
            marks = (text_at("area δ", 0.8 * reach, 0.3 * tall, "idea/second"),)
        panel = Panel(
            f"{mechanism} noise, ε = {number(epsilon)}{given}", "released number y", "density",
            series, "linear", "linear", xlim=(-reach, reach), ylim=(0.0, 1.2 * tall), marks=marks,
            note="" if given else "Grey: from 1/eᵋ to eᵋ times the density on X.",
        )  # fmt: skip
        panels.append(panel)
    return Chart(
        "two_outputs",
        "Neighbours' densities differ by at most a factor eᵋ, up to an area δ",
        panels,
        alt="Two pairs of densities. Left, two tents; the second stays inside a band round the first. Right,"
        " two bells; far out on one side the second is higher than the band, by a thin sliver.",
        how_to_read="Grey: the blue density, from 1/eᵋ times to eᵋ times. Left, the orange one never leaves"
        " that band. Right, it does, far out: the area of the sliver is δ.",
    )


# Composition: the distribution of the privacy loss, of the sum of k of them, and the ε of many releases.
#
# The privacy loss of an output y is ln(f(y)/f'(y)), y drawn from f. Losses of k independent releases add up,
# so that their law is a convolution: one Fourier transform, raised to the power k. Rounded up to the grid,
# losses give a δ that is too large; rounded down, one that is too small.


CELLS = 1000  # of the grid of one loss
USES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
FEW_USES = (1, 4, 16, 64)
BERRY_ESSEEN = 0.4748  # Shevtsova 2011, for sums of independent terms of one distribution
LEAST = 1e-10  # δ that is resolved: below it the rounding of the transform is of its size


@dataclass(frozen=True)
class Losses:
    """The distribution of a privacy loss: P(loss = first + j step) = mass[j]; with what is left, infinite."""

    first: float
    step: float
    mass: Array

    @classmethod
    def of(cls, places: Array, heights: Array, up: bool = True) -> "Losses":
        """Return the distribution with this distribution function on a grid, rounded up to it or down."""
        mass, step = np.diff(heights, prepend=0.0), (places[-1] - places[0]) / (len(places) - 1)
        return cls(places[0], step, mass if up else np.append(mass[0] + mass[1], mass[2:]))

    def times(self, k: int) -> "Losses":
        size = k * (len(self.mass) - 1) + 1
        power = np.fft.irfft(np.fft.rfft(self.mass, size) ** k, size)
        return Losses(k * self.first, self.step, np.maximum(power, 0.0))

    @property
    def values(self) -> Array:
        return np.asarray(self.first + self.step * np.arange(len(self.mass)), np.float64)

    def moments(self) -> tuple[float, float, float]:
        """Return the mean of the finite losses, their standard deviation and third absolute moment."""
        mean = float(self.values @ self.mass)
        apart = self.values - mean
        return mean, sqrt(float(apart**2 @ self.mass)), float(np.abs(apart) ** 3 @ self.mass)

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
        mean, sd, _ = self.moments()
        heights, normal = np.cumsum(self.mass), ndtr((self.values - mean) / sd)
        return float(np.max(np.abs([heights - normal, heights - self.mass - normal])))


def laplace_losses(epsilon: float) -> Losses:
    """Return the loss of Laplace noise on the worst neighbours: ±ε at the ends, a density between them."""
    loss = np.linspace(-epsilon, epsilon, CELLS + 1)
    return Losses.of(loss, np.where(loss >= epsilon, 1.0, np.exp((loss - epsilon) / 2) / 2))


def gaussian_losses(mu: float, up: bool) -> Losses:
    """Return the loss of μ-GDP noise: N(μ²/2, μ²)."""
    middle, half = mu**2 / 2, 9.0 * mu
    loss = np.linspace(middle - half, middle + half, 20 * CELLS + 1)
    return Losses.of(loss, ndtr((loss - middle) / mu), up)


def normal_epsilon(mean: float, sd: float, delta: float) -> float:
    def excess(epsilon: float) -> float:
        z = (mean - epsilon) / sd
        return float(ndtr(z)) - exp(epsilon - mean + sd**2 / 2 + float(log_ndtr(z - sd))) - delta

    return brentq(excess, 0.0, mean + 12 * sd, xtol=1e-10) if excess(0.0) > 0 else 0.0


def composition(_run: Run, *, epsilon: float = 0.5, delta: float = 1e-4) -> Chart:
    """Return the ε of k releases over the sum of their ε."""
    one = laplace_losses(epsilon)
    mean, sd, _ = one.moments()
    best = [optimal_composition(ApproxDP(epsilon, 0.0), k, delta).epsilon for k in USES]
    exact = [one.times(k).epsilon(delta) if delta >= LEAST else nan for k in USES]
    normal = [normal_epsilon(k * mean, sqrt(k) * sd, delta) for k in USES]
    series = [across("sum of all ε", (USES[0], USES[-1]), 1)]
    for label, found, key in (
        ("any mechanism, at best", best, "idea/public"),
        ("Laplace noise, exactly", exact, "idea/laplace"),
        ("normal distribution", normal, "idea/total"),
    ):
        ratios = [total / (k * epsilon) for total, k in zip(found, USES, strict=True)]
        series.append(styled("reference", label, USES, ratios, key))
    panel = Panel(
        f"Laplace noise, ε = {number(epsilon)} a release; all of them together at δ = {number(delta)}",
        "releases k", "ε after k releases / kε", series, yscale="linear", ylim=(0.0, 1.1),
    )  # fmt: skip
    return Chart(
        "composition",
        "Many releases cost far less than the sum of their ε",
        [panel],
        alt="ε of all releases over the sum of their ε, against the number of releases: 1 for few, then"
        " falling, for Laplace noise down to the value of a normal distribution.",
        how_to_read="Privacy losses of independent releases add up, and their sum is nearly normal. For few"
        " releases the sum of all ε is needed, for many it is far too much.",
    )


def losses_become_normal() -> Verdict:
    over_optimal = [
        laplace_losses(epsilon).times(k).epsilon(slack)
        / optimal_composition(ApproxDP(epsilon, 0.0), k, slack).epsilon
        for epsilon, k, slack in product((0.1, 0.5, 1.0), FEW_USES, (1e-4, 1e-6))
    ]
    to_normal = []
    for epsilon, k in product((0.1, 0.5, 1.0, 2.0, 4.0), FEW_USES):
        one = laplace_losses(epsilon)
        _, sd, third = one.moments()
        to_normal.append(one.times(k).distance_to_normal() / (BERRY_ESSEEN * third / sd**3 / sqrt(k)))
    settings = [(mu, k, mu * sqrt(k)) for mu, k in product((0.25, 0.5, 1.0), FEW_USES[:3])]
    exact = np.array([gaussian_delta(whole, 2 * whole) for *_, whole in settings])
    up, down = (
        np.array([gaussian_losses(mu, up).times(k).delta(2 * whole) for mu, k, whole in settings])
        for up in (True, False)
    )
    return combine(
        [
            largest(name, found, bound, f"at most {bound:g}")
            for name, found, bound in (
                ("ε of k Laplace releases over that of any mechanism", over_optimal, 1 + 1e-9),
                ("distance to the normal distribution over its bound", to_normal, 1.0),
                ("δ of losses rounded down over the package's δ", (down / exact).tolist(), 1.0),
                ("the package's δ over that of losses rounded up", (exact / up).tolist(), 1.0),
                ("rounded up over rounded down", (up / down).tolist(), 1.02),
            )
        ]
    )


CLAIMS = (
    Claim(
        "what-epsilon-means/losses-become-normal",
        "X2",
        ("M21/properties", "KOV15/Thm3.3"),
        "The loss of k = 1 .. 64 Laplace releases is within .4748 E|L - EL|^3/(sd^3 √k) of a normal"
        " distribution, its ε at most that of optimal composition; δ of k Gaussian releases is between sums"
        " of losses rounded down and up, which differ by 2 %.",
        losses_become_normal,
        kind="ours",
    ),
)
