"""LKKO21's Figure 2: the rows below which a plain private mean beats a filter."""

from collections.abc import Mapping
from math import log, sqrt

import numpy as np
import pandas as pd

from workbench.chapters.robust_and_private.claims.prime import medians
from workbench.chapters.robust_and_private.figures.planted import (
    BOX,
    ERROR,
    LEVEL,
    PRIME,
    ROBUST,
    reference,
)
from workbench.chapters.robust_and_private.runs import duel
from workbench.chapters.robust_and_private.runs.planted import plain_error, rows_to_filter
from workbench.chapters.robust_and_private.runs.prime import CORRUPTION, DELTA
from workbench.charts.bands import measured, predicted
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.limits import covering
from workbench.charts.marks import Side
from workbench.charts.methods import name
from workbench.charts.words import number
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.grids import Sweep, grid, multiples
from workbench.study.measures import Measure
from workbench.study.run import Run

NAMES = (*duel.PLAIN, *duel.ROBUST[1:])
PLANTED, CLEAN = "shift-ones", "none"
COINPRESS = "mean/coinpress"


def figure_2(
    run: Run,
    *,
    corruption: float = CORRUPTION,
    epsilon: float = duel.EPSILON,
    delta: float = DELTA,
    d: int = duel.D,
) -> Chart:
    """Return Figure 2: error against n, planted and clean (and where the plain means stop winning)."""
    budget = ApproxDP(epsilon, delta)
    sweep = _moved(corruption, budget, d)
    frame = run.table(sweep)
    title, clean = f"a planted cluster, ξ = {number(corruption)}", "nobody lies"
    return Chart(
        "figure_2",
        "With too few rows a plain private mean beats the filter",
        (
            _against_n(run, sweep, measures.at(frame, attack=PLANTED), title, corruption, budget, d),
            _against_n(run, sweep, measures.at(frame, attack=CLEAN), clean, 0.0, budget, d),
        ),
        alt="Two panels of median error against n. With a planted cluster the plain means level off at the"
        " cluster's pull, near 0.24 and 0.19; PRIME and the row-by-row filter are above"
        " CoinPress below one or two thousand rows and fall below it after that. Without corruption CoinPress"
        " is never far from the best.",
        how_to_read="Left, the plain means end at the cluster's pull, which no n reduces. Right, what"
        " robustness costs when nobody lies. The row-by-row filter decides by a public rule whether to"
        " filter; PRIME always pays for a look.",
    )


def _moved(corruption: float, budget: ApproxDP, d: int) -> Sweep:
    """Return the sweep round the n from which a filter pays."""
    here = rows_to_filter(d, corruption, budget)
    factor = here / rows_to_filter(duel.D, CORRUPTION, ApproxDP(duel.EPSILON, DELTA))
    points = grid(
        attack=(CLEAN, PLANTED),
        n=multiples(duel.FEW, factor),
        corruption=corruption,
        epsilon=budget.epsilon,
        who="private",
    )
    return duel.CROSSOVER.moved(points, d=d, delta=budget.delta)


def _against_n(
    run: Run, sweep: Sweep, rows: pd.DataFrame, title: str, corruption: float, budget: ApproxDP, d: int
) -> Panel:
    """Return one panel; without corruption the estimators' own predictions stand beside all of them."""
    ns = tuple(dict.fromkeys(point["n"] for point in sweep.points))
    found = {name: medians(rows, name, "n", LEVEL) for name in NAMES}
    told = {point["corruption"] for point in sweep.points}.pop()
    chosen, series = duel.fighters(d, told), list[Series]()
    for key, one in found.items():
        if corruption and key != BOX:
            series.append(measured(name(key), one, key))
            continue
        expected = {
            n: plain_error(n, d, corruption, budget)
            if key == BOX
            else _foreseen(chosen[key].predicted_error(n, d, budget))
            for n in ns
        }
        series.append(measured(name(key), one, key, [expected[int(n)] for n in one]))
        series += predicted(run, expected, expected.values(), key)
    series.append(reference("sampling", {n: sqrt(d / n) for n in ns}))
    marks = [one for key in (PRIME, ROBUST) for one in _crossed(found, key, COINPRESS)] if corruption else []
    return Panel(
        title, "rows n", ERROR, tuple(series), ylim=covering((0.01, 10), series), marks=tuple(marks),
        note=f"d = {d}, ε = {number(budget.epsilon)}, δ = {number(budget.delta)}.",
    )  # fmt: skip


def _foreseen(error: float) -> float:
    """Return a prediction, nan where an estimator foresees none."""
    return error if np.isfinite(error) else np.nan


def _crossed(found: Mapping[str, Mapping[float, Measure]], key: str, other: str) -> list[Mark]:
    """Return the n from which one of them errs less for good, as a mark, if there is one."""
    n = crossover({n: one.estimate / found[other][n].estimate for n, one in found[key].items()})
    if not 0 < n < np.inf:
        return []
    side: Side = "right" if key == PRIME else "left"
    words, height = ("PRIME: from", 5.0) if key == PRIME else ("filter: from", 0.03)
    return [Mark(f"{words} {number(float(f'{n:.2g}'))}", "vertical", x=n, y=height, side=side)]


def crossover(ratios: Mapping[float, float]) -> float:
    """Return the n from which a ratio stays below 1, between points on a straight line in logarithms.

    >>> round(crossover({100: 4.0, 400: 0.25})), crossover({100: 0.5}), crossover({100: 2.0})
    (200, 0, inf)
    """
    ns, values = list(ratios), [log(ratio) for ratio in ratios.values()]
    above = [place for place, value in enumerate(values) if value >= 0]
    if not above:
        return 0
    if above[-1] == len(ns) - 1:
        return np.inf
    low, high = above[-1], above[-1] + 1
    share = values[low] / (values[low] - values[high])
    return float(ns[low] * (ns[high] / ns[low]) ** share)
