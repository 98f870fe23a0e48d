"""What notebook 01 says of people, attackers, losses, faults, floats and members fails where it is false."""

from math import tanh

import numpy as np
import pytest
from scipy.stats import kstest

from tests.chapters.conftest import columns, require_refuted
from tests.study.test_tracing import exact_mean_traced
from workbench.catalog import CATALOG
from workbench.chapters.what_epsilon_means import attacks, densities, members
from workbench.chapters.what_epsilon_means.densities import GAUSSIAN
from workbench.privacy.budgets import gaussian_delta
from workbench.study.mutants import UNIVARIATE
from workbench.study.profiles import CONTRACT_LEVEL
from workbench.study.tracing import most_traced

NAME = "what-epsilon-means/{}".format
BELOW, NORMAL, FOUND = map(NAME, ("attackers-stay-below", "losses-become-normal", "mutants-are-found"))
TRACED, HIDDEN, EVERY = map(NAME, ("members-are-traced", "privacy-hides-members", "every-mean-hides-members"))
X = np.array([-3.0, -1.0, 0.5, 2.0, -5.0])


@pytest.mark.parametrize("mechanism", attacks.SOUND)
def test_draws_have_the_density_that_is_said(mechanism):
    """Kolmogorov and Smirnov's test, with `CONTRACT_LEVEL` false alarms."""
    made = densities.law(mechanism, len(X), 1.5, 0.01)
    at = np.linspace(-40, 40, 160_001)
    density = np.exp(made.log_density(X, at))
    heights = np.cumsum(density) * (at[1] - at[0])
    assert heights[-1] == pytest.approx(1, abs=1e-3)
    draws = made.draw(X, 1500, np.random.default_rng(5))
    assert kstest(draws, lambda y: np.interp(y, at, heights)).pvalue > CONTRACT_LEVEL
    shifted = kstest(draws + 0.5, lambda y: np.interp(y, at, heights))
    assert shifted.pvalue < CONTRACT_LEVEL


def test_the_theorem_holds_for_every_test_and_its_bound_is_attained():
    grid = np.linspace(0, 1, 201)
    for mechanism in attacks.SOUND:
        positives, negatives = attacks.pair(mechanism, 1.0, 0.01).trade_off()
        curve = np.interp(grid, positives, negatives)
        delta = 0.01 if mechanism == GAUSSIAN else 0.0
        assert (curve >= attacks.fewest_misses(1.0, delta, grid) - 1e-6).all()
        assert (curve < attacks.fewest_misses(0.3, delta, grid) - 1e-3).any()
    assert attacks.most_advantage(1.0, 0.0) == pytest.approx(tanh(0.5))
    positives, negatives = attacks.answered(1.0, 0.01).trade_off()
    attained = attacks.fewest_misses(1.0, 0.01, positives[1:])  # after the test that says nothing
    np.testing.assert_allclose(negatives[1:], attained, atol=1e-12)


def weak(draw, times):
    """A mechanism with its noise, so many times smaller."""
    return lambda value, charge, noise: value + (draw(value, charge, noise) - value) / times


@pytest.mark.daily
def test_half_or_a_third_of_the_noise_is_noticed(world):
    world.part(densities, "additive", weak(densities.additive, 2))
    require_refuted(BELOW, ["Laplace: rounds won"])
    world.part(members, "gaussian", weak(members.gaussian, 3))
    require_refuted(HIDDEN, "d = ")


def test_a_mechanism_with_twice_the_epsilon_is_noticed(monkeypatch):
    true = attacks.law
    monkeypatch.setattr(
        attacks, "law", lambda name, n, epsilon, *rest, **more: true(name, n, 2 * epsilon, *rest, **more)
    )
    assert max(attacks._ratios()) > 1.2


@pytest.mark.daily
@pytest.mark.parametrize("factor", [0.97, 1.03])
def test_a_wrong_delta_of_gaussian_noise_is_refuted(monkeypatch, factor):
    monkeypatch.setattr(densities, "gaussian_delta", lambda *given: factor * gaussian_delta(*given))
    require_refuted(NORMAL, "δ of losses" if factor < 1 else "the package's δ")


def test_losses_that_do_not_add_up_are_refuted(monkeypatch):
    """A sum of k losses that is k times one loss never becomes normal."""

    def stretched(self, k):
        return densities.Losses(k * self.first, k * self.step, self.mass)

    monkeypatch.setattr(densities.Losses, "times", stretched)
    require_refuted(NORMAL, "distance to the normal distribution")


@pytest.mark.daily
@pytest.mark.parametrize(("letter", "fault"), [("B", ""), ("C", "Laplace noise halved")])
def test_a_mutant_that_is_missed_or_right_code_that_is_accused_refutes_the_claim(monkeypatch, letter, fault):
    """The fault of one suspect is exchanged for another's, and nobody says so."""
    true = attacks.Suspect.faults.fget
    other = tuple(mutant.fault for mutant in UNIVARIATE if mutant.name == fault)
    changed = property(lambda self: other if self.letter == letter else true(self))
    monkeypatch.setattr(attacks.Suspect, "faults", changed)
    require_refuted(FOUND, [f"{letter}, "])


def test_a_grid_on_which_floats_are_used_is_refuted(world):
    world.part(attacks, "NOISES", {**attacks.NOISES, attacks.ON_A_GRID: attacks.float_noise})
    require_refuted(NAME("floats-leak"), ["noise on a grid, x = 0"])


@pytest.mark.daily
@pytest.mark.parametrize(
    ("claim", "column", "other"), [(TRACED, "plain", "private"), (HIDDEN, "private", "plain")]
)
def test_exchanged_means_are_noticed(world, claim, column, other):
    exchanged = columns(lambda found, point: {column: found[other]})
    world.refutes(members, claim, "TRACED", exchanged, 2500, "d = 1000")


def few(world, **changes):
    """The claim in few trials."""
    world.sweep(members, "EVERY_MEAN", trials=8, **changes)


def test_a_mean_without_its_noise_is_refuted(world):
    """What is refuted is the line of the private mean, by the level of a check of a claim."""
    true = members.tracer.Quieter
    world.part(members.tracer, "Quieter", lambda source, share: true(source, members.HARDLY_ANY))
    few(world, keep=lambda point: point["key"] == "mean/coinpress")
    require_refuted(EVERY, ["mean/coinpress"])


def test_a_blind_attack_is_refuted(world):
    """An attack that finds nobody in an exact mean shows nothing of a private one."""

    def blind(key, n, d, noise_share, *, trials, data, noise):
        return {"traced": data.uniform(0.04, 0.06, size=trials)}

    few(world, block=blind, keep=lambda point: point["key"] in ("mean/prime", "mean/empirical"))
    require_refuted(EVERY, ["mean/prime, noise", "mean/empirical"])


def test_every_mean_is_tried_or_out_of_reach():
    every = {key for key in CATALOG if key.startswith("mean/")}
    assert {*members.PLACES, *members.EXACT, *members.OUT_OF_REACH} == every
    most = most_traced(members.BUDGET)
    assert all(exact_mean_traced(*place) > 1.8 * most for place in members.PLACES.values())
    assert all(exact_mean_traced(*place) < 0.6 * most for place in members.OUT_OF_REACH.values())
