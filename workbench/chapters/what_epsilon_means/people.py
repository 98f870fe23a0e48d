"""A hundred people: what two exact numbers give away, a coin for every answer, a noisy count, and beliefs.

The hundred are made up, always the same. With ε-DP, whoever believes with probability p that a table is X
and not its neighbour X′ believes so afterwards with a probability from p/(p + (1 - p)e^ε) to
p e^ε/(p e^ε + 1 - p): by Bayes' theorem the odds are multiplied by a ratio of likelihoods, e^ε at most.
"""

from dataclasses import dataclass
from math import ceil, exp, sqrt

import numpy as np

from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.style import number
from workbench.estimators.bounded import Count, Histogram
from workbench.privacy import PureDP
from workbench.privacy.mechanisms import laplace_scale
from workbench.study.grids import Role, stream
from workbench.study.run import Run
from workbench.types import Array

MANY, LEAVER = 100, 16
DECADES = (30.0, 40.0, 50.0, 60.0)
AGES = ("below 30", "30 to 39", "40 to 49", "50 to 59", "60 and more")
TIMES = 5  # that the noisy histogram is released
NEARBY = 4.0  # scales of the noise, on either side, that are shown
PRIORS = np.linspace(0.0, 1.0, 101)


@dataclass(frozen=True)
class People:
    """Columns of a table of a hundred people; a salary is for a year."""

    age: Array
    salary: Array
    smokes: Array


def people() -> People:
    """Return the hundred.

    >>> people().smokes.sum(), people().salary.mean()
    (np.int64(26), np.float64(51507.0))
    """
    rng = np.random.default_rng(100)
    age = rng.integers(18, 67, size=MANY)
    salary = np.round(rng.lognormal(10.2 + age / 80, 0.35), -2)
    return People(age.astype(float), salary, rng.random(MANY) < 0.3)


def truthful(epsilon: float) -> float:
    """Return with which probability an answer is the true one in randomised response.

    >>> round(truthful(np.log(3)), 2)  # a coin says whether to tell the truth, another one answers
    0.75
    """
    return exp(epsilon) / (1 + exp(epsilon))


def two_coins(_run: Run, *, epsilon: float = 1.0, n: int = 100) -> Chart:
    """Return what an answer says of the truth, and errors of a share by n coins or a noisy count."""
    true = truthful(epsilon)
    chances = Panel(
        "What one answer gives away", "", "probability of the answer yes",
        (Series("", (1, 2), (true, 1 - true), role="bars", colour_key="idea/first"),),
        yscale="linear", ylim=(0.0, 1.0), names=("smokes", "does not smoke"),
        note=f"The ratio of the two is eᵋ = {number(exp(epsilon))}.",
    )  # fmt: skip
    coins, count = coin_spread(epsilon, n), count_spread(epsilon, n)
    at = np.linspace(-3.2 * coins, 3.2 * coins, 301)
    bell = np.exp(-((at / coins) ** 2) / 2)
    tent = np.exp(-np.abs(at) * sqrt(2) / count)
    errors = Panel(
        f"Share of smokers among {n}: how far off", "released share less the true one",
        "density over its largest value",
        (
            Series("a coin for each", at, bell, role="theory", colour_key="idea/first",
                   label_at=(2.0 * coins, 0.5)),
            Series("a noisy count", at, tent, role="theory", colour_key="idea/laplace",
                   label_at=(1.4 * coins, 0.95)),
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


def coin_spread(epsilon: float, n: int) -> float:
    """Return the standard deviation of a share from n answers: each has the variance p(1 - p)/(2p - 1)²."""
    true = truthful(epsilon)
    return sqrt(true * (1 - true) / n) / (2 * true - 1)


def count_spread(epsilon: float, n: int) -> float:
    """Return the standard deviation of the noise of a count, over n."""
    return sqrt(2) * laplace_scale(Count().plan(n, 1, PureDP(epsilon))) / n


def noisy_count(run: Run, *, epsilon: float = 1.0) -> Chart:
    """Return the law of a noisy count with and without one person, and five noisy histograms."""
    budget, those = PureDP(epsilon), people()
    scale, smokers = laplace_scale(Count().plan(MANY, 1, budget)), int(those.smokes.sum())
    reach, top = ceil(NEARBY * scale) + 2, float(np.tanh(0.5 / scale))
    at = np.arange(smokers - reach, smokers + reach + 1)
    series = []
    for label, key, centre in (
        ("if they smoke", "idea/first", smokers),
        ("if not", "idea/second", smokers - 1),
    ):
        chance = np.tanh(0.5 / scale) * np.exp(-np.abs(at - centre) / scale)
        series.append(Series(label, at, chance, colour_key=key))
    law = Panel(
        f"A noisy count of smokers, ε = {number(epsilon)}", "released count", "probability", tuple(series),
        "linear", "linear", xlim=(at[0], at[-1]), ylim=(0.0, 1.15 * top),
    )  # fmt: skip
    places = np.searchsorted(DECADES, those.age, side="right")
    bars = Series("", range(1, 6), np.bincount(places, minlength=5), role="bars", colour_key="idea/data")
    dots = []
    noise = stream(run.seed, Role.NOISE, "what-epsilon-means-people", MANY, 0)
    for _ in range(TIMES if run.simulate else 0):
        released = Histogram(edges=DECADES)(those.age, budget=budget, rng=noise).value
        counts = getattr(released, "counts", ())
        dots.append(Series("", range(1, 6), counts, colour_key="idea/laplace", joined=False))
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
            Series("at most", PRIORS, high, role="theory", colour_key="idea/laplace", label_at=(0.2, 0.9)),
            Series("at least", PRIORS, low, role="theory", colour_key="idea/laplace", label_at=(0.8, 0.1)),
            Series("nothing learnt", PRIORS, PRIORS, role="reference", label_at=(0.66, 0.5)),
        ),
        "linear", "linear", xlim=(0.0, 1.0), ylim=(0.0, 1.0), equal=True,
        marks=(Mark(f"{100 * half:.0f} %", "point", x=0.5, y=half, side="left"),),
    )  # fmt: skip
    return Chart(
        "posterior",
        f"Whoever thought 50 % before thinks {100 * half:.0f} % at most afterwards",
        (panel,),
        alt="What an attacker may believe after a release against what they believed before: a band round the"
        " diagonal, the wider the larger ε is.",
        how_to_read="Across, how sure somebody was that a row is this one and not that one. Whatever is"
        " released, and whatever else they know, they end within the band.",
    )


def believed(prior: Array, epsilon: float) -> Array:
    """Return p e^ε/(p e^ε + 1 - p): odds of p : 1 - p, multiplied by e^ε."""
    return np.asarray(prior * np.exp(epsilon) / (prior * np.exp(epsilon) + 1 - prior))
