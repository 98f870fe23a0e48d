"""The example on the line is what the package computes; the attacker of the exercise finds what it should."""

import numpy as np
import pytest

from workbench.chapters.any_gaussian.exercise import allowed, attack, weighted
from workbench.estimators.votes import Points

FIVE = (0.9, 1.0, 1.1, 1.2, 7.0)


def voted(*says):
    """Friends, weights, average and share of friendly pairs, at ρ = .5, a = 1/2 and b = 3/4."""
    points = np.array(says)
    friends = Points(points[:, None], 0.5).friends(0.5)
    weights = np.clip((friends / len(says) - 0.5) / 0.25, 0, 1)
    return list(friends), list(weights), weights @ points / weights.sum(), friends.sum() / len(says) ** 2


def test_a_far_group_has_no_say():
    friends, weights, average, share = voted(*FIVE)
    assert friends == [4, 4, 4, 4, 1]
    assert weights == pytest.approx([1, 1, 1, 1, 0])
    assert (average, share) == pytest.approx((1.05, 0.68))
    assert np.mean(FIVE) == pytest.approx(2.24)
    assert voted(*FIVE[:4], 7000.0)[2] == average


def test_a_group_that_joins_moves_the_average_a_little():
    friends, _, average, _ = voted(*FIVE[:4], 1.3)
    assert friends == [5] * 5
    assert average == pytest.approx(1.1)


def test_a_group_that_leaves_takes_weight_from_the_others():
    _, weights, _, share = voted(0.9, 1.0, 1.1, 50.0, 7.0)
    assert weights == pytest.approx([0.4, 0.4, 0.4, 0, 0])
    assert share == pytest.approx(0.44)


def test_the_attacker_moves_what_no_vote_protects():
    voted_on = attack(weighted)
    assert 0.1 * allowed() < voted_on.moved <= allowed()
    assert "within" in str(voted_on)
    for careless in (np.mean, np.median, lambda points: points[-1]):
        assert attack(careless).moved > allowed()
    assert "BEYOND" in str(attack(np.median))
