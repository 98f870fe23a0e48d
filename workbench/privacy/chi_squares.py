"""The hockey-stick divergence of differences of chi-square variables: what the loss of a mask comes to."""

from functools import lru_cache
from math import exp, inf, sqrt

import numpy as np

from workbench.special import chdtr, chdtrc, chndtr
from workbench.types import Array

CELLS = 4000

Law = tuple[float, float]  # degrees of freedom and noncentrality of a chi-square variable


def hockey_stick(
    epsilon: float, threshold: float, p: tuple[float, Law, float, Law], q: tuple[float, Law, float, Law]
) -> float:
    """Return an upper bound on P(aX - bY > v) - e^ε Q(a'X' - b'Y' > v) that is close to it.

    `p` and `q` hold a, the law of X, b, the law of Y. Each probability is a sum over cells of Y, its factor
    taken at one end of the cell: too large for P, too small for Q.
    """
    return _difference_tail(*p, threshold, 0) - exp(epsilon) * _difference_tail(*q, threshold, 1)


def _difference_tail(a: float, first: Law, b: float, second: Law, threshold: float, end: int) -> float:
    """Return P(aX - bY > v), Y replaced by the lower (0) or upper (1) end of its cell."""
    if not first[0]:
        return float(_below(second, np.array(-threshold / b)))
    if not second[0]:
        return float(_above(first, np.array(threshold / a)))
    ends, masses = _cells(second)
    above, counted = np.zeros_like(masses), masses != 0
    above[counted] = _above(first, (threshold + b * ends[end : end + len(masses)][counted]) / a)
    return float(masses @ above)


@lru_cache(maxsize=1)  # both probabilities of a Wishart mask have the same second law
def _cells(law: Law) -> tuple[Array, Array]:
    """Return the ends of the cells, and the probability of each."""
    ends = np.concatenate([[0.0], np.linspace(*_reach(law), CELLS + 1), [inf]])
    return ends, np.diff(_below(law, ends))


def _reach(law: Law) -> tuple[float, float]:
    centre, spread = sum(law), sqrt(2 * (law[0] + 2 * law[1]))
    return max(0.0, centre - 10 * spread), centre + 14 * spread


def _below(law: Law, values: Array) -> Array:
    finite = np.clip(values, 0.0, 1e300)
    return np.asarray(chndtr(finite, *law) if law[1] else chdtr(law[0], finite))


def _above(law: Law, values: Array) -> Array:
    finite = np.clip(values, 0.0, 1e300)
    return np.asarray(1 - chndtr(finite, *law) if law[1] else chdtrc(law[0], finite))
