"""Tracing: whether a released mean says who was in the table.

Rows are d fair signs, their mean over n rows is released, with or without Gaussian noise. A member's row z
has a score ⟨z, out⟩ of about d/n, a stranger's of about 0; both are √(d/n) off, and with noise of scale s in
every coordinate by s√d more. What is measured is how often a member's score is above a stranger's on the same
output. Exchange the two, and the table is a neighbour, on which the same event has the share 1 - p instead of
p: for μ-GDP p ≤ Φ(Φ⁻¹(1 - p) + μ), which is p ≤ Φ(μ/2).
"""

from functools import partial
from math import hypot, sqrt

import numpy as np
from numpy.random import Generator
from pandas import DataFrame

from workbench.catalog import CATALOG
from workbench.charts.curves import LEVEL, Chart, Panel, Series, across, along, number, theory
from workbench.distributions import Gaussian
from workbench.populations import MultivariateGaussian
from workbench.privacy import ApproxDP, Charge, NonPrivate, SimulatedNoise
from workbench.privacy.mechanisms import gaussian, gaussian_mu, gaussian_scale
from workbench.special import ndtr
from workbench.study import tracing as tracer
from workbench.study.measures import between, by, hits, mean, summary
from workbench.study.rules import Checks, Claim
from workbench.study.sweeps import Role, Row, Run, Sweep, blocks, each_trial, grid, stream
from workbench.types import Array, Columns

EPSILON, DELTA = 1.0, 1e-2
N = 100
DIMENSIONS = (10, 30, 100, 300, 1000)
NORMAL = 0.02  # of the areas: normal scores are a model
FINE = tuple(int(d) for d in np.unique(np.geomspace(5, 2000, 41).round()))
DRAWS = {"quick": 4000, "full": 20_000}


def released(n: int, d: int, epsilon: float, delta: float) -> Charge:
    """Return the charge of a mean of n rows of d signs: one row moves it by 2√d/n."""
    return Charge("mean", "gaussian", 2 * sqrt(d) / n, ApproxDP(epsilon, delta))


def area(n: int, d: int, scale: float = 0.0) -> float:
    """Return how often a member's score is above a stranger's, by the central limit theorem."""
    return float(ndtr((d / n) / hypot(sqrt(d * (2 * n - 1)) / n, scale * sqrt(2 * d))))


def private_area(d: int, n: int, epsilon: float, delta: float) -> float:
    return area(n, d, gaussian_scale(released(n, d, epsilon, delta)))


def most_area(epsilon: float, delta: float) -> float:
    """Return the most that any attacker reaches against this Gaussian noise: Φ(μ/2)."""
    return float(ndtr(gaussian_mu(ApproxDP(epsilon, delta)) / 2))


def scores(
    n: int, d: int, charge: Charge, trials: int, data: Generator, noise: Generator
) -> tuple[Array, Array]:
    """Return scores of members and of strangers, shape (2, trials): without noise, and with it.

    The other n - 1 rows matter through their sum alone, which is drawn from its own distribution.
    """
    member, stranger = (2.0 * data.integers(2, size=(trials, d), dtype=np.int8) - 1 for _ in range(2))
    others = 2.0 * data.binomial(n - 1, 0.5, size=(trials, d)) - (n - 1)
    total = member + others
    private = gaussian(total / n, charge, SimulatedNoise(noise))
    plain, noisy = ([(z * of).sum(axis=1) for z in (member, stranger)] for of in (total, private))
    return np.array(plain) / n, np.array(noisy)  # whole numbers: ties of exact means are exact


