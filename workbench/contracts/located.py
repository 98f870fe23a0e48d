"""The least scale at which a test and the mask of a location keep (ε, δ) together, derived here."""

from functools import lru_cache
from math import exp, expm1, log

import numpy as np

from workbench.privacy import ApproxDP
from workbench.privacy.stable import LocatedCharge

ORDERS = 4000


@lru_cache(maxsize=256)
def located_normal_scale(charge: LocatedCharge) -> float:
    low, high = 1e-2, 1e4  # of σ in units of the sensitivity
    while high > (1 + 1e-6) * low:
        middle = (low * high) ** 0.5
        low, high = (low, middle) if last_chance(charge, middle) >= 1 - charge.silent else (middle, high)
    return charge.sensitivity * high


def last_chance(charge: LocatedCharge, ratio: float) -> float:
    budget, (falls, heights) = charge.cost, exponents(charge, ratio)
    assert isinstance(budget, ApproxDP)

    def stick(e: float) -> float:
        return exp(min(0.0, float((heights - falls * e).min())))

    def allowed(p: float, q: float) -> bool:
        rise, none = log(q / p), max(0.0, (1 - p) - exp(budget.epsilon) * (1 - q))
        beside = none + p * stick(budget.epsilon + rise)
        return q * stick(budget.epsilon - rise) <= budget.delta and beside <= budget.delta

    if stick(budget.epsilon) > budget.delta:
        return 0.0
    p = budget.delta
    for _ in range(1, charge.most):
        low, high = p, min(1.0, p * exp(2 * budget.epsilon))
        for _ in range(50):
            low, high = (low, high) if high - low < 1e-12 * high else halved(low, high, p, allowed)
        p = low if not allowed(p, high) else high
    return p


def halved(low, high, p, allowed):
    middle = (low + high) / 2
    return (middle, high) if allowed(p, middle) else (low, middle)


def exponents(charge: LocatedCharge, ratio: float) -> tuple[np.ndarray, np.ndarray]:
    g = charge.spread
    highest = min(1e5, (1 - 1e-9) / expm1(g))
    falls = np.geomspace(1e-4 * highest, highest, ORDERS)
    orders = 1 + falls
    shapes = [(-np.log(orders - falls * exp(v)) / falls - v) / 2 for v in (g, -g)]
    shape = np.maximum(*shapes) if charge.d == 1 else shapes[0] + shapes[1]
    moved = orders / 2 / ratio**2 / (1 - falls * g)
    return falls, falls * (moved + shape) + falls * np.log1p(-1 / orders) - np.log(orders)
