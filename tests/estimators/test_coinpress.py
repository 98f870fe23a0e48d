"""CoinPress: frames, balls, and what a step may do.  Errors, bounds and predictions: contracts and claims."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.estimators.streams import rng as stream
from workbench import CoinPressCovariance
from workbench.estimators.coinpress import CoinPressGaussian, JointStep, preconditioned, rounder
from workbench.estimators.shared.moments import Frame, censored_spectrum, clipped_moment
from workbench.losses import mahalanobis_covariance_error
from workbench.privacy import ZCDP
from workbench.privacy.noise import uniform_basis

quickly = settings(max_examples=30)


def rotated(values, seed=1):
    basis = uniform_basis(len(values), stream(seed))
    return (basis * values) @ basis.T


@quickly
@given(st.integers(0, 10**6), st.integers(1, 5))
def test_the_frame_keeps_the_bounds_for_every_error_within_e(seed, d):
    """T ≤ I becomes U^(-1/2) T U^(-1/2) in [ℓ/(ℓ+2e), 1] for every Z within e of T in spectral norm."""
    rng = stream(seed)
    lower, e = 10 ** rng.uniform(-4, -0.01), rng.uniform(0.001, 0.6)
    truth, error = rotated(rng.uniform(lower, 1, d), seed), rng.standard_normal((d, d))
    error = error + error.T
    z = truth + e * rng.choice([0.5, 1.0]) * error / np.abs(np.linalg.eigvalsh(error)).max()
    a = preconditioned(z, e, lower, np.eye(d))
    values = np.linalg.eigvalsh(a @ truth @ a.T)
    assert values[-1] <= 1 + 1e-9
    assert values[0] >= lower / (lower + 2 * e) * (1 - 1e-9)


@quickly
@given(st.integers(0, 10**6), st.integers(1, 6), st.floats(0.3, 3.0))
def test_no_covariance_keeps_less_of_itself_in_a_ball_than_the_white_one(seed, d, share):
    variances, radius = 10.0 ** stream(seed).uniform(-6, 0, d), share * sqrt(d)
    white = censored_spectrum(np.ones(d), radius)
    assert clipped_moment(d, radius) == pytest.approx(white.mean(), rel=1e-9)
    assert (censored_spectrum(variances, radius) >= white * variances * (1 - 1e-9)).all()


@quickly
@given(st.integers(0, 10**6), st.integers(1, 5))
def test_a_frame_at_most_doubles_what_was_below_one(seed, d):
    """A Σ Aᵀ ≤ 2 I after step (10), for every noise that takes no more than e + ℓ/2 from an eigenvalue."""
    rng = stream(seed)
    lower, e, clip = 10 ** rng.uniform(-4, -0.01), rng.uniform(0.0, 0.6), 0.9 * sqrt(d)
    truth, noise = rotated(10 ** rng.uniform(np.log10(lower), 0, d), seed), rng.standard_normal((d, d))
    noise = (noise + noise.T) / np.abs(np.linalg.eigvalsh(noise + noise.T)).max() * (e + lower / 2)
    step = JointStep(0.1, clip, 0.3, e, lower, 0.1)
    a = rounder(Frame(np.eye(d), np.eye(d)), clipped_moment(d, clip) * (truth + noise), step).matrix
    assert np.linalg.eigvalsh(a @ truth @ a.T)[-1] <= 2 * (1 + 1e-9)


@pytest.mark.turns(3)
def test_noise_that_leaves_the_floats_gives_no_answer():
    estimator, x = CoinPressGaussian(radius=1.0, upper=1e300, lower=1e300), np.zeros((10, 2))
    sources = map(stream, range(9))
    assert any(estimator(x, budget=ZCDP(1e-20), rng=source).abstained for source in sources)


# An unknown mean beside a covariance


def test_joint_steps_take_the_place_of_pairs_where_they_are_predicted_to_err_less():
    budget, given = ZCDP(0.5), {"upper": 100.0, "lower": 1.0}
    joint, pairs, known = (
        CoinPressCovariance(**given, **own) for own in ({}, {"paired": True}, {"centred": True})
    )
    said = [one.predicted_error(10_000, 10, budget) for one in (known, joint, pairs)]
    assert said[1] < 1.06 * said[0] < 0.8 * said[2]
    few = CoinPressCovariance(upper=1e4, lower=1.0)  # more columns than joint steps find an axis of
    assert not few.jointly(10_000, 50, budget)
    for own in ({"steps": 3}, {"mode": "proved"}, {"calibration": "paper"}):
        assert not CoinPressCovariance(**given, **own).jointly(10_000, 10, budget)


def test_a_mean_beyond_its_bound_is_found_by_pairs_alone():
    x = stream(3).standard_normal((3000, 2)) + 1e4
    for paired, good in ((True, True), (False, False)):
        estimator = CoinPressCovariance(upper=1.0, lower=1.0, radius=10.0, paired=paired)
        value = estimator(x, budget=ZCDP(0.5), rng=stream(1)).value
        assert (mahalanobis_covariance_error(value, np.eye(2)) < 0.3) == good
