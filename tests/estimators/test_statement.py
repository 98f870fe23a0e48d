"""What a release says of its error: the proved bound, or else the prediction, from public numbers alone."""

import pickle
from dataclasses import dataclass, replace
from math import inf, nan

import numpy as np
import pytest

from workbench.errors import ArgumentError
from workbench.estimators import ErrorStatement
from workbench.estimators.clipped import ClippedMean
from workbench.estimators.release import BETA, Asked
from workbench.privacy import PureDP

BUDGET = PureDP(1.0)


@dataclass(frozen=True)
class Bounding:
    bound: float

    def error_bound(self, n, d, budget, beta):
        """Return a bound on it."""
        assert (n, d, budget, beta) == (7, 2, BUDGET, BETA)
        return self.bound


@dataclass(frozen=True)
class Predicting:
    expected: float

    def predicted_error(self, n, d, budget):
        """Return the error.

        And more words.
        """
        assert (n, d, budget) == (7, 2, BUDGET)
        return self.expected


@dataclass(frozen=True)
class Both(Bounding, Predicting):
    def __init__(self, bound, expected):
        object.__setattr__(self, "bound", bound)
        object.__setattr__(self, "expected", expected)


@dataclass(frozen=True)
class Refusing:
    def predicted_error(self, n, d, budget):
        """Return the error."""
        raise ArgumentError("n", n, "more")


def stated(estimator):
    return Asked(estimator, 7, 2, BUDGET).error()


@pytest.mark.parametrize(
    ("estimator", "kind", "value"),
    [
        (Bounding(0.5), "proved", 0.5),
        (Bounding(inf), "proved", inf),
        (Predicting(0.25), "predicted", 0.25),
        (Predicting(nan), "predicted", inf),
        (Refusing(), "predicted", inf),
        (Both(0.5, 0.25), "proved", 0.5),
        (Both(inf, 0.25), "predicted", 0.25),
        (Both(inf, inf), "predicted", inf),
    ],
)
def test_a_finite_bound_comes_first_then_the_prediction(estimator, kind, value):
    found = stated(estimator)
    assert (found.kind, found.value, found.informative) == (kind, value, value < inf)


def test_an_estimator_that_foresees_nothing_states_nothing():
    assert stated(object()) is None


def test_a_statement_is_one_line_and_says_where_nothing_is_to_be_expected():
    assert str(ErrorStatement(0.123, "proved", "")) == (
        "error bound: 0.123, with probability 0.95, from public numbers"
    )
    assert str(ErrorStatement(0.123, "predicted", "")) == "predicted error: 0.123, from public numbers"
    assert "uninformative" in str(ErrorStatement(inf, "predicted", ""))
    assert "none" in str(ErrorStatement(inf, "proved", ""))


def test_its_meaning_is_the_first_line_of_the_method():
    assert stated(Predicting(1.0)).meaning == "the error"


def test_a_release_states_what_its_estimator_does_of_any_rows():
    mean, rng = ClippedMean(radius=10.0, sigma=1.0), np.random.default_rng
    release = mean(np.zeros(50), budget=BUDGET, rng=rng(1))
    assert release.error.value == mean.error_bound(50, 1, BUDGET, BETA)
    assert release.error == mean(np.full(50, np.inf), budget=BUDGET, rng=rng(2)).error
    assert release.error != replace(mean, radius=11.0)(np.zeros(50), budget=BUDGET, rng=rng(1)).error
    assert str(release.error) in str(release)
    assert str(release.error) in release._repr_html_()
    assert pickle.loads(pickle.dumps(release)).error == release.error
