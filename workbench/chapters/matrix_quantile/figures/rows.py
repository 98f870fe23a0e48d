"""Rows needed beside others, and the same for every spectrum."""

from dataclasses import replace
from math import inf, log, nan

import numpy as np

from workbench.chapters.matrix_quantile.figures.pictures import OURS
from workbench.chapters.matrix_quantile.runs import beside as sweeps
from workbench.chapters.matrix_quantile.runs.quantile import (
    BETA,
    BUDGET,
    DELTA,
    DIMENSIONS,
    EPSILON,
    LONGEST,
    NEAR,
    NEAR_DIMENSIONS,
    SUCCESS,
    distance,
    planned,
)
from workbench.charts.bands import LEVEL, measured, predicted
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.limits import covering
from workbench.charts.parameters import brief
from workbench.charts.spectra import across, places, rows_of
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.intervals import crossing
from workbench.study.measures import Measure
from workbench.study.run import Run
from workbench.study.sweeps.budgets import at_budget
from workbench.study.sweeps.streams import Role, stream
from workbench.study.sweeps.sweep import grid, multiples

COINPRESS, UNBOUNDED = "covariance/coinpress", "covariance/unbounded"
POPULOUS, PRECONDITIONER = "covariance/populous", "spectral/preconditioner"
POPULOUS_D = 5  # beyond it the search for its fewest rows takes long
MOST = 10.0  # distances beyond are arrows
KNOWING = (
    " Left, for a condition of at most 4, knowing a bound is worth a fifth of the rows from five columns on,"
    " and nothing before. Right, for a relative Frobenius error of 0.2, it is worth about half of them at"
    " d = 5 and 10."
)
BESIDE = 0.16  # of a row: how far markers of two dimensions are apart


def rows_needed(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, alpha: float = NEAR) -> Chart:
    """Return the planned rows against d, beside those of others (planned-rows-succeed to fewer-rows)."""
    budget = ApproxDP(epsilon, delta)
    usual = (budget, alpha) == (BUDGET, NEAR)
    return Chart(
        "rows_needed",
        f"How many rows? ({epsilon:g}, {brief(delta)}), mean 0, nine runs of ten",
        (
            _rows("condition at most 4", None, DIMENSIONS, "fourfold", log(2), PRECONDITIONER, run, budget),
            _rows(
                f"Frobenius error at most {alpha:g}",
                alpha,
                NEAR_DIMENSIONS,
                "near",
                alpha,
                POPULOUS,
                run,
                budget,
            ),
        ),
        alt="Rows against d, both logarithmic. Left, the matrix quantile needs the fewest of those that are"
        " told nothing, votes of groups many times as many."
        if not usual
        else "Rows against d, both logarithmic. Left, the matrix quantile needs the fewest of those that are"
        " told nothing, votes of groups 6 to 26 times as many; CoinPress, told a bound, needs more for d = 1"
        " and 2 and a fifth less from 5 on. Right, CoinPress with a bound needs about half of its rows at"
        " d = 5 and 10.",
        how_to_read="Lower is better. Blue crosses: the rows that the matrix quantile plans, for any"
        " covariance. Hollow: the fewest at which covariance/unbounded answers at all, pink and light blue:"
        " at which votes of groups do, also for any covariance; the error may still be larger there."
        " CoinPress (measured) is told that all eigenvalues lie between 1 and 1e4."
        + KNOWING * usual
        + " Dashed: the shape d^1.5 + d ln(1/δ).",
    )


def _rows(
    title: str, alpha: float | None, dimensions: tuple[int, ...], column: str, most: float, votes: str,
    run: Run, budget: ApproxDP,
) -> Panel:  # fmt: skip
    ours = [planned(d, alpha, budget) for d in dimensions]
    shape = np.array([d**1.5 + d * log(1 / budget.delta) for d in dimensions])
    factor = float(np.exp(np.log(np.array(ours) / shape).mean()))
    usual = None if alpha is None else NEAR
    factors = {d: n / planned(d, usual) for d, n in zip(dimensions, ours, strict=True)}
    told = {d: _told(d, column, most, run, budget, factor) for d, factor in factors.items()}
    others = [
        _fewest(label, key, look, dimensions, budget)
        for label, key, look in (
            ("unbounded, fewest", UNBOUNDED, f"{UNBOUNDED}:fewest"),
            (f"{votes.partition('/')[2]}, fewest", votes, votes),
        )
    ]
    series = (
        Series("matrix quantile, planned", dimensions, ours, colour_key=OURS, kind="count"),
        Series("its shape", dimensions, factor * shape, role="theory", colour_key=OURS),
        measured("CoinPress, told 1 to 1e4", {d: one for d, one in told.items() if one}, COINPRESS),
        *others,
    )
    return Panel(title, "d", "rows n", series)


def _fewest(label: str, key: str, look: str, dimensions: tuple[int, ...], budget: ApproxDP) -> Series:
    some = [d for d in dimensions if key != POPULOUS or d <= POPULOUS_D]
    return Series(label, some, [sweeps.fewest(key, d, budget) for d in some], colour_key=look, kind="count")


