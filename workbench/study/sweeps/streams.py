"""Random streams addressed by what they are for, so that no result depends on who computes it when.

A stream is named by (seed, role, name, point, block). Nothing else enters: not the number of workers, not
their order, and not the other points of the grid, because a point is addressed by its content.
"""

import json
from collections.abc import Mapping
from enum import IntEnum
from math import isinf
from zlib import crc32

from numpy.random import Generator, SeedSequence, default_rng

from workbench.errors import ArgumentError, integer_at_least

WORD = 2**32  # every part of a spawn key is one 32-bit word, so two different keys never spell the same


class Role(IntEnum):
    """What a stream is for. The numbers are part of every seed: append, never renumber."""

    DATA = 0  # the sample
    NOISE = 1  # the estimator's own draws
    PIVOT = 2  # the law of a pivot, simulated to calibrate a constant
    BOOTSTRAP = 3  # resampling of results
    ADVERSARY = 4  # corruption of the sample
    SCREEN = 5  # samples on which something is chosen
    CONFIRM = 6  # fresh samples on which the choice is tested


def stream(seed: int, role: Role, name: str, point: int, block: int) -> Generator:
    """Return the generator of one block of one point of the study `name`.

    >>> stream(1, Role.DATA, "demo", 0, 0).integers(100) == stream(1, Role.NOISE, "demo", 0, 0).integers(100)
    np.False_
    """
    integer_at_least(0, seed=seed, point=point, block=block)
    for argument, value in (("point", point), ("block", block)):
        if value >= WORD:
            raise ArgumentError(argument, value, "an integer below 2**32")
    key = (int(Role(role)), crc32(name.encode()), int(point), int(block))
    return default_rng(SeedSequence(int(seed), spawn_key=key))


def resampler(seed: int, name: str) -> Generator:
    """Return the generator of a claim's resampling."""
    return stream(seed, Role.BOOTSTRAP, name, 0, 0)


def point_id(point: Mapping[str, float | int | str]) -> int:
    """Return the id of a grid point: the CRC-32 of the canonical JSON of its parameters.

    Points that compare equal have the same id: neither the order of the keys nor int against float matters.

    >>> point_id({"n": 1000, "d": 5}) == point_id({"d": 5.0, "n": 1e3})
    True
    """
    canonical = {name: _canonical(value) for name, value in point.items()}
    return crc32(json.dumps(canonical, sort_keys=True, separators=(",", ":")).encode())


def _canonical(value: float | int | str) -> float | int | str:
    if isinstance(value, str) or isinf(value) or value != int(value):
        return value
    return int(value)
