"""Rows needed beside others, and the same for every spectrum."""

from dataclasses import replace
from math import inf, log, nan

import numpy as np
import pandas as pd

from workbench.chapters.matrix_quantile.figures.pictures import OURS
from workbench.chapters.matrix_quantile.runs import beside as sweeps
from workbench.chapters.matrix_quantile.runs.quantile import (
    BETA,
    DELTA,
    DIMENSIONS,
    EPSILON,
    LONGEST,
    NEAR,
    NEAR_DIMENSIONS,
    SUCCESS,
    distance,
    planned,
    plans,
)
from workbench.charts.bands import LEVEL, measured, predicted
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.limits import covering
from workbench.charts.spectra import places, rows_of, spelled
from workbench.charts.words import number
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.grids import Role, grid, multiples, stream
from workbench.study.intervals import clopper_pearson, crossing
from workbench.study.measures import Measure
from workbench.study.run import Run
from workbench.study.sweeps import at_budget

COINPRESS, UNBOUNDED = "covariance/coinpress", "covariance/unbounded"
POPULOUS, PRECONDITIONER = "covariance/populous", "spectral/preconditioner"
VOTES = {POPULOUS: "votes of groups", PRECONDITIONER: "votes for a preconditioner"}
POPULOUS_D = 5  # beyond it the search for its fewest rows takes long
RATE = r"rate $d^{3/2} + d\,\ln(1/\delta)$"
APART = "distance: 0.1 is a factor of 1.1"
MOST = 10.0  # distances beyond are arrows


def rows_needed(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, alpha: float = NEAR) -> Chart:
    """Return the planned rows against d, beside those of others (planned-rows-succeed to fewer-rows)."""
    budget = ApproxDP(epsilon, delta)
    goals = ("condition number at most 4", f"relative Frobenius error at most {number(alpha)}")
    return Chart(
        "rows_needed",
        "Knowing a bound saves a third of the matrix quantile's rows, or none",
        (
            _rows(goals[0], None, DIMENSIONS, "fourfold", log(2), PRECONDITIONER, run, budget),
            _rows(goals[1], alpha, NEAR_DIMENSIONS, "near", alpha, POPULOUS, run, budget),
        ),
        alt="Rows against d, both logarithmic. Left, the matrix quantile needs the fewest of those that are"
        " told nothing, votes for a preconditioner 7 to 34 times as many; CoinPress, told a bound, needs a"
        " little more at all d. Right, CoinPress with a bound needs about two thirds of its rows at d = 5 and"
        " 10.",
        how_to_read=f"At ({number(epsilon)}, {number(delta)}), mean 0, in nine runs of ten. CoinPress is"
        f" told that"
        " all eigenvalues lie between 1 and 10⁴; the others are told nothing, and votes are counted from the"
        " fewest rows at which they answer at all.",
    )


def _rows(
    title: str, alpha: float | None, dimensions: tuple[int, ...], column: str, most: float, votes: str,
    run: Run, budget: ApproxDP,
) -> Panel:  # fmt: skip
    ours = plans(dimensions, alpha, budget)
    shape = {d: d**1.5 + d * log(1 / budget.delta) for d in dimensions}
    factor = float(np.exp(np.mean([log(n / shape[d]) for d, n in ours.items()]))) if ours else nan
    usual = None if alpha is None else NEAR
    factors = {d: n / planned(d, usual) for d, n in ours.items()}
    times = float(f"{np.mean(list(factors.values())):.2g}") if ours else 1.0
    told = {d: _told(d, column, most, run, budget, factor) for d, factor in factors.items()}
    others = [
        _fewest(label, key, look, dimensions, budget)
        for label, key, look in (
            ("votes of blocks", UNBOUNDED, UNBOUNDED),
            (VOTES[votes], votes, votes),
        )
    ]
    series = (
        Series("matrix quantile", ours, ours.values(), colour_key=OURS, kind="count"),
        measured("CoinPress, told a bound", {d: one for d, one in told.items() if one}, COINPRESS),
        *others,
    )
    marks: tuple[Mark, ...] = ()
    if alpha is None:
        line = Series("", ours, [factor * shape[d] for d in ours], role="reference", colour_key=OURS)
        series, marks = (line, *series), (Mark(RATE, x=10.5, y=800.0 * times, colour_key=OURS),)
    none = [d for d in dimensions if d not in ours]
    note = f"No number of rows is enough for the matrix quantile at d = {', '.join(map(str, none))}."
    limits = 200 * times, 300_000 * times
    return Panel(title, "columns d", "rows n", series, ylim=limits, marks=marks, note=note * bool(none))


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
    """Return success at planned rows by spectrum, and distances against the condition."""
    budget = ApproxDP(epsilon, delta)
    return Chart(
        "flat",
        "Success does not depend on the spectrum; a wrong bound ruins CoinPress",
        (_success(run, budget), _distances(run, budget, d)),
        alt="Left, shares of successes of about nine tenths and more for every spectrum. Right, the matrix"
        " quantile's distance is flat up to a condition number of 10⁸; CoinPress, told the truth, is at half"
        " of it throughout, and told a bound that is wrong beyond 10⁴ it leaves the picture after 10⁶.",
        how_to_read="Left, all d together, condition numbers up to 10⁸ and any scale; the last row is the"
        " worst that a search found, on fresh runs. Right, the largest eigenvalue is 10⁴ and the smallest"
        " goes down; success is a distance below the line.",
    )


