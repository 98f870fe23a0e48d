"""The mean of any Gaussian from lifted rows: what is charged, errors as predicted, far and absent rows.

False alarms: each test of runs about 1 in 10^4.
"""

from functools import lru_cache
from math import floor, sqrt

import numpy as np
import pytest

from workbench.contracts.ramps import located_normal_scale
from workbench.errors import ArgumentError
from workbench.estimators import Abstention
from workbench.estimators.affine import AffineMean, LiftedLocation
from workbench.estimators.affine import fewest_located as fewest_rows
from workbench.estimators.base import Trace
from workbench.estimators.matrix_quantile import MatrixQuantileCovariance
from workbench.estimators.stable_quantile import Influence, LiftedStability, quantile
from workbench.privacy import ApproxDP, SimulatedNoise
from workbench.privacy.stable import chances as located_chances
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


@pytest.mark.parametrize(("d", "n"), [(1, 10**6), (D, 10**5), (D, 10**6), (10, 10**6)])
def test_up_to_a_million_rows_there_is_a_plan_with_the_error_of_the_mean(d, n):
    assert AffineMean().predicted_error(n, d, BUDGET) < 1.1 * (d / n) ** 0.5


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


RUNS, USUAL, BETA = 300, ApproxDP(1.0, 1e-6), 0.1


SIZES = {2: 1500, 5: 2500}


def shape(d):
    """A covariance of condition about 10^4, rotated, and a mean some 10^7 sds away."""
    rng = np.random.default_rng(d)
    return rng.normal(size=(d, d)) * np.logspace(-1, 1, d), 1e7 * rng.normal(size=d)


@lru_cache
def runs(d, n):
    """Errors in the norm of Σ of runs with an answer, noise in it, how many had none, and their counts."""
    made, (root, mean), rng = LiftedLocation(n, d, USUAL, BETA), shape(d), np.random.default_rng((9, d))
    sigma, errors, noises, counts = located_scale(made.design.charge), [], [], []
    for _ in range(RUNS):
        x = rng.normal(size=(n, d)) @ root.T
        found = made.design.test.located(x)
        shape_of = np.linalg.solve(root, found.root)
        noises.append(sigma**2 * (shape_of**2).sum())
        counts.append(found.count)
        out = made.draw(x + mean, SimulatedNoise(rng))
        if out is not None:
            errors.append(float(np.sum(np.linalg.solve(root, out - mean) ** 2)))
    return made, np.array(errors), np.array(noises), np.array(counts)


@pytest.mark.daily
@pytest.mark.parametrize(("d", "n"), SIZES.items())
def test_the_error_is_as_predicted(d, n):
    """Each within 15 %: the sd of a root mean square of 300 runs is 3 % at most."""
    made, errors, noises, _ = runs(d, n)
    assert sqrt(noises.mean()) == pytest.approx(made.design.noise, rel=0.15)
    assert sqrt(errors.mean()) == pytest.approx(made.design.error, rel=0.15)
    assert sqrt(np.median(errors)) == pytest.approx(AffineMean().predicted_error(n, d, USUAL), rel=0.15)


@pytest.mark.daily
@pytest.mark.parametrize(("d", "n"), SIZES.items())
def test_no_answer_is_as_rare_as_asked_for(d, n):
    """At most β; 4 sds of the count of 300 runs are .07, so that a share of .17 is found every other time."""
    made, errors, _, counts = runs(d, n)
    assert 1 - len(errors) / RUNS <= BETA + 4 * sqrt(BETA * (1 - BETA) / RUNS)
    answers = np.array(located_chances(made.design.charge))[counts]
    assert 1 - answers.mean() <= BETA  # without the luck of answers


@pytest.mark.parametrize("delta", [0.0, 1e-14])
def test_a_delta_that_no_ramp_has_is_refused_by_its_name(delta):
    with pytest.raises(ArgumentError, match=r"^delta = .*: expected at least 1e-13"):
        _ = LiftedLocation(4000, 2, ApproxDP(1.0, delta), BETA).design
    with pytest.raises(ArgumentError, match=r"^delta = .*: expected at least 1e-13"):
        fewest_rows(2, ApproxDP(1.0, delta), BETA)


