"""No key is silent: its statement holds above its cliff, says nothing below it, and tests would notice."""

from dataclasses import replace

import numpy as np
import pytest

from tests.contracts.foreseen import (
    errors,
    nothing_is_promised_below_the_cliff,
    stated,
    the_statement_is_true_above_the_cliff,
)
from tests.contracts.foreseen_table import CLIFFS
from workbench.catalog import CATALOG
from workbench.estimators.release import ErrorStatement

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
