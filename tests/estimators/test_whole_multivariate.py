"""Filters, votes, unbounded Gaussians in whole numbers: exact gaps of neighbours, and noise to release."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import workbench as wb
from tests.oracles.whole_gaps import whole_gaps
from workbench.estimators.base import sanitised
from workbench.estimators.parts.filters.paper_run import Queries, by_directions, by_matrices
from workbench.privacy import ZCDP, ApproxDP, GaussianDP

LOUD = GaussianDP(20.0)
FILTERS = [wb.PrimeMean(radius=10.0), wb.FilterMean(radius=10.0), wb.PrimeHeavyMean(radius=10.0)]
ROWWISE = [wb.RobustMean(radius=10.0), wb.RobustHeavyMean(radius=10.0, upper=1.0)]
JOINT = [wb.CoinPressGaussian(radius=100.0, upper=1e3)]
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
            largest = [*map(max, largest or found, found)]
    return largest


@pytest.mark.parametrize("estimator", [*FILTERS, *ROWWISE, *JOINT], **NAMED)
@pytest.mark.parametrize("d", [1, 3])
def test_no_row_moves_whole_numbers_by_more_than_is_charged(estimator: Any, d: int) -> None:
    largest = gaps(estimator, LOUD, 400, d)
    assert largest[0] > (0.99 if d > 1 or estimator not in JOINT else 0.7)
    assert largest[-1] > (0.99 if estimator not in JOINT else 0.7)


@pytest.mark.parametrize("centred", [False, True])
def test_no_row_moves_a_gaussian_without_bounds_by_more_than_is_charged(centred: bool) -> None:
    estimator, n = wb.UnboundedGaussian(centred=centred), 2000
    largest = gaps(estimator, ZCDP(5.0, 1e-3), n, 2)
    assert max(largest) > 0.9


@pytest.mark.parametrize("estimator", FILTERS, **NAMED)
@pytest.mark.parametrize("d", [1, 3])
def test_no_row_moves_the_source_s_queries_by_more_than_is_charged(estimator: Any, d: int) -> None:
    recipe, n = replace(estimator, calibration="paper", passes=2).recipe, 4000
    region, rules = recipe.region(n, d), replace(recipe.rules(n, d), epochs=2, rounds=2)
    queries, directions = recipe.queries(n, d, ApproxDP(1e6, 0.3)), recipe.kind == "directions"
    rules = replace(rules, tail=rules.tail and rules.tail // 10)
    turns = {"passes": 2} if directions else {"epochs": 2, "rounds": 2}
    plan = replace(queries, n=400, **turns).plan()

    def ask(x: np.ndarray, noise: Any) -> Any:
        state = Queries(region.whole(x), rules, plan.charges(), noise, iter([0.1] * 4))
        return by_directions(state, 2) if directions else by_matrices(state)

    moved: list[float] = []
    for seed, distance in enumerate((0.0, 9.0, 30.0)):
        x = planted(400, d, seed, distance)
        found = whole_gaps(ask, x, neighbours(x), seed)
        moved = [*map(max, moved or found, found)]
    assert max(moved) > 0.3
