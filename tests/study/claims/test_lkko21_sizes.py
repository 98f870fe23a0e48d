"""The measured sizes beside Tables 1 and 2 decide; in a falsified world they are refuted."""

from dataclasses import replace

import numpy as np
import pytest

from workbench.study import sweep
from workbench.study.claims import CLAIMS, lkko21_duel, lkko21_sizes
from workbench.study.verdict import Status

SEED = 6


@pytest.fixture(autouse=True)
def _forget():
    yield
    sweep.forget()


def imagined(monkeypatch, share):
    """A world in which runs succeed from a share of the largest n that is tried on."""

    def block(point, trials, data, noise):
        setting = lkko21_sizes.SETTINGS[point["setting"]]
        good = point["n"] >= share * setting.grid(point["d"])[-1]
        errors = np.full(trials, 0.01 if good else 100.0)
        return {"error": errors, "abstained": np.zeros(trials, bool)}

    monkeypatch.setattr(lkko21_sizes, "SIZES", replace(lkko21_sizes.SIZES, block=block, trials=60))


@pytest.mark.parametrize("identifier", ["TB1", "TB2"])
def test_sizes_near_the_formula_hold_and_are_recorded(monkeypatch, identifier):
    imagined(monkeypatch, 0.9)
    verdict = CLAIMS[identifier].decide("quick", SEED, 1)
    assert verdict.status is Status.HOLDS
    sizes = [size for check in verdict.detail["checks"] for size in check["detail"]["sizes"]]
    assert {size["statement"] for size in sizes} == set(CLAIMS[identifier].sources)
    assert all(size["interval"][0] <= size["estimate"] <= size["interval"][1] for size in sizes)


@pytest.mark.parametrize("identifier", ["TB1", "TB2"])
def test_a_formula_far_from_the_truth_does_not_hold(monkeypatch, identifier):
    imagined(monkeypatch, 10)
    assert CLAIMS[identifier].decide("quick", SEED, 1).status is not Status.HOLDS


def test_every_setting_is_measured_at_its_least_rows():
    rng = np.random.default_rng
    for point in lkko21_sizes.POINTS[:: lkko21_sizes.HALVINGS * 3]:
        found = lkko21_sizes.hits(point, 2, rng(1), rng(2))
        again = lkko21_sizes.hits(point, 2, rng(1), rng(2))
        assert found["error"].shape == (2,)
        assert np.array_equal(found["error"], again["error"])


def test_all_fighters_meet_the_same_rows():
    rng = np.random.default_rng
    point = {**lkko21_duel.DUEL.points[1], "n": 2000}
    found = lkko21_duel.fights(point, 3, rng(1), rng(2))
    assert set(found) == set(lkko21_duel.FIGHTERS)
    again = lkko21_duel.fights({**point, "who": "private"}, 3, rng(1), rng(3))
    assert set(again) < set(found)
    assert (found["mean/empirical"] > 2 * found["mean/filter-nonprivate"]).all()
