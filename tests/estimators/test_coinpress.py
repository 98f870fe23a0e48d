"""CoinPress, its frames, an unknown mean beside it, and columns of unequal units."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pandas as pd
import pytest

from tests.estimators.streams import rng as stream
from workbench import (
    ZCDP,
    ApproxDP,
    CoinPressCovariance,
    CoinPressMean,
    EmpiricalCovariance,
    PrincipalComponents,
    Scale,
    Scaled,
    TwoStepMean,
    catalog,
)
from workbench.catalog import CATALOG, Example, register
from workbench.contracts import CONTRACTS, SPENDING
from workbench.errors import ArgumentError
from workbench.estimators.coinpress import JointStep, preconditioned, rounder
from workbench.estimators.heavy_tailed import Band
from workbench.estimators.release import Release
from workbench.estimators.shared.moments import Frame, clipped_moment
from workbench.linalg import spectral_map
from workbench.losses import mahalanobis_covariance_error
from workbench.privacy.noise import uniform_basis


def test_a_mean_beyond_its_bound_is_found_by_pairs_alone():
    x = stream(3).standard_normal((3000, 2)) + 1e4
    for paired, good in ((True, True), (False, False)):
        estimator = CoinPressCovariance(upper=1.0, lower=1.0, radius=10.0, paired=paired)
        value = estimator(x, budget=ZCDP(0.5), rng=stream(1)).value
        assert (mahalanobis_covariance_error(value, np.eye(2)) < 0.3) == good


def between(rng, d, low, high=1.0):
    """A matrix with eigenvalues between these, and a basis of its own."""
    q = uniform_basis(d, rng)
    return (q * np.exp(rng.uniform(np.log(low), np.log(high), d))) @ q.T


def test_a_frame_at_most_doubles_what_was_below_one():
    """A Σ Aᵀ ≤ 2 I after step (10), for every noise that takes no more than e + ℓ/2 from an eigenvalue."""
    rng = stream(1)
    for _ in range(100):
        d = int(rng.integers(1, 6))
        lower, e, clip = 10 ** rng.uniform(-4, -0.01), rng.uniform(0.0, 0.6), 0.9 * sqrt(d)
        truth, noise = between(rng, d, lower), rng.standard_normal((d, d))
        noise = (noise + noise.T) / np.abs(np.linalg.eigvalsh(noise + noise.T)).max() * (e + lower / 2)
        step = JointStep(0.1, clip, 0.3, e, lower, 0.1)
        a = rounder(Frame(np.eye(d), np.eye(d)), clipped_moment(d, clip) * (truth + noise), step).matrix
        assert np.linalg.eigvalsh(a @ truth @ a.T)[-1] <= 2 * (1 + 1e-9)


@pytest.mark.turns(3)
def test_a_step_keeps_the_sandwich_wherever_the_band_holds():
    """Z between keep·S - eI and S + eI, often on the boundary; where keep is 1, CoinPress's frame, too."""
    rng = stream(0)
    for _ in range(300):
        d, lower = int(rng.integers(1, 6)), 10.0 ** rng.uniform(-6, -0.01)
        truth, p = between(rng, d, lower), uniform_basis(d, rng)
        band = Band(10.0 ** rng.uniform(-4, 0), rng.choice([1.0, rng.uniform(0.3, 1.0)]))
        low, high = band.keep * truth - band.error * np.eye(d), truth + band.error * np.eye(d)
        root = spectral_map(high - low, lambda values: np.sqrt(np.maximum(values, 0)))
        z = low + root @ (p * rng.choice([0.0, 1.0, rng.random()], d)) @ p.T @ root
        frames = [(band.preconditioned(z, lower, np.eye(d)), band.next_lower(lower))]
        if band.keep == 1:
            frames.append((preconditioned(z, band.error, lower, np.eye(d)), lower / (lower + 2 * band.error)))
        for a, least in frames:
            values = np.linalg.eigvalsh(a @ truth @ a.T)
            assert least * (1 - 1e-9) <= values[0] <= values[-1] <= 1 + 1e-9


# Columns of unequal units, and principal components.

UNITS = (1e-4, 18.0, 1.0)
COVARIANCE = CoinPressCovariance(lower=0.5, upper=2.0)
EXAMPLES = (
    Example(Scaled(estimator=COVARIANCE, scale=UNITS), ZCDP(0.1)),
    Example(Scaled(estimator=COVARIANCE, scale=Scale(), share=0.3), ApproxDP(1.0, 1e-6)),
    Example(Scaled(estimator=COVARIANCE, scale=Scale(lower=1e-6, upper=1e6)), ZCDP(0.1)),
)


@pytest.mark.parametrize("example", EXAMPLES, ids=["public", "found", "within"])
@pytest.mark.parametrize(
    "contract",
    [
        pytest.param(one, id=one.__name__, marks=() if one in SPENDING else pytest.mark.daily)
        for one in CONTRACTS
    ],
)
def test_every_contract_holds(monkeypatch, contract, example):
    monkeypatch.setattr(catalog, "_added", {})
    entry = replace(CATALOG["covariance/coinpress"], key="test/scaled", examples=(example,), hardest=None)
    register(entry)
    contract(example)


def test_units_that_are_powers_of_two_move_the_answer_and_nothing_else():
    units = np.array([2.0**-20, 4.0, 1.0])
    x = np.random.default_rng(1).normal(size=(500, 3))
    for inner, back in ((COVARIANCE, np.outer(units, units)), (CoinPressMean(radius=5.0, sigma=1.0), units)):
        plain = inner(x, budget=ZCDP(0.1), rng=np.random.default_rng(2))
        scaled = Scaled(estimator=inner, scale=tuple(units))
        moved = scaled(x * units, budget=ZCDP(0.1), rng=np.random.default_rng(2))
        assert np.array_equal(moved.value, plain.value * back)
        assert moved.plan == plain.plan


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (lambda: Scaled(estimator=TwoStepMean(radius=9.0, sigma=1.0), scale=UNITS), "estimator"),
        (lambda: Scaled(estimator=COVARIANCE, scale=(1.0, 0.0)), "scale"),
        (lambda: Scaled(estimator=COVARIANCE, scale=UNITS).plan(100, 2, ZCDP(0.1)), "scale"),
        (lambda: Scaled(estimator=COVARIANCE, scale=Scale(), share=1.0), "share"),
        (lambda: Scaled(estimator=COVARIANCE, scale=Scale(calibration="paper")), "calibration"),
        (lambda: PrincipalComponents(np.ones(3)), "covariance"),
    ],
)
def test_what_cannot_be_is_refused(make, argument):
    with pytest.raises(ArgumentError) as refused:
        make()
    assert refused.value.argument == argument


def test_principal_components_are_those_of_numpy():
    x = np.random.default_rng(5).normal(size=(300, 4)) @ np.random.default_rng(6).normal(size=(4, 4))
    release: Release = EmpiricalCovariance()(pd.DataFrame(x, columns=list("abcd")))
    matrix, sd = np.asarray(release), np.sqrt(np.diag(release))
    for correlation, wanted in ((False, matrix), (True, matrix / sd / sd[:, None])):
        pca = PrincipalComponents(release, correlation=correlation)
        values, axes = np.linalg.eigh(wanted)
        assert pca.variances == pytest.approx(values[::-1])
        assert pca.shares == pytest.approx(values[::-1] / values.sum())
        assert np.abs(pca.components @ axes[:, ::-1]) == pytest.approx(np.eye(4), abs=1e-9)
