"""Three examples of the general reduction, beside what is made for the purpose; what l1 needs, searched.

Medians of means (l2), regression coefficients (l2), a histogram (l1). Where a direct mechanism is known it
errs less, and tests say by how much; the reduction asks for no range, no bound on a row, no formula.
Runs are paired, on streams of their own; margins are at least a factor 1.3 from what is measured.
"""

from functools import cache
from math import inf, log
from unittest.mock import patch

import numpy as np
import pytest
from scipy.stats import gamma

from workbench import (
    ApproxDP,
    ClippedHeavyMean,
    CoinPressCovariance,
    CoinPressMean,
    MatrixQuantileCovariance,
    MedianOfMeansMean,
    Populous,
    PopulousMean,
    PureDP,
)
from workbench.errors import ArgumentError
from workbench.estimators import Abstention
from workbench.estimators.mean.median_of_means import distances, medians_of_means
from workbench.privacy import SimulatedNoise, voted
from workbench.privacy.histograms import finite_histogram, histogram_charge
from workbench.study.audit.audit import Pair, audit
from workbench.study.search import Target, least_n

BUDGET = ApproxDP(1.0, 1e-6)


def median_error(estimator, rows, truth, runs, found=lambda value: value, order=2):
    """The median over runs of the error, infinite where there is no answer."""
    errors = []
    for seed in range(runs):
        value = estimator(rows(seed), budget=BUDGET, rng=np.random.default_rng((1, seed))).value
        none = isinstance(value, Abstention)
        errors.append(inf if none else np.linalg.norm(found(value) - truth, order))
    return float(np.median(errors))


# Medians of means.


def heavy(seed, n=20_000, d=3, centre=0.0):
    """Rows of three degrees of freedom and standard deviation 1."""
    return centre + np.random.default_rng(seed).standard_t(3, (n, d)) / np.sqrt(3)


@pytest.mark.daily
def test_medians_of_means_beside_a_shrinking_ball_and_coinpress():
    """Without a range .016, less than the shrinking ball, .021, which has one; CoinPress errs by .009."""
    far = median_error(MedianOfMeansMean(sigma=1.0), lambda seed: heavy(seed, centre=1e6), 1e6, 12)
    known = {"moments": 1, "hypercontractivity": 1.0}
    ball = median_error(ClippedHeavyMean(radius=10.0, upper=1.0, **known), heavy, 0.0, 12)
    normal = median_error(CoinPressMean(radius=10.0, sigma=1.0), heavy, 0.0, 12)
    assert far < 0.035
    assert far / 1.5 < ball < 1.5 * far
    assert 1.3 * normal < far


@pytest.mark.daily
def test_where_means_of_few_rows_do_not_agree_medians_do():
    def rows(seed):
        return heavy(seed, n=6000)

    assert median_error(PopulousMean(sigma=1.0), rows, 0.0, 5) == inf
    few = [median_error(MedianOfMeansMean(blocks=blocks, sigma=1.0), rows, 0.0, 5) for blocks in (3, 5)]
    assert max(few) < 0.5


def test_quantiles_of_medians_are_those_of_simulated_groups():
    rows = np.random.default_rng(3).standard_normal((20_000, 10, 2))
    points = medians_of_means(rows, 5)
    found = np.linalg.norm(points[::2] - points[1::2], axis=1) * np.sqrt(2)
    quantiles, variance = distances(2, 5)
    assert np.quantile(found, 0.98) == pytest.approx(quantiles[-1], rel=0.05)
    assert 2 * points.var() == pytest.approx(variance, rel=0.05)
    assert list(quantiles) == sorted(quantiles, reverse=True)


@pytest.mark.parametrize(
    "wrong", [{"blocks": 0}, {"blocks": 4}, {"blocks": 2.0}, {"sigma": 0.0}, {"beta": 1.0}]
)
def test_wrong_parameters_of_medians_of_means_are_refused(wrong):
    (argument,) = wrong
    with pytest.raises(ArgumentError) as caught:
        MedianOfMeansMean(**{"sigma": 1.0} | wrong)
    assert caught.value.argument == argument


# Regression coefficients.


def line(seed, n=20_000):
    """Two inputs and what they explain, with coefficients 1 and 2."""
    source = np.random.default_rng(seed)
    inputs = source.standard_normal((n, 2))
    return np.c_[inputs, inputs @ [1.0, 2.0] + source.standard_normal(n)]


def least_squares(rows):
    return np.linalg.lstsq(rows[:, :2], rows[:, 2])[0]


def solved(covariance):
    return np.linalg.solve(covariance[:2, :2], covariance[:2, 2])


@pytest.mark.daily
def test_regression_beside_coefficients_of_a_private_covariance():
    """At n = 20,000 .022, CoinPress .016, and .011 of the matrix quantile, which asks for no bound."""
    ours = Populous(oracle=least_squares, size=8, limit=2.15, dimension=2)
    coinpress, quantile = CoinPressCovariance(upper=10.0, lower=1.0), MatrixQuantileCovariance(centred=True)
    voted = median_error(ours, line, [1.0, 2.0], 8)
    assert voted < 0.06
    assert median_error(coinpress, line, [1.0, 2.0], 8, solved) < voted
    assert 1.3 * median_error(quantile, line, [1.0, 2.0], 8, solved) < voted


