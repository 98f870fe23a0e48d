"""What becomes of a mean in d dimensions: boxes and balls side by side, and rows that are not normal."""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.chapters.many_dimensions.runs.coinpress import table
from workbench.chapters.many_dimensions.runs.theory import Parts, mean_parts
from workbench.charts.chart import Chart, Panel, Series
from workbench.estimators import Abstention, Estimator
from workbench.estimators.mean.clipped_box import ClippedBoxMean
from workbench.estimators.mean.clipped_heavy import ClippedHeavyMean
from workbench.estimators.mean.coinpress import CoinPressMean
from workbench.estimators.mean.coordinatewise import CoordinatewiseMean, shared
from workbench.privacy import ApproxDP
from workbench.privacy.mechanisms import gaussian_scale
from workbench.study.measures import Measure, at, median, scaled
from workbench.study.profiles import blocks
from workbench.study.sweeps.sweep import Sweep, grid, run
from workbench.types import Array, Columns

DELTA, LEVEL = 1e-6, 0.05
N, D = 2000, 20
BOX, BALL = "mean/clipped-box", "mean/coinpress"
METHODS = {
    BOX: "box: cut and average",
    "mean/coordinatewise": "coordinate by coordinate",
    "mean/clipped-heavy": "ball, no normality (clipped-heavy)",
    f"{BALL}:proved": "ball by ball, proved",
    BALL: "ball by ball (CoinPress)",
}
NOTE = "Dashed: predicted. Bands: 95 % intervals."
DIMENSION, ROWS, ERROR = "dimension d", "rows n", "median error (σ)"
RATIO = "error / that of the sample mean"


def estimators(d: int, half_width: float) -> dict[str, Estimator[Any]]:
    """Return every method for normal rows, their mean known to lie in a box of this half-width."""
    radius = half_width * sqrt(d)  # of the ball round the box
    return {
        BOX: ClippedBoxMean(radius=half_width),
        "mean/coordinatewise": CoordinatewiseMean(),
        "mean/clipped-heavy": ClippedHeavyMean(radius=radius),
        f"{BALL}:proved": CoinPressMean(radius=radius, mode="proved"),
        BALL: CoinPressMean(radius=radius),
    }


def predicted(key: str, estimator: Any, n: int, d: int, budget: ApproxDP) -> Parts:
    """Return the prediction for one method: sampling error, and what privacy adds."""
    if key == "mean/coordinatewise":
        law = estimator.recipe(0).predict(n, shared(budget, d))
        rms = float(law.rms) if law.failure < 0.5 / d else np.inf
        return Parts(sqrt(d / n), sqrt(d) * sqrt(max(rms**2 - 1 / n, 0.0)), d)
    if isinstance(estimator, CoinPressMean):
        return mean_parts(estimator, n, d, budget)
    charges = list(estimator.plan(n, d, budget).charges())
    return Parts(sqrt(d / n), sqrt(d) * gaussian_scale(charges[-1]), d)


