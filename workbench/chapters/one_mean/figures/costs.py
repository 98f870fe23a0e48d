"""What privacy costs for one mean: rows, error, the width of intervals, and the currency it is counted in."""

from collections.abc import Sequence
from math import pi, sqrt

import numpy as np
import pandas as pd
from scipy.special import ndtri

from workbench.chapters.one_mean.claims import costs
from workbench.chapters.one_mean.runs.costs import quantile_ratio_interval, two_step
from workbench.charts.chart import Chart, Panel, Series
from workbench.estimators.parts.locate.histogram_mean import HistogramMean
from workbench.estimators.parts.locate.laplace_normal import half_width
from workbench.estimators.parts.locate.window_mean import WindowMean
from workbench.privacy import PureDP
from workbench.study.intervals import bootstrap_interval
from workbench.study.measures import at
from workbench.study.profiles import blocks
from workbench.study.sweeps.streams import resampler
from workbench.study.sweeps.sweep import Sweep, grid, run

BAND = 0.05  # level of the shaded bands: they miss in one of 20 points
MEAN, PAPER, PLAIN = "univariate/two-step-mean", "univariate/two-step-mean:paper", "non-private"
KEYS = {"tight": MEAN, "paper": PAPER}
NAMES = {"tight": "two-step mean, tight", "paper": "two-step mean, the lecture's constants"}
HALF_NORMAL_MEDIAN = float(ndtri(0.75))

CURVES = Sweep(
    "l17-curves",
    grid(
        n=(50, 100, 200, 500, 1000, 2000, 5000, 10_000),
        epsilon=1.0,
        radius=costs.RADIUS,
        calibration=("tight", "paper"),
    ),
    two_step,
    trials=200,
    blocks=blocks(full=20),
)


def rows_against_accuracy(profile: str, seed: int) -> Chart:
    """Return the n that 90 % of the runs need, against alpha, over what no estimator can do without."""
    frame = run(costs.SIZES, profile, seed=seed)
    rng = resampler(seed, "rows-against-accuracy")
    alphas = np.geomspace(0.02, 0.7, 41)
    bounds = [costs.lower_bounds(alpha, costs.SIZE_EPSILON, costs.SIZE_BETA) for alpha in alphas]
    series = [_sizes(frame, calibration, rng) for calibration in ("paper", "tight")]
    series.append(_forbidden(alphas, bounds))
    series += [
        Series(name, alphas, [bound[key] for bound in bounds], role="theory", colour_key=str(place))
        for place, (key, name) in enumerate(LOWER.items(), start=3)
    ]
    panel = Panel(
        "", "wanted accuracy α (standard deviations)", "rows n", tuple(series),
        xlim=(0.02, 0.7), ylim=(10, 1e5),
    )  # fmt: skip
    return Chart(
        "rows_against_accuracy",
        f"Rows needed for accuracy α in 90 % of runs (ε = {costs.SIZE_EPSILON:g}, R = {costs.RADIUS:g})",
        (panel,),
        alt="The rows that two private means need fall with the wanted accuracy α and stay above the largest"
        " of three lower bounds: sampling for small α, two points in the middle, packing for large α.",
        how_to_read="Nothing private can enter the shaded region: its edge is the largest of three lower"
        " bounds, and each of them rules somewhere, sampling on the left, packing on the right. The gap"
        " between our constants (filled) and the edge is what could still be won; the gap to the lecture's"
        " constants (hollow) is what constants alone cost.",
    )


LOWER = {
    "sampling": "sampling alone",
    "two points": "two points (Lemma 2.7)",
    "packing": "packing (Theorem 2.6)",
}


def _sizes(frame: pd.DataFrame, calibration: str, rng: np.random.Generator) -> Series:
    found = [costs.size_needed(frame, calibration, alpha, BAND, rng) for alpha in costs.ALPHAS]
    return Series(
        NAMES[calibration],
        costs.ALPHAS,
        [one.estimate for one in found],
        [one.interval[0] for one in found],
        [one.interval[1] for one in found],
        colour_key=KEYS[calibration],
        kind="count",
    )


def _forbidden(alphas: Sequence[float] | np.ndarray, bounds: Sequence[dict[str, float]]) -> Series:
    return Series("not even with the best estimator", alphas, [max(b.values()) for b in bounds], role="bound")


def private_for_free(profile: str, seed: int) -> Chart:
    """Return the cost of privacy beside that of sampling, then both together, against n."""
    rng = resampler(seed, "private-for-free")
    return Chart(
        "private_for_free",
        "Private for free: privacy costs 1/(nε), sampling costs 1/√n",
        (_parts(run(costs.FREE, profile, seed=seed), rng), _totals(run(CURVES, profile, seed=seed), rng)),
        alt="Left: the distance between private and sample mean falls as 1/n, for four values of ε, and"
        " crosses the error of the sample mean, which falls as 1/√n. Right: the total error joins that of the"
        " sample mean, with tight constants from about 300 rows on.",
        how_to_read="Left, how far privacy moves the mean of the same rows: one straight line of slope -1 for"
        " every ε, on the dashed prediction 2w/(nε/2), in which nothing was fitted. Where it dives below the"
        " black line, the error that sampling makes anyway, privacy costs nothing that you would notice."
        " Right, the total error at ε = 1: constants decide how early that happens.",
    )


