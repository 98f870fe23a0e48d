"""Sparse covariances: rules, radius, the local model, and what the source's own noise delivers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench import losses
from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.estimators.covariance import thresholded
from workbench.estimators.covariance.local_thresholded import LocalThresholdedCovariance
from workbench.estimators.covariance.perturbed import PerturbedCovariance
from workbench.estimators.covariance.thresholded import ThresholdedCovariance
from workbench.estimators.parts.sparse import thresholding
from workbench.linalg import psd_part
from workbench.populations import MultivariateGaussian
from workbench.populations.sparse import active_block, conditioned, sparse_signal, unit_ball_scale
from workbench.privacy import ApproxDP, CountingNoise, GaussianDP, SimulatedNoise, UnitNoise

FALSE_ALARM = 1e-6


@pytest.mark.parametrize(
    ("epsilon", "delta", "delivered"),
    [
        *((0.1, delta, value) for delta, value in ((1e-3, 0.058), (1e-5, 0.089), (1e-6, 0.097))),
        *((1.0, delta, value) for delta, value in ((1e-3, 0.957), (1e-5, 1.098), (1e-6, 1.138))),
        *((4.0, delta, value) for delta, value in ((1e-3, 5.213), (1e-5, 5.243), (1e-6, 5.265))),
    ],
)
def test_the_stated_noise_delivers_another_budget_than_it_claims(epsilon, delta, delivered):
    budget = ApproxDP(epsilon, delta)
    release = PerturbedCovariance(calibration="paper", radius=1.0)(
        np.zeros((50, 2)), budget=budget, rng=np.random.default_rng(1)
    )
    assert release.guarantee.budget.epsilon == pytest.approx(delivered, abs=6e-4)
    assert release.guarantee.requested == budget
    assert "requested" in str(release.guarantee)


def test_the_stated_noise_has_the_stated_sd_on_every_entry():
    n, epsilon, delta = 50, 0.7, 1e-5
    zeros = np.zeros((n, 3))
    budget = ApproxDP(epsilon, delta)
    released = PerturbedCovariance(radius=2.0, calibration="paper").estimate(zeros, budget, UnitNoise())
    np.testing.assert_allclose(released, 4 * np.sqrt(2 * np.log(1.25 / delta)) / (n * epsilon), rtol=1e-9)


def test_our_noise_is_smaller_by_root_2_off_the_diagonal():
    budget, zeros = GaussianDP(0.5), np.zeros((50, 3))
    released = PerturbedCovariance(radius=1.0).estimate(zeros, budget, UnitNoise())
    assert released[0, 0] == pytest.approx(np.sqrt(2) / 50 / 0.5)
    assert released[0, 1] == pytest.approx(1 / 50 / 0.5)


def released(rng, p=8):
    signal = conditioned(sparse_signal(p, 0.2, rng=rng))
    noise = rng.standard_normal((p, p)) * 0.05
    return signal + (noise + noise.T) / 2


@given(st.integers(0, 10**6), st.sampled_from(thresholding.RULES))
def test_rules_keep_symmetry_and_diagonal_and_never_enlarge(seed, rule):
    rng = np.random.default_rng(seed)
    matrix = released(rng)
    kept = thresholding.thresholded(matrix, thresholding.Noise(0.05, 0.035, 1000), rule, rng)
    assert (kept == kept.T).all()
    assert (np.diag(kept) == np.diag(matrix)).all()
    assert (np.abs(kept) <= np.abs(matrix)).all()
    assert (kept * matrix >= 0).all()


@given(st.integers(0, 10**6))
def test_the_repair_at_most_doubles_the_spectral_error(seed):
    rng = np.random.default_rng(seed)
    truth = conditioned(sparse_signal(6, 0.4, rng=rng))
    matrix = truth + rng.standard_normal() * released(rng, 6)
    matrix = (matrix + matrix.T) / 2
    before, after = (losses.spectral_error(one, truth) for one in (matrix, psd_part(matrix)))
    assert after <= 2 * before * (1 + 1e-9)


def test_thinning_sees_only_the_released_matrix_and_fresh_noise():
    rng = np.random.default_rng(5)
    matrix = released(rng)
    levels = thresholding.Noise(0.05, 0.035, 1000).levels(matrix)
    once, again = (thresholding.thinned_kappa(matrix, levels, np.random.default_rng(3)) for _ in range(2))
    assert once == again
    assert len({thresholding.thinned_kappa(matrix, levels, np.random.default_rng(s)) for s in range(30)}) > 1


class Fixed(UnitNoise):
    """Releases one matrix whatever the statistic is: two data sets can differ by a leak only."""

    def __init__(self, matrix):
        object.__setattr__(self, "matrix", matrix)

    def symmetric_gaussian(self, value, sensitivity, scale):
        return self.matrix

    def gaussian(self, value, sensitivity, scale):
        return self.matrix[np.triu_indices(len(self.matrix))]


@pytest.mark.parametrize("calibration", ["tight", "paper"])
@pytest.mark.parametrize("rule", [None, *thresholding.RULES])
@pytest.mark.parametrize("kind", [ThresholdedCovariance, LocalThresholdedCovariance])
def test_rules_see_the_released_matrix_and_no_row(kind, rule, calibration):
    rng = np.random.default_rng(6)
    matrix, budget = released(rng), ApproxDP(1.0, 1e-6)
    estimator = kind(rule=rule, calibration=calibration, radius=1.0)
    rows = (np.zeros((500, 8)), 1e3 * rng.standard_normal((500, 8)))
    first, second = (estimator.estimate(x, budget, Fixed(matrix)) for x in rows)
    np.testing.assert_array_equal(first.thresholded, second.thresholded)
    np.testing.assert_array_equal(first.psd, second.psd)


class Uniforms(CountingNoise):
    """Keeps a record of uniform numbers, too."""

    def uniform(self, low, high):
        self.draws.append((low, high))
        return super().uniform(low, high)


@pytest.mark.parametrize("rule", thresholding.RULES)
def test_only_thinning_draws_besides_its_charge_and_what_it_draws_is_public(rule):
    for x in (np.zeros((50, 3)), np.ones((50, 3))):
        noise = Uniforms(SimulatedNoise(np.random.default_rng(1)))
        ThresholdedCovariance(rule=rule, radius=1.0).estimate(x, GaussianDP(1.0), noise)
        assert noise.draws[0].kind == "symmetric_gaussian"
        assert noise.draws[1:] == [(0.0, 2.0**53)] * (rule == "thinning")


def test_a_rule_that_is_asked_for_is_used_with_the_noise_of_the_source_too():
    rng, budget = np.random.default_rng(6), ApproxDP(1.0, 1e-6)
    matrix, x = released(rng), np.zeros((500, 8))
    support = {
        rule: ThresholdedCovariance(rule=rule, calibration="paper", radius=1.0)
        .estimate(x, budget, Fixed(matrix))
        .support
        for rule in (None, "paper", "adaptive-lasso")
    }
    assert (support[None] == support["paper"]).all()
    assert (support[None] != support["adaptive-lasso"]).any()


def test_one_user_is_one_row_whatever_its_numbers_are():
    randomise = LocalThresholdedCovariance(radius=1.0).randomise
    for row in (np.zeros((2, 2)), np.zeros(0), 1.0):
        with pytest.raises(ArgumentError, match="row"):
            randomise(row, budget=GaussianDP(1.0), rng=np.random.default_rng(1))
    hostile = [randomise(row, budget=GaussianDP(1.0), rng=UnitNoise()) for row in ([np.nan, 1.0], [0, 0])]
    np.testing.assert_array_equal(*hostile)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_the_private_radius_follows_the_scale(scale):
    rng = np.random.default_rng(11)
    x = scale * rng.standard_normal((20_000, 50)) / 7
    radius = thresholded.private_radius(
        x, thresholded.radius_plan(len(x), ApproxDP(1.0, 1e-6))[thresholded.NORMS], SimulatedNoise(rng)
    )
    share = (np.linalg.norm(x, axis=1) <= radius).mean()
    assert 0.85 < share < 1.0


def test_too_few_rows_for_a_radius_give_a_covariance_of_about_0_and_no_flood_of_noise():
    x = np.random.default_rng(3).standard_normal((30, 4))
    release = ThresholdedCovariance(radius=None)(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(1))
    assert np.abs(release.value.psd).max() < 1e-20


def test_zero_and_enormous_norms_are_counted_at_the_ends():
    x = np.array([[0.0], [1e-300], [1e90], [1.0]])
    counts = thresholded.norm_counts(x)
    assert (counts[0], counts[-1], counts.sum()) == (2, 1, 4)


def test_unknown_radius_is_nearly_as_good_as_the_best_known_one():
    rng = np.random.default_rng(2)
    covariance = conditioned(sparse_signal(20, 0.1, rng=rng)) / 20
    law, budget = MultivariateGaussian(Gaussian(np.zeros(20), covariance)), ApproxDP(1.0, 1e-6)
    errors = {radius: [] for radius in (None, 1.0, 1.5, 2.0, 3.0)}
    for seed in range(8):
        x = law.sample(20_000, rng=rng)
        for radius, found in errors.items():
            value = ThresholdedCovariance(radius=radius)(
                x, budget=budget, rng=np.random.default_rng(seed)
            ).value
            found.append(losses.spectral_error(value.psd, covariance))
    medians = {radius: np.median(found) for radius, found in errors.items()}
    assert medians.pop(None) <= 1.6 * min(medians.values())


def test_one_user_and_the_average_of_many_have_the_same_law():
    rng, budget, n = np.random.default_rng(4), GaussianDP(1.0), 400
    rows = rng.standard_normal((n, 2)) / 3
    estimator = LocalThresholdedCovariance(rule="hard", radius=1.0)
    charge = estimator.plan(n, 2, budget)["users"]
    users = np.mean([estimator.randomise(row, budget=budget, rng=rng) for row in rows], axis=0)
    assert users.shape == (2, 2)
    sd = charge.sensitivity / budget.mu
    single = estimator.plan(1, 2, budget)["users"].sensitivity / budget.mu
    assert sd == pytest.approx(single / np.sqrt(n))
    assert single == pytest.approx(np.sqrt(2))


def test_generators():
    rng = np.random.default_rng(1)
    signal = sparse_signal(30, 0.2, rng=rng)
    assert (signal == signal.T).all()
    assert (np.diag(signal) == 0).all()
    assert (signal != 0).sum() == 2 * round(0.2 * 30 * 29 / 2)
    assert np.linalg.eigvalsh(conditioned(signal))[0] == pytest.approx(0.5)
    assert set(np.unique(sparse_signal(9, 0.5, rng=rng, values="signs"))) == {-1.0, 0.0, 1.0}
    block = active_block(50, 20, 3, rng=rng)
    assert np.trace(block) == pytest.approx(1 + 30 * 1e-3 / 20)


def test_the_unit_ball_holds_all_rows_with_the_stated_probability():
    rng, n, runs, beta = np.random.default_rng(8), 50, 400, 0.05
    covariance = conditioned(sparse_signal(10, 0.3, rng=rng))
    law = MultivariateGaussian(Gaussian(np.zeros(10), covariance / unit_ball_scale(covariance, n, beta)))
    outside = sum((np.linalg.norm(law.sample(n, rng=rng), axis=1) > 1).any() for _ in range(runs))
    assert outside <= 45  # P(Binomial(400, .05) > 45) < 1e-6


def test_wrong_sizes_of_generators_are_named():
    with pytest.raises(ArgumentError, match=r"^share = "):
        sparse_signal(3, 1.5, rng=np.random.default_rng(1))
    with pytest.raises(ArgumentError, match=r"^active = "):
        active_block(3, 4, 1, rng=np.random.default_rng(1))
