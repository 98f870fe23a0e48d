"""Sample sizes beside a verdict: what a statement's formula says, and what was measured.

A size stands in the detail of a check, under `sizes`, so that the table of all of them can be made from the
committed verdicts alone.
"""

from dataclasses import asdict, dataclass, replace
from math import inf
from typing import Literal, Protocol, TypeAlias, get_args

from workbench.errors import one_of
from workbench.study.intervals import Interval
from workbench.study.verdict import Status, Verdict

Kind: TypeAlias = Literal["searched", "error", "tried", "planned"]
ENOUGH = {Status.HOLDS: (0.0, 1.0), Status.REFUTED: (1.0, inf), Status.UNDECIDED: (0.0, inf)}


class Measured(Protocol):
    """A number with its interval: a measure, or a crossing."""

    @property
    def estimate(self) -> float:
        """What was measured."""

    @property
    def interval(self) -> Interval:
        """Its interval."""


@dataclass(frozen=True)
class Complexity:
    """One n.

    Parameters
    ----------
    statement : str
        Id of the numbered statement.
    formula : str
        Its n in words or symbols, the same for all settings.
    predicted : float
        The formula's value; nan if it rests on a measured n that the grid does not bracket.
    estimate, interval : float, tuple of float
        The n that was measured, nan likewise. An interval from 0 to the estimate says that so many rows are
        enough; one from the estimate to infinity that they are not.
    kind : str
        `searched`: n moved until the wanted share of runs succeeded. `error`: converted from an error at one
        n, by its rate. `tried`: n rows are enough, or not. `planned`: what a plan asks for, without a run.
    """

    statement: str
    formula: str
    predicted: float
    estimate: float
    interval: Interval
    kind: Kind = "searched"

    def __post_init__(self) -> None:
        one_of(get_args(Kind), kind=self.kind)


def sized(check: Verdict, *sizes: Complexity) -> Verdict:
    """Return the check with these sizes in its detail, after those that it has."""
    found = [*check.detail.get("sizes", ()), *(asdict(size) for size in sizes)]
    return replace(check, detail={**check.detail, "sizes": found})


def beside(
    check: Verdict,
    statement: str,
    formula: str,
    predicted: float,
    found: Measured,
    kind: Kind = "searched",
) -> Verdict:
    """Return the check with the n that was found, beside what a formula says."""
    return sized(check, Complexity(statement, formula, predicted, found.estimate, found.interval, kind))


def enough(
    check: Verdict, statement: str, formula: str, n: int | None = None, predicted: float | None = None
) -> Verdict:
    """Return a check at one n with the size that it decides: n rows are enough, or not, or it is open.

    Parameters
    ----------
    n
        The rows, by default those of the check.
    predicted
        What the formula says, by default n itself: the rows of a plan.
    """
    rows = float(check.n or 0) if n is None else float(n)
    low, high = (rows * end for end in ENOUGH[check.status])
    formula_rows = rows if predicted is None else float(predicted)
    return sized(check, Complexity(statement, formula, formula_rows, rows, (low, high), "tried"))


def in_proportion(check: Verdict, statement: str, formula: str, power: float = 1.0) -> Verdict:
    """Return a check of an error in n^-power with the n at which it would be the predicted one.

    The measured error at n rows is to its prediction as the n that the latter needs is to n, to that power.
    """
    n = float(check.n or 0)
    low, rows, high = (
        n * max(size / check.bound, 0.0) ** (1 / power)
        for size in (check.interval[0], check.estimate, check.interval[1])
    )
    return sized(check, Complexity(statement, formula, n, rows, (low, high), "error"))
