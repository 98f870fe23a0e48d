"""What predictions of errors share: medians of normal errors, and where an answer says nothing.

The error of a private estimate is nearly normal in many coordinates, sampling and noise added up, so that its
median follows from its root mean square.
"""

from functools import lru_cache
from math import inf, sqrt

import numpy as np
from scipy.special import chdtri, chndtr

from workbench.privacy.roots import brentq
from workbench.types import Array

REPRESENTATIVES = 300  # equally likely sizes that stand for a law


@lru_cache(maxsize=1024)
def median_norm(freedom: int) -> float:
    """Return the median of the norm of N(0, I) in so many coordinates.

    >>> round(median_norm(1), 4)
    0.6745
    """
    return sqrt(float(chdtri(freedom, 0.5)))


def median_of_mean(rms: float, d: int) -> float:
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
