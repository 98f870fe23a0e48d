"""Absent rows in the run from the lift to a whole Gaussian: they are not counted as far from the answer."""

import numpy as np
import pytest

from workbench.estimators.base import Abstention
from workbench.estimators.parts.affine import gaussian
from workbench.estimators.parts.affine.gaussian import LiftedLaw
from workbench.estimators.shared.moments import Moments
from workbench.privacy import ApproxDP, SimulatedNoise

BUDGET, BETA, N = ApproxDP(1.0, 1e-6), 0.1, 2500


class Kept(SimulatedNoise):
    """Keeps the share of far rows, the only vector of one number, before its noise."""

    def __init__(self, seed):
        super().__init__(np.random.default_rng(seed))
        self.far = []

    def gaussian(self, value, sensitivity, scale):
        self.far += [float(np.asarray(value, float)[0])] if len(value) == 1 else []
        return super().gaussian(value, sensitivity, scale)


def with_lift_of(monkeypatch, made, x):
    """Let the run take the lift of other rows, so that only what follows sees which are absent."""
    lift = made.design.test.lift(x)
    monkeypatch.setattr(type(made.design.test), "lift", lambda self, rows: lift)


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_absent_rows_are_not_far(monkeypatch, share):
    """Of the others .05 are: .08 is 4 sds of the rows and the answer off."""
    made, x = LiftedLaw(N, 2, BUDGET, BETA), np.random.default_rng(1).normal(size=(N, 2))
    with_lift_of(monkeypatch, made, x)
    x[: int(share * N)] = np.nan
    for seed in range(4):
        noise = Kept(seed)
        found = made.draw(x, noise)
        assert noise.far[0] < 0.08 * (1 - share)
        assert not (isinstance(found, Abstention) and found.step == "far rows")


def test_a_row_that_comes_or_goes_moves_the_share_by_its_sensitivity(monkeypatch):
    """With the same noise: a far row that goes takes 1/n, one that is near nothing."""
    made, x = LiftedLaw(N, 2, BUDGET, BETA), np.random.default_rng(1).normal(size=(N, 2))
    with_lift_of(monkeypatch, made, x)
    shares = []
    for row in ([50.0, 0.0], [0.0, 0.0], [np.nan, np.nan]):
        y, noise = x.copy(), Kept(3)
        y[7] = row
        monkeypatch.setattr(type(made.design.finish), "round", lambda self, *_: moments())
        made.draw(y, noise)
        shares += noise.far
    assert shares[0] - shares[2] == pytest.approx(made.design.far.charge.sensitivity)
    assert shares[1] == shares[2]


@pytest.mark.parametrize("d", [2, 8, 40, 100])
def test_a_row_that_goes_leaves_the_lengths_of_others_as_they_are(d):
    """To the last bit, wherever it stood: a row at the edge must not follow it over."""
    rng = np.random.default_rng(d)
    centre, whitened = rng.normal(size=d), rng.normal(size=(d, d))
    for n in (2, 5, 8, 33, 101):
        x = rng.normal(size=(n, d))
        for gone in {0, n // 2, n - 1}:
            y, others = x.copy(), np.arange(n) != gone
            y[gone] = np.nan
            before, after = (gaussian.squared_lengths(rows, centre, whitened) for rows in (x, y))
            assert after.shape == (n,)
            assert after[gone] == 0
            assert (after[others] == before[others]).all()


def moments():
    """A released answer, the same for all."""
    return Moments(np.zeros(2), np.eye(2))
