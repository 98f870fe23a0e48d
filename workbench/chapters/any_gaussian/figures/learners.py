"""Pictures of what votes of groups learn: whole laws, covariances beside another learner, under attack."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from workbench.bounds import al22
from workbench.bounds.corruption import scale_limit, unit
from workbench.chapters.any_gaussian.claims import oracles
from workbench.chapters.any_gaussian.figures.rows import POPULOUS, UNBOUNDED, said
from workbench.chapters.any_gaussian.figures.vote import PLAIN
from workbench.chapters.any_gaussian.runs import attacks, predicted, votes
from workbench.chapters.any_gaussian.runs import laws as sweeps
from workbench.chapters.any_gaussian.runs.votes import DELTA, EPSILON
from workbench.charts.bands import ERROR, LEVEL, beside
from workbench.charts.chart import Chart, Panel, Role, Series
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.run import Run
from workbench.study.sweeps.budgets import at_budget

ROBUST = "covariance/populous-robust"
FILTERS = {
    "plain": ("second moment", "covariance/empirical"),
    "paper": ("source's filter", "covariance/filter-nonprivate:paper"),
    "error": ("tail filter", "covariance/filter-nonprivate"),
}
LENGTHS = {1.0: "1", 1e8: "10⁸"}
SIDEWAYS = 0.05  # the ξ of the panel of attacks
BESIDE = {"plain": 0.22, "paper": 0.0, "error": -0.22}  # where a marker stands in its row


def whole_law(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA) -> Chart:
    """Return total variation of learned laws against n, and n against α with the theorem (laws-learned)."""
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
        f"Any Gaussian: mean and covariance at once, {said(budget)}",
        (_errors(run, frame, budget), _rows_for(frame, budget)),
        alt=f"Left, the total variation starts at about {first} at the fewest rows and falls"
        " with n, for d = 1, 2, 3. Right, rows against the error they reach: flat, and far above the"
        f" theorem's shape, for errors above {first}, and close to it below.",
        how_to_read="Left, each curve begins at the fewest rows that are answered, and there the error is"
        " small already: votes need many groups, and once there are so many, the rows suffice for much more"
        " than α = .2. Right, the same read the other way round. Dashed: the theorem with every constant 1."
        " Grey: 1/α², about what it takes without privacy.",
    )


def _by_n(frame: pd.DataFrame, d: float) -> Mapping[float, pd.DataFrame]:
    return measures.by(measures.at(frame, d=d), "n")


def _foreseen(d: int, budget: ApproxDP) -> dict[float, float]:
    """Return the predicted errors by n."""
    return {n: predicted.law_error(d, n, budget) for n in sweeps.law_sizes(predicted.law_rows(d, budget))}


def _errors(run: Run, frame: pd.DataFrame, budget: ApproxDP) -> Panel:
    series: list[Series] = []
    for d in sweeps.DIMENSIONS:
        found = {n: measures.median(one["error"], LEVEL) for n, one in _by_n(frame, d).items()}
        series += beside(run, f"d = {d}", found, _foreseen(d, budget), str(d - 1))
    return Panel("error", "rows n", "total variation, at most", tuple(series), note="Medians, 95 % bands.")


def _rows_for(frame: pd.DataFrame, budget: ApproxDP) -> Panel:
    series, cost = [], (budget.epsilon, budget.delta)
    for d in sweeps.DIMENSIONS:
        groups = _by_n(frame, d)
        reached = {n: float(np.quantile(one["error"], 1 - votes.BETA)) for n, one in groups.items()}
        reached = reached or _foreseen(d, budget)
        order = np.argsort(list(reached.values()))
        alphas, sizes = (np.array(list(one))[order] for one in (reached.values(), reached))
        alphas, sizes = np.append(alphas, 0.5), np.append(sizes, min(reached))
        role: Role = "estimate" if groups else "theory"
        series.append(Series(f"d = {d}", alphas, sizes, role=role, colour_key=str(d - 1)))
        grid = np.geomspace(alphas[0], 0.5, 9)
        shapes = [al22.gaussian_shape(d, alpha, *cost).total for alpha in grid]
        label = "Theorem 5.7" if d == 1 else ""
        series.append(Series(label, grid, shapes, role="theory", colour_key=str(d - 1)))
    lowest = np.geomspace(min(series[0].x), 0.5, 9)
    plain = [al22.lower_shape(1, alpha, *cost).sampling for alpha in lowest]
    series.append(Series("1/α²: d = 1, without privacy", lowest, plain, role="reference"))
    return Panel("rows for an error", "α, in nine runs of ten", "rows n", tuple(series))


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
        f"Votes of groups against medians of blocks: the same rows, the same {said(budget)}",
        panels,
        alt="Errors of the populous and of the unbounded covariance at d = 1, 2, 3, for condition numbers 1"
        " and 1e8: both below 5 hundredths, the unbounded one half as large or less, neither changed by the"
        " condition number.",
        how_to_read="At the fewest rows that the populous covariance takes, the unbounded one is two to three"
        " times as accurate: it spends few rows on its frame. d² against d^2.5 is about large d; see the rows"
        " above."
        " Both finish with the same step in their frame.",
    )


def _both(run: Run, frame: pd.DataFrame, condition: str, budget: ApproxDP) -> Panel:
    rows = {d: predicted.law_rows(d, budget) for d in sweeps.DIMENSIONS}
    groups, series = measures.by(frame, "d"), list[Series]()
    for column, key in (("error", POPULOUS), ("unbounded", UNBOUNDED)):
        found = {d: measures.median(one[column], LEVEL) for d, one in groups.items()}
        expected = {d: predicted.covariance_error(column, d, n, budget) for d, n in rows.items()}
        series += beside(run, key, found, expected, key)
    sizes = ", ".join(f"{n:,}" for n in rows.values())
    return Panel(f"condition number {condition}", "dimension d", f"median {ERROR}", tuple(series),
                 note=f"n = {sizes}", ylim=(1e-3, 1.0))  # fmt: skip


def attacked(run: Run, *, corruption: float = SIDEWAYS) -> Chart:
    """Return errors of filters under attacks, beside what no estimator can do (oracles-within-unit)."""
    shares = [float(f"{corruption * xi / SIDEWAYS:.6g}") for xi in attacks.CORRUPTIONS]
    frame = run.table(sweeps.ORACLES.moved(sweeps.oracle_points(shares)))
    usual = corruption == SIDEWAYS
    left = " is below the information limit under five, within twice the limit under all, and" * usual
    right = " within twice the limit, the source's filter within three times," * usual
    return Chart(
        "attacked",
        f"A share of the rows may be anything (d = {sweeps.D})",
        (_attacks(measures.at(frame, corruption=corruption), corruption), _worst(frame, shares)),
        alt=f"Left, errors of three estimators under ten attacks: the tail filter{left or ' is'}"
        " nowhere worse than the plain second moment. Right, the worst of the attacks against the share of"
        f" corrupted rows: the tail filter stays{right or ' near the limit,'} the plain moment is far off.",
        how_to_read="Unit: ξ ln 1/ξ. The black line is the information limit: two laws that far apart look"
        " the same when a share ξ is changed, so that no estimator errs less under every attack; under a"
        " given one it may. The lower five attacks were written when the filter was finished. Groups are"
        " robust where a row is not: a vote hears what most of these filtered groups say.",
    )


def _attacks(frame: pd.DataFrame, corruption: float) -> Panel:
    names, series = tuple(sweeps.SHOWN), []
    for column, (label, key) in FILTERS.items():
        middles = frame.groupby("attack")[column].median()
        places = {place: name for place, name in enumerate(names, 1) if name in middles}
        middle = [float(middles[name]) for name in places.values()]
        series.append(Series(label, [place + BESIDE[column] for place in places], middle, colour_key=key))
    limit = oracles.limits(corruption)[0]
    ends = (0.5, len(names) + 0.5)
    series.append(Series("information limit", ends, (limit, limit), role="reference", colour_key=PLAIN))
    return Panel(f"ξ = {corruption:g}", "", "error over ξ ln 1/ξ", tuple(series), "linear", names=names,
                 note="Medians. Arrows: beyond the edge.", ylim=(0.1, 10.0))  # fmt: skip


def _worst(frame: pd.DataFrame, shares: list[float]) -> Panel:
    groups, series = measures.by(frame, "corruption"), []
    for column, (label, key) in FILTERS.items():
        worst = [
            float(rows.groupby("attack")[column].median().max()) * unit(xi) for xi, rows in groups.items()
        ]
        series.append(Series(label, groups, worst, colour_key=key))
    limits = [scale_limit(xi) for xi in shares]
    series.append(Series("", shares, limits, role="bound", colour_key=PLAIN))
    return Panel("the worst of ten attacks", "share ξ of corrupted rows", ERROR, tuple(series))
