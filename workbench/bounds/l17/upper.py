"""Sample sizes that are enough, with every constant: Lemma 2.2, Corollary 2.4, Theorems 2.5 and 2.8.

Unit variance throughout. The histogram has bins of width 1, ceil(2 R) of them on [-R, R] with the end bins
taking everything beyond, or countably many on the whole line. Counts get Lap(2 / eps) or discrete Laplace
noise (a^|z|, a = e^{-eps/2}), and the centre of the fullest bin is returned. It is within 2.5 of the mean
unless a *far* bin wins, one whose cell is at distance 2 or more. The bin that holds the mean has mass at
least p = Phi(1) - Phi(0) = .3413 (at offset u it is Phi(u) + Phi(1 - u) - 1, least at u = 0). On either side
there is at most one far bin per unit of distance, and one at distance 2 + i has mass at most Q(2 + i)
(.0228 for i = 0, attained by an end bin).
"""

from dataclasses import dataclass
from math import ceil, log, sqrt

import numpy as np

from workbench.bounds.search import smallest
from workbench.errors import ArgumentError, integer_at_least, positive, probability, real
from workbench.special import ndtr, ndtri
from workbench.types import Array

_HELD = float(ndtr(1) - ndtr(0))
_FAR = ndtr(-2.0 - np.arange(37))  # Q(2), Q(3), ...; the next one is 0 in double precision
_GRID = np.linspace(0.0, 1.0, 402)[
    1:-1
]  # every exponent gives a valid bound; a finer grid changes n by < .1 %


@dataclass(frozen=True)
class ErrorTerms:
    """What sampling and what the privacy noise contributes to an error bound."""

    sampling: float
    noise: float

    @property
    def total(self) -> float:
        """Sum of the terms."""
        return self.sampling + self.noise


def _error(n: int, reach: float, epsilon: float, beta: float, parts: int) -> ErrorTerms:
    """Return the error of a mean of n values clipped to `reach` around a point, with beta / parts per event.

    The events are: a value is clipped, the sample mean is off, the noise Lap(2 w / (n eps)) is large. Values
    stay within sqrt(2 log(n / b)) of the mean with probability 1 - b, since 2 Q(t) <= e^{-t^2/2}.
    """
    integer_at_least(1, n=n)
    positive(epsilon=epsilon)
    probability(beta=beta)
    share = beta / parts
    width = reach + sqrt(2 * log(n / share))
    return ErrorTerms(-float(ndtri(share / 2)) / sqrt(n), 2 * width / (n * epsilon) * -log(share))


def clipped_mean_error(n: int, radius: float, epsilon: float, beta: float) -> ErrorTerms:
    """Return an error bound, with probability 1 - beta, for the clipped mean of a mean in [-radius, radius].

    Statement (Lemma 2.2): the error is of order 1 / sqrt(n) + (R + sqrt(log n)) / (n eps).
    Formula: z_{1 - b/2} / sqrt(n) + (2 w / (n eps)) log(1 / b) with b = beta / 3, w = R + sqrt(2 log(n / b)).
    Derivation: b each for a clipped value, the sample mean, and Laplace noise of scale 2 w / (n eps).
    Departure: values are clipped to [-w, w] instead of set to 0, with the same sensitivity 2 w / n.
    """
    positive(radius=radius)
    return _error(n, radius, epsilon, beta, 3)


def clipped_mean_sample_size(alpha: float, radius: float, epsilon: float, beta: float) -> int:
    """Return the smallest n from which `clipped_mean_error` is at most alpha, as in (1).

    Both terms fall with n: n / beta is above e^{1/2}, so sqrt(log(3 n / beta)) / n does.
    """
    positive(alpha=alpha)
    return smallest(lambda n: clipped_mean_error(n, radius, epsilon, beta).total <= alpha)


