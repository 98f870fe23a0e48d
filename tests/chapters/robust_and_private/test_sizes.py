"""The measured sizes beside Tables 1 and 2 decide; in a falsified world they are refuted."""

from dataclasses import replace

import numpy as np
import pytest

from workbench.chapters.registry import CLAIMS
from workbench.chapters.robust_and_private.claims import sizes as lkko21_sizes
from workbench.chapters.robust_and_private.runs import duel
from workbench.study.sweeps import sweep
from workbench.study.verdict import Status

SEED = 6


@pytest.fixture(autouse=True)
def _forget():
    yield
    sweep.forget()


def imagined(monkeypatch, share):
    """A world in which runs succeed from a share of the largest n that is tried on."""

    def block(*, trials, data, noise, **point):
        setting = lkko21_sizes.SETTINGS[point["setting"]]
        good = point["n"] >= share * setting.grid(point["d"])[-1]
        errors = np.full(trials, 0.01 if good else 100.0)
        return {"error": errors, "abstained": np.zeros(trials, bool)}

    for name, trials in (("SIZES", 60), ("EDGE", 300)):
        imaginary = replace(getattr(lkko21_sizes, name), block=block, trials=trials)
        monkeypatch.setattr(lkko21_sizes, name, imaginary)


@pytest.mark.parametrize(
    "identifier", ["robust-and-private/table-1-in-shape", "robust-and-private/table-2-in-shape"]
)
def test_sizes_near_the_formula_hold_and_are_recorded(monkeypatch, identifier):
    imagined(monkeypatch, 0.9)
    verdict = CLAIMS[identifier].decide("quick", SEED, 1)
    assert verdict.status is Status.HOLDS
    sizes = [size for check in verdict.detail["checks"] for size in check["detail"].get("sizes", [])]
    assert {size["statement"] for size in sizes} == set(CLAIMS[identifier].sources)
    assert all(size["interval"][0] <= size["estimate"] <= size["interval"][1] for size in sizes)


@pytest.mark.parametrize(
    ("share", "identifiers"),
    [
        (10, ["robust-and-private/table-1-hidden-cluster"]),
        (0, ["robust-and-private/table-1-in-shape", "robust-and-private/table-2-in-shape"]),
    ],
)
def test_a_formula_far_from_the_truth_is_refuted(monkeypatch, share, identifiers):
    imagined(monkeypatch, share)
    for identifier in identifiers:
        assert CLAIMS[identifier].decide("quick", SEED, 1).status is Status.REFUTED
    for identifier in ("robust-and-private/table-1-in-shape", "robust-and-private/table-2-in-shape"):
        assert CLAIMS[identifier].decide("quick", SEED, 1).status is not Status.HOLDS


def test_prime_in_the_plane_needs_ten_times_the_formula_only_if_it_does(monkeypatch):
    imagined(monkeypatch, 0.9 / 32 * 4)
    assert CLAIMS["robust-and-private/table-1-hidden-cluster"].decide("quick", SEED, 1).status is Status.HOLDS
    imagined(monkeypatch, 0.9)
    assert (
        CLAIMS["robust-and-private/table-1-hidden-cluster"].decide("quick", SEED, 1).status is Status.REFUTED
    )


@pytest.mark.parametrize("pair", lkko21_sizes.EDGES)
def test_runs_at_an_edge_decide_it(monkeypatch, pair):
    """What is good there in half of the runs is refuted at ten times the formula, and holds at a tenth."""

    def block(*, trials, data, noise, **point):
        return {"error": np.where(data.random(trials) < 0.5, 0.01, 100.0)}

    monkeypatch.setattr(lkko21_sizes, "EDGE", replace(lkko21_sizes.EDGE, block=block, trials=300))
    imaginary = sweep.run(lkko21_sizes.EDGE, "quick", seed=SEED)
    verdict = lkko21_sizes.at_edge(imaginary, *pair, lkko21_sizes.EDGES[pair])
    expected = Status.REFUTED if lkko21_sizes.EDGES[pair] > 1 else Status.HOLDS
    assert verdict.status is expected


def test_every_setting_is_measured_at_its_least_rows():
    rng = np.random.default_rng
    for point in lkko21_sizes.POINTS[:: lkko21_sizes.HALVINGS * 3]:
        found = lkko21_sizes.hits(**point, trials=2, data=rng(1), noise=rng(2))
        again = lkko21_sizes.hits(**point, trials=2, data=rng(1), noise=rng(2))
        assert found["error"].shape == (2,)
        assert np.array_equal(found["error"], again["error"])


def test_all_fighters_meet_the_same_rows():
    rng = np.random.default_rng
    point = {**duel.DUEL.points[1], "n": 2000}
    found = duel.fights(**point, trials=3, data=rng(1), noise=rng(2))
    assert set(found) == set(duel.FIGHTERS)
    again = duel.fights(**{**point, "who": "private"}, trials=3, data=rng(1), noise=rng(3))
    assert set(again) < set(found)
    assert (found["mean/empirical"] > 2 * found["mean/filter-nonprivate"]).all()
