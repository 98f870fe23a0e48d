"""Samples, spectra and adversaries against the laws they are drawn from.

Distances between distribution functions are compared with the Dvoretzky-Kiefer-Wolfowitz radius
sqrt(log(2 / level) / (2 n)), so every such test has false alarm at most 1e-6.
"""

from math import inf, log, sqrt

import numpy as np
import pytest
from scipy import stats
from scipy.stats import ks_2samp

from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.linalg import second_moment
from workbench.populations import Contaminated, PointMass, Population, Rotated, UnivariateGaussian, laws
from workbench.populations.corruption import MEAN_ATTACKS, STOP
from workbench.populations.diabetes import diabetes
from workbench.populations.laws import MultivariateGaussian, MultivariateStudent, student_hypercontractivity
from workbench.populations.rotated import named, rotated
from workbench.populations.sparse import conditioned, sparse_signal, unit_ball_scale

N = 200_000
RADIUS = sqrt(log(2 / 1e-6) / (2 * N))  # .0060

MOMENTS = Gaussian([1.0, -2.0, 0.5], [[4.0, 1.0, 0.0], [1.0, 2.0, -0.5], [0.0, -0.5, 1.0]])
PLANE = Gaussian([0.0, 0.0], np.eye(2))
ALL = [
    UnivariateGaussian(),
    MultivariateGaussian(MOMENTS),
    MultivariateStudent(MOMENTS),
    Rotated(np.eye(3), np.array([1.0, 2.0, 4.0]), np.array([1.0, -2.0, 0.5])),
    PointMass(3.0),
    PointMass([3.0, 4.0, 5.0]),
    Contaminated(clean=UnivariateGaussian(), outliers=UnivariateGaussian(mean=9.0), fraction=0.2),
    Contaminated(clean=MultivariateGaussian(MOMENTS), outliers=PointMass([1e3] * 3), fraction=0.2),
]


generator = np.random.default_rng


def distance(values, cdf):
    return float(stats.kstest(values, cdf).statistic)


def unit_student(degrees):
    return stats.t(degrees, scale=sqrt((degrees - 2) / degrees))


def test_what_a_caller_does_to_the_table_stays_with_the_caller():
    mine = diabetes()
    mine["bmi"] *= 2
    mine.clear()
    assert round(float(diabetes()["bmi"].mean()), 1) == 26.4


@pytest.mark.parametrize("population", ALL, ids=lambda p: type(p).__name__)
def test_shape_reproducibility_and_protocol(population):
    assert isinstance(population, Population)
    more = () if population.d is None else (population.d,)
    first, again, none = (population.sample(n, rng=generator(5)) for n in (7, 7, 0))
    assert (first.shape, none.shape, np.shape(population.mean)) == ((7, *more), (0, *more), more)
    assert first.dtype == np.float64
    np.testing.assert_array_equal(first, again)
    for n in (-1, 2.0, True):
        with pytest.raises(ArgumentError, match="n = "):
            population.sample(n, rng=generator(5))


@pytest.mark.turns(3)
@pytest.mark.parametrize("degrees", [None, 4.5])
@pytest.mark.parametrize("direction", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, -2.0, 3.0], [0.3, 0.3, -1.0]])
def test_every_direction_of_a_row_follows_the_law_of_the_line(degrees, direction):
    """n = 2e5. A root used transposed, or no root, changes the variance in some direction by over 1.3."""
    population = MultivariateGaussian(MOMENTS) if degrees is None else MultivariateStudent(MOMENTS, degrees)
    law = stats.norm if degrees is None else unit_student(degrees)
    v = np.array(direction)
    rows = population.sample(N, rng=generator(12))
    standard = (rows - population.mean) @ v / sqrt(v @ population.covariance @ v)
    assert distance(standard, law.cdf) < RADIUS


MIXTURE = Contaminated(
    clean=UnivariateGaussian(mean=1.0), outliers=UnivariateGaussian(mean=6.0, sigma=0.5), fraction=0.1
)
LAWS = (
    (UnivariateGaussian(mean=-3.0, sigma=0.5), stats.norm(-3, 0.5).cdf),
    (MIXTURE, lambda x: 0.9 * stats.norm.cdf(x, 1) + 0.1 * stats.norm.cdf(x, 6, 0.5)),
    (MultivariateGaussian(PLANE), stats.chi2(2).cdf),
    (MultivariateStudent(PLANE, 4.5), stats.f(2, 4.5, scale=2 * 2.5 / 4.5).cdf),
)


@pytest.mark.parametrize(("population", "cdf"), LAWS, ids=lambda value: type(value).__name__)
def test_numbers_and_squared_lengths_follow_their_law(population, cdf):
    """n = 2e5: an sd off by 1.3 is at distance .06, half of the fraction at .05.

    A chi-square drawn per coordinate instead of per row passes on each axis and fails here.
    """
    values = population.sample(N, rng=generator(11))
    assert distance(values if values.ndim == 1 else (values**2).sum(axis=1), cdf) < RADIUS


