"""The semimetric of covariances, the vote as a law, equivariance, and what each known slip would change."""

from itertools import pairwise
from math import exp
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.estimators.covariance.test_populous import grouped
from tests.estimators.streams import rng
from workbench.errors import ArgumentError
from workbench.estimators import Abstention
from workbench.estimators.mean.populous import PopulousMean
from workbench.estimators.parts.budgets import halved, least_groups
from workbench.estimators.parts.rows import in_blocks, paired, shuffled
from workbench.estimators.parts.votes import close_pairs
from workbench.estimators.parts.votes.covariances import Groups, factors
from workbench.estimators.parts.votes.means import Points
from workbench.estimators.parts.votes.means import design as mean_design
from workbench.estimators.parts.votes.paper import fewest_for_covariance
from workbench.estimators.parts.votes.vote import Vote
from workbench.estimators.release import Asked
from workbench.estimators.spectral.preconditioner import Preconditioner
from workbench.estimators.subspaces import GRID, SubspaceExact, Tokens
from workbench.privacy import ApproxDP, SimulatedNoise, UnitNoise, compose
from workbench.privacy.mechanisms import truncated_laplace_bound

BUDGET = ApproxDP(1.0, 1e-6)
SEEDS = st.integers(0, 10**6)


def dist(first, second):
    """AL22's semimetric."""
    lower = np.linalg.inv(np.linalg.cholesky(first))
    values = np.linalg.eigvalsh(lower @ second @ lower.T)
    return max(values[-1], 1 / values[0]) - 1


def positive(d, source, spread=1.0):
    rows = source.standard_normal((d + 3, d)) * 10.0 ** source.uniform(-spread, spread, d)
    return rows.T @ rows


@given(seed=SEEDS, d=st.integers(1, 4))
def test_the_semimetric_is_symmetric_invariant_and_multiplicative(seed, d):
    source = rng(seed)
    a, b, c = (positive(d, source) for _ in range(3))
    map_ = source.standard_normal((d, d)) + 3 * np.eye(d)
    assert dist(a, a) < 1e-9
    assert dist(a, b) == pytest.approx(dist(b, a), rel=1e-6)
    assert dist(map_ @ a @ map_.T, map_ @ b @ map_.T) == pytest.approx(dist(a, b), rel=1e-4)
    assert 1 + dist(a, c) <= (1 + dist(a, b)) * (1 + dist(b, c)) * (1 + 1e-6)
    if max(dist(a, b), dist(b, c)) <= 1:
        assert dist(a, c) <= 1.5 * (dist(a, b) + dist(b, c)) * (1 + 1e-6)


@given(seed=SEEDS, d=st.integers(1, 4))
def test_the_semimetric_is_convex_in_each_argument(seed, d):
    source = rng(seed)
    family, other = [positive(d, source) for _ in range(4)], positive(d, source)
    shares = source.dirichlet(np.full(4, 0.5))
    mixed = sum(share * one for share, one in zip(shares, family, strict=True))
    bound = sum(share * dist(one, other) for share, one in zip(shares, family, strict=True))
    assert dist(mixed, other) <= bound * (1 + 1e-6)


@given(seed=SEEDS, d=st.integers(1, 4))
def test_mixtures_of_one_family_are_as_close_as_their_weights(seed, d):
    source = rng(seed)
    family = [positive(d, source, 0.3) for _ in range(5)]
    first, second = source.dirichlet(np.full(5, 0.4), 2)
    mixed = [sum(w * one for w, one in zip(shares, family, strict=True)) for shares in (first, second)]
    diameter = max(dist(a, b) for a in family for b in family)
    assert dist(*mixed) <= np.abs(first - second).sum() / 2 * diameter * (1 + 1e-6)


def test_the_semimetric_is_not_jointly_convex():
    """1 and 1 beside 100 and 199: the mixtures are further apart than the pairs on average."""
    a, b = (np.array([[1.0]]), np.array([[1.0]])), (np.array([[100.0]]), np.array([[199.0]]))
    share = 0.5
    mixed = [share * one + (1 - share) * other for one, other in zip(a, b, strict=True)]
    assert dist(*mixed) > share * dist(*a) + (1 - share) * dist(*b)


@pytest.mark.parametrize(("k", "a", "b", "quorum"), [(12, 7, 8, 110), (16, 9, 12, 215)])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.3, 1e-3), (1.0, 0.05), (2.0, 0.3)])
def test_the_vote_is_private_between_all_numbers_of_friendly_pairs(k, a, b, quorum, epsilon, delta):
    """Exact enumeration of every number of ordered pairs and all that one group can make of it."""
    vote = Vote(k, a, b, quorum)
    charge = vote.charge("vote", ApproxDP(epsilon, delta))
    bound, scale = truncated_laplace_bound(charge), charge.sensitivity / epsilon

    def passes(pairs):
        if pairs < quorum:
            return 0.0
        x, rest = quorum + bound - pairs, exp(-bound / scale)
        half = max(exp(-abs(x) / scale) - rest, 0.0) / (2 * (1 - rest))
        return half if x >= 0 else 1 - half

    worst = 0.0
    for pairs in range(k, k * k + 1):
        for other in range(max(k, pairs - 2 * (k - 1)), min(k * k, pairs + 2 * (k - 1)) + 1):
            p, q = passes(pairs), passes(other)
            worst = max(worst, p - exp(epsilon) * q, (1 - p) - exp(epsilon) * (1 - q))
    assert 0.9 * delta < worst <= delta * (1 + 1e-9)