def traced(
    d: int, n: int, epsilon: float, delta: float, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    plain, private = scores(n, d, released(n, d, epsilon, delta), trials, data, noise)
    coin = data.integers(2, size=trials).astype(bool)
    above = np.where(plain[0] == plain[1], coin, plain[0] > plain[1])
    return {"plain": above, "private": private[0] > private[1]}


TRACED = Sweep(
    "what-epsilon-means-traced",
    grid(d=DIMENSIONS, n=N, epsilon=EPSILON, delta=DELTA),
    traced,
    2500,
    blocks(80),
    in_law=True,
)


def tracing(run: Run, *, n: int = 100, d: int = 100, epsilon: float = 1.0, delta: float = 0.01) -> Chart:
    """Return scores of members and strangers, and how often a member's is the larger one."""
    drawn, spread = np.empty((2, 0)), sqrt(d / n)
    if run.simulate:
        data = stream(run.seed, Role.DATA, "what-epsilon-means-scores", n)
        draws = min(DRAWS.get(run.profile, 4000), max(200, 2_000_000 // d))
        drawn = scores(n, d, released(n, d, 1.0, 0.01), draws, data, data)[0]
    edges, densities = np.linspace(-4 * spread, d / n + 4 * spread, 41 + 1), []
    middles, width = (edges[1:] + edges[:-1]) / 2, edges[1] - edges[0]
    for label, key, middle, side, found in (
        ("members", "idea/second", d / n, 2.0, drawn[0]),
        ("strangers", "idea/data", 0.0, -2.3, drawn[1]),
    ):
        if len(found):
            heights = np.histogram(found, edges)[0] / len(found) / width
            band = 2 * np.sqrt(heights / len(found) / width)
            low, high = np.maximum(heights - band, 0.0), heights + band
            densities.append(Series("", middles, heights, low, high, colour_key=key))
        curve = np.exp(-(((middles - middle) / spread) ** 2) / 2) / (spread * sqrt(2 * np.pi))
        place = middle + side * spread, 0.34 / spread
        densities.append(theory(label, middles, curve, key, label_at=place))
    frame = run.table(
        TRACED.moved({"d": one, "n": n, "epsilon": epsilon, "delta": delta} for one in DIMENSIONS)
    )
    said = f"private mean, ε = {number(epsilon)}, δ = {number(delta)}"
    lines, curves = [across("most for this budget", (FINE[0], FINE[-1]), most_area(epsilon, delta))], []
    for name, key, label, foreseen in (
        ("plain", "mean/empirical", "exact mean", partial(area, n)),
        ("private", "idea/gaussian", said, partial(private_area, n=n, epsilon=epsilon, delta=delta)),
    ):
        above = {one: hits(rows[name], LEVEL) for one, rows in by(frame, "d").items()}
        points, line = along(above, FINE, foreseen, key, label=label, margin=NORMAL)
        curves.append(points)
        lines.append(line)
    return Chart(
        "tracing",
        "An exact mean of many columns names its members",
        (
            Panel(
                f"exact mean, n = {number(n)}, d = {number(d)}", "score of a row", "density",
                densities, "linear", "linear", ylim=(0.0, 0.55 / spread),
            ),
            Panel(
                f"n = {number(n)}", "columns d", "chance that a member's score is larger",
                (*lines, *curves), yscale="linear", ylim=(0.45, 1.02),
            ),
        ),
        alt="Left, densities of the scores of strangers, round 0, and of members, further right. Right, how"
        " often a member scores above a stranger against the number of columns: it rises from a half to 1"
        " for the exact mean, and stays near a half for the private one, below a bound.",
        how_to_read="Left, members' scores are larger. Right, a half is guessing; no attacker gets above the"
        " line for this budget, however many columns there are. Markers: simulated tables.",
    )  # fmt: skip


def members_are_traced(frame: DataFrame) -> Checks:
    for d, some in by(frame, "d").items():
        found, expected = hits(some["plain"]), area(N, d)
        ends = expected - NORMAL, expected + NORMAL
        yield between(f"d = {d:g}", found, *ends, bound=expected, n=N)


def privacy_hides_members(frame: DataFrame) -> Checks:
    most = most_area(EPSILON, DELTA)
    for d, some in by(frame, "d").items():
        found, expected = hits(some["private"]), private_area(d, N, EPSILON, DELTA)
        yield between(f"d = {d:g}", found, expected - NORMAL, most, n=N)


# Tracing against the means of the catalog: with the noise of a budget, and with next to none of it.
#
# Rows are standard normal, four times as many columns as rows, so that an exact mean names most of its
# members (`study.tracing`). A populous mean takes 109 rows at least and has as many columns as rows. The
# others are in no table in which an exact mean could be traced: see `OUT_OF_REACH`.


SEED = 31  # of resampling
BUDGET = ApproxDP(1.0, 1e-6)
WHOLE, HARDLY_ANY = 1.0, 1e-6  # shares of the noise

SMALL = (16, 64)
PLACES = {
    "mean/clipped-box": SMALL,
    "mean/coordinatewise": SMALL,
    "mean/coinpress": SMALL,
    "mean/adaptive": SMALL,
    "mean/clipped-heavy": SMALL,
    "mean/filter": SMALL,
    "mean/prime": SMALL,
    "mean/prime-heavy": SMALL,
    "mean/robust": SMALL,
    "mean/robust-heavy": SMALL,
    "mean/populous": (128, 128),
}
"""Rows and columns for every private mean that can be tried where an exact mean is traced."""

EXACT = {"mean/empirical": SMALL, "mean/filter-nonprivate": SMALL}

OUT_OF_REACH = {
    "mean/median-of-means": (560, 16),  # 375 rows at least
    "mean/affine": (5000, 2),  # hundreds of rows for every column
    "mean/populous-robust": (1600, 2),  # at most 8 columns
    "mean/tukey": (100, 2),  # at most 3 columns, as the two below
    "mean/resilient": (1000, 2),
    "mean/resilient-heavy": (1000, 2),
}
"""Rows and columns of means of which nobody could be traced, if they were exact; nothing is shown there."""


@each_trial
def traced_by_mean(key: str, n: int, d: int, noise_share: float, *, data: Generator, noise: Generator) -> Row:
    estimator = CATALOG[key].estimator
    population = MultivariateGaussian(Gaussian(np.zeros(d), np.eye(d)))
    budget = None if isinstance(CATALOG[key].examples[0].budget, NonPrivate) else BUDGET
    source = tracer.Quieter(SimulatedNoise(noise), noise_share)
    return {"traced": tracer.traced(estimator, population, n, budget, data=data, noise=source)}


EVERY_MEAN = Sweep(
    "what-epsilon-means-every-mean",
    tuple(
        {"key": key, "n": n, "d": d, "noise_share": share}
        for places, shares in ((PLACES, (WHOLE, HARDLY_ANY)), (EXACT, (WHOLE,)))
        for key, (n, d) in places.items()
        for share in shares
    ),
    traced_by_mean,
    60,
    blocks(8),
)


def members_are_hidden(frame: DataFrame) -> Checks:
    most = tracer.most_traced(BUDGET)
    for (key, times), some in frame.groupby(["key", "noise_share"], sort=False):
        hidden = times == WHOLE and key not in EXACT
        name = f"{key}, noise times {HARDLY_ANY:g}" if times == HARDLY_ANY else str(key)
        ends = (0.0, most) if hidden else (most, 1.0)
        found = summary(mean, some["traced"], SEED, f"tracing {name}")
        low, high = found.interval
        found = found._replace(interval=(max(low, 0.0), min(high, 1.0)))
        yield between(name, found, *ends, bound=most, n=int(some["n"].iloc[0]))


CLAIMS = (
    Claim(
        "what-epsilon-means/members-are-traced",
        "X5",
        ("DSSUV15/tracing",),
        "From an exact mean of 100 rows of d fair signs, a member's score ⟨z, mean⟩ is above a stranger's"
        " with probability Φ(√(d/199)) (± .02), d = 10 .. 1000: .59 .. .99.",
        members_are_traced,
        lambda: [TRACED],
        kind="ours",
    ),
    Claim(
        "what-epsilon-means/privacy-hides-members",
        "X6",
        ("DSSUV15/tracing", "M21/Thm-Gaussian"),
        "From a mean of 100 rows with Gaussian noise at (1, .01) a member's score is above a stranger's"
        " with probability at most Φ(μ/2) = .61 for every d to 1000, and at least what is predicted, less"
        " .02.",
        privacy_hides_members,
        lambda: [TRACED],
        kind="ours",
    ),
    Claim(
        "what-epsilon-means/every-mean-hides-members",
        "X7",
        ("DSSUV15/tracing",),
        "Of eleven private means of the catalogue, at (1, 10⁻⁶) and with as many columns as rows or more, a"
        " member's score is among the highest 5 % of strangers' in at most e/20 + 10⁻⁶ = .136 of all cases."
        " With a millionth of the noise it is in more, as it is for exact means.",
        members_are_hidden,
        lambda: [EVERY_MEAN],
        kind="ours",
    ),
)
