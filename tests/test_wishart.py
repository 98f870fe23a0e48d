"""Second moments in law: the same as from rows, and what that is conditional on."""

import numpy as np
import pytest
from scipy.stats import ks_2samp, kstest

from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.estimators.shared.rows import second_moment_within
from workbench.linalg import norms, second_moment
from workbench.populations import MultivariateGaussian, gaussian
from workbench.populations.sparse import conditioned, sparse_signal, unit_ball_scale

LEVEL = 1e-6  # of each comparison


def law(p, scale=1.0, seed=1):
    covariance = conditioned(sparse_signal(p, 0.4, rng=np.random.default_rng(seed))) * scale
    return MultivariateGaussian(Gaussian(np.zeros(p), covariance))


def statistics(matrices):
    values = np.linalg.eigvalsh(matrices)
    return {
        "trace": values.sum(axis=1),
        "log determinant": np.log(values).sum(axis=1),
        "smallest": values[:, 0],
        "largest": values[:, -1],
        "entry": matrices[:, 0, 1],
    }


@pytest.mark.parametrize("n", [5, 12, 60])
def test_in_law_and_from_rows_are_the_same(n):
    population, rng = law(4), np.random.default_rng(3)
    rows = np.array([second_moment(population.sample(n, rng=rng)) for _ in range(3000)])
    drawn = np.array([gaussian.second_moment(population, n, rng=rng) for _ in range(3000)])
    for name, found in statistics(drawn).items():
        assert ks_2samp(found, statistics(rows)[name]).pvalue > LEVEL, name


def test_fewer_rows_than_columns_give_a_singular_matrix():
    found = gaussian.second_moment(law(6), 3, rng=np.random.default_rng(1))
    assert np.linalg.matrix_rank(found, tol=1e-9) == 3
    assert (found == found.T).all()


def test_many_rows_are_as_cheap_as_few_and_have_the_right_spread():
    n, rng = 10**8, np.random.default_rng(2)
    population = law(3)
    sd = np.sqrt(2 / n) * population.covariance[0, 0]
    found = [gaussian.second_moment(population, n, rng=rng)[0, 0] for _ in range(3000)]
    scores = (np.array(found) - population.covariance[0, 0]) / sd
    assert kstest(scores, "norm").pvalue > LEVEL
    for factor in (1.3, 1 / 1.3):
        assert kstest(factor * scores, "norm").pvalue < LEVEL


def test_within_the_unit_ball_clipping_changes_nothing_and_outside_it_does():
    covariance = law(5).covariance
    inside = MultivariateGaussian(Gaussian(np.zeros(5), covariance / unit_ball_scale(covariance, 200, 0.01)))
    x = inside.sample(200, rng=np.random.default_rng(4))
    assert (norms(x) <= 1).all()
    rounded = 2.0**-18 + 2.0**-38  # of a product of two numbers up to 1, each rounded by half a unit of 2^-18
    np.testing.assert_allclose(second_moment_within(x, 1.0), second_moment(x), rtol=1e-12, atol=rounded)
    outside = 3 * x / norms(x).max()
    assert np.linalg.norm(
        np.asarray(second_moment_within(outside, 1.0)) - second_moment(outside)
    ) > 0.1 * np.linalg.norm(second_moment(outside))


def test_a_law_with_a_mean_is_refused():
    shifted = MultivariateGaussian(Gaussian(np.ones(2), np.eye(2)))
    with pytest.raises(ArgumentError, match="mean 0"):
        gaussian.second_moment(shifted, 5, rng=np.random.default_rng(1))
