"""What becomes of a mean in d dimensions: boxes and balls side by side, and rows that are not normal."""

from collections.abc import Sequence
from math import inf, isfinite, nan, sqrt
from typing import Any

import numpy as np
import pandas as pd

from workbench.chapters.many_dimensions.figures.looks import PLAIN, shade, words
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
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.limits import covering
from workbench.charts.words import number
from workbench.privacy import ApproxDP
from workbench.study.grids import Point, Sweep, grid, multiples
from workbench.study.measures import at, by, median, scaled
from workbench.study.run import Run
from workbench.study.sweeps import resources

METHODS = {
    BOX: "clipped to a box",
    COORDINATES: "column by column",
    HEAVY: "ball for heavy tails",
    PROVED: "CoinPress, proved",
    BALL: "CoinPress",
}
DIMENSION, ROWS, ERROR = "dimension d", "rows n", "median error (σ)"
RATIO = "error / that of the sample mean"


def look(method: str) -> dict[str, Any]:
    """Return the colour of a method, as parameters of a series: modes of CoinPress on a ramp."""
    modes = {PROVED: "proved", BALL: "practical"}
    return {"colour_key": BALL, **shade(modes[method])} if method in modes else {"colour_key": method}


def error_against_dimension(
    run: Run,
    *,
    epsilon: float = EPSILON,
    delta: float = DELTA,
    n: int = sweeps.N,
    radius: float = HALF_WIDTH,
) -> Chart:
    """Return errors of all methods over that of the sample mean, against d (then without the box)."""
    world = {"half_width": radius, "epsilon": epsilon, "delta": delta}
    sweep = sweeps.AGAINST_D.moved(grid(n=n, d=sweeps.DIMENSIONS, **world))
    frame = run.table(sweep)
    curves = _curves(frame, sweep, "d")
    near = [one for one in curves if one.colour_key != BOX]
    said = f"{number(n)} rows, every coordinate in ±{number(radius)} σ"
    last = dict(zip(_fine(sweep, "d"), _predicted(BOX, sweep, "d"), strict=True))
    d, times = max(last), last[max(last)]
    words_of = f"{number(float(f'{times:.2g}'))} times the error of sampling"
    marks = (Mark(words_of, x=d / 6, y=1.1 * times, colour_key=BOX),)
    return Chart(
        "error_against_dimension",
        "A box is ruinous in many dimensions, a ball is not",
        (
            Panel(said, DIMENSION, RATIO, tuple(curves), marks=marks, ylim=(0.8, 2 * times)),
            Panel(
                "the same without the box", DIMENSION, RATIO, tuple(near), yscale="linear", ylim=_closer(near)
            ),
        ),
        alt="Median error over that of the sample mean, against the dimension, for five private"
        " means. The one that clips to a box lies far above; the others stay within a small factor, CoinPress"
        f" lowest ({words(epsilon, delta)}).",
        how_to_read="At 1 a private mean is as good as the sample mean, which errs by √(d/n). Clipping to the"
        f" box adds noise for its diagonal, {number(2 * radius)} √d σ, in each of d coordinates. The"
        " others look where the data are first.",
    )


def error_against_rows(
    run: Run,
    *,
    epsilon: float = EPSILON,
    delta: float = DELTA,
    n: int = sweeps.N,
    d: int = sweeps.D,
    radius: float = HALF_WIDTH,
) -> Chart:
    """Return the errors of all methods against n over that of the sample mean."""
    ns = tuple(dict.fromkeys(max(2, one) for one in multiples(sweeps.COUNTS, n / sweeps.N)))
    sweep = sweeps.AGAINST_N.moved(grid(n=ns, d=d, half_width=radius, epsilon=epsilon, delta=delta))
    curves = _curves(run.table(sweep), sweep, "n")
    least = max(_predicted(BOX, sweep, "n"))
    marks = tuple(
        Mark("mostly no answer", x=1.6 * x, y=1.7 * least, colour_key=one.colour_key)
        for one in curves
        for x, y in zip(one.x, one.y, strict=True)
        if one.role == "estimate" and y == inf
    )
    return Chart(
        "error_against_rows",
        "All but the box come down to the sample mean as rows grow",
        (
            Panel(
                f"d = {d}, every coordinate in ±{number(radius)} σ, {words(epsilon, delta)}",
                ROWS,
                RATIO,
                tuple(curves),
                ylim=(0.8, 2 * least),
                marks=marks,
            ),
        ),
        alt="Median error over that of the sample mean, against n, for five private means: all fall to 1,"
        " the one that clips to a box from far above; column by column there is no answer with few rows.",
        how_to_read="Medians over that of the sample mean. A triangle at the top: mostly no answer. A curve"
        " far above the others has learnt little from the rows.",
    )


