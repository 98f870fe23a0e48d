"""How round CoinPress makes a covariance: what becomes of its smallest axes, in expectation.

In the frame A of a step, T = A Σ Aᵀ is hardest to measure where all its eigenvalues are one small b: noise
over b is what the error in the norm of Σ sees. The step's noise N is independent of T, with eigenvalues that
are spread like a semicircle of radius r = sd √(2(d + 1)), exact in the second moment. With U of the next
frame,

    tr((A' Σ A'ᵀ)⁻¹) = tr(U T⁻¹),   U = T + N + e        mode "proved", where e exceeds r
                                    U = (T + N)₊ + e     mode "practical"

and E tr(U T⁻¹) = E tr(U)/b for T = b I. So b ← b/(E(b + x)₊ + e), x from the semicircle: at first a factor
above 1 as long as noise and e are below it, and 1 - e in the end. Where a step's divisor reaches 1, no number
of steps finds the axes: the cliff. Larger axes do no harm: a mixed spectrum has less noise in its small axes.
"""

from math import asin, pi, sqrt

import numpy as np

_ANGLES = np.pi * np.arange(1, 64) / 64
_NODES, _SHARES = np.cos(_ANGLES), np.sin(_ANGLES) ** 2 / 32  # for the semicircle on [-1, 1]


def positive_mean(b: float, radius: float) -> float:
    """Return E(b + x)₊ for b ≥ 0 and x from a semicircle.

    >>> round(positive_mean(0.0, 1.0), 4), positive_mean(2.0, 1.0)
    (0.2122, 2.0)
    """
    if b >= radius:
        return b
    share = b / radius
    height = sqrt(1 - share**2)
    return b * (0.5 + (share * height + asin(share)) / pi) + radius * 2 * height**3 / (3 * pi)


def noise_radius(d: int, sd: float) -> float:
    """Return the radius of the eigenvalues of symmetric noise: sd on the diagonal, sd/√2 off it."""
    return sd * sqrt(2 * (d + 1))


def mean_size(b: float, radius: float, excess: float) -> float:
    """Return E[b/((b + x)₊ + e)], the mean eigenvalue of a frame that was b I, for `excess` e > 0.

    It is above the b of the recursion, the harmonic mean: it is what the ball of the last step cuts.

    >>> round(mean_size(0.5, 0.0, 0.5), 4)
    0.5
    """
    return float(_SHARES @ (b / (np.maximum(b + radius * _NODES, 0.0) + excess)))
