"""The law of Thompson-Laplace noise in several dimensions, on its own scale, against an exact formula."""

from math import sqrt

import numpy as np
import pytest
from scipy.stats import kstwo

from tests.oracles.thompson_laplace import largest_exponent
from workbench.contracts.kit import FALSE_ALARM
from workbench.privacy import SimulatedNoise

RATE, SHIFT, DRAWS = 20.0, 2.0, 3000
FEWER = {2: 12.0, 3: 12.0}  # dimensions and their rates
CRITICAL = float(kstwo.isf(FALSE_ALARM, DRAWS))  # sup |F_N - F| that the right law exceeds with this chance


def exponents(d, rate, count, seed=1):
    """max |ln eigenvalue| of masks of the identity, as a run draws them."""
    noise = SimulatedNoise(np.random.default_rng(seed))
    masks = np.array([noise.thompson_laplace(np.eye(d), 1.0, 1 / rate) for _ in range(count)])
    return np.abs(np.log(np.linalg.eigvalsh(masks))).max(axis=1)


def gap(values, cdf):
    """sup |F_N - F|."""
    at, count = cdf(np.sort(values)), len(values)
    return max((np.arange(1, count + 1) / count - at).max(), (at - np.arange(count) / count).max())


@pytest.mark.daily
def test_masks_of_four_dimensions_have_the_law_of_their_rate():
    assert gap(exponents(4, RATE, DRAWS), largest_exponent(4, RATE)) <= CRITICAL


@pytest.mark.parametrize("d", FEWER)
def test_masks_of_fewer_dimensions_have_the_law_of_their_rate(d):
    assert gap(exponents(d, FEWER[d], DRAWS), largest_exponent(d, FEWER[d])) <= CRITICAL


WRONG = [(4, RATE, wrong) for wrong in (RATE + SHIFT, RATE - SHIFT, 1.3 * RATE, RATE / 1.3)]
WRONG += [(d, rate, factor * rate) for d, rate in FEWER.items() for factor in (1.3, 1 / 1.3)]


@pytest.mark.parametrize(("d", "rate", "wrong"), WRONG)
def test_another_rate_is_seen(d, rate, wrong):
    places = np.linspace(0.0, 5.0, 5001)
    apart = np.abs(largest_exponent(d, wrong)(places) - largest_exponent(d, rate)(places)).max()
    missed = 2 * np.exp(-2 * DRAWS * (apart - CRITICAL) ** 2)  # Dvoretzky, Kiefer & Wolfowitz; Massart 1990
    assert apart > CRITICAL
    assert missed < 1e-4


def test_the_formula_is_the_closed_one_in_one_and_two_dimensions():
    r, rate = np.linspace(0.0, 3.0, 301), 7.0
    assert np.allclose(largest_exponent(1, rate)(r), -np.expm1(-rate * r), atol=1e-6)
    pieces = [(0.5, rate - 1), (0.5, rate + 1), (-1.0, rate)]  # two: the density is ∝ (cosh r - 1) e^(-θr)
    mass = sum(share * -np.expm1(-c * r) / c for share, c in pieces)
    assert np.allclose(largest_exponent(2, rate)(r), mass / sum(share / c for share, c in pieces), atol=1e-6)


def weighted_points(d, rate, count):
    """max |λ| of λ of density ∝ e^(-β max|λ|), uniform in a cube of Gamma(d + 1) size, and their weights."""
    rng, slow = np.random.default_rng(3), 0.45 * rate
    points = rng.gamma(d + 1, 1 / slow, count)[:, None] * rng.uniform(-1, 1, (count, d))
    largest, (i, j) = np.abs(points).max(axis=1), np.triu_indices(d, 1)
    weights = np.sinh(np.abs(points[:, i] - points[:, j]) / 2).prod(axis=1) * np.exp((slow - rate) * largest)
    return largest, weights / weights.sum()


@pytest.mark.parametrize(("d", "rate"), [(3, 9.0), (4, RATE)])
def test_the_formula_agrees_with_weighted_points(d, rate):
    """By a route of its own: no determinant, no Pfaffian, no quadrature."""
    largest, weights = weighted_points(d, rate, 400_000)
    places, exact = np.linspace(0, 5, 50_001), largest_exponent(d, rate)
    for share in (0.05, 0.25, 0.5, 0.75, 0.95):
        inside = (largest <= np.interp(share, exact(places), places)) - share
        error = sqrt(weights**2 @ inside**2)
        assert abs(weights @ inside) <= 5 * error
        assert error < 0.004
