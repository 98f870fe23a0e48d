"""What stages of every kind make of absent rows: what they make of the others, but for the number n."""

import numpy as np
import pytest

from tests.estimators.streams import FAR, holes, rng
from tests.estimators.test_populous import grouped
from workbench import ZCDP, ApproxDP, PureDP
from workbench.catalog import CATALOG
from workbench.contracts.kit import penalty
from workbench.estimators import Trace, base, populous_robust, sparse
from workbench.estimators.base import recorded
from workbench.estimators.histograms import UnitHistogram
from workbench.estimators.nets import PureNetCovariance
from workbench.estimators.prime import FilterMean
from workbench.estimators.robust import RowFilter, Rows, coordinate_counts
from workbench.estimators.scale import pair_differences
from workbench.estimators.shared import rows
from workbench.estimators.shared.moments import LiftedMoment
from workbench.estimators.shared.rows import moment_in_ball, present
from workbench.estimators.shared.window_median import WindowMedian
from workbench.estimators.stable_quantile import Influence, Lifted
from workbench.estimators.subspaces import Tokens, spectra
from workbench.estimators.tukey import depths, grid, projected, trimmed
from workbench.privacy import NonPrivate, SimulatedNoise, UnitNoise
from workbench.privacy.grid import OnGrid
from workbench.privacy.histograms import stability_charge, stability_histogram

PURE, ZCDP_ONE = PureDP(1.0), ZCDP(1.0)


def test_a_row_with_one_unusable_entry_is_absent():
    x = np.ones((6, 3))
    x[1, 2], x[2, 0], x[3, 1], x[4, 1] = np.nan, -np.inf, 1.1e100, 1e100
    assert np.isnan(base.sanitised(x)).sum(axis=1).tolist() == [0, 3, 3, 3, 0, 0]


FILTER = RowFilter(np.full(2, FAR), np.eye(2)[:, :1], 1.0)


def passing(x):
    found = FILTER.sums(Rows(x, 0.0, 1.0), 3.0, square=True)
    return [found.count, *found.total.counts, *found.square.counts.ravel()]


def left(x):
    with recorded(trace := Trace()):
        FilterMean(radius=100.0, sigma=1.0).estimate(x, ZCDP_ONE, SimulatedNoise(rng()))
    return [trace.records["left"][0] - np.count_nonzero(present(x)), 1]


STATISTICS = {  # of rows in so many columns, or of one column
    "sums": (2, lambda x: moment_in_ball(x, lambda block: block - FAR, 2.0)),
    "scores of a net": (2, lambda x: PureNetCovariance(upper=4.0, lower=1.0).scores(x - FAR, 2.0)),
    "bins of coordinates": (2, lambda x: coordinate_counts(x, 0.0, 1.0, 200)),
    "counts of norms": (2, sparse.norm_counts),
    "counts of scores": (2, lambda x: FILTER.histogram(Rows(x, 0.0, 1.0), 3.0, np.array([0, 0.5, 1, 2]))),
    "rows that pass": (2, passing),
    "rows that are left": (2, left),
    "depths": (2, lambda x: depths(x, FAR + grid(2, 2.0, 0.5))),
    "bins of a range": (None, UnitHistogram(60.0).counts),
    "bins": (None, lambda x: [*stability_histogram(
        UnitHistogram(None).keys(x), stability_charge("locate", ApproxDP(1.0, 1e-6)), UnitNoise()).items()]),
}  # fmt: skip


@pytest.mark.parametrize("name", STATISTICS)
def test_a_statistic_is_that_of_the_other_rows(name):
    d, statistic = STATISTICS[name]
    x, others = holes(300, d)
    found, wanted = map(statistic, (x, others))
    if isinstance(found, OnGrid):
        np.testing.assert_allclose(found.unit * len(x), wanted.unit * len(others))
        found, wanted = found.counts, wanted.counts
    assert np.array_equal(found, wanted)
    assert np.any(found)


@pytest.mark.parametrize("ends", [{}, {"low": 0.0, "high": 100.0}])
def test_window_medians_see_the_other_points(ends):
    locator, places = WindowMedian(left=4.0, right=4.0, **ends), np.linspace(30.0, 70.0, 997)
    np.testing.assert_array_equal(*(penalty(locator, points, places) for points in holes(101)))


