"""Bounds of the sources, and those of lecture 17: values of the literature, true lemmas, searches."""

from math import exp, inf, log, nan, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from scipy.special import ndtr, ndtri
from scipy.stats import norm

from workbench.bounds import Shape, al22, binomial_tail, l17, limits, lkko21, m21, resilience, wx19
from workbench.bounds.limits import covariance_rows, mean_rows, packing_rows
from workbench.errors import ArgumentError
from workbench.privacy.stable import square_delta

# Lecture 17: bounds and sample sizes against enumeration, linear programs and direct probabilities.
EPSILONS = st.floats(0.05, 3.0)
BETAS = st.floats(0.01, 0.4)


@given(size=st.integers(2, 10**9), epsilon=EPSILONS, beta=BETAS)
def test_packing_bound_is_attained_by_randomised_response(size, epsilon, beta):
    """On n equal rows the best epsilon-DP answer among S is right with e^{eps n} / (e^{eps n} + S - 1)."""
    n = l17.packing_bound_of_size(size, epsilon, beta)
    right = 1 / (1 + (size - 1) * exp(-epsilon * n))
    assert right == pytest.approx(1 - beta, rel=1e-9) or (n == 0 and right >= 1 - beta)


@given(alpha=st.floats(0.01, 2.0), beta=BETAS)
def test_sampling_bound_is_the_first_n_at_which_the_mean_is_accurate(alpha, beta):
    n = l17.sampling_bound(alpha, beta)
    missed = 2 * norm.sf(alpha * np.sqrt([n, n - 1]))
    assert missed[0] <= beta + 1e-12
    assert n == 1 or missed[1] > beta


@given(bins=st.integers(1, 10**6), epsilon=EPSILONS, beta=BETAS)
def test_discrete_histogram_error_is_the_first_integer(bins, epsilon, beta):
    t = l17.discrete_histogram_error(bins, epsilon, beta)
    union = 2 * bins * stats.dlaplace.sf([t, t - 1], epsilon / 2)
    assert union[0] <= beta * (1 + 1e-9)
    assert t == 0 or union[1] > beta * (1 - 1e-9)


@given(alpha=st.floats(0.02, 1.0), epsilon=EPSILONS, beta=BETAS)
def test_sample_sizes_are_the_first_that_suffice(alpha, epsilon, beta):
    n = l17.clipped_mean_sample_size(alpha, 30.0, epsilon, beta)
    errors = [l17.clipped_mean_error(m, 30.0, epsilon, beta).total for m in (n, max(1, n - 1), n + 1, 2 * n)]
    assert errors[0] <= alpha
    assert n == 1 or errors[1] > alpha
    assert errors[3] < errors[2] < errors[0]


# Bounds of the sources: values of the literature, that lemmas are true, and searches.

VALUES = [  # of a shape its terms; those whose rows are searched have committed values
    (al22.robust_gaussian_shape, (3, 0.2, 0.05, 0.7, 1e-5), [453995.9326]),
    (al22.lower_shape, (3, 0.2, 0.7, 1e-5), [225.0, 21.42857143, 16.44703638]),
    (m21.eigenvalues_shape, (3, 0.7), [7.42307489]),
    (lkko21.resilient_heavy_shape, (3, 0.1, 0.7, 1e-5), [30.0, 327.7281693]),
    (lkko21.range_heavy_shape, (3, 0.1, 0.7, 1e-5, 0.07), [123143.8632]),
    (lkko21.sub_gaussian_error, (0.1,), [0.1517427129]),
    (lkko21.bounded_covariance_error, (0.1,), [0.316227766]),
    (wx19.local_shape, (4.0, 50, 3000, 0.7, 1e-5), [0.49021855]),
    (wx19.central_shape, (4.0, 50, 3000, 0.7, 1e-5), [0.02102752888]),
    (wx19.thresholded_error, (4.0, 0.3), [6.0]),
    (m21.naive_spectral_shape, (1, 0.2, 0.3, 2, 0.1), [1732.867951, 105.0981497]),  # of one column as of two
    (wx19.threshold, (50, 3000, 0.02, 1.5), [0.3748969554]),
    (l17.clipped_mean_error, (1000, 20.0, 0.5, 0.05), [0.07570428840, 0.4043716096]),
    (l17.two_step_error, (1000, 0.5, 0.05), [0.07898438223, 0.1694803337]),
    (l17.histogram_error, (30, 0.5, 0.05), [25.58771862]),
    *((l17.two_point_bound, given, [n])  # as a linear program over all pairs of chances says
      for given, n in (((0.3, 1.0, 0.05), 13), ((0.2, 2.0, 0.2), 5), ((0.3, 0.5, 0.05, 1e-3), 22),
                        ((0.2, 1.0, 0.5, 1e-6, 1e-4), 38))),
    (l17.stable_histogram_error, (50, 1.0, 0.4, 0.2), [12.48920894]),
    *((l17.location_sample_size, given, [n])  # of twice to once as many as an enumeration needs
      for given, n in (((10.0, 0.5, 0.1), 115), ((30.0, 1.0, 0.01), 90))),
    (limits.near_mean_rows, (0.1, 1000, 1.0, 0.0, 0.5), [2786.0]),  # as of 600 columns
    (limits.mean_limit, (0.1,), [0.2533471031]),
    (limits.scale_limit, (0.1,), [0.3963420020]),
    (l17.stable_location_sample_size, (1.0, 1e-6, 0.01), [141]),
    (resilience.margin_rate, (0.05, 2 * 1.6448536269514722), [0.07244252752]),
    (resilience.margin_rate, (0.05, 0.5), [0.0]),
    (wx19.entry_deviation, (np.array([[2.0, 0.5], [0.5, 1.0]]), 1000, 0.1, 0.2, 0.05),
     [0.9802043174, 0.4986135015, 0.4986135015, 0.8211803647]),
]  # fmt: skip


