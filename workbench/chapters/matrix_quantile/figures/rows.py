"""Rows needed beside others, and the same for every spectrum."""

from math import inf, log

import numpy as np

from workbench.chapters.matrix_quantile.figures.pictures import OURS
from workbench.chapters.matrix_quantile.runs import beside as sweeps
from workbench.chapters.matrix_quantile.runs.quantile import (
    BETA,
    DELTA,
    DIMENSIONS,
    NEAR,
    NEAR_DIMENSIONS,
    SUCCESS,
    planned,
)
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.spectra import across, places, rows_of
from workbench.study import measures
from workbench.study.intervals import crossing
from workbench.study.measures import Measure
from workbench.study.sweeps.streams import Role, stream
from workbench.study.sweeps.sweep import run

COINPRESS, UNBOUNDED = "covariance/coinpress", "covariance/unbounded"
POPULOUS, PRECONDITIONER = "covariance/populous", "spectral/preconditioner"
POPULOUS_D = 5  # beyond it the search for its fewest rows takes long
MOST = 10.0  # distances beyond are arrows
BESIDE = 0.16  # of a row: how far markers of two dimensions are apart


def rows_needed(profile: str, seed: int) -> Chart:
    """Return the planned rows against d, beside those of others (planned-rows-succeed to fewer-rows)."""
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
        alt="Rows against d, both logarithmic. Left, the matrix quantile needs the fewest of those that are"
        " told nothing, votes of groups 6 to 26 times as many; CoinPress, told a bound, needs more for d = 1"
        " and 2 and a fifth less from 5 on. Right, CoinPress with a bound needs about half of its rows at"
        " d = 5 and 10.",
        how_to_read="Lower is better. Blue crosses: the rows that the matrix quantile plans, for any"
        " covariance. Hollow: the fewest at which covariance/unbounded answers at all, pink and light blue:"
        " at which votes of groups do, also for any covariance; the error may still be larger there."
        " CoinPress (measured) is told that all eigenvalues lie between 1 and 1e4. Left, for a condition"
        " of at most 4, knowing a bound is worth a fifth of the rows from five columns on, and nothing"
        " before. Right, for a relative Frobenius error of 0.2, it is worth about half of them at d = 5 and"
        " 10. Dashed: the shape d^1.5 + d ln(1/δ).",
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
        _fewest(label, key, look, dimensions)
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


def _fewest(label: str, key: str, look: str, dimensions: tuple[int, ...]) -> Series:
    some = [d for d in dimensions if key != POPULOUS or d <= POPULOUS_D]
    return Series(label, some, [sweeps.fewest(key, d) for d in some], colour_key=look, kind="count")


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
    """Return success at the planned rows for several spectra, and distances against the condition."""
    return Chart(
        "flat",
        "Success does not depend on the spectrum",
        (_success(profile, seed), _distances(profile, seed)),
        alt="Left, shares of successes of about nine tenths and more for every spectrum. Right, the matrix"
        " quantile's distance is flat up to a condition number of 1e8; CoinPress, told the truth, is at half"
        " of it throughout, and told a bound that is wrong beyond 1e4 it leaves the picture after 1e6.",
        how_to_read="Left, runs that left a condition of at most 4 at the planned rows, of all runs:"
        " promised are nine of ten (grey). Spectra have condition numbers up to 1e8, and Σ a random scale"
        " between e^-20 and e^20, too; the last row is the worst that a search found, on runs that had no"
        " part in it. Right, the same rows for all three, with 1e4 the largest eigenvalue and a smallest one"
        " that goes down. The matrix quantile is affine equivariant, so that its distance has the same law"
        " for every Σ. CoinPress is nearer as long as it is told the truth; what the other is told, 1 to 1e4,"
        " is not so beyond 1e4. At 1e10 some of the runs of the matrix"
        " quantile get no answer: its guard, a public number, refuses matrices too thin for floats."
        " Triangles at the edge: beyond the picture. An estimate that is singular up to rounding is"
        " infinitely far. Bands are two order statistics: of the six runs of a quick look no less than all"
        " of them covers the median with 95 %.",
    )


def _success(profile: str, seed: int) -> Panel:
    frames = {d: run(sweep, profile, seed=seed) for d, sweep in SUCCESS.items()}
    names = rows_of(name for frame in frames.values() for name in frame["spectrum"])
    series = []
    for place, (d, frame) in enumerate(frames.items()):
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
    n = sweeps.CONDITION_N
    return Panel(
        f"the same rows, d = {sweeps.CONDITION_D}, n = {n}", "condition number", "Thompson's distance",
        (*series, promised), ylim=(0.05, MOST), note="Medians, 95 % bands.",
    )  # fmt: skip


def _capped(label: str, found: dict[float, Measure], key: str, most: float) -> Series:
    curve = measured(label, found, key)
    y = [value if value <= most else inf for value in curve.y]
    return Series(label, curve.x, y, curve.low, curve.high, colour_key=key)
