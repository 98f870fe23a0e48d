"""What an adversary may do: look at all n rows and replace a fraction of them.

The strongest of the models of corruption: floor(corruption n) rows of its choice, with whatever it likes.
Huber's contamination, which is blind to the rows, is `populations.Contaminated`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from workbench.errors import ArgumentError, real
from workbench.types import Array

Attack = Callable[[Array, int, np.random.Generator], Array]
"""(rows (n, d), how many may be replaced, generator) -> a new array with at most so many replaced."""


@dataclass(frozen=True)
class Adversary:
    """A named way to corrupt rows of mean 0 and covariance I (map them there, corrupt, map them back).

    Parameters
    ----------
    name : str
        The word in tables and widgets.
    summary : str
        One line: which rows are replaced, and by what.
    attack : callable
        `attack(x, bad, rng)` returns a new array in which at most `bad` rows differ; `x` is untouched.
    """

    name: str
    summary: str
    attack: Attack

    def corrupt(self, x: Array, corruption: float, *, rng: np.random.Generator) -> Array:
        """Return a copy of the rows with at most floor(corruption n) of them replaced.

        >>> import numpy as np
        >>> far = Adversary("far", "the first rows", lambda x, bad, rng: replaced(x, slice(bad), 1e6))
        >>> far.corrupt(np.zeros((10, 2)), 0.25, rng=np.random.default_rng(1))[:, 0].tolist()[:3]
        [1000000.0, 1000000.0, 0.0]
        """
        if not (real(corruption) and 0 <= corruption < 0.5):
            raise ArgumentError("corruption", corruption, "a number from 0 to below 1/2")
        bad = int(corruption * len(x))
        return self.attack(x, bad, rng) if bad else x.copy()


def replaced(x: Array, rows: np.ndarray | slice, values: Array | float) -> Array:
    """Return a copy of x in which `rows` hold `values`."""
    y = x.copy()
    y[rows] = values
    return y
