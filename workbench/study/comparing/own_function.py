"""How a reader's function is called: what it is given is told by the names, or the number, of its arguments.

| | |
|---|---|
| `f(rows, rng)` | one answer |
| `f(rows, rng, budget)` | one answer at a budget, in any order if they are named so |
| `f(rows, trials, rng)` | as many independent answers, what `audit` attacks |
| an estimator | an object with `plan(n, d, budget)`, called as those of the package are |
"""

from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators import Abstention
from workbench.privacy import Budget, NonPrivate
from workbench.study.audit.audit import Mechanism
from workbench.study.pairs.base import numbers
from workbench.types import Array

GIVEN = ("rng", "budget", "trials")
FORMS = "f(rows, rng), f(rows, rng, budget), f(rows, trials, rng), or an estimator"
_BY_PLACE = {2: ("rng",), 3: ("rng", "budget")}
_PLACED = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


def is_estimator(method: object) -> bool:
    """Return whether it is called as the estimators of the package are."""
    return callable(getattr(method, "plan", None)) and callable(method) and not isinstance(method, type)


@dataclass(frozen=True)
class OwnFunction:
    """A function or an estimator with the arguments that it takes, checked before anything is drawn."""

    name: str
    method: Any

    def __post_init__(self) -> None:
        if not is_estimator(self.method):
            self._arguments()

    def _arguments(self) -> tuple[tuple[str, ...], bool]:
        """Return what it is given besides rows, and whether by name."""
        if not callable(self.method) or isinstance(self.method, type):
            raise ArgumentError(self.name, type(self.method).__name__, FORMS)
        taken = list(signature(self.method).parameters.values())
        named = tuple(one.name for one in taken[1:] if one.name in GIVEN)
        needed = [one.name for one in taken if one.default is one.empty and one.kind not in (2, 4)]
        if "rng" in named and len(set(needed) - set(named)) <= 1:
            return named, True
        if len(needed) in _BY_PLACE and all(one.kind in _PLACED for one in taken[: len(needed)]):
            return _BY_PLACE[len(needed)], False
        raise ArgumentError(self.name, f"f({', '.join(needed)})", FORMS)

    @property
    def many(self) -> bool:
        """Whether one call returns as many answers as are asked for."""
        return not is_estimator(self.method) and "trials" in self._arguments()[0]

    def call(self, rows: Array, rng: np.random.Generator, budget: Budget | None, trials: int = 1) -> Any:
        """Return what the function returns, or the value of the estimator's release."""
        if is_estimator(self.method):
            free = budget is None or isinstance(budget, NonPrivate)
            return self.method(rows, **({} if free else {"budget": budget, "rng": rng})).value
        wanted, by_name = self._arguments()
        given = {"rng": rng, "budget": budget, "trials": trials}
        chosen = {one: given[one] for one in wanted}
        return self.method(rows, **chosen) if by_name else self.method(rows, *chosen.values())

    def answer(self, rows: Array, rng: np.random.Generator, budget: Budget | None) -> Any:
        """Return one answer: None for no answer."""
        found = self.call(rows, rng, budget)
        if self.many and np.ndim(found):
            found = found[0]
        return None if isinstance(found, Abstention) else found


def mechanism(function: OwnFunction, budget: Budget) -> Mechanism:
    """Return what an audit attacks: a function of rows, a number of trials and a generator."""
    if function.many:
        return lambda x, trials, rng: function.call(x, rng, budget, trials)

    def repeated(x: Array, trials: int, rng: np.random.Generator) -> object:
        found = [_plain(function.answer(x.copy(), rng, budget)) for _ in range(trials)]
        width = max(map(len, found))
        return np.array([one or (np.nan,) * width for one in found], np.float64)

    return repeated


def _plain(found: object) -> tuple[float, ...]:
    return tuple(map(float, numbers(tuple(found) if isinstance(found, list) else found)))
