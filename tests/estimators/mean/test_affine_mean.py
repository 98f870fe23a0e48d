"""The entry: public facts come first, shapes follow the rows, and floats end where the condition is large."""

import numpy as np
import pytest

from workbench.contracts.located import located_normal_scale
from workbench.errors import ArgumentError
from workbench.estimators import Abstention
from workbench.estimators.base import Trace
from workbench.estimators.mean.affine import AffineMean
from workbench.privacy import ApproxDP, CountingNoise, PureDP, SimulatedNoise
from workbench.privacy.stable import located_scale

BUDGET, D = ApproxDP(8.0, 1e-6), 3
N = 600
SCALES = [(BUDGET, D, 250), (ApproxDP(4.0, 1e-4), 1, 300), (ApproxDP(1.0, 1e-6), 2, 3000)]


def rotated(d, condition, seed):
    """Axes of lengths from 1 to the root of 1/condition, turned."""
    rng = np.random.default_rng((d, seed))
    return np.linalg.qr(rng.standard_normal((d, d)))[0] * np.geomspace(1, condition**-0.5, d)


def traced(x):
    trace = Trace()
    release = AffineMean()(x, budget=BUDGET, rng=np.random.default_rng(1), trace=trace)
    return release.value, {name: values[0] for name, values in trace.records.items()}


def test_the_fewest_rows_are_public_and_fewer_are_refused_before_a_draw():
    fewest, noise = AffineMean().fewest(D, BUDGET), CountingNoise(SimulatedNoise(np.random.default_rng(1)))
    few = int(fewest / 1.02)
    with pytest.raises(ArgumentError, match=rf"^n = {few}: expected at least {fewest} for d = {D} at "):
        AffineMean()(np.full((few, D), np.nan), budget=BUDGET, rng=noise)
    assert not noise.draws
    for rows in (np.full((fewest, D), np.nan), np.zeros((fewest, D))):
        assert isinstance(AffineMean()(rows, budget=BUDGET, rng=noise).value, Abstention)
    with pytest.raises(ArgumentError, match=r"^budget = .*: expected ApproxDP with delta > 0"):
        AffineMean().plan(N, D, PureDP(1.0))


@pytest.mark.parametrize(("d", "n"), [(1, 10**6), (D, 10**5), (D, 10**6), (10, 10**6)])
def test_up_to_a_million_rows_there_is_a_plan_with_the_error_of_the_mean(d, n):
    assert AffineMean().predicted_error(n, d, BUDGET) < 1.1 * (d / n) ** 0.5


def test_rows_so_many_that_rounding_counts_are_refused():
    with pytest.raises(
        ArgumentError, match=r"^n = 1000000000: expected fewer, as rounding grows with n, for d = 3"
    ):
        AffineMean().plan(10**9, D, BUDGET)


@pytest.mark.parametrize(("budget", "d", "n"), SCALES)
def test_the_charge_is_that_of_the_proof_and_its_scale_the_least(budget, d, n):
    made = AffineMean().recipe(n, d, budget).design
    assert made.charge.sensitivity == 2 * made.test.shift
    assert (made.charge.spread, made.charge.most) == (made.test.change, made.test.most)
    least = located_normal_scale(made.charge)
    assert (1 - 1e-6) * least <= located_scale(made.charge) <= 1.002 * least


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_location_and_scatter_follow_an_affine_map(offset):
    """Of skew rows, whose median is no image of a median."""
    x, axes = np.random.default_rng(3).gamma(20.0, 1.0, (N, D)), rotated(D, 1e4, 1)
    (_, plain), (_, moved) = traced(x), traced(x @ axes.T + offset)
    assert plain["h"] == moved["h"] > 0
    back = np.linalg.inv(axes)
    assert back @ moved["scatter"] @ back.T == pytest.approx(plain["scatter"], rel=1e-5, abs=1e-5)
    assert back @ (moved["location"] - offset) == pytest.approx(plain["location"], abs=1e-6)


@pytest.mark.parametrize("centre", [0.0, 1e9])
def test_absent_rows_hold_nothing_up_wherever_the_others_are(centre):
    x = centre + np.random.default_rng(4).standard_normal((N, D))
    whole = traced(x)[1]
    x[:2, 1] = np.nan, np.inf
    found = traced(x)[1]
    assert found["h"] > 0
    assert np.linalg.norm(found["location"] - whole["location"]) < 0.01
    assert np.linalg.norm(found["scatter"] - whole["scatter"]) < 0.05 * np.linalg.norm(whole["scatter"])


@pytest.mark.parametrize(("condition", "answers"), [(1e4, True), (1e8, True), (1e12, False)])
def test_turned_rows_are_resolved_up_to_a_condition_of_some_1e8(condition, answers):
    test, counts = AffineMean().recipe(N, D, BUDGET).design.test, []
    for seed in range(6):
        z = np.random.default_rng((5, seed)).standard_normal((N, D))
        counts.append(test.count(z @ rotated(D, condition, seed).T)[0])
    assert min(counts) > 0 if answers else max(counts) == 0


def test_units_of_columns_may_be_anything():
    rows = np.random.default_rng(6).standard_normal((N, D))
    (_, plain), (_, scaled) = traced(rows), traced(rows * [1e-60, 1.0, 1e60])
    assert scaled["h"] == plain["h"] > 0
