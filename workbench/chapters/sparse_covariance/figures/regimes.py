"""Where thresholding wins: the matrices themselves, and the error against p."""

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd

from workbench.chapters.sparse_covariance.claims import dimension
from workbench.chapters.sparse_covariance.figures.figures import (
    DEFAULT,
    PAPER,
    UNKNOWN,
    expecting,
    reference,
)
from workbench.chapters.sparse_covariance.figures.reference_names import LOOKS, NAMED
from workbench.chapters.sparse_covariance.runs import theory
from workbench.chapters.sparse_covariance.runs.designs import (
    DELTA,
    REFERENCES,
    estimates,
    released,
    share_of,
    spectral,
    spread,
)
from workbench.chapters.sparse_covariance.runs.designs import Run as Release
from workbench.chapters.sparse_covariance.runs.measures import bootstrapped, exponential, geometric
from workbench.charts.bands import measured, predicted
from workbench.charts.chart import Chart, Heat, Mark, Panel, Series
from workbench.charts.words import number
from workbench.privacy import ApproxDP
from workbench.study.grids import Role, grid, stream
from workbench.study.measures import Measure, at
from workbench.study.run import Run
from workbench.types import Array

LEVEL = 0.05
SHOWN_P, SHOWN_N, SHOWN_DEGREE = 40, 15_000, 3
SHOWN = {
    "truth": "the truth",
    "empirical": "empirical, without privacy",
    "plain": "plain release",
    "noisy diagonal": "noisy diagonal",
    "algorithm": "Algorithm 1, equation (9)",
    "default": "default rule",
}


@cache
def shown_run(p: int, n: int, degree: float, epsilon: float, delta: float, seed: int) -> Release:
    """Return one run of the picture of matrices; the truth depends on p, the degree and the seed alone."""
    data, noise = (stream(seed, role, "wx19-matrices", p, 0) for role in (Role.DATA, Role.NOISE))
    share = min(1.0, share_of(p, degree))
    return released(spread(p, share, n, data), n, epsilon, data, noise, delta=delta)


def matrices(
    run: Run,
    *,
    epsilon: float = 1.0,
    delta: float = DELTA,
    n: int = SHOWN_N,
    p: int = SHOWN_P,
    degree: int = SHOWN_DEGREE,
) -> Chart:
    """Return six matrices of one run, in units of the mean variance; the profile makes no difference."""
    one = shown_run(p, n, degree, epsilon, delta, run.seed)
    found = {"truth": one.truth, **estimates(one, stream(run.seed, Role.NOISE, "wx19-matrices", 1, 0))}
    return Chart(
        "matrices",
        "A threshold removes the noise; the default rule keeps most correlations",
        tuple(matrix_panel(label, found[name], one.truth) for name, label in SHOWN.items()),
        alt="Six coloured matrices. The truth and the empirical one have a clear diagonal and some hundred"
        " coloured entries; in the plain release these are among noise everywhere;"
        " equation (9) keeps only few, the default rule most of them.",
        how_to_read=f"One run: p = {p}, n = {number(n)}, s = {degree}, ε = {number(epsilon)}, δ ="
        f" {number(delta)}."
        " A cell is an entry in units of the mean variance; pale is 0, the diagonal is beyond the colours."
        " Errors are relative.",
    )


def matrix_panel(label: str, matrix: Array, truth: Array, reach: float = 0.4) -> Panel:
    """Return a matrix as colours, with its relative error in the title."""
    error = spectral(matrix - truth) / spectral(truth)
    title = label if matrix is truth else f"{label}: error {number(error, 2)}"
    unit = float(np.diag(truth).mean())
    heat = Heat(
        matrix / unit,
        (-reach, reach),
        emphasis="middle",
        rows=("1", str(len(truth))),
        columns=("1", str(len(truth))),
        bar=None,
    )
    return Panel(title, "column", "row", (), heat=heat, note=f"purple: −{reach:g}, orange: {reach:g}")


