"""What is made of a count of the rows that are there: of what was released alone; and its error bound."""

from math import inf

import numpy as np
import pytest

from tests.contracts.foreseen import error_of, stated, the_statement_is_true_above_the_cliff
from tests.contracts.foreseen_table import predicted, thin
from tests.contracts.parameters import counted
from workbench.contracts.accuracy import error_bound_is_exceeded_with_probability_at_most_beta
from workbench.contracts.datasets import least, typical_rows, with_absent
from workbench.contracts.gaps import coarse_spectra
from workbench.contracts.kit import answer
from workbench.estimators.gaussian.unbounded import UnboundedGaussian
from workbench.estimators.parts import rescaled
from workbench.study.faults.mutant import replaced_everywhere
from workbench.study.faults.replay import spied

ROWS, BEFOREHAND = 200, ("univariate/interval", "univariate/interval-unknown-variance")
WITH_SUMS = [one for one in counted() if one.values[0] not in BEFOREHAND]


def answers(example):
    """The answer on rows, and that on rows a third of which is absent, made of the same releases."""
    x = typical_rows(example, max(ROWS, least(example)), 5)
    with coarse_spectra():
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


def exact_mean(mean, there, n, charge, noise):
    """A mean over a share that has no noise."""
    return rescaled.additive(mean, charge, noise) / (there / n), there / n


def exact_moment(moment, there, n, charge, draw):
    """A moment over a share that has no noise."""
    return draw(moment) / (there / n)


KEYS = ("univariate/clipped-mean", "mean/clipped-box", "covariance/clipped", "univariate/interval-mean")


@pytest.mark.parametrize("key", KEYS)
def test_a_share_without_noise_would_be_noticed(key):
    example = next(one.values[1] for one in counted() if one.values[0] == key)
    exact = (rescaled.mean_and_share, exact_mean), (rescaled.rescaled_moment, exact_moment)
    with replaced_everywhere(*exact):
        first, second = answers(example)
    assert first != second


BOUNDED = [one for one in counted() if getattr(one.values[1].estimator, "mode", "tight") != "proved"]
UNBOUNDED = [one for one in counted() if one not in BOUNDED]


@pytest.mark.daily
@pytest.mark.parametrize(("key", "example"), BOUNDED)
def test_error_bounds_hold_beside_a_count(key, example):
    error_bound_is_exceeded_with_probability_at_most_beta(example)


@pytest.mark.parametrize(("key", "example"), UNBOUNDED)
def test_steps_that_are_proved_promise_nothing_beside_a_count(key, example):
    assert example.estimator.error_bound(10**7, 2, example.budget, 0.1) == inf


@pytest.mark.daily
def test_the_error_of_a_counted_gaussian_is_as_foreseen():
    """Complete rows pay for the noise of their share, where rows are few, and it says how much."""
    neutral, counted = (UnboundedGaussian(missing=missing) for missing in ("neutral", "counted"))
    row = predicted(counted, thin, 2, 3300, None, runs=100)
    plain, said = (stated(one, row.above, row.d, row.budget) for one in (neutral, counted))
    found = [error_of("gaussian/unbounded", row, counted, row.above, seed) for seed in range(row.runs)]
    the_statement_is_true_above_the_cliff("gaussian/unbounded", said, np.array(found))
    assert said.value > 1.15 * plain.value
