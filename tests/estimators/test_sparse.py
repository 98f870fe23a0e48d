"""Sparse covariances: rules see no row, the private radius, the local model, what stated noise delivers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench import losses
from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.estimators.sparse import (
    NORMS,
    RULES,
    LocalThresholdedCovariance,
    Noise,
    PerturbedCovariance,
    ThresholdedCovariance,
    norm_counts,
    private_radius,
    radius_plan,
    thinned_kappa,
    thresholded,
)
from workbench.linalg import psd_part
from workbench.populations import MultivariateGaussian
from workbench.populations.sparse import conditioned, sparse_signal
from workbench.privacy import ApproxDP, CountingNoise, GaussianDP, SimulatedNoise, UnitNoise

NOISE = Noise(0.05, 0.035, 1000)


@pytest.mark.parametrize(
    ("epsilon", "delta", "delivered"),
    [
        *((0.1, delta, value) for delta, value in ((1e-3, 0.058), (1e-5, 0.089), (1e-6, 0.097))),
        *((1.0, delta, value) for delta, value in ((1e-3, 0.957), (1e-5, 1.098), (1e-6, 1.138))),
        *((4.0, delta, value) for delta, value in ((1e-3, 5.213), (1e-5, 5.243), (1e-6, 5.265))),
    ],
)
def test_the_stated_noise_delivers_another_budget_than_it_claims(epsilon, delta, delivered):
    budget, estimator = ApproxDP(epsilon, delta), PerturbedCovariance(calibration="paper", radius=2.0)
    release = estimator(np.zeros((50, 2)), budget=budget, rng=np.random.default_rng(1))
    assert release.guarantee.budget.epsilon == pytest.approx(delivered, abs=6e-4)
    assert release.guarantee.requested == budget
    assert "requested" in str(release.guarantee)
    found = estimator.estimate(np.zeros((50, 3)), budget, UnitNoise())
    assert found == pytest.approx(np.full((3, 3), 4 * np.sqrt(2 * np.log(1.25 / delta)) / (50 * epsilon)))


def test_our_noise_is_smaller_by_root_2_off_the_diagonal():
    found = PerturbedCovariance(radius=1.0).estimate(np.zeros((50, 3)), GaussianDP(0.5), UnitNoise())
    assert found[0, :2] == pytest.approx([np.sqrt(2) / 50 / 0.5, 1 / 50 / 0.5])


def released(rng, p=8):
    noise = rng.standard_normal((p, p)) * 0.05
    return conditioned(sparse_signal(p, 0.2, rng=rng)) + (noise + noise.T) / 2


@given(st.integers(0, 10**6), st.sampled_from(RULES))
def test_rules_keep_symmetry_and_diagonal_and_never_enlarge(seed, rule):
    rng = np.random.default_rng(seed)
    matrix = released(rng)
    kept = thresholded(matrix, NOISE, rule, rng)
    assert (kept == kept.T).all()
    assert (np.diag(kept) == np.diag(matrix)).all()
    assert (np.abs(kept) <= np.abs(matrix)).all()
    assert (kept * matrix >= 0).all()


@given(st.integers(0, 10**6))
def test_the_repair_at_most_doubles_the_spectral_error(seed):
    rng = np.random.default_rng(seed)
    truth = conditioned(sparse_signal(6, 0.4, rng=rng))
    matrix = truth + rng.standard_normal() * released(rng, 6)
    before, after = (losses.spectral_error(one, truth) for one in (matrix, psd_part(matrix)))
    assert after <= 2 * before * (1 + 1e-9)


def test_thinning_sees_only_the_released_matrix_and_fresh_noise():
    matrix = released(np.random.default_rng(5))
    found = [thinned_kappa(matrix, NOISE.levels(matrix), np.random.default_rng(s)) for s in (0, *range(30))]
    assert found[0] == found[1]
    assert len(set(found)) > 1


class Fixed(UnitNoise):
    """Releases one matrix whatever the statistic is: two data sets can differ by a leak only."""

    def __init__(self, matrix):
        object.__setattr__(self, "matrix", matrix)

    def symmetric_gaussian(self, value, sensitivity, scale):
        return self.matrix

    def gaussian(self, value, sensitivity, scale):
        return self.matrix[np.triu_indices(len(self.matrix))]


@pytest.mark.parametrize("calibration", ["tight", "paper"])
@pytest.mark.parametrize("kind", [ThresholdedCovariance, LocalThresholdedCovariance])
def test_rules_see_the_released_matrix_and_no_row(kind, calibration):
    rng, found = np.random.default_rng(6), {}
    source, rows = Fixed(released(rng)), (np.zeros((500, 8)), 1e3 * rng.standard_normal((500, 8)))
    for rule in (None, *RULES):
        estimator = kind(rule=rule, calibration=calibration, radius=1.0)
        found[rule], other = (estimator.estimate(x, ApproxDP(1.0, 1e-6), source) for x in rows)
        np.testing.assert_array_equal(found[rule].thresholded, other.thresholded)
        np.testing.assert_array_equal(found[rule].psd, other.psd)
    default = "paper" if calibration == "paper" else "adaptive-lasso"
    assert (found[None].thresholded == found[default].thresholded).all()
    assert (found["paper"].support != found["adaptive-lasso"].support).any()


class Uniforms(CountingNoise):
    """Keeps a record of uniform numbers, too."""

    def uniform(self, low, high):
        self.draws.append((low, high))
        return super().uniform(low, high)


@pytest.mark.parametrize("rule", RULES)
def test_only_thinning_draws_besides_its_charge_and_what_it_draws_is_public(rule):
    for x in (np.zeros((50, 3)), np.ones((50, 3))):
        noise = Uniforms(SimulatedNoise(np.random.default_rng(1)))
        ThresholdedCovariance(rule=rule, radius=1.0).estimate(x, GaussianDP(1.0), noise)
        assert noise.draws[0].kind == "symmetric_gaussian"
        assert noise.draws[1:] == [(0.0, 2.0**53)] * (rule == "thinning")


def test_one_user_is_one_row_whatever_its_numbers_are():
    randomise = LocalThresholdedCovariance(radius=1.0).randomise
    for row in (np.zeros((2, 2)), np.zeros(0), 1.0):
        with pytest.raises(ArgumentError, match="row"):
            randomise(row, budget=GaussianDP(1.0), rng=np.random.default_rng(1))
    hostile = [randomise(row, budget=GaussianDP(1.0), rng=UnitNoise()) for row in ([np.nan, 1.0], [0, 0])]
    np.testing.assert_array_equal(*hostile)


def test_the_average_is_charged_what_every_user_is():
    estimator, budget = LocalThresholdedCovariance(rule="hard", radius=1.0), GaussianDP(1.0)
    one, many = (estimator.plan(n, 2, budget)["users"] for n in (1, 400))
    assert one.cost == many.cost == budget
    assert one.sensitivity == pytest.approx(np.sqrt(2))
    assert many.sensitivity == pytest.approx(np.sqrt(2) / 20)
    alone, average = (estimator.estimate(np.zeros((n, 2)), budget, UnitNoise()) for n in (1, 400))
    assert average.thresholded == pytest.approx(alone.thresholded / 20)
    sent = estimator.randomise([0.0, 0.0], budget=budget, rng=UnitNoise())
    assert np.diag(sent) == pytest.approx(np.diag(alone.thresholded))


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_the_private_radius_follows_the_scale(scale):
    rng = np.random.default_rng(11)
    x = scale * rng.standard_normal((20_000, 50)) / 7
    charge = radius_plan(len(x), ApproxDP(1.0, 1e-6))[NORMS]
    share = (np.linalg.norm(x, axis=1) <= private_radius(x, charge, SimulatedNoise(rng))).mean()
    assert 0.85 < share < 1.0


def test_too_few_rows_for_a_radius_give_a_covariance_of_about_0_and_no_flood_of_noise():
    x = np.random.default_rng(3).standard_normal((30, 4))
    release = ThresholdedCovariance(radius=None)(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(1))
    assert np.abs(release.value.psd).max() < 1e-20


def test_zero_and_enormous_norms_are_counted_at_the_ends():
    counts = norm_counts(np.array([[0.0], [1e-300], [1e90], [1.0]]))
    assert (counts[0], counts[-1], counts.sum()) == (2, 1, 4)


def test_unknown_radius_is_nearly_as_good_as_the_best_known_one():
    rng, radii = np.random.default_rng(2), (None, 1.0, 1.5, 2.0, 3.0)
    covariance = conditioned(sparse_signal(20, 0.1, rng=rng)) / 20
    law, errors = MultivariateGaussian(Gaussian(np.zeros(20), covariance)), []
    for seed in range(8):
        x, budget = law.sample(20_000, rng=rng), ApproxDP(1.0, 1e-6)
        found = [
            ThresholdedCovariance(radius=r)(x, budget=budget, rng=np.random.default_rng(seed)) for r in radii
        ]
        errors.append([losses.spectral_error(release.value.psd, covariance) for release in found])
    unknown, *known = np.median(errors, axis=0)
    assert unknown <= 1.6 * min(known)
