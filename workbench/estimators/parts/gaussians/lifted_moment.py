"""Mean and second moment of rows in one release: the noisy moment of the lifted rows (τ, w).

Rows w of shape (n, r) within the unit ball, and τ, in whole numbers of a step. Neighbours: replace one row.

    (1) Z = (1/n) Σ (τ, w)(τ, w)ᵀ + symmetric noise                           sensitivity √2 (1 + τ²)/n
    (2) s = the share of rows that are there: Z[0, 0]/τ², 1 unless it is surely below     `shared.noisy_means`
    (3) mean = Z[0, 1:]/(τs);  moment = Z[1:, 1:]/s

Lifted rows lie within the ball of radius √(1 + τ²), an absent one is lifted to 0, so that (1) is a second
moment like any other; its corner is τ² for every row that is there. With the same noise of the moment, the
mean has √2 times less noise than one that is released beside it for a small share of the budget. τ = 0: no
mean. Proof: `proofs/gaussian_steps.md`, section 2; `proofs/absent.md`, section 3.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import hypot

import numpy as np

from workbench.estimators.parts.gaussians.frame import padded
from workbench.estimators.parts.integers import SQUARED_BITS, in_ball, total
from workbench.estimators.parts.rows import present, second_moment_sensitivity
from workbench.estimators.shared.noisy_means import share
from workbench.privacy import Budget, Charge, NoiseSource
from workbench.privacy.grid import OnGrid, step_of, widest
from workbench.privacy.mechanisms import symmetric_gaussian
from workbench.types import Array

STEP = step_of(1.0, SQUARED_BITS)


@dataclass(frozen=True)
class LiftedMoment:
    """The recipe for n rows of at most d coordinates; `height` is τ, or up to a step more."""

    n: int
    d: int
    height: float

    @property
    def reach(self) -> float:
        """√(1 + τ²), the length of a lifted row on the sphere."""
        return hypot(1.0, self.height)

    def sensitivity(self) -> float:
        """Return how far a row moves the moment of step (1)."""
        return second_moment_sensitivity(self.n, self.reach)

    def charge(self, step: str, cost: Budget) -> Charge:
        """Return the charge of step (1)."""
        return Charge(step, "symmetric_gaussian", self.sensitivity(), cost)

    @cached_property
    def steps(self) -> int:
        """The whole number of steps that τ is."""
        return widest(self.height, STEP) if self.height else 0

    def of(self, x: Array, change: Callable[[Array], Array]) -> OnGrid:
        """Return the moment of the lifted rows that a map of each row makes, clipped to the unit ball.

        Its shape is (r + 1, r + 1).
        """

        def part(block: slice) -> Array:
            rows = change(x[block])
            lifted = np.full((len(rows), rows.shape[1] + 1), float(self.steps))
            lifted[~present(rows), 0] = 0.0
            lifted[:, 1:] = in_ball(rows, 1.0, STEP)
            return np.asarray(lifted.T @ lifted)

        return OnGrid(total(len(x), x.shape[1], part), STEP * STEP / len(x))

    def draw(self, moment: OnGrid, charge: Charge, noise: NoiseSource) -> tuple[Array, Array]:
        """Return the noisy mean, shape (r,), and moment, shape (r, r): what is drawn has the size of d."""
        r = len(moment) - 1
        noisy = symmetric_gaussian(padded(moment, self.d + 1), charge, noise)
        noisy = noisy / self.share(float(noisy[0, 0]), charge)
        mean = noisy[0, 1 : r + 1] / (self.steps * STEP) if self.steps else np.zeros(r)
        return mean, noisy[1 : r + 1, 1 : r + 1]

    def share(self, corner: float, charge: Charge) -> float:
        """Return s of step (2); 1 without a mean, for which nothing tells."""
        return share(corner, (self.steps * STEP) ** 2, charge) if self.steps else 1.0
