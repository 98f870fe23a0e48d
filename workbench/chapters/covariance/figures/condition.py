"""Pictures of unbounded Gaussians: side by side as the condition number grows, and votes of blocks."""

from collections.abc import Mapping
from dataclasses import replace
from math import inf, isfinite, nan

import numpy as np
import pandas as pd

from workbench.chapters.covariance.claims import unbounded as claims
from workbench.chapters.covariance.claims import unbounded_spectra as spectra
from workbench.chapters.covariance.figures.heavy import PLAIN, answer_zero
from workbench.chapters.covariance.runs import unbounded as sweeps
from workbench.charts.bands import ERROR, LEVEL, measured
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.spectra import across, in_rows, rows_of, spelled
from workbench.charts.words import number
from workbench.estimators.unbounded import UnboundedCovariance
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.grids import Sweep, multiples
from workbench.study.run import Run
from workbench.study.sweeps import at_budget, resources

UNBOUNDED, COINPRESS, CLIPPED = "covariance/unbounded", "covariance/coinpress", "covariance/clipped"
SUBSPACE = "spectral/subspace-aggregate"
GAP = "γ = next axis / long axis: small is a wide gap"
SIDES = {  # column: name, key, place on the ramp
    "clipped": ("one noisy step", CLIPPED, None),
    "three steps": ("CoinPress in three steps", COINPRESS, 0.0),
    "source": ("CoinPress, paper's constants", f"{COINPRESS}:paper", None),
    "coinpress": ("CoinPress, as many steps as it needs", COINPRESS, 0.5),
    "error": ("votes of blocks, told nothing", UNBOUNDED, None),
}
MOST = 1e6  # errors beyond are arrows
LIMITS = (0.01, 3e6)
CHARACTER = 0.07  # decades of condition numbers, half a character's width


def side_by_side(run: Run, *, epsilon: float = sweeps.EPSILON, delta: float = sweeps.DELTA) -> Chart:
    """Return median errors against the condition number, of bounded and unbounded estimators."""
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
    series.append(Series("", groups, plain, role="truth", colour_key=PLAIN))
    steps = [sweeps.coinpress_steps(condition, n, budget) for condition in conditions]
    note = (
        f"n = {number(n)}, d = {sweeps.D}, ε = {epsilon:g}, δ = {number(delta)}; mean 1000 σ away."
        f" CoinPress takes {min(steps)} to {max(steps)} steps."
    )
    below = 0.55 * min(plain, default=foreseen["error"] / 2)
    marks = (
        answer_zero(sweeps.D, sweeps.CONDITIONS[4]),
        Mark("no privacy", x=10**6.5, y=below, colour_key=PLAIN),
    )
    panel = Panel(
        "Equal ratios between neighbouring eigenvalues", "condition number of Σ", ERROR, tuple(series),
        note=note, ylim=LIMITS, marks=marks,
    )  # fmt: skip
    return Chart(
        "side_by_side",
        "Told nothing, votes of blocks are flat over ten orders of magnitude",
        (panel,),
        alt="The error of the unbounded covariance is flat from condition number 10² to 10¹², a little"
        " above the error without privacy; so is that of CoinPress with as many steps as it wants, and half"
        " as high again with its source's constants. CoinPress in three steps and the one-step estimator"
        " grow with the condition number.",
        how_to_read="A good curve is flat and near the black line. All but the votes of blocks are told the"
        " smallest eigenvalue and ten times the largest; CoinPress stays flat where its steps are many."
        " Triangles at the edge: beyond the picture.",
    )


def any_spectrum(run: Run, *, epsilon: float = sweeps.EPSILON, delta: float = sweeps.DELTA) -> Chart:
    """Return the error of the unbounded covariance for spectra of every sort (named ones, the worst)."""
    return Chart(
        "any_spectrum",
        "No spectrum that a search found is much harder than a round one",
        (spectra_panel(run, ApproxDP(epsilon, delta)),),
        alt="The error of the unbounded covariance is about the same for every spectrum, the worst that a"
        " search found among them, and about a quarter above the error without privacy.",
        how_to_read="A row is a spectrum. Equal ratios below 10 leave no gap for a vote to close, and"
        " rounding steps have to. The last row is the worst of a search, on runs that had no part in it.",
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


def spectra_panel(run: Run, budget: ApproxDP) -> Panel:
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
        for column, label, key in (
            ("reference", "no privacy", PLAIN),
            ("error", "votes of blocks", UNBOUNDED),
        )
    ]
    foreseen = UnboundedCovariance().predicted_error(n, spectra.D, budget)
    if not some.simulate:
        series.append(replace(across("", foreseen, names, UNBOUNDED), role="theory"))
    said = f" Predicted: runs take {times:.2g} times the usual work." * refused
    note = f"d = {spectra.D}, n = {number(n)}, ε = {budget.epsilon:g}, δ = {number(budget.delta)}.{said}"
    return Panel(
        "Medians of runs" if some.simulate else "Predicted",
        "spectrum",
        ERROR,
        tuple(series),
        yscale="linear",
        names=spelled(names),
        note=note,
        ylim=(0.0, 1.4 * foreseen),
    )