def side_by_side(
    n: int, d: int, half_width: float, epsilon: float, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Run every method on the same normal rows, their mean uniform in the box."""
    budget, methods = ApproxDP(epsilon, DELTA), estimators(d, half_width)
    found = table(trials, "reference", *methods)
    for trial in range(trials):
        theta = data.uniform(-half_width, half_width, d)
        x = data.standard_normal((n, d))
        x += theta
        found["reference"][trial] = np.linalg.norm(x.mean(axis=0) - theta)
        for key, estimator in methods.items():
            found[key][trial] = distance(estimator(x, budget=budget, rng=noise).value, theta)
    return found


def distance(value: Any, theta: Array) -> float:
    """Return the error of a release, infinite if there is no answer."""
    return np.inf if isinstance(value, Abstention) else float(np.linalg.norm(value - theta))


HALF_WIDTH, EPSILON = 100.0, 1.0
AGAINST_D = Sweep(
    "m21-means-d",
    grid(n=N, d=(1, 2, 4, 8, 16, 32, 64), half_width=HALF_WIDTH, epsilon=EPSILON),
    side_by_side,
    10,
    blocks(10),
)
AGAINST_N = Sweep(
    "m21-means-n",
    grid(n=(500, 1000, 2000, 4000, 8000, 16_000), d=D, half_width=HALF_WIDTH, epsilon=EPSILON),
    side_by_side,
    10,
    blocks(10),
)


def error_against_dimension(profile: str, seed: int) -> Chart:
    """Return the errors of all methods against d and against n, beside what needs no privacy or no rows."""
    panels = (
        _panel(run(AGAINST_D, profile, seed=seed), "d", f"n = {N}, every coordinate in ±100 σ", DIMENSION),
        _panel(run(AGAINST_N, profile, seed=seed), "n", f"d = {D}, every coordinate in ±100 σ", ROWS),
    )
    return Chart(
        "error_against_dimension",
        f"A box or a ball? One mean in d dimensions (ε = {EPSILON:g}, δ = 10⁻⁶)",
        panels,
        alt="Median error over that of the sample mean, against the dimension and against n, for five private"
        " means. The one that cuts at a box lies twenty to two hundred times above the sample mean; going"
        " coordinate by coordinate stops answering with few rows; the others lie within a factor of twenty,"
        " CoinPress lowest, and all fall towards 1 as n grows.",
        how_to_read="Medians. At 1 a private mean is as good as the sample mean, which errs by √(d/n). The"
        " grey line is what you get for naming the centre without a look: a curve near it has learnt nothing."
        " Cutting at the box adds noise for a box of side 200 in every direction, √d times as much in each of"
        " d coordinates. The others look where the data are first. An arrow at the top: mostly no answer.",
    )


def _panel(frame: pd.DataFrame, along: str, title: str, xlabel: str) -> Panel:
    xs = [int(x) for x in dict.fromkeys(frame[along])]
    fine = sorted({int(x) for x in np.geomspace(xs[0], xs[-1], 9).round()})
    places = [{"n": N, "d": D} | {along: x} for x in fine]
    curves = []
    for key, label in METHODS.items():
        curves.append(_ratios(label, key, frame, along, xs))
        expected = [_predicted_ratio(key, **place) for place in places]
        curves.append(Series("", fine, expected, role="theory", colour_key=key))
    blind = [_blind(**place) for place in places]
    ends = (xs[0], xs[-1])
    curves += [
        Series("the centre, without a look", fine, blind, role="reference"),
        Series("sample mean (not private)", ends, (1, 1), role="reference", colour_key="non-private"),
    ]
    return Panel(title, xlabel, RATIO, tuple(curves), note=NOTE, ylim=(0.8, 8000))


def _ratios(label: str, key: str, frame: pd.DataFrame, along: str, xs: Sequence[int]) -> Series:
    """Return medians over the median error of the sample mean, which is known: its square is χ²_d/n."""
    found = []
    for x in xs:
        rows = at(frame, **{along: x})
        n, d = (int(rows[name].iloc[0]) for name in ("n", "d"))
        plain = Parts(sqrt(d / n), 0.0, d).quantile(0.5)
        found.append(scaled(median(rows[key], LEVEL), 1 / plain))
    return measured(label, xs, found, key)


def _predicted_ratio(key: str, n: int, d: int) -> float:
    parts = predicted(key, estimators(d, HALF_WIDTH)[key], n, d, ApproxDP(EPSILON, DELTA))
    return parts.total / parts.sampling


def _blind(n: int, d: int) -> float:
    """Return about the median norm of a mean that is uniform in the box, over √(d/n)."""
    return HALF_WIDTH * (0.5 if d == 1 else sqrt(d / 3)) / sqrt(d / n)


def measured(label: str, xs: Sequence[float], found: Sequence[Measure], key: str) -> Series:
    """Return medians with their intervals."""
    low, high = zip(*(one.interval for one in found), strict=True)
    return Series(label, xs, [one.estimate for one in found], low, high, colour_key=key)


SHAPE = 0.25  # of the gamma law of every coordinate: kurtosis 3 + 6/SHAPE, skewness 2/√SHAPE
LAWS = {"normal": 3.0, "skewed": 3.0 + 6 / SHAPE}  # with C, E<v, X>⁴ ≤ C |v|⁴
SKEW_D, SKEW_EPSILON = 10, 1.0
HEAVY = {BALL: METHODS[BALL], "mean/clipped-heavy": METHODS["mean/clipped-heavy"]}


def rows_of(law: str, n: int, d: int, data: Generator) -> Array:
    """Return rows of mean 0 and covariance I: normal, or independent skewed coordinates."""
    if law == "normal":
        return data.standard_normal((n, d))
    return np.asarray((data.gamma(SHAPE, size=(n, d)) - SHAPE) / sqrt(SHAPE))


def laws(
    n: int, d: int, epsilon: float, law: str, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Run the mean for normal rows and the mean for bounded moments on the same rows."""
    budget, radius = ApproxDP(epsilon, DELTA), HALF_WIDTH * sqrt(d)
    methods: dict[str, Estimator[Any]] = {
        BALL: CoinPressMean(radius=radius),
        "mean/clipped-heavy": ClippedHeavyMean(radius=radius, hypercontractivity=LAWS[law]),
    }
    found = table(trials, "reference", *methods)
    for trial in range(trials):
        theta = data.uniform(-HALF_WIDTH, HALF_WIDTH, d)
        x = rows_of(law, n, d, data) + theta
        found["reference"][trial] = np.linalg.norm(x.mean(axis=0) - theta)
        for key, estimator in methods.items():
            found[key][trial] = distance(estimator(x, budget=budget, rng=noise).value, theta)
    return found


SKEWED = Sweep(
    "m21-skewed-rows",
    grid(n=(1000, 3000, 10_000, 30_000, 100_000), d=SKEW_D, epsilon=SKEW_EPSILON, law=tuple(LAWS)),
    laws,
    7,
    {"quick": 1, "ci": 4, "full": 14, "deep": 56},
)


def skewed_rows(profile: str, seed: int) -> Chart:
    """Return the errors of both means against n, for normal and for skewed rows."""
    frame = run(SKEWED, profile, seed=seed)
    return Chart(
        "skewed_rows",
        f"Bounded moments instead of normal rows (ε = {SKEW_EPSILON:g}, δ = 10⁻⁶)",
        (
            _law(frame, "normal", f"normal rows, d = {SKEW_D}"),
            _law(frame, "skewed", f"skewed rows, kurtosis {LAWS['skewed']:g}, d = {SKEW_D}"),
        ),
        alt="Median error against n, for normal rows on the left and skewed ones on the right. On normal rows"
        " CoinPress lies on the sample mean and the mean for bounded moments above it. On skewed rows"
        " CoinPress stops falling at a bias, and the other one goes on falling.",
        how_to_read="A mean that cuts at the size of a normal row takes the long tail off skewed rows: what"
        " is left has another mean, and no number of rows repairs that: its curve becomes level. The mean for"
        " bounded moments cuts farther out the more rows there are, which costs noise at small n. Neither is"
        " wrong: privacy holds for both on any rows, accuracy is promised under the assumption alone.",
    )


def _law(frame: pd.DataFrame, law: str, title: str) -> Panel:
    rows = at(frame, law=law)
    xs = [int(n) for n in dict.fromkeys(rows["n"])]
    curves = []
    for key, label in HEAVY.items():
        found = [median(at(rows, n=n)[key], LEVEL) for n in xs]
        curves.append(measured(label, xs, found, key))
    plain = [median(at(rows, n=n)["reference"], LEVEL).estimate for n in xs]
    curves.append(Series("sample mean (not private)", xs, plain, role="reference", colour_key="non-private"))
    return Panel(title, ROWS, ERROR, tuple(curves), note="Bands: 95 % intervals.", ylim=(0.005, 2))
