"""An estimator of a user's own in the planner: named as module:object, it becomes an entry."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from workbench.catalog import KNOWN, Entry, Example
from workbench.errors import ArgumentError, one_of_words
from workbench.privacy import NonPrivate
from workbench.study.references import loaded


def own_entry(reference: str, subject: str) -> Entry:
    """Return the entry of an object: itself, or an estimator asked like those of its estimand.

    Parameters
    ----------
    reference : str
        "module:object"; modules of the working folder are found. The object is an `Entry`, or an estimator:
        at least `plan(n, d, budget)`, and `error_bound`, `predicted_error` or a call for what they answer.
    subject : str
        The estimand, where the object is an estimator without an attribute `estimand`: it has the rows and
        the loss of the catalog's entries of that.

    Raises
    ------
    ArgumentError
        If there is no such object, it is neither, or nothing tells its estimand.
    """
    found = loaded("from", reference)
    if isinstance(found, Entry):
        return found
    if isinstance(found, type) or not callable(getattr(found, "plan", None)):
        raise ArgumentError("from", reference, "an Entry, or an estimator: an object with plan(n, d, budget)")
    estimand = str(getattr(found, "estimand", subject.partition("/")[0]))
    like = [entry for entry in KNOWN.values() if entry.estimand == estimand]
    if not like:
        raise ArgumentError("estimand", estimand, one_of_words(estimand, _estimands()))
    return _like(_in_space(like), found, reference)


def _like(entry: Entry, estimator: Any, reference: str) -> Entry:
    example = Example(estimator, NonPrivate())
    return replace(entry, key=reference, examples=(example,), assumptions=(), hardest=None, summary="")


def _in_space(like: Sequence[Entry]) -> Entry:
    """Return an entry in d columns, if there is one."""
    return next((entry for entry in like if entry.population.d is not None), like[0])


def _estimands() -> list[str]:
    return list(dict.fromkeys(str(entry.estimand) for entry in KNOWN.values()))
