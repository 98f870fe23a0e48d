"""Pictures of what votes of groups learn: whole laws, covariances beside another learner, under attack."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from workbench.bounds.corruption import scale_limit, unit
from workbench.chapters.any_gaussian.claims import oracles
from workbench.chapters.any_gaussian.figures.rows import POPULOUS, UNBOUNDED
from workbench.chapters.any_gaussian.figures.vote import PLAIN
from workbench.chapters.any_gaussian.runs import attacks, predicted, votes
from workbench.chapters.any_gaussian.runs import laws as sweeps
from workbench.chapters.any_gaussian.runs.votes import DELTA, EPSILON
from workbench.charts.bands import ERROR, LEVEL, beside, measured
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.methods import name
from workbench.charts.words import number
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.run import Run
from workbench.study.sweeps import at_budget

FILTERS = {
    "plain": ("plain second moment", "covariance/empirical"),
    "paper": ("paper's filter", "covariance/filter-nonprivate:paper"),
    "error": ("tail filter", "covariance/filter-nonprivate"),
}
LENGTHS = {1.0: "1", 1e8: number(1e8)}
SIDEWAYS = 0.05  # the ξ of the panel of attacks
BESIDE = {"plain": 0.22, "paper": 0.0, "error": -0.22}  # where a marker stands in its row
GLOSSES = {
    "planted": "rows put at ±3σ",
    "zeros": "rows put at 0",
    "far": "rows put 10σ away",
    "top-to-zero": "largest moved to 0",
    "small-to-quantile": "smallest moved into the tail",
    "ring": "rows put on a circle",
    "tail-to-bulk": "largest moved to the middle",
    "flipped": "signs flipped",
    "shoulder": "smallest moved beyond 1.8σ",
    "crossed": "largest moved across, to ±3σ",
}
ASIDE = (-0.12, 0.12)  # where the markers of two learners stand
LAW, ASKED = "gaussian/populous", 0.2


def whole_law(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA) -> Chart:
    """Return total variation of learned laws against n (laws-learned)."""
    budget = ApproxDP(epsilon, delta)
    points = [
        {"d": d, "kind": "full", "n": n}
        for d in sweeps.DIMENSIONS
        for n in sweeps.law_sizes(predicted.law_rows(d, budget))
    ]
    frame = run.table(at_budget(sweeps.LAW_SIZES, budget, points))
    most = max(max(_foreseen(d, budget).values()) for d in sweeps.DIMENSIONS)
    first = "one or two hundredths" if (epsilon, delta) == (EPSILON, DELTA) else f"{most:.1g}"
    return Chart(
        "whole_law",
        "As soon as there is an answer, the whole law is accurate",
        (_errors(run, frame, budget),),
        alt=f"The total variation starts at about {first} at the fewest rows and falls with n, for d = 1, 2,"
        " 3. To the left of where a curve begins there is no answer.",
        how_to_read="Each curve begins at the fewest rows that are answered, and there the error is small"
        " already: votes need many groups, and once there are so many, the rows suffice for much more than an"
        " error of 0.2.",
    )


def _by_n(frame: pd.DataFrame, d: float) -> Mapping[float, pd.DataFrame]:
    return measures.by(measures.at(frame, d=d), "n")


def _foreseen(d: int, budget: ApproxDP) -> dict[float, float]:
    """Return the predicted errors by n."""
    return {n: predicted.law_error(d, n, budget) for n in sweeps.law_sizes(predicted.law_rows(d, budget))}


def _errors(run: Run, frame: pd.DataFrame, budget: ApproxDP) -> Panel:
    series: list[Series] = []
    last = len(sweeps.DIMENSIONS) - 1
    for place, d in enumerate(sweeps.DIMENSIONS):
        found = {n: measures.median(one["error"], LEVEL) for n, one in _by_n(frame, d).items()}
        rank, foreseen = place / last, _foreseen(d, budget)
        named = "" if run.simulate else f"d = {d}"
        first = next(((1.22 * n, 1.4 * one.estimate) for n, one in found.items()), None)
        expected = [foreseen[n] for n in found]
        series.append(measured(f"d = {d}", found, LAW, expected, rank=rank, label_at=first))
        series.append(Series(named, foreseen, foreseen.values(), role="theory", colour_key=LAW, rank=rank))
    fewest = min(_foreseen(sweeps.DIMENSIONS[0], budget))
    most = max(one for series_ in series for one in series_.x)
    marks = (
        Mark("no answer (d = 1)", "span", x=fewest / 10, x2=fewest, y=0.03),
        Mark("what one might have asked for: 0.2", "horizontal", x=3.3 * fewest, y=ASKED),
    )
    title = f"Mean and covariance at once, ε = {budget.epsilon:g}, δ = {number(budget.delta)}"
    return Panel(title, "rows n", "total variation, at most", tuple(series), marks=marks,
                 xlim=(fewest / 2.5, 1.15 * most), ylim=(1e-3, 1.0))  # fmt: skip


def two_learners(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA) -> Chart:
    """Return errors of both covariances on the same rows, at equal (ε, δ) (covariances-learned)."""
    budget = ApproxDP(epsilon, delta)
    points = [{**one, "n": predicted.law_rows(one["d"], budget)} for one in votes.COVARIANCES.points]
    frame = run.table(at_budget(votes.COVARIANCES, budget, points))
    panels = tuple(
        _both(run, measures.at(frame, condition=size), name, budget) for size, name in LENGTHS.items()
    )
    return Chart(
        "two_learners",
        "On the same rows, votes of blocks are two to five times as accurate",
        panels,
        alt="Errors of the populous and of the unbounded covariance at d = 1, 2, 3, for condition numbers 1"
        " and 10⁸: both below 5 hundredths, the unbounded one half as large or less, neither changed by the"
        " condition number.",
        how_to_read=f"Every row has the fewest rows of data that votes of groups take, at ε = {epsilon:g}, δ"
        f" = {number(delta)}. Both finish with the same step in their frame; blocks spend fewer rows on"
        " finding it.",
    )


def _both(run: Run, frame: pd.DataFrame, condition: str, budget: ApproxDP) -> Panel:
    rows = {d: predicted.law_rows(d, budget) for d in sweeps.DIMENSIONS}
    groups, series = measures.by(frame, "d"), list[Series]()
    for (column, key), shift in zip((("error", POPULOUS), ("unbounded", UNBOUNDED)), ASIDE, strict=True):
        places = {d: place + shift for place, d in enumerate(rows, 1)}
        found = {places[int(d)]: measures.median(one[column], LEVEL) for d, one in groups.items()}
        expected = {places[d]: predicted.covariance_error(column, d, n, budget) for d, n in rows.items()}
        series += beside(run, name(key), found, expected, key)
    names = tuple(f"d = {d}, n = {number(n)}" for d, n in rows.items())
    return Panel(f"Condition number {condition}", "setting", f"median {ERROR}", tuple(series), names=names,
                 ylim=(1e-3, 0.2))  # fmt: skip


def attacked(run: Run, *, corruption: float = SIDEWAYS) -> Chart:
    """Return errors of filters under the worst attack, beside what none can do (oracles-within-unit)."""
    frame, shares = _oracles(run, corruption)
    return Chart(
        "attacked",
        "Under the worst of ten attacks the tail filter stays near the limit",
        (_worst(frame, shares),),
        alt="The worst of ten attacks against the share of corrupted rows: the tail filter"
        " stays within twice the limit, the source's filter within three times, the plain moment is far"
        " off.",
        how_to_read="Grey region: two laws that far apart look the same when a share ξ of the rows is"
        " changed, so no estimator errs less under every attack. Each marker is the median error under the"
        " attack that hurts its estimator most.",
    )


def ten_attacks(run: Run, *, corruption: float = SIDEWAYS) -> Chart:
    """Return errors of filters under each attack, the mildest for the tail filter first."""
    frame, _ = _oracles(run, corruption)
    return Chart(
        "ten_attacks",
        "Rows put far away are filtered out; rows moved a little are not",
        (_attacks(measures.at(frame, corruption=corruption), corruption),),
        alt="Errors of three estimators under ten attacks, from the mildest for the tail filter to the worst:"
        " it is nowhere much worse than the others, and the plain second moment leaves the picture where rows"
        " are planted far away.",
        how_to_read="Unit: ξ ln(1/ξ). Left of the line an estimate is better than the worst case allows,"
        " since a given attack need not be the worst. Triangles: beyond the edge.",
    )


def _oracles(run: Run, corruption: float) -> tuple[pd.DataFrame, list[float]]:
    """Return the runs under every attack, and the shares of the rows."""
    shares = [float(f"{corruption * xi / SIDEWAYS:.6g}") for xi in attacks.CORRUPTIONS]
    return run.table(sweeps.ORACLES.moved(sweeps.oracle_points(shares))), shares


def _attacks(frame: pd.DataFrame, corruption: float) -> Panel:
    medians = frame.groupby("attack")[list(FILTERS)].median()
    order = [str(one) for one in medians["error"].sort_values().index] or list(sweeps.SHOWN)
    places, series = np.arange(1, len(medians) + 1), []
    for column, (label, key) in FILTERS.items():
        middle = medians[column].reindex(order[: len(medians)])
        series.append(Series(label, places + BESIDE[column], middle, colour_key=key))
    limit = oracles.limits(corruption)[0]
    mark = Mark("limit in the worst case", "vertical", x=limit, y=0.6, colour_key=PLAIN)
    return Panel(f"Ten attacks on ξ = {number(corruption)} of the rows, d = {sweeps.D}", "attack",
                 "median error over ξ ln(1/ξ)", tuple(series), "linear", marks=(mark,),
                 names=tuple(GLOSSES[one] for one in order), ylim=(0.1, 10.0))  # fmt: skip


def _worst(frame: pd.DataFrame, shares: list[float]) -> Panel:
    groups, series = measures.by(frame, "corruption"), []
    for column, (label, key) in FILTERS.items():
        worst = [
            float(rows.groupby("attack")[column].median().max()) * unit(xi) for xi, rows in groups.items()
        ]
        series.append(Series(label, groups, worst, colour_key=key))
    limits = [scale_limit(xi) for xi in shares]
    series.append(Series("", shares, limits, role="bound", colour_key="idea/limit"))
    mark = Mark("no estimator errs less under every attack", x=shares[1] * 1.25, y=0.45 * limits[1])
    title = f"Median error under the worst of ten attacks, d = {sweeps.D}"
    return Panel(title, "share ξ of corrupted rows", ERROR, tuple(series), marks=(mark,))
