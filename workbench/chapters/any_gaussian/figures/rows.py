"""Pictures of AL22's sample sizes: against the dimension, against the spectrum, and a cliff."""

from collections.abc import Callable, Iterable, Mapping
from math import log

import pandas as pd

from workbench.bounds import al22
from workbench.chapters.any_gaussian.figures.vote import PLAIN
from workbench.chapters.any_gaussian.runs import votes
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.spectra import across, in_rows, rows_of
from workbench.estimators.covariance.populous import PopulousCovariance
from workbench.estimators.covariance.unbounded import UnboundedCovariance
from workbench.estimators.parts.gaussians.populous_learner import preconditioned_rows
from workbench.estimators.spectral.subspace_exact import SubspaceExact
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.intervals import clopper_pearson
from workbench.study.least_rows import fewest_rows
from workbench.study.measures import Measure
from workbench.study.sweeps.sweep import run

FRAME, SUBSPACE = "spectral/preconditioner", "spectral/subspace-exact"
POPULOUS, UNBOUNDED = "covariance/populous", "covariance/unbounded"
DIMENSIONS = (1, 2, 5, 10)
EPSILON, DELTA = votes.BUDGET.epsilon, votes.BUDGET.delta
ACCURATE = 0.2
BESIDE = (-0.1, 0.1)  # where the markers of two dimensions stand in their row


def rows_against_d(profile: str, seed: int) -> Chart:
    """Return planned rows of the preconditioner, and the fewest of covariances, against d."""
    return Chart(
        "rows_against_d",
        "Rows against the dimension, (1, 1e-6)",
        (_preconditioner_rows(), _covariance_rows()),
        alt="Left, rows for a preconditioner: the source's constants ask for billions, tight ones for 5,000"
        " to 180,000, both growing with d. Right, the fewest rows of the populous covariance lie an order"
        " of magnitude above those of the unbounded one, and both above the lower bounds.",
        how_to_read="Left, dashed: the theorem with every constant 1. The gap between the two curves is"
        " constants alone: the mechanism is the same. Right, the fewest rows with which each covariance"
        " answers at all. Votes of groups have the better exponent and the larger constant: the curves"
        " would meet far outside of the picture. Grey: what the source cites of lower bounds, at α = .2"
        " and with every constant 1.",
    )


def _preconditioner_rows() -> Panel:
    shape = [al22.preconditioner_shape(d, EPSILON, DELTA) for d in DIMENSIONS]
    paper = [preconditioned_rows(d, votes.BUDGET, votes.BETA, "square") for d in DIMENSIONS]
    tight = [votes.FRAME_ROWS[d] for d in DIMENSIONS]
    series = (
        Series("source's constants", DIMENSIONS, paper, colour_key=f"{FRAME}:paper"),
        Series("tight", DIMENSIONS, tight, colour_key=FRAME),
        Series("d² √ln(1/δ)/ε + d ln(1/δ)/ε", DIMENSIONS, shape, role="theory", colour_key=FRAME),
        _lower("lower bounds, without constants", ("noise", "preconditioning")),
    )
    note = "Planned, for a condition of 4, β = .1. Grey: the larger of d/(αε) and ln(1/δ)/ε."
    return Panel("a preconditioner", "dimension d", "rows n", series, note=note)


def _covariance_rows() -> Panel:
    series = [
        Series(name, DIMENSIONS, [fewest_rows(one, d, votes.BUDGET) for d in DIMENSIONS], colour_key=name)
        for name, one in ((POPULOUS, PopulousCovariance()), (UNBOUNDED, UnboundedCovariance()))
    ]
    shapes: Mapping[str, Callable[[int], float]] = {POPULOUS: lambda d: d**2.0, UNBOUNDED: lambda d: d**2.5}
    for line in tuple(series):
        first = line.y[0] if isinstance(line.y, tuple) else 0.0
        shape = [first * shapes[line.colour_key](d) for d in DIMENSIONS]
        series.append(Series("", DIMENSIONS, shape, role="theory", colour_key=line.colour_key))
    series.append(_lower("", ("sampling", "noise")))
    note = "Dashed: d² and d^2.5 from the first point on. Grey: the larger of d²/α² and d/(αε)."
    return Panel("a covariance", "dimension d", "rows n", tuple(series), note=note)


def _lower(label: str, parts: Iterable[str]) -> Series:
    shapes = [al22.lower_shape(d, ACCURATE, EPSILON, DELTA) for d in DIMENSIONS]
    least = [max(float(getattr(shape, part)) for part in parts) for shape in shapes]
    return Series(label, DIMENSIONS, least, role="reference")


