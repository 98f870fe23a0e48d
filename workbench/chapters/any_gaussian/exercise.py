"""What an exercise of notebook 05 hides: neighbours that move an average of points as far as they can.

Points on a line are what groups say. The attacker builds data sets of k points, most of them friends, and
replaces one; whatever a reader's function says about both is compared. An average that a vote protects moves
by at most 2ρC/k (`proofs/populous.md`, section 4); one without a vote moves as far as the point does.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.estimators.votes import Points, Vote
from workbench.study.grids import Role, stream
from workbench.types import Array

GROUPS, LIMIT = 100, 1.0  # points, and ρ: friends are at most that far apart
THRESHOLDS = Vote.of(GROUPS, 0.5 + 1 / GROUPS, 0.75, 0.8)
TRIES = 200  # data sets; each is compared with a few neighbours
FAR = (-0.5, 0.6, 0.9, 1.1, 2.0, 10.0, 1e6)  # where points go, in units of ρ
Mine = Callable[[Array], Any]


@dataclass(frozen=True)
class Attacked:
    """The farthest that one replaced point moved an answer, and what the theorem allows."""

    moved: float
    allowed: float
    pairs: int

    def __str__(self) -> str:
        word = "within" if self.moved <= self.allowed else "BEYOND"
        return (
            f"one replaced point moved the answer by {self.moved:.3g}, {word} 2ρC/k = {self.allowed:.3g}"
            f" ({self.pairs} pairs of neighbours)"
        )


def attack(mine: Mine, *, seed: int = 17) -> Attacked:
    """Look for neighbours between which the answer of `mine(points)` moves far.

    Both have at least the quorum of friendly pairs, as the vote has made sure where an answer is given.
    """
    moved, pairs = 0.0, 0
    for first, second in _neighbours(stream(seed, Role.DATA, "any-gaussian-exercise", 0, 0)):
        moved = max(moved, abs(float(mine(first.copy())) - float(mine(second.copy()))))
        pairs += 1
    return Attacked(moved, allowed(), pairs)


def allowed() -> float:
    """Return 2ρC/k."""
    return 2 * LIMIT * THRESHOLDS.change / GROUPS


def weighted(points: Array) -> float:
    """Return the average of points by the weights of the vote: steps (2) and (3) of Algorithm 1."""
    voters = Points(points[:, None], LIMIT)
    return float(voters.average(THRESHOLDS.weights(voters.friends(LIMIT)))[0])


def _neighbours(rng: np.random.Generator) -> Iterator[tuple[Array, Array]]:
    for attempt in range(TRIES):
        cloud = rng.uniform(-0.5, 0.5, GROUPS) * rng.uniform(0.5, 1.5)
        clumps = np.where(np.arange(GROUPS) < GROUPS // 2, -0.49, 0.49) + 0.01 * cloud
        first = clumps if attempt % 2 else cloud
        first[: rng.integers(0, 11)] += rng.choice(FAR)
        for place in FAR:
            second = first.copy()
            second[-1] = place
            if _agree(first) and _agree(second):
                yield first, second


def _agree(points: Array) -> bool:
    friends = Points(points[:, None], LIMIT).friends(LIMIT)
    return bool(friends.sum() >= THRESHOLDS.quorum)
