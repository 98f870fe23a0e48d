"""Maps of rows in d dimensions on radii at the ends of the floats, and what they move by one row."""

import warnings
from math import fsum
from unittest.mock import patch

import numpy as np
import pytest

import workbench as wb
from workbench.errors import ArgumentError
from workbench.estimators.base import sanitised
from workbench.estimators.shared import rows
from workbench.estimators.shared.rows import (
    FARTHEST,
    NEAREST,
    mean_of,
    mean_sensitivity,
    second_moment_sensitivity,
    second_moment_within,
    within_ball,
)
from workbench.linalg import throughout
from workbench.privacy import ZCDP

LENGTHS = [0.0, 5e-324, 1e-310, 1.4e-162, 1e-158, 3e-158, 1e-155, 1e-150, 1.0, 1e15, 1e100, np.inf, np.nan]


def unusual(scale):
    rng = np.random.default_rng(3)
    return rng.choice([-1.0, 1.0], (60, 3)) * rng.choice([*LENGTHS, scale, 2 * scale, scale / 2], (60, 3))


@pytest.mark.parametrize("radius", [NEAREST, 1e-100, 1.0, 1e100, FARTHEST])
def test_rows_end_up_within_every_radius_that_is_allowed(radius):
    with np.errstate(all="ignore"):
        clipped = within_ball(unusual(radius), radius)
    assert np.isfinite(clipped).all()
    assert (np.linalg.norm(clipped / radius, axis=1) <= 1 + 1e-12).all()


@pytest.mark.parametrize("radius", [NEAREST, 1.0, 1e100])
def test_one_row_moves_moments_by_the_sensitivity_at_most(radius):
    rng = np.random.default_rng(4)
    with np.errstate(all="ignore"):
        for _ in range(200):
            first = unusual(radius)
            second = first.copy()
            i = rng.integers(len(first))
            first[i], second[i] = 5 * radius * np.eye(3)[0], 5 * radius * np.eye(3)[rng.integers(3)]
            moments = (np.asarray(second_moment_within(x, radius) / radius**2) for x in (first, second))
            moved = np.linalg.norm(next(moments) - next(moments))
            assert moved <= second_moment_sensitivity(60, 1.0) * (1 + 1e-9)
            second[i] = -first[i]
            moved = np.linalg.norm(mean_of(first, _clip(radius)) - mean_of(second, _clip(radius)))
            assert moved <= mean_sensitivity(60, radius) * (1 + 1e-9)


def _clip(radius):
    return lambda rows: within_ball(rows, radius)


TOO_EXTREME = {
    "a tiny ball": lambda: wb.PerturbedCovariance(radius=1e-158),
    "a huge ball": lambda: wb.PerturbedCovariance(radius=1e155),
    "a denormal variance": lambda: wb.ClippedCovariance(upper=5e-324),
    "an infinite ratio": lambda: wb.CoinPressCovariance(upper=1.0, lower=5e-324),
    "an infinite ratio, heavy tails": lambda: wb.HeavyTailedCovariance(upper=1e20, lower=5e-324, steps=3),
    "a radius beyond squares": lambda: wb.CoinPressMean(radius=1e155, sigma=1.0),
    "a tiny unit": lambda: wb.CoinPressMean(radius=1.0, sigma=1e-155),
    "a huge box": lambda: wb.ClippedBoxMean(radius=1.7e308, sigma=1.0),
    "a huge radius, heavy tails": lambda: wb.ClippedHeavyMean(radius=1.7e308, upper=1.0),
    "huge moments": lambda: wb.ClippedHeavyMean(radius=1.0, hypercontractivity=1.7e308, upper=1.0),
}


@pytest.mark.parametrize("case", TOO_EXTREME)
@pytest.mark.parametrize("scale", [0.0, 3e-158, 1.0, 1e99])
def test_what_floats_cannot_hold_is_refused_whatever_the_rows(case, scale):
    # squares of lengths below 1e-154 round to multiples of a denormal: whether a row is inside would fail
    x = scale * np.random.default_rng(1).standard_normal((40, 2))
    with pytest.raises(ArgumentError, match=r"^(radius|lower) = "):
        TOO_EXTREME[case]()(x, budget=ZCDP(50.0), rng=np.random.default_rng(2))


@pytest.mark.parametrize("reach", [1e-6, 1e-9, 1e-20, 1e-300])
def test_a_range_far_smaller_than_the_unit_is_planned_in_silence(reach):
    x = np.random.default_rng(1).standard_normal((40, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value = wb.CoordinatewiseMean(radius=reach, sigma=1.0)(
            x, budget=ZCDP(1.0), rng=np.random.default_rng(2)
        ).value
    assert (np.abs(value) <= 5.0).all()


def test_a_caller_who_lets_numpy_raise_gets_the_same_release():
    x = np.random.default_rng(1).standard_normal((557, 1))
    with np.errstate(all="raise"):
        strict = wb.CoordinatewiseMean(radius=11.0, sigma=1.0)(
            x, budget=ZCDP(1.03), rng=np.random.default_rng(2)
        ).value
    calm = wb.CoordinatewiseMean(radius=11.0, sigma=1.0)(
        x, budget=ZCDP(1.03), rng=np.random.default_rng(2)
    ).value
    assert strict == calm


@pytest.mark.parametrize("columns", [0, 1, 3, 16, 17, 40])
def test_rows_are_told_by_columns_as_by_rows(columns):
    rows = np.random.default_rng(columns).random((50, columns)) < 0.9
    assert (throughout(rows) == rows.all(axis=1)).all()
    assert sanitised(np.zeros((5, columns))).shape == (5, columns)


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


@pytest.mark.parametrize("d", [1, 2, 100, 17_000])
def test_in_fewer_dimensions_rows_inside_the_ball_keep_their_bits(d):
    assert rows._known(d) == 1.0
    x = np.zeros((1, d))
    x[0, 0] = 3.0
    assert (within_ball(x, 3.0) == x).all()
