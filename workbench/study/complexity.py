"""Sample sizes beside a verdict: what a statement's formula says, and what was measured.

A size stands in the detail of a check, under `sizes`, so that the table of all of them can be made from the
committed verdicts alone.
"""

from dataclasses import asdict, dataclass, replace
from math import inf
from typing import Protocol

from workbench.study.intervals import Interval
from workbench.study.verdict import Status, Verdict

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
    """

    statement: str
    formula: str
    predicted: float
    estimate: float
    interval: Interval


def sized(check: Verdict, *sizes: Complexity) -> Verdict:
    """Return the check with these sizes in its detail, after those that it has."""
    found = [*check.detail.get("sizes", ()), *(asdict(size) for size in sizes)]
    return replace(check, detail={**check.detail, "sizes": found})


def beside(check: Verdict, statement: str, formula: str, predicted: float, found: Measured) -> Verdict:
    """Return the check with the n that was measured, beside what a formula says."""
    return sized(check, Complexity(statement, formula, predicted, found.estimate, found.interval))


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
    return sized(check, Complexity(statement, formula, formula_rows, rows, (low, high)))


def in_proportion(check: Verdict, statement: str, formula: str, power: float = 1.0) -> Verdict:
    """Return a check of an error in n^-power with the n at which it would be the predicted one.

    The measured error at n rows is to its prediction as the n that the latter needs is to n, to that power.
    """
    n = float(check.n or 0)
    low, rows, high = (
        n * max(size / check.bound, 0.0) ** (1 / power)
        for size in (check.interval[0], check.estimate, check.interval[1])
    )
    return sized(check, Complexity(statement, formula, n, rows, (low, high)))
