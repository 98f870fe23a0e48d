"""How n grows with every public number that a source names: one table a source, a row for each that moves.

Beside the number stand its values, the stated power, wrong ones nearby, the term that is looked at, and the
other numbers: such that this term stands out.
"""

from collections.abc import Callable
from itertools import chain
from math import inf
from typing import Any

from workbench.privacy import ApproxDP
from workbench.study.claim import Claim
from workbench.study.scaling import Move, Named, Public, Statement, follow
from workbench.study.search import fewest_rows

EPSILONS, DELTAS = (1.0, 0.5, 0.25, 0.125), (1e-2, 1e-4, 1e-8, 1e-16)
INVERSE, LEVEL = {"1/ε²": -2.0, "1/√ε": -0.5}, {"√ln 1/δ": 0.5, "ln² 1/δ": 2.0}
TO_16 = (2, 4, 8, 16)


def grow(
    id: str,
    number: str,
    sources: tuple[str, ...],
    statement: str,
    *tables: Statement,
    checks: Callable[..., Any] = follow,
    **more: Any,
) -> Claim:
    """Return the claim that the n of these tables grow as their statements say."""
    scalings = lambda: chain.from_iterable(table.scalings() for table in tables)  # noqa: E731
    return Claim(id, number, sources, statement, checks, scalings=scalings, **more)


def least(make: Any) -> Named:
    """Return the fewest rows that an estimator accepts, or that which `make` returns for a share ξ."""

    def fewest(d: int, epsilon: float, delta: float, corruption: float = 0.0) -> int:
        return fewest_rows(make(corruption) if corruption else make, int(d), ApproxDP(epsilon, delta))

    return fewest


def planned(
    id: str, key: str, usual: Public, shape: Named, moves: tuple[Move, ...], fewest: Named, **more: Any
) -> Statement:
    """Return a statement of which the plan's least n is looked at: nothing is run."""
    return Statement(id, key, usual, shape, moves, None, alpha=lambda: inf, fewest=fewest, **more)
