"""What no estimator can do without; and, last, what a peer needs.

Rows for an error of at most alpha with probability 1 - beta.

Every constant is explicit, and beta may be a half, so that a limit stands beside a median. What costs nothing
at that level (two distributions are told apart by a coin) is no part of it.
"""

from functools import partial
from math import ceil, e, exp, expm1, inf, isinf, log, log1p, sqrt

import numpy as np

from workbench.bounds import AT_ANY_DELTA, below, formula, smallest
from workbench.bounds.l17 import two_point_bound
from workbench.errors import finite, in_range
from workbench.special import brentq, chdtri, ndtr, ndtri

Rows = float


@partial(formula, ranges=AT_ANY_DELTA)
def packing_rows(log_others: float, epsilon: float, delta: float, beta: float) -> Rows:
    """Return the n that (epsilon, delta)-DP needs to tell S distributions apart, each with chance 1 - beta.

    log((1 - beta + kappa) / (beta / (S - 1) + kappa)) / epsilon, or 0 if that is negative, with kappa =
    delta / (e^eps - 1); `log_others` is log(S - 1), infinite for distributions without end. Replacing all n
    rows, each of the other S - 1 disjoint answers keeps probability at least e^{-eps n} (1 - beta + kappa) -
    kappa on data from one distribution (group privacy), and together they have at most beta there.

    >>> round(packing_rows(float("inf"), 1.0, 1e-6, 0.5), 2)
    13.66
    """
    if not (isinstance(log_others, float) and isinf(log_others)):
        finite(log_others=log_others)
    if log_others < 0:  # one other law, or none: a coin may do
        return 0.0
    kappa = delta * exp(-epsilon) / -expm1(-epsilon)
    missed = beta * exp(-log_others) + kappa
    return max(0.0, log((1 - beta + kappa) / missed)) / epsilon if missed else inf


@partial(formula, ranges=AT_ANY_DELTA)
def mean_rows(
    alpha: float, d: int, epsilon: float, delta: float, beta: float, radius: float | None = None
) -> Rows:
    """Return the n that the mean of N(mu, I) in d dimensions needs, within alpha in the Euclidean norm.

    The largest of `sampled_mean_rows`, `near_mean_rows` and `packing_rows` with (radius / (2 alpha))^d
    distributions, or any number of them without a radius: a largest set of centres 2 alpha apart covers the
    ball with radii of 2 alpha.

    >>> [round(mean_rows(0.1, d, 1.0, 1e-6, 0.5)) for d in (1, 10)]
    [45, 934]
    """
    others = inf if radius is None else _one_less(d * log(max(radius / (2 * alpha), 1.0)))
    return max(
        sampled_mean_rows(alpha, d, beta),
        near_mean_rows(alpha, d, epsilon, delta, beta, radius),
        packing_rows(others, epsilon, delta, beta),
    )


@formula
def sampled_mean_rows(alpha: float, d: int, beta: float) -> Rows:
    """Return q / alpha^2, q the 1 - beta quantile of chi-squared with d degrees of freedom.

    As `sampling_bound`, whose argument (Anderson's lemma) holds in any dimension: it is exact for an
    unrestricted mean, and a reference where a range is told.
    """
    return float(chdtri(d, beta)) / alpha**2


@partial(formula, ranges=AT_ANY_DELTA)
def near_mean_rows(
    alpha: float, d: int, epsilon: float, delta: float, beta: float, radius: float | None = None
) -> Rows:
    """Return the n that privacy needs to tell means near each other apart, of order d / (alpha eps).

    Of S means 2 alpha apart in a ball of radius r = 2 e alpha, or of the smaller `radius`, S at least
    (r / (2 alpha))^d, some answer is given to the rows of the mean in the centre with probability
    beta / (S - 1) at most, and to its own with 1 - beta. `two_point_bound` for the two, of which at most
    TV = 2 Phi(r / 2) - 1 of the rows differ. With log(1 / delta) in the place of d where that is smaller.

    >>> [round(near_mean_rows(0.01, d, 1.0, 1e-30, 0.5)) for d in (1, 10, 20)]
    [17, 403, 852]
    """
    reach = min(2 * e * alpha, inf if radius is None else radius)
    others = min(_one_less(d * log(max(reach / (2 * alpha), 1.0))), 600.0)  # fewer means, which floats count
    if others < 0:
        return 0.0
    apart = 2 * float(ndtr(reach / 2)) - 1
    return float(two_point_bound(apart, epsilon, beta, delta, beta * exp(-others)))


