"""The budgets of LKKO21's own filters: who is asked how often, at which noise.  Algorithms 7 to 13, 15 to 17.

Of (ε, δ), .01 are for the range. The rest (ε', δ') is for queries of the rows that are left, D = B√d the
diameter of the set that rows are clipped to, L = D²:

    step            asks for                               noise                          at
    excess s        |M - base I|                           Laplace, 2L/n                  ε₁
    size s          |S|                                    Laplace, 1                     ε₁
    excess s.t      |M - base I|                           Laplace, 2L/n                  ε₂
    moment s.t      M                                      symmetric, entries 4L/n        (ε₂, δ₂)
    score s.t       ⟨M - base I, U⟩                        Laplace, 2L/n                  ε₂
    mean s.t        N and the sum of the rows              Gaussian                       (ε₂, δ₂)
    total s.t       (1/n) Σ (τ - base)                     Laplace, 2L/n                  ε₂/2
    scores s.t      counts of scores                       Gaussian, 2                    (ε₂/2, δ₂)
    mean            N and the sum of the rows              Gaussian                       (ε₁, δ₁)

for s = 1 .. T₁ epochs of t = 1 .. T₂ rounds (MMW); ε₁ = ε'/(2(2T₁ + 1)) by basic composition, and by advanced
composition of 5 T₁T₂ accesses ε₂ = min(.9, ε')/(4√(10 T₁T₂ ln 4/δ')), δ₂ = δ'/(20 T₁T₂). The filter by one
direction (Algorithm 8) asks T times for size, mean, excess and moment, entries L/n, each at
ε₁ = min(.9, ε')/(2√(8T ln 2/δ')), δ₁ = δ'/(8T).

M = (1/n) Σ (x - x̄)(x - x̄)ᵀ moves by at most L/n, in spectral and Frobenius norm: the noise is the
source's, twice to four times what it has to be. Departures, because what is recalled of the source would
not be private: one access more for the last mean; sums round a fixed centre, with a noisy size, in place of
means; every Gaussian noise is the analytic one. Proof: `proofs/prime.md`, section 6.
"""

from dataclasses import dataclass
from functools import cached_property
from math import ceil, log, sqrt

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.parts.filters.weighted_moments import grid, moments_charge
from workbench.estimators.parts.integers import in_ball, in_box
from workbench.estimators.parts.rows import NEAREST
from workbench.privacy import ApproxDP, Budget, Charge, Converted, Interleaved, Plan, PureDP, Sequential
from workbench.types import Array

RANGE, CAP = 0.01, 0.9
COUNTS = 2.0


def divided(budget: Budget) -> tuple[ApproxDP, ApproxDP]:
    """Return the budgets of the range and of the filter."""
    if not isinstance(budget, ApproxDP) or not 0 < budget.delta < 0.5:
        raise ArgumentError("budget", budget, 'ApproxDP with 0 < delta < 1/2 for calibration "paper"')
    epsilon, delta = RANGE * budget.epsilon, RANGE * budget.delta
    return ApproxDP(epsilon, delta), ApproxDP(budget.epsilon - epsilon, budget.delta - delta)


@dataclass(frozen=True)
class Region:
    """A ball or a cube round 0: its radius, or half its side, and its dimension."""

    ball: bool
    reach: float
    d: int

    @property
    def diameter(self) -> float:
        """D, up to its own rounding."""
        return 2 * self.reach * (1.0 if self.ball else sqrt(self.d)) * (1 + 1e-12)

    @property
    def step(self) -> float:
        """The step of the whole numbers of rows."""
        return grid(self.reach)

    def whole(self, rows: Array) -> Array:
        """Return rows of the set as whole numbers, in steps."""
        return (in_ball if self.ball else in_box)(rows, self.reach, self.step)

    def clipped(self, point: Array) -> Array:
        """Return the nearest point of the set."""
        if not self.ball:
            return np.clip(point, -self.reach, self.reach)
        return point * min(1.0, self.reach / max(float(np.linalg.norm(point)), NEAREST))


