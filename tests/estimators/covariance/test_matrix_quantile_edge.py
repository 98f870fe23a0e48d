"""Neighbours at the edge of the stability test of a matrix quantile: each step of t costs all of e.

On the line, with ψ(q) = min(q, 1), e = 1, `TIES` rows have the square c a little above 1. The squares of
the rows of X below them sum to S, and one row has the square 1: Lo of t = 2 lies between it and c, so that
the sum of slopes is S + 1, and Hi is just above c. In X' that row is 0: Lo of t = 1 is where it was, the sum
is S. A test that takes off a share f of e for each t

    passes X at t = 2 if S + 1 ≥ (G + 2f) Hi    and    fails X' at t = 1 if S < (G + f) Hi'.

Both hold for S = G + (3f - 1)/2 where f < 1, so that h = 2 and h' = 0.
"""

from dataclasses import replace

import numpy as np
import pytest

from workbench.estimators.parts.quantile.influence import Influence
from workbench.estimators.parts.quantile.levels import Scaled
from workbench.estimators.parts.quantile.stability import Stability

TIES, BELOW, STRENGTH = 300, 5, 2.0
TIED, ABOVE = 1.011, 0.0025  # c, and how far Lo is above 1


def neighbours(share):
    """The test, X, and X' for a loss of `share` of e."""
    below = STRENGTH + (3 * share - 1) / 2
    squares = np.concatenate([[1.0], np.full(BELOW, below / BELOW), np.full(TIES, TIED)])
    x = np.sqrt(squares)[:, None]
    other = x.copy()
    other[0] = 0.0
    high = (below + 1) / (1 + ABOVE) + TIES
    near = Stability(len(x), 1, Influence(1.0), high - 2, 2, STRENGTH)
    return replace(near, level=high - 2 * near.spacing), x, other


def slope(test, x, t):
    """What C_t compares with G + et: the sum of the slopes at Lo, in units of Hi."""
    scaled = Scaled.of(x, test.influence, test.low(t))
    high = test.solver.descend(scaled, scaled.start(), test.low(t))
    return test.slope(scaled, test.solver.descend(scaled, high, test.high(t)), high)


@pytest.mark.parametrize("share", [0.5, 0.8])
def test_scores_of_neighbours_at_the_edge_differ_by_one(share):
    test, x, other = neighbours(share)
    h, k = test.measure(x)[0], test.measure(other)[0]
    assert (h, k) == (1, 0)
    assert abs(h - k) <= 1


@pytest.mark.parametrize("share", [0.5, 0.8])
def test_less_than_the_whole_loss_would_let_them_differ_by_two(share):
    test, x, other = neighbours(share)
    assert STRENGTH + 2 * share < slope(test, x, 2) < STRENGTH + 2
    assert 0 < slope(test, other, 1) < STRENGTH + share
