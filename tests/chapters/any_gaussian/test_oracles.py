"""The claims about robust estimates and votes of them decide; in a falsified world they are refuted."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from workbench.chapters.any_gaussian.claims import oracles
from workbench.chapters.any_gaussian.runs import attacks
from workbench.chapters.registry import CLAIMS
from workbench.study.sweeps import sweep
from workbench.study.verdict import Status

SEED = 4
ROOT = Path(__file__).parents[3]
VOTED = {
    "any-gaussian/robust-votes": "VOTES",
    "any-gaussian/robust-mean-votes": "MEAN_VOTES",
    "any-gaussian/robust-laws": "LAWS",
}


@pytest.fixture(autouse=True)
def _forget():
    yield
    sweep.forget()


def imagined(monkeypatch, name, trials=60, **columns):
    """Let a sweep measure the same numbers everywhere."""

    def block(*, trials, data, noise, **point):
        return {name: np.full(trials, value) for name, value in columns.items()}

    monkeypatch.setattr(attacks, name, replace(getattr(attacks, name), block=block, trials=trials))


def failed(identifier):
    verdict = CLAIMS[identifier].decide("quick", SEED, 1)
    verdict.to_json()
    checks = verdict.detail.get("checks", [{"id": identifier, "status": verdict.status}])
    assert verdict.status in (Status.HOLDS, Status.REFUTED)
    return [check["id"] for check in checks if check["status"] is Status.REFUTED]


@pytest.mark.parametrize(
    ("error", "plain", "remains", "changed", "said"),
    [
        (0.5, 2.0, 1.0, False, []),
        (2.5, 4.0, 1.0, False, ["above 2.4 on named attacks"] * 4),
        (1.5, 1.0, 1.0, False, ["above the plain moment"] * 4),
        (0.5, 2.0, 1.0, True, ["clean samples"]),
    ],
)
def test_filters_that_err_more_or_touch_clean_rows_are_refuted(
    monkeypatch, error, plain, remains, changed, said
):
    imagined(monkeypatch, "ORACLES", error=error, plain=plain, paper=plain, remains=remains)
    imagined(monkeypatch, "CLEAN", 2000, changed=changed)
    found = failed("any-gaussian/oracles-within-unit")
    assert len(found) == len(said)
    assert all(name.startswith(start) for name, start in zip(found, said, strict=True))


def test_where_the_plain_moment_is_right_by_luck_it_is_no_measure():
    frame = pd.DataFrame({"remains": [0.1, 0.9], "error": [1.0, 2.0]})
    assert oracles.unlucky(frame)["error"].tolist() == [2.0]


def test_attacks_that_err_more_are_refuted(monkeypatch):
    for error, refuted in ((2.9, []), (3.1, ["any-gaussian/searches-stay-below"])):
        for name in ("SEARCHES", "LARGE_SEARCHES"):
            imagined(monkeypatch, name, error=error, found=error, plain=error)
        assert failed("any-gaussian/searches-stay-below") == refuted
        sweep.forget()


@pytest.mark.parametrize("identifier", VOTED)
def test_votes_that_err_more_or_do_not_answer_are_refuted(monkeypatch, identifier):
    table = VOTED[identifier]
    for error, mean, silent, said in (
        (2.9, 2.9, False, []),
        (3.1, 0.0, False, ["above 3"]),
        (0.5, 3.1, False, ["above 3"] if identifier == "any-gaussian/robust-laws" else []),
    ):
        imagined(monkeypatch, table, error=error, mean=mean, abstained=silent)
        assert failed(identifier) == said
        sweep.forget()


@pytest.mark.parametrize("identifier", VOTED)
def test_votes_that_fall_silent_are_refuted(monkeypatch, identifier):
    def block(*, trials, data, noise, **point):
        silent = np.arange(trials) % 4 == 0
        return {"error": np.where(silent, np.inf, 0.5), "mean": np.full(trials, 0.5), "abstained": silent}

    one = getattr(attacks, VOTED[identifier])
    monkeypatch.setattr(attacks, VOTED[identifier], replace(one, block=block, trials=60))
    assert failed(identifier) == ["no answer"]


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
