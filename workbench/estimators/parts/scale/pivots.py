"""Critical values of private pivots, by simulation of their public law.

A release that is exactly equivariant has a pivot T, such as (out - mean)/sigma, whose law depends on n, the
budget and the design only: simulate it. With T_0 the pivot of a real run and T_1 .. T_B simulated ones, all
are independent with one law, so P(|T_0| ≤ k-th smallest |T_b|) ≥ k/(B + 1). Given the table the coverage is
Beta(k, B + 1 - k) distributed (stochastically larger with ties); k is chosen so that it is at least the
nominal one with probability .999 over the table. Only runs that answer are compared, so that the coverage
holds given an answer. Proof: `proofs/univariate.md`, section 9.
"""

from collections.abc import Callable
from math import inf
from typing import TypeAlias
from zlib import crc32

import numpy as np

from workbench.errors import ArgumentError
from workbench.privacy import NoiseSource, SimulatedNoise
from workbench.special import betainc
from workbench.types import Array

Simulate: TypeAlias = Callable[[Array, NoiseSource], float | None]

TABLE_RISK = 1e-3  # chance that a table is unlucky: covers less often than the nominal level
TABLE_SEED = 20191126


def rank(level: float, draws: int) -> int:
    """Return the least k for which Beta(k, draws + 1 - k) is below 1 - level with probability ≤ 1e-3.

    >>> rank(0.05, 20_000)
    19095
    """
    low, high = int(draws * (1 - level)), draws + 1
    while low + 1 < high:
        middle = (low + high) // 2
        short = float(betainc(middle, draws + 1 - middle, 1 - level)) > TABLE_RISK
        low, high = (middle, high) if short else (low, middle)
    if high > draws:
        raise ArgumentError("pivots", draws, f"enough draws for the level {level:g}")
    return high


def critical_value(name: str, n: int, simulate: Simulate, level: float, draws: int) -> float:
    """Return the critical value of |T| at `level`: `simulate` maps n normal rows and noise to |T|.

    A run without an answer is None; it has no pivot, and its interval is the whole line. The value is
    infinite where too few runs answer. `name` identifies the public design; equal names share one table.
    """
    answered = _table(name, n, draws, simulate)
    try:
        k = rank(level, len(answered))
    except ArgumentError:
        return inf
    return float(np.partition(answered, k - 1)[k - 1])


_TABLES: dict[tuple[str, int, int], Array] = {}


def _table(name: str, n: int, draws: int, simulate: Simulate) -> Array:
    key = (name, n, draws)
    if key not in _TABLES:
        seed = np.random.SeedSequence(TABLE_SEED, spawn_key=(crc32(name.encode()), n, draws))
        rng = np.random.default_rng(seed)
        noise = SimulatedNoise(rng)
        pivots = [simulate(rng.standard_normal(n), noise) for _ in range(draws)]
        _TABLES[key] = np.array([pivot for pivot in pivots if pivot is not None])
    return _TABLES[key]