def _told(d: int, column: str, most: float, run: Run, budget: ApproxDP, factor: float) -> Measure | None:
    """Return the rows that CoinPress needs, None if the grid does not bracket them."""
    points = grid(d=d, n=multiples(sweeps.ROWS[d], factor))
    frame = run.table(at_budget(sweeps.TOLD_ROWS[d], budget, points))
    if not len(frame):
        return None
    hits = (frame[column] <= most).groupby(frame["n"]).agg(["sum", "count"])
    rng = stream(run.seed, Role.BOOTSTRAP, f"mq-told-{column}", d, 0)
    rows = [float(n) for n in hits.index]
    found = crossing(rows, hits["sum"], hits["count"], 1 - BETA, level=LEVEL, rng=rng)
    if not np.isfinite(found.estimate):
        return None
    low, high = found.interval
    interval = max(low, rows[0]), min(high, rows[-1])
    return Measure(found.estimate, interval, int(hits["count"].min()))


def flat(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, d: int = sweeps.CONDITION_D) -> Chart:
    """Return success at the planned rows for several spectra, and distances against the condition."""
    budget = ApproxDP(epsilon, delta)
    usual = (budget, d) == (BUDGET, sweeps.CONDITION_D)
    lower = "at half of it" if usual else "below it"
    leaves = "leaves the picture after 1e6" if usual else "rises far above the line in the end"
    return Chart(
        "flat",
        "Success does not depend on the spectrum",
        (_success(run, budget), _distances(run, budget, d)),
        alt="Left, shares of successes of about nine tenths and more for every spectrum. Right, the matrix"
        f" quantile's distance is flat up to a condition number of 1e8; CoinPress, told the truth, is {lower}"
        f" throughout, and told a bound that is wrong beyond 1e4 it {leaves}.",
        how_to_read="Left, runs that left a condition of at most 4 at the planned rows, of all runs:"
        " promised are nine of ten (grey). Spectra have condition numbers up to 1e8, and Σ a random scale"
        " between e^-20 and e^20, too; the last row is the worst that a search found, on runs that had no"
        " part in it. Right, the same rows for all three, with 1e4 the largest eigenvalue and a smallest one"
        " that goes down. The matrix quantile is affine equivariant, so that its distance has the same law"
        " for every Σ. CoinPress is nearer as long as it is told the truth; what the other is told, 1 to 1e4,"
        " is not so beyond 1e4. At 1e10 some of the runs of the matrix"
        " quantile get no answer: its guard, a public number, refuses matrices too thin for floats."
        " Triangles at the edge: beyond the picture. An estimate that is singular up to rounding is"
        " infinitely far. Bands are two order statistics"
        + (
            ": of the six runs of a quick look no less than all of them covers the median with 95 %."
            if usual
            else ", where runs are enough for 95 %."
        ),
    )


def _success(run: Run, budget: ApproxDP) -> Panel:
    work = {d: planned(d, None, budget) / planned(d, None) for d in SUCCESS}
    frames = {d: run.table(at_budget(one, budget, work=work[d])) for d, one in SUCCESS.items()}
    names = rows_of(point["spectrum"] for sweep in SUCCESS.values() for point in sweep.points)
    series = []
    for place, (d, frame) in enumerate((d, frame) for d, frame in frames.items() if len(frame)):
        hits = (frame["error"] <= log(2)).groupby(frame["spectrum"], sort=False)
        shares, least = hits.mean(), int(hits.size().min())
        series.append(
            Series(
                f"d = {d}, {least} runs each", places(shares.index, names, BESIDE * (place - 2)), shares,
                colour_key=str(place), kind="fraction", trials=least,
            )
        )  # fmt: skip
    series.append(across("promised", 1 - BETA, names))
    return Panel(
        "at the planned rows", "spectrum", "share of successes", tuple(series), "linear", "linear",
        names=names, ylim=(0.7, 1.02),
    )  # fmt: skip


def _distances(run: Run, budget: ApproxDP, d: int) -> Panel:
    usual = planned(sweeps.CONDITION_D, None)
    n = multiples((sweeps.CONDITION_N,), planned(d, None, budget) / usual)[0]
    points = [{**point, "d": d, "n": n} for point in sweeps.CONDITIONS.points]
    work = n * d**2 / (sweeps.CONDITION_N * sweeps.CONDITION_D**2)
    groups = measures.by(run.table(at_budget(sweeps.CONDITIONS, budget, points, work)), "condition")
    expected = {at: distance(n, d, budget) if at <= LONGEST else nan for at in sweeps.CONDITION_GRID}
    looks = {
        "quantile": ("matrix quantile", OURS),
        "told": ("CoinPress, told 1 to 1e4", COINPRESS),
        "truth": ("CoinPress, told the truth", f"{COINPRESS}:truth"),
    }
    series = [
        _capped(
            label,
            {at: measures.median(rows[name], LEVEL) for at, rows in groups.items()},
            key,
            MOST,
            expected if name == "quantile" else None,
        )
        for name, (label, key) in looks.items()
    ]
    ends = (sweeps.CONDITION_GRID[0], sweeps.CONDITION_GRID[-1])
    series += predicted(run, expected, expected.values(), OURS)
    promised = Series("ln 2", ends, (log(2), log(2)), role="reference")
    return Panel(
        f"the same rows, d = {d}, n = {n}", "condition number", "Thompson's distance",
        (*series, promised), ylim=covering((0.05, MOST), series), note="Medians, 95 % bands.",
    )  # fmt: skip


def _capped(
    label: str, found: dict[float, Measure], key: str, most: float, expected: dict[float, float] | None
) -> Series:
    curve = measured(label, found, key, expected and [expected[at] for at in found])
    return replace(curve, y=[value if value <= most else inf for value in curve.y])
