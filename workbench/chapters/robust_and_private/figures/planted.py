"""Figure 1 of LKKO21 with our constants and sizes, and the error against the corrupted share."""

from collections.abc import Iterable, Mapping
from math import sqrt

import numpy as np
import pandas as pd

from workbench.bounds.corruption import mean_limit
from workbench.chapters.robust_and_private.claims.prime import medians
from workbench.chapters.robust_and_private.runs import prime as sweeps
from workbench.chapters.robust_and_private.runs import robust as robust_sweeps
from workbench.chapters.robust_and_private.runs.planted import plain_error, pull
from workbench.charts.bands import measured, predicted
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.free_places import placed
from workbench.charts.methods import name
from workbench.charts.words import number
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.grids import Sweep
from workbench.study.measures import Measure
from workbench.study.run import Run

LEVEL = 0.05  # of all bands of one curve together
PRIME, BOX, ROBUST = "mean/prime", "mean/clipped-box", "mean/robust"
FREE = "non-private"
ERROR, LIMIT = "median error (σ)", "ξ √ln(1/ξ)"
LEAST = 1e-5  # of the corrupted share in (b)


def figure_1(
    run: Run,
    *,
    corruption: float = sweeps.CORRUPTION,
    epsilon: float = sweeps.EPSILON,
    delta: float = sweeps.DELTA,
    n: int = sweeps.N,
) -> Chart:
    """Return LKKO21's Figure 1: error against d, and against ε with twice the corruption."""
    budget = ApproxDP(epsilon, delta)
    usual = (corruption, epsilon, delta, n) == (sweeps.CORRUPTION, sweeps.EPSILON, sweeps.DELTA, sweeps.N)
    return Chart(
        "figure_1",
        "From d = 10 on a filter undoes the cluster, if ε lets it",
        (_much(run, corruption, budget, n), _epsilons(run, 2 * corruption, budget, n // 10, usual=usual)),
        alt=f"Two panels of median error. Against d at corruption {number(corruption)}: the plain private"
        " mean rises as the root of d to more than half a standard deviation, PRIME and the row-by-row filter"
        " stay below the grey limit. Against ε: the plain mean is nearly flat, PRIME is far below it for"
        " large ε and climbs to it for small ones.",
        how_to_read="Grey: ξ √ln(1/ξ), which against the worst adversary no robust mean beats by more than a"
        " constant. The cluster is 1.5 away in every coordinate. Right, at every ε the plain mean is off by"
        " the cluster's pull at least.",
    )


def little_corruption(
    run: Run,
    *,
    corruption: float = sweeps.CORRUPTION,
    epsilon: float = sweeps.EPSILON,
    delta: float = sweeps.DELTA,
    n: int = sweeps.N,
) -> Chart:
    """Return the error against d when a fiftieth of the corruption is left."""
    few, budget = max(LEAST, corruption / 50), ApproxDP(epsilon, delta)
    return Chart(
        "little_corruption",
        "With one liar in a thousand rows there is little to win",
        (_little(run, few, budget, n),),
        alt="Median error against d: both private means rise as the root of d over n, the plain one above.",
        how_to_read="Grey: √(d/n), what sampling costs. Nearly all of the error is sampling, and a filter can"
        " save no more than the small distance between the curves.",
    )


def planted_curves(
    run: Run, frame: pd.DataFrame, along: str, grid: Iterable[float], expected: Iterable[float]
) -> list[Series]:
    """Return mean/prime and mean/clipped-box on planted rows, and without runs what is predicted of it."""
    foreseen = dict(zip(grid, expected, strict=True))
    box = medians(frame, "box", along, LEVEL)
    return [
        measured(name(PRIME), medians(frame, "prime", along, LEVEL), PRIME),
        measured(name(BOX), box, BOX, [foreseen[value] for value in box]),
        *predicted(run, foreseen, foreseen.values(), BOX),
    ]


def _much(run: Run, corruption: float, budget: ApproxDP, n: int) -> Panel:
    frame, dims = run.table(_moved(sweeps.PLANTED, corruption, budget, n)), sweeps.DIMENSIONS
    series = planted_curves(run, frame, "d", dims, (plain_error(n, d, corruption, budget) for d in dims))
    series.append(measured(name(ROBUST), _robust(run, corruption, budget, n), ROBUST))
    clean = medians(frame, "clean", "d", LEVEL)
    series.append(reference("clean rows alone", {d: one.estimate for d, one in clean.items()}))
    series += [
        Series("", dims, [pull(d, corruption) for d in dims], role="theory", colour_key=BOX),
        _limit(dims, corruption),
    ]
    return Panel(
        f"ξ = {number(corruption)}, ε = {number(budget.epsilon)}",
        "d, columns",
        ERROR,
        placed(series),
        note=f"Filter from d = {min(robust_sweeps.LOW)} on, six directions pooled; δ ="
        f" {number(budget.delta)}, n = {number(n)}.",
    )


def _moved(sweep: Sweep, corruption: float, budget: ApproxDP, n: int) -> Sweep:
    public = {"corruption": corruption, "epsilon": budget.epsilon, "n": n}
    return sweep.moved(({**point, **public} for point in sweep.points), delta=budget.delta)


def _said(budget: ApproxDP, n: int) -> str:
    return f"ε = {number(budget.epsilon)}, δ = {number(budget.delta)}, n = {number(n)}"


def _robust(run: Run, corruption: float, budget: ApproxDP, n: int) -> dict[float, Measure]:
    found: dict[float, Measure] = {}
    for sweep in (robust_sweeps.PLANTED_LOW, robust_sweeps.PLANTED_HIGH):
        moved = sweep.moved(
            sweep.points, n=n, corruption=corruption, epsilon=budget.epsilon, delta=budget.delta
        )
        for d, rows in measures.by(run.table(moved), "d").items():
            pooled = np.concatenate([rows[name].to_numpy() for name in robust_sweeps.DIRECTIONS])
            found[d] = measures.median(pooled, LEVEL / 4)
    return dict(sorted(found.items()))


def _little(run: Run, corruption: float, budget: ApproxDP, n: int) -> Panel:
    frame = run.table(_moved(sweeps.SMALL, corruption, budget, n))
    grid = sorted(float(point["d"]) for point in sweeps.SMALL.points)
    series = planted_curves(run, frame, "d", grid, (plain_error(n, int(d), corruption, budget) for d in grid))
    series.append(Series("√(d/n)", grid, [sqrt(d / n) for d in grid], role="reference"))
    note = f"ξ = {number(corruption)}, {_said(budget, n)}."
    return Panel("", "d, columns", ERROR, tuple(series), note=note)


def _epsilons(run: Run, corruption: float, budget: ApproxDP, n: int, *, usual: bool) -> Panel:
    factor = budget.epsilon / sweeps.EPSILON
    points = [
        {**point, "corruption": corruption, "epsilon": factor * point["epsilon"], "n": n}
        for point in sweeps.EPSILONS.points
    ]
    frame = run.table(sweeps.EPSILONS.moved(points, delta=budget.delta))
    grid = [point["epsilon"] for point in points]
    foreseen = (plain_error(n, 10, corruption, ApproxDP(one, budget.delta)) for one in grid)
    series = planted_curves(run, frame, "epsilon", grid, foreseen)
    series.append(_limit(grid, corruption))
    marks = (Mark("at small ε noise hides the cluster", x=22 * min(grid), y=0.3),) if usual else ()
    return Panel(
        f"ξ = {number(corruption)}, d = 10", "ε", ERROR, tuple(series), marks=marks,
        note=f"δ = {number(budget.delta)}, n = {number(n)}.",
    )  # fmt: skip


def _limit(places: Iterable[float], corruption: float) -> Series:
    xs = tuple(places)
    return Series(LIMIT, xs, [sweeps.limit(corruption)] * len(xs), role="reference")


def reference(label: str, values: Mapping[float, float]) -> Series:
    """Return a grey curve."""
    return Series(label, values, values.values(), role="reference", colour_key=FREE if label else "")


def against_corruption(
    run: Run,
    *,
    corruption: float = sweeps.CORRUPTION,
    epsilon: float = sweeps.EPSILON,
    delta: float = sweeps.DELTA,
    n: int = sweeps.N,
    d: int = 20,
) -> Chart:
    """Return the error against the corrupted share, the limit and the least possible."""
    factor, budget = corruption / sweeps.CORRUPTION, ApproxDP(epsilon, delta)
    points = [
        {**point, "corruption": factor * point["corruption"], "epsilon": epsilon, "n": n, "d": d}
        for point in sweeps.SHARES.points
    ]
    frame = run.table(sweeps.SHARES.moved(points, delta=delta))
    grid = [point["corruption"] for point in points]
    series = planted_curves(
        run, frame, "corruption", grid, (plain_error(n, d, share, budget) for share in grid)
    )
    shares = np.geomspace(grid[0], grid[-1], 13)
    least = [mean_limit(float(a)) for a in shares]
    series += [
        Series(LIMIT, shares, [sweeps.limit(float(a)) for a in shares], role="reference"),
        Series("least against the worst adversary", shares, least, role="reference", colour_key="idea/total"),
        Series("", shares, 1.5 * sqrt(d) * shares, role="theory", colour_key=BOX),
        reference("clean rows alone", _clean(frame)),
    ]  # fmt: skip
    here = shares[len(shares) // 2]
    marks = (Mark("this cluster is easier than the worst one", x=here, y=0.62 * sweeps.limit(float(here))),)
    note = f"d = {d}, n = {number(n)}, ε = {number(epsilon)}, δ = {number(delta)}."
    panel = Panel("", "corrupted share ξ", ERROR, tuple(series), note=note, marks=marks)
    return Chart(
        "against_corruption",
        "The clipped mean follows the cluster, PRIME undoes most of it",
        (panel,),
        alt="Median error against the corrupted share, logarithmic. The plain private mean follows the"
        " cluster's pull, in proportion to the share; PRIME stays near the clean rows' error and below"
        " the limit ξ √ln(1/ξ).",
        how_to_read="The worst adversary forces Φ⁻¹(1/2 + ξ) on every estimator. This cluster is easier:"
        " where a filter finds it, the error falls below the limits, towards that of the rows before the"
        " adversary came, which nobody sees.",
    )


def _clean(frame: pd.DataFrame) -> dict[float, float]:
    return {a: one.estimate for a, one in medians(frame, "clean", "corruption", LEVEL).items()}
