"""Lecture 17: bounds and sample sizes against enumeration, linear programs and direct probabilities."""

from math import ceil, exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import linprog

from workbench.bounds import l17

LEVEL = 1e-6
EPSILONS = st.floats(0.05, 3.0)
BETAS = st.floats(0.01, 0.4)

# --- packing ---------------------------------------------------------------------------------------------


@given(size=st.integers(2, 10**9), epsilon=EPSILONS, beta=BETAS)
def test_packing_bound_is_attained_by_randomised_response(size, epsilon, beta):
    """On n equal rows the best epsilon-DP answer among S is right with e^{eps n} / (e^{eps n} + S - 1)."""
    n = l17.packing_bound_of_size(size, epsilon, beta)
    right = 1 / (1 + (size - 1) * exp(-epsilon * n))
    assert right == pytest.approx(1 - beta, rel=1e-9) or (n == 0 and right >= 1 - beta)


# --- two points ------------------------------------------------------------------------------------------


def coupling_optimum(n, tv, epsilon, beta, delta):
    h = np.arange(n + 1)
    mass = stats.binom.pmf(h, n, tv)
    slack = delta * np.expm1(epsilon * h) / np.expm1(epsilon)
    group = np.hstack([np.eye(n + 1), -np.diag(np.exp(epsilon * h))])
    budget = np.concatenate([np.zeros(n + 1), mass])
    result = linprog(
        -np.concatenate([mass, np.zeros(n + 1)]),
        A_ub=np.vstack([group, budget]),
        b_ub=np.append(slack, beta),
        bounds=(0, 1),
    )
    return float(-result.fun)


PURE = [
    (tv, epsilon, beta, 0.0)
    for tv, epsilon in ((1.0, 0.3), (0.5, 0.4), (0.3, 1.0), (0.2, 2.0), (0.15, 0.7))
    for beta in (0.05, 0.2)
]


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("tv", "epsilon", "beta", "delta"), [*PURE, *((0.3, 0.5, 0.05, delta) for delta in (1e-6, 1e-3, 1e-2))]
)
def test_two_point_bound_is_all_that_the_coupling_gives(tv, epsilon, beta, delta):
    """Oracle: the linear program over all pairs (f, g), scanned over n; with delta, one less may be found."""
    scan = next(n for n in range(200) if coupling_optimum(n, tv, epsilon, beta, delta) >= 1 - beta - 1e-9)
    assert scan - (delta > 0) <= l17.two_point_bound(tv, epsilon, beta, delta) <= scan


# --- sampling --------------------------------------------------------------------------------------------


@given(alpha=st.floats(0.01, 2.0), beta=BETAS)
def test_sampling_bound_is_the_first_n_at_which_the_mean_is_accurate(alpha, beta):
    def success(n):
        return float(1 - 2 * stats.norm.sf(alpha * sqrt(n)))

    n = l17.sampling_bound(alpha, beta)
    assert success(n) >= 1 - beta - 1e-12
    assert n == 1 or success(n - 1) < 1 - beta


# --- accuracy of histograms ------------------------------------------------------------------------------


@given(bins=st.integers(1, 10**6), epsilon=EPSILONS, beta=BETAS)
def test_discrete_histogram_error_is_the_first_integer(bins, epsilon, beta):
    """Oracle: scipy's discrete Laplace law (dlaplace)."""
    t = l17.discrete_histogram_error(bins, epsilon, beta)

    def union(t):
        return float(bins * 2 * stats.dlaplace.sf(t, epsilon / 2))

    assert union(t) <= beta * (1 + 1e-9)
    assert t == 0 or union(t - 1) > beta * (1 - 1e-9)


def test_stable_histogram_error_bounds_the_released_and_the_dropped():
    """Oracle: the mechanism simulated on n singletons and one large bin, 20000 runs, level 1e-6.

    At delta = .4 and beta = .2 the bound is nearly attained by the noise: without log(n) it fails.
    """
    n, epsilon, delta, beta, runs = 50, 1.0, 0.4, 0.2, 20_000
    counts = np.array([n - 9] + [1] * 9)
    rng = np.random.default_rng(21)
    noisy = counts + rng.laplace(scale=2 / epsilon, size=(runs, counts.size))
    released = np.where(noisy > 1 + 2 / epsilon * log(1 / (2 * delta)), noisy, 0.0)
    worst = np.abs(released - counts).max(axis=1)
    failures = int((worst > l17.stable_histogram_error(n, epsilon, delta, beta)).sum())
    assert failures <= stats.binom.isf(LEVEL, runs, beta)
    without = 1 + 2 / epsilon * (log(1 / (2 * delta)) + log(1 / beta))
    assert (worst > without).sum() > stats.binom.isf(LEVEL, runs, beta)


