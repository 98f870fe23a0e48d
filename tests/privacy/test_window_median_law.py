"""The window-median law against its theorem (workbench/proofs/univariate.md, section 1), exactly."""

import numpy as np
import pytest

from tests.oracles import window_median as oracle

EPSILONS = np.array([0.05, 0.2, 0.5, 1.0, 2.0, 5.0])
DELTAS = np.array([1e-6, 1e-3, 0.05, 0.3, 0.9])
WIDTHS = np.array([[1.0, 1.0], [1.0, 3.0], [3.0, 0.5], [0.25, 0.25], [4.0, 4.0]])
ORDERS = (1.01, 1.5, 2.0, 4.0, 16.0, 64.0, 256.0)
PAIRS_PER_N = 3000


def concentrated(epsilon):
    """ρ of a log-likelihood ratio of range ε: k - 1 - ln k."""
    k = epsilon / -np.expm1(-epsilon)
    return k - 1 - np.log(k)


def points(rng, kind, shape, left, right):
    """Points of every kind that matters; `kind`, `left` and `right` have one entry per row."""
    steps = rng.integers(-3, 4, size=(3, *shape))
    choices = np.stack(
        [
            np.round(rng.normal(size=shape) * 2**20) / 2**20,
            rng.integers(-3, 4, size=shape).astype(float),
            steps[0] * left[:, None] + steps[1] * right[:, None] + steps[2] * (left + right)[:, None],
            rng.integers(-1, 2, size=shape) * 10.0 ** rng.choice([1, 3, 6, 15], size=shape),
            np.full(shape, -np.inf),
            np.zeros(shape),
        ]
    )
    mixed = rng.integers(len(choices), size=shape)
    which = np.where(kind[:, None] < len(choices), kind[:, None], mixed)
    return np.take_along_axis(choices, which[None], axis=0)[0]


def neighbours(n, pairs, seed):
    rng = np.random.default_rng(seed)
    left, right = WIDTHS[rng.integers(len(WIDTHS), size=pairs)].T
    first = points(rng, rng.integers(7, size=pairs), (pairs, n), left, right)
    second = first.copy()
    new = points(rng, np.full(pairs, 6), (pairs, 1), left, right)
    second[np.arange(pairs), rng.integers(n, size=pairs)] = new[:, 0]
    epsilon, delta = rng.choice(EPSILONS, pairs), rng.choice(DELTAS, pairs)
    lo = -(2.0 ** rng.integers(0, 12, pairs))
    return first, second, epsilon, delta, left, right, (lo, lo + 2.0 ** rng.integers(0, 13, pairs))


@pytest.mark.parametrize("n", range(1, 12))
def test_range_law_keeps_its_theorem(n):
    first, second, epsilon, _, left, right, span = neighbours(n, PAIRS_PER_N, n)
    p, q = oracle.refined_pairs(first, second, epsilon, left, right, span=span)
    assert np.max(oracle.max_loss(p, q) / epsilon) <= 1 + 1e-9
    for alpha in ORDERS:
        assert np.max(oracle.renyi(p, q, alpha) / (alpha * concentrated(epsilon))) <= 1 + 1e-9


@pytest.mark.parametrize("n", range(1, 12))
def test_law_without_range_keeps_its_theorem(n):
    first, second, epsilon, delta, left, right, _ = neighbours(n, PAIRS_PER_N, 100 + n)
    p, q = oracle.refined_pairs(first, second, epsilon, left, right, delta=delta)
    sharp = delta / (1 + delta)
    assert np.max(oracle.hockey_stick(p, q, epsilon) / sharp) <= 1 + 1e-9
    inner_p, inner_q, outside = oracle.split_support(p, q)
    assert np.max(outside / sharp) <= 1 + 1e-9
    assert np.max(oracle.max_loss(inner_p, inner_q) / epsilon) <= 1 + 1e-9
    for alpha in ORDERS:
        assert np.max(oracle.renyi(inner_p, inner_q, alpha) / (alpha * concentrated(epsilon))) <= 1 + 1e-9


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_range_law_attains_epsilon(epsilon):
    far = 2.0**30
    p, q = oracle.refined_pairs([0, 2], [0, -2 * far], epsilon, 4 * far, 4 * far, span=(-far, 1.0))
    assert 0.99 * epsilon <= oracle.max_loss(p, q)[0] <= epsilon * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_range_law_attains_the_concentrated_constant(epsilon):
    # the halves of the range swap their scores; at these lengths the lower log ratio is -ln k
    k, half = epsilon / -np.expm1(-epsilon), np.exp(-epsilon / 2)
    size = float(half * (k - 1) / (1 - k * half**2))
    p, q = oracle.refined_pairs([0, 9], [0, -9], epsilon, 64, 64, span=(-1.0, size))
    ratio = oracle.renyi(p, q, 1.0001)[0] / (1.0001 * concentrated(epsilon))
    assert 0.999 <= ratio <= 1 + 1e-9


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("n", [2, 5, 11])
def test_law_without_range_attains_delta(epsilon, delta, n):
    lone = np.full(n, -np.inf)
    first = lone.copy()
    first[0] = 0.0
    p, q = oracle.refined_pairs(first, lone, epsilon, 1.0, 3.0, delta=delta)
    reached = oracle.hockey_stick(p, q, np.array([epsilon]))[0]
    assert reached == pytest.approx(delta / (1 + delta), rel=1e-9)
    if delta <= 1e-3:
        assert reached >= 0.999 * delta


def test_all_points_at_minus_infinity_return_bottom_surely():
    for n in (1, 2, 7):
        assert oracle.law([-np.inf] * n, 1.0, 1.0, 1.0, delta=1e-3) == oracle.Law([], 1.0)


def test_one_point_without_range():
    found = oracle.law([5.0], 1.0, 1.0, 3.0, delta=0.1)
    mass = 0.1 * np.exp(-0.25)
    assert found.bottom == pytest.approx(1 / (1 + mass), rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 4, 9])
def test_float_batch_agrees_with_exact_fractions(n):
    first, second, epsilon, delta, left, right, span = neighbours(n, 40, 500 + n)
    for i in range(len(first)):
        for kind in ({"span": (span[0][i], span[1][i])}, {"delta": delta[i]}):
            a, b = (oracle.law(y[i], epsilon[i], left[i], right[i], **kind) for y in (first, second))
            assert a.mass() == pytest.approx(1, rel=1e-12)
            exact = oracle.common_refinement(a, b)
            batch = oracle.refined_pairs(first[i], second[i], epsilon[i], left[i], right[i], **kind)
            for order in (0.0, 0.5, float(epsilon[i])):
                wanted = oracle.hockey_stick(exact[0], exact[1], np.array(order))
                found = oracle.hockey_stick(batch[0], batch[1], np.array([order]))[0]
                assert found == pytest.approx(float(wanted), rel=1e-9, abs=1e-13)
            wanted = float(oracle.max_loss(*exact))
            assert oracle.max_loss(*batch)[0] == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_a_halved_bottom_is_caught():
    # the check has power: with half the bottom weight the lone point is released twice as often
    first, lone = np.array([0.0, -np.inf, -np.inf]), np.full(3, -np.inf)
    p, q = oracle.refined_pairs(first, lone, 1.0, 1.0, 1.0, delta=2e-3)
    assert oracle.hockey_stick(p, q, np.array([1.0]))[0] > 1.9e-3
