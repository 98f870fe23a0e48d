"""Lecture 17 on private univariate estimation: what n is needed, and what n is enough.

Lower bounds; sample sizes that are enough, with every constant (Lemma 2.2, Corollary 2.4, Theorems 2.5 and
2.8); what private histograms promise; and the displays (1), (2) and (6) with constant 1 on every term.

Unit variance throughout; Q is the upper tail of N(0, 1). The histogram has bins of width 1, ceil(2 R) of them
on [-R, R] with the end bins taking everything beyond, or countably many on the whole line. Counts get
Lap(2 / eps) or discrete Laplace noise (a^|z|, a = e^{-eps/2}), and the centre of the fullest bin is returned.
It is within 2.5 of the mean unless a *far* bin wins, one whose cell is at distance 2 or more. The bin that
holds the mean, at offset u, has mass Phi(u) + Phi(1 - u) - 1, at least p = Phi(1) - Phi(0) = .3413. On either
side there is at most one far bin per unit of distance, and one at distance 2 + i has mass at most Q(2 + i)
(.0228 for i = 0, attained by an end bin).
"""

from functools import partial
from math import ceil, exp, expm1, floor, log, log1p, sqrt

import numpy as np

from workbench.bounds import AT_ANY_DELTA, Shape, binomial_tail, formula, smallest
from workbench.special import ndtr, ndtri
from workbench.types import Array

UNIT_BIN = float(ndtr(1) - ndtr(0))  # p
FAR_MASS = 2 * float(ndtr(-4))  # mass further than 4 from the mean
_FAR = ndtr(-2.0 - np.arange(37))  # Q(2), Q(3), ...; the next one is 0 in double precision
_GRID = np.linspace(0.0, 1.0, 402)[1:-1]  # any exponent gives a valid bound; a finer grid changes n by < .1 %
_LARGEST = log(UNIT_BIN / float(_FAR[0]))  # beyond this exponent the base of the nearest far bin is above 1

# Lower bounds


@formula
def packing_bound_of_size(size: int, epsilon: float, beta: float) -> float:
    """Return the n that epsilon-DP needs to tell `size` distributions apart with probability 1 - beta each.

    log((S - 1)(1 - beta) / beta) / epsilon, or 0 (remark after Theorem 2.6). Replacing all n rows, each of
    the other S - 1 disjoint answers keeps probability at least exp(-epsilon n) (1 - beta) on data from one
    distribution, and together they have at most beta there.
    """
    return max(0.0, log((size - 1) * (1 - beta) / beta)) / epsilon if size > 1 else 0.0


@formula
def packing_bound(radius: float, alpha: float, epsilon: float, beta: float, *, strict: bool = True) -> float:
    """Return the n that epsilon-DP needs to find a mean in [-radius, radius] within alpha (Theorem 2.6).

    `packing_bound_of_size` with floor(R / alpha) + 1 centres 2 alpha apart, whose events |error| < alpha are
    disjoint; for |error| <= alpha (`strict=False`) they must be further apart: ceil(R / alpha). The source
    uses the 2 R - 3 integers with beta = 1/2, and keeps no constant.

    >>> round(packing_bound(1000.0, 0.1, 1.0, 0.5), 2)
    9.21
    """
    size = floor(radius / alpha) + 1 if strict else ceil(radius / alpha)
    return packing_bound_of_size(size, epsilon, beta)


@formula
def two_point_bound_stated(total_variation: float, epsilon: float) -> float:
    """Return the n of Lemma 2.7 by its own chain of inequalities, log(9) / (10 TV eps).

    Telling two distributions at distance TV apart with probability .99 needs n of order 1 / (TV eps): three
    events of probability .9 hold together, on which .9 <= exp(10 eps TV n) .1.
    """
    return log(9) / (10 * total_variation * epsilon)


