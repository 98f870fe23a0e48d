"""Low bits accuse noise of floats, and not noise of whole numbers.

An audit accuses the innocent with probability 1e-6 at most.
"""

import numpy as np
import pytest

from workbench.privacy import ZCDP, Charge, PureDP, SimulatedNoise
from workbench.privacy.grid import OnGrid
from workbench.privacy.mechanisms import gaussian, laplace
from workbench.privacy.secure import SecureNoise
from workbench.study.audit import Pair, audit, last_bit

ZERO_OR_ONE = [Pair("0 or 1", np.array([0.0]), np.array([1.0]))]
STEP, LEVEL, MILLION = 2.0**-20, 1e-6, 1_000_000
KINDS = {"laplace": (laplace, PureDP(1.0)), "gaussian": (gaussian, ZCDP(0.5))}


def simulated(kind):
    add, cost = KINDS[kind]
    charge = Charge("sum", kind, 1.0, cost)
    return cost, lambda x, trials, rng: add(np.full(trials, x.sum()), charge, SimulatedNoise(rng))


def secure(kind):
    add, cost = KINDS[kind]
    charge = Charge("sum", kind, 1.0, cost)

    def draws(x, trials, _):
        counts = np.full(trials, round(x.sum() / STEP))
        return add(OnGrid(counts, STEP), charge, SecureNoise())

    return cost, draws


@pytest.mark.parametrize("kind", KINDS)
def test_floats_are_accused(kind):
    cost, mechanism = simulated(kind)
    assert audit(mechanism, ZERO_OR_ONE, cost, score=last_bit, level=LEVEL, seed=1).violated


@pytest.mark.turns(4)
@pytest.mark.parametrize("kind", KINDS)
def test_whole_numbers_are_not_in_a_million_draws(kind):
    cost, mechanism = secure(kind)
    report = audit(
        mechanism,
        ZERO_OR_ONE,
        cost,
        score=last_bit,
        level=LEVEL,
        seed=1,
        n_train=MILLION // 4,
        n_test=MILLION,
    )
    assert not report.violated, report


@pytest.mark.parametrize("kind", KINDS)
def test_every_output_is_a_multiple_of_the_step(kind):
    _, mechanism = secure(kind)
    outputs = mechanism(np.array([1.0]), 10_000, None)
    assert (outputs / STEP == np.rint(outputs / STEP)).all()
