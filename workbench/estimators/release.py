"""What an estimator returns: a value or "no answer", the plan that paid for it, and what it promises.

What public numbers say of the error before a row is read, a proved bound or a prediction, comes with it.
"""

from dataclasses import dataclass, field
from functools import cached_property
from inspect import getdoc
from math import inf, isfinite, isnan
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import DTypeLike, NDArray

from workbench.distributions import Interval
from workbench.errors import ArgumentError, probability
from workbench.privacy import Budget, Plan

T = TypeVar("T")
Kind: TypeAlias = Literal["proved", "predicted"]
BETA = 0.05  # the chance that a stated bound leaves


@dataclass(frozen=True)
class Guarantee:
    """The promise of a release, for neighbours that differ in one replaced row.

    `requested` is what was asked for, where a source's own constants deliver something else.
    """

    budget: Budget
    neighbours: Literal["replace one row"] = "replace one row"
    model: Literal["central", "local"] = "central"
    requested: Budget | None = None

    def __str__(self) -> str:
        asked = f" (requested: {self.requested})" if self.requested else ""
        return f"{self.budget}{asked}, {self.neighbours}, {self.model} model"


@dataclass(frozen=True)
class Abstention:
    """The output "no answer" (the paper's bottom): one possible value of a private release.

    `step` is the step that gave none. Like every output it is covered by the privacy proof.
    """

    step: str

    def __str__(self) -> str:
        return f"no answer from step {self.step!r}"


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


@dataclass(frozen=True)
class Release(Generic[T]):
    """A private value, the plan that paid for it, and what it promises.

    A release of a number reads as one: `float(release)`, `f"{release:.1f}"`; `numpy.asarray(release)` copies
    the value. All three raise `ArgumentError` where it is "no answer".

    `error` is what public numbers say of how far off it may be: a proved bound, or a predicted median error,
    of the call that `asked` names; no data beyond the release. It is computed when it is looked at.
    """

    value: T | Abstention
    plan: Plan
    guarantee: Guarantee
    labels: tuple[str, ...] | None = None
    asked: Asked | None = field(default=None, repr=False)

    @cached_property
    def error(self) -> ErrorStatement | None:
        """The error that is stated before a row is read; None where none is."""
        return self.asked.error() if self.asked else None

    def interval(self, level: float = BETA) -> Interval:
        """Return an interval round the number, from public numbers and the release alone.

        It misses with probability at most `level` for rows that the estimator is accurate for, all of
        them there; the whole line where there is no answer.

        Raises
        ------
        ArgumentError
            If the estimator states no law of its error.
        """
        probability(level=level)
        asked = self.asked
        if asked is None or not isinstance(asked.estimator, Pivotal):
            allowed = (
                "the release of a mean of one column with a public law, as of UnboundedMean, ClippedMean"
            )
            raise ArgumentError("release.interval", type(self.value).__name__, allowed)
        if isinstance(self.value, Abstention):
            return Interval(-inf, inf)
        reach = asked.estimator.interval_reach(asked.n, asked.d, asked.budget, level)
        return Interval(float(self) - reach, float(self) + reach)

    @property
    def laws(self) -> str:
        """The laws of rows whose mean an interval covers, in words; empty for all other releases."""
        return str(getattr(self.asked.estimator, "laws", "")) if self.asked else ""

    @property
    def abstained(self) -> bool:
        """Whether the release is the output "no answer"."""
        return isinstance(self.value, Abstention)

    @property
    def _answer(self) -> T:
        if isinstance(self.value, Abstention):
            raise ArgumentError("release.value", self.value, "an answer (`abstained` tells)")
        return self.value

    def __float__(self) -> float:
        return float(self._answer)  # type: ignore[arg-type]

    def __format__(self, spec: str) -> str:
        return format(self._answer, spec) if spec else str(self)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        values = np.array(self._answer, dtype, copy=True if copy is None else copy)
        if values.dtype == object:
            raise TypeError(f"a value of type {type(self.value).__name__} is no array")
        return values

    def __str__(self) -> str:
        spent = "\n".join(f"  {step:<12} {mechanism:<20} {cost}" for step, mechanism, cost in self._rows())
        said = "".join(f"{line}\n" for line in self._said())
        return f"{_shown(self.value)}\n{said}{self.guarantee}\n{spent}"

    def _said(self) -> list[str]:
        laws = [f"covers the mean of {self.laws}"] if self.laws else []
        return laws + ([str(self.error)] if self.error else [])

    def _rows(self) -> list[tuple[str, str, str]]:
        return [(charge.step, charge.mechanism, str(charge.cost)) for charge in self.plan.charges()]

    def _repr_html_(self) -> str:
        rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in self._rows())
        head = "<tr><th>step</th><th>mechanism</th><th>cost</th></tr>"
        said = "".join(f"{line}<br>" for line in self._said())
        return (
            f"<p><b>{_shown(self.value)}</b><br>{said}{self.guarantee}</p>"
            f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
        )


def _shown(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
