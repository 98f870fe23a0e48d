"""Rows in a ball or a box, and moments of clipped rows: sums that are exact, what one row moves."""

from fractions import Fraction
from math import fsum, sqrt
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.estimators.streams import squared_gap
from workbench.errors import ArgumentError
from workbench.estimators.shared import rows
from workbench.estimators.shared.moments import LiftedMoment, _kept_shares, kept_share
from workbench.estimators.shared.rows import (
    BITS,
    FARTHEST,
    NEAREST,
    SQUARED_BITS,
    in_ball,
    in_box,
    mean_in_ball,
    mean_in_box,
    moment_in_ball,
    second_moment_within,
    within_ball,
)
from workbench.estimators.unbounded import HEIGHT
from workbench.estimators.weighted_moments import costs, counted_sums, grid, whitened
from workbench.privacy import ZCDP
from workbench.privacy.grid import UP, step_of


def in_a_row(x):
    """Norms with squares summed one after the other, which loses what is below half a unit of the sum."""
    return np.sqrt(np.cumsum(x * x, axis=1)[:, -1])


def exact_norm(row):
    """The norm, rounded once."""
    return float(np.sqrt(fsum(value * value for value in row.tolist())))


def crowds(d, radius):
    """Rows of one large entry and many that a running sum of squares loses, outside the ball and inside."""
    small = np.full(d, np.sqrt(0.999 * 2.0**-53))
    small[0] = 1.0
    return radius * small * np.array([[1.0], [1.7], [300.0], [1 - 1e-15]])


def test_rows_are_within_the_ball_whatever_the_order_of_summation():
    d, radius = 60_000, 4.0
    assert exact_norm(crowds(d, 1.0)[0]) > 1 + 3e-12
    assert in_a_row(crowds(d, 1.0))[0] == 1.0
    with patch.object(rows, "norms", in_a_row):
        clipped = within_ball(crowds(d, radius), radius)
    for row in clipped:
        assert radius * (1 - 1e-10) <= exact_norm(row) <= radius * (1 + 1e-12)


HOSTILE = st.one_of(
    st.floats(-3, 3), st.sampled_from([np.nan, np.inf, -np.inf, 1e308, -1e308, 1e100, 1e15, 5e-324, -0.0])
)
RADII = st.one_of(st.floats(0.1, 10), st.sampled_from([NEAREST, 1e-9, 1.0, 2.0, 1e90, FARTHEST]))


def same(x):
    return x


def whole(x):
    """Python integers of floats that must be whole."""
    assert np.isfinite(x).all()
    assert (x == np.rint(x)).all()
    return [[int(value) for value in row] for row in x.tolist()]


@pytest.mark.daily
@settings(max_examples=300)
@given(st.integers(1, 5).flatmap(lambda d: arrays(float, (4, d), elements=HOSTILE)), RADII, st.booleans())
def test_no_row_is_beyond_the_radius_as_whole_numbers_nor_before_it_is_rounded(x, radius, squared):
    step = step_of(radius, SQUARED_BITS if squared else BITS)
    limit, box = Fraction(radius) / Fraction(step), Fraction(radius) / Fraction(step_of(radius, BITS))
    with np.errstate(all="ignore"):
        found, entries = in_ball(x * radius, radius, step), in_box(x * radius, radius, step_of(radius, BITS))
        lengths = np.linalg.norm(within_ball(x * radius, radius) / radius, axis=1)
    assert (lengths <= 1 + 1e-12).all()
    for row in whole(found):
        assert sum(value * value for value in row) <= limit**2
    assert max(abs(value) for row in whole(entries) for value in row) <= box


@pytest.mark.parametrize("d", [1, 2, 7, 300])
def test_sums_are_the_same_in_any_block_and_order(d):
    rng = np.random.default_rng(d)
    x = 2 * rng.standard_normal((600, d)) / np.sqrt(d)
    for statistic in (mean_in_ball, mean_in_box, moment_in_ball):
        found = statistic(x, same, 1.5)
        with patch.object(rows, "BLOCK", 97 * d):
            again = statistic(x[rng.permutation(len(x))], same, 1.5)
        assert found.counts.dtype == np.int64
        assert (again.counts == found.counts).all()
        assert again.unit == found.unit


def test_sums_that_pass_a_word_are_python_integers():
    x, found = np.ones((3, 2)), {}
    for word in (62, 10):
        with patch.object(rows, "WORD", word):
            found[word] = second_moment_within(x, 1.0)
    assert (found[62].counts.dtype, found[10].counts.dtype) == (np.int64, object)
    assert (found[62].counts == found[10].counts).all()
    assert all(type(count) is int for count in found[10].counts.ravel())


