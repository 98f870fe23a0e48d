"""Moments of heavy-tailed rows: constants, bands and balls that hold, batches.  Errors: contracts, claims."""

from itertools import pairwise
from math import sqrt

import numpy as np
import pytest

from workbench.catalog import Example
from workbench.contracts.every import SPENDING
from workbench.distributions import Gaussian
from workbench.estimators.base import Trace
from workbench.estimators.heavy_tailed import (
    Band,
    ClippedHeavyMean,
    HeavyTailedCovariance,
    HeavyTailedNaiveCovariance,
    Moments,
    last_errors,
    zeroed_beyond,
)
from workbench.estimators.shared.budgets import gaussian_total
from workbench.estimators.shared.rows import within_ball
from workbench.linalg import second_moment, spectral_map, symmetric_noise_frobenius
from workbench.losses import mahalanobis_covariance_error
from workbench.populations import MultivariateStudent
from workbench.populations.heavy_tailed import student_hypercontractivity
from workbench.privacy import ZCDP, ApproxDP, GaussianDP, Parallel, compose

LOUD = ZCDP(0.5)


def student(covariance, degrees, mean=0.0):
    return MultivariateStudent(Gaussian(np.full(len(covariance), mean), covariance), degrees)


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_the_constant_of_a_pair_holds_for_skewed_laws_on_few_points(k):
    """Y = (X - X')/√2 exactly, for laws on two to five points; 2,000 of them come near the constant."""
    rng, closest = np.random.default_rng(k), 0.0
    for _ in range(2000):
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


def test_constants_of_pairs_are_those_of_the_source():
    for c in (1.0, 3.0, 15.0, 200.0):
        assert Moments(2, c).paired().constant == pytest.approx((c + 3) / 2)
        assert Moments(3, c).paired().constant == pytest.approx((2 * c + 30 * sqrt(c)) / 8)
    assert Moments(2, 3.0).paired() == Moments(2, 3.0)  # normal rows
    assert Moments(1, 1.0).paired() == Moments(1, 1.0)


@pytest.mark.parametrize(("k", "d"), [(2, 1), (2, 4), (3, 2), (4, 3)])
@pytest.mark.parametrize("zeroed", [False, True])
def test_the_bias_of_a_cut_is_within_its_bound(k, d, zeroed):
    moments = Moments(k, student_hypercontractivity(2 * k + 1.0, k))
    x = student(np.eye(d), 2 * k + 1.0).sample(200_000, rng=np.random.default_rng(d))
    for radius in (1.0, 3.0, 10.0):
        cut = zeroed_beyond(x, radius) if zeroed else within_ball(x, radius)
        lost = float(np.linalg.eigvalsh(second_moment(x) - second_moment(cut))[-1])
        assert lost <= moments.bias(d, radius, zeroed) * 1.1
        assert moments.radius(d, float(moments.bias(d, radius, zeroed)), zeroed) == pytest.approx(radius)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_bias_bound_is_attained_by_two_points_in_one_dimension(k):
    """A rare far point makes Hölder's inequality sharp: some law reaches the constant of a clipped row."""
    best = 0.0
    for far in 1 / np.sqrt(np.geomspace(1e-6, 1e-2, 30)):  # variance 1: ± far with probability 1/far², else 0
        moments = Moments(k, float(far ** (2 * k - 2)))
        for factor in np.linspace(1.01, 3.0, 200):
            best = max(best, (1 - 1 / factor) / float(moments.bias(1, far / sqrt(factor))))
    assert 0.999 < best <= 1 + 1e-9


def test_excess_bounds_hold_pointwise():
    z = np.geomspace(1e-3, 1e6, 4001)
    for k in (1, 2, 3, 5):
        first, second = Moments(k, 1.0).excess(1), Moments(k, 1.0).squared_excess(1)
        for g in (0.1, 1.0, 30.0):
            beyond, power = np.maximum(z - g, 0.0), z ** (2 * k) * (1 + 1e-9)
            assert (beyond <= first * power / g ** (2 * k - 1)).all()
            assert (beyond**2 <= second * power / g ** (2 * k - 2)).all()


