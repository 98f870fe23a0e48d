"""The limits of an axis hold what is measured, and stay where it lies within the usual ones."""

from math import inf, nan

import pytest

from workbench.charts.chart import Series
from workbench.charts.limits import covering

USUAL = (0.01, 2.0)


def curve(*y, role="estimate"):
    return Series("a", range(len(y)), y, role=role)


@pytest.mark.parametrize("y", [(0.01, 2.0), (inf, nan, 0.5), (0.0, -3.0), (1e-40, 1e200), ()])
def test_limits_stay_where_nothing_is_beyond_them(y):
    assert covering(USUAL, [curve(*y), curve(1e-3, 50.0, role="theory")]) == USUAL


@pytest.mark.parametrize(("y", "expected"), [((0.5, 7.0), (0.01, 7.7)), ((0.0012, 1.0), (0.0011, 2.0))])
def test_limits_widen_to_two_digits_beyond_what_is_measured(y, expected):
    assert covering(USUAL, [curve(*y)]) == expected


def test_limits_hold_all_that_is_beyond_on_either_side():
    for y in (2.001, 3.14159, 99.9, 12345.0):
        low, high = covering(USUAL, [curve(y, 1 / (100 * y))])
        assert low < 1 / (100 * y) < y < high