def test_blocks_are_short_enough_for_exact_sums():
    assert rows.rows_of_a_block(1) * 2 ** (2 * SQUARED_BITS) <= 2**53
    assert 2 * BITS <= 53  # a squared length that is within its limit is exact


def test_a_long_row_changes_nothing_in_how_another_is_clipped():
    """A row is clipped by its own length, taken in an array whose shape is public."""
    rng, d = np.random.default_rng(5), 33
    x = 10 * rng.standard_normal((64, d))
    alone = x.copy()
    alone[1:] *= 1e-3
    step = step_of(1.0, BITS)
    assert (in_ball(x, 1.0, step)[0] == in_ball(alone, 1.0, step)[0]).all()


@pytest.mark.parametrize("radius", [0.0, np.nan, 1e-141, 1e151])
@pytest.mark.parametrize("statistic", [mean_in_ball, mean_in_box, moment_in_ball])
def test_radii_that_no_grid_resolves_are_refused(statistic, radius):
    with pytest.raises(ArgumentError, match=r"^radius = "):
        statistic(np.zeros((2, 2)), same, radius)


# Moments of clipped rows: what one row moves, lifted and weighted ones.

LOUD = ZCDP(20.0, 1e-6)


@pytest.mark.parametrize("d", [2, 100, 3000])
def test_shares_that_are_interpolated_are_those_of_their_formula(d):
    for reach, centre in ((1.001, 1.0), (1.2, 0.7), (2.0, 1.3), (4.0, 1.0), (4.0, 0.3), (9.0, 1.0)):
        squared = d * centre * np.geomspace(1, reach, 500) / np.sqrt(reach)
        np.testing.assert_allclose(_kept_shares(squared, d), kept_share(squared, d), rtol=0, atol=1e-12)


@pytest.mark.parametrize("d", [2, 3, 10])
@pytest.mark.parametrize("height", [0.0, HEIGHT, 1.0])
def test_a_pair_of_rows_attains_the_sensitivity(d, height):
    """Rows on the sphere whose lifted rows are orthogonal: ⟨w, w'⟩ = -τ²."""
    lift, rows = LiftedMoment(3, d, height), np.zeros((3, d))
    rows[0, 0] = 1.0
    other = rows.copy()
    other[0, :2] = -(height**2), sqrt(1 - height**4)
    squared = squared_gap(lift.of(rows, np.array), lift.of(other, np.array))
    rounding = 2.0**-16  # entries of 2^18 steps, each off by one at most
    assert sqrt(squared) == pytest.approx(lift.charge("", LOUD).sensitivity, rel=rounding)
    assert sqrt(squared) == pytest.approx(sqrt(2) * (1 + height**2) / 3, rel=rounding)
    assert squared <= Fraction(UP * lift.charge("", LOUD).sensitivity) ** 2


RADIUS = 2.5
RATIOS = [(1.0, 0.0), (0.0, 1.0), (1.0, 0.2), (1.0, 0.25), (1.0, 1.0), (0.01, 1.0)]
JOINT = pytest.mark.parametrize("prices", [costs(*pair) for pair in RATIOS], ids=map(str, RATIOS))


def exactly_moved(prices, rows, counts):
    """The squared move of the whole numbers of one changed row, without rounding."""
    step = grid(RADIUS)
    whole = in_ball(rows, RADIUS, step)
    sums = [counted_sums(whole[[i]], np.array([counts[i]]), step) for i in (0, 1)]
    return squared_gap(*(whitened(one, RADIUS, prices) for one in sums))


@pytest.mark.turns(3)
@JOINT
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), d=st.integers(1, 4))
def test_no_row_of_whole_numbers_moves_it_by_more_than_one(prices, seed, d):
    """Rows in the ball, beyond it, opposite ones and unusable ones: one is one, without a tolerance."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((2, d)) * rng.choice([0.1, 1.0, 10.0, 1e200], (2, 1))
    rows[1] = rng.choice([rows[1], -rows[0], np.full(d, np.nan)])
    assert exactly_moved(prices, rows, tuple(rng.random(2) < 0.7)) <= 1


@JOINT
def test_one_is_attained_by_two_rows_and_by_a_weight(prices):
    cosine = max(-1.0, -(prices.total**2) / (4 * prices.square**2)) if prices.square else -1.0
    y, other = RADIUS * np.array([1.0, 0.0]), RADIUS * np.array([cosine, sqrt(1 - cosine**2)])
    for counts in ((True, True), (True, False)):
        squared = exactly_moved(prices, np.stack([y, other]), counts)
        assert 1 - 2.0**-14 < squared <= 1  # entries of 2^17 steps or more, each off by one at most
