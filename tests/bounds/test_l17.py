"""Lecture 17: bounds and sample sizes against enumeration, linear programs and direct probabilities."""

from math import ceil, exp, log, pi, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import linprog, minimize_scalar

from workbench.bounds import l17
from workbench.bounds.search import smallest
from workbench.errors import ArgumentError
from workbench.losses import total_variation_of_means

LEVEL = 1e-6
EPSILONS = st.floats(0.05, 3.0)
BETAS = st.floats(0.01, 0.4)

# --- packing ---------------------------------------------------------------------------------------------


@given(size=st.integers(2, 10**9), epsilon=EPSILONS, beta=BETAS)
def test_packing_bound_is_attained_by_randomised_response(size: int, epsilon: float, beta: float) -> None:
    """On n equal rows the best epsilon-DP answer among S is right with e^{eps n} / (e^{eps n} + S - 1)."""
    n = l17.packing_bound_of_size(size, epsilon, beta)
    right = 1 / (1 + (size - 1) * exp(-epsilon * n))
    assert right == pytest.approx(1 - beta, rel=1e-9) or (n == 0 and right >= 1 - beta)


def greedy_packing(radius: float, alpha: float, strict: bool) -> int:
    """Count centres placed as tightly as disjoint events |error| < alpha (or <= alpha) allow."""
    centres, gap = [-radius], 2 * alpha * (1 if strict else 1 + 1e-9)
    while centres[-1] + gap <= radius:
        centres.append(centres[-1] + gap)
    return len(centres)


@pytest.mark.parametrize("radius", [0.3, 2.5, 9.0, 10.0, 1000.0])
@pytest.mark.parametrize("alpha", [0.5, 2.5])
def test_packing_bound_counts_centres(radius: float, alpha: float) -> None:
    for strict in (True, False):
        size = greedy_packing(radius, alpha, strict)
        expected = l17.packing_bound_of_size(size, 0.7, 0.1)
        assert l17.packing_bound(radius, alpha, 0.7, 0.1, strict=strict) == expected


def test_packing_bound_values() -> None:
    assert l17.packing_bound_of_size(1, 1.0, 0.1) == 0.0
    assert l17.packing_bound_of_size(2, 1.0, 0.9) == 0.0
    assert l17.packing_bound(10.0, 2.5, 0.5, 0.1) == pytest.approx(2 * log(4 * 9))
    assert l17.packing_bound(10.0, 2.5, 0.5, 0.1, strict=False) == pytest.approx(2 * log(3 * 9))
    # Theorem 2.6 itself: alpha = .1, beta = 1/2
    assert l17.packing_bound(1e6, 0.1, 1.0, 0.5) == pytest.approx(log(1e7))


# --- two points ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("alpha", "epsilon", "tail", "sharp"),
    [(0.1, 0.5, 111, 140), (0.05, 0.5, 224, 281), (0.02, 0.1, 2498, 3000)],
)
def test_two_point_bound_values(alpha: float, epsilon: float, tail: int, sharp: int) -> None:
    """Regression values at beta = .01, confirmed by the linear program below at small n."""
    tv = total_variation_of_means(2 * alpha)
    assert l17.two_point_bound_tail(tv, epsilon, 0.01) == tail
    assert l17.two_point_bound(tv, epsilon, 0.01) == sharp
    assert l17.two_point_bound_stated(tv, epsilon) == pytest.approx(log(9) / (10 * tv * epsilon))
    assert l17.two_point_bound_stated(tv, epsilon) < tail / 15


def coupling_optimum(n: int, tv: float, epsilon: float, beta: float, delta: float) -> float:
    """Maximise E f subject to E g <= beta and group privacy at every Hamming distance, by linear program."""
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


