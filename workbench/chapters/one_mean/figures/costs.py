"""What privacy costs for one mean, against n: beside sampling, and over the error of the sample mean."""

from collections.abc import Callable, Sequence
from functools import partial
from math import nan, pi, sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from workbench.bounds.search import smallest
from workbench.chapters.one_mean.claims import costs
from workbench.chapters.one_mean.runs import theory
from workbench.chapters.one_mean.runs.costs import quantile_ratio_interval, two_step
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.methods import name as method
from workbench.charts.words import number
from workbench.estimators.shared.noisy_means import half_width
from workbench.estimators.two_step import SHARE, HistogramMean, WindowMean
from workbench.privacy import PureDP
from workbench.special import ndtri
from workbench.study.grids import Sweep, grid, multiples, resampler
from workbench.study.intervals import bootstrap_interval
from workbench.study.measures import Measure, at
from workbench.study.profiles import blocks
from workbench.study.run import Run

MEAN, PAPER, PLAIN = "univariate/two-step-mean", "univariate/two-step-mean:paper", "non-private"
KEYS = {"paper": PAPER, "tight": MEAN}
NAMES = {"tight": "two-step mean, tight", "paper": "two-step mean, the lecture's constants"}
NAMED = {  # and where that stands, times the second point of the curve
    "tight": ("tight constants", 1.0, 1.38),
    "paper": ("lecture's constants", 2.3, 1.35),
}
HALF_NORMAL_MEDIAN = float(ndtri(0.75))
EPSILON = 1.0
NEAR, BELOW = 1.1, 0.84  # of the sample mean's error: what is near it, and where an arrow stands
FOUND = 0.01  # chance of a wrong place up to which the predictions for runs that find the mean are compared
CURVE_N = (50, 100, 200, 500, 1000, 2000, 5000, 10_000)


def curve_points(epsilon: float, radius: float, ns: Sequence[int]) -> tuple[dict[str, object], ...]:
    """Return the grid of errors against n."""
    return grid(n=ns, epsilon=epsilon, radius=radius, calibration=("tight", "paper"))


CURVES = Sweep(
    "l17-curves", curve_points(EPSILON, costs.RADIUS, CURVE_N), two_step, trials=200, blocks=blocks(full=20)
)


def private_for_free(run: Run, *, epsilon: float = EPSILON, radius: float = costs.RADIUS) -> Chart:
    """Return the cost of privacy beside that of sampling against n, for ε round this one."""
    return Chart(
        "private_for_free",
        "Privacy costs 1/(nε), sampling 1/√n: beyond the crossing it is free",
        (_parts(run, epsilon, radius, resampler(run.seed, "private-for-free")),),
        alt="The distance between private and sample mean falls as 1/n, for four values of ε, and"
        " crosses the error of the sample mean, which falls as 1/√n.",
        how_to_read="How far privacy moves the mean of the same rows: a line of slope −1 for every ε, on its"
        " prediction, in which nothing was fitted. Below the black line, the error due to sampling, privacy"
        " costs nothing that you would notice.",
    )


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
    ns = np.geomspace(xs[0] / 4, 2 * xs[-1], 25)
    floor = [_floor(n) for n in ns]
    series = [Series("sampling", ns, floor, role="reference", colour_key=PLAIN)]
    for place, one in enumerate(epsilons):
        found = _summaries(at(frame, epsilon=one), "apart", np.mean, rng)
        expected = [costs.noise_part(n, one) for n in found]
        look: dict[str, Any] = {"rank": place / (len(epsilons) - 1)}
        series.append(measured("", found, PAPER, expected, costs.BAND, **look))
        predicted = [costs.noise_part(float(n), one) for n in ns]
        series.append(Series(f"ε = {number(one)}", ns, predicted, role="theory", colour_key=PAPER, **look))
    crossings = [crossing(one) for one in epsilons]
    marks = [
        Mark(f"{number(float(f'{n:.3g}'))} rows", "point", n, _floor(n), side="above")
        for n in crossings
        if ns[0] < n < ns[-1]
    ]
    return Panel(
        f"how far privacy moves the two-step mean (the lecture's constants, R = {number(radius)})",
        "rows n", "mean distance (σ)", tuple(series), marks=tuple(marks),
    )  # fmt: skip