@pytest.mark.parametrize("budget", [LOUD, GaussianDP(1.0), ApproxDP(1.0, 1e-6)], ids=repr)
@pytest.mark.parametrize("mode", ["practical", "proved"])
def test_the_constants_of_the_source_spend_and_draw_what_is_planned(mode, budget):
    estimator = HeavyTailedCovariance(upper=1e3, centred=True, mode=mode, calibration="paper", lower=1.0)
    for contract in SPENDING:
        contract(Example(estimator, budget))


def test_batches_are_disjoint_and_each_spends_the_whole_budget():
    estimator, n = HeavyTailedCovariance(upper=1e3, centred=True, mode="proved", lower=1.0), 200_000
    plan, stages = estimator.plan(n, 3, LOUD), estimator.stages(n, 3, LOUD)
    assert isinstance(plan, Parallel)
    assert len(stages) > 2
    assert all(charge.cost == LOUD for charge in plan.charges())
    assert compose(plan) == LOUD
    assert [stage.start for stage in stages[1:]] == [stage.stop for stage in stages[:-1]]
    assert (stages[0].start, stages[-1].stop) == (0, n)


def test_the_example_where_cutting_eigenvalues_from_above_fails():
    s, lower = 0.1, 0.05
    truth, z = np.array([[0.98, 0.08], [0.08, 0.1]]), np.diag([0.98, 0.1])
    assert np.linalg.norm(truth - z, 2) <= s
    assert np.linalg.eigvalsh(truth)[0] >= lower
    cut = np.diag(np.clip(np.diag(z), lower + s, 1 - s)) + s * np.eye(2)
    root = spectral_map(cut, lambda values: 1 / np.sqrt(values))
    assert np.linalg.eigvalsh(root @ truth @ root)[-1] > 1.02  # the source's step
    a = Band(s).preconditioned(z, lower, np.eye(2))
    values = np.linalg.eigvalsh(a @ truth @ a.T)
    assert values[-1] <= 1 + 1e-12
    assert values[0] >= Band(s).next_lower(lower)


@pytest.mark.parametrize("seed", range(5))
def test_a_step_keeps_the_sandwich_wherever_the_band_holds(seed):
    """Z between keep·S - eI and S + eI, often on the boundary."""
    rng = np.random.default_rng(seed)
    for _ in range(400):
        d, lower = int(rng.integers(1, 6)), 10.0 ** rng.uniform(-6, -0.01)
        (q, _), (p, _) = (np.linalg.qr(rng.standard_normal((d, d))) for _ in range(2))
        truth = (q * np.exp(rng.uniform(np.log(lower), 0, d))) @ q.T
        band = Band(10.0 ** rng.uniform(-4, 0), rng.uniform(0.3, 1.0))
        low, high = band.keep * truth - band.error * np.eye(d), truth + band.error * np.eye(d)
        root = spectral_map(high - low, lambda values: np.sqrt(np.maximum(values, 0)))
        z = low + root @ (p * rng.choice([0.0, 1.0, rng.random()], d)) @ p.T @ root
        a = band.preconditioned(z, lower, np.eye(d))
        values = np.linalg.eigvalsh(a @ truth @ a.T)
        assert values[-1] <= 1 + 1e-9
        assert values[0] >= band.next_lower(lower) * (1 - 1e-9)


def test_the_lower_bound_doubles_as_theorem_3_2_says_and_no_sooner():
    assert all(Band(1 / 8).next_lower(lower) >= 2 * lower for lower in np.geomspace(1e-9, 0.25, 50))
    assert Band(0.13).next_lower(0.25) < 0.5


def test_whether_a_step_is_taken_does_not_depend_on_rows():
    estimator = HeavyTailedCovariance(upper=1e3, centred=True, lower=1.0)
    for n, few in ((60, True), (100_000, False)):
        assert (len(estimator.stages(n, 3, LOUD)) == 1) == few


