"""No private mean of the catalog names its members: the claim holds, and fails where it is false."""

import numpy as np
import pytest

from tests.chapters.worlds import checks_of, require_refuted, require_true
from workbench.catalog import CATALOG
from workbench.chapters.what_epsilon_means.claims import every_mean as claims
from workbench.chapters.what_epsilon_means.runs import every_mean as runs
from workbench.privacy import PureDP, SimulatedNoise
from workbench.study.tracing import exact_mean_traced, most_traced, traced

CLAIM = "what-epsilon-means/every-mean-hides-members"
FEW = 8  # releases at a point


def few(world, **changes):
    """The claim in few trials."""
    world.sweep(runs, "EVERY_MEAN", trials=FEW, **changes)
    world.set(claims, "EVERY_MEAN", runs.EVERY_MEAN)


@pytest.mark.parametrize(
    "keys",
    [
        ("mean/coinpress", "mean/robust", "mean/empirical"),
        pytest.param((*runs.PLACES, *runs.EXACT), marks=pytest.mark.slow),
    ],
)
def test_the_claim_holds(world, keys):
    few(world, keep=lambda point: point["key"] in keys)
    assert len(checks_of(require_true(CLAIM))) == sum(2 - (key in runs.EXACT) for key in keys)


def test_a_mean_without_its_noise_is_refuted(world):
    """What is refuted is the line of the private mean, by the level of a check of a claim."""
    true = runs.tracing.Quieter
    world.part(runs.tracing, "Quieter", lambda source, share: true(source, runs.HARDLY_ANY))
    few(world, keep=lambda point: point["key"] == "mean/coinpress")
    require_refuted(CLAIM, ["mean/coinpress"])


def test_a_blind_attack_is_refuted(world):
    """An attack that finds nobody in an exact mean shows nothing of a private one."""

    def blind(key, n, d, noise_share, *, trials, data, noise):
        return {"traced": data.uniform(0.04, 0.06, size=trials)}

    few(world, block=blind, keep=lambda point: point["key"] in ("mean/prime", "mean/empirical"))
    require_refuted(CLAIM, ["mean/prime, noise", "mean/empirical"])


def test_every_mean_is_tried_or_out_of_reach():
    means = {key for key in CATALOG if key.startswith("mean/")}
    assert {*runs.PLACES, *runs.EXACT, *runs.OUT_OF_REACH} == means
    most = most_traced(runs.BUDGET)
    assert all(exact_mean_traced(*place) > 1.8 * most for place in runs.PLACES.values())
    assert all(exact_mean_traced(*place) < 0.6 * most for place in runs.OUT_OF_REACH.values())


@pytest.mark.slow
@pytest.mark.parametrize("key", runs.OUT_OF_REACH)
def test_means_out_of_reach_keep_the_bound_too(key):
    """At six standard errors of the releases' mean; Tukey's median takes no δ."""
    n, d = runs.OUT_OF_REACH[key]
    budget = PureDP(1.0) if key == "mean/tukey" else runs.BUDGET
    data, noise = np.random.default_rng(1), SimulatedNoise(np.random.default_rng(2))
    estimator = CATALOG[key].estimator
    found = [traced(estimator, runs.law(d), n, budget, data=data, noise=noise) for _ in range(20)]
    assert np.mean(found) + 6 * np.std(found) / len(found) ** 0.5 < most_traced(budget)
