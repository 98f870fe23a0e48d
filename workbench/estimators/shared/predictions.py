"""What predictions of errors share: medians of normal errors, and where an answer says nothing.

The error of a private estimate is nearly normal in many coordinates, sampling and noise added up, so that its
median follows from its root mean square. Of a filter on clean rows:

    (1) the fullest of K bins of noisy counts is one of the two next to the mean: if only n p rows are in each
        of those, p = Φ(1) - Φ(0) for bins of one standard deviation, the chance is
        P(max of 2 N(0, 1) + n p/σ > max of K - 2)^d
    (2) recentring leaves noise; rows that lie beyond the last ball from there are shrunk (`shrinking_bias`)
    (3) clean rows pass, so that all that is not spent by then is spent on the mean
"""

from dataclasses import dataclass
from functools import lru_cache
from math import hypot, inf, sqrt

import numpy as np

from workbench.special import brentq, chdtri, chndtr, ndtr
from workbench.types import Array

REPRESENTATIVES = 300  # equally likely sizes that stand for a law
POINTS, WEIGHTS = np.polynomial.hermite_e.hermegauss(80)  # for the standard normal law
_SHARES: Array = WEIGHTS / WEIGHTS.sum()
_GRID = np.linspace(-9.0, 9.0, 2001)  # of the largest of several normal values


@lru_cache(maxsize=1024)
def median_norm(freedom: float) -> float:
    """Return the median of the norm of N(0, I) in so many coordinates.

    >>> round(median_norm(1), 4)
    0.6745
    """
    return sqrt(float(chdtri(freedom, 0.5)))


def median_of_mean(rms: float, d: float) -> float:
    """Return the median norm of a normal vector of d equal coordinates with this root mean square."""
    return rms * median_norm(d) / sqrt(d)


def median_of_matrix(rms: float, d: int) -> float:
    """Return the median Frobenius norm of symmetric normal noise with this root mean square.

    It has d(d + 1)/2 coordinates, of equal variance where entries off the diagonal have half that on it.
    """
    return median_of_mean(rms, d * (d + 1) // 2)


def better_than(trivial: float, error: float) -> float:
    """Return the error, or infinity where it is not below that of an answer that looks at no row."""
    return error if error < trivial else inf


def median_norm_found(freedom: int, failure: float) -> float:
    """Return `median_norm` where a run fails with this chance, and fails with an infinite error."""
    return sqrt(float(chdtri(freedom, 1 - 0.5 / (1 - failure)))) if failure < 0.5 else inf


def median_beyond(sizes: Array, chances: Array, sd: float, d: int) -> float:
    """Return the median of |u + g| for |u| one of `sizes` by `chances`, g ~ N(0, sd² I_d); infinite from 1/2.

    What is missing to a sum of 1 is the chance of a failure, an infinite error.
    """
    order = np.argsort(sizes)
    mass = np.cumsum(chances[order])
    if mass[-1] <= 0.5:
        return inf
    places = np.searchsorted(mass, mass[-1] * (np.arange(REPRESENTATIVES) + 0.5) / REPRESENTATIVES)
    apart = sizes[order][places]

    def excess(t: float) -> float:
        return float(mass[-1] * chndtr((t / sd) ** 2, d, (apart / sd) ** 2).mean()) - 0.5

    return float(brentq(excess, 0.0, float(apart[-1]) + 10 * sd * sqrt(d), rtol=1e-6))


def chosen(log_weights: Array) -> Array:
    """Return the probabilities in proportion to exp(log_weights): the law of the exponential mechanism."""
    weights = np.exp(log_weights - log_weights.max())
    return np.asarray(weights / weights.sum())


def weighted_median(sizes: Array, chances: Array) -> float:
    """Return the median of a law on finitely many sizes."""
    order = np.argsort(sizes)
    mass = np.cumsum(chances[order])
    return float(sizes[order][np.searchsorted(mass, mass[-1] / 2)])


def median_noise_norm(d: int) -> float:
    """Return the median spectral norm of unit symmetric noise, to one per cent.

    √(2d), less what Tracy and Widom's law takes off it; the correction for small d is fitted.

    >>> [round(median_noise_norm(d), 2) for d in (1, 5, 100)]
    [0.67, 2.72, 13.92]
    """
    return float(sqrt(2 * d) - (0.45 + 0.29 / sqrt(d)) * d ** (-1 / 6))


def shrinking_bias(d: int, distance: float, clip: float) -> float:
    """Return how far the mean of rows N(μ, I_d), shrunk to the ball of radius `clip`, is from μ.

    μ is this `distance` from the ball's centre; of the rows' d - 1 coordinates across only the mean length
    counts.

    >>> round(shrinking_bias(3, 0.0, 1.0), 2), round(shrinking_bias(1, 1e6, 1e6), 2)
    (0.0, 0.4)
    """
    along = distance + POINTS
    length = np.hypot(along, np.sqrt(d - 1))
    beyond = np.maximum(length - clip, 0.0)
    cosine = np.divide(along, length, out=np.ones_like(along), where=length > 0)
    return abs(float(_SHARES @ (beyond * cosine)))


def located(ahead: float, bins: int, d: int) -> float:
    """Return the chance of (1): `ahead` is n p/σ.

    >>> located(20.0, 10, 3) > 0.999, round(located(0.0, 4, 1), 3)
    (True, 0.5)
    """
    best = np.diff(ndtr(_GRID) ** 2)
    middle = (_GRID[1:] + _GRID[:-1]) / 2
    return float(best @ ndtr(middle + ahead) ** max(bins - 2, 0)) ** d


@dataclass(frozen=True)
class CleanRun:
    """The public numbers of (1) to (3): n, d, the lead and its bins, the place of the ball, the last noise.

    `apart` is the rms distance of the last ball's centre from the mean, `noise` the sd of a coordinate of the
    mean's noise; in standard deviations.
    """

    n: int
    d: int
    ahead: float
    bins: int
    apart: float
    radius: float
    noise: float

    def median_error(self) -> float:
        """Return the median distance from the mean; infinite where it is more likely missed than found."""
        failure = 1 - located(self.ahead, self.bins, self.d)
        if failure >= 0.5:
            return inf
        rms = hypot(
            shrinking_bias(self.d, self.apart, self.radius), sqrt(self.d * (1 / self.n + self.noise**2))
        )
        return rms / sqrt(self.d) * median_norm_found(self.d, failure)
