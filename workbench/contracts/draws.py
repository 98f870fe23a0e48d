"""What a charge draws, derived from its cost alone: kind, sensitivity and scale."""

from math import exp, expm1, log, sqrt

import numpy as np
from scipy.stats import chi2

from workbench.contracts.ramps import (
    halved,
    largest_pure,
    largest_rows,
    located_normal_scale,
    ratio_beside,
    rows_beside,
)
from workbench.privacy import ZCDP, ApproxDP, GaussianDP, PureDP
from workbench.privacy.budgets import gaussian_delta
from workbench.study.faults import kind_of

NODES, WEIGHTS = np.polynomial.legendre.leggauss(600)


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
            return size / halved(lambda mu: gaussian_delta(mu, epsilon) <= delta, 1e-9, 50.0, 200)[0]
        case "noisy_max" | "exponential" | "cuts" | "window_median", ZCDP(rho, _):
            return 2 * size / _range(rho)
        case "noisy_max" | "exponential" | "cuts" | "window_median", PureDP() | ApproxDP():
            return 2 * size / cost.epsilon
        case "laplace" | "discrete_laplace" | "truncated_laplace" | "thompson_laplace", PureDP() | ApproxDP():
            return size / cost.epsilon
        case "lower_bound" | "stability_histogram", ApproxDP(epsilon, _):
            return size / epsilon
        case "wishart", ApproxDP(_, delta):
            ends = log(d - 1 + 1e-9), log(1e9)
            return exp(-halved(lambda rows: wishart_delta(size, exp(rows), d, cost) <= delta, *ends, 60)[0])
        case "located_normal", _:
            return located_normal_scale(charge)
        case "voted_gaussian" | "voted_laplace", _:
            return size / ratio_beside(charge)
        case "stable_thompson_laplace", _:
            return size / largest_pure(charge)
        case "stable_wishart", _:
            return 1 / largest_rows(charge)
        case "tested_wishart", _:
            return 1 / rows_beside(charge)
    raise AssertionError(f"no draw is known for {charge}")


def _range(rho):
    def holds(epsilon):
        k = epsilon / -expm1(-epsilon)
        return k - 1 - log(k) <= rho

    return halved(holds, sqrt(8 * rho), sqrt(8 * rho) + 3 * rho + 1, 100)[0]


def wishart_delta(distance, rows, d, cost):
    """The worst hockey-stick divergence of Wishart distributions whose ratio has eigenvalues e^±distance.

    Any number of the eigenvalues may be the larger one.
    """

    def above(j, ups):
        threshold = cost.epsilon + rows * distance / 2 * (2 * j - d)
        if j == d:
            return float(chi2.sf(threshold / ups[0], d * rows))
        if j == 0:
            return float(chi2.cdf(-threshold / ups[1], d * rows))
        law = chi2((d - j) * rows)
        centre, reach = law.mean(), 12 * law.std()
        low, high = max(0.0, centre - reach), centre + reach
        points = low + (high - low) * (NODES + 1) / 2
        inside = law.pdf(points) * chi2.sf((threshold + ups[1] * points) / ups[0], j * rows)
        return float(WEIGHTS @ inside * (high - low) / 2)

    up, down = expm1(distance) / 2, -expm1(-distance) / 2
    return max(above(j, (up, down)) - exp(cost.epsilon) * above(j, (down, up)) for j in range(d + 1))