@pytest.mark.parametrize("friends", [200, 215, 216, 230, 256])
def test_the_vote_passes_where_its_noise_exceeds_the_threshold(friends):
    vote = Vote(16, 9, 12, 215)
    charge = vote.charge("vote", BUDGET)
    needed = vote.quorum - friends + truncated_laplace_bound(charge)

    class Adds(UnitNoise):
        def __init__(self, amount):
            object.__setattr__(self, "amount", amount)

        def truncated_laplace(self, value, *_):
            return np.asarray(value, float) + self.amount

    counts = np.diff(np.arange(17) * friends // 16)
    assert not vote.passes(counts, charge, Adds(needed - 1e-8))
    assert vote.passes(counts, charge, Adds(needed + 1e-8))


@given(seed=SEEDS, d=st.integers(1, 4))
def test_the_order_of_groups_and_linear_maps_change_nothing(seed, d):
    source = rng(seed)
    found = Groups.of(factors(40, d + 5, d, source))
    order, map_ = source.permutation(40), source.standard_normal((d, d)) + 2 * np.eye(d)
    weights = source.uniform(0, 1, 40) * (source.uniform(0, 1, 40) > 0.3)
    moved = Groups.of(np.linalg.qr(found.factors[order] @ map_.T, mode="r"))
    assert (moved.friends(6.0) == found.friends(6.0)[order]).all()
    first, second = map_ @ found.average(weights), moved.average(weights[order])
    assert np.allclose(first @ first.T, second @ second.T, rtol=1e-9)


@pytest.mark.parametrize("d", [1, 2, 7])
@pytest.mark.parametrize("centre", [0.0, 1e7])
def test_friends_of_points_are_those_of_their_differences(d, centre):
    source = rng(d)
    values = centre + source.standard_normal((300, d)) * source.choice([1.0, 4.0, 1e5], (300, 1))
    values[:4] = [[np.inf], [np.nan], [1e99], [-1e12]]
    points, near = Points(values, 2.0), np.ones(300, int)
    with np.errstate(all="ignore"):
        for i in range(4, 300):
            near[i] = (((values[4:] - values[i]) ** 2).sum(axis=1) <= 4.0).sum()
    assert points.usable.sum() == 296
    assert points.friends(2.0).tolist() == near.tolist()


@given(seed=SEEDS, d=st.integers(1, 3))
def test_averages_of_points_of_neighbours_are_as_close_as_is_charged(seed, d):
    source = rng(seed)
    made = mean_design(400, d, ApproxDP(4.0, 0.01), 0.1)
    x = 1e6 + source.standard_normal((made.vote.k, d))
    y = x.copy()
    y[0] = 1e6 + source.choice([0.0, 2.0, 3.0, 1e6]) * source.standard_normal(d)
    found = [Points(rows, made.limit) for rows in (x, y)]
    friends = [one.friends(made.limit) for one in found]
    assert abs(int(friends[0].sum()) - int(friends[1].sum())) <= 2 * (made.vote.k - 1)
    if min(one.sum() for one in friends) >= made.vote.quorum:
        means = [p.average(made.vote.weights(f)) for p, f in zip(found, friends, strict=True)]
        assert np.linalg.norm(means[0] - means[1]) <= made.distance


@pytest.mark.parametrize(("d", "n"), [(1, 1400), (2, 1800), (5, 2600), (10, 4000)])
def test_a_mean_anywhere_is_found(d, n):
    errors = []
    for seed in range(12):
        x = 1e4 + rng(seed).standard_normal((n, d))
        found = PopulousMean(sigma=1.0)(x, budget=BUDGET, rng=rng(100 + seed)).value
        errors.append(np.inf if isinstance(found, Abstention) else np.linalg.norm(found - 1e4))
    assert np.median(errors) < 0.2
    assert np.sum(np.array(errors) > PopulousMean(sigma=1.0).error_bound(n, d, BUDGET, 1e-4)) == 0


def test_sigma_is_the_unit_of_a_mean():
    x = 1e3 + rng().standard_normal((2000, 2))
    one, four = (PopulousMean(sigma=s)(s * x, budget=BUDGET, rng=rng(2)).value for s in (1.0, 4.0))
    assert (four == 4 * one).all()
    assert PopulousMean(sigma=4.0).error_bound(2000, 2, BUDGET, 0.1) == pytest.approx(
        4 * PopulousMean(sigma=1.0).error_bound(2000, 2, BUDGET, 0.1)
    )


# what each known slip would change


def test_the_weight_of_the_replaced_group_itself_counts():
    """A far group that joins takes a share of its own besides what the others' weights move by."""
    vote = Vote(200, 101, 150, 32_000)
    friends = np.full(200, 200)
    friends[-64:] = vote.nobody  # the last one among them
    other = friends.copy()
    other[:-64] -= 1
    other[-64:] += 1
    other[-1] = 200
    u, v = (np.append(vote.weights(one), 0.0) for one in (friends, other))
    v[-2], v[-1] = 0.0, v[-2]
    moved = 200 * np.maximum(v / v.sum() - u / u.sum(), 0).sum()
    a, b = 101 / 200, 150 / 200
    share = (1 - 0.8) / (1 - a)
    without = max(share / (b - a) / (1 - share), 1.0 / (b - a) * min(1.0, (1 - 0.8) / (1 - b - 1 / 200)))
    assert without < vote.change - 0.99
    assert moved <= vote.change


def test_pruning_without_a_margin_on_the_right_side_is_noticed():
    found = Groups.of(factors(200, 9, 4, rng()))
    right = found.friends(8.0)
    with patch.object(close_pairs, "MARGIN", -0.3):
        assert (found.friends(8.0) != right).any()


def test_an_order_of_rows_knows_nothing_of_the_rows():
    x = rng().standard_normal((50, 2))
    first, second = (shuffled(rows, SimulatedNoise(rng(3))) for rows in (np.arange(50.0)[:, None], x))
    assert (x[first[:, 0].astype(int)] == second).all()
    assert len({tuple(shuffled(x, SimulatedNoise(rng(seed)))[0]) for seed in range(20)}) > 5


def test_a_row_is_in_one_pair_and_in_one_group():
    x = rng().standard_normal((60, 2))
    y = x.copy()
    y[17] = 1e6
    assert (paired(x) != paired(y)).any(axis=1).sum() == 1
    groups = [grouped(paired(rows), 5).factors for rows in (x, y)]
    assert (groups[0] != groups[1]).any(axis=(1, 2)).sum() == 1


def test_names_are_compared_exactly_and_depend_on_the_drawn_grid():
    line = np.array([[[3.0, 7.0]]]) / np.sqrt(58)
    turned = line + 3 * GRID * np.array([1.0, -1.0])
    grids = [Tokens.drawn(2, rng(seed)) for seed in range(8)]
    first = grids[0]
    assert first.of(line)[0] == first.of(5 * line)[0]
    assert first.of(line)[0] != first.of(turned)[0]
    assert len({grid.of(line)[0] for grid in grids}) > 1


def test_a_release_tells_nothing_but_its_value():
    """No weights, no shares, no reasons: whatever the rows are, no answer is the same Abstention."""
    outcomes = set()
    for x in (np.zeros((20_000, 2)), np.full((20_000, 2), np.nan), 10.0 ** rng().uniform(-9, 9, (20_000, 2))):
        release = Preconditioner(centred=True)(x, budget=BUDGET, rng=rng())
        assert {*vars(release)} == {"value", "plan", "guarantee", "labels", "asked"}
        assert release.asked == Asked(Preconditioner(centred=True), 20_000, 2, BUDGET)
        outcomes.add(release.value)
    assert outcomes == {Abstention("vote")}


def test_the_source_s_numbers_of_rows():
    """As many as its constants ask for: 584 groups for a subspace, billions of rows for a preconditioner."""
    assert least_groups(halved(BUDGET)) == 584
    rows = [fewest_for_covariance(d, BUDGET, 0.1) for d in (1, 2, 5, 10, 20)]
    assert all(1.8 * few < many for few, many in pairwise(rows))
    assert 5e9 < rows[0] < 1e10
    for estimator in (Preconditioner(calibration="paper"), Preconditioner(calibration="paper", centred=True)):
        with pytest.raises(ArgumentError, match="at least"):
            estimator.plan(10**9, 1, BUDGET)
        plan = estimator.plan(2 * rows[0], 1, BUDGET)
        assert compose(plan).epsilon == pytest.approx(1.0)
        assert compose(plan).delta <= BUDGET.delta
        assert [charge.mechanism for charge in plan.charges()] == ["truncated_laplace", "square"]
        assert estimator.error_bound(2 * rows[0], 1, BUDGET, 0.1) <= np.log(2)
    assert SubspaceExact(calibration="paper", centred=True).fewest(3, BUDGET) == 3 * 584


def test_groups_that_are_no_matrices_are_alone():
    x = rng().standard_normal((12, 4, 3))
    x[0, 0, 2], x[1], x[2], x[3, :, 1] = np.nan, 0.0, np.inf, x[3, :, 0]
    with np.errstate(all="ignore"):
        found = grouped(x.reshape(-1, 3), 4)
    assert found.usable.tolist() == [False] * 4 + [True] * 8
    assert found.friends(1e6)[:4].tolist() == [1, 1, 1, 1]
    assert in_blocks(x.reshape(-1, 3), 12).shape == (12, 4, 3)
