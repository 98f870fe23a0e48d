"""What a function of somebody's own says of groups of rows, whatever it does.

Of each group it sees a copy of the rows that are there, and for each a copy of the object or function is
asked as it was at first (`own_copy`), so that what it keeps in its fields or in variables around it, or
writes into the rows, does not reach another group. An answer that is none (an error, another shape, entries
that are no finite numbers) is NaN, which has no friend in any space: a fixed public element. Errors, warnings
and the settings of numpy end here; only the interruption by a user passes. What a function does outside of
its answer, files and time and variables that it shares with other calls, is its own.
"""

import warnings
from collections.abc import Callable
from math import prod
from typing import Any, TypeAlias

import numpy as np

from workbench.estimators.parts.rows import only_present
from workbench.estimators.parts.votes.own_copy import own_copy
from workbench.types import Array

Oracle: TypeAlias = Callable[..., Any]


def asked(oracle: Oracle, shape: tuple[int, ...], stream: np.random.Generator | None) -> Oracle:
    """Return the map of groups, shape (k, s, d), to answers of this shape, (k, *shape).

    With a stream every group has a generator of its own for a second argument.
    """

    def answers(blocks: Array) -> Array:
        seeds = [None] * len(blocks) if stream is None else stream.integers(2**63, size=len(blocks)).tolist()
        return np.array([_answer(oracle, shape, *one) for one in zip(blocks, seeds, strict=True)])

    return answers


def _answer(oracle: Oracle, shape: tuple[int, ...], rows: Array, seed: int | None) -> Array:
    random = () if seed is None else (np.random.default_rng(seed),)
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = np.array(own_copy(oracle)(only_present(rows).copy(), *random), np.float64)
    except KeyboardInterrupt:
        raise
    except BaseException:
        found = np.zeros(0)
    fits = found.shape == shape or found.size == prod(shape) == 1
    usable = fits and bool(np.isfinite(found).all())
    return found.reshape(shape) if usable else np.full(shape, np.nan)