def _fine(sweep: Sweep, along: str) -> list[int]:
    first, last = sweep.points[0], sweep.points[-1]
    return sorted({int(x) for x in np.geomspace(first[along], last[along], 9).round()})


def _predicted(key: str, sweep: Sweep, along: str) -> list[float]:
    return [_ratio(key, **{**sweep.points[0], along: x}) for x in _fine(sweep, along)]


def _curves(frame: pd.DataFrame, sweep: Sweep, along: str) -> list[Series]:
    """Return every method along n or d, at the points of a sweep, and the sample mean."""
    fine, curves = _fine(sweep, along), []
    for key, label in METHODS.items():
        curves.append(_ratios("", key, frame, along, sweep.points[0]))
        curves.append(Series(label, fine, _predicted(key, sweep, along), role="theory", **look(key)))
    plain = Series("", (fine[0], fine[-1]), (1, 1), role="reference", colour_key=PLAIN)
    return [*curves, plain]


def _closer(curves: Sequence[Series]) -> tuple[float, float]:
    """Return limits that hold what is predicted of those that answer, and a little more."""
    predicted = [y for one in curves if one.role == "theory" for y in one.y if isfinite(y)]
    return 0.9, 1.15 * max(predicted, default=1.0)


def _ratios(label: str, key: str, frame: pd.DataFrame, along: str, first: Point) -> Series:
    """Return medians over the median error of the sample mean, which is known: its square is χ²_d/n."""
    found, expected = {}, []
    for x, rows in by(frame, along).items():
        place = {**first, along: int(x)}
        n, d = place["n"], place["d"]
        plain = Parts(sqrt(d / n), 0.0, d).quantile(0.5)
        found[x] = scaled(median(rows[key], LEVEL), 1 / plain)
        expected.append(_ratio(key, **place, once=True))
    return measured(label, found, look(key)["colour_key"], expected, **_rank(key))


def _rank(key: str) -> dict[str, Any]:
    return {name: value for name, value in look(key).items() if name != "colour_key"}


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
    kurtosis = f"kurtosis {number(sweeps.LAWS['skewed'])}"
    return Chart(
        "skewed_rows",
        "On skewed rows CoinPress stops at a bias, bounded moments go on",
        (
            _law(frame, points, "normal", f"normal rows, d = {d}, {words(epsilon, delta)}"),
            _law(frame, points, "skewed", f"skewed rows, {kurtosis}"),
        ),
        alt="Median error against n, for normal rows on the left and skewed ones on the right. On normal rows"
        " CoinPress lies on the sample mean and the mean for bounded moments above it. On skewed rows"
        " CoinPress stops falling at a bias, and the other one goes on falling.",
        how_to_read="Clipping at the size of a normal row takes the long tail off skewed rows: what is left"
        " has another mean, whatever n. The ball for heavy tails grows with n, which costs noise at small n."
        " Privacy holds for both on any rows.",
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
    curves.append(Series("sample mean", groups, plain, role="reference", colour_key=PLAIN))
    floor = [one for one in curves if one.colour_key == BALL and law != "normal"]
    marks = [
        Mark(
            "the bias: no number of rows repairs it",
            "horizontal",
            x=max(one.x) / 3,
            y=min(one.y),
            colour_key=BALL,
        )
        for one in floor
        if one.y
    ]
    ylim = covering((0.005, 2), curves)
    return Panel(title, ROWS, ERROR, tuple(curves), ylim=ylim, marks=tuple(marks))
