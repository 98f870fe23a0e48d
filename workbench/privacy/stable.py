"""A mask of a matrix whose stability was tested: test and mask as one mechanism.

A run knows a count h and a root L of a matrix P = L Lᵀ. Of neighbours, |h - h'| ≤ 1, and where h, h' ≥ 1 the
eigenvalues λ of P⁻¹P' are no farther from 1 than Δ says:

    stable_thompson_laplace   max |ln λ| ≤ Δ
    stable_wishart            Σ (ln λ)₊ ≤ Δ and Σ (ln λ)₋ ≤ Δ

    (1) no answer but with probability p(h)                                             `privacy.ramps`
    (2) out = L M Lᵀ, M of `privacy.masks`: of rate θ = ε'/Δ, or of ν normal rows

(2) is ε'-DP, hence of hockey stick (e^ε' - e^e)/(e^ε' + 1) at most, or its Rényi divergence is at most ν c_α.
ε' or ν is the largest at which p reaches 1 - `silent` at h = T. The cost is that of both: neither has a share
of its own. Proof: `proofs/tested_masks.md`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import exp, expm1, log, sqrt

import numpy as np

from workbench.errors import ArgumentError
from workbench.privacy.budget import ApproxDP
from workbench.privacy.masks import LARGEST_THOMPSON, ChargedRoot, least_rate, renyi
from workbench.privacy.mechanisms import approximate_cost
from workbench.privacy.noise import NoiseSource
from workbench.privacy.plan import Charge
from workbench.privacy.ramps import Divergence, from_renyi, ramp
from workbench.types import Array

LAPLACE, WISHART = "stable_thompson_laplace", "stable_wishart"
STABLE = (LAPLACE, WISHART)
ORDERS, APART = 200, 50.0  # orders less 1, this factor and less from a typical one
LEAST, CLOSE = 1e-9, 1.001  # of what is searched, and how near it is found
TYPICAL = 1.3  # times ln(1/δ)/ε: about the order that decides, less 1


@dataclass(frozen=True)
class StableCharge(Charge):
    """The charge: `sensitivity` is Δ, `most` T, `d` columns; no answer with chance `silent` at h = T."""

    most: int
    d: int
    silent: float


@dataclass(frozen=True)
class Stable:
    """What is masked: the count h, and a root of the matrix."""

    count: int
    root: Array | ChargedRoot


@dataclass(frozen=True)
class Pure:
    """The largest hockey stick of a pair that is ε-DP in both directions."""

    epsilon: float

    def __call__(self, e: float) -> float:
        """Return it at e."""
        if e >= self.epsilon:
            return 0.0
        if e <= -self.epsilon:
            return -expm1(e)
        return -expm1(e - self.epsilon) / (1 + exp(-self.epsilon))


def stable_scale(charge: StableCharge) -> float:
    """Return 1/θ or 1/ν.

    Raises
    ------
    ArgumentError
        If no mask, or hardly one, reaches the wanted chance of an answer: Δ or T is too far from what (ε, δ)
        allows.
    """
    cost, distance, d = approximate_cost(charge), charge.sensitivity, charge.d
    if charge.mechanism == LAPLACE:
        if d > LARGEST_THOMPSON:
            raise ArgumentError("d", d, f"at most {LARGEST_THOMPSON} for the Thompson-Laplace mask")
        found, least = pure_room(cost, charge.most, charge.silent) / distance, float(least_rate(d))
    else:
        found, least = _degrees(cost, distance, charge.most, charge.silent, d == 1), 2.0 * d
    if not found > least:
        raise ArgumentError(
            "sensitivity", distance, f"smaller, for a count of {charge.most} and d = {d} at {cost}"
        )
    return 1 / found


def rough_scale(charge: StableCharge) -> float:
    """Return about `stable_scale`, sooner, or infinity: which of many designs is best, not what is drawn."""
    if charge.mechanism == LAPLACE:
        found = pure_room(approximate_cost(charge), charge.most, charge.silent) / charge.sensitivity
    else:
        found = _rough(
            approximate_cost(charge), charge.sensitivity, charge.most, charge.silent, charge.d == 1
        )
    return 1 / found if found else np.inf


@lru_cache(maxsize=4096)
def stable_chances(charge: StableCharge) -> tuple[float, ...]:
    """Return p(0), .., p(T)."""
    cost, distance = approximate_cost(charge), charge.sensitivity
    best = 1 / stable_scale(charge)
    if charge.mechanism == LAPLACE:
        stick: Divergence = Pure(pure_room(cost, charge.most, charge.silent))
    else:
        stick = _of_rows(best, distance, charge.d == 1, cost)
    chances = ramp(stick, cost, charge.most)
    assert chances is not None, "the scale was chosen so that there are some"
    return chances


def stable_mask(found: Stable, charge: StableCharge, noise: NoiseSource) -> Array | None:
    """Return the matrix under a mask of its own shape, or None for no answer: (ε, δ)-DP.

    The mask is drawn in any case, of the identity where there is no answer: what is drawn is public.
    """
    answers = noise.uniform(0.0, 1.0) < stable_chances(charge)[found.count]
    released = _drawn(found.root if answers else ChargedRoot(np.eye(charge.d)), charge, noise)
    return released if answers else None


def stable_identity(charge: StableCharge, noise: NoiseSource) -> Array:
    """Return the identity under the mask: what a design looks at, no release."""
    return _drawn(np.eye(charge.d), charge, noise)


def _drawn(root: Array | ChargedRoot, charge: StableCharge, noise: NoiseSource) -> Array:
    draw = noise.thompson_laplace if charge.mechanism == LAPLACE else noise.wishart
    return draw(root, charge.sensitivity, stable_scale(charge))


@lru_cache(maxsize=4096)
def pure_room(cost: ApproxDP, most: int, silent: float) -> float:
    """Return the largest ε' of a mask that is ε'-DP, to a thousandth and from below, or 0."""
    return _largest(Pure, cost, most, silent, cost.epsilon / 2)


@lru_cache(maxsize=4096)
def normal_room(cost: ApproxDP, most: int, silent: float) -> float:
    """Return the same for ρ of a mask with R_α = ρα at every order, or 0."""
    orders = _orders(cost)
    start = cost.epsilon**2 / (4 * log(1 / cost.delta) + 4 * cost.epsilon)
    return _largest(lambda rho: from_renyi(orders, rho * orders, cost.epsilon), cost, most, silent, start)


@lru_cache(maxsize=4096)
def _degrees(cost: ApproxDP, distance: float, most: int, silent: float, line: bool) -> float:
    """Return the most rows ν, or 0."""
    start = _rough(cost, distance, most, silent, line)
    return _largest(lambda rows: _of_rows(rows, distance, line, cost), cost, most, silent, start)


def _rough(cost: ApproxDP, distance: float, most: int, silent: float, line: bool) -> float:
    """Return about that: the rows at which one order, near the best, has what a normal mask may have."""
    if distance > 1:
        return 0.0
    order = 1 + min(_typical(cost), 0.8 / expm1(distance))
    divergence = float(renyi(distance, np.array([order]), 1 if line else 2)[0])
    return normal_room(cost, most, silent) * order / divergence


def _of_rows(rows: float, distance: float, line: bool, cost: ApproxDP) -> Divergence:
    """Return the hockey stick of ν normal rows at Δ."""
    orders = _orders(cost, (1 - 1e-9) / expm1(distance))
    return from_renyi(orders, rows * renyi(distance, orders, 1 if line else 2), cost.epsilon)


def _orders(cost: ApproxDP, most: float = np.inf) -> Array:
    """Return orders up to 1 + most, those that decide among them."""
    typical = _typical(cost)
    highest = min(APART * typical, most)
    return 1 + np.geomspace(min(typical / APART, highest / APART), highest, ORDERS)


def _typical(cost: ApproxDP) -> float:
    return TYPICAL * log(1 / cost.delta) / cost.epsilon


def _largest(
    stick: Callable[[float], Divergence], cost: ApproxDP, most: int, silent: float, start: float
) -> float:
    """Return the largest number whose hockey stick has a ramp that reaches 1 - silent, or 0."""

    def answers(number: float) -> bool:
        chances = ramp(stick(number), cost, most)
        return chances is not None and chances[-1] >= 1 - silent

    low, high = _bracket(answers, start) if start > 0 else (0.0, 0.0)
    while high > CLOSE * low > 0:
        middle = sqrt(low * high)
        low, high = (middle, high) if answers(middle) else (low, middle)
    return low


def _bracket(answers: Callable[[float], bool], start: float) -> tuple[float, float]:
    """Return a number that answers, and one above it that does not; (0, 0) if none is far too small."""
    factor, rises = 1.02, answers(start)
    low = high = start
    while answers(high) if rises else not answers(low):
        if low < LEAST * start:
            return 0.0, 0.0
        low, high = (high, high * factor) if rises else (low / factor, low)
        factor *= factor
    return low, high