@pytest.mark.turns(3)
@pytest.mark.parametrize("degrees", [8.5, 11.0])
@pytest.mark.parametrize("moments", [1, 2, 3, 4])
def test_hypercontractivity_equals_the_moments_of_the_law(degrees, moments):
    """Oracle: numerical moments of scipy's t of variance 1."""
    exact = unit_student(degrees).expect(lambda x: x ** (2 * moments), epsabs=1e-10, epsrel=1e-8, limit=500)
    assert student_hypercontractivity(degrees, moments) == pytest.approx(exact, rel=2e-4)


def test_the_unit_ball_holds_all_rows_with_the_stated_probability():
    rng, n, runs, beta = generator(8), 50, 400, 0.05
    covariance = conditioned(sparse_signal(10, 0.3, rng=rng))
    law = MultivariateGaussian(Gaussian(np.zeros(10), covariance / unit_ball_scale(covariance, n, beta)))
    outside = sum((np.linalg.norm(law.sample(n, rng=rng), axis=1) > 1).any() for _ in range(runs))
    assert outside <= 45  # P(Binomial(400, .05) > 45) < 1e-6


@pytest.mark.parametrize("name", ["round", "geometric", "one large", "one small"])
def test_errors_are_those_of_round_rows_however_long_the_law_is(name):
    """The same rows in units of Σ have the same error along all axes; Σ itself has none, to 1e-3."""
    rng = generator(3)
    law, white = rotated(named(name, 4), rng, 1000.0), rng.standard_normal((500, 4)) + 1000
    round_error = Rotated(np.eye(4), np.ones(4)).sample_error(white)
    assert law.sample_error((white * np.sqrt(law.values)) @ law.basis.T) == pytest.approx(round_error)
    assert law.error(law.covariance) < 1e-3
    assert [law.error(2 * law.covariance), law.size(law.covariance)] == pytest.approx([2, 2], rel=1e-3)
    assert law.error(np.full((4, 4), np.nan)) == law.mean_error(np.full(4, np.nan)) == inf
    assert law.seen_by(law.basis.T) == pytest.approx(law.values, rel=1e-6)


BY_NAME = {adversary.name: adversary for adversary in MEAN_ATTACKS}
SHARE = 0.05


def attacked(name, n, d):
    x = generator(1).standard_normal((n, d))
    return x, BY_NAME[name].corrupt(x, SHARE, rng=generator(2))


@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.parametrize("d", [1, 2, 7])
def test_an_adversary_replaces_its_share_of_the_rows_and_no_more(name, d):
    x, y = attacked(name, 203, d)
    assert np.array_equal(x, generator(1).standard_normal((203, d)))
    assert y.shape == x.shape
    assert np.isfinite(y).all()
    assert 5 <= (x != y).any(axis=1).sum() <= 10  # of ten copies of tail rows, some may land on themselves
    assert np.array_equal(y, attacked(name, 203, d)[1])


def test_the_cluster_under_the_threshold_leaves_an_excess_variance_just_below_it():
    _, y = attacked("under-threshold", 400_000, 3)
    limit = STOP * SHARE * log(1 / SHARE)
    excess = np.linalg.eigvalsh(np.cov(y.T))[-1] - 1
    assert 0.9 * limit < excess < limit  # five standard errors of a variance are .012, limit is .30


def test_the_tail_swap_moves_the_mean_and_keeps_the_covariance():
    _, y = attacked("tail-swap", 400_000, 3)
    assert np.linalg.norm(y.mean(axis=0)) == pytest.approx(0.206, abs=0.01)
    assert np.abs(np.linalg.eigvalsh(y.T @ y / len(y)) - 1).max() < 0.02


def test_matched_rows_have_the_lengths_of_those_they_replace():
    x, y = attacked("tail-matched", 2000, 10)
    assert np.linalg.norm(y, axis=1) == pytest.approx(np.linalg.norm(x, axis=1), rel=1e-9)
    assert np.linalg.norm(y.mean(axis=0)) > 0.02


@pytest.mark.turns(4)
@pytest.mark.parametrize("n", [5, 12, 60])
def test_in_law_and_from_rows_are_the_same(n):
    covariance, rng = conditioned(sparse_signal(4, 0.4, rng=generator(1))), generator(3)
    population = MultivariateGaussian(Gaussian(np.zeros(4), covariance))
    rows = np.array([second_moment(population.sample(n, rng=rng)) for _ in range(3000)])
    drawn = np.array([laws.second_moment(population, n, rng=rng) for _ in range(3000)])
    statistics = [np.hstack([np.linalg.eigvalsh(one), one[:, 0, 1:2]]) for one in (rows, drawn)]
    for pair in zip(*(one.T for one in statistics), strict=True):
        assert ks_2samp(*pair).pvalue > 1e-6


def test_a_law_with_a_mean_is_refused():
    with pytest.raises(ArgumentError, match="mean 0"):
        laws.second_moment(MultivariateGaussian(MOMENTS), 5, rng=generator(1))
