"""How far an answer is off: the loss and the truth that all that are compared share."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import inf, isnan
from typing import Any

import numpy as np

from workbench.catalog import KNOWN, Entry
from workbench.errors import ArgumentError
from workbench.estimators import Abstention
from workbench.losses import IntervalLoss, absolute_error
from workbench.populations import Population
from workbench.types import Array

Loss = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Judge:
    """A loss and the truth with which it compares an answer."""

    loss: Loss
    truth: Any
    stated: bool = False  # whether predictions of the catalog's estimators are of this loss

    def error(self, answer: Any) -> float:
        """Return the loss of an answer: of an interval half its width, infinite for none."""
        if answer is None or isinstance(answer, Abstention):
            return inf
        found = self.loss(answer, self.truth)
        error = found.width / 2 if isinstance(found, IntervalLoss) else float(found)
        return inf if isnan(error) else error


def distance(answer: Array, truth: Array) -> float:
    """Return the Euclidean distance."""
    return float(np.linalg.norm(np.ravel(answer) - np.ravel(truth)))


def entry_like(method: object) -> Entry | None:
    """Return the entry of the catalog whose estimator a method is, with parameters of its own."""
    return next((one for one in KNOWN.values() if type(one.estimator) is type(method)), None)


def judge(methods: Iterable[object], population: Population, loss: Loss | None, truth: Any) -> Judge:
    """Return the judge of some methods: the loss of their entries, or of a mean where there is none.

    Raises
    ------
    ArgumentError
        If the entries estimate different things, or differ in their loss, and none is given.
    """
    entries = [entry for method in methods if (entry := entry_like(method))]
    if loss is None and len({entry.estimand for entry in entries}) > 1:
        estimands = sorted({str(entry.estimand) for entry in entries})
        raise ArgumentError("methods", estimands, "estimators of one thing, or `loss` and `truth`")
    if loss is None and len({entry.loss for entry in entries}) > 1:
        raise ArgumentError("loss", None, "the one to compare by: these estimators have several")
    if entries:
        clean = getattr(population, "clean", population)  # outliers do not move what is asked for
        entry = replace(entries[0], population=clean)
        known = entry.truth if truth is None else truth
        return Judge(loss or entry.loss, known, loss is None and truth is None)
    known = population.mean if truth is None else truth
    return Judge(loss or (absolute_error if np.ndim(known) == 0 else distance), known)
