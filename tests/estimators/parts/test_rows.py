"""Maps of rows in d dimensions on radii at the ends of the floats, and what they move by one row."""

from math import fsum
from unittest.mock import patch

import numpy as np
import pytest

from workbench.estimators.shared import rows
from workbench.estimators.shared.rows import (
    FARTHEST,
    NEAREST,
    within_ball,
)

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