@partial(formula, ranges=AT_ANY_DELTA)
def two_point_bound(
    total_variation: float, epsilon: float, beta: float, delta: float = 0.0, wrong: float | None = None
) -> int:
    """Return the smallest n with which some (epsilon, delta)-DP test may still err with probability beta.

    Telling apart two distributions at distance TV needs n of order 1 / (TV eps) (Lemma 2.7); a mean within
    alpha tells N(-alpha, 1) from N(alpha, 1), whose TV is 2 Phi(alpha) - 1. Here it is the smallest n with,
    for every h >= 0, kappa = delta / (e^eps - 1) and H ~ Bin(n, TV),

        1 - beta <= e^{eps h} beta + kappa (e^{eps h} - 1) + (1 + kappa) E[(1 - e^{eps (h - H)})_+]

    Couple the samples so that H rows differ; f and g are the probabilities of one answer on the two samples.
    Group privacy says f + kappa <= e^{eps H} (g + kappa), and for c = 1 + kappa
    min(c, e^{eps H} y) <= e^{eps h} y + c (1 - e^{eps (h - H)})_+. Take expectations: E f >= 1 - beta,
    E g <= beta. For delta = 0 no other use of this coupling gives more: the minimum over h is the dual of
    maximising E min(1, e^{eps H} y(H)) subject to E y(H) <= beta. The right side grows with n, because H
    grows stochastically, so bisection is exact. In e^{eps h} it is convex with kinks at the integers, so the
    best h is the first with (1 + kappa) E[e^{-eps H}; H > h] <= beta + kappa. An answer that is given on the
    wrong sample with probability `wrong` at most takes the place of beta there.

    Sharper than the source's own chain (`two_point_bound_stated`).

    >>> two_point_bound(0.0796557, 0.5, 0.01)
    140
    """
    kappa = delta * exp(-epsilon) / -expm1(-epsilon)
    wrong = beta if wrong is None else wrong
    log_m = log1p(total_variation * expm1(-epsilon))  # e^{-eps H} turns Bin(n, TV) into M^n times another
    tilted = min(1.0, total_variation * exp(-epsilon - log_m))

    def best_success(n: int) -> float:
        def discounted(h: int) -> float:  # E[e^{-eps H}; H > h]
            return exp(n * log_m) * float(binomial_tail(h + 1, n, tilted))

        h = smallest(lambda h: (1 + kappa) * discounted(h) <= wrong + kappa, start=0)
        growth = exp(epsilon * h)
        excess = float(binomial_tail(h + 1, n, total_variation)) - growth * discounted(h)
        return growth * wrong + kappa * (growth - 1) + (1 + kappa) * excess

    return smallest(lambda n: best_success(n) >= 1 - beta, start=0)


@formula
def sampling_bound(alpha: float, beta: float) -> int:
    """Return the smallest n with which any estimator finds an unrestricted unit-variance mean within alpha.

    ceil((z / alpha)^2), z the 1 - beta/2 normal quantile (first term of (1), (2), (6)); the sample mean
    attains it. Under the prior N(0, t^2) the posterior is normal, and by Anderson's lemma its centre is the
    best answer, right with probability 2 Phi(alpha sqrt(n + 1/t^2)) - 1. As t grows this falls to the success
    of the sample mean, which is the same for every mean: it is minimax. With the mean known to lie in [-R, R]
    it is a reference curve: the uniform prior shows that the best success probability exceeds
    2 Phi(alpha sqrt n) - 1 by at most 1 / (R sqrt(2 pi n)).

    >>> sampling_bound(0.1, 0.05)
    385
    """
    return ceil((float(ndtri(1 - beta / 2)) / alpha) ** 2)


# Sample sizes that are enough


def _error(n: int, reach: float, epsilon: float, beta: float, parts: int) -> Shape:
    """Return the error of a mean of n values clipped to `reach` around a point, with b = beta / parts each.

    z_{1 - b/2} / sqrt(n) + (2 w / (n eps)) log(1 / b), w = reach + sqrt(2 log(n / b)): b each for a value
    that is clipped, which lies beyond sqrt(2 log(n / b)) as 2 Q(t) <= e^{-t^2/2}, for the sample mean, and
    for Laplace noise of scale 2 w / (n eps).
    """
    share = beta / parts
    width = reach + sqrt(2 * log(n / share))
    return Shape(-float(ndtri(share / 2)) / sqrt(n), 2 * width / (n * epsilon) * -log(share))


@formula
def clipped_mean_error(n: int, radius: float, epsilon: float, beta: float) -> Shape:
    """Return an error bound, with probability 1 - beta, for the clipped mean of a mean in [-radius, radius].

    Of order 1 / sqrt(n) + (R + sqrt(log n)) / (n eps) (Lemma 2.2), with b = beta / 3. Values are clipped to
    [-w, w] instead of set to 0, with the same sensitivity 2 w / n.
    """
    return _error(n, radius, epsilon, beta, 3)


@formula
def clipped_mean_sample_size(alpha: float, radius: float, epsilon: float, beta: float) -> int:
    """Return the smallest n from which `clipped_mean_error` is at most alpha, as in (1).

    Both terms fall with n: n / beta is above e^{1/2}, so sqrt(log(3 n / beta)) / n does.
    """
    return smallest(lambda n: clipped_mean_error(n, radius, epsilon, beta).total <= alpha)