def _floor(n: float) -> float:
    """Return the mean distance of the sample mean from the truth."""
    return sqrt(2 / (pi * n))


def crossing(epsilon: float) -> float:
    """Return the n at which privacy moves the lecture's mean as far as sampling does: one row at least."""

    def apart(n: float) -> float:
        return costs.noise_part(n, epsilon) - _floor(n)

    return float(brentq(apart, 1.0, 1e12)) if apart(1.0) > 0 else 1.0


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


def _predicted(name: str, ns: np.ndarray, epsilon: float, radius: float) -> Series:
    """Return the predicted ratio."""
    y = [_ratio(name, float(n), epsilon, radius) for n in ns]
    return Series("", ns, y, role="theory", colour_key=KEYS[name])


def _ratio(name: str, n: float, epsilon: float, radius: float) -> float:
    return PREDICTED[name](round(n), PureDP(epsilon), radius) * sqrt(n) / HALF_NORMAL_MEDIAN


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
    return HALF_NORMAL_MEDIAN * WindowMean(radius).design(n, budget).rms


PREDICTED: dict[str, Callable[[int, PureDP, float], float]] = {"paper": paper_median, "tight": tight_median}


def tight_ratio(run: Run, *, epsilon: float = EPSILON, radius: float = costs.RADIUS) -> Chart:
    """Return the error over that of the sample mean of the same rows, against n."""
    (frame, ns), rng = _curves(run, epsilon, radius), resampler(run.seed, "tight-ratio")
    series = [_ratios(at(frame, calibration=name), name, epsilon, radius, rng) for name in KEYS]
    fine = np.geomspace(ns[0], ns[-1], 25).round()
    series += [_predicted(name, fine, epsilon, radius) for name in KEYS]
    series.append(Series("no privacy", (ns[0], ns[-1]), (1, 1), role="reference", colour_key=PLAIN))
    near = {name: _near(name, epsilon, radius) for name in KEYS}
    times = number(near["paper"] / near["tight"], 2)
    ends = near["tight"], BELOW, near["paper"], BELOW
    marks = (
        *(Mark(f"{number(float(f'{n:.2g}'))} rows", "point", n, NEAR, side="above") for n in near.values()),
        Mark(f"{times} times fewer rows", "arrow", *ends, side="below"),
        Mark("10 % more", "horizontal", x=14 * ns[0], y=NEAR),
    )
    panel = Panel(
        f"{method(MEAN)}, ε = {number(epsilon)}, R = {number(radius)}", "rows n",
        "median error / that of the sample mean", tuple(series), ylim=(0.6, 20), marks=marks,
        note="Predictions are for runs that find the mean.",
    )  # fmt: skip
    return Chart(
        "tight_ratio",
        f"Better constants: {times} times fewer rows come within 10 % of no privacy",
        (panel,),
        alt="The ratio of the median error to that of the sample mean falls to 1 as n grows: below 1.1 from"
        " some 250 rows on with tight constants, from some 8000 on with the lecture's.",
        how_to_read="At 1 the private mean is as good as the plain one. The rings are where either"
        " is within 10 % of that. A marker far above its line belongs to runs that have not even found the"
        " right place.",
    )


def _near(name: str, epsilon: float, radius: float) -> int:
    """Return the n from which the predicted error is within 10 % of that of the sample mean."""
    return smallest(lambda n: _ratio(name, n, epsilon, radius) <= NEAR, start=2)


def _ratios(
    frame: pd.DataFrame, name: str, epsilon: float, radius: float, rng: np.random.Generator
) -> Series:
    found, expected = {}, []
    for n in sorted({int(n) for n in frame["n"]}):
        error, reference = (at(frame, n=n)[column].to_numpy() for column in ("error", "reference"))
        ratio = float(np.median(error)) / float(np.median(reference))
        found[n] = Measure(ratio, quantile_ratio_interval(error, reference, 0.5, LEVEL, rng), len(error))
        expected.append(_once_found(name, n, epsilon, radius) * sqrt(n) / HALF_NORMAL_MEDIAN)
    label, across, up = NAMED[name]
    second = list(found.items())[1:2]
    place = next(((across * n, up * one.estimate) for n, one in second), None)
    return measured(label, found, KEYS[name], expected, label_at=place)
