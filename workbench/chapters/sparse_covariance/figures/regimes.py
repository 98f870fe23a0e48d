"""Where thresholding wins: the matrices themselves, the map of regimes, and the error against p."""

from functools import cache

import numpy as np
import pandas as pd

from workbench.chapters.sparse_covariance.claims import dimension
from workbench.chapters.sparse_covariance.figures.figures import (
    DEFAULT,
    IN_LAW,
    LOOKS,
    PAPER,
    expecting,
    reference,
)
from workbench.chapters.sparse_covariance.runs import figures as study
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
from workbench.charts.chart import Chart, Heat, Panel, Series
from workbench.charts.parameters import short
from workbench.privacy import ApproxDP
from workbench.study.measures import Measure, at
from workbench.study.run import Run
from workbench.study.sweeps.streams import Role, stream
from workbench.study.sweeps.sweep import grid
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
    usual = (epsilon, n, p, degree) == (1.0, SHOWN_N, SHOWN_P, SHOWN_DEGREE)
    kept = "equation (9) keeps only few, the default rule most of them"
    return Chart(
        "matrices",
        f"One run at p = {p}, n = {n}, s = {degree}, ε = {epsilon:g}, δ = {short(delta)}",
        tuple(matrix_panel(label, found[name], one.truth) for name, label in SHOWN.items()),
        alt="Six coloured matrices. The truth and the empirical one have a clear diagonal and some hundred"
        " coloured entries; in the plain release these are among noise everywhere;"
        f" {kept if usual else 'equation (9) and the default rule keep what stands out'}.",
        how_to_read="Every cell is an entry, in units of the mean variance; pale is 0, and the diagonal is"
        " beyond the colours. The plain release has the right entries, and noise on all others: that adds"
        " up to a large spectral error. A threshold removes the noise and loses small entries; how many it"
        " loses is the whole difference between the two rules. Titles give the relative spectral error.",
    )


def matrix_panel(label: str, matrix: Array, truth: Array, reach: float = 0.4) -> Panel:
    """Return a matrix as colours, with its relative error in the title."""
    error = spectral(matrix - truth) / spectral(truth)
    title = label if matrix is truth else f"{label}: {error:.2f}"
    unit = float(np.diag(truth).mean())
    heat = Heat(
        matrix / unit,
        (-reach, reach),
        emphasis="middle",
        rows=("1", str(len(truth))),
        columns=("1", str(len(truth))),
    )
    return Panel(title, "column", "row", (), heat=heat)


def regime_map(
    run: Run,
    *,
    epsilon: float = 1.0,
    delta: float = DELTA,
    p: int = theory.P,
    degree: int = SHOWN_DEGREE,
) -> Chart:
    """Return where thresholding wins, where it returns the diagonal, and where local privacy is hopeless."""
    points = study.regime_points(p, degree, ApproxDP(epsilon, delta))
    sweep = study.REGIMES.moved(points, delta=delta)
    frame, usual = run.table(sweep), sweep == study.REGIMES
    best = frame[["plain", "noisy diagonal", "zero"]].min(axis=1)
    frame = frame.assign(ratio=frame["default"] / best)
    central, local = (at(frame, model=model, degree=degree) for model in study.MODELS)
    dense = at(frame, model="central", degree=0)
    return Chart(
        "regime_map",
        f"Regimes at ε = {epsilon:g}{f', δ = {short(delta)}' * (not usual)}: where thresholding wins",
        (
            _map(f"(a) default / best rival, s = {degree}", central, "p", "ratio", (0.2, 5.0), "rows n"),
            _map(f"(b) default / best rival, p = {p}", dense, "share", "ratio", (0.2, 5.0), "rows n"),
            _map(f"(c) support found, s = {degree}", central, "p", "recall", (0.0, 1.0), "rows n"),
            _map(f"(d) local: relative error, s = {degree}", local, "p", "default", (0.02, 50.0), "users n"),
        ),
        alt="Four tables as colours. Thresholding wins to the right of a line that moves to larger n as p"
        " grows, and loses where half of all pairs or more are correlated. To the left of the line it finds"
        f" no support. Locally the error is below a half from {'10⁹ users' if usual else 'many users'} on.",
        how_to_read="(a) and (b): the error of the default rule over the least of the plain release, the"
        " noisy diagonal and the zero matrix. Below 1 (purple) thresholding wins; above 1 (orange) it"
        " loses, in dense matrices (b, bottom), and where p is so large for n that zeros are better than a"
        " noisy diagonal (a, bottom left). (c) says what happens near 1: where nothing of the support is"
        " found, the rule returns the noisy diagonal. (d) is the error itself in the local model, where the"
        " zero matrix has 1"
        + (
            ": up to 10⁶ users zeros are better for every p, and at 10⁷ no more than the diagonal is learnt."
            if usual
            else "."
        )
        + IN_LAW,
    )


