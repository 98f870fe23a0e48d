"""Intervals that may abstain have a width, and cover given an answer."""

import numpy as np
import pytest

from workbench.estimators.intervals import Interval
from workbench.privacy import ApproxDP


@pytest.mark.parametrize("n", [8, 12, 20])
def test_an_interval_that_is_not_the_whole_line_has_a_width(n):
    # where most runs give no answer a critical value of all of them is 0: a point, which covers never
    assert Interval(level=0.1, sigma=1.0).half_width(n, ApproxDP(1.0, 1e-3)) > 0


@pytest.mark.daily
def test_coverage_given_an_answer():
    interval, budget, rng = Interval(level=0.1, sigma=1.0), ApproxDP(1.0, 1e-3), np.random.default_rng(5)
    n, covered = 16, []
    for _ in range(3000):
        value = interval(rng.normal(size=n), budget=budget, rng=rng).value
        low, high = (value.lower, value.upper) if hasattr(value, "lower") else (value.low, value.high)
        if np.isfinite(low):
            covered.append(low <= 0.0 <= high)
    assert np.mean(covered) >= 0.9 - 3 * np.sqrt(0.09 / len(covered))
