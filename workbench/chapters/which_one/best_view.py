"""The explorer of the choice: a point of n and ε, and what every estimator is predicted to err there."""

from collections.abc import Iterator
from math import isfinite, nan

import numpy as np

from workbench.chapters.which_one import choice
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.limits import covering
from workbench.charts.words import number
from workbench.study.run import Run

COARSE, FINE = 5, 17  # values of n in the first picture, and in the last
ENDS = (60, 6000)
SHOWN = (3e-3, 30.0)  # the errors that are shown at most


def best_view(
    run: Run, *, n: int, epsilon: float, delta: float, alpha: float, d: int, radius: float
) -> Iterator[Chart]:
    """Yield the predicted errors against n at one ε, at few n and then at more; nothing is run.

    Parameters
    ----------
    run
        Not used: all is predicted.
    n, epsilon, delta
        The point, and the δ of those that need one.
    alpha
        The error that is aimed at, in units of σ.
    d, radius
        Columns, and the half-width of the range of the mean, in units of σ.
    """
    for count in (COARSE, FINE):
        sizes = sorted({n, *(round(one) for one in np.geomspace(*ENDS, count))})
        yield _chart(sizes, n, epsilon, delta, alpha, d, radius)


def _chart(
    sizes: list[int], n: int, epsilon: float, delta: float, alpha: float, d: int, radius: float
) -> Chart:
    curves = [_curve(key, sizes, d, epsilon, delta, radius) for key in choice.keys(d)]
    found = choice.ranked(n, d, epsilon, delta, radius)
    marks = [Mark(f"n = {number(n)}", "vertical", x=n, side="right"), Mark("α", "horizontal", y=alpha)]
    if found:
        error, key = found[0]
        marks.append(Mark(f"{number(error, 2)} σ", "point", x=n, y=error, side="below", colour_key=key))
    panel = Panel(
        "", "rows n", "predicted error (σ)", tuple(curves), xlim=ENDS, ylim=covering(SHOWN, curves),
        marks=tuple(marks),
    )  # fmt: skip
    return Chart(
        "best_view",
        f"ε = {number(epsilon)}, {d} columns, R = {number(radius)} σ: {_least(found)}",
        (panel,),
        alt="Predicted errors against the number of rows, a falling line for each estimator, with the chosen"
        " number of rows and the accuracy aimed at.",
        how_to_read="A line begins where its estimator begins to answer. Use the lowest at your n.",
        caption=_sentence(found, n, alpha),
    )


def _curve(key: str, sizes: list[int], d: int, epsilon: float, delta: float, radius: float) -> Series:
    errors = [choice.error(key, n, d, epsilon, delta, radius) for n in sizes]
    shown = [error if isfinite(error) else nan for error in errors]
    return Series(choice.LABELS[key], sizes, shown, role="theory", colour_key=key)


def _least(found: list[tuple[float, str]]) -> str:
    return f"{choice.LABELS[found[0][1]]} errs least" if found else "nobody answers"


def _sentence(found: list[tuple[float, str]], n: int, alpha: float) -> str:
    if not found:
        return f"With {number(n)} rows none of them answers."
    error, key = found[0]
    reached = "which reaches α" if error <= alpha else "which does not reach α"
    said = f"With {number(n)} rows {choice.LABELS[key]} errs least: {number(error)} σ, {reached}."
    if len(found) > 1:
        other, next_ = found[1]
        said += f" {choice.LABELS[next_].capitalize()} errs {number(100 * (other / error - 1), 2)} % more."
    return said
