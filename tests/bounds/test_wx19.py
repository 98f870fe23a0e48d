"""The formulas of WX19: values, and that the derived ones bound what they say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.bounds import wx19

FINE = 1e-9


@given(st.floats(-2, 2), st.floats(0.01, 1), st.floats(-0.75, 0.75))
def test_an_entry_that_is_off_by_three_quarters_of_t_at_most_keeps_lemma_3(size, t, share):
    """The deterministic part of the lemma: below 3t/4 a hard threshold is never off by 4 min(|σ|, t)."""
    released = size + share * t
    kept = released if abs(released) > t else 0.0
    (allowed,) = wx19.lemma_3(np.array([[size]]), t)[0]
    assert abs(kept - size) <= allowed * (1 + FINE) + FINE


def test_the_chance_of_lemma_3_is_above_the_normal_tail_it_bounds():
    from scipy.special import ndtr

    for p in (2, 5, 10, 100, 1000):
        assert 2 * ndtr(-3 * np.sqrt(np.log(p))) <= wx19.lemma_3_failure(p)


def test_the_deviation_of_an_entry_is_that_of_its_parts():
    covariance = np.array([[2.0, 0.5], [0.5, 1.0]])
    quiet = wx19.entry_deviation(covariance, 10**12, 0.1, 0.2, 0.05)
    level = np.log(4 * 3 / 0.05)
    np.testing.assert_allclose(quiet, np.sqrt(2 * level) * np.array([[0.2, 0.1], [0.1, 0.2]]), rtol=1e-4)
    silent = wx19.entry_deviation(covariance, 10**6, 1e-12, 1e-12, 0.05)
    assert silent[0, 1] == pytest.approx(np.sqrt(2 * (2.0 + 0.25) * level / 1e6), rel=0.01)
