"""No key is silent: what public numbers say of an error is true above the cliff; below it they say nothing.

A median is compared by counts: if it is at most b, runs with an error above b have at most the law of
Binomial(runs, 1/2).
"""

from dataclasses import replace
from functools import cache
from math import inf, isfinite

import numpy as np
import pytest

from tests.contracts.foreseen_table import CLIFFS, Cliff
from workbench.catalog import CATALOG
from workbench.contracts.accuracy import refused
from workbench.errors import ArgumentError
from workbench.estimators import Abstention
from workbench.estimators.release import Asked, ErrorStatement
from workbench.study.search import fewest_rows

BAND = 1.15  # of a prediction
ROUNDING = 1 + 1e-9  # a lattice of candidates has exact errors


def stated(estimator, n, d, budget) -> ErrorStatement | None:
    return Asked(estimator, n, d, budget).error()


@cache
def errors(key: str, below: bool = False, runs: int = 0) -> np.ndarray:
    row = CLIFFS[key]
    estimator, n = (
        (row.loose or row.estimator, row.below or row.above) if below else (row.estimator, row.above)
    )
    return np.array([error_of(key, row, estimator, n, seed) for seed in range(runs or row.runs)])


def error_of(key: str, row: Cliff, estimator, n: int, seed: int) -> float:
    entry = CATALOG[key]
    rows, truth = row.rows(np.random.default_rng((seed, n)), n, row.d, entry, estimator)
    value = estimator(rows, budget=row.budget, rng=np.random.default_rng((seed, n, 1))).value
    if isinstance(value, Abstention):
        return inf
    return value.width / 2 if entry.estimand == "interval" else float(entry.loss(value, truth))


def more_than_half(found: np.ndarray, limit: float, above: bool) -> bool:
    count = int((found > limit * ROUNDING).sum() if above else (found < limit / ROUNDING).sum())
    return count >= refused(len(found), 0.5)


def the_statement_is_true_above_the_cliff(key: str, said: ErrorStatement | None, found: np.ndarray) -> None:
    row = CLIFFS[key]
    if row.kind == "answers":
        assert not more_than_half(found, row.good, above=True)
        return
    assert said is not None
    assert isfinite(said.value)
    band = BAND if row.kind == "predicted" else 1.0
    assert not more_than_half(found, said.value * band, above=True), (said, np.median(found))
    least = {"predicted": 1 / BAND, "cautious": row.least}.get(row.kind, 0.0)
    assert not more_than_half(found, said.value * least, above=False), (said, np.median(found))


def nothing_is_promised_below_the_cliff(key: str, row: Cliff | None = None, prediction=stated) -> None:
    row = row or CLIFFS[key]
    if row.below is None and row.loose is None:
        assert refuses(row)
        return
    if row.kind == "answers":
        assert np.isinf(errors(key, below=True)).all()
        return
    said = prediction(row.loose or row.estimator, row.below or row.above, row.d, row.budget)
    assert said is not None
    if row.kind == "proved" and said.informative:
        assert not more_than_half(errors(key, below=True), said.value, above=True)
    else:
        assert not said.informative, said


def refuses(row: Cliff) -> bool:
    fewest = fewest_rows(row.estimator, row.d, row.budget)
    if fewest <= 4:
        return row.kind == "proved"
    try:
        row.estimator.plan(fewest - 1, row.d, row.budget)
    except ArgumentError:
        return True
    return False


PRIVATE = [key for key, row in CLIFFS.items() if row.kind != "reference"]
PREDICTED = [key for key, row in CLIFFS.items() if row.kind == "predicted"]
NARROW = {  # a bound on a parameter that a prediction might ignore, and where it decides
    "covariance/coinpress": ({"upper": 1.0}, {}),
    "covariance/clipped": ({"upper": 1.0}, {}),
    "covariance/heavy-tailed": ({"upper": 1.0}, {}),
    "covariance/pure-net": ({"upper": 1.0}, {}),
    "gaussian/coinpress": ({"upper": 1.0}, {}),
    "mean/filter": ({"radius": 3.0}, {"d": 3, "below": 200}),
    "mean/prime": ({"radius": 3.0}, {"d": 3, "below": 200}),
    "mean/robust": ({"radius": 3.0}, {"d": 3, "below": 120}),
    "univariate/two-step-mean": ({"radius": 2.0}, {}),
    "univariate/median": ({"radius": 2.0}, {}),
}


def said_above(key):
    row = CLIFFS[key]
    return stated(row.estimator, row.above, row.d, row.budget)


def test_every_key_has_its_cliff():
    assert set(CLIFFS) == set(CATALOG)
    for key in PRIVATE:
        assert type(CLIFFS[key].estimator) is type(CATALOG[key].estimator)
        assert CLIFFS[key].runs >= 40


@pytest.mark.daily
@pytest.mark.parametrize("key", PRIVATE)
def test_the_statement_is_true_above_the_cliff(key):
    """And for predictions: one that is off by three tenths is not."""
    said, found = said_above(key), errors(key)
    the_statement_is_true_above_the_cliff(key, said, found)
    if key in PREDICTED and not CLIFFS[key].slow:
        refuse_what_is_off(key, said, found)


def refuse_what_is_off(key, said, found):
    for factor in (1.3, 1 / 1.3):
        wrong = ErrorStatement(said.value * factor, said.kind, said.meaning)
        with pytest.raises(AssertionError):
            the_statement_is_true_above_the_cliff(key, wrong, found)


@pytest.mark.slow
@pytest.mark.parametrize("key", [key for key in PREDICTED if CLIFFS[key].slow])
def test_the_statement_is_true_in_many_runs(key):
    said, found = said_above(key), errors(key, runs=CLIFFS[key].slow)
    the_statement_is_true_above_the_cliff(key, said, found)
    refuse_what_is_off(key, said, found)


@pytest.mark.turns(6)
@pytest.mark.parametrize("key", PRIVATE)
def test_nothing_is_promised_below_the_cliff(key):
    """And there answers are bad: a prediction of nothing everywhere would be no lie, and of no use."""
    nothing_is_promised_below_the_cliff(key)
    if key in PREDICTED and CLIFFS[key].below:
        assert np.median(errors(key, below=True, runs=40)) > 3 * said_above(key).value


@pytest.mark.parametrize("key", NARROW)
def test_a_prediction_that_ignores_the_range_is_noticed(key):
    narrower, where = NARROW[key]
    row = replace(CLIFFS[key], **where)
    nothing_is_promised_below_the_cliff(key, row)

    def careless(estimator, *public):
        return stated(replace(estimator, **narrower), *public)

    with pytest.raises(AssertionError):
        nothing_is_promised_below_the_cliff(key, row, careless)
