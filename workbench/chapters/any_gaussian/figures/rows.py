"""Pictures of AL22's sample sizes: against the dimension, against the spectrum, and a cliff."""

from collections.abc import Iterable
from dataclasses import replace
from math import log, log10

import numpy as np
import pandas as pd

from workbench.bounds import al22
from workbench.chapters.any_gaussian.runs import predicted, votes
from workbench.chapters.any_gaussian.runs.votes import DELTA, EPSILON
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.methods import name
from workbench.charts.spectra import across, in_rows, rows_of, spelled
from workbench.charts.words import number
from workbench.estimators.populous import preconditioned_rows
from workbench.estimators.subspaces import SubspaceExact
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.intervals import clopper_pearson
from workbench.study.measures import Measure
from workbench.study.run import Run
from workbench.study.sweeps import at_budget

FRAME, SUBSPACE = "spectral/preconditioner", "spectral/subspace-exact"
POPULOUS, UNBOUNDED = "covariance/populous", "covariance/unbounded"
DIMENSIONS = (1, 2, 5, 10)
ACCURATE, SUBSPACE_D = 0.2, 10
GUIDED = 4  # the d at which the exponents of the theorems are named
FRAME_D = (1, 2)
POWERS = {POPULOUS: (2.0, "$d^2$"), UNBOUNDED: (2.5, "$d^{5/2}$")}
BESIDE = (-0.1, 0.1)  # where the markers of two dimensions stand in their row
ROWS = "rows n"


def said(budget: ApproxDP) -> str:
    """Return (ε, δ) as titles write it."""
    return f"ε = {budget.epsilon:g}, δ = {number(budget.delta)}"


def rows_against_d(
    run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, alpha: float = ACCURATE
) -> Chart:
    """Return planned rows of the preconditioner against d."""
    budget = ApproxDP(epsilon, delta)
    tight = [predicted.frame_rows(d, budget) for d in DIMENSIONS]
    least, most = (number(float(f"{tight[0]:.1g}")), number(float(f"{tight[-1]:.2g}")))
    shape = [al22.preconditioner_shape(d, epsilon, delta) for d in DIMENSIONS]
    paper = [preconditioned_rows(d, budget, votes.BETA, "square") for d in DIMENSIONS]
    series = (
        Series("paper's constants", DIMENSIONS, paper, colour_key=f"{FRAME}:paper"),
        Series("our constants", DIMENSIONS, tight, colour_key=FRAME),
        Series("the theorem, constants 1", DIMENSIONS, shape, role="reference"),
        _lower("no method can do with fewer (constants 1)", ("noise", "preconditioning"), budget, alpha),
    )
    times = number(float(f"{paper[1] / tight[1]:.1g}"))
    mark = Mark(
        f"{times} times fewer rows, the same guarantee", "arrow", 2, paper[1] * 0.75, 2, tight[1] * 1.35
    )
    title = f"Planned rows that leave a condition of 4, {said(budget)}"
    return Chart(
        "rows_against_d",
        "Constants, not exponents, make the difference",
        (Panel(title, "dimension d", ROWS, series, marks=(mark,)),),
        alt="Rows for a preconditioner: the source's constants ask for billions, tight ones for"
        f" {least} to {most}, both growing with d.",
        how_to_read="All lines grow about alike; the gap between the two upper ones is constants alone, as"
        " the mechanism is the same. Below: the theorem and the lower bound that the source cites, both with"
        " every constant 1.",
    )