@pytest.mark.parametrize("calibration", ["tight", "paper"])
def test_proved_bands_hold_on_heavy_tails_in_every_step(calibration):
    """Each of five runs fails with probability .05 by the proof; the bounds are far from tight."""
    q, _ = np.linalg.qr(np.random.default_rng(0).standard_normal((2, 2)))
    sigma, n, k = (q * [1.0, 1000.0]) @ q.T, 100_000, 3
    estimator = HeavyTailedCovariance(
        upper=1000.0, centred=True, moments=k, mode="proved", calibration=calibration,
        hypercontractivity=student_hypercontractivity(10.0, k), lower=1.0,
    )  # fmt: skip
    for seed in range(5):
        trace, x = Trace(), student(sigma, 10.0).sample(n, rng=np.random.default_rng(seed))
        value = estimator(x, budget=LOUD, rng=np.random.default_rng(50 + seed), trace=trace).value
        assert len(trace.records["lower"]) > 2
        assert (np.diff(trace.records["lower"]) > 0).all()
        for a, lower in zip(trace.records["preconditioner"], trace.records["lower"], strict=True):
            values = np.linalg.eigvalsh(a @ sigma @ a.T)
            assert lower * (1 - 1e-9) <= values[0]
            assert values[-1] <= 1 + 1e-9
        assert mahalanobis_covariance_error(value, sigma) <= estimator.error_bound(n, 2, LOUD, 0.05)


def test_the_last_radius_is_of_least_error():
    naive = HeavyTailedNaiveCovariance(upper=2.0, centred=True, lower=1.0)
    (stage,) = naive.stages(10_000, 3, LOUD)

    def total(factor):
        one = stage._replace(radius=stage.radius * factor)
        bias, sd = last_errors(naive, 3, gaussian_total(LOUD), one)
        return bias + sd * symmetric_noise_frobenius(3, 0.05 / 4) / stage.lower

    assert total(1.0) <= min(map(total, (0.5, 0.9, 0.99, 1.01, 1.1, 2.0)))


@pytest.mark.parametrize(("k", "degrees"), [(1, 2.5), (2, 4.5), (3, 8.0)])
@pytest.mark.parametrize("radius", [3.0, 1e4])
def test_every_radius_holds_the_mean(k, degrees, radius):
    """Each of 30 runs fails with probability .05 by the proof; Chebyshev leaves room."""
    n, d, mean = 3000, 3, radius / 3**0.5
    constant = student_hypercontractivity(degrees, k)
    estimator = ClippedHeavyMean(radius=radius, moments=k, hypercontractivity=constant, upper=1.0)
    for seed in range(30):
        trace, x = Trace(), student(np.eye(d), degrees, mean).sample(n, rng=np.random.default_rng(seed))
        value = estimator(x, budget=LOUD, rng=np.random.default_rng(seed + 70), trace=trace).value
        for centre, reach in zip(trace.records["centre"], trace.records["radius"], strict=True):
            assert np.linalg.norm(centre - mean) <= reach * (1 + 1e-12)
        assert np.linalg.norm(value - mean) <= estimator.error_bound(n, d, LOUD, 0.05)


def test_radii_shrink_and_a_huge_range_costs_little():
    designs = [ClippedHeavyMean(radius=r, upper=1.0).design(5000, 5, LOUD) for r in (10.0, 1e3, 1e6)]
    assert all(later < former for design in designs for former, later in pairwise(design.radii[:-1]))
    assert designs[-1].error < 1.2 * designs[0].error
    assert all(sum(design.weights) == pytest.approx(1.0, abs=1e-12) for design in designs)
    one = ClippedHeavyMean(radius=1e6, steps=1, upper=1.0).design(5000, 5, LOUD)
    assert len(one.weights) == 1
    assert one.error > 100 * designs[-1].error


def test_more_moments_allow_a_smaller_ball():
    errors = {
        k: ClippedHeavyMean(
            radius=100.0, upper=1.0, moments=k, hypercontractivity=student_hypercontractivity(8.0, k)
        ).predicted_error(5000, 5, LOUD)
        for k in (1, 3)
    }
    assert errors[3] < 1.25 * sqrt(5 / 5000) < 1.25 * errors[1]
    assert errors[3] < errors[1]
