"""A mask of a tested matrix and the Gaussian steps after it, priced as one mechanism.

A run knows a count h and a root L of a matrix P = L Lᵀ in D dimensions. Of neighbours, |h - h'| ≤ 1, and
where h, h' ≥ 1 there is P₀ ≤ P, P' with tr(P₀⁻¹P - I), tr(P₀⁻¹P' - I) ≤ g:

    (1) no answer but with probability p(h)                                             `privacy.ramps`
    (2) Q = L (W/ν) Lᵀ, W the second moments of ν normal rows
    (3) steps that are ρ-zCDP for any Q: they see the same rows, and Q

Rényi's divergence of (2) and (3) together is at most R_α = ν c_α(g) + ρ α, c_α of `masks.renyi`; their hockey
stick, for all real e, follows, and p with it: p(T) ≥ 1 - `silent`. ρ is the `room` that ν leaves.
Proof: `proofs/affine_mean.md`, section 7.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import expm1

import numpy as np

from workbench.errors import ArgumentError
from workbench.privacy.budget import ZCDP, ApproxDP, within
from workbench.privacy.masks import renyi
from workbench.privacy.mechanisms import approximate_cost
from workbench.privacy.noise import NoiseSource
from workbench.privacy.plan import Charge, add, compose
from workbench.privacy.ramps import Tabulated, from_renyi, ramp
from workbench.types import Array

ORDERS, HIGHEST = 1000, 1e5
LEAST, MOST = 1e-12, 1e4  # of ρ/ε², between which it is searched
LARGEST_SPREAD = 0.5


@dataclass(frozen=True)
class LiftCharge(Charge):
    """The charge of (1) to (3): `sensitivity` is g, `degrees` ν, `most` T, `d` D; `rest` are the steps."""

    degrees: float
    room: ZCDP
    most: int
    d: int
    silent: float
    rest: tuple[Charge, ...] = ()

    def __post_init__(self) -> None:
        if not self.degrees > self.d - 1:
            raise ArgumentError("degrees", self.degrees, f"above {self.d - 1}")
        spent = add([compose(part) for part in self.rest], "zcdp") if self.rest else self.room
        if not within(spent, self.room):
            raise ArgumentError("rest", spent, f"at most {self.room}")

    def charges(self) -> Iterator[Charge]:
        """Yield its own, whose (ε, δ) are those of the whole, and those of the steps."""
        yield self
        yield from self.rest


@dataclass(frozen=True)
class Lift:
    """What is masked: the count h, and a root [[r, 0], [l, R]] of P as r, R, and a location centre + l/r."""

    count: int
    centre: Array
    shift: Array
    root: Array
    height: float


@lru_cache(maxsize=4096)
def room(budget: ApproxDP, spread: float, degrees: float, most: int, silent: float) -> ZCDP:
    """Return the largest ρ, to a thousandth and from below.

    Raises
    ------
    ArgumentError
        If the mask alone is too much for the wanted chance of an answer.
    """

    def answers(rho: float) -> bool:
        stick = _stick(spread, degrees, rho, budget)
        chances = None if stick is None else ramp(stick, budget, most)
        return chances is not None and chances[-1] >= 1 - silent

    low, high = (bound * budget.epsilon**2 for bound in (LEAST, MOST))
    if not answers(low):
        raise ArgumentError("degrees", degrees, f"fewer, for a count of {most} at {budget}")
    while high > 1.001 * low:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if answers(middle) else (low, middle)
    return ZCDP(low)


@lru_cache(maxsize=4096)
def lift_chances(charge: LiftCharge) -> tuple[float, ...]:
    """Return p(0), .., p(T)."""
    budget = approximate_cost(charge)
    stick = _stick(charge.sensitivity, charge.degrees, charge.room.rho, budget)
    chances = None if stick is None else ramp(stick, budget, charge.most)
    if chances is None:
        raise ArgumentError("charge", charge, "one that (ε, δ) allows")
    return chances


def masked_lift(lift: Lift, charge: LiftCharge, noise: NoiseSource) -> tuple[bool, Array, Array]:
    """Return whether there is an answer, and (m, a root of S) of Q, those of a masked identity if not.

    With W/ν = [[a, bᵀ], [b, C]], m = centre + (l/r + R b/(a r)) and S = R (C - b bᵀ/a) Rᵀ. The draws are the
    same in any case.
    """
    answers = noise.uniform(0.0, 1.0) < lift_chances(charge)[lift.count]
    drawn = noise.wishart(np.eye(charge.d), charge.sensitivity, 1 / charge.degrees)
    along = drawn[1:, 0] / drawn[0, 0]
    across = np.asarray(np.linalg.cholesky(drawn[1:, 1:] - np.outer(along, drawn[1:, 0])), np.float64)
    if not answers:
        return False, along, across
    return True, lift.centre + (lift.shift + lift.root @ along / lift.height), lift.root @ across


def _stick(spread: float, degrees: float, rho: float, budget: ApproxDP) -> Tabulated | None:
    """Return the hockey stick of (2) and (3)."""
    if not spread <= LARGEST_SPREAD:
        return None
    highest = min(HIGHEST, (1 - 1e-9) / expm1(spread))
    orders = 1 + np.geomspace(1e-4 * highest, highest, ORDERS)
    return from_renyi(orders, degrees * renyi(spread, orders, 2) + rho * orders, budget.epsilon)