def rows_of_covariances(
    run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, alpha: float = ACCURATE
) -> Chart:
    """Return the fewest rows of two covariances against d."""
    budget, series, last = ApproxDP(epsilon, delta), list[Series](), list[float]()
    for column, key in (("error", POPULOUS), ("unbounded", UNBOUNDED)):
        fewest = [predicted.covariance_rows(column, d, budget) for d in DIMENSIONS]
        power, law = POWERS[key]
        series += [
            Series(name(key), DIMENSIONS, fewest, colour_key=key),
            Series(
                f"as {law}",
                DIMENSIONS,
                [fewest[0] * d**power for d in DIMENSIONS],
                role="reference",
                label_at=(GUIDED, 1.8 * fewest[0] * GUIDED**power),
            ),
        ]
        last.append(fewest[-1])
    series.append(_lower("no method can do with fewer (constants 1)", ("sampling", "noise"), budget, alpha))
    times, d = round(last[0] / last[1]), DIMENSIONS[-1]
    apart = Mark("", "arrow", x=d, y=last[1], x2=d, y2=last[0])
    words = Mark(f"{times} times", x=0.82 * d, y=1.6 * last[1], colour_key="idea/total")
    title = f"Fewest rows that are answered, {said(budget)}"
    return Chart(
        "rows_of_covariances",
        f"At d = {d}, votes of groups need {times} times the rows",
        (Panel(title, "dimension d", ROWS, tuple(series), marks=(apart, words)),),
        alt="The fewest rows of the populous covariance lie an order of magnitude above those of the"
        " unbounded one, and both above the lower bounds.",
        how_to_read="With fewer rows a covariance does not answer at all. Thin lines: the exponents of the"
        f" theorems, from the first point on. The curves would meet far outside the picture. Below: lower"
        f" bounds at α = {number(alpha)}.",
    )


def _lower(label: str, parts: Iterable[str], budget: ApproxDP, alpha: float) -> Series:
    shapes = [al22.lower_shape(d, alpha, budget.epsilon, budget.delta) for d in DIMENSIONS]
    least = [max(float(getattr(shape, part)) for part in parts) for shape in shapes]
    return Series(label, DIMENSIONS, least, role="bound", colour_key="idea/limit")


def flat(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA) -> Chart:
    """Return errors of the preconditioner against the spectrum (preconditioners-found)."""
    budget = ApproxDP(epsilon, delta)
    points = [{**point, "n": predicted.frame_rows(point["d"], budget)} for point in votes.FRAMES.points]
    frame = run.table(at_budget(votes.FRAMES, budget, points))
    names = rows_of(point["spectrum"] for point in points)
    failed, runs = int((frame["error"] > log(2)).sum()), len(frame)
    note = f"The plan's promise failed in {number(failed)} of {number(runs)} runs." * (runs > 0)
    return Chart(
        "flat",
        "However long the ellipsoid, the error of the preconditioner is the same",
        (_distances(run, frame, names, budget, note),),
        alt="The median distance of the preconditioner from the covariance is about the same for a"
        " round covariance, one of equal ratios of 9 and one of condition number 10⁸, below ln 2.",
        how_to_read="Each at its planned n. A distance below ln 2 leaves a condition of at most 4. A change"
        " of units changes nothing that is voted on. A search over named spectra found none in the plane"
        " that is worse than the round one.",
    )


def _distances(run: Run, frame: pd.DataFrame, names: tuple[str, ...], budget: ApproxDP, note: str) -> Panel:
    series = []
    for place, (d, shift) in enumerate(zip(FRAME_D, BESIDE, strict=True)):
        groups = measures.at(frame, d=d).groupby("spectrum")
        distances = {str(one): measures.median(rows["error"], LEVEL) for one, rows in groups}
        distance = predicted.frame_distance(d, predicted.frame_rows(d, budget), budget)
        shown = in_rows(f"d = {d}", distances, names, FRAME, shift, distance)
        series.append(replace(shown, rank=float(place)))
        if not run.simulate:
            series.append(replace(across("", distance, names, FRAME), role="theory", rank=float(place)))
    mark = Mark("the plan allows ln 2", "vertical", x=log(2), y=2.0)
    return Panel(
        f"Median distance from Σ, {said(budget)}", "spectrum", "distance (Thompson): 0.1 is a factor of 1.1",
        tuple(series), "linear", "linear", names=spelled(names), note=note, ylim=(0.0, 0.9), marks=(mark,),
    )  # fmt: skip


