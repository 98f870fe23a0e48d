"""The claims about robust estimates and votes of them decide; in a falsified world they are refuted."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.chapters.worlds import constant, decided, refuted, require_refuted
from workbench.chapters.any_gaussian.claims import oracles
from workbench.chapters.any_gaussian.runs import attacks
from workbench.study.verdict import Status

ROOT = Path(__file__).parents[3]
VOTED = {
    "any-gaussian/robust-votes": "VOTES",
    "any-gaussian/robust-mean-votes": "MEAN_VOTES",
    "any-gaussian/robust-laws": "LAWS",
}
WITHIN, SEARCHES = "any-gaussian/oracles-within-unit", "any-gaussian/searches-stay-below"


@pytest.mark.parametrize(
    ("error", "plain", "remains", "changed", "said"),
    [
        (0.5, 2.0, 1.0, False, []),
        (2.5, 4.0, 1.0, False, ["above 2.4 on named attacks"] * 4),
        (1.5, 1.0, 1.0, False, ["above the plain moment"] * 4),
        (0.5, 2.0, 1.0, True, ["clean samples"]),
    ],
)
def test_filters_that_err_more_or_touch_clean_rows_are_refuted(world, error, plain, remains, changed, said):
    errors = constant(error=error, plain=plain, paper=plain, remains=remains)
    world.sweep(attacks, "ORACLES", block=errors, trials=60)
    world.sweep(attacks, "CLEAN", block=constant(changed=changed), trials=2000)
    require_refuted(WITHIN, said)


def test_where_the_plain_moment_is_right_by_luck_it_is_no_measure():
    frame = pd.DataFrame({"remains": [0.1, 0.9], "error": [1.0, 2.0]})
    assert oracles.unlucky(frame)["error"].tolist() == [2.0]


@pytest.mark.parametrize(("error", "status"), [(2.9, Status.HOLDS), (3.1, Status.REFUTED)])
def test_attacks_that_err_more_are_refuted(world, error, status):
    for name in ("SEARCHES", "LARGE_SEARCHES"):
        world.sweep(attacks, name, block=constant(error=error, found=error, plain=error), trials=60)
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
        (constant(error=3.1, mean=0.0, abstained=False), ["above 3"]),
        (constant(error=0.5, mean=3.1, abstained=False), "mean"),
        (silent, ["no answer"]),
    ],
    ids=["true", "covariances err", "means err", "silent"],
)
def test_votes_that_err_more_or_do_not_answer_are_refuted(world, identifier, block, said):
    world.sweep(attacks, VOTED[identifier], block=block, trials=60)
    if said == "mean":  # of laws alone
        said = ["above 3"] if identifier == "any-gaussian/robust-laws" else []
    assert refuted(identifier) == said
    assert decided(identifier).status is (Status.REFUTED if said else Status.HOLDS)


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
