"""Moments of heavy-tailed rows: constants, bands and balls that hold, batches.  Errors: contracts, claims."""

from math import sqrt

import numpy as np
import pytest

from tests.estimators.streams import rng as stream
from workbench.distributions import Gaussian
from workbench.estimators.base import Trace
from workbench.estimators.heavy_tailed import Band, HeavyTailedCovariance, Moments
from workbench.linalg import spectral_map
from workbench.losses import mahalanobis_covariance_error
from workbench.populations import MultivariateStudent
from workbench.populations.laws import student_hypercontractivity
from workbench.privacy import ZCDP
from workbench.privacy.noise import uniform_basis

LOUD = ZCDP(0.5)


@pytest.mark.turns(4)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_constant_of_a_pair_holds_for_skewed_laws_on_few_points(k):
    """Y = (X - X')/√2 exactly, for laws on two to five points; some of 800 come near the constant."""
    rng, closest = stream(k), 0.0
    for _ in range(800):
        size = int(rng.integers(2, 6))
        points = rng.standard_normal(size) * rng.choice([1.0, 10.0], size)
        weights = rng.dirichlet(np.full(size, rng.choice([0.1, 0.5, 3.0])))
        apart = points - weights @ points
        variance = weights @ apart**2
        if variance < 1e-9:
            continue
        constant = max(float(weights @ apart ** (2 * k) / variance**k), 1.0)
        gaps, joint = (points[:, None] - points) / sqrt(2), np.outer(weights, weights)
        exact = float((joint * gaps ** (2 * k)).sum() / (joint * gaps**2).sum() ** k)
        declared = Moments(k, constant).paired().constant
        assert exact <= declared * (1 + 1e-9)
        assert declared <= 2**k * constant
        closest = max(closest, exact / declared)
    assert closest > (0.999 if k == 2 else 0.9)


def test_excess_bounds_hold_pointwise():
    z = np.geomspace(1e-3, 1e6, 4001)
    for k in (1, 2, 3, 5):
        first, second = Moments(k, 1.0).excess(1), Moments(k, 1.0).squared_excess(1)
        for g in (0.1, 1.0, 30.0):
            beyond, power = np.maximum(z - g, 0.0), z ** (2 * k) * (1 + 1e-9)
            assert (beyond <= first * power / g ** (2 * k - 1)).all()
            assert (beyond**2 <= second * power / g ** (2 * k - 2)).all()


@pytest.mark.turns(3)
@pytest.mark.parametrize("seed", range(3))
def test_a_step_keeps_the_sandwich_wherever_the_band_holds(seed):
    """Z between keep·S - eI and S + eI, often on the boundary."""
    rng = stream(seed)
    for _ in range(150):
        d, lower = int(rng.integers(1, 6)), 10.0 ** rng.uniform(-6, -0.01)
        q, p = (uniform_basis(d, rng) for _ in range(2))
        truth = (q * np.exp(rng.uniform(np.log(lower), 0, d))) @ q.T
        band = Band(10.0 ** rng.uniform(-4, 0), rng.uniform(0.3, 1.0))
        low, high = band.keep * truth - band.error * np.eye(d), truth + band.error * np.eye(d)
        root = spectral_map(high - low, lambda values: np.sqrt(np.maximum(values, 0)))
        z = low + root @ (p * rng.choice([0.0, 1.0, rng.random()], d)) @ p.T @ root
        a = band.preconditioned(z, lower, np.eye(d))
        values = np.linalg.eigvalsh(a @ truth @ a.T)
        assert values[-1] <= 1 + 1e-9
        assert values[0] >= band.next_lower(lower) * (1 - 1e-9)


def student(covariance, degrees, mean=0.0):
    return MultivariateStudent(Gaussian(np.full(len(covariance), mean), covariance), degrees)


@pytest.mark.parametrize("calibration", ["tight", "paper"])
def test_proved_bands_hold_on_heavy_tails_in_every_step(calibration):
    """Each of two runs fails with probability .05 by the proof; the bounds are far from tight."""
    q = uniform_basis(2, stream(0))
    sigma, n, k = (q * [1.0, 1000.0]) @ q.T, 100_000, 3
    estimator = HeavyTailedCovariance(
        upper=1000.0, centred=True, moments=k, mode="proved", calibration=calibration,
        hypercontractivity=student_hypercontractivity(10.0, k), lower=1.0,
    )  # fmt: skip
    for seed in range(2):
        trace, x = Trace(), student(sigma, 10.0).sample(n, rng=stream(seed))
        value = estimator(x, budget=LOUD, rng=stream(50 + seed), trace=trace).value
        assert len(trace.records["lower"]) > 2
        assert (np.diff(trace.records["lower"]) > 0).all()
        for a, lower in zip(trace.records["preconditioner"], trace.records["lower"], strict=True):
            values = np.linalg.eigvalsh(a @ sigma @ a.T)
            assert lower * (1 - 1e-9) <= values[0]
            assert values[-1] <= 1 + 1e-9
        assert mahalanobis_covariance_error(value, sigma) <= estimator.error_bound(n, 2, LOUD, 0.05)
