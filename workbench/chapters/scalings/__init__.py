"""How n grows with every public number that a source names: one table a source, a row for each that moves.

A row has the number and its values, the stated power, wrong ones nearby, the term that is looked at, and the
other numbers where they differ from the table's usual ones: such that this term stands out.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from itertools import chain
from math import inf
from typing import Any

from workbench.privacy import ApproxDP
from workbench.study.rules import Claim, Status
from workbench.study.scaling import Move, Named, Public, Statement, follow
from workbench.study.search import fewest_rows

Powers = Mapping[str, float]

DELTAS = (1e-2, 1e-4, 1e-8, 1e-16)
INVERSE, LEVEL = {"1/ε²": -2.0, "1/√ε": -0.5}, {"√ln 1/δ": 0.5, "ln² 1/δ": 2.0}  # beside 1/ε and ln 1/δ
LINEAR, QUADRATIC = {"d²": 2.0, "√d": 0.5}, {"d": 1.0, "d³": 3.0}  # beside d and d²
SQUARED, SINGLE = {"1/α": -1.0}, {"1/α²": -2.0, "1/√α": -0.5}  # beside 1/α² and 1/α
TO_16 = (2, 4, 8, 16)


def row(
    variable: str, values: Iterable[float], power: float, instead: Powers, term: str, *,
    logarithm: bool = False, part: str = "noise", said: str = "", share: float | None = None,
    caps: Mapping[str, int] | None = None, **beside: Any,
) -> Move:  # fmt: skip
    """Return one row of a table; `beside` are the other numbers that are not the usual ones."""
    return Move(variable, tuple(values), power, instead, term, beside, logarithm, part, said, share, caps)


def halved(first: float, by: int = 2) -> tuple[float, ...]:
    return tuple(first / by**times for times in range(4))


def in_alpha(first: float, power: float, term: str, instead: Powers | None = None, **more: Any) -> Move:
    return row("alpha", halved(first), power, instead or {-1: SINGLE, -2: SQUARED}[int(power)], term, **more)


def in_epsilon(first: float, term: str, power: float = -1, instead: Powers = INVERSE, **more: Any) -> Move:
    return row("epsilon", halved(first), power, instead, term, **more)


def in_delta(
    term: str, power: float = 1, instead: Powers = LEVEL, values: Iterable[float] = DELTAS, **more: Any
) -> Move:
    return row("delta", values, power, instead, term, logarithm=True, **more)


def grow(
    id: str, number: str, statement: str, *tables: Statement, sources: Iterable[str] = (),
    checks: Callable[..., Any] = follow, open: str = "", slower: str = "", **more: Any,
) -> Claim:  # fmt: skip
    """Return the claim that the n of these tables grow as their statements say.

    Where that is not what is found, with the reason: why it is `open`, or which n grow `slower` than an upper
    bound, which is then not contradicted.
    """
    found = Status.UNDECIDED if open else Status.NOT_CONTRADICTED if slower else Status.HOLDS
    sources = tuple(sources) or tuple(dict.fromkeys(table.id for table in tables))
    scalings = lambda: chain.from_iterable(table.scalings() for table in tables)  # noqa: E731
    return Claim(
        id,
        number,
        sources,
        statement,
        checks,
        scalings=scalings,
        expected=found,
        reason=open or slower,
        **more,
    )


def least(make: Any) -> Named:
    """Return the fewest rows that an estimator accepts, or that which `make` returns for a share ξ."""

    def fewest(d: int, epsilon: float, delta: float, corruption: float = 0.0) -> int:
        return fewest_rows(make(corruption) if corruption else make, int(d), ApproxDP(epsilon, delta))

    return fewest


def term(shape: Callable[..., Any], name: str = "total") -> Named:
    """Return one term of a statement's n as a function of the same public numbers."""

    @wraps(shape)
    def found(*public: float, **named: float) -> float:
        return float(getattr(shape(*public, **named), name))

    return found


PLANNED: Public = {"block": None, "alpha": lambda: inf}  # the plan's least n: nothing is run
