"""A run is recorded step by step, and replayed with given outputs on another data set."""

import numpy as np
import pytest

from workbench.estimators.two_step import TwoStepMean
from workbench.privacy import PureDP, SimulatedNoise
from workbench.study.faults import spied
from workbench.study.pairs import attack
from workbench.study.pairs import univariate as rows
from workbench.study.pairs.base import Setting
from workbench.study.pairs.replayed import both, replayed

SETTING = Setting("univariate/two-step-mean", TwoStepMean(radius=10.0, sigma=1.0), PureDP(2.0), 300)
PAIRS = rows.typical(300)


def test_a_replay_takes_the_same_outputs_and_sees_its_own_rows():
    first, second = both(SETTING, PAIRS[0])
    assert [event.charge for event in first] == list(SETTING.plan.charges())
    assert [event.output for event in first] == [event.output for event in second]
    assert float(first[1].statistic[0]) != float(second[1].statistic[0])


def test_a_use_can_be_repeated_with_fresh_noise():
    first, _ = both(SETTING, PAIRS[0])
    with spied() as events:
        again = {float(first[1].again(SimulatedNoise(np.random.default_rng(seed)))[0]) for seed in range(5)}
    assert len(again) == 5
    assert len(events) <= 5


@pytest.mark.parametrize("number", [0, 1])
def test_the_pairs_reach_the_claim_of_the_mean(number):
    report = attack(list(replayed(SETTING, PAIRS))[1], seed=number)
    assert report.eps_lower > 0.5 * SETTING.plan["mean"].cost.epsilon
