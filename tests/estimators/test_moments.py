"""Moments of clipped rows: what one row moves, the bias of a ball and its inverse, lifted moments, frames."""

from fractions import Fraction
from math import exp, log, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import chdtri
from scipy.stats import chi2

from tests.estimators.whole_gaps import squared_gap
from workbench.chapters.matrix_quantile.lifted import total_variation
from workbench.estimators.shared.moments import (
    MOST_RAISED,
    STEP,
    Frame,
    LiftedMoment,
    SquaredErrors,
    WinsorisedCovariance,
    _kept_shares,
    best_radius,
    censored_spectrum,
    completed,
    identity_frame,
    kept_share,
    padded,
    peaked,
    slope,
    squared_errors,
    uncensored_spectrum,
    unwinsorised,
)
from workbench.estimators.shared.rows import (
    SQUARED_BITS,
    second_moment_sensitivity,
    second_moment_within,
    within_ball,
)
from workbench.estimators.unbounded import HEIGHT
from workbench.linalg import second_moment
from workbench.privacy import ZCDP, Charge, GaussianDP, SimulatedNoise
from workbench.privacy.grid import UP, OnGrid, step_of
from workbench.privacy.mechanisms import symmetric_gaussian

LOUD = ZCDP(20.0, 1e-6)
SPECTRA = ([1.0], [1.0, 0.1], [1.0, 0.5, 0.1], [3.0, 1.0, 0.2], [1.0] * 9 + [0.01], [1.0, 1e-12])


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
    assert (found <= MOST_RAISED * np.array(values)).all()


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
        charge = Charge("", "symmetric_gaussian", second_moment_sensitivity(n, recipe.radius), recipe.cost)
        found = unwinsorised(symmetric_gaussian(moment, charge, SimulatedNoise(rng)), recipe.radius)
        squares.append(((found - np.eye(d)) ** 2).sum())
    assert np.sqrt(np.mean(squares)) == pytest.approx(recipe.predicted_error, rel=0.2)


def test_the_radius_has_the_least_predicted_error_and_grows_with_the_budget():
    radii = [best_radius(1000, 5, mu) for mu in (0.01, 0.1, 1.0, 10.0)]
    assert radii == sorted(radii)
    assert radii[0] < 0.7 * radii[-1]
    squared = np.linspace(1.0, 60.0, 600)
    best = WinsorisedCovariance(1000, 5, GaussianDP(0.1))
    assert best.predicted_error**2 <= squared_errors(squared, 1000, 5, 0.1).min() * 1.01


def test_without_noise_and_far_from_the_ball_nothing_changes():
    rows = np.random.default_rng(3).standard_normal((100, 3))
    np.testing.assert_allclose(unwinsorised(second_moment(rows), 1e3), second_moment(rows), rtol=1e-6)


@pytest.mark.daily
@pytest.mark.parametrize(("d", "rank"), [(1, 1), (2, 2), (3, 2), (5, 5), (4, 1)])
def test_no_row_moves_a_lifted_moment_by_more_than_its_charge(d, rank):
    """4000 neighbours within the ball, on its sphere and beyond; what is drawn has the size of d."""
    rng, lift, most = np.random.default_rng(1), LiftedMoment(7, d, HEIGHT), 0.0
    for _ in range(4000):
        rows = rng.standard_normal((7, rank)) * rng.choice([0.1, 10.0])
        rows /= np.maximum(1.0, np.linalg.norm(rows, axis=1))[:, None]
        other = rows.copy()
        other[rng.integers(7)] = rng.choice([-1.0, 1.0, 0.0, HEIGHT], rank) / sqrt(rank)
        squared = squared_gap(lift.of(rows, np.array), lift.of(other, np.array))
        assert squared <= Fraction(UP * lift.charge("", LOUD).sensitivity) ** 2
        most = max(most, sqrt(squared) / lift.charge("", LOUD).sensitivity)
    assert most > 0.7


@pytest.mark.parametrize("d", [2, 3, 10])
@pytest.mark.parametrize("height", [0.0, HEIGHT, 1.0])
def test_a_pair_of_rows_attains_the_sensitivity(d, height):
    """Rows on the sphere whose lifted rows are orthogonal: ⟨w, w'⟩ = -τ²."""
    lift, rows = LiftedMoment(3, d, height), np.zeros((3, d))
    rows[0, 0] = 1.0
    other = rows.copy()
    other[0, :2] = -(height**2), sqrt(1 - height**4)
    squared = squared_gap(lift.of(rows, np.array), lift.of(other, np.array))
    rounding = 2.0**-16  # entries of 2^18 steps, each off by one at most
    assert sqrt(squared) == pytest.approx(lift.charge("", LOUD).sensitivity, rel=rounding)
    assert sqrt(squared) == pytest.approx(sqrt(2) * (1 + height**2) / 3, rel=rounding)
    assert squared <= Fraction(UP * lift.charge("", LOUD).sensitivity) ** 2


