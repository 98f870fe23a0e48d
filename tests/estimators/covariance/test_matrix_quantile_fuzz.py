"""Twenty thousand neighbours of a stable matrix quantile, in floats: no exception, and bounded work."""

from math import log2

import numpy as np
import pytest

from tests.estimators.covariance.quantile_pairs import drawn, extreme, measured, simple, thin, tied
from workbench.estimators.parts.quantile.levels import Solver

CHUNKS, EACH = 20, 1000
OTHERS = (simple, thin, tied, extreme)  # every fifth pair is one of these
CLOSE = 1 + 1e-6


@pytest.fixture
def moments(monkeypatch):
    """How many times rows were mapped so far, in a list of one number."""
    right, seen = Solver.moment, [0]

    def counted(self, scaled, factor, level):
        seen[0] += 1
        return right(self, scaled, factor, level)

    monkeypatch.setattr(Solver, "moment", counted)
    return seen


def attack(number):
    """The pair of this number."""
    made = OTHERS[number // 5 % len(OTHERS)] if number % 5 == 0 else drawn
    return made(np.random.default_rng((2026, number)))


def most_moments(test):
    """What `measured` needs at most: two searches for h, both centres, and P₀."""
    steps = test.solver.steps + 1
    search = (log2(test.most) + 2) * 2 * steps + steps + test.polishing
    return 2 * search + steps + 20 + test.polishing


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_thousand_neighbours_break_no_bound(chunk, moments):
    stable = moved = 0
    for number in range(chunk * EACH, (chunk + 1) * EACH):
        pair = attack(number)
        moments[0] = 0
        found = measured(pair)
        assert found["apart"] <= 1, number
        assert found["trace"] <= CLOSE, number
        assert found["positive"] <= CLOSE, number
        assert moments[0] <= most_moments(pair.test), number
        stable += found["h"] > 0
        moved += found["apart"] == 1
    assert stable > EACH // 10
    assert moved > 10
