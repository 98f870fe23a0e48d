"""The measured sizes beside Tables 1 and 2 decide; in a falsified world they are refuted."""

from dataclasses import replace

import numpy as np
import pytest

from tests.chapters.worlds import decided
from workbench.chapters.registry import CLAIMS
from workbench.chapters.robust_and_private.claims import sizes, tables
from workbench.chapters.robust_and_private.runs import duel
from workbench.study.rules import Status

SHAPES = ("robust-and-private/table-1-in-shape", "robust-and-private/table-2-in-shape")


def imagined(world, share):
    """A world in which runs succeed from a share of the largest n that is tried on."""

    def block(*, trials, data, noise, **point):
        setting = sizes.SETTINGS[point["setting"]]
        good = point["n"] >= share * setting.grid(point["d"])[-1]
        errors = np.full(trials, 0.01 if good else 100.0)
        return {"error": errors, "abstained": np.zeros(trials, bool)}

    world.sweep(tables, "PRIVATE", block=block, trials=60)


@pytest.mark.parametrize("identifier", SHAPES)
def test_sizes_near_the_formula_hold_and_are_recorded(world, identifier):
    imagined(world, 0.9)
    verdict = decided(identifier)
    assert verdict.status is Status.HOLDS
    found = [size for check in verdict.detail["checks"] for size in check["detail"].get("sizes", [])]
    assert {size["statement"] for size in found} == {CLAIMS[identifier].sources[0]}
    assert all(size["interval"][0] <= size["estimate"] <= size["interval"][1] for size in found)


@pytest.mark.parametrize("share", [10, 0])
def test_a_formula_far_from_the_truth_is_not_confirmed(world, share):
    imagined(world, share)
    assert {decided(identifier).status for identifier in SHAPES} <= {Status.REFUTED, Status.UNDECIDED}


def test_every_setting_is_measured_at_its_least_rows():
    rng = np.random.default_rng
    for point in sizes.SIZES.points[:: sizes.HALVINGS * 3]:
        found = sizes.hits(**point, trials=2, data=rng(1), noise=rng(2))
        again = sizes.hits(**point, trials=2, data=rng(1), noise=rng(2))
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


@pytest.mark.parametrize("epsilon", [0.01, 2.0, 20.0])
def test_the_n_that_are_tried_differ_at_every_budget(epsilon):
    terms = replace(sizes.USUAL, epsilon=epsilon)
    tried = [tuple(point.values()) for point in sizes.SIZES.moved(sizes.points(terms), **vars(terms)).points]
    assert len(set(tried)) == len(tried) >= 100
