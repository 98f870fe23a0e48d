"""Filters, votes, unbounded Gaussians in whole numbers: exact gaps of neighbours, and noise to release."""

from dataclasses import replace
from itertools import zip_longest
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import workbench as wb
from tests.estimators.whole_gaps import whole_gaps
from workbench.estimators import prime, robust, subspaces
from workbench.estimators.base import sanitised
from workbench.estimators.shared import moments
from workbench.estimators.shared.rows import present, within_ball
from workbench.estimators.weighted_moments import grid
from workbench.privacy import ZCDP, ApproxDP, GaussianDP, histograms
from workbench.privacy.secure import SecureNoise

LOUD = GaussianDP(20.0)
FILTERS = [
    wb.PrimeMean(radius=10.0, sigma=1.0),
    wb.FilterMean(radius=10.0, sigma=1.0),
    wb.PrimeHeavyMean(radius=10.0, upper=1.0),
]
ROWWISE = [wb.RobustMean(radius=10.0, sigma=1.0), wb.RobustHeavyMean(radius=10.0, upper=1.0)]
JOINT = [wb.CoinPressGaussian(radius=100.0, upper=1e3, lower=1.0)]
NAMED = {"ids": lambda one: type(one).__name__}


def planted(n: int, d: int, seed: int = 1, distance: float = 6.0) -> np.ndarray:
    """Normal rows of which one in twenty lies elsewhere."""
    x = np.random.default_rng(seed).standard_normal((n, d))
    x[: n // 20] += distance / np.sqrt(d)
    return x


def neighbours(x: np.ndarray) -> list[np.ndarray]:
    """Rows with the first one far, opposite, at a right angle, unusable, or just about where it was."""
    d, one = x.shape[1], np.ones(x.shape[1]) / np.sqrt(x.shape[1])
    places = [1e6 * one, -1e6 * one, np.full(d, np.nan), 1e200 * one, 0 * one, x[0] + 1e-7, -x[0], 3.7 * one]
    if d > 1:
        places.append(1e6 * (np.eye(d)[0] - np.eye(d)[1]))
    return [np.vstack([place, x[1:]]) for place in places]


def estimate(estimator: Any, budget: Any) -> Any:
    """A run on sanitised rows."""

    def once(x: np.ndarray, noise: Any) -> Any:
        with np.errstate(all="ignore"):
            return estimator.estimate(sanitised(x), budget, noise)

    return once


def gaps(estimator: Any, budget: Any, n: int, d: int) -> list[float]:
    """The largest exact gap of every draw over its sensitivity, of three data sets and their neighbours."""
    largest: list[float] = []
    for seed, distance in enumerate((0.0, 6.0, 30.0)):
        x = planted(n, d, distance=distance)
        for first in (x, neighbours(x)[0]):
            found = whole_gaps(estimate(estimator, budget), first, [x, *neighbours(x)], seed)
            largest = [max(pair) for pair in zip_longest(largest, found, fillvalue=0.0)]
    return largest


@pytest.mark.parametrize("estimator", [*FILTERS, *ROWWISE, *JOINT], **NAMED)
@pytest.mark.parametrize("d", [1, 3])
def test_no_row_moves_whole_numbers_by_more_than_is_charged(estimator: Any, d: int) -> None:
    largest = gaps(estimator, LOUD, 400, d)
    assert largest[0] > (0.99 if d > 1 or estimator not in JOINT else 0.7)
    assert largest[-1] > (0.99 if estimator not in JOINT else 0.7)


@pytest.mark.daily
@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("calibration", ["tight", "paper"])
def test_no_row_moves_a_gaussian_without_bounds_by_more_than_is_charged(
    calibration: Any, centred: bool
) -> None:
    assert max(gaps_without_bounds(calibration, centred)) > 0.9


def gaps_without_bounds(calibration: Any, centred: bool) -> list[float]:
    """The same of the loop of votes; its histograms have contracts of their own."""
    estimator = wb.UnboundedGaussian(centred=centred, calibration=calibration)
    with patch.object(histograms, "_noisy", lambda counts, *_: 1.0 * counts):
        return gaps(estimator, ZCDP(5.0, 1e-3), 2000 if calibration == "tight" else 6000, 2)


@pytest.mark.parametrize("estimator", FILTERS, **NAMED)
@pytest.mark.parametrize("d", [1, 3])
def test_no_row_moves_the_source_s_queries_by_more_than_is_charged(estimator: Any, d: int) -> None:
    assert max(gaps_of_queries(estimator, d)) > 0.3


def gaps_of_queries(estimator: Any, d: int) -> list[float]:
    """The same of the queries of the source, on 400 rows."""
    steps = replace(estimator, calibration="paper", passes=2).steps(400, d)
    plan, clipped = steps.plan(ApproxDP(1e6, 0.3)).parts[1], prime.in_ball if steps.heavy else prime.in_box

    def ask(x: np.ndarray, noise: Any) -> Any:
        y, step = clipped(x, steps.reach, grid(steps.reach)), iter([0.1] * len(list(plan.charges())))
        queries = prime.Queries(steps, y, present(x), plan.charges(), noise, step)
        return queries.by_directions(None) if steps.top else queries.by_matrices(None)

    moved: list[float] = []
    for seed, distance in enumerate((0.0, 9.0, 30.0)):
        x = planted(400, d, seed, distance)
        found = whole_gaps(ask, x, neighbours(x), seed)
        moved = [max(pair) for pair in zip_longest(moved, found, fillvalue=0.0)]
    return moved


SECURE = [
    (wb.PrimeMean(radius=10.0, sigma=1.0), 0.2),
    (wb.FilterMean(radius=10.0, sigma=1.0), 0.2),
    (wb.PrimeHeavyMean(radius=10.0, upper=1.0), 0.4),
    (wb.RobustMean(radius=10.0, sigma=1.0), 0.2),
    (wb.RobustHeavyMean(radius=10.0, upper=1.0), 0.4),
]


@pytest.mark.secure
@pytest.mark.parametrize(("estimator", "near"), SECURE, ids=lambda one: type(one).__name__)
def test_noise_to_release_gives_a_mean_near_that_of_the_rows(estimator: Any, near: float) -> None:
    """`near` is more than ten times what noise and outliers make of it: a unit that is off is seen."""
    x = planted(20_000, 2) + 3.0
    value = estimator(x, budget=ApproxDP(5.0, 1e-6), rng=SecureNoise()).value
    assert np.abs(value - 3.0).max() < near


@pytest.mark.secure
def test_noise_to_release_gives_a_gaussian_near_that_of_the_rows() -> None:
    x = np.random.default_rng(1).normal(3.0, 1.0, (20_000, 2))
    law = wb.CoinPressGaussian(radius=100.0, upper=1e3, lower=1.0)(
        x, budget=ApproxDP(5.0, 1e-6), rng=SecureNoise()
    ).value
    assert np.abs(law.mean - 3.0).max() < 0.1
    assert np.abs(law.covariance - np.eye(2)).max() < 0.15


@pytest.mark.secure
@pytest.mark.parametrize("calibration", ["tight", "paper"])
def test_noise_to_release_gives_a_gaussian_without_bounds(calibration: Any) -> None:
    """Its eigenvalues, subspaces and covariance alone, too: every step has exact noise."""
    scales, budget = np.array([1e-3, 1e3]), ZCDP(5.0, 1e-3)
    x = 7.0 + np.random.default_rng(1).standard_normal((8000, 2)) * scales
    law = wb.UnboundedGaussian(calibration=calibration)(x, budget=budget, rng=SecureNoise()).value
    assert (np.abs(law.mean - 7.0) < scales).all()
    assert (np.abs(np.diag(law.covariance) / scales**2 - 1) < 0.5).all()
    found = wb.UnboundedCovariance(calibration=calibration)(x, budget=budget, rng=SecureNoise()).value
    assert (np.abs(np.diag(found) / scales**2 - 1) < 0.5).all()
    vote = wb.SubspaceAggregate(k=1, gap=1e-6, calibration=calibration)
    axis = vote(x, budget=budget, rng=SecureNoise()).value
    assert np.abs(axis - np.diag([0.0, 1.0])).max() < 1e-5
    cost = budget if calibration == "paper" else ZCDP(5.0)
    values = wb.Eigenvalues(calibration=calibration)(x, budget=cost, rng=SecureNoise()).value
    assert (np.abs(np.log(values / scales[::-1] ** 2)) < 1.0).all()


@pytest.mark.secure
def test_noise_to_release_finds_an_exact_subspace() -> None:
    line = np.random.default_rng(1).standard_normal((2000, 1)) * [3.0, 4.0]
    budget = ApproxDP(1.0, 1e-6)
    found = wb.SubspaceExact()(line, budget=budget, rng=SecureNoise()).value
    assert found == pytest.approx(np.array([[0.36, 0.48], [0.48, 0.64]]), abs=1e-4)


@pytest.mark.secure
@pytest.mark.parametrize(("estimator", "distance"), [*zip(FILTERS, (6.0, 6.0, 0.0), strict=True)], **NAMED)
def test_noise_to_release_answers_the_source_s_queries(estimator: Any, distance: float) -> None:
    """Algorithm 16 may remove too many rows where there is anything to remove, and gives no answer then."""
    x = planted(20_000, 2, distance=distance) + 3.0
    paper = replace(estimator, calibration="paper", passes=2)
    value = paper(x, budget=ApproxDP(1e4, 0.3), rng=SecureNoise()).value
    assert np.abs(value - 3.0).max() < 0.5


# Mutants: each is one mistake that the tests above find


def unenforced(rows: np.ndarray, radius: float, step: float) -> np.ndarray:
    """Whole numbers of rows, up to a thousand times as long as is charged."""
    return np.rint(np.clip(np.nan_to_num(rows), -1e3 * radius, 1e3 * radius) / step)


def rounded_alone(rows: np.ndarray, radius: float, step: float) -> np.ndarray:
    """Rows clipped as floats and then rounded: some are longer than the radius as whole numbers."""
    return np.rint(within_ball(rows, radius) / step)


MUTANTS = {
    f"{type(estimator).__name__}, {wrong.__name__}": (module, wrong, estimator)
    for module, estimator, *mistakes in (
        (prime, FILTERS[0], unenforced, rounded_alone),
        (robust, ROWWISE[0], unenforced, rounded_alone),
        (moments, JOINT[0], unenforced),
    )
    for wrong in mistakes
}


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS)
def test_rows_that_are_not_enforced_as_whole_numbers_are_found(mutant: Any) -> None:
    module, wrong, estimator = mutant
    with patch.object(module, "in_ball", wrong), pytest.raises(AssertionError, match="gaussian"):
        gaps(estimator, LOUD, 400, 3)


