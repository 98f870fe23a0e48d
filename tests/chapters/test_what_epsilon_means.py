"""What notebook 01 says of people, attackers, losses, faults, floats and members fails where it is false."""

from math import tanh
from pathlib import Path

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from scipy.stats import kstest

from tests.chapters.conftest import Falsified, columns, require_refuted
from tests.study.test_tracing import exact_mean_traced
from workbench.catalog import CATALOG
from workbench.chapters.what_epsilon_means import (
    attacks,
    densities,
    members,
    people,
)
from workbench.chapters.what_epsilon_means.attacks import SUSPECTS, accused
from workbench.chapters.what_epsilon_means.densities import (
    GAUSSIAN,
    believed,
    coin_spread,
    count_spread,
    truthful,
)
from workbench.privacy import PureDP
from workbench.privacy.budgets import gaussian_delta
from workbench.study.audit import Pair, audit, last_bit
from workbench.study.mutants import UNIVARIATE
from workbench.study.profiles import CONTRACT_LEVEL
from workbench.study.sweeps import Run
from workbench.study.tracing import most_traced

BELOW, NORMAL, FOUND, FLOATS, TRACED, HIDDEN, EVERY = (
    f"what-epsilon-means/{name}"
    for name in (
        *("attackers-stay-below", "losses-become-normal", "mutants-are-found", "floats-leak"),
        *("members-are-traced", "privacy-hides-members", "every-mean-hides-members"),
    )
)
NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "01_what_epsilon_means.ipynb"
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
    attained = (
        negatives[1:],
        attacks.fewest_misses(1.0, 0.01, positives[1:]),
    )  # after the test that says nothing
    np.testing.assert_allclose(*attained, atol=1e-12)


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


@pytest.mark.parametrize("k", [1, 4, 30])
@pytest.mark.parametrize("epsilon", [0.5, 1.5])
def test_losses_agree_with_privacy_loss_distributions(k, epsilon):
    """An independent implementation, pessimistic as ours is: each on its own grid."""
    theirs = privacy_loss_distribution.from_laplace_mechanism(
        1.0, value_discretization_interval=1e-4, sensitivity=epsilon
    ).self_compose(k)
    ours = densities.laplace_losses(epsilon).times(k)
    for share in (0.2, 0.5, 0.9):
        at = share * k * epsilon
        wanted = theirs.get_delta_for_epsilon(at)
        if wanted > 1e-9:
            assert ours.delta(at) == pytest.approx(wanted, rel=0.06)


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


@pytest.mark.turns(6)
@pytest.mark.parametrize("one", SUSPECTS.values(), ids=SUSPECTS)
def test_faults_are_found_at_the_settings_of_the_notebook_and_right_code_is_not_accused(one):
    """Right code is accused with probability 1e-6 at most."""
    assert accused(one, 1, level=1e-4 if one.fault else 1e-6).violated == bool(one.fault)


@pytest.mark.daily
@pytest.mark.parametrize(("letter", "fault"), [("B", ""), ("C", "Laplace noise halved")])
def test_a_mutant_that_is_missed_or_right_code_that_is_accused_refutes_the_claim(monkeypatch, letter, fault):
    """The fault of one suspect is exchanged for another's, and nobody says so."""
    true = attacks.Suspect.faults.fget
    other = tuple(mutant.fault for mutant in UNIVARIATE if mutant.name == fault)
    changed = property(lambda self: other if self.letter == letter else true(self))
    monkeypatch.setattr(attacks.Suspect, "faults", changed)
    require_refuted(FOUND, [f"{letter}, "])


@pytest.mark.parametrize("seed", [1, 2])
def test_an_audit_that_looks_at_the_last_bit_accuses_floats_and_not_the_grid(seed):
    """A sound mechanism is accused with probability 1e-6 at most."""
    found = [
        audit(one, [Pair("0 or 1", [0.0], [1.0])], PureDP(1), score=last_bit, seed=seed, level=1e-6)
        for one in (attacks.float_noise, attacks.grid_noise)
    ]
    assert [report.violated for report in found] == [True, False]


def test_a_grid_on_which_floats_are_used_is_refuted(world):
    world.part(attacks, "NOISES", {**attacks.NOISES, attacks.ON_A_GRID: attacks.float_noise})
    require_refuted(FLOATS, ["noise on a grid, x = 0"])


@pytest.mark.daily
@pytest.mark.parametrize(
    ("claim", "column", "other"), [(TRACED, "plain", "private"), (HIDDEN, "private", "plain")]
)
def test_exchanged_means_are_noticed(world, claim, column, other):
    exchanged = columns(lambda found, point: {column: found[other]})
    case = Falsified(claim, "TRACED", exchanged, 2500, "d = 1000")
    world.falsify(members, case)
    case.require()


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


# What notebook 01 says of a hundred people: coins, counts and beliefs.

THEORY = Run(simulate=False)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_an_answer_and_a_count_have_the_ratio_and_the_spread_that_is_drawn(epsilon):
    assert truthful(epsilon) / (1 - truthful(epsilon)) == pytest.approx(np.exp(epsilon))
    rng, n, runs, share = np.random.default_rng(1), 100, 4000, people().smokes.mean()
    yes = np.where(rng.random((runs, n)) < truthful(epsilon), people().smokes, ~people().smokes).mean(axis=1)
    found = (yes - (1 - truthful(epsilon))) / (2 * truthful(epsilon) - 1)
    assert found.std() == pytest.approx(coin_spread(epsilon, n), rel=0.06)  # 5 standard errors
    assert found.mean() == pytest.approx(share, abs=5 * found.std() / runs**0.5)
    assert count_spread(epsilon, n) == pytest.approx(np.sqrt(2) / (n * epsilon))


def test_beliefs_are_those_of_bayes():
    joint = np.array([np.exp(1.0), 1.0]) * (0.3, 0.7)
    assert believed(np.array(0.3), 1.0) == pytest.approx(joint[0] / joint.sum())
