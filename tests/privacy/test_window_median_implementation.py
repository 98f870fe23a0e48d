"""The implemented window median against the naive law, and its exact privacy on the hardest inputs."""

import numpy as np
import pytest

from tests.oracles import window_median as oracle
from tests.privacy.test_window_median_law import DELTAS, EPSILONS, neighbours
from workbench.estimators.shared import window_median as parts
from workbench.privacy import ZCDP, ApproxDP, PureDP, SimulatedNoise
from workbench.privacy.concentrated import zcdp_from_bounded_range

WindowMedian = parts.WindowMedian
FARTHEST = 1e15


def implemented_law(mechanism, points, cost):
    """The law that the pieces imply, as the oracle writes it."""
    pieces, epsilon = mechanism.pieces(np.asarray(points, float)), parts.selection_epsilon(cost)
    terms = pieces.log_length() - epsilon * pieces.penalty / 2
    if mechanism.low is None:
        terms = np.append(terms, mechanism.log_bottom(cost) - epsilon * len(points) / 2)
    total = np.logaddexp.reduce(terms)
    log_density = -epsilon * pieces.penalty / 2 - total
    found = [
        (float(a), float(b), float(d))
        for a, b, d, empty in zip(
            pieces.edges[:-1], pieces.edges[1:], log_density, np.isinf(pieces.log_length()), strict=True
        )
        if not empty
    ]
    return oracle.Law(found, float(np.exp(terms[-1] - total)) if mechanism.low is None else 0.0)


def refined(first, second):
    return oracle.common_refinement(first, second)


@pytest.mark.parametrize("n", [1, 2, 3, 6, 11])
def test_implementation_has_the_law_of_the_oracle(n):
    first, _, epsilon, delta, left, right, span = neighbours(n, 60, 900 + n)
    for i in range(len(first)):
        ranged = WindowMedian(left=left[i], right=right[i], low=span[0][i], high=span[1][i])
        found = implemented_law(ranged, first[i], PureDP(epsilon[i]))
        wanted = oracle.law(first[i], epsilon[i], left[i], right[i], span=(span[0][i], span[1][i]))
        assert oracle.max_loss(*refined(found, wanted)) <= 1e-9
        free = WindowMedian(left=left[i], right=right[i])
        found = implemented_law(free, first[i], ZCDP(zcdp_from_bounded_range(epsilon[i]).rho, delta[i]))
        # M (1 - delta) gives exactly delta where the theorem's M gives delta/(1 + delta)
        wanted = oracle.law(first[i], epsilon[i], left[i], right[i], delta=delta[i] / (1 - delta[i]))
        # the bottom may be heavier than the theorem asks (rounding reserve); compare given "not bottom"
        assert found.bottom >= wanted.bottom * (1 - 1e-9)
        if wanted.pieces:
            a, b = refined(found, wanted)
            assert oracle.max_loss(oracle.normalise(a[:-1]), oracle.normalise(b[:-1])) <= 1e-9


@pytest.mark.parametrize("width", [1e-300, 1e-6, 0.01, 0.0626, 0.07, 0.19, 1.0, 4.0, 1e9, 1e16])
@pytest.mark.parametrize("place", [0.0, 5e-324, 1e-300, 1.0, 1e15])
@pytest.mark.parametrize("epsilon", [0.05, 1.0])
def test_privacy_of_the_float_law(width, place, epsilon):
    rng = np.random.default_rng(7)
    step = max(width, float(np.spacing(place)))
    for _ in range(12):
        n = int(rng.integers(1, 7))
        first = place + rng.integers(-3, 3, n) * step
        first[rng.random(n) < 0.3] = -np.inf
        second = first.copy()
        second[rng.integers(n)] = rng.choice([0.0, -FARTHEST, FARTHEST, -np.inf, place, place - 2 * step])
        first, second = np.clip(first, -np.inf, FARTHEST), np.clip(second, -np.inf, FARTHEST)
        first[first < -FARTHEST], second[second < -FARTHEST] = -np.inf, -np.inf
        cost = ApproxDP(epsilon, 1e-3)
        free = WindowMedian(left=width, right=width)
        pair = refined(implemented_law(free, first, cost), implemented_law(free, second, cost))
        assert oracle.hockey_stick(*pair, np.array(epsilon * (1 + 1e-9))) <= 1e-3 * (1 + 1e-9)
        low, high = max(place - 8 * step, -FARTHEST), min(place + 9 * step, FARTHEST)
        ranged = WindowMedian(left=width, right=width, low=low, high=high)
        pair = refined(
            implemented_law(ranged, first, PureDP(epsilon)), implemented_law(ranged, second, PureDP(epsilon))
        )
        assert oracle.max_loss(*pair) <= epsilon * (1 + 1e-9)


@pytest.mark.daily
def test_draw_samples_the_pieces():
    rng = np.random.default_rng(3)
    points, cost = np.array([0.0, 0.5, -np.inf, 7.0]), ApproxDP(1.0, 0.2)
    mechanism = WindowMedian(left=1.0, right=2.0)
    law = implemented_law(mechanism, points, cost)
    charge, noise = mechanism.charge("locate", cost), SimulatedNoise(rng)
    draws = [mechanism.draw(points, charge, noise) for _ in range(20000)]
    assert np.mean([t is None for t in draws]) == pytest.approx(law.bottom, abs=0.015)
    found = np.array([t for t in draws if t is not None])
    for a, b, log_density in law.pieces:
        mass = np.exp(log_density) * (b - a)
        assert np.mean((found >= a) & (found < b)) * len(found) / 20000 == pytest.approx(mass, abs=0.015)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", DELTAS)
def test_delta_is_not_overspent_by_a_lone_point(epsilon, delta):
    for n in (1, 2, 5):
        lone = np.full(n, -np.inf)
        first = lone.copy()
        first[0] = 1e15
        for width in (0.01, 0.07, 1.0):
            mechanism, cost = WindowMedian(left=width, right=width), ApproxDP(epsilon, delta)
            pair = refined(implemented_law(mechanism, first, cost), implemented_law(mechanism, lone, cost))
            assert oracle.hockey_stick(*pair, np.array(epsilon)) <= delta * (1 + 1e-9)
