"""What an estimator returns: a value or "no answer", the plan that paid for it, and what it promises."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from workbench.errors import ArgumentError
from workbench.estimators.statement import Asked, ErrorStatement
from workbench.privacy import Budget, Plan

T = TypeVar("T")


@dataclass(frozen=True)
class Guarantee:
    """What a release promises, for neighbours that differ in one replaced row.

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
        """What was known of the error before a row was read; None where nothing is stated."""
        return self.asked.error() if self.asked else None

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
        said = f"{self.error}\n" if self.error else ""
        return f"{_shown(self.value)}\n{said}{self.guarantee}\n{spent}"

    def _rows(self) -> list[tuple[str, str, str]]:
        return [(charge.step, charge.mechanism, str(charge.cost)) for charge in self.plan.charges()]

    def _repr_html_(self) -> str:
        rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in self._rows())
        head = "<tr><th>step</th><th>mechanism</th><th>cost</th></tr>"
        said = f"{self.error}<br>" if self.error else ""
        return (
            f"<p><b>{_shown(self.value)}</b><br>{said}{self.guarantee}</p>"
            f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
        )


def _shown(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
