"""Rows needed beside others, the same at every condition number, and rows that get no answer."""

from math import inf, log

import numpy as np
import pandas as pd

from workbench.lab.charts import Chart, Panel, Scale, Series
from workbench.lab.gallery.covariance_heavy import LEVEL, measured
from workbench.lab.gallery.matrix_quantile_pictures import OURS, PLAIN
from workbench.study.claims import l17_location_measures as measures
from workbench.study.claims import mq_beside_sweeps as sweeps
from workbench.study.claims.l17_location_measures import Measure
from workbench.study.claims.mq_sweeps import (
    BETA,
    DELTA,
    DIMENSIONS,
    NEAR,
    NEAR_DIMENSIONS,
    SUCCESS,
    planned,
)
from workbench.study.intervals import clopper_pearson, crossing
from workbench.study.streams import Role, stream
from workbench.study.sweep import run

COINPRESS, UNBOUNDED = "covariance/coinpress", "covariance/unbounded"
POPULOUS, PRECONDITIONER = "covariance/populous", "spectral/preconditioner"
SECOND = f"{OURS}:second"
MOST = 10.0  # distances beyond are arrows
WORST = 3e7  # condition numbers shown


def rows_needed(profile: str, seed: int) -> Chart:
    """Return the planned rows against d, beside those of others (MQ3 to MQ6)."""
    return Chart(
        "rows_needed",
        "How many rows? (1, 1e-6), mean 0, nine runs of ten",
        (
            _rows(
                "condition at most 4", None, DIMENSIONS, "fourfold", log(2), PRECONDITIONER, (profile, seed)
            ),
            _rows(
                f"Frobenius error at most {NEAR:g}",
                NEAR,
                NEAR_DIMENSIONS,
                "near",
                NEAR,
                POPULOUS,
                (profile, seed),
            ),
        ),
        alt="Rows against d, both logarithmic. Left, the matrix quantile needs the fewest of all,"
        " CoinPress that"
        " is told a bound somewhat more, votes of groups ten times as many. Right, CoinPress with a bound"
        " needs fewer from d = 2 or 5 on.",
        how_to_read="Lower is better. Blue crosses: the rows that the matrix quantile plans, for any"
        " covariance. Hollow: the fewest at which covariance/unbounded answers at all, pink and light blue:"
        " at which votes of groups do, also for any covariance. CoinPress (measured) is told that all"
        " eigenvalues lie between 1 and 1e4. Left, for a condition of at most 4, the matrix quantile"
        " needs fewer rows than any of them. Right, for a relative Frobenius error of 0.2, knowing a bound is"
        " worth something: from a few columns on CoinPress needs about half. Dashed: the shape d^1.5 +"
        " d ln(1/δ).",
    )


