"""Pictures of AL22's sample sizes: against the dimension, against the spectrum, and a cliff."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import log

import pandas as pd

from workbench.bounds import al22
from workbench.chapters.any_gaussian.figures.vote import PLAIN
from workbench.chapters.any_gaussian.runs import predicted, votes
from workbench.chapters.any_gaussian.runs.votes import DELTA, EPSILON
from workbench.charts.bands import LEVEL, beside
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.parameters import brief
from workbench.charts.spectra import across, in_rows, rows_of
from workbench.estimators.parts.gaussians.populous_learner import preconditioned_rows
from workbench.estimators.spectral.subspace_exact import SubspaceExact
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.intervals import clopper_pearson
from workbench.study.measures import Measure
from workbench.study.run import Run
from workbench.study.sweeps.budgets import at_budget

FRAME, SUBSPACE = "spectral/preconditioner", "spectral/subspace-exact"
POPULOUS, UNBOUNDED = "covariance/populous", "covariance/unbounded"
DIMENSIONS = (1, 2, 5, 10)
ACCURATE, SUBSPACE_D = 0.2, 10
FRAME_D = (1, 2)
BESIDE = (-0.1, 0.1)  # where the markers of two dimensions stand in their row


def said(budget: ApproxDP) -> str:
    """Return (ε, δ) as titles write it."""
    return f"({budget.epsilon:g}, {brief(budget.delta)})"


def rows_against_d(
    run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, alpha: float = ACCURATE
) -> Chart:
    """Return planned rows of the preconditioner, and the fewest of covariances, against d."""
    budget = ApproxDP(epsilon, delta)
    tight = [predicted.frame_rows(d, budget) for d in DIMENSIONS]
    least, most = (f"{float(n):,.0f}" for n in (f"{tight[0]:.1g}", f"{tight[-1]:.2g}"))
    return Chart(
        "rows_against_d",
        f"Rows against the dimension, {said(budget)}",
        (_preconditioner_rows(budget, alpha, tight), _covariance_rows(budget, alpha)),
        alt="Left, rows for a preconditioner: the source's constants ask for billions, tight ones for"
        f" {least} to {most}, both growing with d. Right, the fewest rows of the populous covariance lie an"
        " order of magnitude above those of the unbounded one, and both above the lower bounds.",
        how_to_read="Left, dashed: the theorem with every constant 1. The gap between the two curves is"
        " constants alone: the mechanism is the same. Right, the fewest rows with which each covariance"
        " answers at all. Votes of groups have the better exponent and the larger constant: the curves"
        " would meet far outside of the picture. Grey: what the source cites of lower bounds, at"
        f" α = {f'{alpha:g}'.removeprefix('0')} and with every constant 1.",
    )


def _preconditioner_rows(budget: ApproxDP, alpha: float, tight: Sequence[int]) -> Panel:
    shape = [al22.preconditioner_shape(d, budget.epsilon, budget.delta) for d in DIMENSIONS]
    paper = [preconditioned_rows(d, budget, votes.BETA, "square") for d in DIMENSIONS]
    series = (
        Series("source's constants", DIMENSIONS, paper, colour_key=f"{FRAME}:paper"),
        Series("tight", DIMENSIONS, tight, colour_key=FRAME),
        Series("d² √ln(1/δ)/ε + d ln(1/δ)/ε", DIMENSIONS, shape, role="theory", colour_key=FRAME),
        _lower("lower bounds, without constants", ("noise", "preconditioning"), budget, alpha),
    )
    note = "Planned, for a condition of 4, β = .1. Grey: the larger of d/(αε) and ln(1/δ)/ε."
    return Panel("a preconditioner", "dimension d", "rows n", series, note=note)


def _covariance_rows(budget: ApproxDP, alpha: float) -> Panel:
    series = []
    for column, name in (("error", POPULOUS), ("unbounded", UNBOUNDED)):
        fewest = [predicted.covariance_rows(column, d, budget) for d in DIMENSIONS]
        series.append(Series(name, DIMENSIONS, fewest, colour_key=name))
    shapes: Mapping[str, Callable[[int], float]] = {POPULOUS: lambda d: d**2.0, UNBOUNDED: lambda d: d**2.5}
    for line in tuple(series):
        first = line.y[0] if isinstance(line.y, tuple) else 0.0
        shape = [first * shapes[line.colour_key](d) for d in DIMENSIONS]
        series.append(Series("", DIMENSIONS, shape, role="theory", colour_key=line.colour_key))
    series.append(_lower("", ("sampling", "noise"), budget, alpha))
    note = "Dashed: d² and d^2.5 from the first point on. Grey: the larger of d²/α² and d/(αε)."
    return Panel("a covariance", "dimension d", "rows n", tuple(series), note=note)


def _lower(label: str, parts: Iterable[str], budget: ApproxDP, alpha: float) -> Series:
    shapes = [al22.lower_shape(d, alpha, budget.epsilon, budget.delta) for d in DIMENSIONS]
    least = [max(float(getattr(shape, part)) for part in parts) for shape in shapes]
    return Series(label, DIMENSIONS, least, role="reference")


def flat(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA) -> Chart:
    """Return failures and errors of the preconditioner against the spectrum (preconditioners-found)."""
    budget = ApproxDP(epsilon, delta)
    points = [{**point, "n": predicted.frame_rows(point["d"], budget)} for point in votes.FRAMES.points]
    frame = run.table(at_budget(votes.FRAMES, budget, points))
    names = rows_of(point["spectrum"] for point in points)
    return Chart(
        "flat",
        "The spectrum does not matter",
        (_errors(run, frame, names, budget), _failures(frame, names)),
        alt="Left, the median distance of the preconditioner from the covariance is about the same for a"
        " round covariance, one of equal ratios of 9 and one of condition number 1e8, below ln 2. Right, the"
        " share of failures lies below 1 in 10 everywhere.",
        how_to_read="A distance below the line leaves a condition of at most 4, however long the ellipsoid"
        " was. Groups are compared in units of each other: a change of units changes nothing that is voted"
        " on. A search over named spectra, with a climb from the worst of them, found none in the plane that"
        " is worse than the round one.",
    )


def _errors(run: Run, frame: pd.DataFrame, names: tuple[str, ...], budget: ApproxDP) -> Panel:
    series = []
    for d, key, shift in zip(FRAME_D, "02", BESIDE, strict=True):
        groups = measures.at(frame, d=d).groupby("spectrum")
        distances = {str(name): measures.median(one["error"], LEVEL) for name, one in groups}
        distance = predicted.frame_distance(d, predicted.frame_rows(d, budget), budget)
        series.append(in_rows(f"d = {d}", distances, names, key, shift, distance))
        if not run.simulate:
            series.append(replace(across("", distance, names, key), role="theory"))
    series.append(across("what the plan allows", log(2), names, PLAIN))
    return Panel("distance from Σ", "spectrum", "median of Thompson's distance", tuple(series), "linear",
                 names=names, note="Each at its planned n; 95 % bands. Black: ln 2.")  # fmt: skip


def _failures(frame: pd.DataFrame, names: tuple[str, ...]) -> Panel:
    series = []
    for d, key, shift in zip(FRAME_D, "02", BESIDE, strict=True):
        groups = measures.at(frame, d=d).groupby("spectrum")
        failed = {str(name): one["error"] > log(2) for name, one in groups}
        shares = {name: share(int(one.sum()), len(one)) for name, one in failed.items()}
        series.append(in_rows(f"d = {d}", shares, names, key, shift))
    series.append(across("", votes.BETA, names, PLAIN))
    return Panel(
        "failures", "spectrum", "share of runs", tuple(series), "linear", "linear", names=names,
        note="Runs that leave more than a condition of 4. Black: β = .1.", ylim=(-0.01, 0.25),
    )  # fmt: skip


def share(count: int, trials: int) -> Measure:
    """Return a share of trials with its interval."""
    return Measure(count / trials, clopper_pearson(count, trials, LEVEL), trials)


def subspace_cliff(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, d: int = SUBSPACE_D) -> Chart:
    """Return how often the subspace is found, against the share of the planned rows (subspaces-exact)."""
    budget = ApproxDP(epsilon, delta)
    frame, grid = run.table(at_budget(votes.SUBSPACES, budget)), votes.SUBSPACES.points
    chances = {one: predicted.found(one, budget) for one in sorted({point["share"] for point in grid})}
    series: list[Series] = []
    for here, key in zip(sorted({point["d"] for point in grid}), "0134", strict=True):
        rows = measures.by(measures.at(frame, d=here), "share")
        found = {s: one["error"] <= votes.ACROSS for s, one in rows.items()}
        shares = {s: share(int(one.sum()), len(one)) for s, one in found.items()}
        series += beside(run, f"d = {here}", shares, chances, key)
    panel = Panel(
        "found", "rows over the planned number", "share of runs", tuple(series), "linear", "linear",
        note=f"Subspaces of half the dimension, {said(budget)}.", ylim=(-0.05, 1.05),
    )  # fmt: skip
    return Chart(
        "subspace_cliff",
        "A subspace is found exactly or not at all",
        (panel, _subspace_rows(epsilon, delta, d)),
        alt="Left, with half the planned rows the subspace is found in 2 of 100 runs at most, with eight"
        " tenths of them in 9 of 10, with all of them almost surely, for every d. Right, planned rows"
        " against δ: proportional to d ln(1/δ), the source's constants some 15 times as many.",
        how_to_read="All groups of d rows span the same subspace and give it the same name. With k groups"
        " the name leads by k, and noise of scale 1/ε hides a lead below about 2 ln(1/δ)/ε: that is the"
        " cliff. There is no error that falls with n; the answer is right up to a grid of 1e-5, or missing.",
    )


def _subspace_rows(epsilon: float, delta: float, d: int) -> Panel:
    usual = (1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10)
    deltas = [one for at in usual if (one := float(f"{delta / DELTA * at:.6g}")) < 0.5]
    paper, tight = SubspaceExact(centred=True, calibration="paper"), SubspaceExact(centred=True)
    lines = [
        Series(label, deltas, [one.fewest(d, ApproxDP(epsilon, delta)) for delta in deltas], colour_key=key)
        for label, one, key in (
            ("source's constants", paper, f"{SUBSPACE}:paper"),
            ("tight", tight, SUBSPACE),
        )
    ]
    shape = [al22.subspace_shape(d, epsilon, delta) for delta in deltas]
    lines.append(Series("d ln(1/δ)/ε", deltas, shape, role="theory", colour_key=SUBSPACE))
    return Panel(f"rows, d = {d}", "δ", "rows n", tuple(lines), note="Planned.")
