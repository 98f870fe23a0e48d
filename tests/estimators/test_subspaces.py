"""Eigenvalues and subspaces by blocks, and the covariance from a matrix quantile."""

from fractions import Fraction
from math import sqrt
from unittest.mock import patch

import numpy as np
import pytest
from scipy.spatial import distance
from scipy.special import ndtri

from tests.estimators.streams import rng, squared_gap
from workbench.estimators import matrix_quantile
from workbench.estimators.subspaces import (
    BITS,
    CLOSEST,
    FINE,
    FriendlyMean,
    friends_of,
    projections,
    spectra,
    weighted_mean,
    whole_points,
)
from workbench.privacy import ZCDP, UnitNoise

BOTH = pytest.mark.parametrize("calibration", ["tight", "paper"])


def exact_mean(whole, scores):
    """The entries of the weighted mean as fractions."""
    weights, rows = [int(score) for score in scores], whole.reshape(len(whole), -1)
    totals = (sum(w * int(a) for w, a in zip(weights, column, strict=True) if w) for column in rows.T)
    return np.array([Fraction(total, sum(weights) << BITS) for total in totals])


def crowd(rng, t, size):
    """t points in one of several shapes, and τ: a crowd, two of them, a line, ties, a few far ones."""
    tau, y = 10.0 ** rng.integers(-9, 0), rng.standard_normal((t, size))
    match rng.integers(5):
        case 0:
            y *= tau * rng.uniform(0.05, 1.0)
        case 1:
            y *= tau * 0.05
            y[: rng.integers(t // 3, 2 * t // 3)] += tau * rng.uniform(0.5, 3.0)
        case 2:  # at the edge of friendship
            y = np.outer(np.linspace(0, rng.uniform(0.5, 3.0) * tau, t), y[0] / np.linalg.norm(y[0]))
        case 3:
            y = rng.choice([0.0, 0.999999 * tau, 1.000001 * tau, 2 * tau], (t, 1)) * np.eye(size)[0]
        case _:
            y *= rng.random((t, 1)) < rng.uniform(0, 0.6)
    return y, tau


def neighbour(rng, y, tau):
    """y with one point replaced: somewhere near, on another point, at the edge of the crowd, far away."""
    other, step = y.copy(), rng.standard_normal(y.shape[1])
    step *= rng.choice([0.0, 0.5 * tau, tau * (1 - 1e-12), tau, 2 * tau, 1e6, 1.0]) / np.linalg.norm(step)
    other[rng.integers(len(y))] = y[rng.integers(len(y))] + step
    return other


@pytest.mark.daily
@BOTH
def test_both_lemmas_on_neighbours(calibration):
    source, gaps, moves = rng(), [], []
    for _ in range(2000):
        t = int(source.integers(21, 60))
        recipe, (y, tau) = FriendlyMean(t, calibration), crowd(source, t, int(source.integers(1, 5)))
        y, other = whole_points(y), whole_points(neighbour(source, y, tau))
        one, two = recipe.scores(y, tau), recipe.scores(other, tau)
        assert abs(one.sum() - two.sum()) <= recipe.charges("vote", ZCDP(1.0, 1e-6))[0].sensitivity
        gaps.append(abs(one.sum() - two.sum()) / recipe.whole)
        if min(one.sum(), two.sum()) > 0:
            squared = sum((exact_mean(y, one) - exact_mean(other, two)) ** 2)
            weight = Fraction(int(max(one.sum(), two.sum())), recipe.whole)
            proved = recipe.move(float(weight)) if weight >= 12 else recipe.rule.move
            assert squared <= (Fraction(tau) * Fraction(proved) / weight) ** 2
            moves.append(sqrt(squared) * weight / tau)
    assert max(gaps) > 0.9
    assert max(moves) > 1.2


def pairs_of_clusters(q, first, second):
    """Points of which a few hold nearly all weight, τ, and the same points without the last friend of most.

    Clusters at (1, e_j/20) and (2, e_j/20) are friends within all of the first, within all of the second, and
    within a pair: m/2 + 1 friends each, for no weight at all without one more. All weight is at 0.
    """
    tau, near, ends = 0.2, 0.05 * np.eye(q), np.ones((q, 1))
    centre, side = (np.array([[x] + [0.0] * q]) for x in (0.05**2, -0.5))
    parts = (
        (np.hstack([ends, near]), first),
        (np.hstack([2 * ends, near]), second),
        (centre, (q - 1) * (second - first)),
        (side, first + second - 2),
    )
    common = np.concatenate([np.repeat(points, times, axis=0) for points, times in parts])
    last = np.array([[2 - 0.05**2] + [0.05 / q] * q])
    shrunk = tau * (1 - 1e-7)
    found = (shrunk * np.concatenate([common, one]) for one in (last, 5 + 0 * last))
    return *map(whole_points, found), tau


@pytest.mark.parametrize(("charged", "private"), [(5.0, True), (2.0, False), (3.75, False)])
def test_a_smaller_move_than_the_proved_one_is_found(charged, private):
    """Where few points have weight; the gap of what the noise hides, in its own unit, must be at most 1."""
    y, other, tau = pairs_of_clusters(8, 80, 95)
    recipe = FriendlyMean(len(y))
    scores = recipe.scores(y, tau), recipe.scores(other, tau)
    weight = max(score.sum() for score in scores) / recipe.whole
    assert weight > 12
    assert recipe.move(weight) == 5
    unit = tau * (charged + 0.1) / weight
    means = (weighted_mean(z, score, unit) for z, score in zip((y, other), scores, strict=True))
    assert (squared_gap(*means) <= 1) == private


@BOTH
@pytest.mark.parametrize("t", [21, 1500])
def test_rounding_the_mean_adds_less_than_its_share(calibration, t):
    """What a replaced point moves is at most 1 in the unit of the noise; what is rounded is the mean."""
    source = rng(4)
    recipe, v = FriendlyMean(t, calibration), source.standard_normal(5)
    y = np.outer(v, v)[None] / (v @ v) + 1e-16 * source.standard_normal((t, 5, 5))
    other = y.copy()
    other[0] += 2 * CLOSEST / 5 * source.standard_normal((5, 5))
    y, other = whole_points(y), whole_points(other)
    one, two = recipe.scores(y, CLOSEST), recipe.scores(other, CLOSEST)
    bound = max(one.sum(), two.sum()) / recipe.whole
    unit = CLOSEST * (recipe.move(bound) + 0.1) / bound
    first, second = weighted_mean(y, one, unit), weighted_mean(other, two, unit)
    assert 0 < squared_gap(first, second) <= 1
    assert first.unit * 5 <= 2.0**-FINE
    off = exact_mean(y, one) / Fraction(unit) / Fraction(first.unit) - first.counts.ravel()
    assert max(map(abs, off)) <= Fraction(1, 2)


def test_sums_of_many_large_entries_do_not_overflow():
    whole = whole_points(np.ones((2**18, 1, 1)))
    mean = weighted_mean(whole, np.full(2**18, 2**18 - 1), 1.0)
    assert mean.counts.ravel().tolist() == [2**FINE]


def test_friends_at_the_edge_are_within_the_distance():
    """Points whose squared distance in floats is that of τ, and a little more in truth: no friends."""
    source, found = rng(11), 0
    for _ in range(300):
        y = whole_points(np.stack([np.zeros(6), 0.1 * source.standard_normal(6)]))
        squared = sum(int(a) ** 2 for a in y[1])
        tau = sqrt(squared) / 2.0**BITS
        for near in (np.nextafter(tau, 0), tau, np.nextafter(tau, 1), tau * (1 + 1e-14)):
            friends = friends_of(y, near)[0] == 2
            found += friends
            assert not friends or squared <= (Fraction(near) * 2**BITS) ** 2
    assert found > 200


@pytest.mark.parametrize("t", [40, 700])
def test_a_pair_has_one_verdict_although_its_distances_differ_by_direction(t):
    """Each of a pair counts the other or neither does, within a part and between two: 2^-20 without that."""
    source, real = rng(12), distance.cdist
    y = whole_points(0.1 * source.standard_normal((t, 1, 1)))

    def skewed(a, b, metric):
        return real(a, b, metric) * source.choice([0.5, 2.0], (len(a), len(b)))

    with patch.object(distance, "cdist", skewed):
        assert not any((friends_of(y, 0.1).sum() - t) % 2 for _ in range(20))


def test_a_decomposition_that_fails_stays_inside_its_block(monkeypatch):
    """An SVD that does not converge for one block: spectrum NaN, projection 0, the others as before."""
    blocks = rng(8).standard_normal((10, 6, 3))
    clean_spectra, clean, svd = spectra(blocks), projections(blocks, 1), np.linalg.svd
    factor = np.linalg.qr(blocks[5], mode="r")

    def failing(rows, **options):
        if any(np.array_equal(block, factor) for block in rows.reshape(-1, 3, 3)):
            raise np.linalg.LinAlgError("SVD did not converge")
        return svd(rows, **options)

    monkeypatch.setattr(np.linalg, "svd", failing)
    found, planes, others = spectra(blocks), projections(blocks, 1), np.arange(10) != 5
    assert np.isnan(found[5]).all()
    assert (planes[5] == 0).all()
    assert np.array_equal(found[others], clean_spectra[others])
    assert np.array_equal(planes[others], clean[others])


def test_the_noise_of_a_vote_has_the_scale_of_the_proof():
    t, tau, cost = 400, 1e-3, ZCDP(0.5, 1e-6)
    recipe = FriendlyMean(t)
    found = recipe.draw(np.zeros((t, 1, 1)), tau, recipe.charges("vote", cost), UnitNoise())
    bound = t + 3 / sqrt(0.5) * (1 + ndtri(1e-6))
    share = (bound - 4) / (t - 1)
    move = 1 + 1.25 / share + 2 / (bound - 3)
    assert found[0, 0] == pytest.approx((move + 0.1) * tau / bound / sqrt(0.5), rel=1e-12)


@pytest.mark.daily
def test_kept_cells_are_those_that_are_simulated():
    kept = matrix_quantile.cells(2, 3)
    for one, other in zip(kept, matrix_quantile.simulated(2, 3), strict=True):
        assert np.allclose(one["slopes"], other["slopes"], atol=2e-7)
        assert one["trace"] == pytest.approx(other["trace"], abs=2e-7)
