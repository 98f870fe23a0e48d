"""The claims about robust estimates and votes of them decide; in a falsified world they are refuted."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.chapters.worlds import constant, decided, refuted, require_refuted
from workbench.chapters.any_gaussian.runs import attacks
from workbench.study.rules import Status

ROOT = Path(__file__).parents[3]
VOTED = {
    "any-gaussian/robust-votes": "VOTES",
    "any-gaussian/robust-mean-votes": "MEAN_VOTES",
    "any-gaussian/robust-laws": "LAWS",
}
WITHIN, SEARCHES = "any-gaussian/oracles-within-unit", "any-gaussian/searches-stay-below"


@pytest.mark.daily
@pytest.mark.parametrize(
    ("error", "changed", "said"),
    [
        (0.5, False, []),
        (3.1, False, ["above 3, the worst attack"] * 2 + ["above 3, all attacks together"] * 3),
        (0.5, True, ["clean samples"]),
    ],
)
def test_filters_that_err_more_or_touch_clean_rows_are_refuted(world, error, changed, said):
    errors = constant(error=error, plain=1.0, paper=1.0, remains=1.0)
    world.sweep(attacks, "ORACLES", block=errors, trials=60)
    world.sweep(attacks, "HARD", block=errors, trials=60)
    world.sweep(attacks, "CLEAN", block=constant(changed=changed), trials=2000)
    require_refuted(WITHIN, said)


@pytest.mark.daily
def test_one_attack_that_often_errs_more_is_refuted_though_all_together_are_not(world):
    def flipped(*, trials, data, noise, attack, **point):
        often = (attack == "flipped") & (data.random(trials) < 0.35)
        return {"error": np.where(often, 3.5, 1.0), "plain": np.ones(trials), "remains": np.ones(trials)}

    world.sweep(attacks, "ORACLES", block=flipped, trials=60)
    world.sweep(attacks, "HARD", block=flipped, trials=60)
    world.sweep(attacks, "CLEAN", block=constant(changed=False), trials=2000)
    require_refuted(WITHIN, ["above 3, the worst attack"] * 2)


@pytest.mark.parametrize(("above", "status"), [(0, Status.HOLDS), (4, Status.REFUTED)])
def test_attacks_that_err_more_in_a_third_of_their_runs_are_refuted(world, above, status):
    """The mean of an attack's runs stays below the bound in both worlds."""
    found = constant(error=2.0, found=2.0, plain=2.0, above=above)
    world.sweep(attacks, "SEARCHES", block=found, trials=60)
    assert decided(SEARCHES).status is status


def silent(*, trials, data, noise, **point):
    """Measure no answer in every fourth run."""
    none = np.arange(trials) % 4 == 0
    return {"error": np.where(none, np.inf, 0.5), "mean": np.full(trials, 0.5), "abstained": none}


@pytest.mark.parametrize("identifier", VOTED)
@pytest.mark.parametrize(
    ("block", "said"),
    [
        (constant(error=2.9, mean=2.9, abstained=False), []),
        (constant(error=3.1, mean=0.0, abstained=False), ["no answer, or above 3"]),
        (constant(error=0.5, mean=3.1, abstained=False), "mean"),
        (silent, ["no answer, or above 3"]),
    ],
    ids=["true", "covariances err", "means err", "silent"],
)
def test_votes_that_err_more_or_do_not_answer_are_refuted(world, identifier, block, said):
    world.sweep(attacks, VOTED[identifier], block=block, trials=60)
    if said == "mean":  # of laws alone
        said = ["no answer, or above 3"] if identifier == "any-gaussian/robust-laws" else []
    assert refuted(identifier) == said
    assert decided(identifier).status is (Status.REFUTED if said else Status.HOLDS)


@pytest.mark.daily
def test_a_search_goes_the_same_way_in_another_process():
    code = """
import numpy as np
from workbench.populations.corruption.family import drawn
rng, recipe = np.random.default_rng(5), drawn(np.random.default_rng(5))
for _ in range(30):
    recipe = recipe.mutated(rng)
    print(recipe)"""
    found = set()
    for salt in "123":
        env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": salt}
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, env=env, check=True)
        found.add(run.stdout)
    assert len(found) == 1


def test_sweeps_measure_what_they_say():
    generators = np.random.default_rng(1), np.random.default_rng(2)
    point = {"d": 1, "n": 400, "corruption": 0.05, "attack": "planted"}
    columns = attacks.oracles(**point, trials=2, data=generators[0], noise=generators[1])
    assert np.max(columns["error"]) < np.min(columns["plain"])
    assert not attacks.clean(1, 0.05, 400, trials=2, data=generators[0], noise=generators[1])["changed"].any()
    voted = attacks.votes(**{**point, "n": 45_000}, trials=1, data=generators[0], noise=generators[1])
    assert not voted["abstained"].any()
    assert voted["error"][0] < 4.5