@formula
def two_step_error(n: int, epsilon: float, beta: float, *, split: float = 0.25) -> Shape:
    """Return the error of the two-step mean, provided its first step locates with probability 1 - beta / 4.

    Of order 1 / sqrt(n) + sqrt(log n) / (n eps), whatever R (Theorem 2.5): Lemma 2.2 around a centre within
    2.5 of the mean at (1 - split) eps, b = beta / 4 for each of its three events and for the location, which
    has split * eps. The source splits in halves and locates within 5.
    """
    return _error(n, 2.5, (1 - split) * epsilon, beta, 4)


@formula
def two_step_sample_size(
    alpha: float, radius: float, epsilon: float, beta: float, *, split: float = 0.25
) -> int:
    """Return an n with which the two-step mean is within alpha with probability 1 - beta, as in (2)."""
    mean = smallest(lambda n: two_step_error(n, epsilon, beta, split=split).total <= alpha)
    return max(mean, location_sample_size(radius, split * epsilon, beta / 4))


@formula
def unbounded_sample_size(
    alpha: float, epsilon: float, delta: float, beta: float, *, split: float = 0.25
) -> int:
    """Return an n with which the unbounded mean is within alpha with probability 1 - beta, as in (6).

    Theorem 2.5 with the stability-based histogram; log(1/delta) / eps replaces the range (Theorem 2.8).
    """
    mean = smallest(lambda n: two_step_error(n, epsilon, beta, split=split).total <= alpha)
    return max(mean, stable_location_sample_size(split * epsilon, delta, beta / 4))


@formula
def location_sample_size(radius: float, epsilon: float, beta: float) -> int:
    """Return an n of order log(R) / eps from which the histogram locates within 2.5 (Corollary 2.4).

    With probability 1 - beta: the smallest n with min over t in (0, eps/2) of G^2 sum_j (1 - p (1 - e^{-t}) +
    q_j (e^t - 1))^n <= beta, G = 1 / (1 - (2 t / eps)^2), the sum over k - 2 far bins of mass q_j. Far bin j
    wins only if N_j + L_j >= N_0 + L_0; Markov on e^{t (N_j - N_0 + L_j - L_0)}. The cell of the mean and a
    neighbour are never far. Where the sum is at most beta every base is below 1, so every power falls with n.
    G is the exponential moment of Laplace noise; that of discrete Laplace noise, (cosh s - 1) / (cosh s -
    cosh t) with s = eps/2, is smaller because log(sinh x / x) is convex.

    >>> location_sample_size(1000.0, 0.5, 0.1)
    185
    """
    far = float(ceil(2 * radius) - 2)
    t = _GRID * min(epsilon / 2, _LARGEST)
    pairs = np.clip(far - 2 * np.arange(_FAR.size), 0, 2)
    beyond = max(0, far - 2 * _FAR.size)

    def failure(n: int) -> float:
        wins = pairs @ _base(t, _FAR[:, None]) ** n + beyond * _base(t, 0.0) ** n
        return float((_noise_moment(t, epsilon) ** 2 * wins).min())

    return smallest(lambda n: failure(n) <= beta)


@formula
def stable_location_sample_size(epsilon: float, delta: float, beta: float) -> int:
    """Return an n of order log(1/delta) / eps from which the stability-based histogram locates within 2.5.

    With probability 1 - beta (first step of Theorem 2.8): the smallest n with A(n) + B(n) <= beta; with a_i =
    1 - p (1 - e^{-t}) + q_i (e^t - 1), A = min_t G^2 sum_i 2 min(a_i^n, n q_i e^t a_i^{n-1}) and B = min_t G
    e^{t T} (1 - p (1 - e^{-t}))^n, T = 3/2 + (2 / eps) log(1 / (2 delta)). B bounds the chance that the best
    bin is dropped, which needs N + noise <= T (Laplace noise needs 1/2 less; for the discrete one 1 + (2 /
    eps) log(1 / ((1 + a) delta)) <= T, as 2 / (1 + a) is at most e^{eps/4}). A bounds the chance that a
    populated far bin beats it, as in `location_sample_size` with 1{N_j >= 1} <= N_j for distant bins, over
    those t with n (1 - a_0) >= 1, where its terms fall with n.
    """
    threshold = 1.5 + 2 / epsilon * log(1 / (2 * delta))
    tried, masses = _GRID * min(epsilon / 2, _LARGEST), _FAR[:, None]
    kept = _GRID * min(epsilon / 2, 20.0)

    def beaten(n: int) -> float:  # A
        t = tried[n * (1 - _base(tried, float(_FAR[0]))) >= 1]
        if not t.size:
            return 1.0
        base = _base(t, masses)
        wins = 2 * np.minimum(base**n, n * masses * np.exp(t) * base ** (n - 1)).sum(axis=0)
        return float((_noise_moment(t, epsilon) ** 2 * wins).min())

    def dropped(n: int) -> float:  # B
        power = kept * threshold + n * np.log(_base(kept, 0.0))
        return float((_noise_moment(kept, epsilon) * np.exp(np.minimum(power, 1.0))).min())

    return smallest(lambda n: beaten(n) + dropped(n) <= beta)


