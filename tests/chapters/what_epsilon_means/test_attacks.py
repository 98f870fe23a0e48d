"""No attacker wins more than is allowed, and the claims that say so fail where it is false."""

from math import exp, sqrt, tanh

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from scipy.special import bdtr
from scipy.stats import kstest

from tests.chapters.worlds import require_refuted, require_true
from workbench.chapters.what_epsilon_means.claims import attacks
from workbench.chapters.what_epsilon_means.runs import attacker, composition, laws
from workbench.chapters.what_epsilon_means.runs.laws import GAUSSIAN, LAPLACE, MECHANISMS, MEDIAN, UNCLIPPED
from workbench.privacy.budgets import gaussian_delta
from workbench.study.profiles import CONTRACT_LEVEL

BELOW, NORMAL = "what-epsilon-means/attackers-stay-below", "what-epsilon-means/losses-become-normal"
X, OTHER = np.array([-3.0, -1.0, 0.5, 2.0, -5.0]), np.array([-3.0, -1.0, 0.5, 2.0, 5.0])


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_draws_have_the_density_that_is_said(mechanism):
    """Kolmogorov and Smirnov's test, with `CONTRACT_LEVEL` false alarms."""
    made = laws.law(mechanism, len(X), 1.5, 0.01)
    at = np.linspace(-40, 40, 160_001)
    density = np.exp(made.log_density(X, at))
    heights = np.cumsum(density) * (at[1] - at[0])
    assert heights[-1] == pytest.approx(1, abs=1e-3)
    draws = made.draw(X, 1500, np.random.default_rng(5))
    assert kstest(draws, lambda y: np.interp(y, at, heights)).pvalue > CONTRACT_LEVEL
    shifted = kstest(draws + 0.5, lambda y: np.interp(y, at, heights))
    assert shifted.pvalue < CONTRACT_LEVEL


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
@pytest.mark.parametrize("mechanism", [LAPLACE, MEDIAN])
def test_a_pure_mechanism_has_no_loss_beyond_epsilon(mechanism, epsilon):
    at = np.linspace(-60, 60, 24_001)
    both = laws.Densities.of(laws.law(mechanism, len(X), epsilon, 0.0), X, OTHER, at)
    assert both.excess(epsilon) <= 1e-9
    assert both.excess(0.9 * epsilon) > (1e-3 if mechanism == LAPLACE else -1)


def test_the_sliver_of_gaussian_noise_is_delta_and_a_row_that_is_not_clipped_breaks_the_promise():
    at = np.linspace(-60, 60, 240_001)
    gaussian = laws.Densities.of(laws.law(GAUSSIAN, len(X), 1.0, 0.03), X, OTHER, at)
    assert gaussian.excess(1.0) == pytest.approx(0.03, rel=1e-4)
    far = OTHER.copy()
    far[-1] = 30.0
    sound, broken = (laws.law(name, len(X), 1.0, 0.0) for name in (LAPLACE, UNCLIPPED))
    assert laws.Densities.of(sound, X, far, at).excess(1.0) <= 1e-9
    assert laws.Densities.of(broken, X, far, at).excess(1.0) > 0.3


def test_the_theorem_holds_for_every_test_and_its_bound_is_attained():
    grid = np.linspace(0, 1, 201)
    for mechanism in attacker.SOUND:
        positives, negatives = attacker.pair(mechanism, 1.0, 0.01).trade_off()
        curve = np.interp(grid, positives, negatives)
        delta = 0.01 if mechanism == GAUSSIAN else 0.0
        assert (curve >= attacker.fewest_misses(1.0, delta, grid) - 1e-6).all()
        assert (curve < attacker.fewest_misses(0.3, delta, grid) - 1e-3).any()
    assert attacker.most_advantage(1.0, 0.0) == pytest.approx(tanh(0.5))
    positives, negatives = attacker.answered(1.0, 0.01).trade_off()
    attained = (
        negatives[1:],
        attacker.fewest_misses(1.0, 0.01, positives[1:]),
    )  # after the test that says nothing
    np.testing.assert_allclose(*attained, atol=1e-12)