def _rows(
    title: str, alpha: float | None, dimensions: tuple[int, ...], column: str, most: float, votes: str,
    how: tuple[str, int],
) -> Panel:  # fmt: skip
    ours = [planned(d, alpha) for d in dimensions]
    shape = np.array([d**1.5 + d * log(1 / DELTA) for d in dimensions])
    factor = float(np.exp(np.log(np.array(ours) / shape).mean()))
    told = {d: _told(d, column, most, how) for d in dimensions}
    others = [
        Series(label, dimensions, [sweeps.fewest(key, d) for d in dimensions], colour_key=look, kind="count")
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


def _told(d: int, column: str, most: float, how: tuple[str, int]) -> Measure | None:
    """Return the rows that CoinPress needs, None if the grid does not bracket them."""
    frame = run(sweeps.TOLD_ROWS[d], how[0], seed=how[1])
    hits = (frame[column] <= most).groupby(frame["n"]).agg(["sum", "count"])
    rng = stream(how[1], Role.BOOTSTRAP, f"mq-told-{column}", d, 0)
    rows = [float(n) for n in hits.index]
    found = crossing(rows, hits["sum"], hits["count"], 1 - BETA, level=LEVEL, rng=rng)
    if not np.isfinite(found.estimate):
        return None
    low, high = found.interval
    interval = max(low, rows[0]), min(high, rows[-1])
    return Measure(found.estimate, interval, int(hits["count"].min()))


def flat(profile: str, seed: int) -> Chart:
    """Return success at the planned rows, and distances, against the condition number (MQ3)."""
    return Chart(
        "flat",
        "Success does not depend on the condition number",
        (_success(profile, seed), _distances(profile, seed)),
        alt="Left, shares of successes between nine tenths and one at condition numbers 1, 1e4 and 1e8,"
        " for five"
        " dimensions. Right, the matrix quantile's distance is flat; CoinPress with a fixed bound leaves the"
        " picture where the bound is wrong, and CoinPress told the truth is above it.",
        how_to_read="Left, runs that left a condition of at most 4 at the planned rows, of all runs,"
        " with 95 %"
        " intervals: promised are nine of ten (grey). Σ has a random scale between e^-20 and e^20, too."
        " Right, the same rows for all three: the matrix quantile is affine equivariant, so that the same"
        " noise gives the same distance for every Σ. CoinPress pays for a larger spread with more"
        " steps, even if it is told the truth, and is wrong where what it was told is wrong."
        " Triangles at the edge: beyond the picture.",
    )


def _success(profile: str, seed: int) -> Panel:
    series = []
    for place, (d, sweep) in enumerate(SUCCESS.items()):
        groups = measures.by(run(sweep, profile, seed=seed), "condition")
        found = {at: _share(rows["error"] <= log(2)) for at, rows in groups.items()}
        series.append(measured(f"d = {d}", found, str(place)))
    ends = (1.0, 1e8)
    promised = Series("promised", ends, (1 - BETA, 1 - BETA), role="reference")
    return Panel(
        "at the planned rows", "condition number", "share of successes", (*series, promised),
        yscale="linear", ylim=(0.4, 1.02),
    )  # fmt: skip


def _share(found: pd.Series) -> Measure:
    hits, trials = int(found.sum()), len(found)
    return Measure(hits / trials, clopper_pearson(hits, trials, LEVEL), trials)


def _distances(profile: str, seed: int) -> Panel:
    groups = measures.by(run(sweeps.CONDITIONS, profile, seed=seed), "condition")
    looks = {
        "quantile": ("matrix quantile", OURS),
        "told": ("CoinPress, told 1 to 1e4", COINPRESS),
        "truth": ("CoinPress, told the truth", f"{COINPRESS}:truth"),
    }
    series = [
        _capped(label, {at: measures.median(rows[name], LEVEL) for at, rows in groups.items()}, key, MOST)
        for name, (label, key) in looks.items()
    ]
    ends = (min(groups), max(groups))
    promised = Series("ln 2", ends, (log(2), log(2)), role="reference")
    n = planned(sweeps.CONDITION_D, None)
    return Panel(
        f"the same rows, d = {sweeps.CONDITION_D}, n = {n}", "condition number", "Thompson's distance",
        (*series, promised), ylim=(0.1, MOST), note="Medians, 95 % bands.",
    )  # fmt: skip


def _capped(label: str, found: dict[float, Measure], key: str, most: float) -> Series:
    curve = measured(label, found, key)
    y = [value if value <= most else inf for value in curve.y]
    return Series(label, curve.x, y, curve.low, curve.high, colour_key=key)


def abstains(profile: str, seed: int) -> Chart:
    """Return how often there is an answer, and its condition number, for rows that are not normal (MQ7)."""
    far, heavy = (run(sweep, profile, seed=seed) for sweep in (sweeps.FAR, sweeps.HEAVY))
    names = ("share of far rows", "degrees of freedom")
    return Chart(
        "abstains",
        "Where there is no answer, at the planned rows",
        (
            _answered("some rows in one far place", names[0], far, "share"),
            _answered("heavy tails", names[1], heavy, "degrees"),
            _conditions("of the answers", names[0], far, "share"),
            _conditions("of the answers", names[1], heavy, "degrees"),
        ),
        alt="Above, the share of answers falls from one to none as more rows are far away, sooner for d"
        " = 5, and"
        " rises again when they are many; it rises with the degrees of freedom. Below, answers have a"
        " condition below 4 until the far rows are many, then a very large one; that of the sample covariance"
        " is large from the first far row on.",
        how_to_read="Above, how often there is an answer; below, how good the answers are, and the sample"
        " covariance without privacy beside them. A few far rows change nothing: each counts once. With more"
        " of them, or heavy tails, the rows hold P_u up less firmly than normal ones would, and the plan's"
        " noise would not hide a row any more: no answer is then the only private one. It is not a"
        " detector of"
        " outliers. Where far rows in one place outnumber the level u (a fifth at d = 2, a tenth at d ="
        " 5), they"
        " hold the quantile up by themselves; it is stable again, is answered for, and is long in their"
        " direction.",
    )


def _answered(title: str, name: str, frame: pd.DataFrame, along: str) -> Panel:
    series = [
        measured(f"d = {d}", {at: _share(rows["condition"] < inf) for at, rows in groups.items()}, key)
        for d, key, groups in _groups(frame, along)
    ]
    low = 0.0 if along == "share" else 2.5
    scale: Scale = "linear" if along == "share" else "log"
    limits = None if low else (-0.01, 0.31)
    return Panel(title, name, "share of answers", tuple(series), scale, "linear", ylim=(-0.05, 1.05),
                 xlim=limits)  # fmt: skip


def _groups(frame: pd.DataFrame, along: str) -> list[tuple[int, str, dict[float, pd.DataFrame]]]:
    return [
        (d, key, measures.by(measures.at(frame, d=d), along))
        for d, key in zip(sweeps.HOSTILE_D, (OURS, SECOND), strict=True)
    ]


def _conditions(title: str, name: str, frame: pd.DataFrame, along: str) -> Panel:
    series = []
    for d, key, groups in _groups(frame, along):
        found = {at: rows["condition"][rows["condition"] < inf] for at, rows in groups.items()}
        medians = {at: float(one.median()) for at, one in found.items() if len(one)}
        series.append(Series(f"d = {d}", medians, medians.values(), colour_key=key))
        plain = {at: float(rows["plain"].median()) for at, rows in groups.items()}
        label = "sample covariance, no privacy" if key == OURS else ""
        series.append(Series(label, plain, plain.values(), role="reference", colour_key=PLAIN))
    ends = (min(frame[along]), max(frame[along]))
    series.append(Series("promised: 4", ends, (4.0, 4.0), role="reference"))
    linear = along == "share"
    return Panel(title, name, "condition number after it", tuple(series), "linear" if linear else "log",
                 ylim=(1.0, WORST), xlim=(-0.01, 0.31) if linear else None)  # fmt: skip
