"""Masks: their laws, their exact cost, and the constants of the source."""

from itertools import pairwise
from math import exp, log, log1p, sqrt

import numpy as np
import pytest
from scipy.stats import ks_2samp, kstest

from workbench.errors import ArgumentError
from workbench.linalg import spectral_map
from workbench.privacy import ApproxDP, Charge, PureDP, SimulatedNoise, mechanisms
from workbench.privacy import noise as random_matrices
from workbench.privacy import stable as masks

LEVEL = 1e-6
COST = ApproxDP(0.5, 5e-7)


def rng(seed=1):
    return np.random.default_rng(seed)


def thompson(matrix):
    return float(np.abs(np.log(np.linalg.eigvalsh(matrix))).max())


def largest_gamma(delta):
    low, high = 1e-6, 1.0
    for _ in range(60):
        middle = sqrt(low * high)
        low, high = (middle, high) if delta(log1p(middle)) <= COST.delta else (low, middle)
    return low


@pytest.mark.daily
@pytest.mark.parametrize(
    ("d", "square", "wishart"), [(1, 2.372e-2, 2.704e-2), (2, 1.471e-2, 1.621e-2), (5, 6.89e-3, 7.32e-3)]
)
def test_exact_distances_at_eta_one_sixth(d, square, wishart):
    eta = 1 / (6 * sqrt(d))
    assert largest_gamma(lambda t: masks.square_delta(t, eta, d, 0.5)) == pytest.approx(square, rel=2e-3)
    rows = 1 / (2 * eta**2)
    assert largest_gamma(lambda t: masks.wishart_delta(t, rows, d, 0.5)) == pytest.approx(wishart, rel=2e-3)


@pytest.mark.parametrize("d", [1, 2, 5, 10])
def test_the_stated_distance_costs_less_than_it_may(d):
    eta = 1 / (6 * sqrt(d))
    level = log(2 / COST.delta)
    gamma = min(
        sqrt(COST.epsilon / (2 * d * (d + 1 / eta**2))),
        COST.epsilon / (8 * d * sqrt(level)),
        COST.epsilon / (8 * level),
        COST.epsilon * eta / (12 * sqrt(d * level)),
    )
    charge = Charge("mask", "square", log1p(gamma), COST)
    assert masks.square_scale(charge, d) == pytest.approx(eta, rel=1e-9)
    assert masks.square_delta(log1p(gamma), eta, d, COST.epsilon) < COST.delta / 100


def gaussian_loss(d, j, distance, noise):
    """Losses of 400 000 raw draws under the first law: log densities of rows, not the closed form."""
    up = exp(distance)
    ratios = np.array([up] * j + [1 / up] * (d - j))
    g = rng(3).standard_normal((400_000, d, d))
    first = np.sqrt(ratios)[:, None] * (np.eye(d) + noise * g)
    centred = (first - np.eye(d)) / noise
    return -(g**2).sum(axis=(1, 2)) / 2 - d / 2 * np.log(ratios).sum() + (centred**2).sum(axis=(1, 2)) / 2


@pytest.mark.parametrize(("d", "distance"), [(1, 0.5), (3, 0.3), (4, 0.2)])
def test_exact_delta_against_monte_carlo(d, distance):
    noise, epsilon = 0.3, 0.5
    losses = [gaussian_loss(d, j, distance, noise) for j in range(d + 1)]
    found = [np.maximum(1 - np.exp(epsilon - one), 0.0) for one in losses]
    worst = max(found, key=np.mean)
    wide = 6 * worst.std() / sqrt(len(worst))
    assert masks.square_delta(distance, noise, d, epsilon) == pytest.approx(worst.mean(), abs=wide)
    assert worst.mean() > 20 * wide  # a wrong δ would be seen


@pytest.mark.parametrize(("d", "distance"), [(1, 0.5), (3, 0.3), (4, 0.2)])
def test_exact_wishart_delta_against_monte_carlo(d, distance):
    rows, epsilon = 25, 0.5
    squares = rng(4).chisquare(rows, (400_000, d))
    means = []
    for j in range(d + 1):
        ratios = np.exp(distance * np.array([1.0] * j + [-1.0] * (d - j)))
        loss = (-rows / 2 * np.log(ratios) + (ratios - 1) / 2 * squares).sum(axis=1)
        kept = np.maximum(1 - np.exp(epsilon - loss), 0.0)
        means.append((kept.mean(), 6 * kept.std() / sqrt(len(kept))))
    worst, wide = max(means)
    assert masks.wishart_delta(distance, rows, d, epsilon) == pytest.approx(worst, abs=wide)
    assert worst > 20 * wide


