"""Samples against the laws they are drawn from.

Distances between distribution functions are compared with the Dvoretzky-Kiefer-Wolfowitz radius
sqrt(log(2 / level) / (2 n)), so every such test has false alarm at most 1e-6.
"""

from collections.abc import Callable
from math import log, sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats

from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.populations import (
    Contaminated,
    MultivariateGaussian,
    MultivariatePareto,
    MultivariateStudent,
    PointMass,
    Population,
    Rotated,
    UnivariateGaussian,
    UnivariateStudent,
)
from workbench.populations.heavy_tailed import student_hypercontractivity
from workbench.populations.sparse import active_block, conditioned, sparse_signal, unit_ball_scale

N = 200_000
RADIUS = sqrt(log(2 / 1e-6) / (2 * N))  # .0060

MOMENTS = Gaussian([1.0, -2.0, 0.5], [[4.0, 1.0, 0.0], [1.0, 2.0, -0.5], [0.0, -0.5, 1.0]])
PLANE = Gaussian([0.0, 0.0], np.eye(2))
ALL: list[Population] = [
    UnivariateGaussian(),
    MultivariateGaussian(MOMENTS),
    UnivariateStudent(),
    MultivariateStudent(MOMENTS),
    MultivariatePareto(MOMENTS),
    Rotated(np.eye(3), np.array([1.0, 2.0, 4.0]), np.array([1.0, -2.0, 0.5])),
    PointMass(3.0),
    PointMass([3.0, 4.0, 5.0]),
    Contaminated(clean=UnivariateGaussian(), outliers=UnivariateGaussian(mean=9.0), fraction=0.2),
    Contaminated(clean=MultivariateGaussian(MOMENTS), outliers=PointMass([1e3] * 3), fraction=0.2),
]


def distance(values: np.ndarray, cdf: Callable[[np.ndarray], np.ndarray]) -> float:
    return float(stats.kstest(values, cdf).statistic)


def unit_student(degrees: float) -> Any:
    return stats.t(degrees, scale=sqrt((degrees - 2) / degrees))


@pytest.mark.parametrize("population", ALL, ids=lambda p: type(p).__name__)
def test_shape_reproducibility_and_protocol(population: Population) -> None:
    assert isinstance(population, Population)
    shape = (7,) if population.d is None else (7, population.d)
    first = population.sample(7, rng=np.random.default_rng(5))
    assert first.shape == shape
    assert first.dtype == np.float64
    np.testing.assert_array_equal(first, population.sample(7, rng=np.random.default_rng(5)))
    assert np.shape(population.mean) == shape[1:]
    assert population.sample(0, rng=np.random.default_rng(5)).shape == (0, *shape[1:])
    for n in (-1, 2.0, True):
        with pytest.raises(ArgumentError, match="n = "):
            population.sample(n, rng=np.random.default_rng(5))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        population.sample(7, np.random.default_rng(5))  # type: ignore[misc, call-arg]


@pytest.mark.parametrize(
    ("population", "law"),
    [
        (UnivariateGaussian(mean=-3.0, sigma=0.5), stats.norm(-3, 0.5)),
        (UnivariateStudent(mean=2.0, sigma=3.0, degrees=5.0), stats.t(5, loc=2, scale=3 * sqrt(3 / 5))),
        (UnivariateStudent(degrees=2.5), unit_student(2.5)),
    ],
)
def test_numbers_follow_their_law(population: UnivariateGaussian | UnivariateStudent, law: Any) -> None:
    """n = 2e5; an sd off by 1.3 is at distance .06, the unscaled t5 at .07, the normal for t5 at .03."""
    values = population.sample(N, rng=np.random.default_rng(11))
    assert distance(values, law.cdf) < RADIUS
    assert distance((values - population.mean) / 1.3 + population.mean, law.cdf) > 2 * RADIUS
    assert law.mean() == pytest.approx(population.mean)
    assert law.std() == pytest.approx(population.sigma)


@pytest.mark.turns(3)
@pytest.mark.parametrize("degrees", [None, 4.5])
@pytest.mark.parametrize("direction", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, -2.0, 3.0], [0.3, 0.3, -1.0]])
def test_every_direction_of_a_row_follows_the_law_of_the_line(
    degrees: float | None, direction: list[float]
) -> None:
    """n = 2e5. A root used transposed, or no root, changes the variance in some direction by over 1.3."""
    population = MultivariateGaussian(MOMENTS) if degrees is None else MultivariateStudent(MOMENTS, degrees)
    law = stats.norm if degrees is None else unit_student(degrees)
    v = np.array(direction)
    rows = population.sample(N, rng=np.random.default_rng(12))
    standard = (rows - population.mean) @ v / sqrt(v @ population.covariance @ v)
    assert distance(standard, law.cdf) < RADIUS


@pytest.mark.parametrize("degrees", [None, 4.5])
def test_the_radius_of_a_row_has_its_elliptical_law(degrees: float | None) -> None:
    """n = 2e5; a chi-square drawn per coordinate instead of per row passes on each axis and fails here."""
    population = MultivariateGaussian(PLANE) if degrees is None else MultivariateStudent(PLANE, degrees)
    squared = (population.sample(N, rng=np.random.default_rng(13)) ** 2).sum(axis=1)
    law = stats.chi2(2) if degrees is None else stats.f(2, degrees, scale=2 * (degrees - 2) / degrees)
    assert distance(squared, law.cdf) < RADIUS


