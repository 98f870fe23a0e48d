"""What is made of a count of the rows that are there: of what was released alone."""

import pytest

from tests.contracts.parameters import examples
from workbench.contracts.datasets import least, typical_rows, with_absent
from workbench.contracts.gaps import coarse_afterwards
from workbench.contracts.kit import answer
from workbench.estimators.shared import noisy_means as rescaled
from workbench.study.faults import replaced_everywhere, spied

ROWS = 200
KEYS = (
    *("univariate/clipped-mean", "univariate/two-step-mean", "univariate/unbounded-mean"),
    *("univariate/interval-mean", "mean/clipped-box", "mean/coordinatewise", "mean/coinpress"),
    *("covariance/clipped", "covariance/coinpress"),
)
WITH_SUMS = [one for one in examples() if one.values[0] in KEYS]


def answers(example):
    x = typical_rows(example, max(ROWS, least(example)), 5)
    with coarse_afterwards():
        with spied() as events:
            first = answer(example, x, 1)
        with spied(list(events)) as again:
            second = answer(example, with_absent(x, 3), 1)
    assert [one.charge for one in events] == [one.charge for one in again]
    return repr(first), repr(second)


@pytest.mark.parametrize(("key", "example"), WITH_SUMS)
def test_an_answer_is_made_of_what_was_released_alone(key, example):
    first, second = answers(example)
    assert first == second


def exact_mean(counted, n, charge, noise):
    there = int(counted.counts[-1]) / n
    return rescaled.additive(counted[:-1], charge, noise) / there, there


def exact_moment(counted, n, charge, draw):
    return draw(counted)[:-1, :-1] / (int(counted.counts[-1, -1]) / n)


@pytest.mark.parametrize("key", [KEYS[0], KEYS[3], "mean/clipped-box", "covariance/clipped"])
def test_a_share_without_noise_would_be_noticed(key):
    example = next(one.values[1] for one in WITH_SUMS if one.values[0] == key)
    exact = (rescaled.mean_and_share, exact_mean), (rescaled.rescaled_moment, exact_moment)
    with replaced_everywhere(*exact):
        first, second = answers(example)
    assert first != second
