"""Votes of robust groups: designs, sizes that the plan states, errors under attack, and what they refuse."""

import numpy as np
import pytest

from tests.estimators.robust_table import (
    CORRUPTIONS,
    MEAN_D,
    MEAN_SIZES,
    SIZES,
    lowered,
    mean_row,
    row,
)
from tests.estimators.streams import rng
from workbench.bounds.corruption import mean_unit, unit
from workbench.chapters.any_gaussian import attacks
from workbench.errors import ArgumentError
from workbench.estimators import Abstention
from workbench.estimators.populous_robust import (
    FAR,
    PopulousRobustCovariance,
    PopulousRobustGaussian,
    PopulousRobustMean,
    rows_for,
    table,
)
from workbench.estimators.votes import covariance_moves, norm_moves
from workbench.privacy import ApproxDP

BUDGET = ApproxDP(1.0, 1e-6)


def test_the_table_has_a_row_for_every_size_and_grows_with_corruption():
    expected = {("covariance", d, size, share) for d in SIZES for size in SIZES[d] for share in CORRUPTIONS}
    expected |= {("mean", d, size, share) for d in MEAN_D for size in MEAN_SIZES for share in CORRUPTIONS}
    assert {(one.of, one.d, one.size, one.corruption) for one in table()} == expected
    errors = {(one.of, one.d, one.size, one.corruption): one.error for one in table()}
    for of, d, size, _ in errors:
        assert errors[of, d, size, 0.02] < errors[of, d, size, 0.05] < errors[of, d, size, 0.1]
    assert all(one.limits == tuple(sorted(one.limits, reverse=True)) for one in table())
    assert len(FAR) == len(table()[0].limits)


@pytest.mark.daily
def test_the_table_is_what_its_script_makes():
    made = {("covariance", 1, 24): row(1, 24, 0.05), ("mean", 1, 8): mean_row(1, 8, 0.05)}
    for (of, d, size), fresh in made.items():
        (kept,) = [one for one in rows_for(d, 0.05, of) if one.size == size]
        assert kept.limits == pytest.approx(fresh["limits"], rel=1e-3)
        assert (kept.error, kept.deviation, kept.scale) == pytest.approx(
            (fresh["error"], fresh["deviation"], fresh["scale"]), rel=1e-3
        )


def test_a_share_between_those_of_the_table_takes_the_larger():
    assert rows_for(2, 0.03) == rows_for(2, 0.05)
    assert rows_for(2, 0.02) != rows_for(2, 0.05)
    for wrong in ({"d": 5, "corruption": 0.05}, {"d": 2, "corruption": 0.11}):
        with pytest.raises(ArgumentError):
            rows_for(**wrong)


def test_what_is_charged_is_what_the_thresholds_prove():
    vote, made = PopulousRobustCovariance(corruption=0.05, centred=True), None
    made = vote.recipe(45_000, 1, BUDGET).design
    k, thresholds = made.vote.k, made.vote
    shares = (np.array(thresholds.nobody / k), np.array(thresholds.everybody / k))
    moved = covariance_moves(k, *shares, thresholds.quorum / k**2, made.limit)
    assert made.charges[1].sensitivity == pytest.approx(float(moved))
    assert made.charges[0].sensitivity == 2 * (k - 1)
    mean = PopulousRobustMean(corruption=0.05, sigma=1.0).recipe(8000, 2, BUDGET).design
    k, thresholds = mean.vote.k, mean.vote
    shares = (np.array(thresholds.nobody / k), np.array(thresholds.everybody / k))
    moved = norm_moves(k, *shares, thresholds.quorum / k**2, mean.limit)
    assert mean.charges[1].sensitivity == pytest.approx(float(moved))


@pytest.mark.parametrize(("d", "n"), [(1, 45_000), (2, 140_000)])
def test_the_plan_states_rows_for_three_units(d, n):
    estimator = PopulousRobustCovariance(corruption=0.05, centred=True)
    assert estimator.error_bound(n, d, BUDGET, 0.1) <= 3 * unit(0.05)


@pytest.mark.daily
@pytest.mark.parametrize("attack", ["planted", "far", "top-to-zero", "small-to-quantile"])
@pytest.mark.parametrize(("d", "n"), [(1, 45_000), (2, 140_000)])
def test_covariances_err_by_three_units_under_attack(d, n, attack):
    point = {"d": d, "n": n, "corruption": 0.05, "attack": attack}
    found = attacks.votes(**point, trials=2, data=rng(1), noise=rng(2))
    assert not found["abstained"].any()
    assert found["error"].mean() <= 3


def test_means_err_by_three_units_under_attack():
    for radius in (1.5, 1e3):
        point = {"d": 2, "n": 12_000, "corruption": 0.05, "radius": radius}
        found = attacks.mean_votes(**point, trials=3, data=rng(1), noise=rng(2))
        assert not found["abstained"].any()
        assert found["error"].mean() <= 3


def test_a_gaussian_is_found_at_any_scale_and_place():
    n, corruption = 120_000, 0.02
    x = lowered(rng(3).standard_normal((n, 1)), int(corruption * n), 1e6)
    value = PopulousRobustGaussian(corruption=corruption)(1e4 + 1e-3 * x, budget=BUDGET, rng=rng(4)).value
    assert abs(value.mean[0] - 1e4) / 1e-3 < 3 * mean_unit(corruption) + 1e-6
    assert abs(value.covariance[0, 0] / 1e-6 - 1) < 3 * unit(2 * corruption)


def test_groups_that_do_not_agree_give_no_answer():
    x = rng().standard_normal((20_000, 1)) * np.exp(rng(2).uniform(-20, 20, (20_000, 1)))
    estimator = PopulousRobustCovariance(corruption=0.05, centred=True)
    assert isinstance(estimator(np.zeros((20_000, 1)), budget=BUDGET, rng=rng()).value, Abstention)
    assert isinstance(estimator(x, budget=BUDGET, rng=rng()).value, Abstention)
    far = np.where(np.arange(20_000)[:, None] % 2 == 0, 1e6, -1e6) * np.ones((1, 2))
    mean = PopulousRobustMean(corruption=0.05, sigma=1.0)(
        far * rng(3).random((20_000, 1)), budget=BUDGET, rng=rng()
    )
    assert isinstance(mean.value, Abstention)


def test_what_is_refused_is_public():
    with pytest.raises(ArgumentError, match=r"^n = "):
        PopulousRobustCovariance(corruption=0.05).plan(1000, 1, BUDGET)
    with pytest.raises(ArgumentError, match=r"^d = "):
        PopulousRobustCovariance(corruption=0.05).plan(10**6, 5, BUDGET)
    with pytest.raises(ArgumentError, match="budget"):
        PopulousRobustMean(corruption=0.05, sigma=1.0).plan(10_000, 1, ApproxDP(1.0, 0.0))