@pytest.mark.parametrize("beta", [0.05, 0.2])
@pytest.mark.parametrize(("tv", "epsilon"), [(1.0, 0.3), (0.5, 0.4), (0.3, 1.0), (0.2, 2.0), (0.15, 0.7)])
def test_two_point_bound_is_all_that_the_coupling_gives(tv: float, epsilon: float, beta: float) -> None:
    """Oracle: the linear program over all pairs (f, g), scanned over n; a bound off by one fails."""
    scan = next(n for n in range(200) if coupling_optimum(n, tv, epsilon, beta, 0.0) >= 1 - beta - 1e-9)
    assert l17.two_point_bound(tv, epsilon, beta) == scan


@pytest.mark.parametrize("delta", [1e-6, 1e-3, 1e-2])
def test_two_point_bound_with_delta_never_exceeds_the_linear_program(delta: float) -> None:
    tv, epsilon, beta = 0.3, 0.5, 0.05
    scan = next(n for n in range(200) if coupling_optimum(n, tv, epsilon, beta, delta) >= 1 - beta - 1e-9)
    assert scan - 1 <= l17.two_point_bound(tv, epsilon, beta, delta) <= scan
    assert l17.two_point_bound_tail(tv, epsilon, beta, delta) <= scan


def best_private_test_exists(n: int, tv: float, epsilon: float, beta: float) -> bool:
    """Decide by linear program whether an epsilon-DP test of Bernoulli(0) against Bernoulli(tv) errs <= beta.

    Averaging a test over orders keeps its privacy and its errors, so it may look at the number of ones only.
    """
    mass, zero = stats.binom.pmf(np.arange(n + 1), n, tv), np.eye(n + 1)[0]
    step, rows, right = exp(epsilon), [-zero, mass], [-(1 - beta), beta]
    for c in range(n):
        for a, b in ((c, c + 1), (c + 1, c)):
            row = np.zeros(n + 1)
            row[a], row[b] = 1.0, -step
            other = np.zeros(n + 1)  # 1 - f(a) <= step (1 - f(b))
            other[a], other[b] = -1.0, step
            rows += [row, other]
            right += [0.0, step - 1]
    result = linprog(np.zeros(n + 1), A_ub=np.array(rows), b_ub=np.array(right), bounds=(0, 1))
    return bool(result.status == 0)


@pytest.mark.parametrize(("tv", "epsilon", "beta"), [(0.3, 1.0, 0.1), (0.5, 0.5, 0.1), (0.25, 2.0, 0.05)])
def test_no_private_test_beats_the_two_point_bound(tv: float, epsilon: float, beta: float) -> None:
    """Oracle: the optimal private test of a pair at distance tv. It never needs twice as much."""
    needed = smallest(lambda n: best_private_test_exists(n, tv, epsilon, beta))
    bound = l17.two_point_bound(tv, epsilon, beta)
    assert l17.two_point_bound_tail(tv, epsilon, beta) <= bound <= needed < 2 * bound


@pytest.mark.daily
@given(tv=st.floats(0.02, 1.0), epsilon=EPSILONS, beta=BETAS, share=st.floats(0.0, 1.0))
def test_two_point_bounds_are_ordered(tv: float, epsilon: float, beta: float, share: float) -> None:
    """The stated chain is below the tail form, that below the sharp one; delta only lowers them."""
    assert l17.two_point_bound_tail(tv, epsilon, beta) <= l17.two_point_bound(tv, epsilon, beta)
    assert l17.two_point_bound_stated(tv, epsilon) <= l17.two_point_bound_tail(tv, epsilon, 0.01)
    delta = share * beta
    assert l17.two_point_bound(tv, epsilon, beta, delta) <= l17.two_point_bound(tv, epsilon, beta)
    assert l17.two_point_bound_tail(tv, epsilon, beta, delta) <= l17.two_point_bound_tail(tv, epsilon, beta)


