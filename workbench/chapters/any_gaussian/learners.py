"""What votes learn without a bound: means, covariances and whole Gaussians (AL22 Theorems 5.6, 5.7 and 7.4).

(ε, δ) = (1, 1e-6), β = .1. A run that abstains has an infinite error. Numbers of rows are those of the plan.
"""

from functools import lru_cache
from math import inf, sqrt

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench import losses
from workbench.bounds import al22
from workbench.chapters.any_gaussian.frames import ACROSS, planned, said
from workbench.chapters.any_gaussian.masking import rotated
from workbench.chapters.any_gaussian.votes import BETA, BUDGET, DELTA, EPSILON
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.curves import LEVEL, measured
from workbench.distributions import Gaussian
from workbench.estimators.base import Abstention
from workbench.estimators.populous import PopulousCovariance, PopulousGaussian, PopulousMean
from workbench.estimators.shared.noisy_means import median_of_mean
from workbench.estimators.unbounded import UnboundedCovariance
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.grids import Point, Sweep, grid, multiples
from workbench.study.measures import seldom
from workbench.study.profiles import blocks
from workbench.study.rules import Verdict
from workbench.study.run import Row, Run, answered, each_trial, error_of
from workbench.study.search import fewest_rows
from workbench.study.sweeps import at_budget

MEAN_ROWS = {1: 672, 2: 898, 5: 1387}  # bring a mean's bound below .2
LAW_ROWS = {1: 15_300, 2: 31_900, 3: 58_500}  # about the fewest that learn a whole Gaussian
SHIFT = 1e4  # of a mean, in the widest standard deviations
ALPHA = 0.2  # the error that is claimed
LAW, LEARNER = "gaussian/populous", PopulousGaussian()
FACTORS, DIMENSIONS = (1.0, 2.0, 4.0), (1, 2, 3)  # of the picture: times the fewest rows


# What is run


@each_trial
def means(d: int, n: int, *, data: Generator, noise: Generator) -> Row:
    """Run the populous mean far from the origin."""
    value = PopulousMean(sigma=1.0)(SHIFT + data.standard_normal((n, d)), budget=BUDGET, rng=noise).value
    return answered(error_of(value, lambda mean: np.linalg.norm(mean - SHIFT)))


@each_trial
def covariances(d: int, condition: float, n: int, *, data: Generator, noise: Generator) -> Row:
    """Run `covariance/populous` and `covariance/unbounded` on the same rows; Frobenius errors."""
    root = rotated(np.geomspace(1.0, condition, d), data)
    x, back = data.standard_normal((n, d)) @ root.T, np.linalg.inv(root)
    populous, unbounded = (
        error_of(
            estimator(x, budget=BUDGET, rng=noise).value,
            lambda found: np.linalg.norm(back @ found @ back.T - np.eye(d)),
        )
        for estimator in (PopulousCovariance(), UnboundedCovariance())
    )
    return answered(populous, unbounded=unbounded)


@each_trial
def laws(
    d: int, kind: str, n: int, epsilon: float = EPSILON, delta: float = DELTA, *,
    data: Generator, noise: Generator,
) -> Row:  # fmt: skip
    """Learn whole Gaussians; `error` is the upper bound on TV in the truth's subspace, 1 off its grid."""
    return answered(_learned(n, d, kind, ApproxDP(epsilon, delta), data, noise))


