"""One private location: its design against runs on normal rows, and what it draws.

False alarms: each test of runs about 1 in 10^4.
"""

from functools import lru_cache
from math import sqrt

import numpy as np
import pytest

from workbench.errors import ArgumentError
from workbench.estimators.parts.affine.design import fewest_rows
from workbench.estimators.parts.affine.location import LiftedLocation
from workbench.privacy import ApproxDP, SimulatedNoise
from workbench.privacy.stable import chances as located_chances
from workbench.privacy.stable import located_scale

RUNS, BUDGET, BETA = 300, ApproxDP(1.0, 1e-6), 0.1
SIZES = {2: 1500, 5: 2500}


def shape(d):
    """A covariance of condition about 10^4, rotated, and a mean some 10^7 sds away."""
    rng = np.random.default_rng(d)
    return rng.normal(size=(d, d)) * np.logspace(-1, 1, d), 1e7 * rng.normal(size=d)


@lru_cache
def runs(d, n):
    """Errors in the norm of Σ of runs with an answer, noise in it, how many had none, and their counts."""
    made, (root, mean), rng = LiftedLocation(n, d, BUDGET, BETA), shape(d), np.random.default_rng((9, d))
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


@pytest.mark.parametrize(("d", "n"), SIZES.items())
def test_the_error_is_as_predicted(d, n):
    """Each within 15 %: the sd of a root mean square of 300 runs is 3 % at most."""
    made, errors, noises, _ = runs(d, n)
    assert sqrt(noises.mean()) == pytest.approx(made.design.noise, rel=0.15)
    assert sqrt(errors.mean()) == pytest.approx(made.design.error, rel=0.15)
    assert sqrt(np.median(errors)) == pytest.approx(made.predicted_error, rel=0.15)


@pytest.mark.parametrize(("d", "n"), SIZES.items())
def test_no_answer_is_as_rare_as_asked_for(d, n):
    """At most β; 4 sds of the count of 300 runs are .07, so that a share of .17 is found every other time."""
    made, errors, _, counts = runs(d, n)
    assert 1 - len(errors) / RUNS <= BETA + 4 * sqrt(BETA * (1 - BETA) / RUNS)
    answers = np.array(located_chances(made.design.charge))[counts]
    assert 1 - answers.mean() <= BETA  # without the luck of answers


def test_where_answers_are_planned_too_rarely_runs_show_it():
    made = LiftedLocation(1500, 2, BUDGET, BETA).design
    assert located_chances(made.charge)[made.test.most] >= 1 - BETA / 5
    assert located_chances(made.charge)[made.test.most // 2] < 0.5


def test_the_fewest_rows_have_a_design_and_fewer_have_none():
    fewest = fewest_rows(2, BUDGET, BETA)
    assert LiftedLocation(fewest, 2, BUDGET, BETA).design.error <= 1
    with pytest.raises(ArgumentError, match=rf"^n = .*: expected at least {fewest} for d = 2"):
        _ = LiftedLocation(int(fewest / 1.02), 2, BUDGET, BETA).design


@pytest.mark.parametrize("budget", [BUDGET, ApproxDP(3.0, 1e-4)], ids=str)
def test_error_falls_with_rows_to_that_of_the_mean(budget):
    errors = [LiftedLocation(n, 3, budget, BETA).design.error for n in (10_000, 10**5, 10**6)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1.1 * sqrt(3 / 10**6)


@pytest.mark.parametrize("d", [1, 3])
def test_answers_follow_an_affine_map(d):
    """The same noise, of the shape that the rows have: the map of the answer, but for a rotation of Z."""
    root, mean = shape(d)
    x, made = np.random.default_rng(3).normal(size=(4000, d)), LiftedLocation(4000, d, BUDGET, BETA)
    lengths = []
    for a, b in ((np.eye(d), np.zeros(d)), (root, mean / 1e5)):
        found = made.design.test.located(x @ a.T + b)
        out = made.draw(x @ a.T + b, SimulatedNoise(np.random.default_rng(1)))
        lengths.append(float(np.linalg.norm(np.linalg.solve(found.root, out - found.centre - found.shift))))
    assert lengths[1] == pytest.approx(lengths[0], rel=1e-4)


@pytest.mark.filterwarnings("error")
def test_what_is_drawn_does_not_depend_on_rows():
    made, normal = LiftedLocation(1500, 2, BUDGET, BETA), np.random.default_rng(1).normal(size=(1500, 2))
    after, shown = set(), []
    for rows in (normal, np.zeros((1500, 2)), np.exp(3 * normal), np.sign(normal) * 1e100):
        rng = np.random.default_rng(5)
        shown.append(made.draw(rows, SimulatedNoise(rng)))
        after.add(float(rng.random()))
    assert len(after) == 1
    assert shown[0] is not None
    assert shown[1] is None


@pytest.mark.parametrize("delta", [0.0, 1e-14])
def test_a_delta_that_no_ramp_has_is_refused_by_its_name(delta):
    with pytest.raises(ArgumentError, match=r"^delta = .*: expected at least 1e-13"):
        _ = LiftedLocation(4000, 2, ApproxDP(1.0, delta), BETA).design
    with pytest.raises(ArgumentError, match=r"^delta = .*: expected at least 1e-13"):
        fewest_rows(2, ApproxDP(1.0, delta), BETA)
