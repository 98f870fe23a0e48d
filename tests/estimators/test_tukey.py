"""Robust means from public nets: depths, the margin of the test, the law of both steps, outliers."""

from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.estimators.streams import rng
from workbench.errors import ArgumentError
from workbench.estimators.tukey import (
    MOST,
    ResilientHeavyMean,
    ResilientMean,
    depths,
    directions,
    grid,
    grid_size,
    trimmed,
)
from workbench.privacy import ApproxDP, UnitNoise

UNIT, APPROX = 2.0**-30, ApproxDP(1.0, 1e-6)
coordinates = st.sampled_from([-3.0, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 7.0])


@st.composite
def neighbours(draw, n, d):
    """Rows, and the same with one replaced."""
    row = st.tuples(*[coordinates] * d)
    x = np.array(draw(st.lists(row, min_size=n, max_size=n)))
    y = x.copy()
    y[draw(st.integers(0, n - 1))] = draw(row)
    return x, y


def test_a_grid_covers_its_box_and_has_a_public_end():
    for d, reach, step in ((1, 3.0, 0.01), (2, 1.0, 0.1), (3, 2.0, 0.5), (2, 0.05, 0.1)):
        points = grid(d, reach, step)
        assert points.shape == (grid_size(d, reach, step), d)
        assert np.abs(points).max() == reach
        assert np.diff(np.unique(points[:, 0])).max() <= step * (1 + 1e-12)
    with pytest.raises(ArgumentError, match=f"^step = .*{MOST} candidates") as raised:
        grid_size(3, 7.0, 1e-300)
    told = float(raised.value.allowed.split()[2].strip(","))
    assert MOST / 1.25 < grid_size(3, 7.0, told) <= MOST


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_depth_is_that_of_the_definition_and_has_sensitivity_1(data):
    d = data.draw(st.sampled_from([1, 2, 3]))
    x, y = data.draw(neighbours(7, d))
    points = grid(d, 2.0, 1.0)
    found = depths(x, points)
    assert np.abs(found - depths(y, points)).max() <= 1
    for number in (0, len(points) // 3, len(points) - 1):
        sides = [*directions(d), *-directions(d)]
        assert found[number] == min((x @ v >= points[number] @ v).sum() for v in sides)


class Listening(UnitNoise):
    """Passes every test and keeps the exponents of a choice."""

    def __init__(self):
        object.__setattr__(self, "seen", [])

    def laplace(self, value, *_):
        return np.array(1e6)

    def choice(self, scores, sensitivity, scale, weights=None):
        self.seen.append(np.array(scores, float) / scale)
        return 0


def law_of_the_choice(estimator, x, budget):
    noise = Listening()
    estimator.estimate(x, budget, noise)
    weights = np.exp(noise.seen[0] - noise.seen[0].max())
    return weights / weights.sum()


@pytest.mark.turns(3)
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_margin_has_sensitivity_1_and_trimmed_means_move_by_less_than_the_width(data):
    d = data.draw(st.sampled_from([1, 2, 3]))
    n, k = data.draw(st.sampled_from([(5, 2), (9, 1), (9, 4), (10, 3)]))
    x, y = data.draw(neighbours(n, d))
    (widths, sums), (others, moved) = (trimmed(one, k, UNIT, 8.0) for one in (x, y))
    lines = np.sort([x @ v for v in directions(d)], axis=1)
    for m in range(k):  # y_{n-k+1+m} - y_{k+1-m} and y_{n-k+m} - y_{k-m}, counted from 1
        inner, outer = lines[:, n - k + m] - lines[:, k - m], lines[:, n - k + m - 1] - lines[:, k - m - 1]
        assert widths[m] * UNIT == pytest.approx(max(inner.max(), outer.max()), abs=1.001 * UNIT)
    assert sums * UNIT / (n - 2 * k) == pytest.approx(lines[:, k : n - k].mean(axis=1), abs=0.501 * UNIT)
    for width in {*widths, *others, 0, 2**30}:
        margins = [np.searchsorted(one, width, side="right") - 1 for one in (widths, others)]
        assert abs(margins[0] - margins[1]) <= 1
    assert np.abs(sums - moved).max() <= min(widths[0], others[0])


def test_a_trimmed_mean_may_move_by_all_of_the_width():
    x = np.array([0.0, 0.0, 0.0, 3.0, 3.0])[:, None]
    (widths, sums), (_, moved) = (trimmed(one, 2, UNIT, 8.0) for one in (x, np.r_[[[3.0]], x[1:]]))
    assert widths[0] == 3 * 2**30 == moved[0] - sums[0]


def whole_law(estimator, x, budget):
    """Probabilities of no answer and of every candidate."""
    plan, box = estimator.plan(*x.shape, budget), estimator.box
    widths, _ = trimmed(np.clip(x, -box, box), estimator.trim(len(x)), UNIT, 8.0)
    margin = np.searchsorted(widths, estimator.width / UNIT, side="right") - 1
    cost = plan["check"].cost
    need = log(1 / (2 * cost.delta)) / cost.epsilon - 1 - margin  # the noise has to exceed it
    passes = exp(-need * cost.epsilon) / 2 if need > 0 else 1 - exp(need * cost.epsilon) / 2
    return np.append(1 - passes, passes * law_of_the_choice(estimator, x, budget))


@pytest.mark.daily
@settings(max_examples=120, deadline=None)
@given(st.data())
def test_test_and_draw_together_keep_their_budget(data):
    d, corruption = data.draw(st.sampled_from([(1, 0.05), (1, 0.12), (2, 0.12)]))
    pair, budget = data.draw(neighbours(9, d)), ApproxDP(data.draw(st.sampled_from([0.5, 3.0])), 0.1)
    estimator = ResilientMean(radius=2.0, corruption=corruption, step=1.0, sigma=1.0)
    law, other = (whole_law(estimator, one, budget) for one in pair)
    assert law.sum() == pytest.approx(1)
    assert np.maximum(law - exp(budget.epsilon) * other, 0).sum() <= budget.delta * (1 + 1e-9)


def test_wide_tails_are_let_through_by_the_heavy_entry_alone():
    x, given = rng(1).standard_t(1.0, (2000, 2)), {"radius": 1.0, "corruption": 0.05, "sigma": 1.0}
    assert ResilientMean(**given)(x, budget=APPROX, rng=rng(2)).abstained
    assert not ResilientHeavyMean(**given)(x, budget=APPROX, rng=rng(2)).abstained
