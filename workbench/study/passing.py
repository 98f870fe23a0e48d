"""The chance that a count passes a threshold under truncated Laplace noise: public."""

from math import exp


def passing(epsilon: float, bound: float, h: float) -> float:
    """Return P(h + Z > A) for truncated Laplace noise Z on [-A, A] of scale 1/ε.

    >>> passing(1.0, 10.0, 0.0), passing(1.0, 10.0, 10.0), passing(1.0, 10.0, 20.0)
    (0.0, 0.5, 1.0)
    """
    z, mass = bound - h, 2 * (1 - exp(-epsilon * bound))
    tail = max((exp(-epsilon * abs(z)) - exp(-epsilon * bound)) / mass, 0.0)
    return tail if z >= 0 else 1 - tail
