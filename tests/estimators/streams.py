"""The streams of random numbers that tests of estimators draw rows from, and gaps of whole numbers."""

from fractions import Fraction

import numpy as np

from workbench.estimators import base
from workbench.estimators.shared.rows import present

FAR = 50.0  # rows with holes lie here: an absent row that were 0 would show


def rng(seed=1):
    """A stream of its own for each seed."""
    return np.random.default_rng(seed)


def holes(n, d=None, seed=1, share=0.3):
    """Rows far from 0, some absent, and the others alone."""
    x = FAR + rng(seed).standard_normal(n if d is None else (n, d))
    x[rng(seed + 1).random(n) < share] = np.nan
    x = base.sanitised(x)
    assert 0 < present(x).sum() < n
    return x, x[present(x)]


def squared_gap(one, two):
    """The squared l2 distance of two statistics of one grid, exactly."""
    assert np.array_equal(one.unit, two.unit), "the unit is not public"
    gaps = np.ravel(one.counts).astype(object) - np.ravel(two.counts)
    units = np.broadcast_to(one.unit, one.shape).ravel()
    return sum((Fraction(float(unit)) * int(gap)) ** 2 for unit, gap in zip(units, gaps, strict=True))
