"""A mask of a matrix whose stability was tested, and steps after it: one mechanism, at one price.

A run knows a count h and a root L of a matrix P = L Lᵀ in d dimensions. Of neighbours, |h - h'| ≤ 1, and
where h, h' ≥ 1 the eigenvalues λ of P⁻¹P' are no farther from 1 than Δ says:

    stable_thompson_laplace           max |ln λ| ≤ Δ
    stable_wishart, tested_wishart    Σ (ln λ)₊ ≤ Δ and Σ (ln λ)₋ ≤ Δ

    (1) no answer but with probability p(h)                                             `privacy.ramps`
    (2) L M Lᵀ, M of `privacy.masks`: of rate θ = ε'/Δ, or of ν normal rows
    (3) `tested_wishart`: steps that are ρ-zCDP whatever (2) is; they see the same rows, and (2)

(2) is ε'-DP, or the Rényi divergence of (2) and (3) is at most R_α = ν c_α(Δ) + ρ α, c_α of `masks.renyi`.
ε' or ν is the largest whose p has p(T) ≥ 1 - `silent`; where steps follow ν is given, and ρ, the `room` that
it leaves, is the largest. The cost is that of all of them: none has a share of its own.
Proof: `proofs/tested_masks.md`; of (3), `proofs/affine_mean.md`, section 7.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import expm1, log

import numpy as np

from workbench.errors import ArgumentError
from workbench.privacy.budget import ZCDP, ApproxDP, within
from workbench.privacy.masks import LARGEST_THOMPSON, ChargedRoot, least_rate, renyi
from workbench.privacy.mechanisms import approximate_cost
from workbench.privacy.noise import NoiseSource
from workbench.privacy.plan import Charge, add, compose
from workbench.privacy.ramps import (
    Divergence,
    Pure,
    answering,
    few_orders,
    from_renyi,
    largest,
    narrowed,
    orders,
    ramp,
    replayed,
    typical,
)
from workbench.types import Array

LAPLACE, WISHART, LIFTED = "stable_thompson_laplace", "stable_wishart", "tested_wishart"
STABLE = (LAPLACE, WISHART)
LARGEST_SPREAD = 0.5  # of the Δ of a lifted matrix
LEAST_STEPS, MOST_STEPS = 1e-12, 1e4  # of ρ/ε², between which it is searched


@dataclass(frozen=True)
class StableCharge(Charge):
    """The charge: `sensitivity` is Δ, `most` T, `d` columns; no answer with chance `silent` at h = T."""

    most: int
    d: int
    silent: float


@dataclass(frozen=True)
class LiftCharge(StableCharge):
    """The charge of (1) to (3), with `degrees` ν and `rest`, the steps."""

    degrees: float
    room: ZCDP
    rest: tuple[Charge, ...] = ()

    def _validate(self) -> None:
        super()._validate()
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
class Stable:
    """What is masked: the count h, and a root of the matrix."""

    count: int
    root: Array | ChargedRoot


@dataclass(frozen=True)
class Lift:
    """What is masked: the count h, and a root [[r, 0], [l, R]] of P as r, R, and a location centre + l/r."""

    count: int
    centre: Array
    shift: Array
    root: Array
    height: float


def stable_scale(charge: StableCharge) -> float:
    """Return 1/θ or 1/ν.

    Raises
    ------
    ArgumentError
        If no mask, or hardly one, reaches the wanted chance of an answer: Δ or T is too far from (ε, δ).
    """
    if isinstance(charge, LiftCharge):
        return 1 / charge.degrees
    cost, distance, d = approximate_cost(charge), charge.sensitivity, charge.d
    if charge.mechanism == LAPLACE:
        if d > LARGEST_THOMPSON:
            raise ArgumentError("d", d, f"at most {LARGEST_THOMPSON} for the Thompson-Laplace mask")
        found, least = pure_room(cost, charge.most, charge.silent) / distance, float(least_rate(d))
    else:
        found, least = _degrees(cost, distance, charge.most, charge.silent, d == 1), 2.0 * d
    if not found > least:
        allowed = f"smaller, for a count of {charge.most} and d = {d} at {cost}"
        raise ArgumentError("sensitivity", distance, allowed)
    return 1 / found


def rough_scale(charge: StableCharge) -> float:
    """Return about `stable_scale`, sooner, or infinity: which of many designs is best, not what is drawn."""
    cost, distance = approximate_cost(charge), charge.sensitivity
    if charge.mechanism == LAPLACE:
        found = pure_room(cost, charge.most, charge.silent) / distance
    else:
        found = _rough(cost, distance, charge.most, charge.silent, charge.d == 1)
    return 1 / found if found else np.inf


@lru_cache(maxsize=4096)
def stable_chances(charge: StableCharge) -> tuple[float, ...]:
    """Return p(0), .., p(T)."""
    cost = approximate_cost(charge)
    chances = ramp(_stick(charge, cost), cost, charge.most)
    if chances is None:
        raise ArgumentError("charge", charge, "one that (ε, δ) allows")
    return chances


def stable_mask(found: Stable, charge: StableCharge, noise: NoiseSource) -> Array | None:
    """Return the matrix under a mask of its own shape, or None for no answer: (ε, δ)-DP.

    The mask is drawn in any case, of the identity where there is no answer: what is drawn is public.
    """
    answers = noise.uniform(0.0, 1.0) < stable_chances(charge)[found.count]
    released = _drawn(found.root if answers else ChargedRoot(np.eye(charge.d)), charge, noise)
    return released if answers else None


def masked_lift(lift: Lift, charge: LiftCharge, noise: NoiseSource) -> tuple[Array, Array] | None:
    """Return m and a root of S of (2), or None for no answer, after which no row may be looked at.

    With M = [[a, bᵀ], [b, C]], m = centre + (l/r + R b/(a r)) and S = R (C - b bᵀ/a) Rᵀ. The mask is drawn in
    any case.
    """
    answers = noise.uniform(0.0, 1.0) < stable_chances(charge)[lift.count]
    drawn = stable_identity(charge, noise)
    if not answers:
        return None
    along = drawn[1:, 0] / drawn[0, 0]
    across = np.asarray(np.linalg.cholesky(drawn[1:, 1:] - np.outer(along, drawn[1:, 0])), np.float64)
    return lift.centre + (lift.shift + lift.root @ along / lift.height), lift.root @ across


def stable_identity(charge: StableCharge, noise: NoiseSource) -> Array:
    """Return the identity under the mask: what a design looks at, no release."""
    return _drawn(np.eye(charge.d), charge, noise)


def _drawn(root: Array | ChargedRoot, charge: StableCharge, noise: NoiseSource) -> Array:
    draw = noise.thompson_laplace if charge.mechanism == LAPLACE else noise.wishart
    return draw(root, charge.sensitivity, stable_scale(charge))


@lru_cache(maxsize=4096)
def pure_room(cost: ApproxDP, most: int, silent: float) -> float:
    """Return the largest ε' of a mask that is ε'-DP, to a thousandth and from below, or 0."""
    return largest(answering(Pure, cost, most, silent), cost.epsilon / 2, "pure")


@lru_cache(maxsize=4096)
def normal_room(cost: ApproxDP, most: int, silent: float) -> float:
    """Return the same for ρ of a mask with R_α = ρα at every order, or 0."""
    tried = few_orders(cost)
    start = cost.epsilon**2 / (4 * log(1 / cost.delta) + 4 * cost.epsilon)
    excess = answering(lambda rho: from_renyi(tried, rho * tried, cost.epsilon), cost, most, silent)
    return largest(excess, start, "normal")


@lru_cache(maxsize=4096)
def room(budget: ApproxDP, spread: float, degrees: float, most: int, silent: float) -> ZCDP:
    """Return the same for ρ of steps after the mask of a lifted matrix.

    Raises
    ------
    ArgumentError
        If the mask alone is too much for the wanted chance of an answer.
    """
    excess = answering(lambda rho: _with_steps(spread, degrees, rho, budget), budget, most, silent)
    low, high = (bound * budget.epsilon**2 for bound in (LEAST_STEPS, MOST_STEPS))
    if not (spread <= LARGEST_SPREAD and excess(low) >= 0):
        raise ArgumentError("degrees", degrees, f"fewer, for a count of {most} at {budget}")
    start = budget.epsilon**2 / (4 * log(1 / budget.delta) + 4 * budget.epsilon)
    return ZCDP(replayed(lambda answers: narrowed(answers, low, high), excess, start, "room", rises=False)[0])


@lru_cache(maxsize=4096)
def _degrees(cost: ApproxDP, distance: float, most: int, silent: float, line: bool) -> float:
    """Return the most rows ν, or 0."""
    start = _rough(cost, distance, most, silent, line)
    excess = answering(lambda rows: _of_rows(rows, distance, line, cost), cost, most, silent)
    return largest(excess, start, "rows")


def _rough(cost: ApproxDP, distance: float, most: int, silent: float, line: bool) -> float:
    """Return about that: the rows at which one order, near the best, has what a normal mask may have."""
    if distance > 1:
        return 0.0
    order = 1 + min(typical(cost), 0.8 / expm1(distance))
    divergence = float(renyi(distance, np.array([order]), 1 if line else 2)[0])
    return normal_room(cost, most, silent) * order / divergence


def _stick(charge: StableCharge, cost: ApproxDP) -> Divergence:
    """Return the hockey stick of (2) and (3)."""
    number, distance = 1 / stable_scale(charge), charge.sensitivity
    if isinstance(charge, LiftCharge):
        return _with_steps(distance, charge.degrees, charge.room.rho, cost)
    if charge.mechanism == LAPLACE:
        return Pure(pure_room(cost, charge.most, charge.silent))
    return _of_rows(number, distance, charge.d == 1, cost)


def _of_rows(rows: float, distance: float, line: bool, cost: ApproxDP) -> Divergence:
    """Return the hockey stick of ν normal rows at Δ."""
    tried = few_orders(cost, (1 - 1e-9) / expm1(distance))
    return from_renyi(tried, rows * renyi(distance, tried, 1 if line else 2), cost.epsilon)


def _with_steps(distance: float, rows: float, rho: float, cost: ApproxDP) -> Divergence:
    """Return the same of ν normal rows and of steps."""
    tried, one = _orders(distance, cost)
    return from_renyi(tried, rows * one + rho * tried, cost.epsilon)


@lru_cache(maxsize=64)
def _orders(distance: float, cost: ApproxDP) -> tuple[Array, Array]:
    """Return the orders, and R_α of one row there."""
    tried = orders(cost, (1 - 1e-9) / expm1(distance))
    return tried, renyi(distance, tried, 2)
