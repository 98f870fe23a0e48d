"""What the private histograms of the lecture promise, with every constant."""

from math import ceil, exp, log, pi, sqrt

from workbench.bounds.search import binomial_tail
from workbench.errors import ArgumentError, finite, integer_at_least, positive, probability, real
from workbench.losses import total_variation_of_means
from workbench.special import ndtr

UNIT_BIN = float(ndtr(1) - ndtr(0))  # the least mass, over the grid's offset, of the fullest bin of width 1
FAR_MASS = 2 * float(ndtr(-4))  # mass further than 4 from the mean


def histogram_error(bins: int, epsilon: float, beta: float) -> float:
    """Return t with P(max |noise| >= t) <= beta for `bins` counts under the Laplace mechanism.

    Statement (Theorem 1.1): t = (2 / eps) log(k / beta).
    Derivation: replacing a row moves two counts by 1, so the noise is Lap(2 / eps), and
    P(|Lap(b)| >= t) = e^{-t/b}; a union over k bins.
    """
    integer_at_least(1, bins=bins)
    positive(epsilon=epsilon)
    probability(beta=beta)
    return 2 / epsilon * log(bins / beta)


def discrete_histogram_error(bins: int, epsilon: float, beta: float) -> int:
    """Return the integer t with P(max |noise| > t) <= beta under discrete Laplace noise.

    Statement: Theorem 1.1 for P(Z = z) proportional to a^|z|, a = e^{-eps/2}.
    Formula: t + 1 is the least integer that is at least (2 / eps) log(2 k / ((1 + a) beta)).
    Derivation: P(|Z| >= s) = 2 a^s / (1 + a) for integers s >= 1; a union over k bins at s = t + 1.
    """
    histogram_error(bins, epsilon, beta)
    return max(0, ceil(2 / epsilon * log(2 * bins / ((1 + exp(-epsilon / 2)) * beta))) - 1)


def stable_histogram_error(n: int, epsilon: float, delta: float, beta: float) -> float:
    """Return a bound that holds with probability 1 - beta for the error of every bin, empty ones included.

    Statement (Theorem 1.2): the error is of order log(1/delta) / eps with probability .99.
    Formula: 1 + (2 / eps) (log(1 / (2 delta)) + log(n / beta)).
    Derivation: at most n bins hold a row and get Lap(2 / eps) noise, below (2 / eps) log(n / beta) for all of
    them; a bin is dropped at or below 1 + (2 / eps) log(1 / (2 delta)), so its count is at most the sum.
    Departure: log(n / beta) is of the stated order only if delta is at most of order 1 / n.
    """
    integer_at_least(1, n=n)
    positive(epsilon=epsilon)
    probability(beta=beta)
    if not (real(delta) and 0 < delta < 0.5):
        raise ArgumentError("delta", delta, "a number strictly between 0 and 1/2")
    return 1 + 2 / epsilon * (log(1 / (2 * delta)) + log(n / beta))


def bin_count_failure(n: int) -> float:
    """Return a bound on the probability that the histogram facts of Lemma 2.3 fail.

    Statement: in a grid of unit bins [j, j + 1], with probability 1 - exp(-Omega(n)), some bin holds at least
    .1 n rows, every bin with |mean - j| > 5 fewer than .02 n, so that the fullest bin has |mean - j| <= 5.
    Formula: P(Bin(n, Phi(1) - Phi(0)) < .1 n) + P(Bin(n, 2 Phi(-4)) >= .02 n).
    Derivation: the bin that holds the mean at offset u has mass Phi(u) + Phi(1 - u) - 1, least at u = 0;
    bins with |mean - j| > 5 lie outside the mean +- 4, so all of them together hold Bin(n, 2 Phi(-4)).
    Departure: exact masses where the source uses .98 / 9 and .99; the grid covers the mean.

    >>> bin_count_failure(200) < 1e-6
    True
    """
    integer_at_least(1, n=n)
    tenth, fiftieth = -(-n // 10), -(-n // 50)
    empty = float(binomial_tail(n - tenth + 1, n, 1 - UNIT_BIN))
    return min(1.0, empty + float(binomial_tail(fiftieth, n, FAR_MASS)))


def mean_gap_bounds(gap: float) -> tuple[float, float]:
    """Return the two sides of Fact 2.1 with their best constants.

    Statement: min(gap, 1) is at most of the order of TV between N(m, 1) and N(m + gap, 1), TV of that of gap.
    Formula: .3829 min(gap, 1) <= 2 Phi(gap / 2) - 1 <= gap / sqrt(2 pi).
    Derivation: TV is concave in the gap: below its tangent at 0 and above its chord to gap = 1.
    """
    finite(gap=gap)
    return total_variation_of_means(1.0) * min(abs(gap), 1.0), abs(gap) / sqrt(2 * pi)
