"""A stable location: how many rows may be replaced before the quantile of the lifted rows could move far.

As `parts.quantile.stability`, on the rows (1, x) of D = d + 1 columns, with one comparison more:

    C_t: Σ ψ'(yᵀLo⁻¹y) y yᵀ ≥ (G + (e + ζ)t) Hi, and s(Lo) ≥ s_min

If h, h' ≥ 1, there are P₀ with location m₀, scatter S₀ such that of both data sets S ≥ S₀,
tr(S₀⁻¹S - I) ≤ g, and |m - m₀| ≤ b in the norm of S₀, with g' = 1/(G - 1), c = sup ψ(q)/√q, and x what the
iteration and rounding leave of tr P⁻¹(f - P):

    b = (1/s_min) (c √(1 + g')/u + (1 - G/u) g'/√q₁) + √(1 + g') x/(2 √s_min),      g = g' + (1 + g') x

Proof: `proofs/affine_mean.md`, sections 2, 3 and 5.
"""

from dataclasses import dataclass
from functools import cached_property
from math import e as EULER
from math import sqrt

import numpy as np

from workbench.errors import ArgumentError, positive
from workbench.estimators.parts.affine.lifted import Lifted, LiftedSolver
from workbench.estimators.parts.quantile.influence import Influence
from workbench.estimators.parts.quantile.levels import Scaled
from workbench.estimators.parts.quantile.stability import Stability
from workbench.privacy.stable import Lift, Located
from workbench.types import Array


@dataclass(frozen=True)
class LiftedStability(Stability):
    """The test for n rows of d - 1 columns, lifted to d; everything is public."""

    least: float = 0.0

    def __post_init__(self) -> None:
        positive(least=self.least)
        if self.n < 2 * (self.most + 2):
            raise ArgumentError("n", self.n, f"at least {2 * (self.most + 2)} for a count of {self.most}")
        super().__post_init__()

    @cached_property
    def solver(self) -> LiftedSolver:
        """Return the solver, with steps enough where C_t holds and a guard that is free of the centre."""
        usual = super().solver
        largest = 16 * self.influence.steepest * self.n / self.low_bound
        ratio = 8 * self.d * self.widest * (1 + self.d * largest / self.least) / usual.slack
        return LiftedSolver(
            self.influence, usual.inflation, usual.slack, self.steps(ratio), self.widest, self.least
        )

    @property
    def stop(self) -> float:
        """Return how well a level is known: well enough for levels about one row apart, however many rows."""
        return min(super().stop, 0.1 / self.highest)

    @property
    def low_bound(self) -> float:
        """Return a level below every one that is used."""
        return max(1.0, self.level - 2 * self.most)

    def scaled(self, x: Array, t: int) -> Lifted:
        """Return the lifted rows in the units of C_t."""
        return Lifted.around(x, self.influence, self.low(t), t)

    def accepts(self, scaled: Scaled, low: Array, high: Array, t: int) -> bool:
        """Tell whether C_t holds: the slope, and the scale of Lo."""
        assert isinstance(scaled, Lifted)
        return scaled.scale(low) >= self.least and super().accepts(scaled, low, high, t)

    @property
    def wanted(self) -> float:
        """Return what the iteration may leave of tr P⁻¹(f - P): little of either bound."""
        return min(super().wanted, 2e-3 * sqrt(self.least) * self.exact)

    @property
    def exact(self) -> float:
        """Return b in exact numbers."""
        strong, level = 1 / (self.strength - 1), self.level
        direct = steepest_root(self.influence) * sqrt(1 + strong) / level
        passed_on = max(0.0, 1 - self.strength / level) * strong / sqrt(self.influence.knee)
        return (direct + passed_on) / self.least

    @property
    def shift(self) -> float:
        """Return b: how far m is from m₀ at most, in the norm of S₀."""
        strong = 1 / (self.strength - 1)
        return self.exact + sqrt(1 + strong) * self.error / (2 * sqrt(self.least))

    def located(self, x: Array) -> Located:
        """Return h, m and a root of S; where h is 0, zeros and the identity."""
        h, found = self.count(x)
        if found is None:
            return Located(h, np.zeros(self.d - 1), np.zeros(self.d - 1), np.eye(self.d - 1))
        scaled, high = found
        assert isinstance(scaled, Lifted)
        shift, root = scaled.parts(self.polished(scaled, high))
        return Located(h, scaled.centre, shift, root * (1 + self.solver.inflation))

    def lift(self, x: Array) -> Lift:
        """Return h, and a root of P_u; where h is 0, zeros and the identity."""
        h, found = self.count(x)
        if found is None:
            return Lift(h, np.zeros(self.d - 1), np.zeros(self.d - 1), np.eye(self.d - 1), 1.0)
        scaled, high = found
        assert isinstance(scaled, Lifted)
        factor, wider = self.polished(scaled, high), 1 + self.solver.inflation
        shift, root = scaled.parts(factor)
        return Lift(h, scaled.centre, shift, root * wider, sqrt(scaled.scale(factor)) * wider)


def steepest_root(influence: Influence) -> float:
    """Return sup ψ(q)/√q: 1, or the value at q = e q₁ where that is below 1."""
    place = EULER * influence.knee
    return max(1.0, 2 * influence.most / sqrt(place)) if place < 1 else 1.0
