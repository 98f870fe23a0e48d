"""Pictures of unbounded Gaussians: side by side as the condition number grows, and votes of blocks."""

from collections.abc import Mapping
from dataclasses import replace
from math import nan

import numpy as np
import pandas as pd

from workbench.chapters.covariance.claims import unbounded as claims
from workbench.chapters.covariance.claims import unbounded_spectra as spectra
from workbench.chapters.covariance.figures.heavy import PLAIN, trivial
from workbench.chapters.covariance.runs import unbounded as sweeps
from workbench.charts.bands import ERROR, LEVEL, measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.parameters import brief
from workbench.charts.spectra import across, in_rows, rows_of
from workbench.estimators.covariance.unbounded import UnboundedCovariance
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.run import Run
from workbench.study.sweeps.budgets import at_budget
from workbench.study.sweeps.grids import Sweep, multiples
from workbench.study.sweeps.resources import resources

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
MEDIANS = "Medians of runs, 95 % bands."


def side_by_side(run: Run, *, epsilon: float = sweeps.EPSILON, delta: float = sweeps.DELTA) -> Chart:
    """Return median errors against the condition number, and of the unbounded one for spectra."""
    budget = ApproxDP(epsilon, delta)
    (n,) = multiples([sweeps.SIDE_N], _more(budget))
    sides = _at_length(n, budget)
    frame, conditions = run.table(sides), [point["condition"] for point in sides.points]
    groups = measures.by(frame, "condition")
    foreseen = {"error": UnboundedCovariance().predicted_error(n, sweeps.D, budget)}
    series = [
        _curve(groups, column, *look, expected=foreseen.get(column, nan)) for column, look in SIDES.items()
    ]
    plain = [float(rows["reference"].median()) for rows in groups.values()]
    series.append(Series("without privacy", groups, plain, role="reference", colour_key=PLAIN))
    series.append(trivial(conditions, sweeps.D))
    steps = [sweeps.coinpress_steps(condition, n, budget) for condition in conditions]
    note = (
        f"({epsilon:g}, {brief(delta)}), n = {n}, d = {sweeps.D}, mean 1000 sd away; medians, 95 % bands."
        " All but the unbounded one are told the smallest eigenvalue and ten times the largest."
        f" Steps of CoinPress, tight: {', '.join(map(str, steps))}."
    )
    panel = Panel("equal ratios", "condition number", ERROR, tuple(series), note=note, ylim=(0.02, MOST))
    return Chart(
        "side_by_side",
        "Longer and longer Gaussians, unbounded and bounded estimators",
        (panel, any_spectrum(run, budget)),
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


def _more(budget: ApproxDP) -> float:
    """Return the fewest rows that the unbounded covariance takes, over those at the usual budget."""
    return sweeps.start(sweeps.D, budget=budget) / sweeps.start(sweeps.D)


def _at_length(n: int, budget: ApproxDP) -> Sweep:
    """Return the runs side by side at another budget, of as many condition numbers as the work allows."""
    usual = sweeps.SIDES
    made = usual.moved({"n": n, "condition": condition, "epsilon": budget.epsilon, "delta": budget.delta}
                       for condition in sweeps.CONDITIONS)  # fmt: skip
    most = max(2, int(len(made.points) * min(1.0, resources().limit / made.times_usual)))
    kept = {round(place) for place in np.linspace(0, len(made.points) - 1, most)}
    return made.moved(point for place, point in enumerate(made.points) if place in kept)


def any_spectrum(run: Run, budget: ApproxDP) -> Panel:
    """Return the error for every spectrum; as predicted where two trials at its rows are too much work."""
    n, names = spectra.rows(spectra.D, budget), rows_of(point["spectrum"] for point in spectra.ANY.points)
    times = n / spectra.rows(spectra.D)
    refused = 2 * times > resources().limit * spectra.ANY.trials
    some = replace(run, simulate=run.simulate and not refused)
    frame = some.table(at_budget(spectra.ANY, budget, work=times) if some.simulate else spectra.ANY)
    groups = dict(iter(frame.groupby("spectrum", sort=False)))
    series = [
        in_rows(
            label, {str(at): measures.median(one[column], LEVEL) for at, one in groups.items()}, names, key
        )
        for column, label, key in (("reference", "", PLAIN), ("error", "", UNBOUNDED))
    ]
    ylim = None
    if not some.simulate:
        foreseen = UnboundedCovariance().predicted_error(n, spectra.D, budget)
        series.append(replace(across("", foreseen, names, UNBOUNDED), role="theory"))
        ylim = 0.0, 2 * foreseen
    said = f"Predicted: runs take {times:.2g} times the usual work." if refused else MEDIANS
    note = f"d = {spectra.D}, n = {n:,}. {said}"
    return Panel(
        "any spectrum", "spectrum", ERROR, tuple(series), yscale="linear", names=names, note=note, ylim=ylim
    )


def _curve(
    groups: Mapping[float, pd.DataFrame], column: str, label: str, key: str, expected: float
) -> Series:
    curve = measured(label, {c: measures.median(rows[column], LEVEL) for c, rows in groups.items()}, key,
                     [expected] * len(groups))  # fmt: skip
    y = [value if value <= MOST else float("inf") for value in curve.y]
    return replace(curve, y=y)


def votes(run: Run, *, epsilon: float = sweeps.EPSILON, delta: float = sweeps.DELTA) -> Chart:
    """Return the error of a subspace against the gap, and the coarse preconditioner."""
    (n,) = multiples([sweeps.VOTE_N], _more(ApproxDP(epsilon, delta)))
    left, right = (
        run.table(
            sweep.moved({**point, "n": n, "epsilon": epsilon, "delta": delta} for point in sweep.points)
        )
        for sweep in (sweeps.VOTES, sweeps.COARSE)
    )
    return Chart(
        "votes",
        f"What blocks vote on (n = {n}, d = {sweeps.D}, ({epsilon:g}, {brief(delta)}))",
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
    gaps = tuple(reversed(sweeps.GAPS))
    return Panel(
        "the subspace before the gap (k = 1)", "gap γ = √(λₖ₊₁/λₖ)", "error, in spectral norm",
        (measured("subspace by a vote", found, SUBSPACE),
         Series("error = γ", gaps, gaps, role="reference")),
        note="Medians and 95 % bands.",
    )  # fmt: skip


def _coarse(frame: pd.DataFrame) -> Panel:
    groups = dict(reversed(measures.by(frame, "gap").items()))
    found = {gap: measures.median(rows["spread"], LEVEL) for gap, rows in groups.items()}
    gaps = tuple(reversed(sweeps.COARSE_GAPS))
    before = [gap**2 / sweeps.TOP for gap in gaps]
    return Panel(
        "the coarse preconditioner (k = 2)", "gap γ = √(λₖ₊₁/λₖ)", "λₖ₊₁/λ₁",
        (measured("after it", found, UNBOUNDED),
         Series("before it", gaps, before, role="theory", colour_key=UNBOUNDED),
         Series("the claim: at least 1/20", gaps, [claims.COARSE] * len(gaps), role="reference")),
        note=f"λₖ/λ₁ = 1/{sweeps.TOP:g}, so that no more than about 1/{sweeps.TOP:g} can be hoped for.",
    )  # fmt: skip
