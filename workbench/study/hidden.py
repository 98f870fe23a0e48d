"""Hidden worlds: whether somebody's function is accurate on data that it has not seen.

A *world* draws a data set and the truth behind it. An audit judges what a function betrays, the worlds
whether it is of any use: noise alone passes the one, the plain mean passes the other.

>>> def known(rng):
...     return rng.normal(3.0, 1.0, size=400), 3.0
>>> print(hidden_worlds(lambda x, trials, rng: x.mean(), known, within=0.5))
within 0.5 of the truth in 200 of 200 hidden worlds, 90 % required: PASSED
>>> bool(hidden_worlds(lambda x, trials, rng: 0.0, known, within=0.5))
False
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from workbench.errors import positive
from workbench.study.audit import Mechanism
from workbench.study.grids import Role, stream
from workbench.study.profiles import AUDIT_LEVEL
from workbench.study.rules import refuted_from
from workbench.types import Array

World = Callable[[Generator], tuple[Array, ArrayLike]]
WORLDS, SHARE = 200, 0.9


@dataclass(frozen=True)
class Judged:
    """In how many worlds a function was near enough, and whether these are too few; true if they are not."""

    within: float
    good: int

    def __bool__(self) -> bool:
        return WORLDS - self.good < refuted_from(WORLDS, 1 - SHARE, AUDIT_LEVEL)

    def __str__(self) -> str:
        passed = "PASSED" if self else "FAILED"
        return (
            f"within {self.within:g} of the truth in {self.good} of {WORLDS} hidden worlds,"
            f" {100 * SHARE:g} % required: {passed}"
        )


def hidden_worlds(mechanism: Mechanism, world: World, *, within: float, seed: int = 0) -> Judged:
    """Run a function once in each of many worlds, and count where it is within a distance of the truth.

    The function is what an audit attacks, of a data set, a number of trials and a generator; a world draws a
    data set and its truth, a number or an array. The distance is Euclidean. A function that is near enough
    with probability `SHARE` fails by chance with probability `AUDIT_LEVEL` at most.
    """
    positive(within=within)
    good = 0
    for block in range(WORLDS):
        data, noise = (stream(seed, role, "hidden worlds", 0, block) for role in (Role.DATA, Role.NOISE))
        x, truth = world(data)
        answer: Any = mechanism(x, 1, noise)
        error = np.ravel(answer) - np.ravel(truth)
        good += bool(np.linalg.norm(error) <= within)
    return Judged(within, good)
