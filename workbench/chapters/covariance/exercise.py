"""The worlds that an exercise of notebook 04 hides: a reader's covariance is run on laws that only they know.

A world is a normal law in the plane with eigenvalues 1 and u, its axes turned at random. The reader's
function sees rows, ρ and a generator; what it returns is measured in the norm of Σ, beside the package's
naive and preconditioned estimators on the same rows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.chapters.covariance.worlds import pair
from workbench.errors import ArgumentError
from workbench.populations.rotated import rotated
from workbench.privacy import ZCDP
from workbench.study.grids import Role, stream
from workbench.types import Array

WORLDS, ROWS, RHO, UPPER, WITHIN = 12, 5000, 0.5, 900.0, 0.2
Mine = Callable[[Array, float, np.random.Generator], Any]


@dataclass(frozen=True)
class Judged:
    """Errors in every world, in the norm of Σ: the reader's, and those of the package's two estimators."""

    mine: Array
    naive: Array
    preconditioned: Array

    @property
    def good(self) -> int:
        """In how many worlds the reader's error is at most `WITHIN`."""
        return int((self.mine <= WITHIN).sum())

    def __str__(self) -> str:
        yours, naive, known = (float(np.median(one)) for one in (self.mine, self.naive, self.preconditioned))
        return (
            f"median error {yours:.2g}, at most {WITHIN} in {self.good} of {len(self.mine)} worlds;"
            f" the package's naive {naive:.2g}, preconditioned {known:.2g}"
        )


def judge(mine: Mine, *, seed: int = 17) -> Judged:
    """Run `mine(x, rho, rng)` in every world and return its errors beside the package's.

    It is told what the package is told: n = 5000 rows of mean 0, ρ = 0.5, I ≤ Σ ≤ 900 I.
    """
    return Judged(*np.array([_world(mine, seed, place) for place in range(WORLDS)]).T)


def _world(mine: Mine, seed: int, place: int) -> tuple[float, float, float]:
    data, yours, noise = (
        stream(seed, role, "covariance-exercise", place, block)
        for role, block in ((Role.DATA, 0), (Role.NOISE, 0), (Role.NOISE, 1))
    )
    law = rotated([1.0, UPPER], data)
    x = law.sample(ROWS, rng=data)
    naive, preconditioned = pair(UPPER)
    found = np.asarray(mine(x.copy(), RHO, yours), np.float64)
    if found.shape != (2, 2):
        raise ArgumentError("mine", f"an array of shape {found.shape}", "a function that returns 2 by 2")
    values: list[Any] = [one(x, budget=ZCDP(RHO), rng=noise).value for one in (naive, preconditioned)]
    first, second, third = (law.error(one) for one in (found, *values))
    return first, second, third
