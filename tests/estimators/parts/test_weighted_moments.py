"""The joint release of count, sum and second moment: its sensitivity, its noise, its bookkeeping."""

from math import pi, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from workbench.estimators.parts.filters.weighted_moments import (
    MEAN,
    Costs,
    Sums,
    added,
    costs,
    length,
    merged,
    moments_charge,
    read,
    release,
    weighted_sums,
    whitened,
)
from workbench.privacy import GaussianDP, SimulatedNoise, UnitNoise

RADIUS = 2.5
RATIOS = [(1.0, 0.0), (0.0, 1.0), (1.0, 0.2), (1.0, 0.25), (1.0, 0.3), (1.0, 1.0), (0.15, 1.0), (0.01, 1.0)]
JOINT = pytest.mark.parametrize("prices", [costs(*pair) for pair in RATIOS], ids=map(str, RATIOS))


def moved(prices: Costs, y: np.ndarray, other: np.ndarray, weights: tuple[float, float]) -> float:
    """How far one changed row, or weight, moves the whitened vector."""
    one, two = (weighted_sums(row[None], np.array([w])) for row, w in zip((y, other), weights, strict=True))
    return float(np.linalg.norm(whitened(one, RADIUS, prices) - whitened(two, RADIUS, prices)))


def within(point: np.ndarray) -> np.ndarray:
    return RADIUS * point / max(1.0, float(np.linalg.norm(point)))


@JOINT
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), d=st.integers(1, 4))
def test_no_row_and_no_weight_moves_it_by_more_than_one(prices: Costs, seed: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    y, other = (within(rng.standard_normal(d) * rng.choice([0.1, 1.0, 10.0])) for _ in range(2))
    other = rng.choice([-1.0, 1.0]) * y if rng.random() < 0.2 else other
    weights = tuple(rng.choice([0.0, 1.0, rng.random()], size=2))
    assert moved(prices, y, other, weights) <= 1 + 1e-12


@JOINT
def test_one_is_attained_by_two_rows_and_by_a_weight(prices: Costs) -> None:
    cosine = max(-1.0, -(prices.total**2) / (4 * prices.square**2)) if prices.square else -1.0
    y, other = RADIUS * np.array([1.0, 0.0]), RADIUS * np.array([cosine, sqrt(1 - cosine**2)])
    assert moved(prices, y, other, (1.0, 1.0)) == pytest.approx(1, abs=1e-9)
    assert moved(prices, y, other, (1.0, 0.0)) == pytest.approx(1, abs=1e-9)


@JOINT
def test_a_search_finds_no_larger_move(prices: Costs) -> None:
    def loss(z: np.ndarray) -> float:
        p, q = np.sin(z[:2]) ** 2
        y, other = RADIUS * p * np.array([1.0, 0.0]), RADIUS * q * np.array([np.cos(z[2]), np.sin(z[2])])
        return -moved(prices, y, other, (float(np.sin(z[3]) ** 2), float(np.sin(z[4]) ** 2)))

    rng = np.random.default_rng(1)
    best = max(-minimize(loss, rng.uniform(0, pi, 5), method="Nelder-Mead").fun for _ in range(4))
    assert 0.99 <= best <= 1 + 1e-12


def test_the_ratio_of_costs_is_kept_and_the_joint_cost_is_below_the_sum() -> None:
    for total, square in RATIOS[2:]:
        prices = costs(total, square)
        assert prices.total**2 / prices.square**2 == pytest.approx(total / square)
        assert prices.total**2 + prices.square**2 > 1.001 or total < 0.02


def test_noise_has_the_scales_that_are_promised() -> None:
    d, prices, charge = 3, costs(0.15, 1.0), moments_charge("moments", GaussianDP(0.7))
    sums = Sums(10.0, np.arange(3.0), np.eye(3))
    noisy = release(sums, RADIUS, prices, charge, UnitNoise())
    assert noisy.count - 10 == pytest.approx(1 / (prices.count * 0.7))
    assert noisy.total - sums.total == pytest.approx(np.full(d, 2 * RADIUS / (prices.total * 0.7)))
    sd = sqrt(2) * RADIUS**2 / (prices.square * 0.7)
    wanted = np.where(np.eye(3) == 1, sd, sd / sqrt(2))
    assert noisy.square - sums.square == pytest.approx(wanted)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_sums_are_those_of_the_definition_and_are_read_back(d: int) -> None:
    rng = np.random.default_rng(d)
    y, w = rng.standard_normal((40_000, d)), rng.random(40_000)
    sums, prices = weighted_sums(y, w), costs(1.0, 2.0)
    assert sums.count == pytest.approx(w.sum())
    assert sums.total == pytest.approx(w @ y)
    assert sums.square == pytest.approx((y * w[:, None]).T @ y)
    again = read(whitened(sums, 2.0, prices), d, 2.0, prices)
    assert np.r_[again.count, again.total, again.square.ravel()] == pytest.approx(
        np.r_[sums.count, sums.total, sums.square.ravel()]
    )
    assert len(whitened(sums, 2.0, prices)) == length(d)
    assert len(whitened(weighted_sums(y, w, square=False), 2.0, MEAN)) == length(d, square=False)
    assert added([(y, w)]).total == pytest.approx(sums.total)


def test_several_releases_are_worth_one_of_their_joint_cost() -> None:
    # 2000 sums of squares of 4 noises: chi-square with 8000 degrees of freedom, 5 sd are 8 %
    sums, budgets = Sums(50.0, np.zeros(4)), [GaussianDP(0.3), GaussianDP(0.4), GaussianDP(1.2)]
    noise = SimulatedNoise(np.random.default_rng(3))
    errors = []
    for _ in range(2000):
        parts = [
            (release(sums, RADIUS, MEAN, moments_charge("mean", budget), noise), MEAN, budget)
            for budget in budgets
        ]
        errors.append(merged(parts).total)
    wanted = 2 * RADIUS / 1.3
    assert np.mean(np.square(errors)) == pytest.approx(wanted**2, rel=0.08)
