"""Boxes and balls: neighbours move a histogram by one row, the budget is divided rightly, the range holds."""

from collections import Counter
from math import ceil, exp, log, sqrt

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binomtest

from workbench.distributions import Ball, Box, Gaussian
from workbench.errors import ArgumentError
from workbench.estimators import Abstention
from workbench.estimators.base import sanitised, standardised
from workbench.estimators.parts.locate.stable_centres import StableCentres
from workbench.estimators.range import ball, box
from workbench.estimators.range.ball import BallRange
from workbench.estimators.range.box import BoxRange
from workbench.losses import centre_error
from workbench.populations import MultivariateStudent
from workbench.privacy import ZCDP, ApproxDP, CountingNoise, GaussianDP, PureDP, SimulatedNoise, compose
from workbench.privacy.histograms import stability_charge, stability_threshold
from workbench.study.faults.replay import spied

BUDGETS = (ApproxDP(1.0, 1e-6), ZCDP(0.1, 1e-6), ApproxDP(0.3, 1e-3), ApproxDP(20.0, 1e-6))
HOSTILE = (np.nan, np.inf, -np.inf, 1e308, 1e100, -1e99, 1e15, 5e-324, 0.0, -0.0)
KINDS = [BoxRange(), BoxRange(sigma=2.0, calibration="paper"), BallRange(), BallRange(upper=4.0, moments=2)]
FALSE_ALARM = 1e-6


@pytest.mark.parametrize("cost", [ApproxDP(1.0, 1e-6), ZCDP(0.1, 1e-6)], ids=repr)
def test_a_replaced_row_moves_two_counts_by_one_in_every_coordinate(cost):
    rng, seen, recipe = np.random.default_rng(3), set(), StableCentres(2.0)
    declared = stability_charge("", cost).sensitivity
    for trial in range(2000):
        n, d = int(rng.integers(2, 9)), int(rng.integers(1, 4))
        x = rng.choice([0.5, 3.0, 1e6], (n, d)) + rng.integers(0, 2, (n, d))
        if trial % 3 == 0:
            x[rng.random((n, d)) < 0.3] = rng.choice(HOSTILE)
        other = x.copy()
        other[0] = rng.choice([*HOSTILE, 9.0, -1e6], d)
        keys = [recipe.keys(standardised(sanitised(rows), 0.0, 3.0)) for rows in (x, other)]
        for first, second in zip(*(list(one.T) for one in keys), strict=True):
            here, there = Counter(first.tolist()), Counter(second.tolist())
            gaps = np.array([here[key] - there[key] for key in {*here, *there}], float)
            size = np.abs(gaps).sum() if isinstance(cost, ApproxDP) else sqrt((gaps**2).sum())
            assert size <= declared * (1 + 1e-12)
            seen.add(bool(size >= declared * (1 - 1e-12)))
    assert seen == {True, False}


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
        cost = BoxRange().plan(60, d, budget)["coordinate 1"].cost
        paper = BoxRange(calibration="paper").plan(60, d, budget)["coordinate 1"].cost
        kinds.add(type(cost))
        assert stability_threshold(cost) < stability_threshold(paper)
        assert stability_threshold(cost) <= stability_threshold(ApproxDP(1.0 / d, 1e-6 / d))
        assert paper.epsilon == pytest.approx(0.9 / sqrt(8 * d * log(2e6)))
    assert kinds == {ApproxDP, ZCDP}


def test_a_lone_row_shows_with_probability_at_most_delta():
    budget, runs, estimator = ApproxDP(1.0, 0.05), 2000, BoxRange()
    lone = np.array([[0.0], [1e6]])  # each bin has one row; the second is not there for its neighbour
    values = [estimator(lone, budget=budget, rng=np.random.default_rng(seed)).value for seed in range(runs)]
    shown = sum(isinstance(value, Box) and value.centre[0] > 1e5 for value in values)
    assert shown > 0
    assert binomtest(shown, runs, budget.delta, alternative="greater").pvalue > FALSE_ALARM


