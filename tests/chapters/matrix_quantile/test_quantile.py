"""The claims about the matrix quantile decide, and each of them can fail: a falsified world is refuted."""

from dataclasses import replace

import numpy as np
import pytest

from tests.chapters.worlds import decided
from workbench.chapters.matrix_quantile.runs import quantile as sweeps
from workbench.estimators.stable_quantile import Stability
from workbench.study.rules import Status

EXACT, BOUNDS = "matrix-quantile/exact-small-cases", "matrix-quantile/bounds-hold-in-floats"
SHAPE = "matrix-quantile/rows-follow-shape"


def pairs(exceptions, used=0.95, apart=1.0):
    """A block of pairs, this share of which break a bound; the others use up so much of it."""

    def block(*, trials, data, noise, **point):
        bad = data.random(trials) < exceptions
        return {"apart": apart + bad, "h": np.ones(trials), "trace": used + bad, "positive": used + bad}

    return block


def failures(share):
    """A block of errors, this share of which are no answers."""
    return lambda *, trials, data, noise, **point: {
        "error": np.where(data.random(trials) < share, np.inf, 0.01)
    }


def test_exact_neighbours_interlace_and_a_wrong_quantile_is_refuted(world):
    world.part(sweeps, "VALUES", (0, 1, 3))
    world.part(sweeps, "FEW", 4)
    assert decided(EXACT).status is Status.HOLDS
    right = sweeps.exact_quantile
    world.part(sweeps, "exact_quantile", lambda x, level: right(x, level) * (1 + x[-1]))
    assert decided(EXACT).status is Status.REFUTED


@pytest.mark.parametrize(
    ("block", "status"),
    [
        (pairs(0.0), Status.HOLDS),
        (pairs(0.01), Status.REFUTED),
        (pairs(0.0, used=0.85), Status.REFUTED),
        (pairs(0.0, apart=0.0), Status.REFUTED),
    ],
    ids=["true", "one exception in a hundred", "a smaller bound is not found", "nothing moves"],
)
def test_exceptions_and_blind_searches_refute_the_bounds(world, block, status):
    world.sweep(sweeps, "PAIRS", block=block)
    assert decided(BOUNDS, "full").status is status


@pytest.mark.daily
def test_bounds_a_tenth_smaller_are_refuted_by_few_pairs(world):
    assert decided(BOUNDS).status is not Status.REFUTED
    right = Stability.change.fget
    world.part(Stability, "change", property(lambda self: 0.9 * right(self)))
    assert decided(BOUNDS).status is Status.REFUTED


@pytest.mark.daily
@pytest.mark.parametrize(
    ("share", "more", "status"),
    [(0.02, 1.0, Status.HOLDS), (0.3, 1.0, Status.REFUTED), (0.02, 1.3, Status.REFUTED)],
)
@pytest.mark.parametrize(
    ("identifier", "name", "rows"),
    [
        ("matrix-quantile/planned-rows-succeed", "CLAIMED", sweeps.PLANNED),
        ("matrix-quantile/planned-rows-near", "NEAR_CLAIMED", sweeps.NEAR_PLANNED),
    ],
)
def test_too_many_failures_or_too_many_rows_are_refuted(world, identifier, name, rows, share, more, status):
    changed = {d: replace(one, block=failures(share)) for d, one in getattr(sweeps, name).items()}
    world.part(sweeps, name, changed)
    world.part(sweeps, "planned", lambda d, alpha, budget=None: int(more * rows[d]))
    assert decided(identifier, "full").status is status


@pytest.mark.parametrize(
    ("rows", "status"),
    [
        (lambda d: d * (20 * 13.8 + 20 * d**0.5), Status.HOLDS),
        (lambda d: d**2 * 20 * 13.8, Status.REFUTED),
    ],
)
def test_rows_that_grow_faster_are_refuted(world, rows, status):
    world.part(sweeps, "planned", lambda d, alpha, budget: int(rows(d) / budget.epsilon))
    assert decided(SHAPE).status is status
