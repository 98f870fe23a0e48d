"""The fewest rows at which an estimator answers at all: below them its plan refuses."""

from typing import Any

from workbench.bounds.search import smallest
from workbench.errors import ArgumentError
from workbench.estimators import Estimator
from workbench.privacy import Budget

MOST = 10**12


def fewest_rows(estimator: Estimator[Any], d: int, budget: Budget) -> int:
    """Return the smallest n whose plan is accepted, found by doubling and bisection.

    Raises
    ------
    ArgumentError
        The plan's own, if it refuses for another reason than n, or at 10¹² rows still.
    """

    def answered(n: int) -> bool:
        if n > MOST:
            estimator.plan(n, d, budget)
        return accepts(estimator, n, d, budget)

    return smallest(answered)


def accepts(estimator: Estimator[Any], n: int, d: int, budget: Budget) -> bool:
    """Return whether the plan takes n rows; raise if it refuses anything else."""
    try:
        estimator.plan(n, d, budget)
    except ArgumentError as error:
        if error.argument != "n":
            raise
        return False
    return True
