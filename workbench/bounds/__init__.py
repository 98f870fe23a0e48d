"""Statements that are no estimator: lower bounds, explicit sample sizes, shapes; one module per source.

What the modules share: the terms of a sample size, exact searches, and `formula`, which refuses an argument
that is not what its name means.
"""

from collections.abc import Callable, Mapping
from functools import partial, wraps
from inspect import signature
from math import inf
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from workbench.errors import in_range, integer_at_least, plain, positive, probability
from workbench.special import betainc
from workbench.types import Array, frozen, reals

F = TypeVar("F", bound=Callable[..., Any])


@frozen
class Shape:
    """Terms of a sample size: without privacy, of the last noisy step, and of finding place or shape before.

    Of an error its first two.

    >>> Shape(1.0, 2.0, 3.0).total
    6.0
    """

    sampling: float
    noise: float
    preconditioning: float = 0.0

    @property
    def total(self) -> float:
        """Sum of the terms."""
        return self.sampling + self.noise + self.preconditioning


def below(most: float, **shares: object) -> None:
    """Raise unless every argument lies strictly between 0 and `most`."""
    in_range(0, most, "()", **shares)


RANGES: dict[str, Callable[..., None]] = {
    **dict.fromkeys(("d", "n", "rows", "bins", "size"), partial(integer_at_least, 1)),
    **dict.fromkeys(("p", "moments"), partial(integer_at_least, 2)),
    **dict.fromkeys(("alpha", "epsilon", "rho", "eta", "radius", "sd", "t", "width", "margin"), positive),
    **dict.fromkeys(("noise", "degree", "variance", "largest_variance", "diagonal_sd"), positive),
    "upper": partial(in_range, 1, inf, "[)"),
    **dict.fromkeys(("delta", "beta", "zeta", "split"), probability),
    "total_variation": partial(in_range, 0, 1, "(]"),
    **dict.fromkeys(("gap", "spread"), partial(below, 1 + 1e-12)),
    "corruption": partial(below, 0.5),
}
"""What an argument of a formula is, by its name."""


AT_ANY_DELTA: dict[str, Callable[..., None]] = {
    **RANGES,
    **dict.fromkeys(("delta", "wrong"), partial(in_range, 0, 1, "[)")),
}
"""The same for a formula that holds at δ = 0, too."""


def formula(function: F, ranges: Mapping[str, Callable[..., None]] = RANGES) -> F:
    """Return the function of plain numbers, which refuses those that are not in their range."""
    asked = signature(function)

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        numbers = asked.bind(*given, **named).arguments
        for name, value in numbers.items():
            numbers[name] = plain(value)
            if name in ranges and not (value is None and asked.parameters[name].default is None):
                ranges[name](**{name: numbers[name]})
        return function(**numbers)

    return cast(F, call)


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


def binomial_tail(count: ArrayLike, n: int, p: float) -> Array:
    """Return P(Bin(n, p) >= count), elementwise.

    >>> float(binomial_tail(1, 2, 0.5))
    0.75
    """
    k: Any = reals(count)
    inside = betainc(np.clip(k, 1, max(n, 1)), np.clip(n - k + 1, 1, max(n, 1)), p)
    return np.where(k <= 0, 1.0, np.where(k > n, 0.0, inside))
