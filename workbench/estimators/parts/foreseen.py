"""What predictions of errors share: medians of normal errors, and where an answer says nothing.

The error of a private estimate is nearly normal in many coordinates, sampling and noise added up, so that its
median follows from its root mean square.
"""

from functools import lru_cache
from math import inf, sqrt

from scipy.special import chdtri


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
