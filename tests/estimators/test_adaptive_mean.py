"""The adaptive mean: what its probes see, what one row moves, and how far it is where others fail."""

from math import sqrt

import numpy as np
import pytest

from tests.estimators.streams import rng as stream
from workbench import AdaptiveMean, ApproxDP, GaussianDP
from workbench.estimators.adaptive_mean import PROBES, shares
from workbench.estimators.base import Trace, recorded
from workbench.privacy import ZCDP, CountingNoise, UnitNoise, compose
from workbench.privacy.budgets import within
from workbench.privacy.grid import on_grid

HALF = ZCDP(0.5)


class Scripted(UnitNoise):
    """Answers the same whatever is asked, and keeps the whole numbers that it was asked with."""

    def __init__(self, seed):
        object.__setattr__(self, "rng", stream(seed))
        object.__setattr__(self, "seen", [])

    def gaussian(self, value, sensitivity, scale):
        at = on_grid(value)
        self.seen.append((np.atleast_1d(at.counts).astype(object), float(at.unit), sensitivity))
        return self.rng.standard_normal(np.shape(value)) * scale / 3


def asked(x, seed):
    """What every step was asked with in a run on x, and the centre that it found."""
    noise, trace = Scripted(seed), Trace()
    with recorded(trace):
        AdaptiveMean(radius=4.0).estimate(x, HALF, noise)
    return noise.seen, trace.records["centre"][0]


@pytest.mark.turns(3)
def test_one_row_moves_each_step_by_its_charge_and_no_more():
    """Over rows on opposite sides, in the centre and far away, and absent ones: attained in every search."""
    d, rng, most = 3, stream(1), np.zeros(sum(PROBES.values()))
    far = np.full(d, 1e9)
    x = rng.standard_normal((40, d)) * np.geomspace(1, 0.01, d)
    centre = asked(x, 0)[1]
    for rows in ((far, -far), (centre, far), (far, far * np.nan), (centre, far * np.nan)):
        runs = []
        for row in rows:
            x[5] = row
            runs.append(asked(x, 0)[0])
        gaps = [
            sqrt(float(((one - two) ** 2).sum())) * unit / moved
            for (one, unit, moved), (two, *_) in zip(*runs, strict=True)
        ]
        most = np.maximum(most, gaps)
    assert (most <= 1 + 1e-9).all()
    assert (most > 1 - 1e-6).all()


@pytest.mark.parametrize("d", [1, 7])
@pytest.mark.parametrize("n", [2, 50, 10**7])
@pytest.mark.parametrize("budget", [HALF, GaussianDP(1e-9), ApproxDP(1.0, 1e-6)])
def test_the_plan_spends_the_budget_and_is_public(d, n, budget):
    plan = AdaptiveMean(radius=1.0).plan(n, d, budget)
    assert within(compose(plan), budget)
    assert within(budget, compose(plan))
    count = sum(PROBES.values()) if d > 1 else PROBES["centre"] + PROBES["radius"] + 1
    assert len([*plan.charges()]) == count
    assert 1 - shares(n, d, 1.0)["mean"] <= 0.35 + 1e-12


def test_absent_rows_change_no_draw_and_all_absent_is_an_answer():
    for x in (np.full((30, 2), np.nan), np.zeros((30, 2))):
        counting = CountingNoise(Scripted(0))
        out = AdaptiveMean(radius=5.0).estimate(x, HALF, counting)
        assert len(counting.draws) == sum(PROBES.values())
        assert np.isfinite(out).all()
