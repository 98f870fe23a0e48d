"""A box is ruinous in many dimensions, a ball is not; and what becomes of the ball on rows that are skewed.

Five private means of the same rows, the mean uniform in a box of public half-width: normal rows against d,
and, for two of them, normal and skewed rows against n (M21/prior-CoinPress, M21/prior-KSU20). "reference" is
the error of the sample mean.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import inf, isfinite, nan, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.chapters.many_dimensions.coinpress import (
    DELTA,
    EPSILON,
    REACH,
    SHADES,
    D,
    Means,
    Parts,
    words,
)
from workbench.charts.curves import (
    Chart,
    Mark,
    Panel,
    across,
    covering,
    measured,
    medians,
    number,
    styled,
    text_at,
    theory,
)
from workbench.estimators import Estimator
from workbench.estimators.clipped import ClippedBoxMean, CoordinatewiseMean, shared
from workbench.estimators.coinpress import CoinPressMean
from workbench.estimators.heavy_tailed import ClippedHeavyMean
from workbench.privacy import ApproxDP
from workbench.privacy.mechanisms import gaussian_scale
from workbench.study.audit import Pair
from workbench.study.measures import at, by, scaled
from workbench.study.sweeps import (
    Point,
    Row,
    Run,
    distance_of,
    each_trial,
    grid,
    multiples,
    over_grid,
    resources,
)
from workbench.types import Array

N, DIMENSIONS = 2000, (1, 2, 4, 8, 16, 32, 64)
BOX, BALL, HEAVY = "mean/clipped-box", "mean/coinpress", "mean/clipped-heavy"
COORDINATES, PROVED = "mean/coordinatewise", f"{BALL}:proved"
METHODS = {  # label, colour key, place on its ramp
    BOX: ("clipped to a box", BOX, None),
    COORDINATES: ("column by column", COORDINATES, None),
    HEAVY: ("ball for heavy tails", HEAVY, None),
    PROVED: ("CoinPress, proved", BALL, SHADES["proved"]),
    BALL: ("CoinPress", BALL, SHADES["practical"]),
}
FOUND = 0.01  # chance of a wrong place up to which the predictions for runs that find the mean are compared
SHAPE = 0.25  # of the gamma distribution of every coordinate: kurtosis 3 + 6/SHAPE, skewness 2/√SHAPE
LAWS = {"normal": 3.0, "skewed": 3.0 + 6 / SHAPE}  # with C, E<v, X>⁴ ≤ C |v|⁴


# What is run


def estimators(d: int, half_width: float) -> dict[str, Estimator[Any]]:
    radius = half_width * sqrt(d)  # of the ball round the box
    return {
        BOX: ClippedBoxMean(radius=half_width, sigma=1.0),
        COORDINATES: CoordinatewiseMean(sigma=1.0),
        HEAVY: ClippedHeavyMean(radius=radius, upper=1.0),
        PROVED: CoinPressMean(radius=radius, mode="proved", sigma=1.0),
        BALL: CoinPressMean(radius=radius, sigma=1.0),
    }


def distances(
    methods: Mapping[str, Estimator[Any]], x: Array, theta: Array, budget: ApproxDP, noise: Generator
) -> Row:
    found = {key: distance_of(one, x, theta, budget, noise) for key, one in methods.items()}
    return {"reference": np.linalg.norm(x.mean(axis=0) - theta), **found}


@each_trial
def side_by_side(
    n: int, d: int, half_width: float, epsilon: float, *, delta: float = DELTA, data: Generator,
    noise: Generator,
) -> Row:  # fmt: skip
    theta = data.uniform(-half_width, half_width, d)
    x = data.standard_normal((n, d)) + theta
    return distances(estimators(d, half_width), x, theta, ApproxDP(epsilon, delta), noise)


@each_trial
def laws(
    n: int, d: int, epsilon: float, law: str, *, delta: float = DELTA, half_width: float = REACH,
    data: Generator, noise: Generator,
) -> Row:  # fmt: skip
    made: Any = estimators(d, half_width)
    methods = {BALL: made[BALL], HEAVY: replace(made[HEAVY], hypercontractivity=LAWS[law])}
    theta = data.uniform(-half_width, half_width, d)
    if law == "normal":
        x = data.standard_normal((n, d))
    else:  # independent coordinates of mean 0 and variance 1
        x = (data.gamma(SHAPE, size=(n, d)) - SHAPE) / sqrt(SHAPE)
    return distances(methods, x + theta, theta, ApproxDP(epsilon, delta), noise)


AGAINST_D = over_grid("m21-means-d", side_by_side, 10, n=N, d=DIMENSIONS, half_width=REACH, epsilon=EPSILON)
SKEWED = over_grid(
    "m21-skewed-rows", laws, 7, 14, n=(1000, 3000, 10_000, 30_000, 100_000), d=D, epsilon=EPSILON, law=LAWS
)


# What is predicted


def predicted(key: str, estimator: Any, n: int, d: int, budget: ApproxDP) -> Parts:
    """Return the prediction for one method on normal rows: sampling error, and what privacy adds."""
    if key == COORDINATES:
        law = estimator.steps(0).design(n, shared(budget, d))
        rms = float(law.rms) if law.failure < 0.5 / d else inf
        return Parts(sqrt(d / n), sqrt(d) * sqrt(max(rms**2 - 1 / n, 0.0)), d)
    if isinstance(estimator, CoinPressMean):
        return Means.parts(estimator, n, d, budget)
    return Parts(sqrt(d / n), sqrt(d) * gaussian_scale(list(estimator.plan(n, d, budget).charges())[-1]), d)


def _ratio(key: str, point: Point, once: bool = False) -> float:
    """Return the predicted error over that of the sample mean.

    With `once`, nan where a run in a hundred may not find the mean, on which the prediction rests.
    """
    n, d, budget = point["n"], point["d"], ApproxDP(point["epsilon"], point["delta"])
    estimator: Any = estimators(d, point["half_width"])[key]
    if once and key == COORDINATES and d * estimator.steps(0).design(n, shared(budget, d)).failure > FOUND:
        return nan
    parts = predicted(key, estimator, n, d, budget)
    return parts.total / parts.sampling


# What is shown


def error_against_dimension(
    run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, n: int = N, radius: float = REACH
) -> Chart:
    """Return errors of all methods over that of the sample mean, against d (then without the box)."""
    world = {"half_width": radius, "epsilon": epsilon, "delta": delta}
    groups = by(run.table(AGAINST_D.moved(grid(n=n, d=DIMENSIONS, **world))), "d")
    fine = sorted({int(x) for x in np.geomspace(DIMENSIONS[0], DIMENSIONS[-1], 9).round()})
    lines = {key: [_ratio(key, {**world, "n": n, "d": d}) for d in fine] for key in METHODS}
    # the median error of the sample mean is known: its square is χ²_d/n
    plain = {d: Parts(sqrt(d / n), 0.0, d).quantile(0.5) for d in groups}
    curves = []
    for key, (label, colour, rank) in METHODS.items():
        found = {d: scaled(one, 1 / plain[d]) for d, one in medians(groups, key).items()}
        expected = [_ratio(key, {**world, "n": n, "d": d}, once=True) for d in groups]
        curves.append(measured("", found, colour, expected, rank=rank))
        curves.append(theory(label, fine, lines[key], colour, rank=rank))
    curves.append(across("", (fine[0], fine[-1]), 1, "non-private"))
    near = [one for one in curves if one.colour_key != BOX]
    most = max((y for one in near if one.role == "theory" for y in one.y if isfinite(y)), default=1 / 1.15)
    times = lines[BOX][-1]
    words_of = f"{number(float(f'{times:.2g}'))} times the error of sampling"
    marks = (text_at(words_of, fine[-1] / 6, 1.1 * times, BOX),)
    said = f"{number(n)} rows, every coordinate in ±{number(radius)} σ"
    axes, closer = ("dimension d", "error / that of the sample mean"), (0.9, 1.15 * most)
    return Chart(
        "error_against_dimension",
        "Clipping to a box is ruinous in many dimensions, clipping to a ball is not",
        (
            Panel(said, *axes, curves, marks=marks, ylim=(0.8, 2 * times)),
            Panel("the same without the box", *axes, near, yscale="linear", ylim=closer),
        ),
        alt="Median error over that of the sample mean, against the dimension, for five private"
        " means. The one that clips to a box lies far above; the others stay far below it, CoinPress lowest"
        f" in many dimensions ({words(epsilon, delta)}).",
        how_to_read="At 1 a private mean is as good as the sample mean, whose error is √(d/n). Clipping to"
        f" the box adds noise for its diagonal, {number(2 * radius)} √d σ, in each of d coordinates. The"
        " others locate the data privately first.",
    )


def skewed_rows(
    run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, d: int = D, radius: float = REACH
) -> Chart:
    """Return the errors of both means against n, for normal and for skewed rows."""
    farther = min(resources().limit, max(1.0, EPSILON / epsilon))  # rows grow as the noise, as far as allowed
    points = [
        {**point, "n": n, "epsilon": epsilon, "delta": delta, "d": d, "half_width": radius}
        for point in SKEWED.points
        for n in multiples([point["n"]], farther)
    ]
    frame, budget, panels = run.table(SKEWED.moved(points)), ApproxDP(epsilon, delta), []
    for law, title in (
        ("normal", f"normal rows, d = {d}, {words(epsilon, delta)}"),
        ("skewed", f"skewed rows, kurtosis {number(LAWS['skewed'])}"),
    ):
        groups, curves, marks = by(at(frame, law=law), "n"), [], tuple[Mark, ...]()
        for key in (BALL, HEAVY):
            one, expected = estimators(d, radius)[key], [nan] * len(groups)
            if law == "normal":
                expected = [predicted(key, one, n, d, budget).quantile(0.5) for n in groups]
            curves.append(measured(METHODS[key][0], medians(groups, key), key, expected))
        plain = [one.estimate for one in medians(groups, "reference").values()]
        curves.append(styled("reference", "sample mean", groups, plain, "non-private"))
        if law == "skewed" and groups:
            x, y, said = max(groups) / 3, min(curves[0].y), "the bias: no number of rows repairs it"
            marks = (Mark(said, "horizontal", x, y, colour_key=BALL),)
        axes, ylim = ("number of rows n", "median error (σ)"), covering((0.005, 2), curves)
        panels.append(Panel(title, *axes, curves, ylim=ylim, marks=marks))
    return Chart(
        "skewed_rows",
        "On skewed rows CoinPress stops at a bias; the mean for bounded moments does not",
        panels,
        alt="Median error against n, for normal rows on the left and skewed ones on the right. On normal rows"
        " CoinPress comes down to the sample mean, and the mean for bounded moments lies above it. On skewed"
        " rows CoinPress stops falling at a bias, and the other one goes on falling.",
        how_to_read="Clipping at the size of a normal row takes the long tail off skewed rows: what is left"
        " has another mean, whatever n. The ball for heavy tails grows with n, which costs noise at small n."
        " Privacy holds for both on any rows.",
    )


# What judges a reader's own mean of many columns: neighbours for an audit, and hidden worlds.
#
# Rows are standard normal about a mean at distance 1 from the origin.


EXERCISE_D, EXERCISE_REACH = 8, 6.0
CORNERS, AXIS = EXERCISE_REACH * np.ones((4, EXERCISE_D)), EXERCISE_REACH * np.eye(4, EXERCISE_D)
LAST = np.array([[1.0], [1.0], [1.0], [-1.0]])  # one row changes its sign
PAIRS = (Pair("from corner to corner", CORNERS, CORNERS * LAST), Pair("along an axis", AXIS, AXIS * LAST))


def world(rng: Generator) -> tuple[Array, Array]:
    mean = rng.standard_normal(EXERCISE_D)
    mean /= np.linalg.norm(mean)
    return mean + rng.standard_normal((200, EXERCISE_D)), mean