@dataclass(frozen=True)
class Rounds:
    """The queries of Algorithms 10 and 16: T₁ epochs of T₂ rounds on n rows in a set of diameter D."""

    n: int
    diameter: float
    epochs: int
    rounds: int
    budget: ApproxDP

    @property
    def outer(self) -> ApproxDP:
        """(ε₁, δ₁)."""
        return ApproxDP(self.budget.epsilon / (2 * (2 * self.epochs + 1)), self.budget.delta / 2)

    @property
    def inner(self) -> ApproxDP:
        """(ε₂, δ₂)."""
        accesses = self.epochs * self.rounds
        epsilon = min(CAP, self.budget.epsilon) / (4 * sqrt(10 * accesses * log(4 / self.budget.delta)))
        return ApproxDP(epsilon, self.budget.delta / (20 * accesses))

    @property
    def fewest(self) -> int:
        """The n below which the source gives no answer: (4/ε₁) ln(1/2δ₁)."""
        delta = self.budget.delta / (2 * (self.epochs + 1))
        return ceil(4 / self.outer.epsilon * log(1 / (2 * delta)))

    def plan(self) -> Plan:
        """Return all queries in the order of the run; the two kinds are added up apart."""
        outside, inside, order = list[Charge](), list[Charge](), list[str]()
        for s in range(1, self.epochs + 1):
            outside += self._epoch(s)
            order += [charge.step for charge in outside[-2:]]
            for t in range(1, self.rounds + 1):
                inside += self._round(f"{s}.{t}")
                order += [charge.step for charge in inside[-6:]]
        outside.append(moments_charge("mean", self.outer))
        rest = ApproxDP(self.budget.epsilon / 2, self.budget.delta / 2)
        whole = Sequential("basic", (*outside, Converted(Sequential("zcdp", tuple(inside)), rest)))
        return Interleaved(whole, (*order, "mean"))

    def _epoch(self, s: int) -> tuple[Charge, ...]:
        cost = PureDP(self.outer.epsilon)
        excess = 2 * self.diameter**2 / self.n
        return Charge(f"excess {s}", "laplace", excess, cost), Charge(f"size {s}", "laplace", 1.0, cost)

    def _round(self, st: str) -> tuple[Charge, ...]:
        cost, one = self.inner, self.diameter**2 / self.n
        pure, half = PureDP(cost.epsilon), PureDP(cost.epsilon / 2)
        return (
            Charge(f"excess {st}", "laplace", 2 * one, pure),
            Charge(f"moment {st}", "symmetric_gaussian", sqrt(2) * 4 * one, cost),
            Charge(f"score {st}", "laplace", 2 * one, pure),
            moments_charge(f"mean {st}", cost),
            Charge(f"total {st}", "laplace", 2 * one, half),
            Charge(f"scores {st}", "gaussian", COUNTS, ApproxDP(cost.epsilon / 2, cost.delta)),
        )


@dataclass(frozen=True)
class Directions:
    """The queries of Algorithm 8: T passes, each by one direction."""

    n: int
    diameter: float
    passes: int
    budget: ApproxDP

    @cached_property
    def cost(self) -> ApproxDP:
        """(ε₁, δ₁)."""
        epsilon = min(CAP, self.budget.epsilon) / (2 * sqrt(8 * self.passes * log(2 / self.budget.delta)))
        return ApproxDP(epsilon, self.budget.delta / (8 * self.passes))

    @property
    def fewest(self) -> int:
        """The n below which the source gives no answer."""
        return ceil(4 / self.cost.epsilon * log(1 / (2 * self.cost.delta)))

    def plan(self) -> Plan:
        """Return all queries in the order of the run."""
        charges = [charge for t in range(1, self.passes + 1) for charge in self._pass(t)]
        return Converted(Sequential("zcdp", tuple(charges)), self.budget)

    def _pass(self, t: int) -> tuple[Charge, ...]:
        pure, one = PureDP(self.cost.epsilon), self.diameter**2 / self.n
        return (
            Charge(f"size {t}", "laplace", 1.0, pure),
            moments_charge(f"mean {t}", self.cost),
            Charge(f"excess {t}", "laplace", 2 * one, pure),
            Charge(f"moment {t}", "symmetric_gaussian", sqrt(2) * one, self.cost),
        )
