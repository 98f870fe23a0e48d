"""Estimates from rows that need not fit into memory."""

from typing import TypeVar, cast

from workbench.errors import ArgumentError, integer_at_least
from workbench.estimators.base import Estimator, Rows, Univariate, released
from workbench.estimators.parts.stored.rows import ChangedError as ChangedError
from workbench.estimators.parts.stored.rows import Progress, StoredRows
from workbench.estimators.parts.stored.sources import source_of
from workbench.estimators.release import Release
from workbench.privacy import Budget
from workbench.types import Array

T = TypeVar("T")


def stream(
    estimator: Estimator[T],
    source: object,
    *,
    n: int,
    d: int = 1,
    budget: Budget,
    rng: object,
    progress: Progress | None = None,
) -> Release[T]:
    """Return the release of an estimator on rows that are read in blocks: bit for bit that of rows in memory.

    Memory does not grow with n; a column of Parquet takes about two megabytes, its pages. The rows are read
    once for each charge of the plan, and have to be the same every time.

    Parameters
    ----------
    estimator : Estimator
        One that says `in_passes`: it needs sums over rows alone.
    source : path or callable
        A file (`.npy`, row by row; `.parquet`, with pyarrow; else CSV with a header), or a function without
        arguments that returns the chunks of rows, from the first one on, for every pass.
    n, d : int
        Numbers of rows and of columns: public, and checked in every pass.
    budget, rng
        As in a call of the estimator.
    progress : callable, optional
        Is told of every block how many rows it has.

    Raises
    ------
    ArgumentError
        If the estimator needs all rows at once, or the source has another number of rows or columns, or
        chunks whose columns have other names, or the same in another order.
    ChangedError
        If the rows of two passes differ; nothing is released.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench import ZCDP, CoinPressMean
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=(2000, 2))
    >>> budget, mean = ZCDP(0.5), CoinPressMean(radius=1000.0, sigma=1.0)
    >>> whole = mean(x, budget=budget, rng=np.random.default_rng(2)).value
    >>> halves = lambda: iter((x[:1000], x[1000:]))
    >>> parts = stream(mean, halves, n=2000, d=2, budget=budget, rng=np.random.default_rng(2)).value
    >>> bool((parts == whole).all())
    True
    """
    integer_at_least(1, n=n, d=d)
    name = type(estimator).__name__
    if not getattr(estimator, "in_passes", False):
        raise ArgumentError("estimator", name, "one that reads rows in blocks: this one needs them in memory")
    times = passes(estimator, n, d, budget)
    if hasattr(source, "__next__"):
        allowed = f"a function that returns one anew: rows are read {times} times"
        raise ArgumentError("source", type(source).__name__, allowed)
    one_column = d == 1 and isinstance(estimator, Univariate)
    rows = StoredRows(source_of(source), n, None if one_column else d, progress, once=times == 1)
    return released(estimator, Rows(cast(Array, rows), None), budget, rng, None, d)


def passes(estimator: Estimator[T], n: int, d: int, budget: Budget) -> int:
    """Return how often rows are read at most: once for each charge."""
    return len(list(estimator.plan(n, d, budget).charges()))
