"""Private scales: what they make of absent rows and of other units, and the closed forms behind them."""

import numpy as np
import pytest

from tests.estimators.streams import holes, rng
from workbench import ZCDP, ApproxDP, ArgumentError, PureDP, Scale
from workbench.estimators.scale import Winsor, exponents, pair_differences
from workbench.estimators.shared.rows import present
from workbench.privacy import UnitNoise

APPROX, FAR = ApproxDP(1.0, 1e-6), 50.0
PAPER = Scale(calibration="paper")


def test_exponents_are_those_of_the_other_pairs():
    x, _ = holes(400)
    differences = pair_differences(x)
    keys, others = map(exponents, (differences, differences[present(differences)]))
    assert sorted(keys[present(keys)].tolist()) == sorted(others.tolist())
    seen = []

    class Listener(UnitNoise):
        def discrete_laplace(self, value, *_):
            seen.append(int(np.asarray(value).sum()))
            return np.asarray(value, float)

    recipe = Scale(lower=1e-3, upper=1e3, calibration="paper")
    recipe.exponent(x, recipe.plan(400, 1, PureDP(1.0))["exponent"], Listener())
    assert seen == [len(others)]


def test_variances_within_groups_are_those_of_the_other_rows():
    x = rng().normal(FAR, 2.0, 30)
    x[[3, 11, 12, 13, 14, 15, 16, 17, 18, 19]] = np.nan
    winsor = Winsor(10, 0.3, 2.5)
    found = winsor.ratios(x, 0.0)
    assert found[[0, 2]] == pytest.approx([np.var(np.delete(x[:10], 3), ddof=1), np.var(x[20:], ddof=1)])
    assert np.isnan(found[1])
    rest = np.clip(found[[0, 2]] / 4, 0.3, 2.5).sum() + float(winsor.mean(np.float64(1.0)))
    assert float(winsor.statistic(x, np.log(2.0))) + winsor.middle == pytest.approx(rest / 3, abs=1e-6)


def test_exponents_outside_the_range_count_as_its_ends_and_a_constant_column_has_no_scale():
    ranged, constant = Scale(lower=1.0, upper=2.0, calibration="paper"), np.full(4000, FAR)
    for x, value in ((np.zeros(4000), 2.0**-1), (1e9 * rng().standard_normal(4000), 2.0**6)):
        assert ranged(x, budget=PureDP(1.0), rng=rng()).value == value
    assert PAPER(constant, budget=APPROX, rng=rng()).value == 0.0
    assert Scale()(constant, budget=APPROX, rng=rng()).abstained


@pytest.mark.parametrize("calibration", ["tight", "paper"])
@pytest.mark.parametrize(("budget", "spent"), [(APPROX, PureDP(1.0)), (ZCDP(0.1, 1e-6), ZCDP(0.1))])
def test_a_range_is_used_and_delta_is_left(calibration, budget, spent):
    ranged, x = Scale(lower=1e-3, upper=1e3, calibration=calibration), FAR + rng().standard_normal(300)
    release, pure = (ranged(x, budget=one, rng=rng()) for one in (budget, spent))
    assert (release.value, release.plan, release.guarantee.budget) == (pure.value, pure.plan, spent)
    assert ranged.predicted_error(300, 1, budget) == ranged.predicted_error(300, 1, spent)
    with pytest.raises(ArgumentError, match="budget"):
        ranged.plan(300, 1, ApproxDP(1.0, 0.0))


@pytest.mark.parametrize("log_s", [-700.0, -20.0, 231.0, 700.0])
def test_ratios_to_a_scale_of_any_size_are_numbers_and_silent(log_s):
    with np.errstate(all="raise", under="ignore"):
        for x in ([1e100, -1e100, 0.0, 5e-324], [1.0, 1.0, 1.0, 1.0 + 2**-52]):
            assert np.isfinite(float(Winsor(2, 0.1, 3.0).statistic(np.array(x), log_s)))
