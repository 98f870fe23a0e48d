"""Losses against quadrature, textbook formulas and known inequalities."""

import pickle
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import sqrtm
from scipy.stats import multivariate_normal, norm

from workbench import losses
from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.losses import kl_divergence, thompson_error

scales = st.floats(0.05, 20.0)
means = st.floats(-10.0, 10.0)


def random_gaussian(seed, d):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((d, d)) + np.eye(d)
    return Gaussian(rng.standard_normal(d), root @ root.T + 0.1 * np.eye(d))


def line(mean, sigma):
    return Gaussian([mean], [[sigma**2]])


def test_gaussian_owns_read_only_copies_even_after_a_pickle():
    mean, covariance = np.zeros(2), np.eye(2)
    law = Gaussian(mean, covariance)
    mean[0] = covariance[0, 0] = 5.0
    again = pickle.loads(pickle.dumps(law))
    for copy in (law, again):
        with pytest.raises(ValueError, match="read-only"):
            copy.mean[0] = 1.0
    assert {law, again, Gaussian([-0.0, 0.0], np.eye(2))} == {law}
    assert law != Gaussian([1.0, 0.0], np.eye(2))


def test_gaussian_rejects_what_is_no_law():
    asymmetric, indefinite = [[1.0, 0.5], [0.4, 1.0]], [[1.0, 2.0], [2.0, 1.0]]
    for covariance in (np.eye(3), [[1.0, inf], [inf, 1.0]], asymmetric, indefinite):
        with pytest.raises(ArgumentError, match=r"^covariance = "):
            Gaussian([0.0, 0.0], covariance)
    for mean, covariance in (([], np.zeros((0, 0))), (0.0, np.eye(1)), ([nan], np.eye(1))):
        with pytest.raises(ArgumentError, match=r"^mean = "):
            Gaussian(mean, covariance)


@given(seed=st.integers(0, 10**6), d=st.integers(1, 6))
def test_mahalanobis_losses_equal_the_symmetric_root_formulas(seed, d):
    """Oracle: scipy.linalg.sqrtm. A factor applied on one side only, or transposed, fails."""
    truth, estimate = random_gaussian(seed, d), random_gaussian(seed + 1, d)
    whiten = np.linalg.inv(sqrtm(truth.covariance).real)
    difference = whiten @ (estimate.covariance - truth.covariance) @ whiten
    mean_error = np.linalg.norm(whiten @ (estimate.mean - truth.mean))
    assert losses.mahalanobis_mean_error(estimate.mean, truth) == pytest.approx(mean_error, rel=1e-7)
    frobenius = losses.mahalanobis_covariance_error(estimate.covariance, truth.covariance)
    assert frobenius == pytest.approx(np.linalg.norm(difference), rel=1e-7)
    plain = np.abs(np.linalg.eigvalsh(estimate.covariance - truth.covariance)).max()
    assert losses.spectral_error(estimate.covariance, truth.covariance) == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize("bad", [nan, inf, -inf])
def test_an_estimate_that_is_not_finite_is_infinitely_wrong(bad):
    truth, estimate = random_gaussian(3, 3), np.diag([1.0, bad, 1.0])
    assert losses.mahalanobis_mean_error(estimate[1], truth) == inf
    for loss in (losses.mahalanobis_covariance_error, losses.spectral_error, losses.subspace_error):
        assert loss(estimate, truth.covariance) == inf


def test_thompson_error_is_the_same_either_way_and_infinite_where_an_axis_is_lost():
    truth, other = np.array([[4.0, 1.0], [1.0, 2.0]]), np.diag([5.0, 1.0])
    assert thompson_error(other, truth) == pytest.approx(thompson_error(truth, other))
    for estimate in (3 * truth, truth / 3):
        assert thompson_error(estimate, truth) == pytest.approx(np.log(3.0))
    for bad in (np.diag([1.0, -1e-3]), np.full((2, 2), inf)):
        assert thompson_error(bad, truth) == inf


@given(seed=st.integers(0, 10**6), d=st.integers(1, 6))
def test_kl_is_the_mean_of_the_difference_of_log_densities(seed, d):
    """Of normal rows it is that at the mean, and half of tr(B⁻¹A) - d."""
    p, q = random_gaussian(seed, d), random_gaussian(seed + 1, d)
    logs = [multivariate_normal(law.mean, law.covariance).logpdf(p.mean) for law in (p, q)]
    textbook = logs[0] - logs[1] + (np.trace(np.linalg.solve(q.covariance, p.covariance)) - d) / 2
    assert kl_divergence(p, q) == pytest.approx(textbook, rel=1e-7, abs=1e-9)


@given(mean=means, low=st.floats(0.5, 1.0), high=st.floats(1.0, 30.0), seed=st.integers(0, 10**6))
def test_quadratic_kl_bound_holds_with_eigenvalues_from_one_half(mean, low, high, seed):
    """AL22 Fact 2.1, second half."""
    q = random_gaussian(seed, 2)
    root = np.linalg.cholesky(q.covariance)
    p = Gaussian(q.mean + mean, root @ np.diag([low, high]) @ root.T)
    bound = losses.kl_upper_bound(p, q)
    if low > 0.5 + 1e-6:  # at 1/2 itself rounding decides whether the condition holds
        assert bound < inf
    assert kl_divergence(p, q) <= bound * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("p", [(1, 2), (5, 0.1), (0, 20)])
@pytest.mark.parametrize("q", [(-1.5, 2), (0, 3), (9, 7)])
def test_univariate_total_variation_equals_quadrature(p, q):
    x, step = np.linspace(-250, 250, 1_000_001, retstep=True)
    gap = np.abs(norm.pdf(x, *p) - norm.pdf(x, *q))
    assert losses.univariate_total_variation(*p, *q) == pytest.approx(gap.sum() * step / 2, abs=1e-5)


@given(mean=means, sigma=scales)
def test_pinsker_bounds_the_exact_distance(mean, sigma):
    """AL22 Lemma 2.2, in both directions of the divergence."""
    p, q = line(mean, sigma), line(0, 1)
    least = min(kl_divergence(p, q), kl_divergence(q, p))
    assert losses.total_variation(p, q) <= losses.pinsker_bound(least) + 1e-12


def test_total_variation_bounds_meet_on_the_line_and_refuse_nothing_singular():
    p, q = line(1, 2), line(0, 1)
    assert losses.total_variation_bounds(p, q) == (losses.total_variation(p, q),) * 2
    flat, round_ = Gaussian([0, 0], np.ones((2, 2))), Gaussian([0, 0], np.eye(2))
    assert losses.total_variation_bounds(flat, round_) == (1.0, 1.0)
    with pytest.raises(ArgumentError, match="total_variation_bounds"):
        losses.total_variation(Gaussian([0, 0], 2 * np.eye(2)), round_)