@pytest.mark.daily
@given(tv=st.floats(0.02, 1.0), epsilon=EPSILONS, beta=BETAS)
def test_the_tail_condition_is_monotone_in_n(tv: float, epsilon: float, beta: float) -> None:
    """Oracle: a scan over n of the condition written out, with scipy.stats; bisection needs monotonicity."""

    def allowed(n: int) -> bool:
        h = np.arange(n + 1)
        return bool((np.exp(epsilon * h) * beta + stats.binom.sf(h, n, tv)).min() >= 1 - beta)

    answer = l17.two_point_bound_tail(tv, epsilon, beta)
    span = range(max(0, answer - 40), answer + 40)
    assert [allowed(n) for n in span] == [n >= answer for n in span]


def test_two_point_bound_at_its_ends() -> None:
    assert l17.two_point_bound(0.3, 1.0, 0.5) == 0  # a coin is right half the time
    assert l17.two_point_bound(1.0, 1.0, 0.1) == ceil(log(9))  # all rows differ: randomised response
    assert l17.two_point_bound(1e-3, 1e-3, 0.01) > 1e6
    assert l17.two_point_bound(0.5, 800.0, 0.1) == smallest(lambda n: 0.1 + 1 - 0.5**n >= 0.9)
    for bad in ((0.0, 1.0, 0.1), (1.1, 1.0, 0.1), (0.5, 0.0, 0.1), (0.5, 1.0, 1.0), (0.5, 1.0, 0.1, 1.0)):
        with pytest.raises(ArgumentError):
            l17.two_point_bound(*bad)


# --- sampling --------------------------------------------------------------------------------------------


@given(alpha=st.floats(0.01, 2.0), beta=BETAS)
def test_sampling_bound_is_the_first_n_at_which_the_mean_is_accurate(alpha: float, beta: float) -> None:
    def success(n: int) -> float:
        return float(1 - 2 * stats.norm.sf(alpha * sqrt(n)))

    n = l17.sampling_bound(alpha, beta)
    assert success(n) >= 1 - beta - 1e-12
    assert n == 1 or success(n - 1) < 1 - beta


@pytest.mark.parametrize(("radius", "n", "alpha"), [(3.0, 5, 0.4), (1.0, 10, 0.3), (8.0, 2, 0.5)])
def test_a_known_radius_helps_by_no_more_than_stated(radius: float, n: int, alpha: float) -> None:
    """Oracle: the Bayes success under the uniform prior, by quadrature; no worst case is better."""
    x = np.linspace(-radius - 8 / sqrt(n), radius + 8 / sqrt(n), 20_001)
    centre = np.clip(x, -radius + alpha, radius - alpha)
    best = stats.norm.cdf(sqrt(n) * (centre + alpha - x)) - stats.norm.cdf(sqrt(n) * (centre - alpha - x))
    bayes = best.sum() * (x[1] - x[0]) / (2 * radius)
    unrestricted = 1 - 2 * stats.norm.sf(alpha * sqrt(n))
    assert unrestricted < bayes <= unrestricted + 1 / (radius * sqrt(2 * pi * n))


# --- shapes ----------------------------------------------------------------------------------------------


def test_shapes_are_the_displays() -> None:
    """Oracle: (1), (2), (6) by hand at alpha = .1, R = 50, eps = .5, delta = 1e-6."""
    noise = sqrt(log(20)) / 0.05
    one, two, six = (
        l17.clipped_mean_shape(0.1, 50.0, 0.5),
        l17.two_step_shape(0.1, 50.0, 0.5),
        l17.unbounded_shape(0.1, 0.5, 1e-6),
    )
    assert (one.sampling, one.location, one.noise) == pytest.approx((100, 1000, noise))
    assert (two.sampling, two.location, two.noise) == pytest.approx((100, log(50) / 0.5, noise))
    assert (six.sampling, six.location, six.noise) == pytest.approx((100, log(1e6) / 0.5, noise))
    assert one.total == pytest.approx(1100 + noise)


def test_shapes_beyond_their_range_are_zero_not_imaginary() -> None:
    shape = l17.two_step_shape(2.0, 0.5, 1.0)
    assert (shape.location, shape.noise) == (0.0, 0.0)