@formula
def sampled_covariance_rows(alpha: float, d: int, beta: float) -> Rows:
    """Return 2 q / alpha^2 for an error alpha in the Frobenius norm of S, q of d (d + 1) / 2 degrees.

    What no estimator does without as n grows, by the local asymptotic minimax theorem: n times the squared
    error of the sample covariance nears 2 chi-squared. A reference at a finite n.

    >>> round(sampled_covariance_rows(0.1, 10, 0.5))
    10867
    """
    return 2 * float(chdtri(d * (d + 1) // 2, beta)) / alpha**2


@partial(formula, ranges=AT_ANY_DELTA)
def covariance_rows(
    alpha: float, d: int, epsilon: float, delta: float, beta: float, upper: float | None = None
) -> Rows:
    """Return the n that the covariance of N(0, S), I <= S <= upper I, needs, within alpha in the norm of S.

    `packing_rows` with floor(1 + log(upper) / log((1 + alpha) / (1 - alpha)))^d distributions, or any number
    of them without a bound; 0 from alpha = 1 on. Diagonal matrices with an entry that differs by such a
    factor have no answer in common.

    >>> round(covariance_rows(0.2, 5, 1.0, 0.0, 0.5, 100.0), 2)
    12.42
    """
    if alpha >= 1:
        return 0.0
    if upper is None:
        return packing_rows(inf, epsilon, delta, beta)
    levels = 1 + int(log(upper) / (log1p(alpha) - log1p(-alpha)) * (1 - 1e-12))
    return packing_rows(_one_less(d * log(levels)), epsilon, delta, beta)


def _one_less(log_size: float) -> float:
    """Return log(S - 1) of log S; of one distribution, minus infinity."""
    return log_size + log(-expm1(-log_size)) if log_size > 0 else -inf


# A share ξ of the rows may be anything: replacing it reaches any law within a total variation of ξ. Two
# laws that are 2ξ apart have one in the middle: no estimator tells them apart, however many rows there are.


@formula
def mean_limit(corruption: float) -> float:
    """Return the least worst error of a mean, in standard deviations: Φ⁻¹(½ + ξ).

    Half the distance of N(±m, 1) at total variation 2Φ(m) - 1 = 2ξ.

    >>> round(mean_limit(0.05), 4)
    0.1257
    """
    below(0.25, corruption=corruption)
    return float(ndtri(0.5 + corruption))


@formula
def scale_limit(corruption: float) -> float:
    """Return the least worst relative error of a variance: (s² - 1)/(s² + 1), TV(N(0, 1), N(0, s²)) = 2ξ.

    >>> round(scale_limit(0.05), 3)
    0.204
    """
    below(0.25, corruption=corruption)
    s = brentq(lambda scale: scale_distance(scale) - 2 * corruption, 1.0 + 1e-12, 1e3)
    return (s * s - 1) / (s * s + 1)


@formula
def scale_distance(s: float) -> float:
    """Return TV(N(0, 1), N(0, s²)), s > 1: the densities cross at x² = 2s² ln s/(s² - 1)."""
    in_range(1, inf, "()", s=s)
    x = sqrt(2 * s * s * np.log(s) / (s * s - 1))
    return float(2 * (ndtr(x) - ndtr(x / s)))


@formula
def unit(corruption: float) -> float:
    """Return ξ ln 1/ξ, what a robust covariance errs by but for a constant."""
    below(0.25, corruption=corruption)
    return float(corruption * np.log(1 / corruption))


@formula
def mean_unit(corruption: float) -> float:
    """Return ξ √(ln 1/ξ), what a robust mean errs by but for a constant."""
    return sqrt(corruption * unit(corruption))


# The sample sizes of Brown, Hopkins & Smith (COLT 2023), affine-invariant means and covariances.
#
# The constants are those of the program that accompanies their paper. What it leaves to its user is the
# threshold λ₀ of outliers; here all of n normal rows keep it but with probability β, seen in their true
# frame: no smaller one is of use. For d = 10 at (1, 1e-6) it is 48; the program's own example has 50.

BETA = 0.05  # β


@formula
def threshold(n: int, d: int) -> float:
    """Return λ₀: n squared norms of normal rows are at most that with probability 1 - β at least.

    >>> round(threshold(98_000, 10))
    48
    """
    return float(chdtri(d, BETA / n))


@formula
def fewest_rows_of_means(d: int, epsilon: float, delta: float) -> int:
    """Return the least n that a mean is given for: n ≥ 20 k λ₀ with k = ⌈6 ln(6/δ)/ε⌉ + 4 steps."""
    steps = ceil(6 * log(6 / delta) / epsilon) + 4
    return smallest(lambda n: n >= 20 * steps * threshold(n, d))


@formula
def rows_of_means(d: int, alpha: float, epsilon: float, delta: float) -> int:
    """Return the least n for a median error of α in Mahalanobis norm: that of χ²_d times 1/n + c².

    c is the sd of the noise in every direction over that of a row, c² = 810 λ₀ ln(12/δ)/(εn)².
    """
    median = float(chdtri(d, 0.5))

    def near(n: int) -> bool:
        noise = sqrt(810 * threshold(n, d) * log(12 / delta)) / (epsilon * n)
        return median * (1 / n + noise**2) <= alpha**2

    return smallest(near, fewest_rows_of_means(d, epsilon, delta))
