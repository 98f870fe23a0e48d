"""Figure 2 of LKKO21: the rows below which a plain private mean beats a filter."""

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
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.limits import covering
from workbench.charts.parameters import short
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.measures import Measure
from workbench.study.run import Run
from workbench.study.sweeps.sweep import Sweep, grid, multiples

NAMES = (*duel.PLAIN, *duel.ROBUST[1:])
PLANTED, CLEAN = "shift-ones", "none"


def figure_2(
    run: Run,
    *,
    corruption: float = CORRUPTION,
    epsilon: float = duel.EPSILON,
    delta: float = DELTA,
    d: int = duel.D,
) -> Chart:
    """Return Figure 2: error against n, planted and clean, and where the plain means stop winning."""
    budget = ApproxDP(epsilon, delta)
    sweep = _moved(corruption, budget, d)
    frame, usual = run.table(sweep), sweep == duel.CROSSOVER
    title = f"(a) planted, ξ = {corruption:g}"
    return Chart(
        "figure_2",
        "Figure 2: with too few rows, plain private means win",
        (
            _against_n(run, sweep, measures.at(frame, attack=PLANTED), title, corruption, budget, d),
            _against_n(run, sweep, measures.at(frame, attack=CLEAN), "(b) nobody cheats", 0.0, budget, d),
        ),
        alt="Two panels of median error against n. With a planted cluster the plain means level off at the"
        f" cluster's pull{', near .24 and .19' * usual}; mean/prime and mean/robust are above mean/coinpress"
        f" below {'one or two thousand' if usual else 'some number of'} rows and fall below it after that."
        " Without corruption mean/coinpress is never far from the best.",
        how_to_read="Plain means are hollow. Left, their flat end is the cluster's pull, which no n reduces:"
        " mean/coinpress clips harder and loses a little less. Where a robust curve crosses a plain one is"
        " the n below which noise does more harm than the adversary: the note names it. Right, the same"
        " without an adversary: what robustness costs when it was not needed. mean/robust decides by a"
        " public rule, from n, d and ε alone, whether the filter is worth its price; mean/prime always pays"
        f" for a look. d = {d}, ε = {epsilon:g}, δ = {short(delta)}.",
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
    for name, one in found.items():
        look = name + ":plain" * (name in duel.PLAIN)
        if corruption and name != BOX:
            series.append(measured(name, one, look))
            continue
        expected = {
            n: plain_error(n, d, corruption, budget)
            if name == BOX
            else _foreseen(chosen[name].predicted_error(n, d, budget))
            for n in ns
        }
        series.append(measured(name, one, look, [expected[int(n)] for n in one]))
        series += predicted(run, expected, expected.values(), look)
    series.append(reference("√(d/n)", {n: sqrt(d / n) for n in ns}))
    note = "; ".join(_crossed(found, name, other) for name in (PRIME, ROBUST) for other in duel.PLAIN)
    note = f"{note}." if len(rows) else ""
    return Panel(title, "rows n", ERROR, tuple(series), ylim=covering((0.01, 10), series), note=note)


def _foreseen(error: float) -> float:
    """Return a prediction, nan where an estimator foresees none."""
    return error if np.isfinite(error) else np.nan


def _crossed(found: Mapping[str, Mapping[float, Measure]], name: str, other: str) -> str:
    n = crossover({n: one.estimate / found[other][n].estimate for n, one in found[name].items()})
    said = (
        "at no n for good" if n == np.inf else f"from n = {float(f'{n:.2g}'):.0f} on" if n else "at every n"
    )
    return f"{name.partition('/')[2]} beats {other.partition('/')[2]} {said}"


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
