"""The constants of stable subsets: those of the program's example, and the law of the threshold."""

from math import log, sqrt

import numpy as np
import pytest

from workbench.bounds import bhs23

EPSILON, DELTA = 1.0, 1e-6


def test_the_example_of_the_program():
    """At d = 10 and λ₀ = 50 it says that fewer than 98000 rows fail: 98 steps."""
    n = bhs23.fewest_rows_of_means(10, EPSILON, DELTA)
    assert n / bhs23.threshold(n, 10) == pytest.approx(98_000 / 50, rel=1e-4)
    assert bhs23.fewest_rows_of_covariances(10, EPSILON, DELTA) < n


def test_normal_rows_keep_the_threshold():
    """It is left by some of 50 rows in .0488 of runs; 4000 runs, seven standard deviations."""
    d, n, runs = 3, 50, 4000
    rows = np.random.default_rng(5).standard_normal((runs, n, d))
    left = ((rows**2).sum(axis=2) > bhs23.threshold(n, d)).any(axis=1).mean()
    assert left == pytest.approx(0.0488, abs=7 * sqrt(0.0488 / runs))


def test_noise_falls_with_epsilon_times_n():
    one = bhs23.noise_of_means(10**5, 4, 1.0, DELTA)
    assert bhs23.noise_of_means(10**5, 4, 0.5, DELTA) == pytest.approx(2 * one)
    found = (one * 10**5) ** 2 / bhs23.threshold(10**5, 4)
    assert found == pytest.approx(810 * log(12 / DELTA))
