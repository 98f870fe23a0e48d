"""How many steps: the error against their number, with rows on the wrong side too."""

from collections.abc import Iterable
from math import nan, sqrt

import numpy as np
import pandas as pd

from workbench.chapters.many_dimensions.claims import checks
from workbench.chapters.many_dimensions.figures.costs import COVARIANCE, MEAN, key, ratio_band, size
from workbench.chapters.many_dimensions.runs import coinpress as runs
from workbench.chapters.many_dimensions.runs import steps, theory
from workbench.chapters.many_dimensions.runs.means import HALF_WIDTH
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.limits import covering
from workbench.charts.ticks import tick_labels
from workbench.privacy import ZCDP
from workbench.privacy.mechanisms import gaussian_scale
from workbench.study.measures import at, by, median
from workbench.study.run import Run
from workbench.study.sweeps.grids import Sweep, multiples
from workbench.study.sweeps.schema import Point

SHOWN = {0: "0", 2: "2", 4: "3"}  # place of R: colour
ERROR, STEP = "root mean square error", "number of steps t"
NOTE = "Bands: 95 % intervals."
PLAIN = "non-private"


def at_numbers(sweep: Sweep, rho: float, d: int, power: float, **told: Iterable[float]) -> Sweep:
    """Return a sweep of steps at other numbers, its rows as many as the steps need to do as much.

    What is told, the range or the condition number, has a value for each point.
    """
    ((name, values),) = told.items()
    factor = runs.more_rows(rho, d / runs.D, power)
    return sweep.moved(
        {"n": multiples([point["n"]], factor)[0], "d": d, "rho": rho, name: float(value)}
        for point, value in zip(sweep.points, values, strict=True)
    )


def error_against_steps(
    run: Run,
    *,
    rho: float = runs.RHO,
    d: int = runs.D,
    radius: float = HALF_WIDTH,
    condition: float = runs.CONDITION,
) -> Chart:
    """Return the errors against the number of steps, for means and covariances."""
    reaches = [radius * one / HALF_WIDTH for one in steps.REACHES]
    means = at_numbers(steps.MEAN_STEPS, rho, d, 1.0, reach=reaches)
    long = [10 * condition]
    sides = [
        at_numbers(one, rho, d, 1.5, condition=long) for one in (steps.COVARIANCE_STEPS, steps.ORIENTATIONS)
    ]
    spreads = [condition * point["condition"] / runs.CONDITION for point in steps.CONDITIONS.points]
    longer = at_numbers(steps.CONDITIONS, rho, d, 1.5, condition=spreads)
    usual = (rho, d, radius, condition) == (runs.RHO, runs.D, HALF_WIDTH, runs.CONDITION)
    few, again = ("two to four", "from the third step on") if usual else ("a few", "again")
    frame = run.table(means)
    return Chart(
        "error_against_steps",
        "How many steps? Enough, and more do no harm",
        (
            _mean_steps(frame, means),
            _one_step(frame, means),
            _covariance_steps(run, *sides),
            _more_steps(run.table(longer), longer),
        ),
        alt=f"Means: the error falls to that of the sample mean at {few} steps, depending on the range,"
        " and stays there; that of one step grows in proportion to the range. Covariances: the error falls"
        " with the number of steps to that of the sample covariance and stays; with rows on the wrong side"
        f" it rises {again}, beyond that of answering zero.",
        how_to_read="A good curve falls to the black line and stays on it: a step that the public numbers say"
        " cannot help is skipped. Hollow, what one run in a hundred exceeds: mode practical trusts balls that"
        " now and then miss the mean. One step adds noise for the whole range (top right, slope 1). Bottom"
        " left, the grey line is the answer 'zero': with rows on the wrong side of the preconditioner, as in"
        " the authors' program, more steps end beyond it. Bottom right, up to three steps more than the"
        " default number, over the error of the sample covariance.",
    )


def _where(point: Point) -> str:
    return f"mean, d = {point['d']}, n = {point['n']}, ρ = {point['rho']:g}"


def _mean_steps(frame: pd.DataFrame, sweep: Sweep) -> Panel:
    curves = []
    for place, colour in SHOWN.items():
        point = sweep.points[place]
        rows = at(frame, reach=point["reach"])
        values = {t: checks.column(rows, f"error {t}") for t in steps.STEPS if len(rows)}
        expected = [_mean_parts(point, t).quantile(0.5) for t in values]
        found = {t: median(one, LEVEL) for t, one in values.items()}
        curves.append(measured(f"R = {point['reach']:g}√d", found, colour, expected))
    worst = [float(np.quantile(one, 0.99, method="higher")) for one in values.values()]
    label = f"R = {point['reach']:g}√d: one run in 100 is worse"
    curves.append(Series(label, values, worst, colour_key=f"{colour}:worst"))
    curves.append(
        _level("plain estimate (not private)", frame["reference"].median() if len(frame) else _plain(point))
    )
    return Panel(_where(point), STEP, "median error", tuple(curves), "linear", ylim=_limits(point))


