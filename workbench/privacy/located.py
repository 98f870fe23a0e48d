"""The normal noise of a location whose stability was tested: test and mask as one mechanism.

A run knows a count h, a location m and a root R of its scatter S = R Rᵀ. Of neighbours, |h - h'| ≤ 1, and
where h, h' ≥ 1 there is S₀ ≤ S, S' with tr(S₀⁻¹S - I), tr(S₀⁻¹S' - I) ≤ g, |m - m'| ≤ Δ in the norm of S₀.

    (1) no answer but with probability p(h)                                             `privacy.ramps`
    (2) out = m + σ R Z, Z standard normal

Rényi's divergence of (2) is at most R_α = (α/2)(Δ/σ)²/(1 - (α - 1)g) + D(g) + D(-g), or the larger D alone
where d = 1, D(v) = (-ln(α - (α - 1)e^v)/(α - 1) - v)/2, for the orders with (α - 1)(e^g - 1) < 1. σ is the
least at which p reaches 1 - `silent` at h = T.
Proof: `proofs/affine_mean.md`, section 4; `proofs/tested_masks.md`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import expm1, log, sqrt

import numpy as np

from workbench.errors import ArgumentError
from workbench.privacy.budget import ApproxDP
from workbench.privacy.masks import renyi
from workbench.privacy.mechanisms import approximate_cost
from workbench.privacy.noise import NoiseSource
from workbench.privacy.plan import Charge
from workbench.privacy.ramps import Tabulated, answering, from_renyi, narrowed, orders, ramp, replayed
from workbench.types import Array

WIDEST, NARROWEST = 1e4, 0.1  # of σ/Δ, between which it is searched
LARGEST_SPREAD = 0.5


@dataclass(frozen=True)
class LocatedCharge(Charge):
    """The charge: `sensitivity` is Δ, `spread` g, `most` T; no answer with chance `silent` at h = T."""

    spread: float
    most: int
    d: int
    silent: float


@dataclass(frozen=True)
class Located:
    """What is masked: the count h, the location m = centre + shift, and a root R of its scatter."""

    count: int
    centre: Array
    shift: Array
    root: Array


def located_scale(charge: LocatedCharge) -> float:
    """Return σ.

    Raises
    ------
    ArgumentError
        If no noise reaches the wanted chance of an answer: g or T is too far from what (ε, δ) allows.
    """
    return charge.sensitivity * _ratio(
        approximate_cost(charge), charge.spread, charge.most, charge.d == 1, charge.silent
    )


@lru_cache(maxsize=4096)
def located_chances(charge: LocatedCharge) -> tuple[float, ...]:
    """Return p(0), .., p(T)."""
    budget, ratio = approximate_cost(charge), located_scale(charge) / charge.sensitivity
    chances = ramp(_stick(ratio, charge.spread, charge.d == 1, budget), budget, charge.most)
    assert chances is not None, "the scale was chosen so that there are some"
    return chances


def located_normal(found: Located, charge: LocatedCharge, noise: NoiseSource) -> Array | None:
    """Return the location with noise of its own shape, or None for no answer: (ε, δ)-DP.

    The noise is drawn in any case: what is drawn is public. It is added to the shift before the centre is: a
    location that was rounded first would show through noise that is below its rounding.
    """
    answers = noise.uniform(0.0, 1.0) < located_chances(charge)[found.count]
    drawn = noise.gaussian(np.zeros(charge.d, int), charge.sensitivity, located_scale(charge))
    return np.asarray(found.centre + (found.shift + found.root @ drawn)) if answers else None


def suffices(charge: LocatedCharge, scale: float) -> bool:
    """Tell whether a σ gives the wanted chance of an answer."""
    excess = _excess(approximate_cost(charge), charge.spread, charge.most, charge.d == 1, charge.silent)
    return charge.spread <= LARGEST_SPREAD and excess(scale / charge.sensitivity) >= 0


@lru_cache(maxsize=4096)
def _ratio(budget: ApproxDP, spread: float, most: int, line: bool, silent: float) -> float:
    """Return the least σ/Δ, to a thousandth and from above."""
    excess = _excess(budget, spread, most, line, silent)
    start = 1.4 * sqrt(2 * log(1 / budget.delta)) / budget.epsilon  # rather more than without a test

    def search(answers: Callable[[float], bool]) -> tuple[float, float]:
        return narrowed(lambda ratio: not answers(ratio), NARROWEST, WIDEST)

    found = WIDEST
    if spread <= LARGEST_SPREAD:
        found = replayed(search, excess, start, (budget, most, line, silent), rises=True)[1]
    if found == WIDEST and not (spread <= LARGEST_SPREAD and excess(WIDEST) >= 0):
        raise ArgumentError("spread", spread, f"smaller, for a count of {most} at {budget}")
    return found


def _excess(
    budget: ApproxDP, spread: float, most: int, line: bool, silent: float
) -> Callable[[float], float]:
    """Return what tells by how much σ/Δ gives the wanted chance of an answer."""
    return answering(lambda ratio: _stick(ratio, spread, line, budget), budget, most, silent)


def _stick(ratio: float, spread: float, line: bool, budget: ApproxDP) -> Tabulated:
    """Return the hockey stick of (2) at σ/Δ = ratio."""
    tried, shape = _orders(spread, line, budget)
    shift = tried / 2 / ratio**2 / (1 - (tried - 1) * spread)
    return from_renyi(tried, shift + shape, budget.epsilon)


@lru_cache(maxsize=64)
def _orders(spread: float, line: bool, budget: ApproxDP) -> tuple[Array, Array]:
    """Return the orders, and what R_α has there of the shape of the noise."""
    tried = orders(budget, (1 - 1e-9) / expm1(spread))
    return tried, renyi(spread, tried, 1 if line else 2)