# --- accuracy of histograms ------------------------------------------------------------------------------


@given(bins=st.integers(1, 10**6), epsilon=EPSILONS, beta=BETAS)
def test_histogram_error_is_the_union_bound(bins: int, epsilon: float, beta: float) -> None:
    """Oracle: scipy's Laplace law; exact for one bin, and below the exact quantile for none."""
    t = l17.histogram_error(bins, epsilon, beta)
    one = 2 * stats.laplace.sf(t, scale=2 / epsilon)
    assert bins * one == pytest.approx(beta, rel=1e-9)
    assert -np.expm1(bins * np.log1p(-one)) <= beta * (1 + 1e-9)


@given(bins=st.integers(1, 10**6), epsilon=EPSILONS, beta=BETAS)
def test_discrete_histogram_error_is_the_first_integer(bins: int, epsilon: float, beta: float) -> None:
    """Oracle: scipy's discrete Laplace law (dlaplace)."""
    t = l17.discrete_histogram_error(bins, epsilon, beta)

    def union(t: int) -> float:
        return float(bins * 2 * stats.dlaplace.sf(t, epsilon / 2))

    assert union(t) <= beta * (1 + 1e-9)
    assert t == 0 or union(t - 1) > beta * (1 - 1e-9)


def test_stable_histogram_error_bounds_the_released_and_the_dropped() -> None:
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


def test_stable_histogram_error_is_of_the_stated_order_when_delta_is_one_over_n() -> None:
    for n in (10, 10**3, 10**6):
        error = l17.stable_histogram_error(n, 0.5, 1 / (2 * n), 0.01)
        assert error <= 1 + 2 * 2 / 0.5 * (log(2 * n) + log(10))
    assert l17.stable_histogram_error(100, 0.5, 0.25, 0.1) == pytest.approx(1 + 4 * (log(2) + log(1000)))
    with pytest.raises(ArgumentError, match="delta"):
        l17.stable_histogram_error(100, 0.5, 0.5, 0.1)


@pytest.mark.parametrize("n", [1, 9, 10, 50, 99, 100, 300])
def test_bin_count_failure_is_two_binomial_tails(n: int) -> None:
    """Oracle: scipy.stats.binom on the strict and the weak inequality of Lemma 2.3."""
    counts = np.arange(n + 1)
    full = stats.binom.pmf(counts, n, stats.norm.cdf(1) - 0.5)[10 * counts < n].sum()
    far = stats.binom.pmf(counts, n, 2 * stats.norm.sf(4))[50 * counts >= n].sum()
    assert l17.bin_count_failure(n) == pytest.approx(min(1.0, full + far), rel=1e-9)


def test_bin_count_failure_falls_exponentially() -> None:
    logs = [log(l17.bin_count_failure(n)) for n in (100, 200, 400)]
    assert logs[0] < log(2e-3)
    assert logs[2] - logs[1] < 1.8 * (logs[1] - logs[0]) < 0


@pytest.mark.parametrize("mean", [0.0, 0.5, 0.99, -7.3])
def test_lemma_2_3_facts_hold_on_data(mean: float) -> None:
    """1000 samples of n = 300, where the bound is 5e-11: one failure refutes it at any level."""
    x = mean + np.random.default_rng(22).standard_normal((1000, 300))
    bins = np.arange(-15, 15)
    counts = np.stack([(np.floor(x) == j).sum(axis=1) for j in bins])
    far = np.abs(mean - bins) > 5
    assert counts.max(axis=0).min() >= 0.1 * 300
    assert counts[far].max() < 0.02 * 300
    assert l17.bin_count_failure(300) < 1e-9