@pytest.mark.parametrize("d", [2, 5])
def test_vertices_are_worst(d):
    """Interior ratios lose less, by the same draws."""
    rows, distance, epsilon = 30, 0.3, 0.3
    squares = rng(5).chisquare(rows, (200_000, d))
    bound = masks.wishart_delta(distance, rows, d, epsilon)
    for ratios in np.exp(rng(6).uniform(-distance, distance, (20, d))):
        loss = (-rows / 2 * np.log(ratios) + (ratios - 1) / 2 * squares).sum(axis=1)
        kept = np.maximum(1 - np.exp(epsilon - loss), 0.0)
        assert kept.mean() <= bound + 6 * kept.std() / sqrt(len(kept))


@pytest.mark.parametrize("d", [1, 2, 5, 10, 20])
def test_degrees_are_the_most_that_the_cost_allows(d):
    charge = Charge("mask", "wishart", 0.03 / d, COST)
    rows = 1 / masks.wishart_scale(charge, d)
    assert masks.wishart_delta(charge.sensitivity, rows, d, COST.epsilon) <= COST.delta
    assert masks.wishart_delta(charge.sensitivity, 1.001 * rows, d, COST.epsilon) > COST.delta


def test_delta_rises_with_the_distance_and_with_the_rows():
    found = [masks.wishart_delta(t, 40, 3, 0.5) for t in np.linspace(0.01, 0.4, 12)]
    assert all(first < second for first, second in pairwise(found))
    found = [masks.wishart_delta(0.1, rows, 3, 0.5) for rows in np.geomspace(10, 400, 12)]
    assert all(first < second for first, second in pairwise(found))


def test_thompson_laplace_on_the_line_is_laplace():
    draws = [log(random_matrices.thompson_laplace(1, 5.0, rng(seed))[0, 0]) for seed in range(4000)]
    assert kstest(draws, "laplace", args=(0, 1 / 5.0)).pvalue > LEVEL


def test_wishart_has_the_law_of_rows():
    source = rng(9)
    mine = [np.linalg.eigvalsh(random_matrices.wishart(3, 12, source))[-1] for _ in range(4000)]
    rows = source.standard_normal((4000, 12, 3))
    theirs = np.linalg.eigvalsh(np.swapaxes(rows, 1, 2) @ rows / 12)[:, -1]
    assert ks_2samp(mine, theirs).pvalue > LEVEL


@pytest.mark.parametrize("kind", ["thompson_laplace", "wishart", "square"])
def test_masks_follow_linear_maps_and_forget_the_root(kind):
    source, matrix = rng(10), np.array([[4.0, 1.0], [1.0, 2.0]])
    lower = np.linalg.cholesky(matrix)
    upper = spectral_map(matrix, np.sqrt)
    scale = {"thompson_laplace": 0.1, "wishart": 0.05, "square": 0.2}[kind]
    draw = getattr(SimulatedNoise(source), kind)
    inverse = np.linalg.inv(lower)
    first = [thompson(inverse @ draw(lower, 1.0, scale) @ inverse.T) for _ in range(3000)]
    second = [thompson(inverse @ draw(upper, 1.0, scale) @ inverse.T) for _ in range(3000)]
    third = [thompson(draw(np.eye(2), 1.0, scale)) for _ in range(3000)]
    assert ks_2samp(first, second).pvalue > LEVEL
    assert ks_2samp(first, third).pvalue > LEVEL


def test_what_cannot_be_calibrated_is_refused():
    with pytest.raises(ArgumentError, match="at most 4"):
        masks.thompson_laplace_scale(Charge("mask", "thompson_laplace", 0.01, PureDP(1.0)), 5)
    with pytest.raises(ArgumentError, match="sensitivity"):
        masks.thompson_laplace_scale(Charge("mask", "thompson_laplace", 0.5, PureDP(1.0)), 3)
    with pytest.raises(ArgumentError, match="cost"):
        masks.wishart_scale(Charge("mask", "wishart", 0.1, PureDP(1.0)), 3)
    with pytest.raises(ArgumentError, match="Lemma"):
        masks.square_scale(Charge("mask", "square", log1p(0.5), COST), 3)
    with pytest.raises(ArgumentError, match="cost"):
        mechanisms.lower_bound(0.0, Charge("check", "lower_bound", 1.0, PureDP(1.0)), SimulatedNoise(rng()))
