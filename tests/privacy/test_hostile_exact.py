"""Attacks on exact noise: what rounding to a grid may give away beyond the ideal mechanism."""

from unittest.mock import patch

import numpy as np
import pytest
from mpmath import exp, mp, mpf
from scipy.stats import norm

from workbench.privacy import ZCDP, ApproxDP, SecureNoise, exact
from workbench.privacy.histograms import stability_charge, stability_histogram, stability_threshold


def shown(cost, noise):
    """Whether a lone row shows when the first count gets this noise, in units of its grid."""
    asked = []

    def sampler(scale, shape):
        asked.append(scale)
        return np.full(shape, noise, np.int64)

    with patch.object(exact, "normal", sampler):
        found = stability_histogram(np.zeros(1), stability_charge("bins", cost), SecureNoise())
    return bool(found), asked[0]


def least_noise(cost):
    """The least noise, in units of the grid, with which a lone row shows, and its scale."""
    low, high = 0, 2**40
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shown(cost, middle)[0] else (middle, high)
    return high, shown(cost, high)[1]


@pytest.mark.parametrize(
    ("rho", "delta"), [(4.0, 6.87e-4), (1.0, 1e-6), (0.5, 1e-6), (100.0, 1e-15), (0.1, 1e-3), (9.0, 0.3)]
)
def test_a_lone_row_shows_through_rounded_normal_noise_with_probability_at_most_delta(rho, delta):
    """⌊X + ½⌋ ≥ k iff X ≥ k - ½: on counts themselves half a row is given away, up to 1e8 times δ."""
    least, scale = least_noise(ZCDP(rho, delta))
    chance = norm.sf((least - 0.5) / scale)
    assert 0.99 * delta < chance <= delta * (1 + 1e-12)


def test_the_threshold_of_discrete_noise_covers_a_scale_that_is_rounded_up():
    """(2/ε) ln(1/(δ(1 + q))) a whole number but for what rounding the scale up adds to the chance."""
    with mp.workdps(60):
        for steps in (3, 17, 40):
            epsilon = 0.5
            q = exp(-mpf(epsilon) / 2)
            delta = float(q**steps / (1 + q) * (1 + mpf(2) ** -50))
            least = stability_threshold(ApproxDP(epsilon, delta)) - 1
            wider = exp(-mpf(epsilon) / 2 / (mpf(1) + mpf(2) ** -40))
            assert wider**least / (1 + wider) <= delta
            assert wider ** (least - 1) / (1 + wider) > delta / 2
