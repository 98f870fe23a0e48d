"""What an estimator returns: a value or "no answer", the plan that paid for it, and what it promises."""

import re
from contextlib import suppress
from dataclasses import field
from functools import cached_property
from inspect import getdoc
from itertools import groupby
from math import inf, isfinite, isnan
from typing import Any, Generic, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from workbench.distributions import Interval
from workbench.errors import ArgumentError, real
from workbench.privacy import Budget, Charge, Plan
from workbench.types import frozen

T = TypeVar("T")
Kind: TypeAlias = Literal["proved", "predicted"]
BETA = 0.05  # the chance that a stated bound leaves
UNCENTRED = "for rows of another mean this is the second moment about 0, not their covariance"
FOR_OTHERS = "for others IntervalMean, n at least about 1200/ε, or BoundedMean(low=, high=)"


@frozen
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


@frozen
class Abstention:
    """The output "no answer" (the paper's bottom): one possible value of a private release.

    `step` is the step that gave none. Like every output it is covered by the privacy proof.
    """

    step: str

    def __str__(self) -> str:
        return f"no answer from step {self.step!r}"


@frozen
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
        return isfinite(self.value)

    def __str__(self) -> str:
        if self.kind == "proved":
            said = f"{self.value:.3g}, with probability {1 - BETA:g}" if self.informative else "none"
            return f"error bound: {said}, from public numbers"
        said = f"{self.value:.3g}" if self.informative else "uninformative: more rows or budget are needed"
        return f"predicted error: {said}, from public numbers"


@frozen
class Asked:
    """The public side of a call: the estimator, the numbers of rows and columns, the budget."""

    estimator: Any
    n: int
    d: int
    budget: Budget

    def error(self) -> ErrorStatement | None:
        """Return the bound where it is finite or alone, else the prediction; None where nothing is stated."""
        proved = self._said("error_bound", "proved", BETA)
        predicted = self._said("predicted_error", "predicted")
        return predicted if predicted and not (proved and proved.informative) else proved

    @property
    def other_rows(self) -> str:
        """What the estimator says of rows that are not of its distribution; empty where it says nothing."""
        say = getattr(self.estimator, "other_rows", None)
        return say(self.n, self.d, self.budget) if say else ""

    def _said(self, name: str, kind: Kind, *more: float) -> ErrorStatement | None:
        ask = getattr(self.estimator, name, None)
        if ask is None:
            return None
        value = inf  # where it needs more rows than an answer does
        with suppress(ArgumentError), np.errstate(all="ignore"):
            value = float(ask(self.n, self.d, self.budget, *more))
        return ErrorStatement(inf if isnan(value) else value, kind, meaning(ask))


def meaning(ask: Any) -> str:
    """Return the meaning of the number that a method returns, from the first line of its docstring."""
    return (getdoc(ask) or "").partition("\n")[0].removeprefix("Return ").rstrip(".")


@frozen
class Release(Generic[T]):
    """A private value, the plan that paid for it, and what it promises.

    A release of a number reads as one: `float(release)`, `f"{release:.1f}"`; `numpy.asarray(release)` copies
    the value. All three raise `ArgumentError` where it is "no answer".

    `error` is what public numbers say of how far off it may be, of the call that `asked` names: a proved
    bound or a predicted median error.
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

    def interval(self, confidence: float = 1 - BETA) -> Any:
        """Return an interval round what is released, from public numbers and the release alone.

        It covers with probability `confidence`, at least ½: for `BoundedMean`, `Count` and `Histogram` (an
        interval for each bin) whatever the distribution of the rows; for `ClippedMean`, `TwoStepMean` and
        `UnboundedMean` the mean of normal rows only, all of them there. The mean of others may be further
        away by what `other_rows` says: use `IntervalMean` (n at least about 1200/ε) or, between bounds,
        `BoundedMean(low=, high=)`.
        """
        if not (real(confidence) and 0.5 <= confidence < 1):
            raise ArgumentError("confidence", confidence, "the probability of covering, from 0.5 to below 1")
        asked: Any = self.asked
        exact = getattr(asked and asked.estimator, "interval", None)
        reach_of: Any = getattr(asked and asked.estimator, "interval_reach", None)
        if not (exact or reach_of):
            allowed = "the release of a mean whose distribution is public, as of BoundedMean or ClippedMean"
            raise ArgumentError("release.interval", type(self.value).__name__, allowed)
        if self.abstained:
            return Interval()
        if exact:
            return exact(self.value, asked.n, asked.budget, 1 - confidence)
        reach = reach_of(asked.n, asked.d, asked.budget, 1 - confidence)
        return Interval(float(self) - reach, float(self) + reach)

    @property
    def laws(self) -> str:
        """The distributions of rows whose mean an interval covers, in words; empty where none is told."""
        return str(getattr(self.asked.estimator, "laws", "")) if self.asked else ""

    @property
    def other_rows(self) -> str:
        """What public numbers say of rows of another distribution, in words; empty where nothing is."""
        return self.asked.other_rows if self.asked else ""

    @property
    def abstained(self) -> bool:
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
        rows = self._rows()
        width = max([12, *(len(step) for step, *_ in rows)])
        spent = "\n".join(f"  {step:<{width}} {mechanism:<20} {cost}" for step, mechanism, cost in rows)
        said = "".join(f"{line}\n" for line in self._said())
        return f"{_shown(self.value)}\n{said}{self.guarantee}\n{spent}"

    def _said(self) -> list[str]:
        who = "" if isinstance(self.value, Interval) else "interval() "
        covers = self.laws and f"{who}covers the mean of {self.laws}"
        return [said for said in (covers, str(self.error or ""), self.other_rows) if said]

    def _rows(self) -> list[tuple[str, str, str]]:
        """Return every step with its mechanism and cost, those in one line that only a number tells apart."""
        rows = []
        for _, alike in groupby(self.plan.charges(), _kind):
            first, *others = alike
            name, cost = first.step, str(first.cost)
            if others:
                last = others[-1].step
                name = f"{name} × {1 + len(others)}" if name == last else f"{name} to {last}"
                cost = f"{cost} each"
            rows.append((name, first.mechanism, cost))
        return rows

    def _repr_html_(self) -> str:
        rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in self._rows())
        head = "<thead><tr><th>step</th><th>mechanism</th><th>cost</th></tr></thead>"
        said = "<br>".join([f"<b>{_shown(self.value)}</b>", *self._said(), str(self.guarantee)])
        return f"<p>{said}</p><table>{head}<tbody>{rows}</tbody></table>"


def _kind(charge: Charge) -> tuple[str, str, Budget]:
    return re.sub(r"\d+", "", charge.step), charge.mechanism, charge.cost


def _shown(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
