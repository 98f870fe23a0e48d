"""Neighbours as a reader writes them down."""

from collections.abc import Iterable
from typing import Any

from workbench.errors import ArgumentError
from workbench.study.audit.audit import Pair

PAIRS = "a list of Pair, of (first, second) or of (name, first, second), or a function that returns one"


def neighbours(name: str, found: Any) -> list[Pair]:
    """Return the pairs of a list, or of a function that returns one."""
    listed = found() if callable(found) else found
    if isinstance(listed, Pair):
        listed = [listed]
    if isinstance(listed, str) or not isinstance(listed, Iterable):
        raise ArgumentError(name, type(listed).__name__, PAIRS)
    pairs = [_pair(name, place, one) for place, one in enumerate(listed)]
    if not pairs:
        raise ArgumentError(name, "nothing", PAIRS)
    return pairs


def _pair(name: str, place: int, one: Any) -> Pair:
    if isinstance(one, Pair):
        return one
    parts = one if isinstance(one, tuple | list) else ()
    match len(parts):
        case 2:
            return Pair(f"pair {place + 1}", *parts)
        case 3:
            return Pair(str(parts[0]), *parts[1:])
    raise ArgumentError(name, type(one).__name__, PAIRS)