@pytest.mark.parametrize(("function", "given", "terms"), VALUES)
def test_a_display_has_its_value(function, given, terms):
    found = function(*given)
    if isinstance(found, Shape):
        assert found.total == pytest.approx(sum(terms))
        found, terms = [found.sampling, found.noise, found.preconditioning], [*terms, 0.0][:3]
    assert np.ravel(found) == pytest.approx(terms, rel=1e-9)


@pytest.mark.parametrize(("table", "sampling"), [(lkko21.table_1, 300.0), (lkko21.table_2, 30.0)])
def test_a_table_has_its_rows(table, sampling):
    """In polynomial time, at any cost, necessary: private, robust, and both."""
    rows = table(3, 0.1, 0.7, 1e-5)
    assert [*rows] == ["private", "robust", "both"]
    shapes = [one for row in rows.values() for one in (row.polynomial, row.exponential, row.lower)]
    assert [one.sampling for one in shapes] == pytest.approx([sampling] * 9)
    private, lower, prime, resilient = 145.4172948, 42.85714286, 854.6130792, 327.7281693
    noise = [private, lower, lower, 0, 0, 0, prime, resilient, lower]
    assert [one.noise for one in shapes] == pytest.approx(noise, rel=1e-9)


def test_lemma_5_1_holds_with_room():
    for d, gamma in ((1, 1.78e-3), (2, 8.91e-4), (5, 3.56e-4), (10, 1.78e-4), (20, 8.91e-5)):
        eta = 1 / (6 * sqrt(d))
        assert al22.mask_radius(eta, d, 0.5, 5e-7) == pytest.approx(gamma, rel=3e-3)
        assert al22.mask_radius(1e9, d, 100.0, 0.9) <= 1.0
        assert d > 2 or square_delta(gamma, eta, d, 0.5) <= 5e-7 < square_delta(20 * gamma, eta, d, 0.5)


def moved(a):
    values = np.linalg.svd(a, compute_uv=False) ** 2
    return np.maximum(values[:, 0], 1 / values[:, -1]) - 1


@pytest.mark.turns(4)
@pytest.mark.parametrize("d", [1, 3, 10])
def test_lemmas_on_concentration_hold_on_random_matrices(d):
    rng, one, runs, rows = np.random.default_rng(d), np.eye(d), 2000, 40 * d
    spectral, frobenius = al22.largest_mask(0.5, d, 0.1), al22.frobenius_mask(0.2, d, 0.1)
    assert al22.mask_error(spectral, d, 0.1) == pytest.approx(0.5)
    g, groups = rng.standard_normal((runs, d, d)), rng.standard_normal((runs, rows, d)) / np.sqrt(rows)
    assert (moved(one + spectral * g) > 0.5).mean() < 0.1
    assert (moved(groups) > al22.group_error(rows, d, 0.1)).mean() < 0.1
    entries = np.linalg.norm((one + frobenius * g) @ (one + frobenius * g).swapaxes(1, 2) - one, axis=(1, 2))
    assert 0.05 < np.quantile(entries, 0.9) <= 0.2, "no bound that is far from true"


@given(st.floats(0.01, 0.16))
def test_biases_are_those_of_the_contaminated_law(alpha):
    median = resilience.median_bias(alpha)
    assert (1 - alpha) * ndtr(median) == pytest.approx(0.5)
    assert median >= alpha * sqrt(pi / 2)
    low, high = ndtri(3 * alpha / (1 - alpha)), ndtri(1 - 2 * alpha / (1 - alpha))
    mean = quad(lambda z: z * norm.pdf(z), low, high)[0] * (1 - alpha) / (1 - 6 * alpha)
    assert resilience.trimmed_bias(alpha) == pytest.approx(mean, abs=1e-9)
    assert resilience.trimmed_bias(alpha) > median, "trimming a fixed share is not the median"


@given(st.floats(-2, 2), st.floats(0.01, 1), st.floats(-0.75, 0.75))
def test_an_entry_that_is_off_by_three_quarters_of_t_at_most_keeps_lemma_3(size, t, share):
    """The deterministic part of the lemma: below 3t/4 a hard threshold is never off by 4 min(|σ|, t)."""
    released = size + share * t
    kept = released if abs(released) > t else 0.0
    (allowed,) = wx19.lemma_3(np.array([[size]]), t)[0]
    assert abs(kept - size) <= allowed * (1 + 1e-9) + 1e-9


