"""The narrowest mask that a ramp of answers allows, by a search that shares no code with the package's.

Of the package are the hockey sticks of two pairs, which its tests compare with closed forms.
"""

from functools import cache, partial
from itertools import pairwise
from math import exp, expm1, log, sqrt

import numpy as np

from workbench.privacy.ramps import Pure
from workbench.privacy.stable import Shifted
from workbench.special import gammainc, gammaincc

ORDERS, STEPS, HALVES = 4000, 22, 45
NONE = 1e-300


def largest_pure(charge):
    return _largest(charge, Pure)


def largest_rows(charge):
    return _largest(charge, _moved(charge.sensitivity, charge.d > 1))


def rows_beside(charge):
    stick = _moved(charge.sensitivity, True, charge.room.rho)(charge.degrees)
    return charge.degrees if _answers_alike(stick, charge) else NONE


def located_normal_scale(charge):
    """The least scale of the noise of a location."""
    return charge.sensitivity / _largest(charge, _located(charge.spread, charge.d == 1))


def ratio_beside(charge):
    kind = Pure if charge.mechanism == "voted_laplace" else Shifted
    sticks = [kind(charge.ratio * fall) for fall in charge.falls[: charge.usual]]
    return charge.ratio if _answers(sticks, charge) else NONE


def _answers(sticks, charge):
    """Whether chances that rise as fast as the sticks allow end above 1 - silent."""
    epsilon, delta = charge.cost.epsilon, charge.cost.delta
    chance = delta
    for stick, above in pairwise(sticks):
        allowed = partial(_allowed, stick, epsilon, delta, chance)
        high = min(1.0, delta / max(above(epsilon), 1e-300))
        chance = high if allowed(high) else halved(allowed, chance, high, HALVES)[0]
    return chance * sticks[-1](epsilon) <= delta and chance >= 1 - charge.silent


def _answers_alike(stick, charge):
    return stick(charge.cost.epsilon) <= charge.cost.delta and _answers([stick] * charge.most, charge)


def halved(holds, low, high, times):
    """Return the ends of the interval, halved so often, below which it holds and above which it does not."""
    for _ in range(times):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low, high


def _allowed(stick, epsilon, delta, p, q):
    rise = log(q / p)
    silent = max(0.0, (1 - p) - exp(epsilon) * (1 - q))
    return q * stick(epsilon - rise) <= delta and silent + p * stick(epsilon + rise) <= delta


@cache
def _largest(charge, stick):
    def holds(number):
        return _answers_alike(stick(exp(number)), charge)

    return exp(halved(holds, log(1e-6), log(1e6), STEPS)[1])


@cache
def _moved(distance, both, rho=0.0):
    """The hockey stick of ν rows, gamma variables of scales e^g and e^-g against 1, beside normal steps.

    The loss of the first variable, and that of the steps, by sums over a grid of its density; not `both`: the
    larger one of either variable alone.
    """
    away = np.linspace(-9.0, 13.0, 121)
    mu, normal = sqrt(2 * rho), np.exp(-(away**2) / 2)

    def rows(number):
        shape = number / 2
        places = np.maximum(shape + away * sqrt(shape), 1e-9 * shape)
        density = np.exp((shape - 1) * np.log(places / shape) + shape - places) * (away > -sqrt(shape))
        losses, weights = expm1(distance) * places - distance * shape, density / density.sum()
        if rho:
            losses = (losses + (mu * (mu / 2 + away))[:, None]).ravel()
            weights = np.outer(normal / normal.sum(), weights).ravel()
            losses, weights = losses[weights > 1e-24], weights[weights > 1e-24]

        def stick(e):
            if both:
                left = np.maximum(shape * distance - e + losses, 0.0)
                second = np.exp(e - losses) * gammainc(shape, left / expm1(distance))
                return float((gammainc(shape, left / -expm1(-distance)) - second) @ weights)
            left, right = (max(0.0, shape * distance - side * e) for side in (1, -1))
            far, near = expm1(distance), -expm1(-distance)
            down = gammainc(shape, left / near) - exp(e) * gammainc(shape, left / far)
            up = gammaincc(shape, right / far) - exp(e) * gammaincc(shape, right / near)
            return float(max(down, up))

        return stick

    return rows


@cache
def _located(spread, line):
    """The hockey stick of normal noise of sd Δ/number, in scatters that are g apart."""
    highest = min(1e5, (1 - 1e-9) / expm1(spread))
    falls = np.geomspace(1e-4 * highest, highest, ORDERS)
    orders = 1 + falls
    shapes = [(-np.log(orders - falls * exp(v)) / falls - v) / 2 for v in (spread, -spread)]
    shape = np.maximum(*shapes) if line else sum(shapes)
    kept = falls * (shape + np.log1p(-1 / orders)) - np.log(orders)
    moved = falls * orders / 2 / (1 - falls * spread)

    def noise(number):
        heights = kept + number**2 * moved
        return lambda e: exp(min(0.0, float((heights - falls * e).min())))

    return noise
