"""What public numbers say of an error before a row is read: a proved bound, or a prediction."""

from dataclasses import dataclass
from inspect import getdoc
from math import inf, isfinite, isnan
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np

from workbench.errors import ArgumentError
from workbench.privacy import Budget

Kind: TypeAlias = Literal["proved", "predicted"]
BETA = 0.05  # the chance that a stated bound leaves


@runtime_checkable
class Bounded(Protocol):
    """An estimator with a bound on its error in which every constant is explicit."""

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a number that the error exceeds with probability at most `beta`; infinite if n is too small.

        Parameters
        ----------
        n, d : int
            Rows, and columns: d = 1 for one column.
        budget : Budget
            Of the release that is asked about.
        beta : float
            Chance, at most, that the error is larger, strictly between 0 and 1.
        """
        ...


@runtime_checkable
class Predicted(Protocol):
    """An estimator that foresees its error from public numbers, on both sides of every cliff."""

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median error to expect, in the catalog's loss; infinite where it is uninformative.

        It is that of rows of the estimator's own model at the worst parameters within its public bounds; no
        answer is an infinite error. Uninformative is an answer no better than one that looks at no row.

        Parameters
        ----------
        n, d : int
            Rows, and columns: d = 1 for one column.
        budget : Budget
            Of the release that is asked about.
        """
        ...


@runtime_checkable
class Pivotal(Protocol):
    """An estimator of a number, the law of whose error does not depend on what it estimates."""

    def interval_reach(self, n: int, d: int, budget: Budget, level: float) -> float:
        """Return what the error exceeds with probability at most `level`; infinite if n is too small.

        Parameters
        ----------
        n, d : int
            Rows, and columns: d = 1 for one column.
        budget : Budget
            Of the release that is asked about.
        level : float
            Chance, at most, that an interval of this half-width misses, strictly between 0 and 1.
        """
        ...


@dataclass(frozen=True)
class ErrorStatement:
    """A statement on an error from public numbers.

    Parameters
    ----------
    value : float
        Infinite where they promise nothing.
    kind : {"proved", "predicted"}
        A bound that the error exceeds with probability at most .05, or the median error that is expected.
    meaning : str
        Of which distance, for which rows.
    """

    value: float
    kind: Kind
    meaning: str

    @property
    def informative(self) -> bool:
        """Whether an error is foreseen that is better than that of no answer."""
        return isfinite(self.value)

    def __str__(self) -> str:
        if self.kind == "proved":
            said = f"{self.value:.3g}, with probability {1 - BETA:g}" if self.informative else "none"
            return f"error bound: {said}, from public numbers"
        said = f"{self.value:.3g}" if self.informative else "uninformative: more rows or budget are needed"
        return f"predicted error: {said}, from public numbers"


@dataclass(frozen=True)
class Asked:
    """The public side of a call: the estimator, the numbers of rows and columns, the budget."""

    estimator: Any
    n: int
    d: int
    budget: Budget

    def error(self) -> ErrorStatement | None:
        """Return the bound where it is finite or alone, else the prediction; None where nothing is stated."""
        proved, predicted = self._proved(), self._predicted()
        return predicted if predicted and not (proved and proved.informative) else proved

    def _proved(self) -> ErrorStatement | None:
        if not isinstance(self.estimator, Bounded):
            return None
        ask = self.estimator.error_bound
        return ErrorStatement(_stated(ask, self.n, self.d, self.budget, BETA), "proved", meaning(ask))

    def _predicted(self) -> ErrorStatement | None:
        if not isinstance(self.estimator, Predicted):
            return None
        ask = self.estimator.predicted_error
        return ErrorStatement(_stated(ask, self.n, self.d, self.budget), "predicted", meaning(ask))


def meaning(ask: Any) -> str:
    """Return the meaning of the number that a method returns, from the first line of its docstring."""
    return (getdoc(ask) or "").partition("\n")[0].removeprefix("Return ").rstrip(".")


def _stated(ask: Any, *public: object) -> float:
    """Return the number, infinite where it needs more rows than an answer does."""
    try:
        with np.errstate(all="ignore"):
            value = float(ask(*public))
    except ArgumentError:
        return inf
    return inf if isnan(value) else value
