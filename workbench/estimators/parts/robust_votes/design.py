"""The design of a vote of robust groups, from a public table of how close they stay under attack.

As in `parts.votes.design`, with the groups of a public table (`parts.robust_votes.table`) in the place of
normal ones:

    Q₀ = 1 - p - 6σ/√k - .01 - A - (S/ε_t) ln(1/β)

p is the share of pairs that are no friends at the worst of several attacks, σ the deviation of a group's
share of friends: the share of friendly pairs, a U-statistic, has deviation 2σ/√k. A hundredth is for other
attacks.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from math import isfinite, sqrt
from typing import Any

from workbench.errors import ArgumentError
from workbench.estimators.parts.robust_votes.table import FAR, Row, rows_for
from workbench.estimators.parts.votes.design import Designer, Moves, fewest
from workbench.estimators.parts.votes.vote import Design
from workbench.privacy import ApproxDP

LEAST = 200  # groups
MARGIN = 0.01


@lru_cache(maxsize=1024)
def robust_design(n: int, *asked: Any) -> tuple[Row, Design]:
    """Return the design for n rows whose mask is narrowest, with its row of the table.

    It is asked for by what the vote is on, d, the corruption, the budget, β, the kind of the mask, the bound
    on a row's effect, and what the narrowness has to exceed.

    Raises
    ------
    ArgumentError
        If there is none.
    """
    _, d, _, budget, *_ = asked
    found = _found(n, *asked)
    if not found:
        raise ArgumentError("n", n, f"at least {fewest_robust(*asked)} for d = {d} at {budget}")
    return max(found, key=lambda one: one[1].narrowness)


@contextmanager
def refused_whole(n: int, fewest_rows: Callable[[], int], d: int, budget: ApproxDP) -> Iterator[None]:
    """Refuse the n rows that were given, where what became of them, pairs or a share, is refused."""
    try:
        yield
    except ArgumentError as error:
        if error.argument != "n":
            raise
        raise ArgumentError("n", n, f"at least {fewest_rows()} for d = {d} at {budget}") from None


@lru_cache(maxsize=256)
def fewest_robust(*asked: Any) -> int:
    """Return the fewest rows that have a design; the arguments of `robust_design` but n."""
    return fewest(lambda n: _found(n, *asked) or None, LEAST)


def _found(
    n: int,
    of: str,
    d: int,
    corruption: float,
    budget: ApproxDP,
    beta: float,
    kind: str,
    moves: Moves,
    least: float,
) -> list[tuple[Row, Design]]:
    rows = [row for row in rows_for(d, corruption, of) if n // row.size >= LEAST]
    tried = [(row, made) for row in rows for made in _designs(n // row.size, row, budget, beta, kind, moves)]
    return [(row, made) for row, made in tried if made.narrowness > least]


def _designs(k: int, row: Row, budget: ApproxDP, beta: float, kind: str, moves: Moves) -> Iterator[Design]:
    designer = Designer(kind, moves, lambda size: row.limits, (row.size,))
    for far, limit in zip(FAR, row.limits, strict=True):
        friends = 1 - far - 6 * row.spread(far) / sqrt(k) - MARGIN
        if isfinite(limit):
            yield from designer.of(k, row.size, friends, limit, budget, beta)
