"""Whole numbers and a unit: what is on a grid, how its numbers are kept, how bounds are rounded."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from workbench.estimators.shared.rows import FARTHEST, NEAREST
from workbench.privacy.grid import UP, OnGrid, longest, on_grid, passed_no_more, step_of, widest

radii = st.floats(NEAREST, FARTHEST)


@given(radii, st.sampled_from([18, 26]))
def test_a_radius_is_at_most_so_many_bits_and_more_than_one_less(radius, bits):
    step = step_of(radius, bits)
    assert 2 ** (bits - 1) < Fraction(radius) / Fraction(step) <= 2**bits
    assert Fraction(step).numerator == 1 or Fraction(step).denominator == 1  # a power of two
    assert 1 / (1 / step) == step


@given(radii, st.sampled_from([18, 26]))
def test_lengths_are_the_largest_whole_numbers_within_a_radius(radius, bits):
    step = step_of(radius, bits)
    ratio = Fraction(radius) / Fraction(step)
    assert longest(radius, step) <= ratio**2 < longest(radius, step) + 1
    assert widest(radius, step) <= ratio < widest(radius, step) + 1


@pytest.mark.parametrize(
    "value", [3, [1, 2], True, np.arange(3, dtype=np.int8), np.array([1, 2], np.uint64), np.array(True)]
)
def test_whole_numbers_are_on_the_grid_of_unit_1(value):
    found = on_grid(value)
    assert found.unit == 1.0
    assert found.counts.dtype in (np.int64, object)
    assert (np.asarray(found) == np.asarray(value)).all()


@pytest.mark.parametrize("value", [3.0, [1.0, 2], np.zeros(2), np.array([1, 2], object), None, "1"])
def test_floats_are_not_even_those_that_are_whole(value):
    assert on_grid(value) is None


def test_a_statistic_keeps_its_counts_through_units_and_places():
    counts = np.array([[2**60 + 1, -5], [3, 0]])
    grid = OnGrid(counts, 0.25)
    for one in (grid * 2.0, 2.0 * grid, np.float64(2.0) * grid, grid / 0.5):
        assert isinstance(one, OnGrid)
        assert one.unit == 0.5
        assert one.counts is counts
    assert float(grid[1, 0]) == 0.75
    assert grid[0].counts.tolist() == [2**60 + 1, -5]
    assert (grid.shape, len(grid)) == ((2, 2), 2)
    assert np.array_equal(np.asarray(grid), counts * 0.25)
    assert grid.plus(np.array([[0, 5], [-3, 0]])).tolist() == [[(2**60 + 1) / 4, 0.0], [0.0, 0.0]]
    with pytest.raises(TypeError):
        grid * np.array([1.0, 2.0])


@given(st.integers(-(2**62), 2**62), st.integers(0, 60))
def test_a_finer_grid_holds_the_same_number(count, bits):
    fine = OnGrid(np.array(count), 1.0).finer(bits)
    assert int(fine.counts) * Fraction(fine.unit) == count
    assert (fine.counts.dtype == np.int64) == (abs(count) << bits < 2**62)
    noise = 2**62 - 1 if count >= 0 else 1 - 2**62  # what leaves int64 least room
    assert int(fine.counts + np.array(noise)) == (count << bits) + noise


@given(st.floats(-8, 8), st.floats(0, 1), st.floats(1e-3, 1e3))
def test_exact_noise_passes_a_bound_no_more_often_than_ideal_noise_passes_its_margin(margin, unit, scale):
    bound = passed_no_more(margin * scale, unit)
    assert ndtr(-(bound - unit / 2) / (scale * UP)) <= ndtr(-margin) * (1 + 1e-15)
    assert bound - margin * scale <= unit + 1e-10 * abs(margin) * scale


def test_noise_of_any_size_can_be_added_to_what_is_padded_of_many_rows():
    many = OnGrid(np.array([[2**70]], object), 1.0).padded((0, 1))
    assert (many.plus(np.full((2, 2), 2**65, object)) == [[2**70 + 2**65, 2**65], [2**65, 2**65]]).all()