def share(count: int, trials: int) -> Measure:
    """Return a share of trials with its interval."""
    return Measure(count / trials, clopper_pearson(count, trials, LEVEL), trials)


def subspace_cliff(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA) -> Chart:
    """Return how often the subspace is found, against the share of the planned rows (subspaces-exact)."""
    budget = ApproxDP(epsilon, delta)
    frame, points = run.table(at_budget(votes.SUBSPACES, budget)), votes.SUBSPACES.points
    chances = {one: predicted.found(one, budget) for one in sorted({point["share"] for point in points})}
    ds, series = sorted({point["d"] for point in points}), []
    for place, here in enumerate(ds):
        rows = measures.by(measures.at(frame, d=here), "share")
        found = {s: one["error"] <= votes.ACROSS for s, one in rows.items()}
        shares = {s: share(int(one.sum()), len(one)) for s, one in found.items()}
        rank = place / (len(ds) - 1)
        series.append(measured("", shares, SUBSPACE, [chances[s] for s in shares], rank=rank, joined=False))
    fine = [float(one) for one in np.linspace(min(chances), max(chances), 33)]
    curve = [predicted.found(one, budget) for one in fine]
    series.append(Series("", fine, curve, role="theory", colour_key=SUBSPACE))
    marks = (
        Mark("no answer", x=0.38, y=0.2),
        Mark("exact answer", x=0.92, y=0.8),
        Mark(f"d = {', '.join(map(str, ds))} fall together", x=0.56, y=0.56, colour_key=SUBSPACE),
    )
    panel = Panel(
        f"Subspaces of half the dimension, {said(budget)}", "rows over the planned number",
        "share of runs that find it", tuple(series), "linear", "linear", ylim=(-0.05, 1.05), marks=marks,
    )  # fmt: skip
    return Chart(
        "subspace_cliff",
        "A subspace is found exactly or not at all",
        (panel,),
        alt="With half the planned rows the subspace is found in 2 of 100 runs at most, with eight"
        " tenths of them in 9 of 10, with all of them almost surely, for every d.",
        how_to_read="All groups of d rows give the same subspace the same name, which leads by all k groups;"
        " noise hides a lead below about 2 ln(1/δ)/ε. There is no error that falls with n: the answer is"
        " right up to a grid, or missing.",
    )


def subspace_rows(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, d: int = SUBSPACE_D) -> Chart:
    """Return the planned rows of a subspace against δ."""
    usual = (1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10)
    deltas = [one for at in usual if (one := float(f"{delta / DELTA * at:.6g}")) < 0.5]
    paper, tight = SubspaceExact(centred=True, calibration="paper"), SubspaceExact(centred=True)
    lines = [
        Series(label, deltas, [one.fewest(d, ApproxDP(epsilon, at)) for at in deltas], colour_key=key)
        for label, one, key in (
            ("paper's constants", paper, f"{SUBSPACE}:paper"),
            ("our constants", tight, SUBSPACE),
        )
    ]
    shape = [al22.subspace_shape(d, epsilon, at) for at in deltas]
    rows = tuple(lines[-1].y)
    times, powers = rows[-1] / rows[0], round(log10(deltas[0] / deltas[-1]))
    lines.append(Series("d ln(1/δ)/ε", deltas, shape, role="reference"))
    return Chart(
        "subspace_rows",
        f"A δ smaller by {powers} powers of ten costs {number(times, 2)} times the rows",
        (Panel(f"Planned rows, d = {d}, ε = {epsilon:g}", "δ", ROWS, tuple(lines)),),
        alt="Planned rows against δ: proportional to d ln(1/δ), the source's constants some 15 times as"
        " many.",
        how_to_read="Public numbers, nothing is random. δ falls to the left by seven powers of ten, and the"
        " rows grow threefold. The gap between the upper two lines is constants alone.",
    )
