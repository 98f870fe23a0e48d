"""Scalings of catalog entries: a statement's table of public numbers, one of which moves at a time.

Rows are of the hardest law within the entry's public bounds (`catalog.hardest`), or of a law of the caller's.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from inspect import signature
from math import inf, nan
from typing import Any, Literal

import numpy as np
from numpy.random import Generator

from workbench.catalog import lookup
from workbench.catalog.hardest import hardest
from workbench.errors import ArgumentError
from workbench.privacy import ZCDP, ApproxDP, Budget, PureDP
from workbench.study.least_rows import MOST, fewest_rows
from workbench.study.planner.estimators import Candidate
from workbench.study.planner.search import Scale, factors
from workbench.study.scaling.scaling import CAPS, Scaling, Setting
from workbench.types import Columns

CURRENCIES = ("epsilon", "delta", "rho")
GUESS = 4  # n_0 over the fewest rows, where nothing is predicted


@dataclass(frozen=True)
class Move:
    """How one number moves, and what the statement says of it.

    Parameters
    ----------
    values : tuple of float
        Of the number.
    power : float
        Its exponent in the term.
    instead : mapping
        Wrong statements nearby, in words -> their exponents.
    term : str
        The term that is looked at.
    beside : mapping
        The other numbers where they differ from the statement's usual ones, so that the term stands out.
    logarithm : bool
        Whether the power is that of the number's logarithm.
    """

    values: tuple[float, ...]
    power: float
    instead: Mapping[str, float]
    term: str
    beside: Mapping[str, Any] = field(default_factory=dict)
    logarithm: bool = False


@dataclass(frozen=True)
class Statement:
    """A statement about the n of a catalog entry.

    Parameters
    ----------
    id : str
        Of the numbered statement.
    key : str
        Of the catalog.
    usual : mapping
        The public numbers: `d`, `alpha`, of the budget `epsilon` with or without `delta`, or `rho`, and the
        estimator's own.
    shape : callable
        Those numbers of `usual` that it takes by name -> n, constants 1.
    moves : mapping
        Number -> how it moves.
    bound, share, caps
        As of a `Scaling`. What is predicted is a median: the n of a prediction stands beside a share of 1/2.
    """

    id: str
    key: str
    usual: Mapping[str, Any]
    shape: Callable[..., float]
    moves: Mapping[str, Move]
    bound: Literal["upper", "lower", "equal"] = "upper"
    share: float = 0.5
    caps: Mapping[str, int] = field(default_factory=lambda: CAPS)

    def scalings(self) -> Iterator[Scaling]:
        """Return a scaling of every number that moves."""
        for variable, move in self.moves.items():
            yield Scaling(
                statement=self.id,
                variable=variable,
                key=self.key,
                term=move.term,
                values=move.values,
                setting=_Settings(self, variable, move),
                block=catalogued,
                power=move.power,
                instead=move.instead,
                logarithm=move.logarithm,
                bound=self.bound,
                share=self.share,
                caps=self.caps,
            )


@dataclass(frozen=True)
class _Settings:
    """The setting at every value of a number that moves."""

    statement: Statement
    variable: str
    move: Move

    def __call__(self, value: float) -> Setting:
        public = {**self.statement.usual, **self.move.beside, self.variable: value}
        alpha = float(public.pop("alpha"))
        point = {"key": self.statement.key, **public}
        fewest, predicted = _expected(alpha, **point)
        return Setting(
            point=point,
            alpha=alpha,
            start=round(predicted) if predicted < inf else GUESS * fewest,
            stated=_named(self.statement.shape, {"alpha": alpha, **public}),
            predicted=predicted if predicted < inf and self.statement.share == 0.5 else nan,
            fewest=fewest,
        )


def catalogued(
    key: str, d: int, n: int, *, trials: int, data: Generator, noise: Generator, **public: Any
) -> Columns:
    """Measure the error of an entry on rows of its hardest law, infinite where it abstains."""
    estimator, budget = _asked(key, public)
    entry: Any = hardest(lookup(key), estimator, int(d))
    samples = (entry.population.sample(int(n), rng=data) for _ in range(trials))
    errors = np.array([entry.error(estimator(x, budget=budget, rng=noise).value) for x in samples])
    return {"error": errors, "abstained": np.isinf(errors)}


def budget_of(public: Mapping[str, Any]) -> Budget:
    """Return the budget that public numbers name."""
    if "rho" in public:
        return ZCDP(float(public["rho"]))
    if "epsilon" not in public:
        raise ArgumentError("usual", sorted(public), "a budget: epsilon, epsilon and delta, or rho")
    if "delta" in public:
        return ApproxDP(float(public["epsilon"]), float(public["delta"]))
    return PureDP(float(public["epsilon"]))


def _asked(key: str, public: Mapping[str, Any]) -> tuple[Any, Budget]:
    """Return the estimator and its budget."""
    own = {name: value for name, value in public.items() if name not in CURRENCIES}
    kind: Any = lookup(key).estimator
    return replace(kind, **own) if own else kind, budget_of(public)


@cache
def _expected(alpha: float, *, key: str, d: int, **public: Any) -> tuple[int, float]:
    """Return the fewest rows that the plan takes, and the n of the prediction, infinite if there is none."""
    estimator, budget = _asked(key, public)
    fewest = fewest_rows(estimator, int(d), budget)
    one = Candidate(lookup(key), estimator, int(d), {}, "predicted")
    if not one.stated:
        return fewest, inf
    n = Scale(lambda rows: one.bound(rows, budget, 0.5), fewest, MOST, factors).least(alpha)
    return fewest, inf if n is None else float(n)


def _named(shape: Callable[..., float], public: Mapping[str, Any]) -> float:
    taken = signature(shape).parameters
    return float(shape(**{name: value for name, value in public.items() if name in taken}))
