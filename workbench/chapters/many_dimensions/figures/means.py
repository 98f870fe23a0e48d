"""What becomes of a mean in d dimensions: boxes and balls side by side, and rows that are not normal."""

from collections.abc import Sequence
from math import nan, sqrt

import numpy as np
import pandas as pd

from workbench.chapters.many_dimensions.runs import means as sweeps
from workbench.chapters.many_dimensions.runs.means import (
    BALL,
    BOX,
    COORDINATES,
    DELTA,
    EPSILON,
    HALF_WIDTH,
    HEAVY,
    PROVED,
)
from workbench.chapters.many_dimensions.runs.theory import Parts
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.limits import covering
from workbench.charts.ticks import tick_labels
from workbench.privacy import ApproxDP
from workbench.study.measures import at, by, median, scaled
from workbench.study.run import Run
from workbench.study.sweeps.resources import resources
from workbench.study.sweeps.schema import Point
from workbench.study.sweeps.sweep import Sweep, grid, multiples

METHODS = {
    BOX: "box: cut and average",
    COORDINATES: "coordinate by coordinate",
    HEAVY: "ball, no normality (clipped-heavy)",
    PROVED: "ball by ball, proved",
    BALL: "ball by ball (CoinPress)",
}
NOTE = "Dashed: predicted. Bands: 95 % intervals."
DIMENSION, ROWS, ERROR = "dimension d", "rows n", "median error (σ)"
RATIO = "error / that of the sample mean"


def words(epsilon: float, delta: float) -> str:
    """Return a budget as titles write it.

    >>> words(0.5, 1e-9)
    'ε = 0.5, δ = 10⁻⁹'
    """
    return f"ε = {epsilon:g}, δ = {tick_labels([delta])[0]}"


def error_against_dimension(
    run: Run,
    *,
    epsilon: float = EPSILON,
    delta: float = DELTA,
    n: int = sweeps.N,
    d: int = sweeps.D,
    radius: float = HALF_WIDTH,
) -> Chart:
    """Return the errors of all methods against d and against n, beside what needs no privacy or no rows."""
    world = {"half_width": radius, "epsilon": epsilon, "delta": delta}
    ns = multiples(sweeps.COUNTS, n / sweeps.N)
    along_d = sweeps.AGAINST_D.moved(grid(n=n, d=sweeps.DIMENSIONS, **world))
    along_n = sweeps.AGAINST_N.moved(grid(n=ns, d=d, **world))
    box = f"every coordinate in ±{radius:g} σ"
    usual = (epsilon, delta, n, d, radius) == (EPSILON, DELTA, sweeps.N, sweeps.D, HALF_WIDTH)
    far = "twenty to two hundred times" if usual else "far"
    near = "within a factor of twenty" if usual else "below"
    return Chart(
        "error_against_dimension",
        f"A box or a ball? One mean in d dimensions ({words(epsilon, delta)})",
        (
            _panel(run.table(along_d), along_d, "d", f"n = {n}, {box}", DIMENSION),
            _panel(run.table(along_n), along_n, "n", f"d = {d}, {box}", ROWS),
        ),
        alt="Median error over that of the sample mean, against the dimension and against n, for five private"
        f" means. The one that cuts at a box lies {far} above the sample mean; going"
        f" coordinate by coordinate stops answering with few rows; the others lie {near},"
        " CoinPress lowest, and all fall towards 1 as n grows.",
        how_to_read="Medians. At 1 a private mean is as good as the sample mean, which errs by √(d/n). The"
        " grey line is what you get for naming the centre without a look: a curve near it has learnt nothing."
        f" Cutting at the box adds noise for a box of side {2 * radius:g} in every direction, √d times as"
        " much in each of d coordinates. The others look where the data are first. An arrow at the top:"
        " mostly no answer.",
    )


def _panel(frame: pd.DataFrame, sweep: Sweep, along: str, title: str, xlabel: str) -> Panel:
    """Return every method along n or d, at the points of a sweep."""
    first, last = sweep.points[0], sweep.points[-1]
    fine = sorted({int(x) for x in np.geomspace(first[along], last[along], 9).round()})
    places = [{**first, along: x} for x in fine]
    curves = []
    for key, label in METHODS.items():
        curves.append(_ratios(label, key, frame, along, first))
        expected = [_ratio(key, **place) for place in places]
        curves.append(Series("", fine, expected, role="theory", colour_key=key))
    blind = [_blind(**place) for place in places]
    curves += [
        Series("the centre, without a look", fine, blind, role="reference"),
        Series("sample mean (not private)", (fine[0], fine[-1]), (1, 1), role="reference",
               colour_key="non-private"),
    ]  # fmt: skip
    farther = first["half_width"] / HALF_WIDTH * min(4, EPSILON / first["epsilon"])
    return Panel(title, xlabel, RATIO, tuple(curves), note=NOTE, ylim=(0.8, 8000 * max(1, farther)))