def test_collinear_and_wild_rows_of_a_regression_are_outvoted():
    def rows(seed):
        x = line(seed)
        x[:200, 1] = x[:200, 0]
        x[200:260] = 1e90
        return x

    assert (
        median_error(Populous(oracle=least_squares, size=8, limit=2.3, dimension=2), rows, [1.0, 2.0], 4)
        < 0.1
    )


# A histogram.

SHARES = np.array([1.0, 2.0, 3.0, 4.0, 5.0]) / 15


def bins(seed, n=10_000):
    return np.random.default_rng(seed).choice(5, (n, 1), p=SHARES).astype(float)


def shares(rows):
    return np.bincount(np.clip(rows[:, 0], 0, 4).astype(int), minlength=5) / len(rows)


def histogram(size, limit):
    return Populous(oracle=shares, size=size, space="l1", limit=limit, dimension=5)


@pytest.mark.daily
def test_a_histogram_beside_the_direct_one():
    """Groups of one row: .012, as Laplace noise on counts; groups of ten: .050."""

    def direct(seed):
        noise = SimulatedNoise(np.random.default_rng((2, seed)))
        counts = finite_histogram(
            bins(seed)[:, 0].astype(int), 5, histogram_charge("counts", PureDP(1.0)), noise
        )
        return np.abs(counts / 10_000 - SHARES).sum()

    counted = float(np.median([direct(seed) for seed in range(8)]))
    tens = median_error(histogram(10, 1.401), bins, SHARES, 8, order=1)
    ones = median_error(histogram(1, 2.0), bins, SHARES, 2, order=1)
    assert tens < 0.12
    assert 2.5 * counted < tens
    assert ones < tens


# Attacks on the examples of keys that are none, and noise that they find.


def attacked(estimator, first, second, budget, seed=1):
    def mechanism(x, count, rng):
        values = (estimator(x, budget=budget, rng=rng).value for _ in range(count))
        return [None if isinstance(value, Abstention) else value for value in values]

    pair = Pair("one row", first, second)
    return audit(mechanism, [pair], budget, n_screen=200, n_train=400, n_test=800, seed=seed)


def counted_rows():
    """Rows in two bins, and the same with one of them in the other bin."""
    x = np.repeat([0.0, 1.0], 20)[:, None]
    y = x.copy()
    y[0] = 1.0
    return x, y


@pytest.mark.daily
@pytest.mark.parametrize(("factor", "violated"), [(1.0, False), (0.005, True)])
def test_an_attack_on_the_histogram_finds_nothing_but_too_little_noise(factor, violated):
    budget, scale = ApproxDP(4.0, 0.05), voted.voted_scale
    with patch.object(voted, "voted_scale", lambda charge: factor * scale(charge)):
        report = attacked(histogram(1, 2.0), *counted_rows(), budget)
    assert report.violated == violated


def slope(rows):
    return rows[:, 0] @ rows[:, 1:] / (rows[:, 0] @ rows[:, 0])


@pytest.mark.daily
@pytest.mark.parametrize(("factor", "violated"), [(1.0, False), (0.01, True)])
def test_an_attack_on_the_regression_finds_nothing_but_too_little_noise(factor, violated):
    budget, scale = ApproxDP(4.0, 0.05), voted.voted_scale
    ours = Populous(oracle=slope, size=1, limit=2.0, dimension=1)
    x = np.repeat([[1.0, -1.0], [1.0, 1.0]], 20, axis=0)
    y = x.copy()
    y[0] = [1.0, 1.0]
    with patch.object(voted, "voted_scale", lambda charge: factor * scale(charge)):
        report = attacked(ours, x, y, budget)
    assert report.violated == violated


# The least n of an l1 error, searched, beside the lemma of concentration.


@cache
def scale_in_l1(n, d, budget):
    """The scale of the noise, infinite where n rows have no design."""
    try:
        return voted.voted_scale(unmoved(d).design(n, d, budget).plan)
    except ArgumentError:
        return inf


def unmoved(d):
    """An oracle whose answers are all the same: what errs is the mask alone."""
    return Populous(oracle=lambda rows: np.zeros(d), size=4, space="l1", limit=1.0, dimension=d,
                    far=1e-3, beta=1e-4)  # fmt: skip


@pytest.mark.daily
@pytest.mark.parametrize(("d", "alpha", "epsilon"), [(1, 0.02, 2.0), (8, 0.2, 2.0), (8, 0.1, 4.0)])
def test_the_searched_n_in_l1_is_that_of_the_lemma(d, alpha, epsilon):
    """From b Γ_d⁻¹(.9) ≤ α on, in an interval of level 1e-3: noise 1.5 times as wide would be outside."""
    budget = ApproxDP(epsilon, 1e-4)
    needed = gamma(d).isf(0.1)
    predicted = 4 + max(n for n in range(100, 4000, 4) if scale_in_l1(n, d, budget) * needed > alpha)

    def measure(n, place, block, runs):
        source, errors = np.random.default_rng((6, d, place + 10**4, block)), []
        for _ in range(runs):
            try:
                value = unmoved(d)(np.zeros((n, d)), budget=budget, rng=source).value
            except ArgumentError:
                return np.full(runs, inf)
            errors.append(inf if isinstance(value, Abstention) else np.abs(value).sum())
        return np.array(errors)

    found = least_n(measure, Target(alpha=alpha, cap=300, level=1e-3), predicted)
    low, high = found.interval
    assert low <= predicted <= high
    assert log(high / low) < log(1.5)
