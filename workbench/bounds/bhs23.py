"""The sample sizes of Brown, Hopkins & Smith (COLT 2023), affine-invariant means and covariances.

The constants are those of the program that accompanies their paper. What it leaves to its user is the
threshold λ₀ of outliers; here all of n normal rows keep it but with probability β, seen in their true frame:
no smaller one is of use. For d = 10 at (1, 1e-6) it is 48; the program's own example has 50.
"""

from math import ceil, log, sqrt

from workbench.bounds.search import smallest
from workbench.errors import integer_at_least, positive, probability
from workbench.special import chdtri

BETA = 0.05


def threshold(n: int, d: int, beta: float = BETA) -> float:
    """Return λ₀: n squared norms of normal rows are at most that with probability 1 - β at least.

    >>> round(threshold(98_000, 10))
    48
    """
    integer_at_least(1, n=n, d=d)
    probability(beta=beta)
    return float(chdtri(d, beta / n))


def fewest_rows_of_means(d: int, epsilon: float, delta: float, beta: float = BETA) -> int:
    """Return the least n that a mean is given for: n ≥ 20 k λ₀ with k = ⌈6 ln(6/δ)/ε⌉ + 4 steps."""
    _checked(epsilon, delta)
    steps = ceil(6 * log(6 / delta) / epsilon) + 4
    return smallest(lambda n: n >= 20 * steps * threshold(n, d, beta))


def noise_of_means(n: int, d: int, epsilon: float, delta: float, beta: float = BETA) -> float:
    """Return the sd of the noise in every direction over that of a row: c² = 810 λ₀ ln(12/δ)/(εn)²."""
    _checked(epsilon, delta)
    return sqrt(810 * threshold(n, d, beta) * log(12 / delta)) / (epsilon * n)


def rows_of_means(d: int, alpha: float, epsilon: float, delta: float, beta: float = BETA) -> int:
    """Return the least n for a median error of α in Mahalanobis norm: that of χ²_d times 1/n + c²."""
    positive(alpha=alpha)
    median = float(chdtri(d, 0.5))

    def near(n: int) -> bool:
        return median * (1 / n + noise_of_means(n, d, epsilon, delta, beta) ** 2) <= alpha**2

    return smallest(near, fewest_rows_of_means(d, epsilon, delta, beta))


def fewest_rows_of_covariances(d: int, epsilon: float, delta: float, beta: float = BETA) -> int:
    """Return the least n that a covariance is given for: n ≥ 10 k λ₀ with k = ⌈4 ln(2/δ)/ε⌉ + 4 steps."""
    _checked(epsilon, delta)
    steps = ceil(4 * log(2 / delta) / epsilon) + 4
    return smallest(lambda n: n >= 10 * steps * threshold(n, d, beta))


def _checked(epsilon: float, delta: float) -> None:
    positive(epsilon=epsilon)
    probability(delta=delta)