def two_step_error(n: int, epsilon: float, beta: float, *, split: float = 0.25) -> ErrorTerms:
    """Return the error of the two-step mean, provided its first step locates with probability 1 - beta / 4.

    Statement (Theorem 2.5): the error is of order 1 / sqrt(n) + sqrt(log n) / (n eps), whatever R.
    Formula: z_{1 - b/2} / sqrt(n) + 2 w / (n (1 - split) eps) log(1 / b), b = beta / 4,
    w = 2.5 + sqrt(2 log(n / b)).
    Derivation: Lemma 2.2 around a centre within 2.5 of the mean, with b for each of its three events and b
    for the location. The first step spends split * epsilon.
    Departure: the source splits in halves and locates within 5.
    """
    probability(split=split)
    return _error(n, 2.5, (1 - split) * epsilon, beta, 4)


def two_step_sample_size(
    alpha: float, radius: float, epsilon: float, beta: float, *, split: float = 0.25
) -> int:
    """Return an n with which the two-step mean is within alpha with probability 1 - beta, as in (2)."""
    positive(alpha=alpha)
    mean = smallest(lambda n: two_step_error(n, epsilon, beta, split=split).total <= alpha)
    return max(mean, location_sample_size(radius, split * epsilon, beta / 4))


def unbounded_sample_size(
    alpha: float, epsilon: float, delta: float, beta: float, *, split: float = 0.25
) -> int:
    """Return an n with which the unbounded mean is within alpha with probability 1 - beta, as in (6).

    Statement (Theorem 2.8): Theorem 2.5 with the stability histogram; log(1/delta) / eps replaces the range.
    """
    positive(alpha=alpha)
    mean = smallest(lambda n: two_step_error(n, epsilon, beta, split=split).total <= alpha)
    return max(mean, stable_location_sample_size(split * epsilon, delta, beta / 4))


def location_sample_size_closed(radius: float, epsilon: float, beta: float) -> int:
    """Return the closed form max(92 log(4 / beta), (27.1 / eps) log(2 k / beta)), k = ceil(2 R).

    Statement (Corollary 2.4): n of order log(R) / eps locates the mean.
    Derivation: far bins hold at most 2 Q(2) = .0455 together, a gap of g = .2958 to the best bin. Hoeffding
    at beta / 4 for either count and the union over noises at beta / 2 leave n g > sqrt(2 n log(4 / beta))
    + (4 / eps) log(2 k / beta); give half of the gap to each: 2 / (g/2)^2 = 91.4 and 4 / (g/2) = 27.04.
    """
    bins = _bins(radius, epsilon, beta)
    return ceil(max(92 * log(4 / beta), 27.1 / epsilon * log(2 * bins / beta)))


def location_sample_size(radius: float, epsilon: float, beta: float) -> int:
    """Return an n from which the histogram locates within 2.5 with probability 1 - beta.

    Statement (Corollary 2.4), by exponential moments in place of the closed form's two separate unions.
    Formula: the smallest n with min over t in (0, eps/2) of G^2 sum_j (1 - p (1 - e^{-t}) + q_j (e^t - 1))^n
    <= beta, G = 1 / (1 - (2 t / eps)^2), the sum over k - 2 far bins of mass q_j.
    Derivation: far bin j wins only if N_j + L_j >= N_0 + L_0; Markov on e^{t (N_j - N_0 + L_j - L_0)}. The
    cell of the mean and a neighbour are never far. Where the sum is at most beta every base is below 1, so
    every power falls with n. G is the exponential moment of Laplace noise; that of discrete Laplace noise,
    (cosh s - 1) / (cosh s - cosh t) with s = eps/2, is smaller because log(sinh x / x) is convex.

    >>> location_sample_size(1000.0, 0.5, 0.1), location_sample_size_closed(1000.0, 0.5, 0.1)
    (185, 575)
    """
    far = float(_bins(radius, epsilon, beta) - 2)
    t = _GRID * min(epsilon / 2, _LARGEST)
    pairs = np.clip(far - 2 * np.arange(_FAR.size), 0, 2)
    beyond = max(0, far - 2 * _FAR.size)

    def failure(n: int) -> float:
        wins = pairs @ _base(t, _FAR[:, None]) ** n + beyond * _base(t, 0.0) ** n
        return float((_noise_moment(t, epsilon) ** 2 * wins).min())

    return smallest(lambda n: failure(n) <= beta)


