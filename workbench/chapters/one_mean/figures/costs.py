"""What privacy costs for one mean, against n: beside sampling, and over the error of the sample mean."""

from collections.abc import Callable, Sequence
from functools import partial
from math import nan, pi, sqrt

import numpy as np
import pandas as pd
from scipy.special import ndtri

from workbench.chapters.one_mean.claims import costs
from workbench.chapters.one_mean.runs import theory
from workbench.chapters.one_mean.runs.costs import quantile_ratio_interval, two_step
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.estimators.parts.locate.histogram_mean import SHARE, HistogramMean
from workbench.estimators.parts.locate.laplace_normal import half_width
from workbench.estimators.parts.locate.window_mean import WindowMean
from workbench.privacy import PureDP
from workbench.study.intervals import bootstrap_interval
from workbench.study.measures import Measure, at
from workbench.study.profiles import blocks
from workbench.study.run import Run
from workbench.study.sweeps.streams import resampler
from workbench.study.sweeps.sweep import Sweep, grid, multiples

MEAN, PAPER, PLAIN = "univariate/two-step-mean", "univariate/two-step-mean:paper", "non-private"
KEYS = {"paper": PAPER, "tight": MEAN}
NAMES = {"tight": "two-step mean, tight", "paper": "two-step mean, the lecture's constants"}
HALF_NORMAL_MEDIAN = float(ndtri(0.75))
EPSILON = 1.0
FOUND = 0.01  # chance of a wrong place up to which the predictions for runs that find the mean are compared
CURVE_N = (50, 100, 200, 500, 1000, 2000, 5000, 10_000)


def curve_points(epsilon: float, radius: float, ns: Sequence[int]) -> tuple[dict[str, object], ...]:
    """Return the grid of errors against n."""
    return grid(n=ns, epsilon=epsilon, radius=radius, calibration=("tight", "paper"))


CURVES = Sweep(
    "l17-curves", curve_points(EPSILON, costs.RADIUS, CURVE_N), two_step, trials=200, blocks=blocks(full=20)
)


def private_for_free(run: Run, *, epsilon: float = EPSILON, radius: float = costs.RADIUS) -> Chart:
    """Return the cost of privacy beside that of sampling, for ε round this one, then both against n."""
    rng = resampler(run.seed, "private-for-free")
    return Chart(
        "private_for_free",
        "Private for free: privacy costs 1/(nε), sampling costs 1/√n",
        (_parts(run, epsilon, radius, rng), _totals(run, epsilon, radius, rng)),
        alt="Left: the distance between private and sample mean falls as 1/n, for four values of ε, and"
        " crosses the error of the sample mean, which falls as 1/√n. Right: the total error joins that of the"
        f" sample mean{', with tight constants from about 300 rows on' * _usual(epsilon, radius)}.",
        how_to_read="Left, how far privacy moves the mean of the same rows: one straight line of slope -1 for"
        " every ε, on the dashed prediction 2w/(nε/2), in which nothing was fitted. Where it dives below the"
        " black line, the error that sampling makes anyway, privacy costs nothing that you would notice."
        f" Right, the total error at ε = {epsilon:g}: constants decide how early that happens.",
    )


def _usual(epsilon: float, radius: float) -> bool:
    return (epsilon, radius) == (EPSILON, costs.RADIUS)


def _rows_factor(epsilon: float, radius: float) -> float:
    """Return the rows after which the lecture's mean is found, over those at the usual numbers."""
    here, usual = (
        theory.rows_needed(partial(theory.range_failure, radius=r, epsilon=SHARE * e), FOUND)
        for r, e in ((radius, epsilon), (costs.RADIUS, EPSILON))
    )
    return here / usual


def _parts(run: Run, epsilon: float, radius: float, rng: np.random.Generator) -> Panel:
    epsilons = [epsilon * one for one in costs.FREE_EPSILON]
    xs = multiples(
        costs.FREE_N, max(1.0, _rows_factor(epsilons[0], radius) / _rows_factor(0.25, costs.RADIUS))
    )
    frame = run.table(costs.FREE.moved(grid(n=xs, epsilon=epsilons, radius=radius, calibration="paper")))
    ns = np.geomspace(xs[0], xs[-1], 21)
    series = []
    for place, one in zip((0, 2, 3, 5), epsilons, strict=True):
        found = _summaries(at(frame, epsilon=one), "apart", np.mean, rng)
        expected = [costs.noise_part(n, one) for n in found]
        series.append(measured(f"ε = {one:g}", found, str(place), expected, costs.BAND))
        predicted = [costs.noise_part(float(n), one) for n in ns]
        series.append(Series("", ns, predicted, role="theory", colour_key=str(place)))
    floor = [sqrt(2 / (pi * n)) for n in ns]
    series.append(Series("error of the sample mean", ns, floor, role="reference", colour_key=PLAIN))
    return Panel("how far privacy moves the mean (lecture's constants)", "rows n",
                 "mean distance (standard deviations)", tuple(series))  # fmt: skip


def _summaries(
    frame: pd.DataFrame, column: str, statistic: Callable[..., float], rng: np.random.Generator
) -> dict[int, Measure]:
    found = {}
    for n in sorted({int(n) for n in frame["n"]}):
        values = at(frame, n=n)[column].to_numpy()
        interval = bootstrap_interval(lambda v: float(statistic(v)), values, LEVEL, rng)
        found[n] = Measure(float(statistic(values)), interval, len(values))
    return found