@pytest.mark.turns(3)
@pytest.mark.parametrize("degrees", [8.5, 11.0])
@pytest.mark.parametrize("moments", [1, 2, 3, 4])
def test_hypercontractivity_equals_the_moments_of_the_law(degrees: float, moments: int) -> None:
    """Oracle: numerical moments of scipy's t of variance 1."""
    exact = unit_student(degrees).expect(lambda x: x ** (2 * moments), epsabs=1e-10, epsrel=1e-8, limit=500)
    assert student_hypercontractivity(degrees, moments) == pytest.approx(exact, rel=2e-4)


def test_contamination_is_the_stated_mixture() -> None:
    """n = 2e5 against the mixture's own distribution function; half the fraction is at distance .05."""
    population = Contaminated(
        clean=UnivariateGaussian(mean=1.0), outliers=UnivariateGaussian(mean=6.0, sigma=0.5), fraction=0.1
    )
    values = population.sample(N, rng=np.random.default_rng(15))
    assert distance(values, lambda x: 0.9 * stats.norm.cdf(x, 1) + 0.1 * stats.norm.cdf(x, 6, 0.5)) < RADIUS
    assert population.mean == 1.0


def test_a_point_mass_replaces_whole_rows() -> None:
    """Outliers among 2e5 rows are Binomial(2e5, .1): two-sided level 1e-6; no row is half replaced."""
    population = Contaminated(
        clean=MultivariateGaussian(PLANE), outliers=PointMass([50.0, 60.0]), fraction=0.1
    )
    rows = population.sample(N, rng=np.random.default_rng(16))
    hit = (rows == [50.0, 60.0]).all(axis=1)
    low, high = stats.binom.ppf([5e-7, 1 - 5e-7], N, 0.1)
    assert low <= hit.sum() <= high
    assert np.abs(rows[~hit]).max() < 10
    # independent of the position: as many in the first half as a hypergeometric draw allows
    first = stats.hypergeom(N, int(hit.sum()), N // 2)
    assert first.ppf(5e-7) <= hit[: N // 2].sum() <= first.ppf(1 - 5e-7)


@pytest.mark.parametrize(
    ("argument", "call"),
    [
        ("sigma", lambda: UnivariateGaussian(sigma=0.0)),
        ("mean", lambda: UnivariateStudent(mean=float("nan"))),
        ("point", lambda: PointMass([[1.0]])),
        ("fraction", lambda: Contaminated(clean=UnivariateGaussian(), outliers=PointMass(0.0), fraction=0.5)),
        (
            "outliers",
            lambda: Contaminated(clean=UnivariateGaussian(), outliers=PointMass([0.0, 1.0]), fraction=0.1),
        ),
        ("share", lambda: sparse_signal(3, 1.5, rng=np.random.default_rng(1))),
        ("active", lambda: active_block(3, 4, 1, rng=np.random.default_rng(1))),
        *(
            ("index", lambda index=index: MultivariatePareto(PLANE, index))
            for index in (2.0, 1.0, np.nan, np.inf, "3")
        ),
    ],
)
def test_wrong_parameters_are_named(argument, call):
    with pytest.raises(ArgumentError, match=f"^{argument} = "):
        call()


@pytest.mark.parametrize("index", [2.5, 6.0])
def test_pareto_rows_have_the_law_and_the_moments_that_they_state(index):
    """Every coordinate of the plane is (U - E U)/sd(U) with P(U > u) = u^-index; E U = index/(index - 1)."""
    rows = MultivariatePareto(PLANE, index).sample(N, rng=np.random.default_rng(1))
    law = stats.pareto(index)
    for column in rows.T:
        raw = column * law.std() + law.mean()
        assert stats.kstest(raw, law.cdf).statistic < RADIUS
    assert abs(stats.spearmanr(*rows[:50_000].T).statistic) < 5 / sqrt(50_000)
    moved = MultivariatePareto(MOMENTS, 6.0).sample(N, rng=np.random.default_rng(2))
    assert np.abs(moved.mean(axis=0) - MOMENTS.mean).max() < 5 * 2 / sqrt(N)
    assert np.abs(np.cov(moved.T) - MOMENTS.covariance).max() < 0.15


def test_generators():
    rng = np.random.default_rng(1)
    signal = sparse_signal(30, 0.2, rng=rng)
    assert (signal == signal.T).all()
    assert (np.diag(signal) == 0).all()
    assert (signal != 0).sum() == 2 * round(0.2 * 30 * 29 / 2)
    assert np.linalg.eigvalsh(conditioned(signal))[0] == pytest.approx(0.5)
    assert set(np.unique(sparse_signal(9, 0.5, rng=rng, values="signs"))) == {-1.0, 0.0, 1.0}
    block = active_block(50, 20, 3, rng=rng)
    assert np.trace(block) == pytest.approx(1 + 30 * 1e-3 / 20)


def test_the_unit_ball_holds_all_rows_with_the_stated_probability():
    rng, n, runs, beta = np.random.default_rng(8), 50, 400, 0.05
    covariance = conditioned(sparse_signal(10, 0.3, rng=rng))
    law = MultivariateGaussian(Gaussian(np.zeros(10), covariance / unit_ball_scale(covariance, n, beta)))
    outside = sum((np.linalg.norm(law.sample(n, rng=rng), axis=1) > 1).any() for _ in range(runs))
    assert outside <= 45  # P(Binomial(400, .05) > 45) < 1e-6
