"""What the catalog says of an estimator: thin, explicit, without behaviour of its own."""

import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import field, replace
from inspect import getdoc
from math import inf
from typing import Any, TypeAlias

from workbench.estimators import Abstention, Estimator
from workbench.losses import IntervalLoss
from workbench.populations import Population
from workbench.privacy import Budget
from workbench.types import frozen, public

Run: TypeAlias = tuple[Any, ...]


def documented(kind: type) -> str:
    """Return the docstring of an estimator, and after it that of the one of its family that it refers to."""
    text = getdoc(kind) or ""
    named = re.search(r"as (?:of|for) `(\w+)`", " ".join(text.split()))
    other = getattr(sys.modules[kind.__module__], named[1], None) if named else None
    return f"{text}\n\n{getdoc(other)}" if other else text


@frozen
class Example:
    """An estimator and a budget that it takes."""

    estimator: Estimator[Any]
    budget: Budget


MOMENTS = "moments of order 2k are bounded by the constant C"
NORMAL = "the rows are normal"
BELOW = "the covariance is at most upper times the identity"
WITHIN = "the mean lies within radius of centre"
WITHIN_BOX = "every coordinate of the mean lies within radius of centre"


@public
class Entry:
    """One key of the catalog.

    `examples` are the calls that contracts, audits and tables go through, the default first; `symmetries`
    tells how the distribution of the output follows a translation and a change of scale of the rows:
    "exact", on a "lattice" alone, or "none". The sensitivity of a step is attained by some pair of
    neighbours, but for `bounded_steps`, where it is a proved bound. `assumptions` are conditions of the
    accuracy, never of the privacy.
    `hardest` returns the hardest population for an estimator in d columns (`catalog.hardest` by default).
    """

    key: str
    summary: str
    estimand: str
    statements: tuple[str, ...]
    examples: tuple[Example, ...]
    population: Population
    loss: Callable[[Any, Any], Any]
    least_rows: int = 2
    assumptions: tuple[str, ...] = ()
    symmetries: dict[str, str] = field(default_factory=dict)
    bounded_steps: frozenset[str] = frozenset()
    hardest: Callable[[Any, int], Population] | None = None

    @property
    def truth(self) -> Any:
        """The true value on rows of `population`, with which `loss` compares an estimate."""
        law: Any = self.population
        of: Any = self.estimator
        match self.estimand:
            case "scale":
                return law.sigma
            case "quantiles":
                return law.quantiles(of.levels)
            case "counts":
                return law.shares(of.edges)[of.first :] if hasattr(law, "shares") else law.mean
            case "covariance" | "eigenvalues" | "subspace":
                return law.covariance
        return law.mean if law.d is None else law.moments

    def error(self, value: Any) -> float:
        """Return the error of an estimate: of an interval its half-width, of an abstention infinity."""
        if isinstance(value, Abstention):
            return inf
        loss = self.loss(value, self.truth)
        return loss.width / 2 if isinstance(loss, IntervalLoss) else float(loss)

    @property
    def estimator(self) -> Estimator[Any]:
        """The estimator with its default parameters."""
        return self.examples[0].estimator

    @property
    def budgets(self) -> tuple[Budget, ...]:
        """A budget of every kind that the default estimator takes."""
        fitting = (example.budget for example in self.examples if example.estimator == self.estimator)
        return tuple({type(budget): budget for budget in fitting}.values())


def entry(
    key: str, summary: str, statements: str, *runs: Run, symmetries: str = "none none",
    bounded_steps: Iterable[str] = (), **more: Any,
) -> Entry:  # fmt: skip
    """Return an entry with an example for each budget of each run: an estimator, and budgets that it takes.

    Statements are separated by spaces, as are symmetries, under translation and under a change of scale.
    """
    return Entry(
        key=key,
        summary=summary,
        statements=tuple(statements.split()),
        examples=tuple(Example(estimator, budget) for estimator, *budgets in runs for budget in budgets),
        symmetries=dict(zip(("translation", "scale"), symmetries.split(), strict=True)),
        bounded_steps=frozenset(bounded_steps),
        **more,
    )


def both_calibrations(*runs: Run) -> tuple[Run, ...]:
    """Return the runs with calibration "tight", then with "paper"."""
    return tuple(
        (replace(estimator, calibration=calibration), *budgets)
        for calibration in ("tight", "paper")
        for estimator, *budgets in runs
    )