@pytest.mark.parametrize(("estimator", "name"), [(FILTERS[0], "in_box"), (FILTERS[2], "in_ball")])
def test_rows_of_the_source_s_set_that_are_not_enforced_are_found(estimator: Any, name: str) -> None:
    with patch.object(prime, name, unenforced), pytest.raises(AssertionError, match=r"gaussian|laplace"):
        gaps_of_queries(estimator, 3)


def float_scores(self: Any, y: np.ndarray, tau: float) -> np.ndarray:
    """Weights of floats."""
    return SCORES(self, y, tau) / self.whole


def float_mean(whole: np.ndarray, weights: np.ndarray, unit: float) -> np.ndarray:
    """A weighted mean of floats."""
    return np.asarray(MEAN(whole, weights, unit))


SCORES, MEAN = subspaces.FriendlyMean.scores, subspaces.weighted_mean


def test_votes_of_floats_are_found() -> None:
    with (
        patch.object(subspaces.FriendlyMean, "scores", float_scores),
        pytest.raises(AssertionError, match="floats reach the noise: gaussian"),
    ):
        gaps_without_bounds("tight", True)
    with (
        patch.object(subspaces, "weighted_mean", float_mean),
        pytest.raises(AssertionError, match="floats reach the noise: symmetric_gaussian"),
    ):
        gaps_without_bounds("tight", True)


@pytest.mark.daily
def test_a_point_that_votes_for_itself_alone_is_found() -> None:
    """A weight that reaches every point: the mean moves by more than the friends of both allow."""

    def everybody(self: Any, whole: np.ndarray, tau: float) -> np.ndarray:
        return np.full(self.points, self.whole)

    with (
        patch.object(subspaces.FriendlyMean, "scores", everybody),
        pytest.raises(AssertionError, match="symmetric_gaussian"),
    ):
        gaps_without_bounds("tight", True)