def _curves(run: Run, epsilon: float, radius: float) -> tuple[pd.DataFrame, tuple[int, ...]]:
    ns = multiples(CURVE_N, _rows_factor(epsilon, radius))
    return run.table(CURVES.moved(curve_points(epsilon, radius, ns))), ns


def _totals(run: Run, epsilon: float, radius: float, rng: np.random.Generator) -> Panel:
    frame, ns = _curves(run, epsilon, radius)
    series = []
    for name in KEYS:
        found = _summaries(at(frame, calibration=name), "error", np.median, rng)
        expected = [_once_found(name, n, epsilon, radius) for n in found]
        series.append(measured(NAMES[name], found, KEYS[name], expected))
    fine = np.geomspace(ns[0], ns[-1], 25).round()
    series += [_predicted(name, fine, epsilon, radius) for name in KEYS]
    floor = [HALF_NORMAL_MEDIAN / sqrt(n) for n in fine]
    series.append(Series("error of the sample mean", fine, floor, role="reference", colour_key=PLAIN))
    return Panel(
        f"how far the result is from the truth (ε = {epsilon:g})",
        "rows n",
        "median error (standard deviations)",
        tuple(series),
        ylim=(0.005 * sqrt(CURVE_N[0] / ns[0]), 2),
    )


def _predicted(name: str, ns: np.ndarray, epsilon: float, radius: float, over_plain: bool = False) -> Series:
    plain = HALF_NORMAL_MEDIAN / np.sqrt(ns) if over_plain else np.ones(len(ns))
    y = [PREDICTED[name](int(n), PureDP(epsilon), radius) for n in ns] / plain
    return Series("", ns, y, role="theory", colour_key=KEYS[name])


def _once_found(name: str, n: int, epsilon: float, radius: float) -> float:
    """Return the predicted median error where nearly all runs find the mean, nan where they do not."""
    failure = (
        theory.range_failure(n, radius, SHARE * epsilon)
        if name == "paper"
        else theory.window_mean_tail(n, radius, PureDP(epsilon))[1]
    )
    return PREDICTED[name](n, PureDP(epsilon), radius) if failure <= FOUND else nan


def paper_median(n: int, budget: PureDP, radius: float) -> float:
    """Return the predicted median error of the lecture's mean, once located: sampling and Laplace noise."""
    return half_width(0.5, 1 / sqrt(n), HistogramMean(radius, costs.BETA).plan(n, budget)["mean"])


def tight_median(n: int, budget: PureDP, radius: float) -> float:
    """Return the predicted median error of the tight mean, as that of a normal law with its rms."""
    return HALF_NORMAL_MEDIAN * WindowMean(radius).predict(n, budget).rms


PREDICTED: dict[str, Callable[[int, PureDP, float], float]] = {"paper": paper_median, "tight": tight_median}


def tight_ratio(run: Run, *, epsilon: float = EPSILON, radius: float = costs.RADIUS) -> Chart:
    """Return the error over that of the sample mean of the same rows, against n."""
    (frame, ns), rng = _curves(run, epsilon, radius), resampler(run.seed, "tight-ratio")
    series = [_ratios(at(frame, calibration=name), name, epsilon, radius, rng) for name in KEYS]
    fine = np.geomspace(ns[0], ns[-1], 25).round()
    series += [_predicted(name, fine, epsilon, radius, over_plain=True) for name in KEYS]
    series.append(Series("the sample mean", (ns[0], ns[-1]), (1, 1), role="reference", colour_key=PLAIN))
    panel = Panel(
        "",
        "rows n",
        "median error / that of the sample mean",
        tuple(series),
        ylim=(0.8, 30),
        note="Dashed: predicted for runs that find the mean; for the tight one the rms error times √n.",
    )
    where = ": below 1.1 from some 250 rows on with tight constants, from some 8000 on with the lecture's"
    rows = " At the same privacy the lecture's constants need about thirty times as many rows"
    rows += " to come within 10 % of it."
    usual = _usual(epsilon, radius)
    return Chart(
        "tight_ratio",
        f"How much worse than without privacy? (ε = {epsilon:g}, R = {radius:g})",
        (panel,),
        alt=f"The ratio of the median error to that of the sample mean falls to 1 as n grows{where * usual}.",
        how_to_read=f"At 1 the private mean is as good as the plain one.{rows * usual} A curve far above its"
        " dashed line has not even found the right place: the line is about runs that have.",
    )


def _ratios(
    frame: pd.DataFrame, name: str, epsilon: float, radius: float, rng: np.random.Generator
) -> Series:
    found, expected = {}, []
    for n in sorted({int(n) for n in frame["n"]}):
        error, reference = (at(frame, n=n)[column].to_numpy() for column in ("error", "reference"))
        ratio = float(np.median(error)) / float(np.median(reference))
        found[n] = Measure(ratio, quantile_ratio_interval(error, reference, 0.5, LEVEL, rng), len(error))
        expected.append(_once_found(name, n, epsilon, radius) * sqrt(n) / HALF_NORMAL_MEDIAN)
    return measured(NAMES[name], found, KEYS[name], expected)
