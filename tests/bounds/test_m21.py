"""M21's sample sizes: how they move with every argument, exactly."""

from math import log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.bounds.slopes import slope
from workbench.bounds import m21

D, ALPHA = st.integers(1, 200), st.floats(1e-3, 1)
RHO, MOMENTS, UPPER = st.floats(1e-4, 10), st.integers(2, 6), st.floats(1, 1e12)


@given(D, ALPHA, RHO, MOMENTS, UPPER)
def test_table_1_heavy_tails(d, alpha, rho, k, upper):
    shape = m21.heavy_tailed_shape(d, alpha, rho, k, upper)
    assert shape.sampling == pytest.approx((d / alpha) ** 2)
    again = m21.heavy_tailed_shape(d, alpha / 2, 4 * rho, k, upper)
    assert again.noise == pytest.approx(shape.noise * 2 ** (k / (k - 1)) / 2)
    assert again.preconditioning == pytest.approx(shape.preconditioning / 2)
    assert slope(lambda e: m21.heavy_tailed_shape(e, alpha, rho, k, 9).noise, 4, 64) == pytest.approx(
        2 + 0.5 / (k - 1)
    )
    assert shape.total == shape.sampling + shape.noise + shape.preconditioning


@given(D, ALPHA, RHO)
def test_table_1_unbounded_gaussians_do_not_know_the_condition_number(d, alpha, epsilon):
    shape = m21.unbounded_shape(d, alpha, epsilon)
    assert shape.preconditioning == pytest.approx(d**2.5 / epsilon)
    assert shape.noise == pytest.approx(shape.sampling * alpha / epsilon)


@given(D, ALPHA, RHO, MOMENTS, UPPER, st.floats(1e-6, 0.5))
def test_theorem_3_1_pays_the_condition_number_in_the_mahalanobis_norm_only(d, alpha, rho, k, upper, beta):
    shape = m21.naive_mahalanobis_shape(d, alpha, rho, k, upper, beta)
    flat = m21.naive_mahalanobis_shape(d, alpha, rho, k, 1.0, beta)
    assert shape.noise == pytest.approx(upper * flat.noise)
    assert shape.sampling == flat.sampling
    spectral = m21.naive_spectral_shape(d, alpha, rho, k, beta)
    ratio = sqrt(d) * d ** (0.5 / (k - 1)) / sqrt(log(1 / beta))
    assert flat.noise == pytest.approx(spectral.noise * ratio)


def test_theorems_of_the_preconditioners():
    assert m21.eigenvalues_shape(16, 0.5) == 128
    assert m21.coarse_shape(10, 1.0, 0.5) == 1600
    assert m21.fine_shape(4, 1.0, 0.5) == 32
    step = m21.preconditioning_step_shape(4, 0.25, 0.1)
    assert step.noise == pytest.approx(16 * log(10))


@given(D, ALPHA, RHO, UPPER)
def test_coinpress_pays_the_range_apart_from_the_accuracy(d, alpha, rho, wide):
    mean, spread = m21.coinpress_mean_shape, m21.coinpress_covariance_shape
    assert mean(d, alpha, rho, 1.0).preconditioning == spread(d, alpha, rho, 1.0).preconditioning == 0
    for shape, power in ((mean, 1), (spread, 2)):
        near, far = shape(d, alpha, rho, 1.0), shape(d, alpha, rho, wide)
        assert (far.sampling, far.noise) == (near.sampling, near.noise)
        assert near.sampling == pytest.approx(d**power / alpha**2)
        assert near.noise == pytest.approx(near.sampling * alpha / sqrt(rho))
    assert mean(4 * d, alpha, rho, wide).preconditioning == pytest.approx(
        2 * mean(d, alpha, rho, wide).preconditioning
    )
    assert spread(d, alpha, rho, wide**4).preconditioning == pytest.approx(
        2 * spread(d, alpha, rho, wide).preconditioning
    )
