"""Lower bounds: what no private estimator, or no estimator at all, can do with fewer rows."""

from math import ceil, exp, expm1, floor, log, log1p

import numpy as np

from workbench.bounds.search import binomial_tail, smallest
from workbench.errors import ArgumentError, integer_at_least, positive, probability, real
from workbench.special import ndtri


def packing_bound_of_size(size: int, epsilon: float, beta: float) -> float:
    """Return the n that epsilon-DP needs to tell `size` laws apart with probability 1 - beta each.

    Statement (remark after Theorem 2.6): a packing of size S costs Omega(log S) / epsilon.
    Formula: n >= log((S - 1)(1 - beta) / beta) / epsilon, or 0 if that is negative.
    Derivation: replacing all n rows, each of the other S - 1 disjoint answers keeps probability at least
    exp(-epsilon n) (1 - beta) on data from one law, and together they have at most beta there.
    """
    integer_at_least(1, size=size)
    positive(epsilon=epsilon)
    probability(beta=beta)
    return max(0.0, log((size - 1) * (1 - beta) / beta)) / epsilon if size > 1 else 0.0


def packing_bound(radius: float, alpha: float, epsilon: float, beta: float, *, strict: bool = True) -> float:
    """Return the n that epsilon-DP needs to find a mean in [-radius, radius] within alpha.

    Statement (Theorem 2.6): with alpha = .1 and beta = 1/2 a pure-DP estimator needs n of order log(R) / eps.
    Formula: `packing_bound_of_size` with N = floor(R / alpha) + 1.
    Derivation: N centres 2 alpha apart fit in an interval of length 2 R, and the events |error| < alpha are
    disjoint. For |error| <= alpha (`strict=False`) the centres must be further apart: N = ceil(R / alpha).
    Departure: the source uses the integers, that is 2 R - 3 centres and beta = 1/2, and keeps no constant.

    >>> round(packing_bound(1000.0, 0.1, 1.0, 0.5), 2)
    9.21
    """
    positive(radius=radius, alpha=alpha)
    size = floor(radius / alpha) + 1 if strict else ceil(radius / alpha)
    return packing_bound_of_size(size, epsilon, beta)


def two_point_bound_stated(total_variation: float, epsilon: float) -> float:
    """Return the n of Lemma 2.7 by its own chain of inequalities.

    Statement: telling two laws at distance TV apart with probability .99 needs n of order 1 / (TV eps).
    Formula: n >= log(9) / (10 TV eps).
    Derivation: three events of probability .9 hold together, on which .9 <= exp(10 eps TV n) .1.
    """
    _check_two_point(total_variation, epsilon, 0.01, 0.0)
    return log(9) / (10 * total_variation * epsilon)


def two_point_bound_tail(total_variation: float, epsilon: float, beta: float, delta: float = 0.0) -> int:
    """Return the smallest n that the coupling of Lemma 2.7 allows if it is cut at one Hamming distance.

    Formula: the smallest n with 1 - beta <= e^{eps h} beta + P(H > h) + delta (e^{eps h} - 1)/(e^eps - 1)
    for every h >= 0, where H ~ Bin(n, TV).
    Derivation: couple the samples so that H rows differ. On H <= h group privacy bounds the probability of
    a right answer under one law by that of a wrong one under the other; on H > h it is at most 1.
    Departure: keeps the whole law of H where the source uses Markov's inequality and a union bound.
    `two_point_bound` is never smaller up to terms of order delta.
    """
    kappa = _check_two_point(total_variation, epsilon, beta, delta)

    def allowed(n: int) -> bool:
        # Beyond log(1/beta) / epsilon the first term alone exceeds 1.
        h = np.arange(min(n, int(-log(beta) / epsilon)) + 1)
        growth = np.exp(epsilon * h)
        bound = growth * beta + binomial_tail(h + 1, n, total_variation) + kappa * (growth - 1)
        return bool(bound.min() >= 1 - beta)

    return smallest(allowed, start=0)


