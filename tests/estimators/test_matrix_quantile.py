"""The covariance from a matrix quantile: its design, what it charges, and subspaces."""

from math import log, log1p

import numpy as np
import pytest

from workbench.contracts.draws import expected_draw
from workbench.errors import ArgumentError
from workbench.estimators import matrix_quantile
from workbench.estimators.matrix_quantile import MatrixQuantileCovariance, design, fewest_rows, interpolated
from workbench.privacy import ApproxDP, CountingNoise, SimulatedNoise
from workbench.privacy.stable import LAPLACE, renyi

BUDGET = ApproxDP(1.0, 1e-6)


CHARGED = [(120, 2), (400, 5)]  # rows and columns, of a mask of either kind


@pytest.mark.daily
@pytest.mark.parametrize("order", [1.5, 4.0, 30.0])
def test_one_pair_of_rows_at_the_ends_has_the_largest_renyi_divergence(order):
    rng, distance = np.random.default_rng(4), 0.02
    most = renyi(distance, np.array([order]), 4)[0]
    for _ in range(200):
        logs = rng.standard_normal(4) * rng.random(4)
        for sign in (1, -1):
            part = np.maximum(sign * logs, 0)
            logs = np.where(sign * logs > 0, sign * part * distance / max(part.sum(), 1e-9), logs)
        assert sum(_renyi(order, value) for value in logs) <= most * (1 + 1e-9)


def _renyi(order, v):
    """Of a gamma variable of shape 1/2 and scale e^v against scale 1, by numerical integration."""
    t = np.linspace(1e-6, 12.0, 200_001)  # x = t²: the density is smooth
    p, q = -(t**2) * np.exp(-v) - v / 2, -(t**2)
    mass = np.exp(order * p + (1 - order) * q).sum() / np.exp(q).sum()
    return log(mass) / (order - 1)


@pytest.mark.daily
def test_kept_cells_are_those_that_are_simulated():
    kept = matrix_quantile.cells(2, 3)
    for one, other in zip(kept, matrix_quantile.simulated(2, 3), strict=True):
        assert np.allclose(one.slopes, other.slopes, atol=2e-7)
        assert one.trace == pytest.approx(other.trace, abs=2e-7)


def test_slopes_between_cells_are_those_of_normal_rows():
    law, d, n = interpolated(1500, 2, 1), 2, 1500
    made = design(n, d, BUDGET, 0.1)
    found = []
    for seed in range(30):
        x = np.random.default_rng(seed).standard_normal((n, d))
        found.append(made.test.measure(x)[0])
    assert np.mean(np.array(found) == made.test.most) > 0.8
    assert 0 < law.slopes[-1] < law.slopes[0]


@pytest.mark.parametrize(("n", "d"), CHARGED)
def test_the_charge_is_that_of_the_test_that_it_prices(n, d):
    """Eigenvalues are between 1/(1 + g) and 1 + g; their logarithms of one sign add up to g at most."""
    made = design(n, d, ApproxDP(8.0, 1e-6), 0.1)
    thin, g = made.charge.mechanism == LAPLACE, made.test.change
    assert made.charge.sensitivity == (log1p(g) if thin else g)
    assert thin == (d < 5)
    assert (made.plan, made.charge.most, made.charge.d) == (made.charge, made.test.most, d)


def test_in_five_dimensions_the_draws_are_those_of_the_plan():
    estimator, budget, d = MatrixQuantileCovariance(centred=True), ApproxDP(8.0, 1e-6), 5
    x = np.random.default_rng(7).standard_normal((estimator.fewest(d, budget), d))
    counting = CountingNoise(SimulatedNoise(np.random.default_rng(8)))
    found = estimator(x, budget=budget, rng=counting)
    charges = tuple(found.plan.charges())
    assert [charge.mechanism for charge in charges] == ["stable_wishart"]
    for draw, charge in zip(counting.draws, charges, strict=True):
        kind, sensitivity, scale = expected_draw(charge, d)
        assert (draw.kind, draw.sensitivity) == (kind, sensitivity)
        assert draw.scale == pytest.approx(scale, rel=2e-3)
    assert not found.abstained


def test_fewer_rows_than_planned_are_refused_with_their_number():
    estimator = MatrixQuantileCovariance(centred=True)
    fewest = fewest_rows(2, BUDGET, 0.1, "thompson", log(2))
    with pytest.raises(ArgumentError, match=str(fewest)):
        estimator.plan(fewest - 1, 2, BUDGET)
    (charge,) = estimator.plan(fewest, 2, BUDGET).charges()
    assert (charge.mechanism, charge.cost) == ("stable_thompson_laplace", BUDGET)


@pytest.mark.daily
def test_degenerate_rows_have_an_answer_in_their_subspace():
    line = np.random.default_rng(5).standard_normal((3000, 1)) * [3.0, 4.0] + [1.0, 2.0]
    estimator = MatrixQuantileCovariance(degenerate=True)
    found = estimator(line, budget=BUDGET, rng=np.random.default_rng(6)).value
    values = np.linalg.eigvalsh(found)
    assert abs(values[0]) < 1e-3
    assert 12 < values[1] < 50
    assert MatrixQuantileCovariance()(line, budget=BUDGET, rng=np.random.default_rng(6)).abstained


def said_by(centred, n):
    words = MatrixQuantileCovariance(centred=centred).other_rows(n, 2, BUDGET)
    return float(words.split("up to ")[1].split("%")[0])


def test_half_of_a_share_of_pairs_is_one_of_rows():
    """A far row spoils one pair of two."""
    assert said_by(False, 2400) == pytest.approx(said_by(True, 1200) / 2, abs=0.1)


def test_of_a_subspace_nothing_is_said():
    degenerate, budget = MatrixQuantileCovariance(degenerate=True), ApproxDP(8.0, 1e-6)
    assert degenerate.other_rows(degenerate.fewest(1, budget), 1, budget) == ""