SPOILT, CASES = 80, 120


def others(rng, k, d):
    """Rows in one place, on a line, or anywhere, up to 10^12 sds away."""
    away, one = 10.0 ** rng.uniform(0, 12), rng.normal(size=(k, d))
    kinds = (away + 1e-3 * one, away * one, np.outer(away ** rng.random(k), np.ones(d)), 1e100 * np.sign(one))
    return kinds[rng.integers(len(kinds))]


def spoilt(seed):
    """A test, rows of which k are others, at most what the test holds, and the rest; the test is weak."""
    rng = np.random.default_rng((11, seed))
    d, level = int(rng.integers(1, 4)), rng.uniform(0.15, 0.3) * SPOILT
    strength, knee = rng.uniform(1.02, 4.0), float(rng.choice([0.3, 1.0]))
    test = LiftedStability(SPOILT, d + 1, Influence(knee), level, 2, strength, least=rng.uniform(0.2, 1.0))
    k = int(rng.integers(1, floor(test.held * SPOILT) + 1))
    rest = rng.normal(size=(SPOILT - k, d))
    return test, rng.permutation(np.vstack([rest, others(rng, k, d)])), rest


def carried(test, found, rest):
    """P_u over what bounds it, and the location's distance over its bound √(C/s): at most 1 where h ≥ 1."""
    u, d = test.level, rest.shape[1]
    most = (u + 1) / test.strength
    lifted = np.c_[np.ones(len(rest)), rest]
    bound = quantile(lifted, u + 1 - (SPOILT - len(rest)), test.influence.knee)
    s, m = bound[0, 0], bound[1:, 0] / bound[0, 0]
    root = np.block([[np.array([[found.height]]), np.zeros((1, d))],
                     [found.height * (found.centre + found.shift)[:, None], found.root]])  # fmt: skip
    scatter = np.linalg.cholesky(bound[1:, 1:] - s * np.outer(m, m))
    grown = np.linalg.norm(np.linalg.solve(np.linalg.cholesky(bound), root), ord=2) ** 2
    moved = np.linalg.norm(np.linalg.solve(scatter, found.centre + found.shift - m))
    return grown / most, moved * found.height / np.sqrt(most)


@pytest.mark.daily
def test_a_share_that_is_held_carries_neither_matrix_nor_location_away():
    answered, worst = 0, [0.0, 0.0]
    for seed in range(CASES):
        test, rows, rest = spoilt(seed)
        found = test.lift(rows)
        if found.count:
            answered += 1
            worst = np.maximum(worst, carried(test, found, rest))
    assert answered >= CASES / 4
    assert (worst <= 1 + 1e-6).all()
    assert worst[0] > 0.2


def spoilt_runs(estimator, n, share, error):
    """Errors of eight runs with a share of the rows far away in one place; no answer is an infinite one."""
    found = []
    for seed in range(8):
        rng = np.random.default_rng((12, seed))
        x = rng.normal(size=(n, 2))
        x[: round(share * n)] += 1e4
        value = estimator(x, budget=USUAL, rng=rng).value
        found.append(np.inf if isinstance(value, Abstention) else error(value))
    return np.array(found)


ENTRIES = [
    (AffineMean(), 1500, np.linalg.norm, "14%"),
    (MatrixQuantileCovariance(centred=True), 1200, lambda value: np.linalg.norm(value) ** 0.5, ""),
]


@pytest.mark.daily
@pytest.mark.parametrize(("estimator", "n", "error", "said"), ENTRIES, ids=["mean", "covariance"])
def test_more_rows_than_it_says_in_one_place_carry_an_answer_away(estimator, n, error, said):
    words = estimator.other_rows(n, 2, USUAL)
    share = float(words.split("up to ")[1].split("%")[0]) / 100
    assert said in words
    assert words in str(estimator(np.zeros((n, 2)), budget=USUAL, rng=np.random.default_rng(1)))
    below, above = (spoilt_runs(estimator, n, times * share, error) for times in (0.9, 2.2))
    assert not ((below > 100) & (below < np.inf)).any()
    assert ((above > 100) & (above < np.inf)).sum() >= 4