def _ratios(label: str, key: str, frame: pd.DataFrame, along: str, first: Point) -> Series:
    """Return medians over the median error of the sample mean, which is known: its square is χ²_d/n."""
    found, expected = {}, []
    for x, rows in by(frame, along).items():
        place = {**first, along: int(x)}
        n, d = place["n"], place["d"]
        plain = Parts(sqrt(d / n), 0.0, d).quantile(0.5)
        found[x] = scaled(median(rows[key], LEVEL), 1 / plain)
        expected.append(_ratio(key, **place, once=True))
    return measured(label, found, key, expected)


def _ratio(
    key: str, n: int, d: int, half_width: float, epsilon: float, delta: float = DELTA, once: bool = False
) -> float:
    """Return the predicted error of a method over that of the sample mean.

    With `once`, nan where a run in a hundred may not find the mean, on which the prediction rests.
    """
    budget, estimator = ApproxDP(epsilon, delta), sweeps.estimators(d, half_width)[key]
    if once and not sweeps.found(key, estimator, n, d, budget):
        return nan
    parts = sweeps.predicted(key, estimator, n, d, budget)
    return parts.total / parts.sampling


def _blind(n: int, d: int, half_width: float, **_: float) -> float:
    """Return about the median norm of a mean that is uniform in the box, over √(d/n)."""
    return half_width * (0.5 if d == 1 else sqrt(d / 3)) / sqrt(d / n)


SKEWED_KEYS = (BALL, HEAVY)


def skewed_rows(
    run: Run,
    *,
    epsilon: float = EPSILON,
    delta: float = DELTA,
    d: int = sweeps.SKEW_D,
    radius: float = HALF_WIDTH,
) -> Chart:
    """Return the errors of both means against n, for normal and for skewed rows."""
    farther = min(resources().limit, max(1.0, EPSILON / epsilon))  # rows grow as the noise, as far as allowed
    points = [{**point, "n": multiples([point["n"]], farther)[0], "epsilon": epsilon, "delta": delta, "d": d,
               "half_width": radius} for point in sweeps.SKEWED.points]  # fmt: skip
    frame = run.table(sweeps.SKEWED.moved(points))
    kurtosis = f"kurtosis {sweeps.LAWS['skewed']:g}"
    return Chart(
        "skewed_rows",
        f"Bounded moments instead of normal rows ({words(epsilon, delta)})",
        (
            _law(frame, points, "normal", f"normal rows, d = {d}"),
            _law(frame, points, "skewed", f"skewed rows, {kurtosis}, d = {d}"),
        ),
        alt="Median error against n, for normal rows on the left and skewed ones on the right. On normal rows"
        " CoinPress lies on the sample mean and the mean for bounded moments above it. On skewed rows"
        " CoinPress stops falling at a bias, and the other one goes on falling.",
        how_to_read="A mean that cuts at the size of a normal row takes the long tail off skewed rows: what"
        " is left has another mean, and no number of rows repairs that: its curve becomes level. The mean for"
        " bounded moments cuts farther out the more rows there are, which costs noise at small n. Neither is"
        " wrong: privacy holds for both on any rows, accuracy is promised under the assumption alone.",
    )


def _median(key: str, place: Point) -> float:
    """Return the predicted median error on normal rows."""
    if place["law"] != "normal":
        return nan
    n, d, half_width = (place[name] for name in ("n", "d", "half_width"))
    budget, estimator = ApproxDP(place["epsilon"], place["delta"]), sweeps.estimators(d, half_width)[key]
    return sweeps.predicted(key, estimator, n, d, budget).quantile(0.5)


def _law(frame: pd.DataFrame, points: Sequence[Point], law: str, title: str) -> Panel:
    groups = by(at(frame, law=law), "n")
    place = {**points[0], "law": law}
    curves = []
    for key in SKEWED_KEYS:
        found = {n: median(rows[key], LEVEL) for n, rows in groups.items()}
        expected = [_median(key, {**place, "n": int(n)}) for n in groups]
        curves.append(measured(METHODS[key], found, key, expected))
    plain = [median(rows["reference"], LEVEL).estimate for rows in groups.values()]
    curves.append(
        Series("sample mean (not private)", groups, plain, role="reference", colour_key="non-private")
    )
    ylim = covering((0.005, 2), curves)
    return Panel(title, ROWS, ERROR, tuple(curves), note="Bands: 95 % intervals.", ylim=ylim)
