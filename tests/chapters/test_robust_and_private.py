"""Claims hold in the world that they describe and are refuted in another; pictures are true to their rows."""

from math import sqrt

import numpy as np
import pandas as pd
import pytest

from tests.chapters.conftest import columns, scaled
from workbench.chapters.registry import CLAIMS
from workbench.chapters.robust_and_private import adversaries, filters, planted, tables
from workbench.study.rules import Status
from workbench.study.sweeps import run

TRIALS = {"lkko21-threshold": 500, "lkko21-passes": 60}
EXACT = ("halved", "softmax", "top")


def truth(point):
    """The errors that the claims describe, at a point."""
    n, d, a = point["n"], point["d"], point.get("corruption", 0.05)
    moved = a * 1.5 * sqrt(d) if point.get("attack", "none") != "none" else 0.0
    small = 0.6 * adversaries.limit(a) if moved and a > 0.005 else 0.98 * sqrt(d / n)
    small = 0.02 if n == 10 * planted.N else small
    few = point.get("epsilon", 10.0) < 0.15 or n < 5000
    noisy = 2.0 if point.get("epsilon", 10.0) < 0.03 else 1.0
    return {
        "prime": 0.4 if few else small,
        "box": noisy * np.hypot(moved, sqrt(d / n)),
        "source": small,
        "filter": small,
        "heavy": 0.5 * sqrt(a),
        "top": point.get("clusters", 1) ** 0.75,
        "softmax": 2.0,
        "halved": 1.0,
        "clean": 1e-4 if point.get("distance", 0) > 50 else 0.01,
        "stays": 0.1,
        "bad over good": 50.0,
    }


def world(change=lambda point: {}):
    """What is measured in this world, but for a change."""

    def run(sweep, profile, *, seed):
        rng, frames, trials = np.random.default_rng(seed), [], TRIALS.get(sweep.name, 60)
        for point in sweep.points:
            found = truth(point) | change(point)
            spread = {name: 1.0 if name in EXACT else rng.uniform(0.97, 1.03, trials) for name in found}
            noisy = {name: size * spread[name] for name, size in found.items()}
            frames.append(pd.DataFrame({**point, **noisy, "block": 0}, index=range(trials)))
        return pd.concat(frames, ignore_index=True)

    return run


def louder(factor, column):
    return lambda point: {column: factor * truth(point)[column]}


WRONG = {
    "plain-mean-grows": lambda p: {"box": 0.02 * p["d"]},
    "prime-is-robust": louder(3.0, "prime"),
    "every-direction": lambda p: {"prime": 0.03 if p["attack"] == "shift-axis" else 0.04},
    "against-corruption": lambda p: {"box": p["corruption"] ** 1.3},
    "better-from-many-rows": lambda p: {"prime": truth(p)["box"]},
    "figure-1-flat": louder(5.0, "prime"),
    "figure-1-source-constants": louder(5.0, "source"),
    "few-bad-rows": lambda p: {"prime": 0.01},
    "threshold-in-epsilon": lambda p: {"prime": 0.1},
    "passes-against-clusters": lambda p: {"softmax": float(p["clusters"])},
    "threshold-lemma": lambda p: {"bad over good": 0.5},
    "single-directions": louder(3.0, "filter"),
    "heavy-tails-prime": louder(5.0, "heavy"),
}


@pytest.mark.turns(4)
@pytest.mark.parametrize("name", WRONG)
def test_a_claim_holds_in_its_world_and_is_refuted_in_another(name, monkeypatch):
    claim = CLAIMS[f"robust-and-private/{name}"]
    for change, status in ((lambda point: {}, Status.HOLDS), (WRONG[name], Status.REFUTED)):
        monkeypatch.setattr("workbench.study.rules.run", world(change))
        assert claim.decide("full", 3).status is status


@pytest.mark.parametrize(("often", "status"), [(0.0, Status.HOLDS), (0.3, Status.REFUTED)])
def test_few_rows_are_better_without_a_filter_only_if_they_are(often, status, monkeypatch):
    def run(sweep, profile, *, seed):
        better = np.random.default_rng(seed).random(200) < often
        found = {"source": np.where(better, 0.1, np.inf), "box": 0.4}
        return pd.concat([pd.DataFrame({**point, **found}) for point in sweep.points])

    monkeypatch.setattr("workbench.study.rules.run", run)
    assert CLAIMS["robust-and-private/plain-wins-few-rows"].decide("full", 3).status is status


def every_second_is_silent(found, point):
    silent = np.resize([True, False], len(found["error"]))
    return {"abstained": silent, "error": np.where(silent, np.inf, 0.0)}


def slow_filter(found, point):
    return {"clean filter": 1.5 * found["clean plain"]}


NAME = "robust-and-private/{}".format
FALSIFIED = [
    (filters, "depth-is-robust", "DEPTH", columns(lambda found, _: {"error": found["error"] + 0.03}), 100,
     "error with a cluster"),
    (filters, "resilient-pass-size", "PASS", columns(every_second_is_silent), 100,
     "passes at half of these rows"),
    (filters, "neighbours-stay", "PAIRS", columns(lambda found, _: {"joint": found["joint"] + 1}), 200,
     "largest distance"),
    (filters, "matrix-noise", "NORMS", scaled(norm=2.0), 30, "over 2σ√d"),
    (filters, "bins-are-safe", "BINS", columns(lambda found, _: {"lone": np.ones_like(found["lone"])}), 500,
     "a lone row is seen"),
    (planted, "few-rows-harmless", "FEWER", columns(slow_filter), 40,
     "median over that of the plain mean, clean"),
]  # fmt: skip


@pytest.mark.daily
@pytest.mark.parametrize(("module", "claim", "case"), [(one, name, case) for one, name, *case in FALSIFIED])
def test_a_falsified_world_is_refuted(world, module, claim, case):
    world.refutes(module, NAME(claim), *case)


@pytest.mark.turns(3)
@pytest.mark.parametrize(("share", "statuses"), [(0.4, {Status.HOLDS}), (10, {Status.REFUTED})])
def test_rows_are_held_beside_the_formula_of_their_table(world, share, statuses):
    """Runs succeed from a share of the largest n that is tried."""

    def block(*, trials, data, noise, **point):
        good = point["n"] >= share * tables.SETTINGS[point["setting"]].grid(point["d"])[-1]
        return {"error": np.full(trials, 0.01 if good else 100.0), "abstained": np.zeros(trials, bool)}

    for name in ("PRIVATE", "EXPONENTIAL"):
        world.sweep(tables, name, block=block, trials=60)
    frame, exponential = (run(one, "quick", seed=3) for one in (tables.PRIVATE, tables.EXPONENTIAL))
    checks = [check for table in "12" for check in tables.private_rows(table, frame, 3)]
    checks += tables.exponential_rows(exponential, frame, 3)
    found = {check.status for check in checks}
    assert found <= statuses | ({Status.UNDECIDED} if share > 1 else set())