# --- sufficient sizes ------------------------------------------------------------------------------------


def noise_difference_tail(gap, epsilon, discrete):
    if discrete:
        reach = int(np.abs(gap).max() + 80 / epsilon)
        law = stats.dlaplace.pmf(np.arange(-reach, reach + 1), epsilon / 2)
        tail = np.cumsum(np.convolve(law, law)[::-1])[::-1]
        return tail[gap + 2 * reach]
    y = np.abs(gap) * epsilon / 2
    tail = np.exp(-y) * (2 + y) / 4
    return np.where(gap >= 0, tail, 1 - tail)


def win_probability(n, epsilon, far, discrete, populated):
    best = stats.norm.cdf(1) - 0.5
    gap, law = np.arange(-n, n + 1), np.array([1.0])
    for _ in range(n):
        law = np.convolve(law, [far, 1 - far - best, best])
    tail = noise_difference_tail(gap, epsilon, discrete)
    value = law @ tail
    if populated:
        none = stats.binom.pmf(np.arange(n + 1), n, best / (1 - far)) * (1 - far) ** n
        value -= none @ tail[n:]
    return float(value)


def exact_union(n, epsilon, far_bins, discrete=False, populated=False):
    masses, counts = np.unique(stats.norm.sf(2 + np.arange(far_bins) // 2), return_counts=True)
    wins = [win_probability(n, epsilon, mass, discrete, populated) for mass in masses]
    return float(counts @ np.array(wins))


@pytest.mark.parametrize("discrete", [False, True])
@pytest.mark.parametrize(
    ("radius", "epsilon", "beta"), [(10.0, 0.5, 0.1), (30.0, 1.0, 0.01), (4.0, 3.0, 0.05)]
)
def test_location_sample_size_against_the_exact_union(radius, epsilon, beta, discrete):
    """Oracle: every far bin's win probability, enumerated. Enough at n, and not at half of it."""
    n = l17.location_sample_size(radius, epsilon, beta)
    far = ceil(2 * radius) - 2
    assert exact_union(n, epsilon, far, discrete) <= beta
    assert exact_union(n // 2, epsilon, far, discrete) > beta


@pytest.mark.parametrize("discrete", [False, True])
@pytest.mark.parametrize(
    ("epsilon", "delta", "beta"), [(0.5, 1e-3, 0.1), (1.0, 1e-6, 0.01), (3.0, 1e-4, 0.05)]
)
def test_stable_location_sample_size_against_the_exact_union(epsilon, delta, beta, discrete):
    """Oracle: as above, and the chance that the best bin is dropped. Enough at n, and not at half of it."""
    if discrete:
        last = ceil(2 / epsilon * log(1 / ((1 + exp(-epsilon / 2)) * delta)))  # dropped up to here
        law = stats.dlaplace(epsilon / 2)
    else:
        last = 1 + 2 / epsilon * log(1 / (2 * delta))
        law = stats.laplace(scale=2 / epsilon)

    def failure(n):
        counts = np.arange(n + 1)
        dropped = stats.binom.pmf(counts, n, stats.norm.cdf(1) - 0.5) @ law.cdf(last - counts)
        return float(dropped + exact_union(n, epsilon, 16, discrete, populated=True))

    n = l17.stable_location_sample_size(epsilon, delta, beta)
    assert failure(n) <= beta
    assert failure(n // 2) > beta


@given(alpha=st.floats(0.02, 1.0), epsilon=EPSILONS, beta=BETAS)
def test_sample_sizes_are_the_first_that_suffice(alpha, epsilon, beta):
    n = l17.clipped_mean_sample_size(alpha, 30.0, epsilon, beta)
    errors = [l17.clipped_mean_error(m, 30.0, epsilon, beta).total for m in (n, max(1, n - 1), n + 1, 2 * n)]
    assert errors[0] <= alpha
    assert n == 1 or errors[1] > alpha
    assert errors[3] < errors[2] < errors[0]
