"""Boxes and balls: neighbours move a histogram by one row, the budget is divided rightly, the range holds."""

from math import ceil, exp, log, sqrt

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binomtest

from workbench.distributions import Ball, Box, Gaussian
from workbench.errors import ArgumentError
from workbench.estimators import Abstention
from workbench.estimators.range import ball, box
from workbench.estimators.range.ball import BallRange
from workbench.estimators.range.box import BoxRange
from workbench.populations import MultivariateStudent
from workbench.privacy import ZCDP, ApproxDP, CountingNoise, GaussianDP, PureDP, SimulatedNoise, compose
from workbench.privacy.histograms import stability_threshold

BUDGETS = (ApproxDP(1.0, 1e-6), ZCDP(0.1, 1e-6), ApproxDP(0.3, 1e-3), ApproxDP(20.0, 1e-6))
KINDS = [
    BoxRange(sigma=1.0),
    BoxRange(sigma=2.0, calibration="paper"),
    BallRange(upper=1.0),
    BallRange(upper=4.0, moments=2),
]
FALSE_ALARM = 1e-6


@pytest.mark.parametrize("d", [1, 3, 40])
@pytest.mark.parametrize("budget", BUDGETS, ids=repr)
@pytest.mark.parametrize("estimator", KINDS, ids=repr)
def test_the_plan_delivers_the_budget_and_is_drawn_for_any_rows(estimator, budget, d):
    n = 60
    plan = estimator.plan(n, d, budget)
    delivered = compose(plan)
    for name, wanted in vars(budget).items():
        assert getattr(delivered, name) == pytest.approx(wanted, rel=1e-12)
    for x in (np.zeros((n, d)), np.full((n, d), np.nan), np.random.default_rng(1).standard_normal((n, d))):
        noise = CountingNoise(SimulatedNoise(np.random.default_rng(2)))
        estimator(x, budget=budget, rng=noise)
        assert [draw.sensitivity for draw in noise.draws] == [c.sensitivity for c in plan.charges()]
        assert {draw.size for draw in noise.draws} == {n}


def test_an_approximate_budget_is_divided_in_the_cheaper_way():
    budget, kinds = ApproxDP(1.0, 1e-6), set()
    for d in (1, 2, 5, 20, 100):
        cost = BoxRange(sigma=1.0).plan(60, d, budget)["coordinate 1"].cost
        paper = BoxRange(calibration="paper", sigma=1.0).plan(60, d, budget)["coordinate 1"].cost
        kinds.add(type(cost))
        assert stability_threshold(cost) < stability_threshold(paper)
        assert stability_threshold(cost) <= stability_threshold(ApproxDP(1.0 / d, 1e-6 / d))
        assert paper.epsilon == pytest.approx(0.9 / sqrt(8 * d * log(2e6)))
    assert kinds == {ApproxDP, ZCDP}


@pytest.mark.parametrize("calibration", ["tight", "paper"])
def test_a_box_holds_all_normal_rows_wherever_the_mean_lies(calibration):
    estimator, n, d, runs = BoxRange(beta=0.2, calibration=calibration, sigma=1.0), 3000, 4, 100
    held = 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        mean = rng.uniform(-1e6, 1e6, d)
        x = mean + rng.standard_normal((n, d))
        value = estimator(x, budget=ApproxDP(1.0, 1e-6), rng=rng).value
        assert isinstance(value, Box)
        held += bool(value.contains(x).all())
        assert np.abs(value.centre - mean).max() <= 3
    assert binomtest(held, runs, 0.8, alternative="less").pvalue > FALSE_ALARM


def test_half_widths_are_the_formulas():
    assert BoxRange(calibration="paper", beta=0.1, sigma=1.0).half_width(100, 3) == pytest.approx(
        4 * sqrt(log(3000))
    )
    assert BoxRange(beta=0.1, sigma=1.0).half_width(100, 3) == pytest.approx(3 + sqrt(2 * log(6000)))
    assert BallRange(corruption=0.04, upper=9.0).outer_radius(4) == pytest.approx(3 * 2 * (6 + 5))
    constant = BallRange(corruption=0.01, moments=2, hypercontractivity=9.0, upper=1.0)
    assert constant.outer_radius(1) == pytest.approx(6 + 900**0.25)
    budget = ApproxDP(1.0, 1e-6)
    assert BoxRange(sigma=2.0).error_bound(3000, 3, budget, 0.1) == pytest.approx(2 * sqrt(3) * 3)
    assert BallRange(upper=4.0).error_bound(3000, 3, budget, 0.1) == pytest.approx(2 * sqrt(3) * 6)


def test_the_masses_behind_the_bounds():
    places = np.linspace(0, box.BOX_WIDTH, 2001)
    bins = np.arange(-6, 6)[:, None] * box.BOX_WIDTH
    masses = ndtr(bins + box.BOX_WIDTH - places) - ndtr(bins - places)
    assert masses.max(axis=0).min() == pytest.approx(box.BEST, abs=1e-6)
    near = np.abs(bins + box.BOX_WIDTH / 2 - places) <= 1.5 * box.BOX_WIDTH
    assert (masses * ~near).sum(axis=0).max() <= box.FAR
    assert pytest.approx(1 - ball.FAR) == ball.BEST * 3
    assert pytest.approx(1 / ball.BALL_WIDTH**2) == ball.FAR


def test_a_ball_holds_most_clean_rows_although_a_share_is_corrupted():
    estimator, n, d = BallRange(corruption=0.05, upper=1.0), 4000, 3
    law = MultivariateStudent(Gaussian(np.full(d, 100.0), np.eye(d)), 2.5)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x = law.sample(n, rng=rng)
        x[: n // 20] = 1e4 * rng.standard_normal(d)
        value = estimator(x, budget=ApproxDP(1.0, 1e-6), rng=rng).value
        assert isinstance(value, Ball)
        assert value.contains(x[n // 20 :]).mean() >= 1 - 2 * 0.05


def test_the_source_takes_medians_over_parts_fixed_by_row_numbers():
    estimator, d, budget = BallRange(calibration="paper", beta=0.2, upper=1.0), 2, ZCDP(4.0, 1e-3)
    parts = ceil(200 * log(2 * d / 0.2))
    plan = estimator.plan(60 * parts, d, budget)
    assert len(list(plan.charges())) == d * parts
    assert compose(plan) == budget
    with pytest.raises(ArgumentError, match="n = "):
        estimator.plan(parts - 1, d, budget)
    x = np.array([77.0, -3.0]) + np.random.default_rng(1).standard_normal((60 * parts, d))
    value = estimator(x, budget=budget, rng=np.random.default_rng(2)).value
    assert isinstance(value, Ball)
    assert np.abs(value.centre - [77.0, -3.0]).max() <= 6


def test_few_rows_give_no_answer_and_every_coordinate_is_drawn():
    noise = CountingNoise(SimulatedNoise(np.random.default_rng(1)))
    x = np.column_stack([np.arange(20) * 1e3, np.zeros(20)])
    value = BoxRange(sigma=1.0)(x, budget=ApproxDP(1.0, exp(-20)), rng=noise).value
    assert value == Abstention("coordinate 1")
    assert len(noise.draws) == 2


@pytest.mark.parametrize(
    "budget", [PureDP(1.0), GaussianDP(1.0), ZCDP(1.0), ApproxDP(1.0, 0.0), ApproxDP(1.0, 0.5)]
)
def test_other_budgets_are_refused(budget):
    for estimator in KINDS:
        with pytest.raises(ArgumentError) as error:
            estimator.plan(100, 2, budget)
        assert error.value.argument == "budget"
