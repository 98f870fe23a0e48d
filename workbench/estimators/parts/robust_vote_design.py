"""The design of a vote of robust groups, from a public table of how close they stay under attack.

As in `parts.vote_design`, with the groups of a public table (`parts.robust_table`) in the place of normal
ones:

    Q₀ = 1 - p - 6σ/√k - .01 - A - (S/ε_t) ln(1/β)

p is the share of pairs that are no friends at the worst of several attacks, σ the deviation of a group's
share of friends: the share of friendly pairs, a U-statistic, has deviation 2σ/√k. A hundredth is for other
attacks.
"""

from collections.abc import Iterator
from math import isfinite, sqrt

from workbench.errors import ArgumentError
from workbench.estimators.parts.robust_table import FAR, Row, rows_for
from workbench.estimators.parts.vote_design import SHARES, Design, Designer, Moves, split
from workbench.privacy import ApproxDP

LEAST = 200  # groups
MARGIN = 0.01


def robust_designs(
    of: str, n: int, d: int, corruption: float, budget: ApproxDP, beta: float, kind: str, moves: Moves
) -> list[tuple[Row, Design]]:
    """Return the designs for n rows and a kind of mask, narrowest first, each with its row of the table.

    Raises
    ------
    ArgumentError
        If there are none.
    """
    rows = [row for row in rows_for(d, corruption, of) if n // row.size >= LEAST]
    found = [(row, made) for row in rows for made in _designs(n // row.size, row, budget, beta, kind, moves)]
    if not found:
        raise ArgumentError("n", n, f"more rows for d = {d} at {budget}")
    return sorted(found, key=lambda one: -one[1].narrowness)


def _designs(k: int, row: Row, budget: ApproxDP, beta: float, kind: str, moves: Moves) -> Iterator[Design]:
    designer = Designer(kind, moves, lambda size: row.limits, (row.size,))
    for share in SHARES:
        cost = split(budget, share, kind)[0]
        for far, limit in zip(FAR, row.limits, strict=True):
            friends = 1 - far - 6 * row.spread(far) / sqrt(k) - MARGIN
            found = designer.thresholds(k, friends, limit, cost, beta) if isfinite(limit) else None
            if found is not None:
                yield Design(row.size, limit, *found, kind, budget, share)