@pytest.mark.parametrize("calibration", ["tight", "paper"])
def test_a_box_holds_all_normal_rows_wherever_the_mean_lies(calibration):
    estimator, n, d, runs = BoxRange(beta=0.2, calibration=calibration), 3000, 4, 100
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
    assert BoxRange(calibration="paper", beta=0.1).half_width(100, 3) == pytest.approx(4 * sqrt(log(3000)))
    assert BoxRange(beta=0.1).half_width(100, 3) == pytest.approx(3 + sqrt(2 * log(6000)))
    assert BallRange(corruption=0.04, upper=9.0).outer_radius(4) == pytest.approx(3 * 2 * (6 + 5))
    constant = BallRange(corruption=0.01, moments=2, hypercontractivity=9.0)
    assert constant.outer_radius(1) == pytest.approx(6 + 900**0.25)


def test_the_masses_behind_the_bounds():
    places = np.linspace(0, box.BOX_WIDTH, 2001)
    bins = np.arange(-6, 6)[:, None] * box.BOX_WIDTH
    masses = ndtr(bins + box.BOX_WIDTH - places) - ndtr(bins - places)
    assert masses.max(axis=0).min() == pytest.approx(box.BEST, abs=1e-6)
    near = np.abs(bins + box.BOX_WIDTH / 2 - places) <= 1.5 * box.BOX_WIDTH
    assert (masses * ~near).sum(axis=0).max() <= box.FAR
    assert pytest.approx(1 - ball.FAR) == ball.BEST * 3
    assert pytest.approx(1 / ball.BALL_WIDTH**2) == ball.FAR


@pytest.mark.parametrize("estimator", [BoxRange(sigma=2.0), BallRange(upper=4.0)], ids=repr)
def test_the_error_bound_holds_and_becomes_finite_with_n(estimator):
    d, beta, budget = 3, 0.1, ApproxDP(1.0, 1e-6)
    finite = [n for n in (30, 100, 300, 1000, 3000) if np.isfinite(estimator.error_bound(n, d, budget, beta))]
    assert finite
    assert 30 not in finite
    assert estimator.error_bound(finite[-1], d, budget, beta) == pytest.approx(
        2 * sqrt(d) * (3 if isinstance(estimator, BoxRange) else 6)
    )
    rng = np.random.default_rng(1)
    for seed in range(100):
        mean = rng.uniform(-50, 50, d)
        x = mean + 2 * rng.standard_normal((finite[0], d))
        value = estimator(x, budget=budget, rng=np.random.default_rng(seed)).value
        assert centre_error(value, Gaussian(mean, np.eye(d))) <= estimator.error_bound(
            finite[0], d, budget, beta
        )


def test_a_ball_holds_most_clean_rows_although_a_share_is_corrupted():
    estimator, n, d = BallRange(corruption=0.05), 4000, 3
    law = MultivariateStudent(Gaussian(np.full(d, 100.0), np.eye(d)), 2.5)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x = law.sample(n, rng=rng)
        x[: n // 20] = 1e4 * rng.standard_normal(d)
        value = estimator(x, budget=ApproxDP(1.0, 1e-6), rng=rng).value
        assert isinstance(value, Ball)
        assert value.contains(x[n // 20 :]).mean() >= 1 - 2 * 0.05


def test_the_source_takes_medians_over_parts_fixed_by_row_numbers():
    estimator, d, budget = BallRange(calibration="paper", beta=0.2), 2, ZCDP(4.0, 1e-3)
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
    with spied() as events:
        estimator(x, budget=budget, rng=np.random.default_rng(2))
    x[parts + 1] = 1e9  # row parts + 1 lies in part 2
    with spied(events) as again:
        estimator(x, budget=budget, rng=np.random.default_rng(2))
    moved = [
        first.charge.step
        for first, second in zip(events, again, strict=True)
        if first.statistic != second.statistic
    ]
    assert moved == ["coordinate 1, part 2", "coordinate 2, part 2"]


def test_few_rows_give_no_answer_and_every_coordinate_is_drawn():
    noise = CountingNoise(SimulatedNoise(np.random.default_rng(1)))
    x = np.column_stack([np.arange(20) * 1e3, np.zeros(20)])
    value = BoxRange()(x, budget=ApproxDP(1.0, exp(-20)), rng=noise).value
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