def _base(t: Array, far: Array | float) -> Array:
    return 1 + UNIT_BIN * np.expm1(-t) + far * np.expm1(t)


def _noise_moment(t: Array, epsilon: float) -> Array:  # G
    return 1 / (1 - (2 * t / epsilon) ** 2)


# What private histograms promise


@formula
def histogram_error(bins: int, epsilon: float, beta: float) -> float:
    """Return t with P(max |noise| >= t) <= beta for `bins` counts with Laplace noise (Theorem 1.1).

    (2 / eps) log(k / beta): replacing a row moves two counts by 1, so that the noise is Lap(2 / eps), and
    P(|Lap(b)| >= t) = e^{-t/b}; a union over k bins.
    """
    return 2 / epsilon * log(bins / beta)


@formula
def discrete_histogram_error(bins: int, epsilon: float, beta: float) -> int:
    """Return the integer t with P(max |noise| > t) <= beta under discrete Laplace noise (Theorem 1.1).

    t + 1 is the least integer that is at least (2 / eps) log(2 k / ((1 + a) beta)): P(|Z| >= s) =
    2 a^s / (1 + a) for integers s >= 1; a union over k bins at s = t + 1.
    """
    return max(0, ceil(2 / epsilon * log(2 * bins / ((1 + exp(-epsilon / 2)) * beta))) - 1)


@formula
def stable_histogram_error(n: int, epsilon: float, delta: float, beta: float) -> float:
    """Return a bound that holds with probability 1 - beta for the error of every bin, empty ones included.

    1 + (2 / eps) (log(1 / (2 delta)) + log(n / beta)), of order log(1/delta) / eps (Theorem 1.2) only if
    delta is at most of order 1 / n. At most n bins hold a row and get Lap(2 / eps) noise, below
    (2 / eps) log(n / beta) for all of them; a bin is dropped at or below 1 + (2 / eps) log(1 / (2 delta)), so
    that its count is at most the sum.
    """
    return 1 + 2 / epsilon * (log(1 / (2 * delta)) + log(n / beta))


@formula
def bin_count_failure(n: int) -> float:
    """Return a bound on the probability that the histogram facts of Lemma 2.3 fail.

    In a grid of unit bins [j, j + 1], with probability 1 - exp(-Omega(n)), some bin holds at least .1 n rows,
    every bin with |mean - j| > 5 fewer than .02 n, so that the fullest bin has |mean - j| <= 5. The bound is
    P(Bin(n, p) < .1 n) + P(Bin(n, 2 Phi(-4)) >= .02 n): bins with |mean - j| > 5 lie outside the mean +- 4.
    Exact masses where the source uses .98 / 9 and .99; the grid covers the mean.

    >>> bin_count_failure(200) < 1e-6
    True
    """
    tenth, fiftieth = -(-n // 10), -(-n // 50)
    empty = float(binomial_tail(n - tenth + 1, n, 1 - UNIT_BIN))
    return min(1.0, empty + float(binomial_tail(fiftieth, n, FAR_MASS)))


# The displays: shapes, not guarantees; they assume alpha epsilon < 1, and the logarithm is 0 beyond


def _shape(alpha: float, epsilon: float, location: float) -> Shape:
    product = alpha * epsilon
    return Shape(1 / alpha**2, sqrt(max(0.0, -log(product))) / product, location)


@formula
def clipped_mean_shape(alpha: float, radius: float, epsilon: float) -> Shape:
    """Return the terms of (1): 1/alpha^2 + sqrt(log 1/(alpha eps)) / (alpha eps) + R/(alpha eps)."""
    return _shape(alpha, epsilon, radius / (alpha * epsilon))


@formula
def two_step_shape(alpha: float, radius: float, epsilon: float) -> Shape:
    """Return the terms of (2), where the range costs log(R) / eps (0 for R below 1).

    >>> two_step_shape(0.1, 1.0, 1.0).preconditioning
    0.0
    """
    return _shape(alpha, epsilon, max(0.0, log(radius)) / epsilon)


@formula
def unbounded_shape(alpha: float, epsilon: float, delta: float) -> Shape:
    """Return the terms of (6), where log(1/delta) / eps takes the place of the range."""
    return _shape(alpha, epsilon, -log(delta) / epsilon)
