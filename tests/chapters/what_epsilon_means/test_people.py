"""What notebook 01 says of a hundred people: coins, counts and beliefs."""

import numpy as np
import pytest

from workbench.chapters.what_epsilon_means import noisy_count, people, posterior, two_coins
from workbench.chapters.what_epsilon_means.densities import believed, coin_spread, count_spread, truthful
from workbench.estimators.bounded import Count
from workbench.privacy import PureDP
from workbench.study.run import Run

THEORY = Run(simulate=False)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_an_answer_and_a_count_have_the_ratio_and_the_spread_that_is_drawn(epsilon):
    assert truthful(epsilon) / (1 - truthful(epsilon)) == pytest.approx(np.exp(epsilon))
    rng, n, runs, share = np.random.default_rng(1), 100, 4000, people().smokes.mean()
    yes = np.where(rng.random((runs, n)) < truthful(epsilon), people().smokes, ~people().smokes).mean(axis=1)
    found = (yes - (1 - truthful(epsilon))) / (2 * truthful(epsilon) - 1)
    assert found.std() == pytest.approx(coin_spread(epsilon, n), rel=0.06)  # 5 standard errors
    assert found.mean() == pytest.approx(share, abs=5 * found.std() / runs**0.5)
    assert count_spread(epsilon, n) == pytest.approx(np.sqrt(2) / (n * epsilon))


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_the_law_of_a_noisy_count_is_that_of_the_package(epsilon):
    with_them, without = noisy_count(THEORY, epsilon=epsilon).panels[0].series
    ratio = np.log(np.array(with_them.y) / np.array(without.y))
    assert np.abs(ratio) == pytest.approx(np.full(len(ratio), epsilon))
    runs, rng = 2000, np.random.default_rng(2)
    counts = [Count()(people().smokes, budget=PureDP(epsilon), rng=rng).value.counts[0] for _ in range(runs)]
    for x, chance in zip(with_them.x, with_them.y, strict=True):
        assert np.mean(np.array(counts) == x) == pytest.approx(chance, abs=5 * (0.25 / runs) ** 0.5)


def test_beliefs_are_those_of_bayes_and_titles_follow_epsilon():
    likelihoods, prior = np.array([np.exp(1.0), 1.0]), np.array([0.3, 0.7])
    joint = likelihoods * prior
    assert believed(np.array(0.3), 1.0) == pytest.approx(joint[0] / joint.sum())
    assert "73 %" in posterior(THEORY, epsilon=1.0).title
    assert "95 %" in posterior(THEORY, epsilon=3.0).title
    assert two_coins(THEORY, epsilon=1.0).title != two_coins(THEORY, epsilon=0.5).title
