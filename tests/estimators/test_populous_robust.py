"""Votes of robust groups: designs, sizes that the plan states, errors under attack, and what they refuse."""

import numpy as np
import pytest

from tests.estimators.robust_table import (
    CORRUPTIONS,
    MEAN_D,
    MEAN_SIZES,
    SIZES,
    mean_row,
    row,
)
from tests.estimators.streams import rng
from workbench.errors import ArgumentError
from workbench.estimators import Abstention
from workbench.estimators.populous_robust import (
    FAR,
    PopulousRobustCovariance,
    PopulousRobustMean,
    rows_for,
    table,
)
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


@pytest.mark.turns(3)
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
