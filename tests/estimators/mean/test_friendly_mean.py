"""The friendly mean: both lemmas by fuzz of neighbours, the events that no vote stands for, floats."""

from fractions import Fraction
from math import sqrt
from unittest.mock import patch

import numpy as np
import pytest
from scipy.spatial import distance
from scipy.special import ndtri

from tests.oracles.whole_gaps import squared_gap
from workbench.errors import ArgumentError
from workbench.estimators.parts.blocks.blocks import projections, spectra
from workbench.estimators.parts.blocks.friendly_mean import (
    BITS,
    CLOSEST,
    FINE,
    FriendlyMean,
    enough_points,
    friends_of,
    weighted_mean,
    weighted_sum,
    whole_points,
)
from workbench.estimators.parts.rows import in_blocks
from workbench.privacy import ZCDP, CountingNoise, SimulatedNoise, UnitNoise

CALIBRATIONS = ("tight", "paper")


def crowd(rng, t, size):
    """t points of [-1, 1]^size in one of several shapes, and τ: crowds, a line, a spread, ties, far ones."""
    tau, shape = 10.0 ** rng.integers(-9, 0), rng.integers(6)
    y = rng.standard_normal((t, size))
    match shape:
        case 0:
            y *= tau * rng.uniform(0.05, 1.0)
        case 1:
            y *= tau * 0.05
            y[: rng.integers(t // 3, 2 * t // 3)] += tau * rng.uniform(0.5, 3.0)
        case 2:  # on a line, at the edge of friendship
            y = np.outer(np.linspace(0, rng.uniform(0.5, 3.0) * tau, t), y[0] / np.linalg.norm(y[0]))
        case 3:
            y = rng.choice([0.0, 0.999999 * tau, 1.000001 * tau, 2 * tau], (t, 1)) * np.eye(size)[0]
        case 4:
            y = np.zeros((t, size))
            y[rng.random(t) < rng.uniform(0, 0.6)] = rng.choice([1e-3, 1.0]) * rng.standard_normal(size)
        case _:
            y *= 1e3 * tau
    return np.clip(y, -1, 1), tau


def neighbour(rng, y, tau):
    """y with one point replaced: somewhere near, on another point, at the edge of the crowd, far away."""
    other, i, size = y.copy(), rng.integers(len(y)), y.shape[1]
    centre, step = y[rng.integers(len(y))], rng.standard_normal(size)
    step /= np.linalg.norm(step)
    other[i] = centre + step * rng.choice([0.0, 0.5 * tau, tau * (1 - 1e-12), tau, 2 * tau, 1e6, 1.0])
    return np.clip(other, -1, 1)


@pytest.mark.daily
@pytest.mark.parametrize("calibration", CALIBRATIONS)
def test_both_lemmas_on_neighbours(calibration):
    rng, gaps, moves = np.random.default_rng(1), [], []
    for _ in range(2000):
        t = int(rng.integers(21, 60))
        recipe = FriendlyMean(t, calibration)
        y, tau = crowd(rng, t, int(rng.integers(1, 5)))
        other = neighbour(rng, y, tau)
        y, other = whole_points(y), whole_points(other)
        one, two = recipe.scores(y, tau), recipe.scores(other, tau)
        assert one.dtype == np.int64
        assert abs(one.sum() - two.sum()) <= recipe.charges("vote", ZCDP(1.0, 1e-6))[0].sensitivity
        gaps.append(abs(one.sum() - two.sum()) / recipe.whole)
        if min(one.sum(), two.sum()) > 0:
            squared = sum((exact_mean(y, one) - exact_mean(other, two)) ** 2)
            weight = Fraction(int(max(one.sum(), two.sum())), recipe.whole)
            proved = recipe.move(float(weight)) if weight >= 12 else recipe.rule.move
            assert squared <= (Fraction(tau) * Fraction(proved) / weight) ** 2
            moves.append(sqrt(squared) * weight / tau)
    assert max(gaps) <= recipe.rule.gap
    assert max(gaps) > 0.9
    assert max(moves) > 1.2


def pairs_of_clusters(q, first, second):
    """Points of which a few hold nearly all weight, τ, and the same points without the last friend of most.

    Clusters at (1, e_j/20) and (2, e_j/20) are friends within all of the first, within all of the second, and
    within a pair: m/2 + 1 friends each, for no weight at all without one more. All weight is at 0.
    """
    tau, near, ends = 0.2, 0.05 * np.eye(q), np.ones((q, 1))
    centre, side = (np.array([[x] + [0.0] * q]) for x in (0.05**2, -0.5))
    common = np.concatenate(
        [
            np.repeat(np.hstack([ends, near]), first, axis=0),
            np.repeat(np.hstack([2 * ends, near]), second, axis=0),
            np.repeat(centre, (q - 1) * (second - first), axis=0),
            np.repeat(side, first + second - 2, axis=0),
        ]
    )
    last = np.array([[2 - 0.05**2] + [0.05 / q] * q])
    shrunk = tau * (1 - 1e-7)
    return shrunk * np.concatenate([common, last]), shrunk * np.concatenate([common, 5 + 0 * last]), tau


def furthest_move(recipe, y, other, tau):
    """The largest total weight, and how far the mean moves, in units of τ over it."""
    y, other = whole_points(y), whole_points(other)
    one, two = recipe.scores(y, tau), recipe.scores(other, tau)
    weight = max(one.sum(), two.sum()) / recipe.whole
    return weight, sqrt(sum((exact_mean(y, one) - exact_mean(other, two)) ** 2)) * weight / tau


def test_the_move_that_is_proved_is_nearly_made_where_few_points_have_weight():
    """5 is proved; a vote takes a weight of 12. Random points move by less than 2."""
    y, other, tau = pairs_of_clusters(8, 80, 95)
    recipe = FriendlyMean(len(y))
    weight, move = furthest_move(recipe, y, other, tau)
    assert weight > 12
    assert 3.9 < move < recipe.move(weight) == 5


@pytest.mark.parametrize(("charged", "private"), [(5.0, True), (2.0, False), (3.75, False)])
def test_a_smaller_move_than_the_proved_one_is_found(charged, private):
    """The gap of what the noise of (4) hides, in its own unit, must be at most 1."""
    y, other, tau = pairs_of_clusters(8, 80, 95)
    recipe, y, other = FriendlyMean(len(y)), whole_points(y), whole_points(other)
    scores = recipe.scores(y, tau), recipe.scores(other, tau)
    unit = tau * (charged + 0.1) / max(score.sum() for score in scores) * recipe.whole
    means = (weighted_mean(z, score, unit) for z, score in zip((y, other), scores, strict=True))
    assert (squared_gap(*means) <= 1) == private


@pytest.mark.parametrize("t", [40, 400])
def test_the_move_that_is_proved_is_nearly_made_where_all_points_have_weight(t):
    y = np.zeros((t, 1))
    y[0], other = 0.0999999, y.copy()
    other[0] = -0.0999999
    recipe = FriendlyMean(t)
    weight, move = furthest_move(recipe, y, other, 0.1)
    assert weight == t
    assert recipe.move(t) < 2.5 + 8 / t
    assert move == pytest.approx(2, rel=1e-5)


def test_the_move_falls_with_the_bound_and_knows_no_data():
    recipe = FriendlyMean(300)
    moves = [recipe.move(bound) for bound in np.linspace(12, 600, 500)]
    assert moves == sorted(moves, reverse=True)
    assert moves[0] == 5
    assert 2.25 < moves[-1] < 2.26
    assert FriendlyMean(300, "paper").move(12.0) == 12


@pytest.mark.parametrize("odd", [False, True])
def test_the_count_attains_its_sensitivity(odd):
    """All points but one sit at the two ends of a friendship; the last one moves between them."""
    t = 41 if odd else 40
    best = 0.0
    for half in range(2, t // 2):
        y = np.zeros((t, 1))
        y[1 : 1 + half] = -0.075
        y[1 + half :] = 0.075
        other = y.copy()
        other[0] = 1.0
        recipe, (y, other) = FriendlyMean(t), map(whole_points, (y, other))
        best = max(best, abs(recipe.scores(y, 0.1).sum() - recipe.scores(other, 0.1).sum()))
    near = np.linspace(-0.049, 0.049, t)[:, None]
    gone = near.copy()
    gone[t // 2] = 1.0
    one, two = (FriendlyMean(t).scores(whole_points(y), 0.1) for y in (near, gone))
    # from all friends to all but one: every weight falls by 2/(t - 1), and one whole weight goes
    assert best <= one.sum() - two.sum() == 3 * (t - 1)


@pytest.mark.daily
def test_points_of_weight_share_a_friend():
    """Lemma 2: never further apart than 2τ, within one data set and across neighbours."""
    rng, furthest = np.random.default_rng(2), 0.0
    for _ in range(2000):
        t = int(rng.integers(21, 40))
        y, tau = crowd(rng, t, 2)
        other = neighbour(rng, y, tau)
        kept = np.concatenate([z[FriendlyMean(t).scores(whole_points(z), tau) > 0] for z in (y, other)])
        if len(kept):
            apart = np.sqrt(((kept[:, None] - kept) ** 2).sum(axis=2)).max()
            assert apart <= 2 * tau * (1 + 1e-9)
            furthest = max(furthest, apart / tau)
    assert furthest > 1.5


def test_an_outlier_does_not_vote():
    y = np.zeros((40, 2, 2))
    y[3] = 5.0 * np.eye(2)
    weights = FriendlyMean(40).scores(whole_points(y), 1.0)
    assert weights[3] == 0
    assert (weighted_mean(whole_points(y), weights, 1.0).counts == 0).all()


@pytest.mark.parametrize("calibration", CALIBRATIONS)
def test_no_vote_without_friends_and_the_same_draws(calibration):
    recipe = FriendlyMean(200, calibration)
    charges = recipe.charges("vote", ZCDP(5.0, 1e-6))
    apart = np.linspace(-1, 1, 200)[:, None, None] * np.eye(2)
    for y, votes in ((np.zeros((200, 2, 2)), True), (apart, False)):
        noise = CountingNoise(SimulatedNoise(np.random.default_rng(3)))
        found = recipe.draw(y, 1e-3, charges, noise)
        assert (found is not None) == votes
        assert [(draw.kind, draw.size) for draw in noise.draws] == [
            ("gaussian", 1),
            ("symmetric_gaussian", 4),
        ]


def test_the_noise_of_a_vote_has_the_scale_of_the_proof():
    t, tau, cost = 400, 1e-3, ZCDP(0.5, 1e-6)
    recipe = FriendlyMean(t)
    found = recipe.draw(np.zeros((t, 1, 1)), tau, recipe.charges("vote", cost), UnitNoise())
    bound = t + 3 / sqrt(0.5) * (1 + ndtri(1e-6))
    share = (bound - 4) / (t - 1)
    move = 1 + 1.25 / share + 2 / (bound - 3)
    assert share > 0.9
    assert found[0, 0] == pytest.approx((move + 0.1) * tau / bound / sqrt(0.5), rel=1e-12)


@pytest.mark.daily
@pytest.mark.parametrize("calibration", CALIBRATIONS)
def test_rounding_the_mean_adds_less_than_its_share(calibration):
    """What a replaced point moves is at most 1 in the unit of the noise; what is rounded is the mean."""
    rng = np.random.default_rng(4)
    for t in (21, 700, 4000):
        recipe, v = FriendlyMean(t, calibration), rng.standard_normal(5)
        y = np.outer(v, v)[None] / (v @ v) + 1e-16 * rng.standard_normal((t, 5, 5))
        other = y.copy()
        other[0] += 2 * CLOSEST / 5 * rng.standard_normal((5, 5))
        y, other = whole_points(y), whole_points(other)
        one, two = recipe.scores(y, CLOSEST), recipe.scores(other, CLOSEST)
        bound = max(one.sum(), two.sum()) / recipe.whole
        unit = CLOSEST * (recipe.move(bound) + 0.1) / bound
        first, second = weighted_mean(y, one, unit), weighted_mean(other, two, unit)
        assert 0 < squared_gap(first, second) <= 1
        assert first.unit * 5 <= 2.0**-FINE
        off = exact_mean(y, one) / Fraction(unit) / Fraction(first.unit) - first.counts.ravel()
        assert max(map(abs, off)) <= Fraction(1, 2)


def test_friends_at_the_edge_are_within_the_distance():
    """Points whose squared distance in floats is that of τ, and a little more in truth: no friends."""
    rng = np.random.default_rng(11)
    found = 0
    for _ in range(300):
        y = whole_points(np.stack([np.zeros(6), 0.1 * rng.standard_normal(6)]))
        squared = sum(int(a) ** 2 for a in y[1])
        tau = sqrt(squared) / 2.0**BITS
        for near in (np.nextafter(tau, 0), tau, np.nextafter(tau, 1), tau * (1 + 1e-14)):
            friends = friends_of(y, near)[0] == 2
            found += friends
            assert not friends or squared <= (Fraction(near) * 2**BITS) ** 2
    assert found > 200


def exact_mean(whole, scores):
    """The entries of the weighted mean as fractions."""
    weights, rows = [int(score) for score in scores], whole.reshape(len(whole), -1)
    return np.array(
        [
            Fraction(sum(w * int(a) for w, a in zip(weights, entry, strict=True) if w), sum(weights) << BITS)
            for entry in rows.T
        ]
    )


@pytest.mark.parametrize("many", [40, 2**18])
def test_sums_of_halves_are_those_of_integers(many):
    """Entries and weights of the largest size, in int64 and in Python's integers."""
    rng = np.random.default_rng(10)
    whole = whole_points(rng.choice([-1.0, 1.0, 0.3, -(2.0**-48), 0.0], (many, 1, 1)))
    weights = rng.choice([0, many - 1, many], many)
    wanted = sum(int(w) * int(a) for w, a in zip(weights, whole.ravel(), strict=True))
    assert weighted_sum(whole, weights).tolist() == [[wanted]]


def test_points_are_whole_numbers_whatever_they_were():
    hostile = np.array([[np.nan, np.inf], [-np.inf, 5.0], [1.0, 2.0**-49]])
    assert whole_points(hostile).tolist() == [[0, 2.0**48], [-(2.0**48), 2.0**48], [2.0**48, 0]]


@pytest.mark.daily
def test_enough_points_pass_the_vote():
    for calibration in CALIBRATIONS:
        cost = ZCDP(0.02, 1e-7)
        t = enough_points(cost, calibration)
        recipe, rng = FriendlyMean(t, calibration), np.random.default_rng(5)
        y = 0.1 * rng.standard_normal((t, 1, 1))
        charges = recipe.charges("vote", cost)
        passed = [recipe.draw(y, 1.0, charges, SimulatedNoise(rng)) is not None for _ in range(200)]
        assert np.mean(passed) > 0.97
    with pytest.raises(ArgumentError, match="points"):
        FriendlyMean(12)


@pytest.mark.daily
def test_friends_are_counted_alike_whatever_the_size_of_a_part():
    y = np.random.default_rng(6).standard_normal((1200, 2, 2))
    apart = np.sqrt(
        ((y[:, None, 0] - y[None, :, 0]) ** 2).sum(axis=2)
        + ((y[:, None, 1] - y[None, :, 1]) ** 2).sum(axis=2)
    )
    assert np.array_equal(friends_of(whole_points(y / 10), 0.1), (apart <= 1.0).sum(axis=1))


@pytest.mark.parametrize("t", [40, 700])
def test_a_pair_has_one_verdict_although_its_distances_differ_by_direction(t):
    """Each of a pair counts the other or neither does, within a part and between two: 2^-20 without that."""
    rng, real = np.random.default_rng(12), distance.cdist
    y = whole_points(0.1 * rng.standard_normal((t, 1, 1)))

    def skewed(a, b, metric):
        return real(a, b, metric) * rng.choice([0.5, 2.0], (len(a), len(b)))

    with patch.object(distance, "cdist", skewed):
        assert not any((friends_of(y, 0.1).sum() - t) % 2 for _ in range(20))


HOSTILE = (np.nan, np.inf, 1e308, 0.0, 5e-324, 1e100)


@pytest.mark.parametrize("value", HOSTILE)
def test_a_block_that_cannot_be_decomposed_is_a_fixed_value(value):
    rng = np.random.default_rng(7)
    blocks = rng.standard_normal((30, 6, 3))
    clean_spectra, clean = spectra(blocks), projections(blocks, 2)
    blocks[4, 2] = value
    found, planes = spectra(blocks), projections(blocks, 2)
    others = np.arange(30) != 4
    assert np.array_equal(found[others], clean_spectra[others])
    assert np.array_equal(planes[others], clean[others])
    if abs(value) > 1e100:
        assert np.isnan(found[4]).all()
        assert (planes[4] == 0).all()
    else:  # an absent row among them: what the others say
        assert np.isfinite(found[4]).all()
        assert np.trace(planes[4]) == pytest.approx(2.0)


def test_a_decomposition_that_fails_stays_inside_its_block(monkeypatch):
    """An SVD that does not converge for one block: spectrum NaN, projection 0, the others as before."""
    blocks = np.random.default_rng(8).standard_normal((10, 6, 3))
    clean_spectra, clean, svd = spectra(blocks), projections(blocks, 1), np.linalg.svd

    factor = np.linalg.qr(blocks[5], mode="r")

    def failing(rows, **options):
        if any(np.array_equal(block, factor) for block in rows.reshape(-1, 3, 3)):
            raise np.linalg.LinAlgError("SVD did not converge")
        return svd(rows, **options)

    monkeypatch.setattr(np.linalg, "svd", failing)
    found, planes = spectra(blocks), projections(blocks, 1)
    others = np.arange(10) != 5
    assert np.isnan(found[5]).all()
    assert (planes[5] == 0).all()
    assert np.array_equal(found[others], clean_spectra[others])
    assert np.array_equal(planes[others], clean[others])


def test_spectra_keep_a_condition_number_of_1e20():
    rng, scales = np.random.default_rng(9), np.array([1e10, 1e5, 1.0])
    blocks = in_blocks(rng.standard_normal((4000, 3)) * scales, 40)
    ratios = spectra(blocks) / scales**2
    assert ratios.min() > 0.4
    assert ratios.max() < 2.0
    blocks[:, :, 2] = blocks[:, :, 0] - 3 * blocks[:, :, 1]
    assert (spectra(blocks)[:, 2] == 0).all()