def _map(
    title: str, frame: pd.DataFrame, along: str, value: str, limits: tuple[float, float], xlabel: str
) -> Panel:
    ylabel = "p" if along == "p" else "sparsity ratio"
    if not len(frame):
        return Panel(title, xlabel, ylabel, ())
    frame = frame.assign(log=np.log(np.maximum(frame[value], 1e-9)))
    table = frame.pivot_table(index=along, columns="n", values=value if value == "recall" else "log")
    numbers = table.to_numpy() if value == "recall" else np.exp(table.to_numpy())
    heat = Heat(
        numbers,
        limits,
        scale="linear" if value == "recall" else "log",
        emphasis="high" if value == "recall" else "middle",
        rows=tuple(f"{name:g}" for name in table.index),
        columns=tuple(short(float(n), 1) for n in table.columns[::2]),
        written=True,
    )
    return Panel(title, xlabel, ylabel, (), heat=heat)


def error_against_p(
    run: Run, *, epsilon: float = 1.0, delta: float = DELTA, degree: int = dimension.DEGREE
) -> Chart:
    """Return the error on a fixed active block, and the n needed where the support is spread out."""
    budget = ApproxDP(epsilon, delta)
    factor = theory.rows_factor("central", theory.P, budget)
    return Chart(
        "error_against_p",
        "“Only log p”: true where entries keep their size, false where they shrink",
        (
            _block(run, budget, degree, round(factor * dimension.BLOCK_N)),
            _needed(run, budget, degree, factor),
        ),
        alt="Left: the relative error against p on a fixed active block; both rules are flat, the plain"
        " release grows as the root of p. Right: the n for a relative error of 0.2 against p where the"
        " support is spread out; all lines rise as powers of p, the default rule's less steeply than the"
        " plain release's.",
        how_to_read="Left, 20 active coordinates and p - 20 that hardly vary, at"
        f" n = {_spaced(round(factor * dimension.BLOCK_N))}: thresholding"
        " does not notice the others, and the plain release pays √p for them. That is the theorem's"
        " promise. Right, all coordinates take part, and a unit ball must hold all rows: entries shrink as"
        " 1/p, so that the rows needed are a power of p, whatever the rule. Dashed: p √ln p and p^1.5, from"
        " the measured n at p = 50; the truth's trace grows a little with p here, so that the measured"
        f" lines are less steep. s = {degree}, ε = {epsilon:g}, δ = {short(delta)}." + IN_LAW,
    )


def _spaced(n: int) -> str:
    return f"{n:,}".replace(",", " ")


def _block(run: Run, budget: ApproxDP, degree: int, n: int) -> Panel:
    points = grid(p=dimension.BLOCK_P, n=n, epsilon=budget.epsilon, active=dimension.ACTIVE, degree=degree)
    frame = run.table(dimension.BLOCK.moved(points, delta=budget.delta))
    foreseen = {
        float(p): theory.plain_error(theory.typical_block(p, dimension.ACTIVE, degree, n), p, n, budget)
        for p in dimension.BLOCK_P
    }
    rules = {"default": ("default rule", DEFAULT), "algorithm": ("equation (9)", PAPER)}
    series = [_measured(frame, name, *words) for name, words in rules.items()]
    references = {name: reference(frame, name, name, "p") for name in REFERENCES}
    references["plain"] = expecting(references["plain"], foreseen)
    series += [*references.values(), *predicted(run, foreseen, foreseen.values(), LOOKS["plain"])]
    title = f"fixed active block, n = {_spaced(n)}: relative error"
    return Panel(title, "p", "relative error", tuple(series))


def _measured(frame: pd.DataFrame, name: str, label: str, look: str) -> Series:
    ps = dimension.BLOCK_P if len(frame) else ()
    return measured(label, {p: geometric(at(frame, p=p)[name], LEVEL) for p in ps}, look)


def _needed(run: Run, budget: ApproxDP, degree: int, factor: float) -> Panel:
    unit = dimension.UNIT * factor
    points = dimension.needed_points(budget.epsilon, degree, unit)
    frame = run.table(dimension.NEEDED.moved(points, delta=budget.delta))
    orders = {"default": lambda p: p * np.sqrt(np.log(p)), "plain": lambda p: p**1.5}
    looks = {"default": ("default rule", DEFAULT), "plain": ("plain, rows needed", LOOKS["plain"])}
    ps, series = np.array(dimension.NEEDED_P, float), list[Series]()
    for name, (label, look) in looks.items():
        if not len(frame):
            continue
        curves = dimension.by_point(frame, name)
        found = {p: _rows(curves, place, run.seed, unit) for place, p in enumerate(dimension.NEEDED_P)}
        series.append(measured(label, found, look))
        order = orders[name](ps)
        first = found[dimension.NEEDED_P[0]].estimate
        series.append(Series("", ps, first * order / order[0], role="theory", colour_key=look))
    return Panel("support spread out: n for error 0.2", "p", "rows n", tuple(series))


def _rows(curves: Array, place: int, seed: int, unit: float) -> Measure:
    def needed(rows: Array) -> float:
        return float(dimension.rows_needed(rows, dimension.NEEDED_P, unit)[place])

    return exponential(bootstrapped(needed, curves, LEVEL, "wx19-needed", seed))
