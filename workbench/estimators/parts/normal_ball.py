"""What clipping to a ball, and keeping a ball, does to the moments of standard normal rows.

Exact, by chi-square laws: with F_k the distribution function of chi² with k degrees of freedom,

    clipped moment      E[min(|z|², r²)]/d = (d F_{d+2}(r²) + r² (1 - F_d(r²)))/d, z in d dimensions
    kept moment         E[z zᵀ | |z|² ≤ ρ] = κ I,  κ = F_{q+2}(ρ)/F_q(ρ), z in q dimensions

κ is also the slope of E[z + m | |z + m|² ≤ ρ] in m at 0: cutting a ball out shrinks a small offset by it.
"""

from functools import lru_cache
from math import inf, sqrt

import numpy as np

from workbench.special import chdtr, chdtri, gammainc, gammaincc
from workbench.types import Array


@lru_cache(maxsize=4096)
def radius_within(d: int, outside: float) -> float:
    """Return r with P(|z| > r) = `outside` for z standard normal in d dimensions.

    >>> round(radius_within(1, 0.05), 4)
    1.96
    """
    return sqrt(float(chdtri(d, outside)))


def kept_share(squared: Array, d: int) -> Array:
    """Return E min(|z|², R²)/d for standard normal z: what the ball of radius R leaves of each variance."""
    return np.asarray(gammainc(d / 2 + 1, squared / 2) + squared / d * gammaincc(d / 2, squared / 2))


def clipped_moment(d: int, radius: float) -> float:
    """Return the variance in every direction of normal rows clipped to the ball of `radius`.

    >>> clipped_moment(3, 1e9), round(clipped_moment(1, 1.0), 3)
    (1.0, 0.516)
    """
    return float(kept_share(np.asarray(radius**2), d))


def kept_moment(q: int, cut: float) -> float:
    """Return κ, the variance in every direction of the normal rows in q dimensions with |z|² ≤ cut.

    1 where nothing is cut: q = 0, or an infinite cut.

    >>> kept_moment(2, inf), round(kept_moment(1, 1.0), 3)
    (1.0, 0.291)
    """
    if not q or cut == inf:
        return 1.0
    return float(chdtr(q + 2, cut) / chdtr(q, cut))