def _parts(frame: pd.DataFrame, rng: np.random.Generator) -> Panel:
    xs, ns = costs.FREE_N, np.geomspace(1000, 16000, 21)
    series = []
    for place, epsilon in zip((0, 2, 3, 5), costs.FREE_EPSILON, strict=True):
        points = [at(frame, n=n, epsilon=epsilon)["apart"].to_numpy() for n in xs]
        ends = [bootstrap_interval(_mean, point, BAND, rng) for point in points]
        low, high = zip(*ends, strict=True)
        series.append(Series(f"ε = {epsilon:g}", xs, map(_mean, points), low, high, colour_key=str(place)))
        predicted = [costs.noise_part(float(n), epsilon) for n in ns]
        series.append(Series("", ns, predicted, role="theory", colour_key=str(place)))
    floor = [sqrt(2 / (pi * n)) for n in ns]
    series.append(Series("error of the sample mean", ns, floor, role="reference", colour_key=PLAIN))
    return Panel("how far privacy moves the mean (lecture's constants)", "rows n",
                 "mean distance (standard deviations)", tuple(series))  # fmt: skip


def _mean(values: np.ndarray) -> float:
    return float(np.mean(values))


def _totals(frame: pd.DataFrame, rng: np.random.Generator) -> Panel:
    ns = sorted({int(n) for n in frame["n"]})
    series = [_medians(at(frame, calibration=name), name, ns, rng) for name in ("paper", "tight")]
    fine = np.geomspace(ns[0], ns[-1], 25).round()
    for name, predict in (("paper", paper_median), ("tight", tight_median)):
        predicted = [predict(int(n), PureDP(1.0), costs.RADIUS) for n in fine]
        series.append(Series("", fine, predicted, role="theory", colour_key=KEYS[name]))
    floor = [HALF_NORMAL_MEDIAN / sqrt(n) for n in fine]
    series.append(Series("error of the sample mean", fine, floor, role="reference", colour_key=PLAIN))
    return Panel(
        "how far the result is from the truth (ε = 1)",
        "rows n",
        "median error (standard deviations)",
        tuple(series),
        ylim=(0.005, 2),
    )


def _medians(frame: pd.DataFrame, name: str, ns: Sequence[int], rng: np.random.Generator) -> Series:
    points = [at(frame, n=n)["error"].to_numpy() for n in ns]
    low, high = zip(*(bootstrap_interval(_median, point, BAND, rng) for point in points), strict=True)
    return Series(NAMES[name], ns, map(_median, points), low, high, colour_key=KEYS[name])


def _median(values: np.ndarray) -> float:
    return float(np.median(values))


def paper_median(n: int, budget: PureDP, radius: float) -> float:
    """Return the predicted median error of the lecture's mean, once located: sampling and Laplace noise."""
    return half_width(0.5, 1 / sqrt(n), HistogramMean(radius, costs.BETA).plan(n, budget)["mean"])


def tight_median(n: int, budget: PureDP, radius: float) -> float:
    """Return the predicted median error of the tight mean, as that of a normal law with its rms."""
    return HALF_NORMAL_MEDIAN * WindowMean(radius).predict(n, budget).rms


def tight_ratio(profile: str, seed: int) -> Chart:
    """Return the error over that of the sample mean of the same rows, against n."""
    frame, rng = run(CURVES, profile, seed=seed), resampler(seed, "tight-ratio")
    ns = sorted({int(n) for n in frame["n"]})
    series = [_ratios(at(frame, calibration=name), name, ns, rng) for name in ("paper", "tight")]
    fine = np.geomspace(ns[0], ns[-1], 25).round()
    for name, predict in (("paper", paper_median), ("tight", tight_median)):
        predicted = [predict(int(n), PureDP(1.0), costs.RADIUS) * sqrt(n) / HALF_NORMAL_MEDIAN for n in fine]
        series.append(Series("", fine, predicted, role="theory", colour_key=KEYS[name]))
    series.append(Series("the sample mean", (ns[0], ns[-1]), (1, 1), role="reference", colour_key=PLAIN))
    panel = Panel(
        "",
        "rows n",
        "median error / that of the sample mean",
        tuple(series),
        ylim=(0.8, 30),
        note="Dashed: predicted for runs that find the mean; for the tight one the rms error times √n.",
    )
    return Chart(
        "tight_ratio",
        f"How much worse than without privacy? (ε = 1, R = {costs.RADIUS:g})",
        (panel,),
        alt="The ratio of the median error to that of the sample mean falls to 1 as n grows: below 1.1 from"
        " some 250 rows on with tight constants, from some 8000 on with the lecture's.",
        how_to_read="At 1 the private mean is as good as the plain one. At the same privacy the lecture's"
        " constants need about thirty times as many rows to come within 10 % of it. A curve far above its"
        " dashed line has not even found the right place: the line is about runs that have.",
    )


def _ratios(frame: pd.DataFrame, name: str, ns: Sequence[int], rng: np.random.Generator) -> Series:
    y, ends = [], []
    for n in ns:
        error, reference = (at(frame, n=n)[column].to_numpy() for column in ("error", "reference"))
        y.append(_median(error) / _median(reference))
        ends.append(quantile_ratio_interval(error, reference, 0.5, BAND, rng))
    low, high = zip(*ends, strict=True)
    return Series(NAMES[name], ns, y, low, high, colour_key=KEYS[name])
