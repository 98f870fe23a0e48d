"""Types that all layers share, and what makes classes of public numbers and functions of them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, TypeAlias, TypeVar, dataclass_transform

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = NDArray[np.float64]
"""Real numbers: rows of shape (n,) or (n, d), a vector, a matrix."""

Counts: TypeAlias = NDArray[np.int64]
"""Whole numbers."""

Mask: TypeAlias = NDArray[np.bool_]
"""Which of some rows or entries."""

Floats: TypeAlias = tuple[float, ...]
"""Public numbers."""

RowMap: TypeAlias = Callable[[Array], Array]
"""A fixed map of rows, all at once."""

Columns: TypeAlias = dict[str, NDArray[Any]]
"""What a block of trials measures: an entry per trial in every column."""

Calibration: TypeAlias = Literal["paper", "tight"]
"""Whose constants a run has: the source's, or ours."""

PerColumn: TypeAlias = float | Floats
"""A public number for every column, or one for each."""

Mode: TypeAlias = Literal["practical", "proved"]
"""Whether coverage is proved; privacy always is."""

T = TypeVar("T")


def reals(values: ArrayLike) -> Array:
    """Return numbers as an array of floats; what is one already is not copied."""
    return np.asarray(values, np.float64)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(kind: type[T]) -> type[T]:
    """Make a class a dataclass that cannot be changed."""
    return dataclass(frozen=True)(kind)


@dataclass_transform(frozen_default=True, kw_only_default=True)
def public(kind: type[T]) -> type[T]:
    """Make a class a dataclass that cannot be changed, of public parameters that are given by name."""
    return dataclass(frozen=True, kw_only=True)(kind)


remembered = lru_cache(maxsize=4096)
"""Keep what a function of public numbers returns."""