def error_against_p(
    run: Run, *, epsilon: float = 1.0, delta: float = DELTA, degree: int = dimension.DEGREE
) -> Chart:
    """Return the error on a fixed active block, and the n that spread support needs."""
    budget = ApproxDP(epsilon, delta)
    factor = theory.rows_factor("central", theory.P, budget)
    return Chart(
        "error_against_p",
        "Idle columns hardly matter to a threshold; correlated ones cost rows",
        (
            _block(run, budget, degree, round(factor * dimension.BLOCK_N)),
            _needed(run, budget, degree, factor),
        ),
        alt="Left: the relative error against p on a fixed active block; both rules are flat, the plain"
        " release grows as the root of p. Right: the n for a relative error of 0.2 against p where the"
        " support is spread out; all lines rise as powers of p, the default rule's less steeply than the"
        " plain release's.",
        how_to_read=f"Left, {dimension.ACTIVE} columns vary and the others hardly do. Right, all take part,"
        f" and a unit"
        " ball must hold the rows: entries shrink as 1/p. Grey: rates."
        f" s = {degree}, ε = {number(epsilon)}, δ = {number(delta)}.",
    )


def _block(run: Run, budget: ApproxDP, degree: int, n: int) -> Panel:
    points = grid(p=dimension.BLOCK_P, n=n, epsilon=budget.epsilon, active=dimension.ACTIVE, degree=degree)
    frame = run.table(dimension.BLOCK.moved(points, delta=budget.delta))
    foreseen = {
        float(p): theory.plain_error(theory.typical_block(p, dimension.ACTIVE, degree, n), p, n, budget)
        for p in dimension.BLOCK_P
    }
    rules = {"default": ("default rule", DEFAULT), "algorithm": ("equation (9)", PAPER)}
    series = [_measured(frame, name, *words) for name, words in rules.items()]
    found = {name: reference(frame, name, name, "p") for name in REFERENCES}
    found["plain"] = replace(expecting(found["plain"], foreseen), role="estimate", label=NAMED["plain"])
    series[0] = replace(series[0], label_at=_below(series[0]))
    for name in ("oracle diagonal", "empirical"):
        found[name] = replace(found[name], label=NAMED[name])
    series += [*found.values(), *predicted(run, foreseen, foreseen.values(), LOOKS["plain"])]
    marks = [Mark("zeros", x=1.3 * dimension.BLOCK_P[0], y=1.18)]
    lowest = tuple(found["without"].y)
    if lowest:
        x, y = dimension.BLOCK_P[len(lowest) // 2], 1.22 * max(lowest)
        marks.append(Mark(NAMED["without"], x=x, y=y, colour_key=LOOKS["without"]))
    return Panel(
        f"{dimension.ACTIVE} active columns, n = {number(n)}",
        "columns p",
        "relative error",
        tuple(series),
        marks=tuple(marks),
    )


def _below(curve: Series) -> tuple[float, float] | None:
    """Return a place below the middle of a curve, if it has points."""
    x, y = tuple(curve.x), tuple(curve.y)
    return (x[len(x) // 2], 0.8 * y[len(y) // 2]) if x else None


def _measured(frame: pd.DataFrame, name: str, label: str, look: str) -> Series:
    ps = dimension.BLOCK_P if len(frame) else ()
    return measured(label, {p: geometric(at(frame, p=p)[name], LEVEL) for p in ps}, look)


def _needed(run: Run, budget: ApproxDP, degree: int, factor: float) -> Panel:
    unit = dimension.UNIT * factor
    points = dimension.needed_points(budget.epsilon, degree, unit)
    frame = run.table(dimension.NEEDED.moved(points, delta=budget.delta))
    orders = {"default": lambda p: p * np.sqrt(np.log(p)), "plain": lambda p: p**1.5}
    rates = {"default": r"as $p\sqrt{\ln p}$", "plain": "as $p^{3/2}$"}
    looks = {"default": ("default rule", DEFAULT), "plain": ("plain release", LOOKS["plain"])}
    ps, series = np.array(dimension.NEEDED_P, float), list[Series]()
    for name, (label, look) in looks.items():
        if not len(frame):
            continue
        curves = dimension.by_point(frame, name)
        found = {p: _rows(curves, place, run.seed, unit) for place, p in enumerate(dimension.NEEDED_P)}
        series.append(measured(label, found, look))
        order = orders[name](ps)
        first = found[dimension.NEEDED_P[0]].estimate
        series.append(Series(rates[name], ps, first * order / order[0], role="reference"))
    note = "" if series else UNKNOWN
    return Panel("all take part: rows for error 0.2", "columns p", "rows n", tuple(series), note=note)


def _rows(curves: Array, place: int, seed: int, unit: float) -> Measure:
    def needed(rows: Array) -> float:
        return float(dimension.rows_needed(rows, dimension.NEEDED_P, unit)[place])

    return exponential(bootstrapped(needed, curves, LEVEL, "wx19-needed", seed))
