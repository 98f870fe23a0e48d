"""Groups whose scales are as far apart as usable ones can be: no product overflows, and no data raise."""

import numpy as np
import pytest

from tests.estimators.test_populous import grouped
from workbench.estimators.votes import LARGEST, SMALLEST


def skewed(d, kind):
    """A frame whose columns nearly agree, of length 1 each: condition nearly 1e5."""
    rows, narrow = np.eye(d), 1.05e-5 * d
    if kind == "one line":
        rows[0] = 1.0
        rows[1:] *= narrow
    else:
        rows[0, 1], rows[1, 1] = 1.0, narrow
    return rows / np.sqrt((rows**2).sum(axis=0))


@pytest.mark.parametrize("d", [1, 2, 3, 5, 10])
@pytest.mark.parametrize("kind", ["one line", "one pair"])
def test_the_smallest_and_the_largest_usable_groups_are_compared_without_an_exception(d, kind):
    size = d + 4
    padding = np.zeros((4, d))
    small = np.vstack([1.01 * SMALLEST * np.sqrt(size) * (skewed(d, kind) if d > 1 else np.eye(1)), padding])
    large = np.vstack([0.99 * LARGEST * np.sqrt(size) * np.eye(d), padding])
    groups = grouped(np.vstack([small, small, large] * 6), size)
    assert groups.usable.all()
    with np.errstate(all="ignore"):
        counts = groups.friends(5.0)
    assert counts.tolist() == [12, 12, 6] * 6
