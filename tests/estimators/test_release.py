"""A release of a number reads as one, "no answer" is neither, and what is said of errors is public."""

import pickle
from dataclasses import replace
from math import inf, nan
from unittest.mock import Mock

import numpy as np
import pytest

from workbench import AdaptiveCovariance, ClippedMean, Median, UnboundedMean
from workbench.catalog import CATALOG
from workbench.distributions import Ball, Interval, SparseCovariance
from workbench.errors import ArgumentError
from workbench.estimators import Abstention, Guarantee, Release
from workbench.estimators.release import BETA, Asked
from workbench.privacy import ApproxDP, Charge, NonPrivate, PureDP, Sequential

PURE = PureDP(1.0)
PLAN = Charge("mean", "laplace", 0.1, PURE)


def released(value):
    return Release(value, PLAN, Guarantee(PURE))


def test_a_number_reads_as_one_and_an_array_is_a_copy():
    number, array = released(12.345), released(np.array([1.0, 2.0]))
    assert float(number) == np.asarray(number) == 12.345
    assert (f"{number:.1f}", f"{number}") == ("12.3", str(number))
    np.asarray(array)[0] = 7.0
    assert array.value.tolist() == np.asarray(array, np.float32).tolist() == [1.0, 2.0]
    sparse = SparseCovariance(np.diag([1.0, -1.0]), np.diag([1.0, 0.0]))
    assert np.array_equal(np.asarray(released(sparse)), sparse.psd)
    for value in (Interval(1.0, 2.0), Ball(np.zeros(2), 1.0)):
        with pytest.raises(TypeError, match=type(value).__name__):
            np.asarray(released(value))
    for one in (released(Ball(np.zeros(2), 1.0)), array):
        with pytest.raises(TypeError):
            float(one)


@pytest.mark.parametrize("read", [float, np.asarray, "{:.1f}".format])
def test_no_answer_is_no_number(read):
    release = released(Abstention("vote"))
    with pytest.raises(ArgumentError, match="vote"):
        read(release)
    assert "no answer from step 'vote'" in f"{release}"


CENTRED = [
    key
    for key, one in CATALOG.items()
    if "the mean is 0" in " ".join(one.assumptions)
    if NonPrivate() not in one.budgets
]


@pytest.mark.parametrize("key", CENTRED)
def test_a_covariance_that_takes_the_mean_to_be_0_says_so(key):
    estimator, budget = vars(CATALOG[key].examples[0]).values()
    assert "second moment about 0" in estimator.other_rows(2000, 2, budget)
    assert not AdaptiveCovariance(radius=9, centred=False).other_rows(2000, 2, budget)


STATED = [  # a bound, a prediction, and what is said
    (0.5, None, "proved", 0.5),
    (inf, None, "proved", inf),
    (None, nan, "predicted", inf),
    (None, ArgumentError("n", 7, "more"), "predicted", inf),
    (0.5, 0.25, "proved", 0.5),
    (inf, 0.25, "predicted", 0.25),
]


@pytest.mark.parametrize(("bound", "expected", "kind", "value"), STATED)
def test_a_finite_bound_comes_first_then_the_prediction(bound, expected, kind, value):
    given = {"error_bound": bound, "predicted_error": expected}
    estimator = Mock(spec=[name for name, number in given.items() if number is not None])
    for name in estimator._mock_methods:
        getattr(estimator, name).side_effect = [given[name]]
    found = Asked(estimator, 7, 2, PURE).error()
    assert (found.kind, found.value, found.informative) == (kind, value, value < inf)
    if kind == "proved":
        estimator.error_bound.assert_called_once_with(7, 2, PURE, BETA)


def test_steps_that_only_a_number_tells_apart_stand_in_one_line_with_the_cost_of_each():
    costs = {"step 1": 0.2, "step 2": 0.2, "step 3": 0.2, "step 4": 0.4, "mean": 1.0}
    plan = Sequential(
        "basic", tuple(Charge(step, "laplace", 0.1, PureDP(one)) for step, one in costs.items())
    )
    *_, alike, other, mean = str(Release(1.0, plan, Guarantee(PURE))).splitlines()
    assert alike.split() == ["step", "1", "to", "step", "3", "laplace", "ε", "=", "0.2", "each"]
    assert other.split() == ["step", "4", "laplace", "ε", "=", "0.4"]
    assert mean.split() == ["mean", "laplace", "ε", "=", "1"]


def test_a_release_states_what_its_estimator_does_of_any_rows():
    mean, rng = ClippedMean(radius=10.0, sigma=1.0), np.random.default_rng
    release = mean(np.zeros(50), budget=PURE, rng=rng(1))
    assert release.error.value == mean.error_bound(50, 1, PURE, BETA)
    assert release.error == mean(np.full(50, np.inf), budget=PURE, rng=rng(2)).error
    assert release.error != replace(mean, radius=11.0)(np.zeros(50), budget=PURE, rng=rng(1)).error
    assert str(release.error) in str(release)
    assert str(release.error) in release._repr_html_()
    assert pickle.loads(pickle.dumps(release)).error == release.error


def test_an_interval_is_the_whole_line_without_an_answer_and_refused_without_a_law():
    asked = Asked(UnboundedMean(sigma=1.0), 100, 1, ApproxDP(1.0, 1e-6))
    lost = Release(Abstention("locate"), PLAN, Guarantee(PURE), asked=asked)
    assert lost.interval(0.9) == Interval(-np.inf, np.inf)
    with pytest.raises(ArgumentError, match=r"^confidence = 1\.5"):
        lost.interval(1.5)
    median = Median(radius=9.0, sigma=1.0)(np.ones(30), budget=PURE, rng=np.random.default_rng(1))
    for release in (released(1.0), median):
        with pytest.raises(ArgumentError, match=r"release\.interval = 'float'"):
            release.interval()