def _learned(n: int, d: int, kind: str, budget: ApproxDP, data: Generator, noise: Generator) -> float:
    rank = max(1, d // 2) if kind == "degenerate" else d
    basis = np.linalg.qr(data.standard_normal((d, d)))[0][:, :rank]
    sds = np.geomspace(1.0, 1e3, rank)
    shift = np.full(d, SHIFT * sds[-1] if kind == "shifted" else 0.0)
    x = shift + data.standard_normal((n, rank)) * sds @ basis.T
    value = LEARNER(x, budget=budget, rng=noise).value
    if isinstance(value, Abstention):
        return inf
    gap = value.mean - shift
    if np.linalg.norm(gap - basis @ (basis.T @ gap)) > ACROSS * sds[-1]:
        return 1.0
    seen = Gaussian(basis.T @ gap, basis.T @ value.covariance @ basis)
    return losses.total_variation_bounds(seen, Gaussian(np.zeros(rank), np.diag(sds**2)))[1]


def _sizes(budget: ApproxDP) -> tuple[Point, ...]:
    return tuple({"d": d, "kind": "full", "n": n} for d in DIMENSIONS for n in law_sizes(d, budget))


@lru_cache(maxsize=64)
def law_sizes(d: int, budget: ApproxDP) -> tuple[int, ...]:
    """Return multiples of about the fewest rows that learn a whole Gaussian."""
    rows = LAW_ROWS[d]
    if budget != BUDGET:
        here, usual = (fewest_rows(LEARNER, d, one) for one in (budget, BUDGET))
        rows = multiples((rows,), here / usual)[0]
    return tuple(round(factor * rows) for factor in FACTORS)


@lru_cache(maxsize=64)
def law_error(d: int, n: int, budget: ApproxDP) -> float:
    """Return the median of what is measured of a total variation: on the line itself, else a bound.

    The bound is half the root of mean² + covariance²/2, by Pinsker's inequality as by Hellinger's.
    """
    errors = LEARNER.recipe(n, d, budget).squared_error
    if d == 1:
        return errors.total_variation
    return median_of_mean(sqrt(errors.mean + errors.covariance / 2), d * (d + 3) // 2) / 2


KINDS = {1: ("full", "shifted"), 2: ("full", "degenerate", "shifted")}
MEANS = Sweep("al22-means", tuple({"d": d, "n": n} for d, n in MEAN_ROWS.items()), means, 10, blocks(30))
LAWS = Sweep(
    "al22-laws",
    tuple({"d": d, "kind": kind, "n": LAW_ROWS[d]} for d, kinds in KINDS.items() for kind in kinds),
    laws,
    6,
    blocks(21),
)
LAW_SIZES = Sweep("any-gaussian-law-sizes", _sizes(BUDGET), laws, 6, blocks(3))
COVARIANCES = Sweep(
    "al22-more-covariances",
    tuple(point for d in (1, 2) for point in grid(d=d, condition=[1.0, 1e8], n=LAW_ROWS[d])),
    covariances,
    6,
    blocks(21),
)


# What is shown


def whole_law(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA) -> Chart:
    """Return total variation of learned Gaussians against n (laws-learned)."""
    budget = ApproxDP(epsilon, delta)
    frame = run.table(at_budget(LAW_SIZES, budget, _sizes(budget)))
    foreseen = {d: {n: law_error(d, n, budget) for n in law_sizes(d, budget)} for d in DIMENSIONS}
    series: list[Series] = []
    for place, (d, predicted) in enumerate(foreseen.items()):
        rows = measures.by(measures.at(frame, d=d), "n")
        found = {n: measures.median(one["error"], LEVEL) for n, one in rows.items()}
        rank, named = place / (len(DIMENSIONS) - 1), "" if run.simulate else f"d = {d}"
        first = next(((1.22 * n, 1.4 * one.estimate) for n, one in found.items()), None)
        expected = [predicted[int(n)] for n in found]
        series.append(measured(f"d = {d}", found, LAW, expected, rank=rank, label_at=first))
        series.append(Series(named, predicted, predicted.values(), role="theory", colour_key=LAW, rank=rank))
    fewest = min(foreseen[DIMENSIONS[0]])
    marks = (
        Mark("abstains (d = 1)", "span", x=fewest / 10, x2=fewest, y=0.03),
        Mark(f"a target of {ALPHA:g}", "horizontal", x=3.3 * fewest, y=ALPHA),
    )
    panel = Panel(
        f"Mean and covariance at once, {said(budget)}", "rows n", "total variation distance (upper bound)",
        tuple(series), marks=marks, xlim=(fewest / 2.5, 1.15 * max(n for one in series for n in one.x)),
        ylim=(min(1e-3, 0.5 * min(min(one.values()) for one in foreseen.values())), 1.0),
    )  # fmt: skip
    most = max(max(one.values()) for one in foreseen.values())
    first_error = "one or two hundredths" if budget == BUDGET else f"{most:.1g}"
    return Chart(
        "whole_law",
        "At the fewest rows accepted, the learned Gaussian is accurate already",
        (panel,),
        alt=f"The total variation starts at about {first_error} at the fewest rows and falls with n, for d ="
        " 1, 2, 3. To the left of where a curve begins nothing is released.",
        how_to_read="Each curve begins at the fewest rows that are accepted, and there the error is small"
        " already: votes need many groups, and once there are so many, the rows suffice for much more than an"
        " error of 0.2.",
    )


# What is claimed


def means_need_no_range(frame: pd.DataFrame) -> list[Verdict]:
    checks, formula = [], "√(d ln(1/δ))/ε · d/α²: constant 1"
    for d, rows in measures.by(frame, "d").items():
        found = seldom(f"no mean within .2, d = {d:g}", rows["error"] > ALPHA, BETA * 4 / 3, factor=2.3)
        shape = al22.robust_mean_shape(int(d), ALPHA, EPSILON, DELTA)
        checks.append(planned(found, "AL22/Thm7.4", MEAN_ROWS[int(d)], formula, shape))
    return checks


def laws_are_learned(frame: pd.DataFrame) -> list[Verdict]:
    checks, formula = [], "d²/α² + d² √ln(1/δ)/(αε) + d ln(1/δ)/(αε): constants 1"
    for d, rows in measures.by(frame, "d").items():
        found = seldom(f"no law within .2, d = {d:g}", rows["error"] > ALPHA, BETA, factor=2.8)
        shape = al22.gaussian_shape(int(d), ALPHA, EPSILON, DELTA).total
        checks.append(planned(found, "AL22/Thm5.7", LAW_ROWS[int(d)], formula, shape))
    return checks


def covariances_are_learned(frame: pd.DataFrame) -> list[Verdict]:
    checks, formula = [], "d²/α² + d² √ln(1/δ)/(αε) and the frame's: constants 1"
    for d, rows in measures.by(frame, "d").items():
        found = seldom(f"error above .2, d = {d:g}", rows["error"] > ALPHA, BETA, factor=2.8)
        shape = al22.covariance_shape(int(d), ALPHA, EPSILON, DELTA).total
        checks.append(planned(found, "AL22/Thm5.6", LAW_ROWS[int(d)], formula, shape))
    return checks


CLAIMS = (
    Claim(
        "any-gaussian/means-without-range",
        "C10",
        ("AL22/Thm7.4", "AL22/Alg5"),
        "mean/populous finds a mean 1e4 away within .2 at the n of its bound, but for probability β + β/3"
        " (d = 1, 2, 5); a rate of .31 would be refuted",
        sweeps=lambda: (MEANS,),
        checks=means_need_no_range,
    ),
    Claim(
        "any-gaussian/laws-learned",
        "C12",
        ("AL22/Thm5.7", "AL22/Thm1.1", "AL22/four-steps"),
        "gaussian/populous: total variation above .2 with probability at most β, for full, degenerate and"
        " far laws at about the fewest rows (d = 1, 2), (1, 1e-6); a rate of .28 would be refuted",
        sweeps=lambda: (LAWS,),
        checks=laws_are_learned,
    ),
    Claim(
        "any-gaussian/covariances-learned",
        "AL22.5",
        ("AL22/Thm5.6",),
        "covariance/populous: error above .2 with probability at most β at condition numbers 1 and 1e8 (d"
        " = 1, 2), at about the fewest rows; a rate of .28 would be refuted",
        sweeps=lambda: (COVARIANCES,),
        checks=covariances_are_learned,
    ),
)