def _curve(
    groups: Mapping[float, pd.DataFrame],
    column: str,
    label: str,
    key: str,
    rank: float | None,
    expected: float,
) -> Series:
    curve = measured(label, {c: measures.median(rows[column], LEVEL) for c, rows in groups.items()}, key,
                     [expected] * len(groups), rank=rank)  # fmt: skip
    y = [value if value <= MOST else inf for value in curve.y]
    return replace(curve, y=y, label_at=_at_last(label, tuple(curve.x), y))


def _at_last(label: str, x: tuple[float, ...], y: list[float]) -> tuple[float, float] | None:
    """Return where the name of a curve that leaves the picture stands: right of its last point, below."""
    inside = [place for place, value in enumerate(y) if isfinite(value)]
    if not inside or len(inside) == len(y):
        return None
    last = inside[-1]
    return x[last] * 10 ** (0.3 + CHARACTER * len(label)), 0.35 * y[last]


def votes(run: Run, *, epsilon: float = sweeps.EPSILON, delta: float = sweeps.DELTA) -> Chart:
    """Return the error of a subspace against the gap, and the coarse preconditioner."""
    (n,) = multiples([sweeps.VOTE_N], _more(ApproxDP(epsilon, delta)))
    left, right = (
        run.table(
            sweep.moved({**point, "n": n, "epsilon": epsilon, "delta": delta} for point in sweep.points)
        )
        for sweep in (sweeps.VOTES, sweeps.COARSE)
    )
    note = f"n = {number(n)}, d = {sweeps.D}, ε = {epsilon:g}, δ = {number(delta)}."
    return Chart(
        "votes",
        "The wider a gap, the better blocks agree, and any gap closes at once",
        (_subspace(left, note), _coarse(right)),
        alt="Left: the error of the subspace falls in proportion to the gap. Right: the eigenvalue after"
        " the gap, over the largest one, is about one fifth after the preconditioner, whatever it was"
        " before.",
        how_to_read="Left, the smaller γ is, the better blocks agree about the long directions: the error is"
        " a third of γ over five decades. Right, this is what the coarse preconditioner needs: it shrinks"
        " those directions by γ, and no gap is left.",
    )


def _subspace(frame: pd.DataFrame, note: str) -> Panel:
    groups = measures.by(frame, "gap")
    found = {
        gap: measures.scaled(measures.median(rows["over"], LEVEL), gap)
        for gap, rows in reversed(groups.items())
    }
    gaps = tuple(reversed(sweeps.GAPS))
    return Panel(
        "One long axis: its direction", GAP, "error of the subspace, in spectral norm",
        (measured("vote of blocks", found, SUBSPACE, label_at=(2e-3, 1.5e-5)),
         Series("error = γ", gaps, gaps, role="reference", label_at=(1e-4, 1.5e-3))),
        note=note,
    )  # fmt: skip


def _coarse(frame: pd.DataFrame) -> Panel:
    groups = dict(reversed(measures.by(frame, "gap").items()))
    found = {gap: measures.median(rows["spread"], LEVEL) for gap, rows in groups.items()}
    gaps = tuple(reversed(sweeps.COARSE_GAPS))
    before = [gap**2 / sweeps.TOP for gap in gaps]
    line = Series("before", gaps, before, role="reference", label_at=(gaps[-1] * 0.25, 0.016))
    return Panel(
        "Two long axes: the gap after one step", GAP, "eigenvalue after the gap / the largest",
        (measured("after", found, UNBOUNDED, label_at=(1e-3, 0.185)), line),
        yscale="linear", ylim=(-0.012, 0.28),
        marks=(Mark(f"no gap left: 1/{sweeps.TOP:g}", "horizontal", y=1 / sweeps.TOP),
               Mark("the claim: at least 1/20", "horizontal", y=claims.COARSE)),
    )  # fmt: skip