def flat(profile: str, seed: int) -> Chart:
    """Return failures and errors of the preconditioner against the spectrum (preconditioners-found)."""
    frame = run(votes.FRAMES, profile, seed=seed)
    names = rows_of(frame["spectrum"])
    return Chart(
        "flat",
        "The spectrum does not matter",
        (_errors(frame, names), _failures(frame, names)),
        alt="Left, the median distance of the preconditioner from the covariance is about the same for a"
        " round covariance, one of equal ratios of 9 and one of condition number 1e8, below ln 2. Right, the"
        " share of failures lies below 1 in 10 everywhere.",
        how_to_read="A distance below the line leaves a condition of at most 4, however long the ellipsoid"
        " was. Groups are compared in units of each other: a change of units changes nothing that is voted"
        " on. A search over named spectra, with a climb from the worst of them, found none in the plane that"
        " is worse than the round one.",
    )


def _errors(frame: pd.DataFrame, names: tuple[str, ...]) -> Panel:
    series = [
        in_rows(
            f"d = {d:g}",
            {str(name): measures.median(one["error"], LEVEL) for name, one in rows.groupby("spectrum")},
            names, key, shift,
        )
        for (d, rows), key, shift in zip(measures.by(frame, "d").items(), "02", BESIDE, strict=True)
    ]  # fmt: skip
    series.append(across("what the plan allows", log(2), names, PLAIN))
    return Panel("distance from Σ", "spectrum", "median of Thompson's distance", tuple(series), "linear",
                 names=names, note="Each at its planned n; 95 % bands. Black: ln 2.")  # fmt: skip


def _failures(frame: pd.DataFrame, names: tuple[str, ...]) -> Panel:
    series = []
    for (d, rows), key, shift in zip(measures.by(frame, "d").items(), "02", BESIDE, strict=True):
        failed = {str(name): one["error"] > log(2) for name, one in rows.groupby("spectrum")}
        shares = {name: share(int(one.sum()), len(one)) for name, one in failed.items()}
        series.append(in_rows(f"d = {d:g}", shares, names, key, shift))
    series.append(across("", votes.BETA, names, PLAIN))
    return Panel(
        "failures", "spectrum", "share of runs", tuple(series), "linear", "linear", names=names,
        note="Runs that leave more than a condition of 4. Black: β = .1.", ylim=(-0.01, 0.25),
    )  # fmt: skip


def share(count: int, trials: int) -> Measure:
    """Return a share of trials with its interval."""
    return Measure(count / trials, clopper_pearson(count, trials, LEVEL), trials)


def subspace_cliff(profile: str, seed: int) -> Chart:
    """Return how often the subspace is found, against the share of the planned rows (subspaces-exact)."""
    frame = run(votes.SUBSPACES, profile, seed=seed)
    series = []
    for (d, rows), key in zip(measures.by(frame, "d").items(), "0134", strict=True):
        found = {s: one["error"] <= votes.ACROSS for s, one in measures.by(rows, "share").items()}
        series.append(
            measured(f"d = {d:g}", {s: share(int(one.sum()), len(one)) for s, one in found.items()}, key)
        )
    panel = Panel(
        "found", "rows over the planned number", "share of runs", tuple(series), "linear", "linear",
        note="Subspaces of half the dimension, (1, 1e-6).", ylim=(-0.05, 1.05),
    )  # fmt: skip
    return Chart(
        "subspace_cliff",
        "A subspace is found exactly or not at all",
        (panel, _subspace_rows()),
        alt="Left, with half the planned rows the subspace is found in 2 of 100 runs at most, with eight"
        " tenths of them in 9 of 10, with all of them almost surely, for every d. Right, planned rows"
        " against δ: proportional to d ln(1/δ), the source's constants some 15 times as many.",
        how_to_read="All groups of d rows span the same subspace and give it the same name. With k groups"
        " the name leads by k, and noise of scale 1/ε hides a lead below about 2 ln(1/δ)/ε: that is the"
        " cliff. There is no error that falls with n; the answer is right up to a grid of 1e-5, or missing.",
    )


def _subspace_rows() -> Panel:
    deltas = (1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10)
    paper, tight = SubspaceExact(centred=True, calibration="paper"), SubspaceExact(centred=True)
    lines = [
        Series(label, deltas, [one.fewest(10, ApproxDP(EPSILON, delta)) for delta in deltas], colour_key=key)
        for label, one, key in (
            ("source's constants", paper, f"{SUBSPACE}:paper"),
            ("tight", tight, SUBSPACE),
        )
    ]
    shape = [al22.subspace_shape(10, EPSILON, delta) for delta in deltas]
    lines.append(Series("d ln(1/δ)/ε", deltas, shape, role="theory", colour_key=SUBSPACE))
    return Panel("rows, d = 10", "δ", "rows n", tuple(lines), note="Planned.")
