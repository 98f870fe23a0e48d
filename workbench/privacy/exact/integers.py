"""Random integers without a float: uniform ones by rejection, and coins of exact bias."""

import os
from collections.abc import Callable
from typing import TypeAlias

from workbench.errors import ArgumentError, integer_at_least, real

Read: TypeAlias = Callable[[int], bytes]
"""A source of bytes: how many are wanted goes in."""


def system(count: int) -> bytes:
    """Return random bytes of the operating system."""
    return os.urandom(count)


def below(m: int, read: Read = system) -> int:
    """Return a uniform integer of 0, .., m - 1: as many random bits as m - 1 has, until they are below m."""
    integer_at_least(1, m=m)
    bits = (int(m) - 1).bit_length()
    size = -(-bits // 8)
    while True:
        drawn = int.from_bytes(read(size), "little") >> (8 * size - bits)
        if drawn < m:
            return drawn


def lattice(low: int, high: int, read: Read = system) -> int:
    """Return a uniform integer of low, .., high, both included."""
    integer_at_least(low, high=high)
    return int(low) + below(int(high) - int(low) + 1, read)


def bernoulli(p: float, read: Read = system) -> bool:
    """Return True with probability p, exactly that binary fraction."""
    if not (real(p) and 0 <= p <= 1):
        raise ArgumentError("p", p, "a probability")
    numerator, denominator = float(p).as_integer_ratio()
    return below(denominator, read) < numerator
