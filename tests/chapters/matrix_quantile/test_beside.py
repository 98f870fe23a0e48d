"""The claims about the matrix quantile beside others decide, and a falsified world is refuted."""

from dataclasses import replace

import numpy as np
import pytest

from tests.chapters.worlds import constant, decided, refuted
from workbench.chapters.covariance.worlds import geometric
from workbench.chapters.matrix_quantile.runs import beside as sweeps
from workbench.populations.rotated import rotated
from workbench.study.rules import Status

FEWER, RIGHT = "matrix-quantile/fewer-rows", "matrix-quantile/right-or-none"


def told(short, long):
    """CoinPress, told a bound: one distance where it needs more rows than ours, another elsewhere."""
    return {
        d: replace(one, block=constant(fourfold=long if d in (5, 10) else short, near=1.0))
        for d, one in sweeps.TOLD_PLANNED.items()
    }


def conditions(found):
    """A block of condition numbers, by the share of far rows and the degrees of freedom."""

    def block(*, trials, data, noise, **point):
        return {
            "condition": np.full(trials, found(point["share"], point["degrees"])),
            "plain": np.ones(trials),
        }

    return block


def as_measured(share, degrees):
    if degrees:
        return np.inf if degrees < 10 else 2.0
    return 2.0 if share <= 0.03 else 1e5 if share >= 0.2 else np.inf


@pytest.mark.daily
@pytest.mark.parametrize(
    ("short", "long", "fewest", "status"),
    [
        (2.0, 0.1, 10**6, Status.HOLDS),
        (2.0, 0.1, 300, Status.REFUTED),
        (0.1, 0.1, 10**6, Status.REFUTED),
        (2.0, 2.0, 10**6, Status.REFUTED),
    ],
)
def test_fewer_rows_than_others_and_as_near_as_stated(world, short, long, fewest, status):
    world.part(sweeps, "TOLD_PLANNED", told(short, long))
    world.part(sweeps, "fewest", lambda key, d: fewest)
    verdict = decided(FEWER, "full")
    assert verdict.status is status
    sizes = [one for check in verdict.detail["checks"] for one in check["detail"].get("sizes", ())]
    formulas = ("spectral/preconditioner", "covariance/unbounded")
    assert {one["formula"] for one in sizes} == {f"fewest rows of {key}" for key in formulas}


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        (as_measured, Status.HOLDS),
        (lambda share, degrees: 2.0, Status.REFUTED),
        (lambda share, degrees: np.inf, Status.REFUTED),
        (lambda share, degrees: 9.0 if share == 0.01 else as_measured(share, degrees), Status.REFUTED),
    ],
)
def test_answers_are_right_or_none(world, changed, status):
    for name in ("SPOILT", "TAILED"):
        world.sweep(sweeps, name, block=conditions(changed))
    assert decided(RIGHT, "full").status is status


def test_one_wrong_answer_in_five_is_refuted(world):
    """Three answers of four that are none would have let this pass."""

    def often(*, trials, data, noise, share, **point):
        none = data.random(trials) < 0.8
        found = (
            np.where(none, np.inf, 2.0)
            if share == 0.05
            else np.full(trials, as_measured(share, point["degrees"]))
        )
        return {"condition": found, "plain": np.ones(trials)}

    for name in ("SPOILT", "TAILED"):
        world.sweep(sweeps, name, block=often)
    assert refuted(RIGHT, "full") == ["5 % far rows: no answer"]


def test_far_rows_are_where_they_should_be_and_as_many():
    rng = np.random.default_rng(1)
    law = rotated(geometric(3, 1e4), rng)
    x = sweeps.spoilt(law, 200, 0.1, 0.0, rng)
    white = x @ law.basis / np.sqrt(law.values)
    lengths = np.linalg.norm(white, axis=1)
    assert (lengths > 100).sum() == 20
    np.testing.assert_allclose(lengths[:20], sweeps.AWAY)


def test_distances_of_the_truth_are_0_and_of_no_answer_infinite():
    law = rotated(geometric(2, 1e8), np.random.default_rng(1))
    exact = (law.basis * law.values) @ law.basis.T
    assert max(sweeps.distances(sweeps.seen(4 * exact, law))) == pytest.approx(np.sqrt(18), rel=1e-5)
    assert sweeps.distances(np.full(2, np.nan)) == (np.inf, np.inf)
    assert sweeps.distances(np.array([-1.0, 1.0]))[0] == np.inf


def test_an_eigenvalue_within_rounding_of_0_is_0_and_so_infinitely_far():
    law = rotated(geometric(3, 1e8), np.random.default_rng(1))
    lengths = np.sqrt(law.values)
    for least, far in ((0.0, True), (-1e-12, True), (1e-12, True), (1e-5, False)):
        inner = np.diag([least, 1.0, 1.0])
        estimate = (law.basis * lengths) @ inner @ (law.basis * lengths).T
        values = sweeps.seen(estimate, law)
        assert (values[0] == 0) == far
        assert np.isinf(sweeps.distances(values)[0]) == far
