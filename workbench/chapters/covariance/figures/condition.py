"""Pictures of unbounded Gaussians: side by side as the condition number grows, and votes of blocks."""

from collections.abc import Mapping

import pandas as pd

from workbench.chapters.covariance.claims import unbounded as claims
from workbench.chapters.covariance.claims import unbounded_spectra as spectra
from workbench.chapters.covariance.figures.heavy import PLAIN, trivial
from workbench.chapters.covariance.runs import unbounded as sweeps
from workbench.charts.bands import ERROR, LEVEL, measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.spectra import in_rows, rows_of
from workbench.study import measures
from workbench.study.sweeps.sweep import run

UNBOUNDED, COINPRESS, CLIPPED = "covariance/unbounded", "covariance/coinpress", "covariance/clipped"
SUBSPACE = "spectral/subspace-aggregate"
SIDES = {
    "clipped": ("one noisy step", CLIPPED),
    "three steps": ("CoinPress in three steps", "4:few"),
    "source": ("CoinPress, its source's constants", f"{COINPRESS}:paper"),
    "coinpress": ("CoinPress, tight", COINPRESS),
    "error": ("unbounded", UNBOUNDED),
}
MOST = 1e6  # errors beyond are arrows


def side_by_side(profile: str, seed: int) -> Chart:
    """Return median errors against the condition number, and of the unbounded one for spectra."""
    frame = run(sweeps.SIDES, profile, seed=seed)
    groups = measures.by(frame, "condition")
    series = [_curve(groups, column, *look) for column, look in SIDES.items()]
    plain = [float(rows["reference"].median()) for rows in groups.values()]
    series.append(Series("without privacy", groups, plain, role="reference", colour_key=PLAIN))
    series.append(trivial(groups, sweeps.D))
    steps = [sweeps.coinpress_steps(condition) for condition in groups]
    note = (
        f"(1, 1e-6), n = {sweeps.SIDE_N}, d = {sweeps.D}, mean 1000 sd away; medians, 95 % bands. All but"
        " the unbounded one are told the smallest eigenvalue and ten times the largest. Steps of CoinPress,"
        f" tight: {', '.join(map(str, steps))}."
    )
    panel = Panel("equal ratios", "condition number", ERROR, tuple(series), note=note, ylim=(0.02, MOST))
    return Chart(
        "side_by_side",
        "Longer and longer Gaussians, unbounded and bounded estimators",
        (panel, _spectra(run(spectra.ANY, profile, seed=seed))),
        alt="Left, the error of the unbounded covariance is flat from condition number 1e2 to 1e12, a little"
        " above the error without privacy; so is that of CoinPress with as many steps as it wants, and half"
        " as high again with its source's constants. CoinPress in three steps and the one-step estimator"
        " grow with the condition number. Right, the error of the unbounded covariance is about the same for"
        " every spectrum, the worst that a search found among them.",
        how_to_read="Left, a good curve is flat and near the black line. One noisy step pays for the longest"
        " axis in the shortest one and is worse than the answer 0 (grey line) from the start."
        " CoinPress stays flat where its steps are many, and where it is told the truth about both ends of"
        " the spectrum; the constants decide how high. The unbounded estimator is told nothing. Triangles at"
        " the edge: beyond the picture. Right, a row is a spectrum, in more dimensions"
        " and at a tenth more rows than the estimator takes at all: equal ratios below 10 leave no gap for a"
        " vote to close, and rounding steps have to. The last row is the worst of a search, on runs that had"
        " no part in it.",
    )


def _spectra(frame: pd.DataFrame) -> Panel:
    groups, names = dict(iter(frame.groupby("spectrum", sort=False))), rows_of(frame["spectrum"])
    series = tuple(
        in_rows(
            label, {str(at): measures.median(one[column], LEVEL) for at, one in groups.items()}, names, key
        )
        for column, label, key in (("reference", "", PLAIN), ("error", "", UNBOUNDED))
    )
    note = f"d = {spectra.D}, n = {spectra.rows(spectra.D):,}. Medians of runs, 95 % bands."
    return Panel("any spectrum", "spectrum", ERROR, series, yscale="linear", names=names, note=note)


def _curve(groups: Mapping[float, pd.DataFrame], column: str, label: str, key: str) -> Series:
    curve = measured(label, {c: measures.median(rows[column], LEVEL) for c, rows in groups.items()}, key)
    y = [value if value <= MOST else float("inf") for value in curve.y]
    return Series(label, curve.x, y, curve.low, curve.high, colour_key=key)


def votes(profile: str, seed: int) -> Chart:
    """Return the error of a subspace against the gap, and the coarse preconditioner."""
    left, right = (run(sweep, profile, seed=seed) for sweep in (sweeps.VOTES, sweeps.COARSE))
    return Chart(
        "votes",
        f"What blocks vote on (n = {sweeps.VOTE_N}, d = {sweeps.D}, (1, 1e-6))",
        (_subspace(left), _coarse(right)),
        alt="Left: the error of the subspace falls in proportion to the gap. Right: the eigenvalue after"
        " the gap, over the largest one, is about one fifth after the preconditioner, whatever it was"
        " before.",
        how_to_read="Left, the smaller λₖ₊₁/λₖ is, the better the blocks agree about the k long"
        " directions, and the less noise hides one block: the error is a third of the gap"
        " over five decades. Right, that is just what the coarse preconditioner needs: shrink"
        " these directions by γ, and what leaks of them is no longer than the rest. The dashed"
        " line is where the eigenvalue was before, the grey one the claim.",
    )


def _subspace(frame: pd.DataFrame) -> Panel:
    groups = measures.by(frame, "gap")
    found = {
        gap: measures.scaled(measures.median(rows["over"], LEVEL), gap)
        for gap, rows in reversed(groups.items())
    }
    gaps = tuple(found)
    return Panel(
        "the subspace before the gap (k = 1)", "gap γ = √(λₖ₊₁/λₖ)", "error, in spectral norm",
        (measured("subspace by a vote", found, SUBSPACE),
         Series("error = γ", gaps, gaps, role="reference")),
        note="Medians and 95 % bands.",
    )  # fmt: skip


def _coarse(frame: pd.DataFrame) -> Panel:
    groups = dict(reversed(measures.by(frame, "gap").items()))
    found = {gap: measures.median(rows["spread"], LEVEL) for gap, rows in groups.items()}
    before = [gap**2 / sweeps.TOP for gap in found]
    return Panel(
        "the coarse preconditioner (k = 2)", "gap γ = √(λₖ₊₁/λₖ)", "λₖ₊₁/λ₁",
        (measured("after it", found, UNBOUNDED),
         Series("before it", found, before, role="theory", colour_key=UNBOUNDED),
         Series("the claim: at least 1/20", found, [claims.COARSE] * len(found), role="reference")),
        note=f"λₖ/λ₁ = 1/{sweeps.TOP:g}, so that no more than about 1/{sweeps.TOP:g} can be hoped for.",
    )  # fmt: skip
