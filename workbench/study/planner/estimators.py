"""The estimators that a question is about, with their public parameters and who chose these.

Parameters that are not set have the values of the catalog's example, which stand beside the answer, but for
`beta`, which is that of the question. An estimator of the catalog is not asked where one without a default, a
fact about the rows, is not set.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from math import inf
from typing import Any, Literal, TypeAlias

import numpy as np

from workbench.catalog import KNOWN, Entry, lookup
from workbench.errors import ArgumentError, one_of_words
from workbench.estimators.release import Asked, meaning
from workbench.privacy import Budget
from workbench.study.least_rows import accepts
from workbench.study.planner.question import Question

Kind: TypeAlias = Literal["proved", "predicted", "simulated"]
Origin: TypeAlias = Literal["set", "default", "example", "planner"]


@dataclass(frozen=True)
class Parameter:
    """The value of a public parameter and who chose it."""

    value: Any
    origin: Origin


@dataclass(frozen=True)
class Candidate:
    """An estimator of an entry, ready to be asked about d columns: for its proved bound or its prediction."""

    entry: Entry
    estimator: Any
    d: int
    parameters: Mapping[str, Parameter]
    kind: Kind = "proved"

    @property
    def stated(self) -> bool:
        """Whether it has what it is asked for."""
        return hasattr(self.estimator, self._asked)

    @property
    def lacking(self) -> list[str]:
        """The facts about the rows that nobody set: the example's values say nothing of them."""
        default = type(self.estimator)
        unset = [name for name, one in self.parameters.items() if one.origin == "example"]
        return [name for name in unset if getattr(default, name, None) is None]

    @property
    def meaning(self) -> str:
        """What its error is, and in which unit: the first line that documents it."""
        return meaning(getattr(self.estimator, self._asked)) if self.stated else ""

    @property
    def _asked(self) -> str:
        return "error_bound" if self.kind == "proved" else "predicted_error"

    def bound(self, n: int, budget: Budget, beta: float) -> float:
        """Return its error bound, or prediction, infinite where it refuses n rows at this budget."""
        if not accepts(self.estimator, n, self.d, budget):
            return inf
        with np.errstate(all="ignore"):
            if self.kind == "predicted":
                return float(self.estimator.predicted_error(n, self.d, budget))
            return float(self.estimator.error_bound(n, self.d, budget, beta))

    def other_rows(self, n: int, budget: Budget) -> str:
        """Return what it says of rows that are not of its law; empty where it says nothing."""
        return Asked(self.estimator, n, self.d, budget).other_rows

    def refusal(self, n: int, budget: Budget) -> str:
        """Return the refusal of n rows by the plan; empty if it takes them."""
        try:
            self.estimator.plan(n, self.d, budget)
        except ArgumentError as error:
            return str(error)
        return ""


def candidates(question: Question) -> list[Candidate]:
    """Return the estimators in question, in the order of the catalog.

    Raises
    ------
    ArgumentError
        If there is no such estimand or key, none of the estimators has a parameter that is set, or one
        refuses its value.
    """
    entries = [*question.own, *(entries_of(question.subject) if question.subject or not question.own else [])]
    known = sorted({name for entry in entries for name in _names(entry)} - {"calibration"})
    for name, value in question.settings.items():
        if name not in known:
            raise ArgumentError(f"set {name}", value, one_of_words(name, known))
    return [
        one
        for entry in entries
        for one in _variants(entry, question, question.d or columns_of(entries, entry))
    ]


def columns_of(entries: Sequence[Entry], entry: Entry) -> int:
    """Return the d of an entry unless one is asked for: that of every entry in question with its estimand.

    It is 1 where one of them takes a column alone, and else the fewest columns of their populations.
    """
    return min(one.population.d or 1 for one in entries if one.estimand == entry.estimand)


def entries_of(subject: str) -> list[Entry]:
    """Return the entries of an estimand, the one of a key, or all of them."""
    if "/" in subject:
        return [lookup(subject)]
    estimands = dict.fromkeys(str(entry.estimand) for entry in KNOWN.values())
    if subject and subject not in estimands:
        raise ArgumentError("estimand", subject, "a key, or " + one_of_words(subject, estimands, KNOWN))
    return [entry for entry in KNOWN.values() if subject in ("", entry.estimand)]


def _names(entry: Entry) -> list[str]:
    kind: Any = entry.estimator
    return [part.name for part in fields(kind)] if is_dataclass(kind) else []


def _variants(entry: Entry, question: Question, d: int) -> Iterator[Candidate]:
    names = _names(entry)
    chosen: dict[str, Any] = {"beta": question.beta} | dict(question.settings)
    change = {name: value for name, value in chosen.items() if name in names}
    calibrated = "calibration" in names
    for calibration in question.calibrations if calibrated else ("",):
        named = {"calibration": calibration} if calibrated else {}
        estimator: Any = entry.estimator
        if change or named:
            estimator = replace(estimator, **change, **named)
        origins = _parameters(estimator, question.settings, change)
        yield Candidate(entry, estimator, d, origins)


def _parameters(
    estimator: Any, settings: Mapping[str, Any], change: Mapping[str, Any]
) -> dict[str, Parameter]:
    def origin(name: str, default: Any) -> Origin:
        if name in settings:
            return "set"
        if default is not MISSING and getattr(estimator, name) == default:
            return "default"
        return "planner" if name in change else "example"

    if not is_dataclass(estimator):
        return {}
    return {
        part.name: Parameter(getattr(estimator, part.name), origin(part.name, part.default))
        for part in fields(estimator)
        if part.name != "calibration"
    }