def test_mean_gap_bounds_hold_and_touch() -> None:
    """Fact 2.1 with its best constants: equality at gap 1 below and in the limit 0 above."""
    for gap in (1e-6, 0.1, 0.9, 1.0, 1.1, 5.0, -0.7):
        lower, upper = l17.mean_gap_bounds(gap)
        assert lower <= total_variation_of_means(gap) * (1 + 1e-12) <= upper * (1 + 1e-9)
    assert l17.mean_gap_bounds(1.0)[0] == pytest.approx(0.3829249, abs=1e-7)
    assert l17.mean_gap_bounds(1e-6)[1] == pytest.approx(total_variation_of_means(1e-6), rel=1e-9)


# --- sufficient sizes ------------------------------------------------------------------------------------


def noise_difference_tail(gap: np.ndarray, epsilon: float, discrete: bool) -> np.ndarray:
    """Return P(L - L' >= gap) at integers: in closed form for Lap(2 / eps), by convolution if discrete."""
    if discrete:
        reach = int(np.abs(gap).max() + 80 / epsilon)
        law = stats.dlaplace.pmf(np.arange(-reach, reach + 1), epsilon / 2)
        tail = np.cumsum(np.convolve(law, law)[::-1])[::-1]
        return tail[gap + 2 * reach]
    y = np.abs(gap) * epsilon / 2
    tail = np.exp(-y) * (2 + y) / 4
    return np.where(gap >= 0, tail, 1 - tail)


def win_probability(n: int, epsilon: float, far: float, discrete: bool, populated: bool) -> float:
    """Return P(N_j + L_j >= N_0 + L_0, and N_j >= 1 if populated) by enumerating the trinomial."""
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


