"""Robust means from public nets: exact distributions, the margin of the test, outliers."""

from dataclasses import replace
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from tests.estimators.streams import rng
from workbench.errors import ArgumentError
from workbench.estimators.base import Abstention
from workbench.estimators.quantiles import Median
from workbench.estimators.tukey import (
    MOST,
    ResilientHeavyMean,
    ResilientMean,
    TukeyMean,
    depths,
    directions,
    grid,
    grid_size,
    half_sphere,
    trimmed,
)
from workbench.privacy import ApproxDP, CountingNoise, PureDP, SimulatedNoise, UnitNoise

FALSE_ALARM, UNIT = 1e-6, 2.0**-30
APPROX = ApproxDP(1.0, 1e-6)


coordinates = st.sampled_from([-3.0, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 7.0])


def rows_and_neighbour(n, d):
    row = st.tuples(*[coordinates] * d)
    return st.tuples(st.lists(row, min_size=n, max_size=n), row, st.integers(0, n - 1))


def replaced(rows, row, place):
    other = rows.copy()
    other[place] = row
    return other


@pytest.mark.parametrize("d", [1, 2, 3])
def test_directions_are_unit_vectors_with_small_gaps(d):
    net = directions(d)
    assert np.allclose(np.linalg.norm(net, axis=1), 1)
    probes = rng(d).standard_normal((4000, d))
    probes /= np.linalg.norm(probes, axis=1)[:, None]
    assert np.abs(probes @ net.T).max(axis=1).min() > {1: 1 - 1e-12, 2: 0.9996, 3: 0.985}[d]
    assert (half_sphere(24)[:, 2] > 0).all()


