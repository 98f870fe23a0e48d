"""What a charge draws, derived from its cost alone: kind, sensitivity and scale.

The narrowest mask that a ramp of answers allows is found by a search that shares no code with the package's.
Of the package are the hockey sticks of two pairs, which its tests compare with closed forms.
"""

from functools import cache, partial
from itertools import pairwise
from math import exp, expm1, log, sqrt

import numpy as np

from workbench.privacy import ZCDP, ApproxDP, GaussianDP, PureDP
from workbench.privacy.budgets import gaussian_delta
from workbench.privacy.ramps import Pure
from workbench.privacy.stable import Shifted
from workbench.special import chdtr, chdtrc
from workbench.study.faults import kind_of

NODES, WEIGHTS = np.polynomial.legendre.leggauss(120)
AWAY = np.linspace(-9.0, 13.0, 121)  # sd of normal steps


@cache
def expected_draw(charge, d=1):
    """Kind, sensitivity and scale of the draw that a charge stands for, derived here independently."""
    return kind_of(charge), charge.sensitivity, _scale(charge, d)


def _scale(charge, d):
    size, cost = charge.sensitivity, charge.cost
    match charge.mechanism, cost:
        case "gaussian" | "symmetric_gaussian" | "lower_bound" | "stability_histogram", ZCDP(rho, _):
            return size / sqrt(2 * rho)
        case "gaussian" | "symmetric_gaussian", GaussianDP(mu):
            return size / mu
        case "gaussian" | "symmetric_gaussian", ApproxDP(epsilon, delta):
            return size / largest(lambda mu: gaussian_delta(mu, epsilon) <= delta)
        case "noisy_max" | "exponential" | "cuts" | "window_median", ZCDP(rho, _):
            return 2 * size / largest(lambda epsilon: _of_range(epsilon) <= rho)
        case "noisy_max" | "exponential" | "cuts" | "window_median", PureDP() | ApproxDP():
            return 2 * size / cost.epsilon
        case "laplace" | "discrete_laplace" | "truncated_laplace" | "thompson_laplace", PureDP() | ApproxDP():
            return size / cost.epsilon
        case "lower_bound" | "stability_histogram", ApproxDP(epsilon, _):
            return size / epsilon
        case "wishart", ApproxDP(_, delta):
            return 1 / largest(lambda rows: wishart_delta(size, rows, d, cost) <= delta)
        case "located_normal", _:
            return size / narrowest(partial(of_location, charge.spread, charge.d == 1), charge)
        case "voted_gaussian" | "voted_laplace", _:
            kind = Pure if charge.mechanism == "voted_laplace" else Shifted
            assert answers([kind(charge.ratio * fall) for fall in charge.falls[: charge.usual]], charge)
            return size / charge.ratio
        case "stable_thompson_laplace", _:
            return size / narrowest(Pure, charge)
        case "stable_wishart", _:
            return 1 / narrowest(partial(of_rows, size, charge.d, 0.0), charge)
        case "tested_wishart", _:
            assert answers_alike(of_rows(size, charge.d, charge.room.rho, charge.degrees), charge)
            return 1 / charge.degrees
    raise AssertionError(f"no draw is known for {charge}")


def _of_range(epsilon):
    k = epsilon / -expm1(-epsilon)
    return k - 1 - log(k)


def halved(holds, low, high, times):
    """Return the ends of the interval, halved so often, below which it holds and above which it does not."""
    for _ in range(times):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low, high


def largest(holds, times=60):
    """Return about the largest number that holds, from above."""
    return exp(halved(lambda number: holds(exp(number)), log(1e-9), log(1e9), times)[1])


def narrowest(stick, charge):
    return largest(lambda number: answers_alike(stick(number), charge), 24)


def answers_alike(stick, charge):
    return stick(charge.cost.epsilon) <= charge.cost.delta and answers([stick] * charge.most, charge)


def answers(sticks, charge):
    """Whether chances that rise as fast as the sticks allow end above 1 - silent."""
    epsilon, delta = charge.cost.epsilon, charge.cost.delta
    chance = delta
    for stick, above in pairwise(sticks):
        allowed = partial(_allowed, stick, epsilon, delta, chance)
        chance, _ = halved(allowed, chance, min(1.0, delta / max(above(epsilon), 1e-300)), 32)
    return chance * sticks[-1](epsilon) <= delta and chance >= 1 - charge.silent


def _allowed(stick, epsilon, delta, p, q):
    rise = log(q / p)
    silent = max(0.0, (1 - p) - exp(epsilon) * (1 - q))
    return q * stick(epsilon - rise) <= delta and silent + p * stick(epsilon + rise) <= delta


def of_location(spread, line, ratio):
    """The hockey stick of normal noise of sd Δ/ratio, in scatters that are g apart."""
    highest = min(1e5, (1 - 1e-9) / expm1(spread))
    falls = np.geomspace(1e-4 * highest, highest, 4000)
    orders = 1 + falls
    shapes = [(-np.log(orders - falls * exp(v)) / falls - v) / 2 for v in (spread, -spread)]
    divergences = np.maximum(*shapes) if line else sum(shapes)
    divergences += ratio**2 * orders / 2 / (1 - falls * spread)
    heights = falls * (divergences + np.log1p(-1 / orders)) - np.log(orders)
    return lambda e: exp(min(0.0, float((heights - falls * e).min())))


def of_rows(distance, d, rho, rows):
    """The hockey stick of ν rows, two eigenvalues e^±Δ, or on a line either of them, beside normal steps."""
    sticks = [wishart_stick(distance, rows, min(d, 2), ups) for ups in ((1,) if d > 1 else (0, 1))]
    mu, away = sqrt(2 * rho), AWAY if rho else np.zeros(1)
    losses, chances = mu * (mu / 2 + away), np.exp(-(away**2) / 2)
    return lambda e: float(max(stick(e - losses) @ chances for stick in sticks) / chances.sum())


def wishart_delta(distance, rows, d, cost):
    """The worst hockey stick of Wishart distributions whose ratio has eigenvalues e^±distance.

    Any number of the eigenvalues may be the larger one.
    """
    return max(float(wishart_stick(distance, rows, d, ups)(cost.epsilon)) for ups in range(d + 1))


def wishart_stick(distance, rows, d, ups):
    x, y, shift = ups * rows, (d - ups) * rows, rows * distance / 2 * (2 * ups - d)
    points, chances = np.zeros(1), np.ones(1)  # of a χ² variable of y degrees
    if y:
        low, high = max(0.0, y - 12 * sqrt(2 * y)), y + 12 * sqrt(2 * y)
        points = low + (high - low) * (NODES + 1) / 2
        chances = WEIGHTS * np.exp((y / 2 - 1) * np.log(points / y) + (y - points) / 2)

    def above(loss, first, second):
        """The chance of first X - second Y > loss."""
        if not x:
            return chdtr(y, np.maximum(-loss / second, 0.0))
        tails = chdtrc(x, np.maximum(np.add.outer(loss, second * points) / first, 0.0))
        return tails @ chances / chances.sum()

    up, down = expm1(distance) / 2, -expm1(-distance) / 2
    return lambda e: above(e + shift, up, down) - np.exp(e) * above(e + shift, down, up)