def _plain(point: Point) -> float:
    """Return about the median error of the sample mean."""
    return sqrt(point["d"] / point["n"])


def _mean_parts(point: Point, count: int) -> theory.Parts:
    estimator = runs.mean_of(point["d"], point["reach"], steps=count)
    return theory.mean_parts(estimator, point["n"], point["d"], ZCDP(point["rho"]))


def _one_step(frame: pd.DataFrame, sweep: Sweep) -> Panel:
    look, reaches = key(MEAN, "practical"), [point["reach"] for point in sweep.points]
    expected = [_mean_parts(point, 1).total for point in sweep.points]
    found = {reach: size(rows["error 1"].to_numpy()) for reach, rows in by(frame, "reach").items()}
    curve = measured("one step", found, look, expected[: len(found)])
    dashed = Series("predicted", reaches, expected, role="theory", colour_key=look)
    plain = float(checks.rms(frame["reference"].to_numpy())) if len(frame) else _plain(sweep.points[0])
    level = Series("", (reaches[0], reaches[-1]), (plain, plain), role="reference", colour_key=PLAIN)
    ylim = _limits(sweep.points[-1])
    return Panel("mean by one step", "radius R over √d", ERROR, (curve, dashed, level), ylim=ylim)


def _limits(widest: Point) -> tuple[float, float]:
    """Return the limits of both panels of means, from a little below the sample mean to one step's error."""
    return _digit(0.7 * _plain(widest)), _digit(3.0 * _mean_parts(widest, 1).total)


def _digit(limit: float) -> float:
    return float(f"{limit:.1g}")


def covariance_error(point: Point, mode: str, count: int) -> float:
    """Return the predicted error; nan where rows of the last frame are far from white.

    Nan, too, where noise, of norm √(2d) times its sd, outweighs the least eigenvalue of the last frame: the
    positive part then takes some of it away.
    """
    estimator = runs.covariance_of(point["condition"], mode=mode, steps=count)
    public = estimator, runs.spectrum(point["d"], point["condition"]), point["n"], ZCDP(point["rho"])
    last = theory.frames(*public)[-1]
    if mode == "practical" and last.min() < theory.ROUND * last.max():
        return nan
    sd = gaussian_scale(list(estimator.plan(point["n"], point["d"], ZCDP(point["rho"])).charges())[-1])
    if sd * sqrt(2 * point["d"]) > last.min():
        return nan
    return theory.covariance_parts(*public).total


def _covariance_steps(run: Run, right: Sweep, either: Sweep) -> Panel:
    frame, sides, (point,) = run.table(right), run.table(either), right.points
    curves = []
    for mode in reversed(runs.MODES):
        found = {t: size(frame[f"{mode} {t}"].to_numpy()) for t in steps.STEPS if len(frame)}
        expected = [covariance_error(point, mode, t) for t in found]
        curves.append(measured(f"covariance, {mode}", found, key(COVARIANCE, mode), expected))
    wrong = {t: size(sides[f"wrong {t}"].to_numpy()) for t in steps.STEPS if len(sides)}
    curves.append(measured("covariance, rows on the wrong side", wrong, "4"))
    d, n = point["d"], point["n"]
    plain = float(checks.rms(frame["reference"].to_numpy())) if len(frame) else sqrt(d * (d + 1) / n)
    curves += [_level("", plain), _blind("covariance, answering zero", np.sqrt(float(d)))]
    title = f"covariance, d = {d}, n = {n}, condition number {point['condition']:g}"
    ylim = (_digit(0.68 * sqrt(d * (d + 1) / n)), _digit(19 * sqrt(d)))
    return Panel(title, STEP, ERROR, tuple(curves), "linear", note=NOTE, ylim=ylim)


def _blind(label: str, level: float) -> Series:
    return Series(label, (1, steps.MOST), (level, level), role="reference")


def _more_steps(frame: pd.DataFrame, sweep: Sweep) -> Panel:
    curves, least, numbers = [], sweep.points[0], [point["condition"] for point in sweep.points]
    for place, condition in enumerate(by(frame, "condition")):
        rows = at(frame, condition=condition)
        plain = checks.column(rows, "reference")
        for mode in runs.MODES:
            found = {
                more + 0.06 * (place - 1): ratio_band(checks.column(rows, f"{mode} +{more}"), plain)
                for more in steps.MORE
            }
            curves.append(measured("", found, key(COVARIANCE, mode)))
    curves.append(Series("", (0, 3), (1, 1), role="reference", colour_key=PLAIN))
    words = ", ".join(tick_labels([*numbers, 1e9])[:-1])
    (rows_said,) = tick_labels([float(least["n"])])
    title = f"covariance, n = {rows_said}, condition numbers {words}"
    return Panel(
        title, "steps beyond the default", "error / plain estimate's", tuple(curves), "linear", "linear",
        note=f"Three curves for each mode. {NOTE}", ylim=covering((0.97, 1.16), curves),
    )  # fmt: skip


def _level(label: str, level: float) -> Series:
    return Series(label, (1, steps.MOST), (level, level), role="reference", colour_key=PLAIN)
