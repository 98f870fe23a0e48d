"""The winsorised covariance: what one row moves, the bias and its inverse, and the predicted error."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import chdtri
from scipy.stats import chi2

from workbench.estimators.parts.integers import SQUARED_BITS, second_moment_within
from workbench.estimators.parts.normal_ball import kept_share
from workbench.estimators.parts.preconditioned.winsorised_covariance import (
    FARTHEST,
    WinsorisedCovariance,
    _kept_shares,
    censored_spectrum,
    squared_errors,
    uncensored_spectrum,
    unwinsorised,
)
from workbench.linalg import second_moment
from workbench.privacy import ZCDP, GaussianDP, SimulatedNoise, UnitNoise
from workbench.privacy.grid import step_of

SPECTRA = ([1.0], [1.0, 0.1], [1.0, 0.5, 0.1], [3.0, 1.0, 0.2], [1.0] * 9 + [0.01], [1.0, 1e-12])


def test_the_radius_and_the_charge_are_public():
    recipe = WinsorisedCovariance(1000, 3, ZCDP(0.1))
    charge = recipe.charge("last")
    assert charge.cost == ZCDP(0.1)
    assert charge.sensitivity == pytest.approx(np.sqrt(2) * recipe.radius**2 / 1000)
    assert recipe.radius == WinsorisedCovariance(1000, 3, GaussianDP(np.sqrt(0.2))).radius


@pytest.mark.daily
@pytest.mark.parametrize("d", [1, 2, 3, 10, 50])
@pytest.mark.parametrize("share", [0.5, 0.1, 1e-3])
@pytest.mark.parametrize("level", [0.2, 1.0, 4.0])
def test_the_bias_is_exact_for_equal_variances(d, share, level):
    radius = np.sqrt(chdtri(d, share))
    lengths = level * np.linspace(0, 400, 4_000_001)[1:]
    density = chi2.pdf(lengths / level, d) / level
    expected = np.trapezoid(np.minimum(lengths, radius**2) * density, lengths) / d
    np.testing.assert_allclose(censored_spectrum(np.full(d, level), radius), expected, rtol=2e-3 / d)


@pytest.mark.parametrize("d", [2, 100, 3000])
def test_shares_that_are_interpolated_are_those_of_their_formula(d):
    for reach, centre in ((1.001, 1.0), (1.2, 0.7), (2.0, 1.3), (4.0, 1.0), (4.0, 0.3), (9.0, 1.0)):
        squared = d * centre * np.geomspace(1, reach, 500) / np.sqrt(reach)
        np.testing.assert_allclose(_kept_shares(squared, d), kept_share(squared, d), rtol=0, atol=1e-12)


@pytest.mark.parametrize("variances", SPECTRA, ids=str)
@pytest.mark.parametrize("share", [0.5, 0.05])
def test_normal_rows_of_any_covariance_get_their_variances_back(variances, share):
    """Fixed rows, within 1 %: three standard errors of a variance or more, by the predicted error."""
    variances, n = np.array(variances), 1_000_000
    radius = np.sqrt(chdtri(len(variances), share))
    rows = np.random.default_rng(6).standard_normal((n, len(variances))) * np.sqrt(variances)
    moment = np.asarray(second_moment_within(rows, radius))
    found = np.sort(np.linalg.eigvalsh(unwinsorised(moment, radius)))
    lost = step_of(radius, SQUARED_BITS) ** 2  # of the square of a number that is rounded to 0
    np.testing.assert_allclose(found, np.sort(variances), rtol=0.01, atol=lost)
    if share == 0.5:  # the bias that was inverted is ten times what is tolerated, and more
        assert np.trace(moment) < 0.9 * variances.sum()


@pytest.mark.daily
@given(st.lists(st.floats(0, 5), min_size=1, max_size=6), st.floats(0.5, 5))
def test_the_inverse_undoes_the_bias_wherever_it_can(variances, radius):
    variances = np.array(variances)
    censored = censored_spectrum(variances, radius)
    found = uncensored_spectrum(censored, radius)
    assert np.isfinite(found).all()
    assert (found >= np.where(censored > 1e-280, censored, 0.0) * (1 - 1e-9)).all()
    if variances.sum() < radius**2:
        np.testing.assert_allclose(found, variances, rtol=1e-6, atol=1e-12)


@pytest.mark.daily
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=6), st.floats(1e-3, 1e3))
def test_moments_of_no_normal_law_have_a_finite_answer(values, radius):
    found = uncensored_spectrum(np.array(values), radius)
    assert np.isfinite(found).all()
    assert (found <= FARTHEST * np.array(values)).all()


def test_negative_eigenvalues_become_0_and_the_result_is_symmetric():
    matrix = np.array([[1.0, 2.0], [2.0, 1.0]])  # eigenvalues 3 and -1
    found = unwinsorised(matrix, 4.0)
    assert (found == found.T).all()
    assert np.linalg.eigvalsh(found)[0] == pytest.approx(0.0, abs=1e-12)
    assert np.linalg.eigvalsh(found)[1] > 3


@pytest.mark.daily
@pytest.mark.parametrize(("n", "d", "rho"), [(500, 1, 0.05), (1000, 2, 0.1), (2000, 5, 0.1), (3000, 10, 0.5)])
def test_the_predicted_error_is_the_measured_one(n, d, rho):
    """Over 200 runs the rms error has a relative sd below 4 %: within 20 % at 5 sd."""
    rng, recipe = np.random.default_rng(n), WinsorisedCovariance(n, d, ZCDP(rho))
    squares = []
    for _ in range(200):
        moment = second_moment_within(rng.standard_normal((n, d)), recipe.radius)
        found = recipe.release(moment, recipe.charge("covariance"), SimulatedNoise(rng))
        squares.append(((found - np.eye(d)) ** 2).sum())
    assert np.sqrt(np.mean(squares)) == pytest.approx(recipe.predicted_error, rel=0.2)


def test_the_radius_has_the_least_predicted_error_and_grows_with_the_budget():
    radii = [WinsorisedCovariance(1000, 5, GaussianDP(mu)).radius for mu in (0.01, 0.1, 1.0, 10.0)]
    assert radii == sorted(radii)
    assert radii[0] < 0.7 * radii[-1]
    squared = np.linspace(1.0, 60.0, 600)
    best = WinsorisedCovariance(1000, 5, GaussianDP(0.1))
    assert best.predicted_error**2 <= squared_errors(squared, 1000, 5, 0.1).min() * 1.01


def test_without_noise_and_far_from_the_ball_nothing_changes():
    rows = np.random.default_rng(3).standard_normal((100, 3))
    np.testing.assert_allclose(unwinsorised(second_moment(rows), 1e3), second_moment(rows), rtol=1e-6)


def test_the_noise_has_the_scale_of_the_charge():
    """Unit noise adds one scale to each entry: √2 R²/(nμ) on the diagonal, less by √2 off it."""
    n, mu = 50, 0.5
    recipe = WinsorisedCovariance(n, 2, GaussianDP(mu))
    noisy = np.sqrt(2) * recipe.radius**2 / (n * mu) * np.array([[1.0, 0.5**0.5], [0.5**0.5, 1.0]])
    found = recipe.release(np.zeros((2, 2)), recipe.charge("covariance"), UnitNoise())
    np.testing.assert_allclose(found, unwinsorised(noisy, recipe.radius), rtol=1e-9)