def test_rows_that_a_search_needs_at_least():
    """At d = 10 and λ₀ = 50 the program says that fewer than 98000 rows fail: 98 steps."""
    n = limits.fewest_rows_of_means(10, 1.0, 1e-6)
    assert n / limits.threshold(n, 10) == pytest.approx(98_000 / 50, rel=1e-4)
    for beta in (0.05, 0.5):
        assert np.ceil(mean_rows(0.1, 1, 100.0, 1e-6, beta)) == l17.sampling_bound(0.1, beta)
        for size in (3, 10, 1000):  # without δ
            packing = l17.packing_bound_of_size(size, 0.3, beta)
            assert packing_rows(log(size - 1), 0.3, 0.0, beta) == pytest.approx(packing)
    assert mean_rows(0.5, 1, 1.0, 0.0, 0.5, radius=0.5) == mean_rows(0.5, 1, 100.0, 0.0, 0.5, radius=0.5)
    found = [packing_rows(others, 1.0, 1e-9, 0.5) for others in (-inf, 5.0, 50.0, 500.0, inf)]
    assert found == [0, *sorted(found[1:])]  # one distribution costs nothing, and δ caps what many cost
    assert found[-1] == pytest.approx(log(0.5 * 1e9 * np.expm1(1)), rel=1e-6)
    assert packing_rows(inf, 1.0, 0.0, 0.5) == inf
    assert covariance_rows(1.0, 3, 1.0, 1e-6, 0.5) == covariance_rows(0.5, 3, 1.0, 1e-6, 0.5, upper=1.5) == 0


@pytest.mark.parametrize(("n", "p"), [(0, 0.3), (1, 0.3), (7, 0.01), (12, 0.5), (9, 1.0)])
def test_binomial_tail_is_scipys(n, p):
    counts = np.arange(-1, n + 3)
    wanted = stats.binom.sf(counts - 1, n, p)
    np.testing.assert_allclose(binomial_tail(counts, n, p), wanted, rtol=1e-11, atol=1e-15)


WRONG = [  # of each kind of argument, where it is first
    ("d", lambda: al22.gaussian_shape(0, 0.1, 1.0, 1e-6)),
    ("corruption", lambda: al22.robust_covariance_shape(2, 0.1, 0.5, 1.0, 1e-6)),
    ("delta", lambda: lkko21.table_2(2, 0.1, 1.0, 0.0)),
    ("beta", lambda: m21.naive_spectral_shape(2, 0.1, 1.0, 2, 1.0)),
    ("rows", lambda: al22.group_error(0, 2, 0.1)),
    ("margin", lambda: resilience.rows_to_pass(-1.0, 1.0, 1e-6)),
    ("moments", lambda: m21.heavy_tailed_shape(2, 0.1, 1.0, 1, 2.0)),
    ("gap", lambda: m21.coarse_shape(2, 1.0, 1.5)),
    ("p", lambda: wx19.threshold(1, 10, 0.1, 1.0)),
    ("n", lambda: limits.threshold(0, 2)),
    ("alpha", lambda: limits.sampled_covariance_rows(0.0, 2, 0.5)),
    ("upper", lambda: covariance_rows(0.1, 2, 1.0, 1e-6, 0.5, 0.5)),
    ("delta", lambda: packing_rows(5.0, 1.0, -0.5, 0.5)),
    ("log_others", lambda: packing_rows(nan, 1.0, 0.0, 0.5)),
    ("d", lambda: limits.near_mean_rows(0.1, -1, 1.0, 1e-6, 0.5)),
    ("radius", lambda: mean_rows(0.1, 2, 1.0, 1e-6, 0.5, radius=-1.0)),
    ("s", lambda: limits.scale_distance(1.0)),
    ("total_variation", lambda: l17.two_point_bound_stated(0.0, 1.0)),
    ("wrong", lambda: l17.two_point_bound(0.2, 1.0, 0.1, wrong=-1.0)),
    ("alpha", lambda: lkko21.sub_gaussian_error(1.5)),
    ("alpha", lambda: lkko21.prime_shape(2, np.float32(inf), 1.0, 1e-6)),
    ("degree", lambda: wx19.thresholded_error(nan, 0.1)),
    *(("epsilon", lambda wrong=wrong: l17.two_step_error(10, wrong, 0.1)) for wrong in (0.0, inf, nan)),
]


def test_numbers_of_numpy_give_the_bits_of_python():
    share = np.float32(0.05)
    assert repr(limits.mean_limit(share)) == repr(limits.mean_limit(float(share)))
    assert repr(al22.halved(np.float64(0.5), np.array(1e-6))) == repr(al22.halved(0.5, 1e-6))


@pytest.mark.parametrize(("argument", "call"), WRONG)
def test_wrong_arguments_are_named(argument, call):
    with pytest.raises(ArgumentError, match=f"^{argument} = "):
        call()