def test_trimming_puts_absent_rows_at_either_end_in_turn():
    x = FAR + rng().standard_normal((100, 2))
    x[:20] = np.nan
    widths, sums = trimmed(x, 12, 2.0**-20, 1e3)
    y = np.sort(projected(x[20:], np.array([1.0, 0.0])))
    assert abs(sums[0] * 2.0**-20 - y[2:-2].sum()) < 1e-3
    assert widths[0] * 2.0**-20 < 6 < widths[5] * 2.0**-20


def test_a_pair_with_an_absent_row_is_absent():
    x = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [np.nan] * 2, [np.nan] * 2, [np.nan] * 2])
    assert present(rows.paired(x)).tolist() == [True, False, False]
    assert present(pair_differences(x[:, 0])).tolist() == [True, False, False]


GROUPS = {
    "group means": lambda groups: rows.group_means(groups),
    "robust group means": populous_robust.location_means,
    "robust group moments": lambda groups: _squares(populous_robust.scatter_factors(groups)),
    "group moments": lambda groups: _squares(grouped(groups.reshape(-1, 2), groups.shape[1]).factors),
    "spectra": spectra,
    "tokens": lambda groups: Tokens.drawn(2, rng()).of(groups)[:, None],
}


def _squares(factors):
    return np.swapaxes(factors, 1, 2) @ factors


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_says_what_its_other_rows_say(name):
    groups = FAR * (name != "tokens") + rng().standard_normal((5, 12, 2))
    with_absent = np.full((5, 12, 2), np.nan)
    with_absent[:, 3:9] = groups[:, 3:9]
    with np.errstate(invalid="ignore"):
        found, wanted = map(GROUPS[name], (with_absent, groups[:, 3:9]))
    if name == "tokens":
        assert (found == wanted).all()
    else:
        np.testing.assert_allclose(found, wanted, rtol=0.03 if name.startswith("robust") else 1e-9)


def test_a_lifted_moment_tells_the_share_of_rows_that_are_there():
    x, others = holes(4000, 2)
    recipe, kept = LiftedMoment(4000, 2, 1.0), (others - FAR) / 10 + 0.3
    moment = np.asarray(recipe.of(x, lambda part: (part - FAR) / 10 + 0.3))
    assert moment[0, 0] == pytest.approx(len(others) / len(x))
    mean, second = recipe.read(moment, 2, recipe.charge("moment", ZCDP_ONE))
    np.testing.assert_allclose(mean, kept.mean(axis=0), atol=1e-4)
    np.testing.assert_allclose(second, kept.T @ kept / len(others), atol=1e-4)


@pytest.mark.parametrize("pushed", [-3.2, 3.2])
def test_without_absent_rows_the_corner_changes_no_bit(pushed):
    recipe = LiftedMoment(400, 2, 1.0)
    charge = recipe.charge("moment", ZCDP_ONE)
    noisy = np.array(recipe.of(rng().standard_normal((400, 2)) / 10, lambda part: part))
    noisy[0, 0] += pushed * charge.sensitivity / np.sqrt(2)
    assert recipe.share(noisy[0, 0], charge) == 1.0
    assert (recipe.read(noisy, 2, charge)[0] == noisy[0, 1:]).all()


@pytest.mark.parametrize("key", [key for key in CATALOG if NonPrivate() in CATALOG[key].budgets])
def test_references_are_those_of_the_other_rows(key):
    x = np.repeat(holes(150, 2)[0], 2, axis=0) + rng(5).standard_normal((300, 2))  # whole pairs are absent
    others = x[present(x)]
    estimator = CATALOG[key].estimator
    np.testing.assert_allclose(estimator(x).value, estimator(others).value)
    assert np.isfinite(estimator(np.full((30, 2), np.nan)).value).all()


def test_an_absent_row_is_the_zero_row_once_it_is_lifted():
    x = np.random.default_rng(8).standard_normal((60, 2)) + 300.0
    x[[3, 30]] = np.nan
    made, others = (Lifted.around(rows, Influence(1.0), 12.0, 2) for rows in (x, np.nan_to_num(x)))
    assert not made.rows[:, [3, 30]].any()
    assert (made.centre == others.centre).all()
    mine, theirs = (np.ldexp(one.rows, one.exponents[:, None]) for one in (made, others))
    assert (np.delete(mine, [3, 30], axis=1) == np.delete(theirs, [3, 30], axis=1)).all()