@pytest.mark.daily
def test_nobody_wins_more_rounds_than_the_bound():
    require_true(BELOW)


@pytest.mark.daily
def test_half_of_the_noise_is_noticed(world):
    true = laws.additive

    def weak(value, charge, noise):
        return value + (true(value, charge, noise) - value) / 2

    world.part(laws, "additive", weak)
    require_refuted(BELOW, ["Laplace: rounds won"])


def test_a_mechanism_with_twice_the_epsilon_is_noticed(monkeypatch):
    true = attacker.law
    monkeypatch.setattr(
        attacker, "law", lambda name, n, epsilon, *rest, **more: true(name, n, 2 * epsilon, *rest, **more)
    )
    assert max(attacks._ratios()) > 1.2


@pytest.mark.parametrize("k", [1, 4, 30])
@pytest.mark.parametrize("epsilon", [0.5, 1.5])
def test_losses_agree_with_privacy_loss_distributions(k, epsilon):
    """An independent implementation, pessimistic as ours is: each on its own grid."""
    theirs = privacy_loss_distribution.from_laplace_mechanism(
        1.0, value_discretization_interval=1e-4, sensitivity=epsilon
    ).self_compose(k)
    ours = composition.laplace_losses(epsilon).times(k)
    for share in (0.2, 0.5, 0.9):
        at = share * k * epsilon
        wanted = theirs.get_delta_for_epsilon(at)
        if wanted > 1e-9:
            assert ours.delta(at) == pytest.approx(wanted, rel=0.06)


def test_losses_add_up_exactly():
    one = composition.laplace_losses(1.0)
    many = one.times(9)
    assert many.mean == pytest.approx(9 * one.mean, rel=1e-9)
    assert many.sd == pytest.approx(3 * one.sd, rel=1e-9)
    assert float(many.mass.sum()) == pytest.approx(1, abs=1e-12)
    assert one.mean == pytest.approx(exp(-1.0), rel=0.01)  # ε - 1 + e^(-ε) for Laplace noise
    coins = composition.Losses(-1.0, 2.0, np.array([0.5, 0.5])).times(40)
    np.testing.assert_allclose(np.cumsum(coins.mass), bdtr(np.arange(41.0), 40, 0.5), atol=1e-12)


def test_an_epsilon_is_enough_and_a_step_less_is_not():
    many = composition.laplace_losses(0.5).times(20)
    for delta in (1e-2, 1e-5):
        found = many.epsilon(delta)
        assert many.delta(found) <= delta * (1 + 1e-9) < many.delta(found - 2 * many.step)


def test_a_normal_loss_has_the_epsilon_of_gaussian_noise():
    for mu in (0.3, 2.0):
        found = composition.normal_epsilon(mu**2 / 2, mu, 1e-4)
        assert gaussian_delta(mu, found) == pytest.approx(1e-4, rel=1e-6)


@pytest.mark.daily
def test_losses_become_normal():
    verdict = require_true(NORMAL)
    assert verdict.level == 0


@pytest.mark.daily
@pytest.mark.parametrize("factor", [0.97, 1.03])
def test_a_wrong_delta_of_gaussian_noise_is_refuted(monkeypatch, factor):
    monkeypatch.setattr(attacks, "gaussian_delta", lambda *given: factor * gaussian_delta(*given))
    require_refuted(NORMAL, "δ of losses" if factor < 1 else "the package's δ")


def test_losses_that_do_not_add_up_are_refuted(monkeypatch):
    """A sum of k losses that is k times one loss never becomes normal."""

    def stretched(self, k):
        return composition.Losses(k * self.first, k * self.step, self.mass)

    monkeypatch.setattr(composition.Losses, "times", stretched)
    require_refuted(NORMAL, "distance to the normal law")


def test_the_bound_on_the_distance_is_that_of_berry_and_esseen():
    one = composition.laplace_losses(1.0)
    distances = [one.times(k).distance_to_normal() * sqrt(k) for k in (16, 64)]
    assert max(distances) <= attacks.BERRY_ESSEEN * one.third / one.sd**3
