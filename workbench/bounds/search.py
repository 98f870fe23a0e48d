"""Exact searches over the integers, and the binomial tail they are usually run on."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.special import betainc


def smallest(predicate: Callable[[int], bool], start: int = 1) -> int:
    """Return the smallest integer from `start` on at which a monotone predicate is true.

    The predicate must stay true once it is; it is asked O(log answer) times.

    >>> smallest(lambda n: n * n >= 1000)
    32
    """
    low, high, step = start - 1, start, 1
    while not predicate(high):
        low, high, step = high, high + step, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if predicate(middle) else (middle, high)
    return high


def binomial_tail(count: ArrayLike, n: int, p: float) -> NDArray[np.float64]:
    """Return P(Bin(n, p) >= count), elementwise.

    >>> float(binomial_tail(1, 2, 0.5))
    0.75
    """
    k: Any = np.asarray(count, dtype=np.float64)
    inside = betainc(np.clip(k, 1, max(n, 1)), np.clip(n - k + 1, 1, max(n, 1)), p)
    return np.where(k <= 0, 1.0, np.where(k > n, 0.0, inside))