def stable_location_sample_size_closed(epsilon: float, delta: float, beta: float) -> int:
    """Return the closed form of Theorem 2.8's first step, log(1/delta) / eps in place of the range.

    Formula: the smallest n with n >= 92 log(4 / beta), n >= (27.1 / eps) log(2 n / beta) and
    n / 4 >= 1 + (2 / eps) (log(1 / (2 delta)) + log(4 / beta)).
    Derivation: as `location_sample_size_closed` with at most n populated bins, whose noises exceed
    (2 / eps) log(2 n / beta) with probability beta / 4; the best count is at least (p - .0738) n >= n / 4 and
    its noise above -(2 / eps) log(4 / beta) except with probability beta / 8, so it passes the threshold.
    """
    _check_delta(epsilon, delta, beta)
    least = 4 * (1 + 2 / epsilon * (log(1 / (2 * delta)) + log(4 / beta)))
    start = ceil(max(92 * log(4 / beta), least))
    return smallest(lambda n: n >= 27.1 / epsilon * log(2 * n / beta), start=start)


def stable_location_sample_size(epsilon: float, delta: float, beta: float) -> int:
    """Return an n from which the stability histogram locates within 2.5 with probability 1 - beta.

    Statement (first step of Theorem 2.8): n of order log(1/delta) / eps locates any mean.
    Formula: the smallest n with A(n) + B(n) <= beta; with a_i = 1 - p (1 - e^{-t}) + q_i (e^t - 1),
    A = min_t G^2 sum_i 2 min(a_i^n, n q_i e^t a_i^{n-1}) and B = min_t G e^{t T} (1 - p (1 - e^{-t}))^n,
    T = 3/2 + (2 / eps) log(1 / (2 delta)).
    Derivation: B bounds the chance that the best bin is dropped, which needs N + noise <= T (Laplace noise
    needs 1/2 less; for the discrete one 1 + (2 / eps) log(1 / ((1 + a) delta)) <= T, as 2 / (1 + a) is at
    most e^{eps/4}). A bounds the chance that a populated far bin beats it, as in `location_sample_size` with
    1{N_j >= 1} <= N_j for distant bins, over those t with n (1 - a_0) >= 1, where its terms fall with n.
    """
    _check_delta(epsilon, delta, beta)
    threshold = 1.5 + 2 / epsilon * log(1 / (2 * delta))
    return smallest(lambda n: _beaten(n, epsilon) + _dropped(n, epsilon, threshold) <= beta)


_LARGEST = log(_HELD / float(_FAR[0]))  # beyond this exponent the base of the nearest far bin is above 1


def _base(t: Array, far: Array | float) -> Array:
    return 1 + _HELD * np.expm1(-t) + far * np.expm1(t)


def _noise_moment(t: Array, epsilon: float) -> Array:
    return 1 / (1 - (2 * t / epsilon) ** 2)


def _beaten(n: int, epsilon: float) -> float:
    t = _GRID * min(epsilon / 2, _LARGEST)
    t = t[n * (1 - _base(t, float(_FAR[0]))) >= 1]
    if not t.size:
        return 1.0
    mass = _FAR[:, None]
    base = _base(t, mass)
    wins = 2 * np.minimum(base**n, n * mass * np.exp(t) * base ** (n - 1)).sum(axis=0)
    return float((_noise_moment(t, epsilon) ** 2 * wins).min())


def _dropped(n: int, epsilon: float, threshold: float) -> float:
    t = _GRID * min(epsilon / 2, 20.0)
    power = t * threshold + n * np.log(_base(t, 0.0))
    return float((_noise_moment(t, epsilon) * np.exp(np.minimum(power, 1.0))).min())


def _bins(radius: float, epsilon: float, beta: float) -> int:
    positive(radius=radius, epsilon=epsilon)
    probability(beta=beta)
    return ceil(2 * radius)


def _check_delta(epsilon: float, delta: float, beta: float) -> None:
    positive(epsilon=epsilon)
    probability(beta=beta)
    if not (real(delta) and 0 < delta < 0.5):
        raise ArgumentError("delta", delta, "a number strictly between 0 and 1/2")