def test_a_grid_covers_its_box_and_has_a_public_end():
    for d, reach, step in ((1, 3.0, 0.01), (2, 1.0, 0.1), (3, 2.0, 0.5), (2, 0.05, 0.1)):
        points = grid(d, reach, step)
        assert points.shape == (grid_size(d, reach, step), d)
        assert np.abs(points).max() == reach
        assert np.diff(np.unique(points[:, 0])).max() <= step * (1 + 1e-12)
        assert (points == 0).all(axis=1).any()
    for step in (1e-5, 1e-300):
        with pytest.raises(ArgumentError, match=f"^step = .*{MOST} candidates"):
            grid_size(1, 1.0, step)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_depth_is_that_of_the_definition_and_has_sensitivity_1(data):
    d = data.draw(st.sampled_from([1, 2, 3]))
    rows, row, place = data.draw(rows_and_neighbour(7, d))
    x = np.array(rows)
    points = grid(d, 2.0, 1.0)
    found, other = depths(x, points), depths(replaced(x, row, place), points)
    assert np.abs(found - other).max() <= 1
    for number in (0, len(points) // 3, len(points) - 1):
        sides = [*directions(d), *-directions(d)]
        assert found[number] == min((x @ v >= points[number] @ v).sum() for v in sides)


def test_the_law_on_the_line_is_that_of_the_private_median():
    x = rng(1).standard_normal(60)
    for seed in range(20):
        release = TukeyMean(radius=5.0, centre=1.0, sigma=1.0)(x, budget=PureDP(0.5), rng=rng(seed))
        median = Median(radius=10.0, centre=1.0, calibration="paper", sigma=1.0)(
            x, budget=PureDP(0.5), rng=rng(seed)
        )
        assert release.value.tolist() == [median.value]


def test_the_draw_on_the_line_has_the_exact_density():
    x, epsilon = np.array([-1.0, 0.5, 0.5, 2.0]), 1.5
    edges = np.array([-4.0, -1.0, 0.5, 2.0, 4.0])
    weight = np.diff(edges) * np.exp(epsilon / 2 * np.array([0, 1, 1, 0]))
    estimator = TukeyMean(radius=2.0, sigma=1.0)
    draws = [estimator(x, budget=PureDP(epsilon), rng=rng(seed)).value[0] for seed in range(4000)]
    counts = np.histogram(draws, edges)[0]
    assert chisquare(counts, 4000 * weight / weight.sum()).pvalue > FALSE_ALARM
    wrong = np.diff(edges) * np.exp(epsilon * np.array([0, 1, 1, 0]))
    assert chisquare(counts, 4000 * wrong / wrong.sum()).pvalue < FALSE_ALARM


def law_of_the_choice(estimator, x, budget):
    """Probabilities of the candidates, from the scores that are chosen by."""
    seen = []

    class Listener(UnitNoise):
        def choice(self, scores, sensitivity, scale, weights=None):
            seen.append(np.array(scores, float) / scale)
            return 0

    estimator.estimate(x, budget, Listener())
    weights = np.exp(seen[0] - seen[0].max())
    return weights / weights.sum()


@settings(max_examples=40, deadline=None)
@given(rows_and_neighbour(6, 2))
def test_the_draw_in_the_plane_loses_at_most_epsilon(pair):
    rows, row, place = pair
    x, epsilon = np.array(rows), 0.7
    law, other = (
        law_of_the_choice(TukeyMean(radius=1.0, step=0.5, sigma=1.0), rows, PureDP(epsilon))
        for rows in (x, replaced(x, row, place))
    )
    assert np.abs(np.log(law / other)).max() <= epsilon + 1e-12
    wanted = np.exp(epsilon / 2 * depths(np.clip(x, -2, 2), grid(2, 2.0, 0.5)))
    assert np.allclose(law, wanted / wanted.sum())


def widths_by_definition(x, k, d):
    n, found = len(x), []
    projections = [np.sort(x @ v) for v in directions(d)]
    for m in range(k):
        gaps = [
            max(y[n - k + m] - y[k - m], y[n - k + m - 1] - y[k - m - 1]) for y in projections
        ]  # 1-based y_{n-k+1+m} - y_{k+1-m} and y_{n-k+m} - y_{k-m}
        found.append(max(gaps))
    return np.array(found)


def trimmed_to_floats(x, k):
    widths, sums = trimmed(x, k, UNIT, 8.0)
    return widths * UNIT, sums * (UNIT / (len(x) - 2 * k))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_margin_has_sensitivity_1_and_trimmed_means_move_by_less_than_the_width(data):
    d = data.draw(st.sampled_from([1, 2, 3]))
    n, k = data.draw(st.sampled_from([(5, 2), (9, 1), (9, 4), (10, 3)]))
    rows, row, place = data.draw(rows_and_neighbour(n, d))
    x = np.array(rows)
    widths, sums = trimmed(x, k, UNIT, 8.0)
    assert widths.dtype == sums.dtype == np.int64
    assert np.abs(widths * UNIT - widths_by_definition(x, k, d)).max() <= 1.001 * UNIT
    assert (np.diff(widths) >= 0).all()
    means = sums * (UNIT / (n - 2 * k))
    wanted = [np.sort(x @ v)[k : n - k].mean() for v in directions(d)]
    assert np.abs(means - wanted).max() <= 0.501 * UNIT
    others, moved = trimmed(replaced(x, row, place), k, UNIT, 8.0)
    assert (others[:-1] <= widths[1:]).all()
    assert (widths[:-1] <= others[1:]).all()
    for width in {*widths, *others, 0, 2**30}:
        margins = [np.searchsorted(one, width, side="right") - 1 for one in (widths, others)]
        assert abs(margins[0] - margins[1]) <= 1
    assert np.abs(sums - moved).max() <= min(widths[0], others[0])


def test_a_trimmed_mean_may_move_by_all_of_the_width():
    x = np.array([0.0, 0.0, 0.0, 3.0, 3.0])[:, None]
    widths, means = trimmed_to_floats(x, 2)
    _, moved = trimmed_to_floats(replaced(x, 3.0, 0), 2)
    assert widths[0] == 3.0
    assert moved[0] - means[0] == 3.0 == widths[0] / (5 - 4)


def whole_law(estimator, x, budget):
    """Probabilities of no answer and of every candidate."""
    plan, box = estimator.plan(*x.shape, budget), estimator.box
    widths, _ = trimmed(np.clip(x, -box, box), estimator.trim(len(x)), UNIT, 8.0)
    margin = np.searchsorted(widths, estimator.width / UNIT, side="right") - 1
    cost = plan["check"].cost
    need = log(1 / (2 * cost.delta)) / cost.epsilon - 1 - margin  # the noise has to exceed it
    passes = exp(-need * cost.epsilon) / 2 if need > 0 else 1 - exp(need * cost.epsilon) / 2
    seen = []

    class Passing(UnitNoise):
        def laplace(self, value, *_):
            return np.array(1e6)

        def choice(self, scores, sensitivity, scale, weights=None):
            seen.append(np.array(scores, float) / scale)
            return 0

    estimator.estimate(x, budget, Passing())
    weights = np.exp(seen[0] - seen[0].max())
    return np.append(1 - passes, passes * weights / weights.sum())


@pytest.mark.daily
@settings(max_examples=120, deadline=None)
@given(st.data())
def test_test_and_draw_together_keep_their_budget(data):
    d, corruption = data.draw(st.sampled_from([(1, 0.05), (1, 0.12), (2, 0.12)]))
    rows, row, place = data.draw(rows_and_neighbour(9, d))
    x, budget = np.array(rows), ApproxDP(data.draw(st.sampled_from([0.5, 3.0])), 0.1)
    estimator = ResilientMean(radius=2.0, corruption=corruption, step=1.0, sigma=1.0)
    law, other = (whole_law(estimator, one, budget) for one in (x, replaced(x, row, place)))
    assert law.sum() == pytest.approx(1)
    assert np.maximum(law - exp(budget.epsilon) * other, 0).sum() <= budget.delta * (1 + 1e-9)


@pytest.mark.daily
def test_the_test_lets_a_wide_data_set_pass_with_probability_delta():
    x = np.repeat([[-3.0], [3.0]], 12, axis=0)  # W_0 = 6 > w
    budget = ApproxDP(3.0, 0.2)
    estimator = ResilientMean(radius=5.0, corruption=0.1, sigma=1.0)
    passed = sum(not estimator(x, budget=budget, rng=rng(seed)).abstained for seed in range(3000))
    expected = 3000 * budget.delta
    assert abs(passed - expected) < 5.5 * (expected * (1 - budget.delta)) ** 0.5
    counting = CountingNoise(SimulatedNoise(rng(1)))
    assert estimator(x, budget=ApproxDP(3.0, 1e-9), rng=counting).value == Abstention("check")
    assert [draw.kind for draw in counting.draws] == ["laplace"]


@pytest.mark.parametrize(
    "estimator", [TukeyMean(radius=1.0, sigma=1.0), ResilientMean(radius=1.0, corruption=0.1, sigma=1.0)]
)
def test_many_dimensions_and_fine_nets_are_refused(estimator):
    budget = PureDP(1.0) if isinstance(estimator, TukeyMean) else APPROX
    with pytest.raises(ArgumentError, match=r"^d = "):
        estimator.plan(50, 4, budget)
    with pytest.raises(ArgumentError, match=r"^step = "):
        replace(estimator, step=1e-9).plan(50, 2, budget)


def test_other_budgets_are_refused():
    for estimator, wrong in (
        (TukeyMean(radius=1.0, sigma=1.0), (APPROX, ApproxDP(1.0, 0.6))),
        (ResilientMean(radius=1.0, corruption=0.1, sigma=1.0), (PureDP(1.0), ApproxDP(1.0, 0.6))),
    ):
        for budget in wrong:
            with pytest.raises(ArgumentError, match=r"^budget = "):
                estimator.plan(50, 2, budget)


def test_more_than_a_third_of_the_rows_is_never_trimmed():
    with pytest.raises(ArgumentError, match=r"^n = 26: expected at least 27: the 26 in the tails"):
        ResilientMean(radius=1.0, corruption=0.16, sigma=1.0).plan(26, 1, APPROX)
    assert ResilientMean(radius=1.0, corruption=0.16, sigma=1.0).trim(27) == 13


def planted(n, d, seed, fraction=0.05):
    x = rng(seed).standard_normal((n, d))
    x[: int(fraction * n)] = 6.0 / d**0.5
    return x


@pytest.mark.parametrize(
    ("d", "radius", "step", "most"), [(1, 3.0, 0.01, 0.12), (2, 1.0, 0.05, 0.18), (3, 0.9, 0.15, 0.3)]
)
def test_outliers_move_the_robust_means_by_little(d, radius, step, most):
    tukey = TukeyMean(radius=radius / 2, step=step, sigma=1.0)
    resilient = ResilientMean(radius=radius, corruption=0.05, step=step, sigma=1.0)
    errors = {tukey: [], resilient: []}
    for seed in range(4):
        x = planted(2000, d, seed)
        assert np.linalg.norm(x.mean(axis=0)) > 0.2
        for estimator, budget in ((tukey, PureDP(1.0)), (resilient, APPROX)):
            errors[estimator].append(np.linalg.norm(estimator(x, budget=budget, rng=rng(seed)).value))
    assert max(map(np.mean, errors.values())) < most, errors


def test_wide_tails_are_let_through_by_the_heavy_entry_alone():
    x = rng(1).standard_t(1.0, (2000, 2))
    narrow, wide = (
        ResilientMean(radius=1.0, corruption=0.05, sigma=1.0),
        ResilientHeavyMean(radius=1.0, corruption=0.05, sigma=1.0),
    )
    assert narrow(x, budget=APPROX, rng=rng(2)).abstained
    assert not wide(x, budget=APPROX, rng=rng(2)).abstained
    ratios = [wide.plan(n, 2, APPROX)["mean"].sensitivity * (n - 2 * wide.trim(n)) for n in (100, 1000)]
    assert ratios == pytest.approx([2 * 19**0.5] * 2, rel=1e-6)
