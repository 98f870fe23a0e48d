"""How many steps: the error against their number, with rows on the wrong side too."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import nan, sqrt
from typing import Any

import numpy as np
import pandas as pd

from workbench.chapters.many_dimensions.claims import checks
from workbench.chapters.many_dimensions.figures.costs import NAMES, ratio_band, size
from workbench.chapters.many_dimensions.figures.looks import COVARIANCE, MEAN, PLAIN, shade
from workbench.chapters.many_dimensions.runs import coinpress as runs
from workbench.chapters.many_dimensions.runs import steps, theory
from workbench.chapters.many_dimensions.runs.means import HALF_WIDTH
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.limits import covering
from workbench.charts.ticks import tick_labels
from workbench.charts.words import number
from workbench.privacy import ZCDP
from workbench.privacy.mechanisms import gaussian_scale
from workbench.study.grids import Point, Sweep, multiples
from workbench.study.measures import at, by, median
from workbench.study.run import Run

SHOWN = (0, 2, 4)  # places of R
ASIDE = 0.25  # of a step: how far points of several condition numbers stand apart
COVERED, ABOVE = (0.99, 1.07), 0.004  # of ratios near 1: what is shown, and where words stand above them
ERROR, STEP = "root mean square error", "number of steps t"


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
    run: Run, *, rho: float = runs.RHO, d: int = runs.D, radius: float = HALF_WIDTH
) -> Chart:
    """Return the errors of means against the number of steps."""
    reaches = [radius * one / HALF_WIDTH for one in steps.REACHES]
    means = at_numbers(steps.MEAN_STEPS, rho, d, 1.0, reach=reaches)
    return Chart(
        "error_against_steps",
        "Two to four steps do, and more do no harm",
        (_mean_steps(run.table(means), means),),
        alt="The error of a mean falls to that of the sample mean within a few steps, the wider the range the"
        " later, and stays there; that of one step grows in proportion to the range.",
        how_to_read="A good curve falls to the black line and stays on it: a step that the public numbers say"
        " cannot help is skipped. One step adds noise for the whole range, so its error grows in proportion"
        " to R.",
    )


def steps_on_the_wrong_side(
    run: Run, *, rho: float = runs.RHO, d: int = runs.D, condition: float = runs.CONDITION
) -> Chart:
    """Return the errors of covariances against the number of steps, with rows on either side."""
    sides = [
        at_numbers(one, rho, d, 1.5, condition=[10 * condition])
        for one in (steps.COVARIANCE_STEPS, steps.ORIENTATIONS)
    ]
    return Chart(
        "steps_on_the_wrong_side",
        "An error that rises with the number of steps is a bug",
        (_covariance_steps(run, *sides),),
        alt="The error of a covariance falls with the number of steps to that of the sample covariance and"
        " stays; with rows on the wrong side it rises again, beyond that of answering zero.",
        how_to_read="On the right side more steps are never worse. With rows on the wrong side of the"
        " preconditioner, as in the authors' program, two steps are right by accident, and from the third on"
        " the error rises beyond that of answering zero.",
    )


def steps_beyond_the_default(
    run: Run, *, rho: float = runs.RHO, d: int = runs.D, condition: float = runs.CONDITION
) -> Chart:
    """Return the errors of covariances with up to three steps more than the design takes."""
    spreads = [condition * point["condition"] / runs.CONDITION for point in steps.CONDITIONS.points]
    longer = at_numbers(steps.CONDITIONS, rho, d, 1.5, condition=spreads)
    return Chart(
        "steps_beyond_the_default",
        "Three steps more than the design takes cost nothing",
        (_more_steps(run.table(longer), longer),),
        alt="The error over that of the sample covariance is the same with the default number of steps and up"
        " to three more, for three condition numbers and both modes.",
        how_to_read="The root mean square error over that of the sample covariance, for three condition"
        " numbers side by side. Flat is good: a step that cannot help is skipped.",
    )


def _where(point: Point) -> str:
    return f"mean, d = {point['d']}, n = {number(point['n'])}, ρ = {number(point['rho'])}"


def _mean_steps(frame: pd.DataFrame, sweep: Sweep) -> Panel:
    curves, marks = [], []
    for rank, place in zip((0.0, 0.5, 1.0), SHOWN, strict=True):
        point = sweep.points[place]
        look: dict[str, Any] = {"rank": rank}
        rows = at(frame, reach=point["reach"])
        values = {t: checks.column(rows, f"error {t}") for t in steps.STEPS if len(rows)}
        foreseen = {t: _mean_parts(point, t).quantile(0.5) for t in steps.STEPS}
        found = {t: median(one, LEVEL) for t, one in values.items()}
        curves.append(measured("", found, MEAN, [foreseen[t] for t in found], **look))
        curves.append(Series("", foreseen, foreseen.values(), role="theory", colour_key=MEAN, **look))
        words = f"R = {number(point['reach'])}√d"
        marks.append(Mark(words, x=1.12, y=1.35 * foreseen[1], colour_key=MEAN))
    level = frame["reference"].median() if len(frame) else _plain(sweep.points[0])
    curves.append(_level("sample mean", level))
    return Panel(_where(point), STEP, "median error (σ)", tuple(curves), "linear", ylim=_limits(point),
                 marks=tuple(marks), xlim=(0.8, steps.MOST + 0.2))  # fmt: skip


def _plain(point: Point) -> float:
    """Return about the median error of the sample mean."""
    return sqrt(point["d"] / point["n"])


def _mean_parts(point: Point, count: int) -> theory.Parts:
    estimator = runs.mean_of(point["d"], point["reach"], steps=count)
    return theory.mean_parts(estimator, point["n"], point["d"], ZCDP(point["rho"]))


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
        foreseen = {t: covariance_error(point, mode, t) for t in steps.STEPS}
        expected = [foreseen[t] for t in found]
        curves.append(measured(NAMES[mode], found, COVARIANCE, expected, **shade(mode)))
        line = Series("", foreseen, foreseen.values(), role="theory", colour_key=COVARIANCE, **shade(mode))
        curves.append(line)
    wrong = {t: size(sides[f"wrong {t}"].to_numpy()) for t in steps.STEPS if len(sides)}
    curves.append(measured("rows on the wrong side", wrong, "idea/wrong"))
    d, n = point["d"], point["n"]
    plain = float(checks.rms(frame["reference"].to_numpy())) if len(frame) else sqrt(d * (d + 1) / n)
    curves += [_level("sample covariance", plain), _blind("answering zero", np.sqrt(float(d)))]
    title = f"covariance, d = {d}, n = {number(n)}, condition number {number(point['condition'])}"
    ylim = (_digit(0.68 * sqrt(d * (d + 1) / n)), _digit(19 * sqrt(d)))
    marks = (
        (Mark("two steps: right by accident", "point", 2, wrong[2].estimate, side="right"),) if wrong else ()
    )
    return Panel(title, STEP, f"{ERROR} (norm of Σ)", tuple(curves), "linear", ylim=ylim, marks=marks,
                 xlim=(0.8, steps.MOST + 0.2))  # fmt: skip


def _blind(label: str, level: float) -> Series:
    return Series(label, (1, steps.MOST), (level, level), role="reference")


def _more_steps(frame: pd.DataFrame, sweep: Sweep) -> Panel:
    curves, least, tops = [], sweep.points[0], dict[str, float]()
    for mode in runs.MODES:
        own = list(_by_condition(frame, mode))
        tops[NAMES[mode]] = max((high for one in own for high in one.high or ()), default=1.0) + ABOVE
        curves += own
    ends = (-0.5, steps.MORE[-1] + 0.5)
    curves.append(Series("sample covariance", ends, (1, 1), role="reference", colour_key=PLAIN))
    low, high = covering(COVERED, curves)
    level, head = high - 0.12 * (high - low), high - 0.05 * (high - low)
    marks = [Mark(words, x=1.5, y=min(top, level)) for words, top in tops.items()]
    marks.append(Mark("condition number", x=0, y=head))
    shown = [_named_at(one, level) for one in curves]
    return Panel(
        f"d = {least['d']}, n = {number(least['n'])}", "steps beyond the default", "error / plain error",
        tuple(shown), "linear", "linear", xlim=ends, ylim=(low, high), marks=tuple(marks),
    )  # fmt: skip


def _named_at(curve: Series, level: float) -> Series:
    """Return a curve whose name stands above its first point; a line's stands at its end."""
    return curve if curve.joined else replace(curve, label_at=(next(iter(curve.x)), level))


def _by_condition(frame: pd.DataFrame, mode: str) -> Iterator[Series]:
    """Yield the ratios of a mode side by side, the larger the condition number the darker."""
    conditions = list(by(frame, "condition"))
    names = tick_labels(conditions)
    for place, condition in enumerate(conditions):
        rows = at(frame, condition=condition)
        plain = checks.column(rows, "reference")
        found = {
            more + ASIDE * (place - 1): ratio_band(checks.column(rows, f"{mode} +{more}"), plain)
            for more in steps.MORE
        }
        label = names[place] if mode == "proved" else ""
        rank = place / (len(conditions) - 1) if len(conditions) > 1 else None
        yield measured(label, found, COVARIANCE, joined=False, rank=rank)


def _level(label: str, level: float) -> Series:
    return Series(label, (1, steps.MOST), (level, level), role="reference", colour_key=PLAIN)