def _success(run: Run, budget: ApproxDP) -> Panel:
    work = {d: n / planned(d, None) for d, n in plans(SUCCESS, None, budget).items()}
    frames = [run.table(at_budget(SUCCESS[d], budget, work=times)) for d, times in work.items()]
    names = rows_of(point["spectrum"] for sweep in SUCCESS.values() for point in sweep.points)
    frame = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
    series: tuple[Series, ...] = ()
    if len(frame):
        rows = pd.Series(places(frame["spectrum"], names), index=frame.index)
        hits = (frame["error"] <= log(2)).groupby(rows).agg(["sum", "count"])
        low, high = zip(*(clopper_pearson(int(k), int(m), LEVEL) for k, m in hits.to_numpy()), strict=True)
        shares = hits["sum"] / hits["count"]
        series = (Series("", hits.index, shares, low, high, colour_key=OURS, joined=False),)
    dimensions = ", ".join(map(str, work)) or "no number of rows is enough"
    return Panel(
        "at the planned rows", "spectrum", "share of successes", series, "linear",
        "linear", names=spelled(names), ylim=(0.7, 1.0), note=f"All d together: {dimensions}.",
        marks=(Mark("promised", "vertical", x=1 - BETA, y=0.75, side="left"),),
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
        "told": ("CoinPress, told 1 to 10⁴", COINPRESS),
        "truth": ("CoinPress, told the truth", COINPRESS),
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
    series = [_at_its_arrows(one) for one in series]
    ends = (sweeps.CONDITION_GRID[0], sweeps.CONDITION_GRID[-1])
    series += predicted(run, expected, expected.values(), OURS)
    marks = (
        Mark("promised: ln 2", "horizontal", y=log(2)),
        Mark("floats end", "span", x=LONGEST, x2=30 * ends[1], y=0.072),
    )
    return Panel(
        f"the same {number(n)} rows for all, d = {d}", "condition number", APART, tuple(series),
        xlim=(0.5, 30 * ends[1]), ylim=covering((0.05, MOST), series), marks=marks,
    )  # fmt: skip


def _capped(
    label: str, found: dict[float, Measure], key: str, most: float, expected: dict[float, float] | None
) -> Series:
    """Return the curve of medians; what lies, or may lie, beyond the picture has no band."""
    curve = measured(label, found, key, expected and [expected[at] for at in found])
    y = [value if value <= most else inf for value in curve.y]
    if curve.low is None or curve.high is None:
        return replace(curve, y=y)
    ends = zip(y, curve.low, curve.high, strict=True)
    bands = [(low, high) if high <= most else (at, at) for at, low, high in ends]
    return replace(curve, y=y, low=[low for low, _ in bands], high=[high for _, high in bands])


def _at_its_arrows(curve: Series) -> Series:
    """Return the curve with its name left of the last point before its first arrow, if it has one."""
    beyond = [place for place, y in enumerate(curve.y) if y == inf and place]
    if not beyond:
        return curve
    x, y = (tuple(one)[beyond[0] - 1] for one in (curve.x, curve.y))
    return replace(curve, label_at=(x / 3000, 1.2 * y))
