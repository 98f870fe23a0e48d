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
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.parameters import short
from workbench.populations.corruption.mean import SHIFT
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.measures import Measure
from workbench.study.run import Run
from workbench.study.sweeps.sweep import Sweep

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
    """Return Figure 1: against d with much and with little corruption, and against ε."""
    budget = ApproxDP(epsilon, delta)
    few = max(LEAST, corruption / 50)
    usual = (corruption, epsilon, delta, n) == (sweeps.CORRUPTION, sweeps.EPSILON, sweeps.DELTA, sweeps.N)
    return Chart(
        "figure_1",
        "Figure 1: a twentieth of the rows, one in a thousand, and ever less privacy"
        if usual
        else f"Figure 1: {100 * corruption:g} % of the rows, {100 * few:g} %, and ever less privacy",
        (
            _much(run, corruption, budget, n),
            _little(run, few, budget, n),
            _epsilons(run, 2 * corruption, budget, n // 10),
        ),
        alt=f"Three panels of median error. (a) Against d at corruption {corruption:g}: the plain private"
        " mean rises as the root of d"
        + " to more than half a standard deviation" * usual
        + ", mean/prime and mean/robust stay"
        + (" below" if usual else " near")
        + f" the dashed limit. (b) At corruption {few:g} both rise as the root of d over n"
        + ", the plain mean above from d = 20 on" * usual
        + ". (c) Against ε: the plain mean is nearly flat, mean/prime is far below it for large ε"
        " and climbs to it for small ones.",
        how_to_read="Good curves stay at or below the dashed line, ξ √ln(1/ξ): against the worst adversary"
        " no estimator of robust means beats it by more than a constant. (a) The cluster is 1.5 away in"
        f" every coordinate, so that its pull on the plain mean is {SHIFT * corruption:.3g} √d; the source"
        " goes to d = 100 at n = 10⁶. (b) Hardly any corruption: the dashed line is √(d/n), what sampling"
        " costs, and there is little to win."
        f" (c) ε from {0.005 * epsilon:g} to {epsilon:g}: the plain mean errs by the cluster's pull at every"
        " ε, and by noise at the least, mean/prime by less until the noise hides the cluster from it."
        " The parameters of (b) and (c) are recalled, the numbers are ours.",
    )


def planted_curves(
    run: Run, frame: pd.DataFrame, along: str, grid: Iterable[float], expected: Iterable[float]
) -> list[Series]:
    """Return mean/prime and mean/clipped-box on planted rows, and without runs what is predicted of it."""
    foreseen = dict(zip(grid, expected, strict=True))
    box = medians(frame, "box", along, LEVEL)
    return [
        measured(PRIME, medians(frame, "prime", along, LEVEL), PRIME),
        measured(BOX, box, BOX, [foreseen[value] for value in box]),
        *predicted(run, foreseen, foreseen.values(), BOX),
    ]


def _much(run: Run, corruption: float, budget: ApproxDP, n: int) -> Panel:
    frame, dims = run.table(_moved(sweeps.PLANTED, corruption, budget, n)), sweeps.DIMENSIONS
    series = planted_curves(run, frame, "d", dims, (plain_error(n, d, corruption, budget) for d in dims))
    series.append(measured(ROBUST, _robust(run, corruption, budget, n), ROBUST))
    clean = medians(frame, "clean", "d", LEVEL)
    series.append(reference("mean of the clean rows", {d: one.estimate for d, one in clean.items()}))
    label = f"cluster's pull, {f'{SHIFT * corruption:.3g}'.removeprefix('0')} √d"
    series += [
        Series(label, dims, [pull(d, corruption) for d in dims], role="theory", colour_key=BOX),
        _limit(dims, corruption),
    ]
    return Panel(
        f"(a) ξ = {corruption:g}",
        "d",
        ERROR,
        tuple(series),
        note=f"Six directions pooled; {_said(budget, n)}.",
    )


def _moved(sweep: Sweep, corruption: float, budget: ApproxDP, n: int) -> Sweep:
    public = {"corruption": corruption, "epsilon": budget.epsilon, "n": n}
    return sweep.moved(({**point, **public} for point in sweep.points), delta=budget.delta)


def _said(budget: ApproxDP, n: int) -> str:
    return f"ε = {budget.epsilon:g}, δ = {short(budget.delta)}, n = {short(n)}"


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
    series.append(Series("√(d/n)", grid, [sqrt(d / n) for d in grid], role="theory", colour_key=FREE))
    return Panel(f"(b) ξ = {corruption:g}", "d", ERROR, tuple(series), note=f"{_said(budget, n)}.")


def _epsilons(run: Run, corruption: float, budget: ApproxDP, n: int) -> Panel:
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
    title = f"(c) ξ = {corruption:g}, d = 10"
    return Panel(title, "ε", ERROR, tuple(series), note=f"δ = {short(budget.delta)}, n = {short(n)}.")


def _limit(places: Iterable[float], corruption: float) -> Series:
    xs = tuple(places)
    return Series(LIMIT, xs, [sweeps.limit(corruption)] * len(xs), role="theory", colour_key=PRIME)


def reference(label: str, values: Mapping[float, float]) -> Series:
    """Return a grey curve."""
    return Series(label, values, values.values(), role="reference", colour_key=FREE)


def against_corruption(
    run: Run,
    *,
    corruption: float = sweeps.CORRUPTION,
    epsilon: float = sweeps.EPSILON,
    delta: float = sweeps.DELTA,
    n: int = sweeps.N,
    d: int = 20,
) -> Chart:
    """Return the error against the corrupted share, round this one, with the limit and the least possible."""
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
        Series(LIMIT, shares, [sweeps.limit(float(a)) for a in shares], role="theory", colour_key=PRIME),
        Series("least against the worst adversary", shares, least, role="theory", colour_key=FREE),
        Series("cluster's pull, 1.5 ξ √d", shares, 1.5 * sqrt(d) * shares, role="theory", colour_key=BOX),
        reference("mean of the clean rows", _clean(frame)),
    ]
    note = f"d = {d}, n = {short(n)}, ε = {epsilon:g}, δ = {short(delta)}."
    panel = Panel("", "corrupted share ξ", ERROR, tuple(series), note=note)
    return Chart(
        "against_corruption",
        "Error against corruption",
        (panel,),
        alt="Median error against the corrupted share, logarithmic. The plain private mean follows the"
        " cluster's pull, in proportion to the share; mean/prime stays near the clean rows' error and below"
        " the dashed limit ξ √ln(1/ξ).",
        how_to_read="A line of slope 1 is the fate of a mean that looks at all rows alike. The dashed line"
        " below it is ξ √ln(1/ξ), the error that the theorem promises but for a constant. The black dashed"
        " line is Φ⁻¹(1/2 + ξ): the worst adversary forces that error on every estimator. The planted cluster"
        " is not the worst: where a filter finds it, errors fall below both lines, towards the black solid"
        " one, the error of the mean of the rows before the adversary came, which nobody sees.",
    )


def _clean(frame: pd.DataFrame) -> dict[float, float]:
    return {a: one.estimate for a, one in medians(frame, "clean", "corruption", LEVEL).items()}