@pytest.mark.parametrize(("d", "rank"), [(1, 1), (3, 3), (4, 2)])
def test_without_noise_a_lifted_moment_holds_mean_and_moment(d, rank):
    rows = np.random.default_rng(12).uniform(-0.5, 0.5, (50, rank))
    lift = LiftedMoment(50, d, HEIGHT)
    mean, moment = lift.read(np.asarray(lift.of(rows, np.array)), rank, lift.charge("", ZCDP(1.0)))
    assert mean == pytest.approx(rows.mean(axis=0), abs=STEP / 2)
    assert moment == pytest.approx(rows.T @ rows / 50, abs=STEP)


@pytest.mark.parametrize("d", [2, 100, 341, 342, 343, 1000, 10_000])
def test_the_slope_is_a_share_in_any_dimension(d):
    """At the median length half of the rows are inside, and the others turn nearly as they did."""
    assert slope(d, sqrt(d)) == pytest.approx(1.0, abs=1 / sqrt(d))
    assert slope(d, sqrt(d)) < slope(d, 1.1 * sqrt(d)) <= 1.0
    assert log(slope(d, 3 * sqrt(d))) == pytest.approx(0.0, abs=1e-3)


@pytest.mark.daily
@pytest.mark.parametrize("d", [1, 2, 5])
def test_a_foreseen_total_variation_is_that_of_normal_errors(d):
    """Errors of a covariance alone, and with a mean: against the mean of max(0, 1 - p/φ) over normal rows."""
    rng, n = np.random.default_rng(31), 400
    for mean in (0.0, 0.02):
        found = []
        for _ in range(n):
            free = rng.standard_normal((d, d)) * 0.02
            law = rng.standard_normal(d) * mean, np.eye(d) + (free + free.T) / sqrt(2)
            found.append(total_variation(*law))
        size = SquaredErrors(d, d * mean**2, d * (d + 1) * 0.02**2)
        assert np.median(found) == pytest.approx(size.total_variation, rel=0.12)


def test_what_a_covariance_error_does_to_a_log_ratio_on_the_line():
    """E|z² - 1| = 4 φ(1), beside √2 √(2/π)."""
    assert peaked(1) == pytest.approx(4 * exp(-0.5) / sqrt(2 * pi) / (2 / sqrt(pi)), rel=0.02)


def test_a_preconditioner_closes_its_gap_and_keeps_the_others():
    """M21/UG Theorem 5.1, with the exact projection: gap k becomes 1, the later eigenvalues stay."""
    rng, values = np.random.default_rng(17), np.array([1e8, 1e7, 1e3, 1.0])
    basis = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    sigma, gap = (basis * values) @ basis.T, np.sqrt(1e3 / 1e7)
    frame = identity_frame(4).shrunk(basis[:, :2], gap)
    shaped = np.linalg.eigvalsh(frame.matrix @ sigma @ frame.matrix.T)[::-1]
    assert shaped == pytest.approx([1e4, 1e3, 1e3, 1.0], rel=1e-6)


def test_a_frame_maps_there_and_back():
    rng = np.random.default_rng(19)
    basis, shape = np.linalg.qr(rng.standard_normal((4, 2)))[0], rng.standard_normal((2, 2))
    frame, moment = Frame(basis, shape), np.array([[2.0, 0.5], [0.5, 1.0]])
    vector = rng.standard_normal(2)
    assert frame.matrix @ frame.back(vector) == pytest.approx(vector)
    assert frame.matrix @ frame.covariance(moment) @ frame.matrix.T == pytest.approx(moment)
    assert np.linalg.matrix_rank(completed(frame)) == 4
    assert completed(identity_frame(3)).tolist() == np.eye(3).tolist()
    whole = padded(OnGrid(np.arange(1, 5).reshape(2, 2), 0.5), 3)
    assert np.asarray(whole).tolist() == [[0.5, 1.0, 0.0], [1.5, 2.0, 0.0], [0.0, 0.0, 0.0]]
    assert padded(OnGrid(np.arange(2), 0.5), 3).counts.tolist() == [0, 1, 0]


@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_slope_of_a_clipped_mean_is_exact(d):
    """Against a difference quotient over the same normal rows: its error is that of the average alone."""
    rng, radius, step = np.random.default_rng(20), 1.2 * np.sqrt(d), 0.2
    z = rng.standard_normal((200_000, d))
    z = np.concatenate([z, -z])
    found = within_ball(z + step * np.eye(d)[0], radius)[:, 0].mean() / step
    assert found == pytest.approx(slope(d, radius), abs=0.01)