def exact_union(
    n: int, epsilon: float, far_bins: int, discrete: bool = False, populated: bool = False
) -> float:
    """Sum the win probabilities of `far_bins` bins, two at each distance 2, 3, ..."""
    masses, counts = np.unique(stats.norm.sf(2 + np.arange(far_bins) // 2), return_counts=True)
    wins = [win_probability(n, epsilon, mass, discrete, populated) for mass in masses]
    return float(counts @ np.array(wins))


@pytest.mark.parametrize("discrete", [False, True])
@pytest.mark.parametrize(
    ("radius", "epsilon", "beta"), [(10.0, 0.5, 0.1), (30.0, 1.0, 0.01), (4.0, 3.0, 0.05)]
)
def test_location_sample_size_against_the_exact_union(
    radius: float, epsilon: float, beta: float, discrete: bool
) -> None:
    """Oracle: every far bin's win probability, enumerated. Enough at n, and not at half of it."""
    n = l17.location_sample_size(radius, epsilon, beta)
    far = ceil(2 * radius) - 2
    assert exact_union(n, epsilon, far, discrete) <= beta
    assert exact_union(n // 2, epsilon, far, discrete) > beta
    assert n <= l17.location_sample_size_closed(radius, epsilon, beta)


@pytest.mark.parametrize("discrete", [False, True])
@pytest.mark.parametrize(
    ("epsilon", "delta", "beta"), [(0.5, 1e-3, 0.1), (1.0, 1e-6, 0.01), (3.0, 1e-4, 0.05)]
)
def test_stable_location_sample_size_against_the_exact_union(
    epsilon: float, delta: float, beta: float, discrete: bool
) -> None:
    """Oracle: as above, and the chance that the best bin is dropped. Enough at n, and not at half of it."""
    if discrete:
        last = ceil(2 / epsilon * log(1 / ((1 + exp(-epsilon / 2)) * delta)))  # dropped up to here
        law: Any = stats.dlaplace(epsilon / 2)
    else:
        last = 1 + 2 / epsilon * log(1 / (2 * delta))
        law = stats.laplace(scale=2 / epsilon)

    def failure(n: int) -> float:
        counts = np.arange(n + 1)
        dropped = stats.binom.pmf(counts, n, stats.norm.cdf(1) - 0.5) @ law.cdf(last - counts)
        return float(dropped + exact_union(n, epsilon, 16, discrete, populated=True))

    n = l17.stable_location_sample_size(epsilon, delta, beta)
    assert failure(n) <= beta
    assert failure(n // 2) > beta
    assert n <= l17.stable_location_sample_size_closed(epsilon, delta, beta)


def least(function: Any, high: float) -> float:
    """Minimise over 0 < t < high by bracketing on a coarse grid."""
    grid = np.linspace(0, high, 60)[1:-1]
    best = grid[int(np.argmin([function(t) for t in grid]))]
    bounds = (max(best - high / 59, 1e-9), min(best + high / 59, high * (1 - 1e-9)))
    return float(minimize_scalar(function, bounds=bounds, method="bounded").fun)


IN_A_BIN = float(stats.norm.cdf(1) - 0.5)  # a bin beside the mean


def moment_of_a_win(t: float, n: int, epsilon: float, far: float, populated: bool) -> float:
    """Return E e^{t (N_j - N_0 + L_j - L_0)}, or its bound with N_j as a factor if that is smaller."""
    best = IN_A_BIN
    noise = (1 / (1 - (2 * t / epsilon) ** 2)) ** 2
    base = 1 - best - far + best * exp(-t) + far * exp(t)
    whole = base**n
    return float(noise * (min(whole, n * far * exp(t) * base ** (n - 1)) if populated else whole))


@pytest.mark.parametrize(
    ("radius", "epsilon", "beta"), [(10.0, 0.5, 0.1), (30.0, 1.0, 0.01), (4.0, 9.0, 0.05)]
)
def test_location_sample_size_is_its_formula(radius: float, epsilon: float, beta: float) -> None:
    """Oracle: the docstring's sum, bin by bin, minimised by scipy. A grid costs at most one row here."""
    masses = [stats.norm.sf(2 + j // 2) for j in range(ceil(2 * radius) - 2)]

    def wins(t: float, n: int) -> float:
        return sum(moment_of_a_win(t, n, epsilon, q, False) for q in masses)

    def bound(n: int) -> float:
        return least(lambda t: wins(t, n), epsilon / 2)

    n = l17.location_sample_size(radius, epsilon, beta)
    assert smallest(lambda m: bound(m) <= beta) in (n - 1, n)


@pytest.mark.parametrize(
    ("epsilon", "delta", "beta"), [(0.5, 1e-3, 0.1), (1.0, 1e-6, 0.01), (5.0, 1e-4, 0.2)]
)
def test_stable_location_sample_size_is_its_formula(epsilon: float, delta: float, beta: float) -> None:
    """Oracle: A(n) + B(n) of the docstring, minimised by scipy."""
    masses = [stats.norm.sf(2 + j // 2) for j in range(40)]
    best, threshold = IN_A_BIN, 1.5 + 2 / epsilon * log(1 / (2 * delta))

    def dropped(t: float, n: int) -> float:
        return exp(t * threshold) * (1 - best * (1 - exp(-t))) ** n / (1 - (2 * t / epsilon) ** 2)

    def wins(t: float, n: int) -> float:
        return sum(moment_of_a_win(t, n, epsilon, q, True) for q in masses)

    def bound(n: int) -> float:
        return least(lambda t: wins(t, n), epsilon / 2) + least(lambda t: dropped(t, n), epsilon / 2)

    n = l17.stable_location_sample_size(epsilon, delta, beta)
    assert smallest(lambda m: bound(m) <= beta) in (n - 1, n)


def test_location_slopes_are_the_large_deviation_rates() -> None:
    """As eps falls, n eps grows by 2 / (Phi(1) - Phi(0)) = 5.86 per e-fold of R, and of 1 / delta."""
    rate = 2 / (stats.norm.cdf(1) - 0.5)
    for size, grid in (
        (lambda x: l17.location_sample_size(x, 0.01, 0.1), (1e20, 1e40)),
        (lambda x: l17.stable_location_sample_size(0.01, 1 / x, 0.1), (1e40, 1e80)),
    ):
        slope = 0.01 * (size(grid[1]) - size(grid[0])) / log(grid[1] / grid[0])
        assert rate <= slope <= 1.1 * rate


@pytest.mark.parametrize(("radius", "measured"), [(10, 19.5), (1e2, 37), (1e3, 50.5), (1e4, 65), (1e5, 79.5)])
def test_location_sample_size_is_between_measurement_and_closed_form(radius: float, measured: float) -> None:
    """Oracle: n at success .9 times eps, measured at eps = .5 in a simulation outside this package."""
    needed = measured / 0.5
    sharp, closed = (
        l17.location_sample_size(radius, 0.5, 0.1),
        l17.location_sample_size_closed(radius, 0.5, 0.1),
    )
    assert l17.packing_bound(radius, 2.5, 0.5, 0.1) <= needed <= sharp <= 3 * needed
    assert sharp < closed / 2


def test_nothing_has_to_be_located_in_two_bins() -> None:
    assert l17.location_sample_size(1.0, 0.1, 0.01) == 1
    assert l17.location_sample_size(1.4, 0.1, 0.01) > 1


def test_closed_forms_give_what_their_derivation_needs() -> None:
    """Oracle: the inequality that the constants 92 and 27.1 are rounded from, at the returned n."""
    gap = stats.norm.cdf(1) - 0.5 - 2 * stats.norm.sf(2)
    for radius, epsilon, beta in ((10.0, 0.5, 0.1), (1e5, 0.01, 0.05), (1e3, 10.0, 1e-6)):
        n = l17.location_sample_size_closed(radius, epsilon, beta)
        noise = 4 / epsilon * log(2 * ceil(2 * radius) / beta)
        assert n * gap > sqrt(2 * n * log(4 / beta)) + noise
        assert 0.98 * 92 * gap**2 / 4 < 2 < 92 * gap**2 / 4
        assert 0.98 * 27.1 * gap / 2 < 4 < 27.1 * gap / 2
    # each of the two terms where it is the larger one
    assert l17.location_sample_size_closed(10.0, 50.0, 0.1) == ceil(92 * log(40))
    assert l17.location_sample_size_closed(1e5, 0.01, 0.05) == ceil(2710 * log(4e5 / 0.05))
    n = l17.stable_location_sample_size_closed(0.1, 1e-9, 0.05)
    assert n >= 92 * log(80)
    assert n >= 271 * log(2 * n / 0.05) > 0.999 * (n - 1)
    assert n / 4 >= 1 + 20 * (log(5e8) + log(80))
    # many rows for the counts, few for the noise: the threshold decides
    assert l17.stable_location_sample_size_closed(1.0, 1e-90, 0.05) == ceil(
        4 * (1 + 2 * (log(5e89) + log(80)))
    )


@pytest.mark.parametrize(("n", "radius", "epsilon", "beta"), [(1000, 20.0, 0.5, 0.05), (50, 1.0, 2.0, 0.2)])
def test_clipped_mean_error_is_a_sum_of_three_quantiles(
    n: int, radius: float, epsilon: float, beta: float
) -> None:
    """Oracle: scipy's normal and Laplace quantiles at beta / 3, and a clip level no value exceeds."""
    b, terms = beta / 3, l17.clipped_mean_error(n, radius, epsilon, beta)
    level = sqrt(2 * log(n / b))
    assert 1 - (1 - 2 * stats.norm.sf(level)) ** n <= b
    assert terms.sampling == pytest.approx(stats.norm.isf(b / 2) / sqrt(n))
    scale = 2 * (radius + level) / (n * epsilon)
    assert terms.noise == pytest.approx(stats.laplace.isf(b / 2, scale=scale))
    assert terms.total == terms.sampling + terms.noise


def simulate(n: int, mean: float, centre: float, width: float, scale: float, runs: int) -> Any:
    rng = np.random.default_rng(23)
    x = mean + rng.standard_normal((runs, n))
    clipped = centre + np.clip(x - centre, -width, width).mean(axis=1)
    return np.abs(clipped + rng.laplace(scale=scale, size=runs) - mean)


@pytest.mark.parametrize("centre", [0.0, 2.5])
def test_error_bounds_hold_on_data(centre: float) -> None:
    """20000 runs at the worst mean, n = 200, beta = .2, level 1e-6; half of either bound fails."""
    n, epsilon, beta, runs = 200, 0.5, 0.2, 20_000
    if centre == 0.0:  # Lemma 2.2, mean at the end of [-R, R]
        bound, b, reach, spent = l17.clipped_mean_error(n, 5.0, epsilon, beta).total, beta / 3, 5.0, epsilon
    else:  # Theorem 2.5, the centre 2.5 off
        bound, b, reach, spent = l17.two_step_error(n, epsilon, beta).total, beta / 4, 2.5, 0.75 * epsilon
    width = reach + sqrt(2 * log(n / b))
    error = simulate(n, reach, reach - centre if centre else 0.0, width, 2 * width / (n * spent), runs)
    assert (error > bound).sum() <= stats.binom.isf(LEVEL, runs, beta)
    assert (error > bound / 2).sum() > stats.binom.isf(LEVEL, runs, beta / 2)


def test_two_step_error_is_lemma_2_2_around_a_close_centre() -> None:
    """With beta / 4 for the location the rest is Lemma 2.2 at radius 2.5, 3/4 of beta and of epsilon."""
    assert l17.two_step_error(500, 0.4, 0.1) == l17.clipped_mean_error(500, 2.5, 0.75 * 0.4, 0.75 * 0.1)
    assert l17.two_step_error(500, 0.4, 0.1, split=0.5).noise > l17.two_step_error(500, 0.4, 0.1).noise


@given(alpha=st.floats(0.02, 1.0), epsilon=EPSILONS, beta=BETAS)
def test_sample_sizes_are_the_first_that_suffice(alpha: float, epsilon: float, beta: float) -> None:
    n = l17.clipped_mean_sample_size(alpha, 30.0, epsilon, beta)
    errors = [l17.clipped_mean_error(m, 30.0, epsilon, beta).total for m in (n, max(1, n - 1), n + 1, 2 * n)]
    assert errors[0] <= alpha
    assert n == 1 or errors[1] > alpha
    assert errors[3] < errors[2] < errors[0]


def test_two_step_sizes_take_the_larger_of_location_and_mean() -> None:
    for alpha in (0.05, 5.0):
        mean = smallest(lambda n, a=alpha: l17.two_step_error(n, 0.5, 0.1).total <= a)
        location = l17.location_sample_size(1e6, 0.125, 0.025)
        assert l17.two_step_sample_size(alpha, 1e6, 0.5, 0.1) == max(mean, location)
        stable = l17.stable_location_sample_size(0.125, 1e-6, 0.025)
        assert l17.unbounded_sample_size(alpha, 0.5, 1e-6, 0.1) == max(mean, stable)
    assert l17.two_step_sample_size(5.0, 1e6, 0.5, 0.1) > 500 > l17.two_step_sample_size(5.0, 1.0, 0.5, 0.1)


@pytest.mark.daily
@given(alpha=st.floats(0.05, 2.0), radius=st.floats(3.0, 1e6), epsilon=EPSILONS, beta=BETAS)
def test_what_is_enough_is_never_below_what_is_needed(
    alpha: float, radius: float, epsilon: float, beta: float
) -> None:
    """Every lower bound of the lecture against every upper bound."""
    enough = l17.two_step_sample_size(alpha, radius, epsilon, beta)
    tv = total_variation_of_means(2 * min(alpha, radius))
    assert enough >= l17.packing_bound(radius, alpha, epsilon, beta, strict=False)
    assert enough >= l17.two_point_bound(tv, epsilon, beta)
    approximate = l17.unbounded_sample_size(alpha, epsilon, 1e-9, beta)
    assert approximate >= l17.two_point_bound(tv, epsilon, beta, 1e-9)
    assert approximate >= l17.sampling_bound(alpha, beta)