def two_point_bound(total_variation: float, epsilon: float, beta: float, delta: float = 0.0) -> int:
    """Return the smallest n with which some (epsilon, delta)-DP test may still err with probability beta.

    Statement (Lemma 2.7): telling apart two laws at distance TV privately needs n of order 1 / (TV eps).
    Estimating a mean within alpha tells N(-alpha, 1) from N(alpha, 1), whose TV is 2 Phi(alpha) - 1.

    Formula: the smallest n with, for every h >= 0, kappa = delta / (e^eps - 1) and H ~ Bin(n, TV),
    1 - beta <= e^{eps h} beta + kappa (e^{eps h} - 1) + (1 + kappa) E[(1 - e^{eps (h - H)})_+].

    Derivation: couple the samples so that H rows differ; f and g are the probabilities of one answer on the
    two samples. Group privacy says f + kappa <= e^{eps H} (g + kappa), and for c = 1 + kappa
    min(c, e^{eps H} y) <= e^{eps h} y + c (1 - e^{eps (h - H)})_+. Take expectations: E f >= 1 - beta,
    E g <= beta. For delta = 0 no other use of this coupling gives more: the minimum over h is the dual of
    maximising E min(1, e^{eps H} y(H)) subject to E y(H) <= beta.
    The right side grows with n, because H grows stochastically, so bisection is exact. In e^{eps h} it is
    convex with kinks at the integers, so the best h is the first with
    (1 + kappa) E[e^{-eps H}; H > h] <= beta + kappa.

    Departure: sharper than cutting at h (`two_point_bound_tail`) and than the source's own chain
    (`two_point_bound_stated`).

    >>> two_point_bound(0.0796557, 0.5, 0.01), two_point_bound_tail(0.0796557, 0.5, 0.01)
    (140, 111)
    """
    kappa = _check_two_point(total_variation, epsilon, beta, delta)
    return smallest(lambda n: _best_success(n, total_variation, epsilon, beta, kappa) >= 1 - beta, start=0)


def _best_success(n: int, total_variation: float, epsilon: float, beta: float, kappa: float) -> float:
    """Return the least right side over h; e^{-eps H} turns Bin(n, TV) into M^n times another binomial."""
    log_m = log1p(total_variation * expm1(-epsilon))
    tilted = min(1.0, total_variation * exp(-epsilon - log_m))

    def discounted(h: int) -> float:  # E[e^{-eps H}; H > h]
        return exp(n * log_m) * float(binomial_tail(h + 1, n, tilted))

    h = smallest(lambda h: (1 + kappa) * discounted(h) <= beta + kappa, start=0)
    growth = exp(epsilon * h)
    excess = float(binomial_tail(h + 1, n, total_variation)) - growth * discounted(h)
    return growth * beta + kappa * (growth - 1) + (1 + kappa) * excess


def _check_two_point(total_variation: float, epsilon: float, beta: float, delta: float) -> float:
    """Return kappa = delta / (e^eps - 1)."""
    if not (real(total_variation) and 0 < total_variation <= 1):
        raise ArgumentError("total_variation", total_variation, "a number above 0, at most 1")
    positive(epsilon=epsilon)
    probability(beta=beta)
    if not (real(delta) and 0 <= delta < 1):
        raise ArgumentError("delta", delta, "a number from 0 to below 1")
    return delta * exp(-epsilon) / -expm1(-epsilon)


def sampling_bound(alpha: float, beta: float) -> int:
    """Return the smallest n with which any estimator finds an unrestricted unit-variance mean within alpha.

    Statement (first term of (1), (2), (6)): without privacy n of order 1 / alpha^2.
    Formula: ceil((z / alpha)^2), z the 1 - beta/2 normal quantile; the sample mean attains it.
    Derivation: under the prior N(0, t^2) the posterior is normal, and by Anderson's lemma its centre is the
    best answer, right with probability 2 Phi(alpha sqrt(n + 1/t^2)) - 1. As t grows this falls to the
    success of the sample mean, which is the same for every mean: it is minimax.
    With the mean known to lie in [-R, R] it is a reference curve: the uniform prior shows that the best
    success probability exceeds 2 Phi(alpha sqrt n) - 1 by at most 1 / (R sqrt(2 pi n)).

    >>> sampling_bound(0.1, 0.05)
    385
    """
    positive(alpha=alpha)
    probability(beta=beta)
    return ceil((float(ndtri(1 - beta / 2)) / alpha) ** 2)
