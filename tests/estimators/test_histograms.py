"""Locations, boxes and balls: budgets are divided rightly, and releases hold the mean or the rows."""

from math import ceil, exp, log, sqrt

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binomtest

from tests.estimators.streams import holes, rng
from workbench import BallRange, BoxRange, StableLocation
from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.estimators import Abstention, histograms
from workbench.populations import MultivariateStudent
from workbench.privacy import (
    ZCDP,
    ApproxDP,
    CountingNoise,
    GaussianDP,
    PureDP,
    SimulatedNoise,
    UnitNoise,
    compose,
)
from workbench.privacy.histograms import stability_charge, stability_histogram, stability_threshold

APPROX = ApproxDP(1.0, 1e-6)
KINDS = [
    BoxRange(sigma=1.0),
    BoxRange(sigma=2.0, calibration="paper"),
    BallRange(upper=1.0),
    BallRange(upper=4.0, moments=2),
]
FALSE_ALARM = 1e-6


def test_an_approximate_budget_is_divided_in_the_cheaper_way():
    kinds = set()
    for d in (1, 2, 5, 20, 100):
        cost = BoxRange(sigma=1.0).plan(60, d, APPROX)["coordinate 1"].cost
        paper = BoxRange(calibration="paper", sigma=1.0).plan(60, d, APPROX)["coordinate 1"].cost
        kinds.add(type(cost))
        assert stability_threshold(cost) < stability_threshold(paper)
        assert stability_threshold(cost) <= stability_threshold(ApproxDP(1.0 / d, 1e-6 / d))
        assert paper.epsilon == pytest.approx(0.9 / sqrt(8 * d * log(2e6)))
    assert kinds == {ApproxDP, ZCDP}


@pytest.mark.parametrize("budget", [APPROX, ApproxDP(20.0, 1e-6), ApproxDP(0.3, 1e-3), ZCDP(0.1, 1e-6)])
def test_forty_coordinates_together_cost_the_budget(budget):
    for estimator in KINDS:
        delivered = vars(compose(estimator.plan(60, 40, budget)))
        assert delivered == pytest.approx(vars(budget), rel=1e-12)


@pytest.mark.parametrize("calibration", ["tight", "paper"])
def test_a_box_holds_all_normal_rows_wherever_the_mean_lies(calibration):
    estimator, n, d, runs = BoxRange(beta=0.2, calibration=calibration, sigma=1.0), 3000, 4, 100
    held = 0
    for seed in range(runs):
        mean = rng(seed).uniform(-1e6, 1e6, d)
        x = mean + rng(seed).standard_normal((n, d))
        value = estimator(x, budget=APPROX, rng=rng(seed)).value
        held += bool(value.contains(x).all())
        assert np.abs(value.centre - mean).max() <= 3
    assert binomtest(held, runs, 0.8, alternative="less").pvalue > FALSE_ALARM


@pytest.mark.parametrize(
    ("estimator", "d", "size"),
    [
        (BoxRange(calibration="paper", beta=0.1, sigma=2.0), 3, 2 * 4 * sqrt(log(30_000))),
        (BoxRange(beta=0.1, sigma=2.0), 3, 2 * (3 + sqrt(2 * log(60_000)))),
        (BallRange(corruption=0.04, upper=9.0), 4, 3 * 2 * (6 + 5)),
        (BallRange(corruption=0.01, moments=2, hypercontractivity=9.0, upper=1.0), 1, 6 + 900**0.25),
    ],
)
def test_the_sizes_of_boxes_and_balls_are_the_formulas(estimator, d, size):
    value = estimator(np.zeros((1000, d)), budget=APPROX, rng=UnitNoise()).value
    assert np.max(getattr(value, "radius", 0) or value.half_widths) == pytest.approx(size)


