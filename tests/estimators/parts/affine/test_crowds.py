"""Rows far away, a row that moves a median by as much as there is, and a guard that barely passes: at once.

Two columns x₁ and x₂ = -x₁, but for 1/64, at 10^12; half of the rows are at -1, the others at 1 and 7.5.
One row that changes sides moves the lower median of x₁, not that of x₂: the centre of X is off the line that
rows are on, by 200 of their sds across it, that of X' is not. What a centre has a part in differs then.
"""

import numpy as np

from tests.estimators.parts.affine.neighbours import barely
from workbench.estimators.parts.affine.stability import LiftedStability
from workbench.estimators.parts.quantile.influence import Influence

ROWS, MOST, LEVEL = 200, 4, 30.0
FAR = 2.0**40 * np.array([1.0, -1.5])
GUARDS = (*np.geomspace(1 / 16, 0.9, 12), *(1 - np.geomspace(0.03, 1e-4, 5)), 1.0 + 1e-6)


def crowds(turned):
    """Rows in steps of 2^-12, exact at any offset of less than 2^41."""
    number = np.arange(ROWS)
    side = np.where(number < ROWS // 2 - turned, -1.0, 1.0 + 6.5 * (number % 2))
    across = np.random.default_rng(1).integers(-64, 65, size=ROWS) * 2.0**-12
    return np.c_[side, across - side] + FAR


def counts(guard, pair, edges):
    """Both counts under a guard, in units of what passes both data sets."""
    strength, least, widest = (kind(one) for kind, one in zip((min, min, max), edges, strict=True))
    shape = Influence(1.0), LEVEL, MOST, 1.02 + 0.8 * (strength - 1.02), widest * guard
    test = LiftedStability(ROWS, 3, *shape, least=least / 2)
    return [test.located(one).count for one in pair]


def test_no_guard_tells_neighbours_apart_by_where_their_medians_are():
    pair = crowds(0), crowds(1)
    assert (pair[0] != pair[1]).any(axis=1).sum() == 1
    free = LiftedStability(ROWS, 3, Influence(1.0), LEVEL, MOST, 1.01, least=1e-12)
    edges = list(zip(*(barely(free, one, MOST) for one in pair), strict=True))
    found = [counts(guard, pair, edges) for guard in GUARDS]
    assert max(abs(h - k) for h, k in found) <= 1
    assert found[-1] == [MOST, MOST]
    assert found[0] == [0, 0]