def test_bounds_are_finite_where_rows_suffice():
    assert BoxRange(sigma=2.0).error_bound(3000, 3, APPROX, 0.1) == pytest.approx(2 * sqrt(3) * 3)
    assert BallRange(upper=4.0).error_bound(3000, 3, APPROX, 0.1) == pytest.approx(2 * sqrt(3) * 6)
    assert StableLocation(sigma=2.0).error_bound(3000, 1, APPROX, 0.1) == 5.0
    for one in (BoxRange(sigma=2.0), BallRange(upper=4.0), StableLocation(sigma=2.0)):
        assert one.error_bound(60, 1, APPROX, 0.1) == np.inf


def test_the_masses_behind_the_bounds():
    for width, best in ((1.0, histograms.BEST), (histograms.BOX_WIDTH, histograms.BOX_BEST)):
        places = np.linspace(0, width, 2001)
        bins = np.arange(-12, 12)[:, None] * width
        masses = ndtr(bins + width - places) - ndtr(bins - places)
        assert masses.max(axis=0).min() == pytest.approx(best, abs=1e-6)
        near = np.abs(bins + width / 2 - places) <= max(1.5 * width, histograms.REACH)
        assert (masses * ~near).sum(axis=0).max() <= histograms.FAR_MASS
    assert pytest.approx(1 - histograms.BALL_FAR) == histograms.BALL_BEST * 3
    assert pytest.approx(1 / histograms.BALL_WIDTH**2) == histograms.BALL_FAR


def test_a_ball_holds_most_clean_rows_although_a_share_is_corrupted():
    estimator, n, d = BallRange(corruption=0.05, upper=1.0), 4000, 3
    law = MultivariateStudent(Gaussian(np.full(d, 100.0), np.eye(d)), 2.5)
    for seed in range(20):
        x = law.sample(n, rng=rng(seed))
        x[: n // 20] = 1e4 * rng(seed).standard_normal((n // 20, d))
        value = estimator(x, budget=APPROX, rng=rng(seed)).value
        assert value.contains(x[n // 20 :]).mean() >= 1 - 2 * 0.05


def test_the_source_takes_medians_over_parts_fixed_by_row_numbers():
    estimator, d, budget = BallRange(calibration="paper", beta=0.2, upper=1.0), 2, ZCDP(4.0, 1e-3)
    parts = ceil(200 * log(2 * d / 0.2))
    plan = estimator.plan(60 * parts, d, budget)
    assert len(list(plan.charges())) == d * parts
    assert compose(plan) == budget
    with pytest.raises(ArgumentError, match="n = "):
        estimator.plan(parts - 1, d, budget)
    x = np.array([77.0, -3.0]) + rng(1).standard_normal((60 * parts, d))
    value = estimator(x, budget=budget, rng=rng(2)).value
    assert np.abs(value.centre - [77.0, -3.0]).max() <= 6


def test_few_rows_give_no_answer_and_every_coordinate_is_drawn():
    noise = CountingNoise(SimulatedNoise(rng(1)))
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


@pytest.mark.parametrize("radius", [None, 60.0])
def test_histograms_are_those_of_the_other_rows(radius):
    x, others = holes(200)
    recipe = histograms.UnitHistogram(radius)
    if radius is not None:
        assert (recipe.counts(x) == recipe.counts(others)).all()
        return
    charge = stability_charge("locate", APPROX)
    found, wanted = (stability_histogram(recipe.keys(part), charge, UnitNoise()) for part in (x, others))
    assert found == wanted != {}


def test_a_stability_histogram_draws_for_every_row_and_keeps_no_bin_for_absent_ones():
    drawn = []

    class Listener(UnitNoise):
        def discrete_laplace(self, value, *_):
            drawn.append(len(value))
            return np.asarray(value, float) + 1e6

    keys = np.array([1.0, np.nan, 1.0, np.nan, np.nan])
    charge = stability_charge("bins", APPROX)
    assert stability_histogram(keys, charge, Listener()).keys() == {1.0}
    assert drawn == [5]
