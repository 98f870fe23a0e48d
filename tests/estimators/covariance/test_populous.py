"""The vote, its weights and its average on neighbours; subspaces; the whole learner."""

from math import expm1, log1p

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from tests.estimators.streams import rng
from workbench import losses
from workbench.catalog import CATALOG
from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.estimators import Abstention
from workbench.estimators.gaussian.populous import PopulousGaussian
from workbench.estimators.parts.rows import of_groups
from workbench.estimators.parts.votes.covariances import (
    Groups,
    best_mask,
    design,
    factors,
    limits,
    moment_factors,
    sizes,
)
from workbench.estimators.parts.votes.design import ROUNDING
from workbench.estimators.parts.votes.preconditioner import PopulousFrame
from workbench.estimators.parts.votes.vote import Vote, change
from workbench.estimators.spectral.preconditioner import Preconditioner
from workbench.estimators.subspaces import SubspaceExact
from workbench.privacy import ApproxDP, SimulatedNoise, compose

LEVEL = 1e-6
BUDGET = ApproxDP(1.0, 1e-6)


def grouped(rows, size):
    """The groups of `size` consecutive rows each."""
    return Groups.of(of_groups(rows, size, moment_factors))


def thompson(first, second):
    lower = np.linalg.inv(np.linalg.cholesky(second))
    values = np.linalg.eigvalsh(lower @ first @ lower.T)
    return float(np.abs(np.log(values)).max()) if values[0] > 0 else np.inf


def plainly(groups, limit):
    """Friends by the definition, pair by pair."""
    counts = np.ones(groups.count, int)
    for i in range(groups.count):
        for j in range(groups.count):
            if i != j and groups.usable[i] and groups.usable[j]:
                product = groups.factors[j] @ np.linalg.inv(groups.factors[i])
                values = np.linalg.eigvalsh(product @ product.T)
                counts[i] += values[-1] <= limit and values[0] * limit >= 1
    return counts


HOSTILE = (0.0, 1e100, 1e-160, 1e80, 1.0)


def hostile_rows(seed, count, d):
    """Rows of many scales and shapes, some groups of which are degenerate, equal or huge."""
    source = rng(seed)
    x = source.standard_normal((count, d)) * 10.0 ** source.integers(-3, 4, (count, 1))
    for _ in range(count // 3):
        x[source.integers(count)] = HOSTILE[source.integers(len(HOSTILE))] * source.standard_normal(d)
    return x


@pytest.mark.parametrize("d", [1, 2, 3, 6])
@pytest.mark.parametrize("scale", [1.0, 1e-30, 1e40])
def test_friends_are_those_of_the_definition(d, scale):
    source = rng(d)
    mixing = source.standard_normal((d, d)) * 10.0 ** source.uniform(-2, 2, d)
    groups = grouped(scale * source.standard_normal((60 * (d + 4), d)) @ mixing, d + 4)
    for limit in (3.0, 8.0, 20.0):
        assert groups.friends(limit).tolist() == plainly(groups, limit).tolist()


@given(seed=st.integers(0, 10**6), d=st.integers(1, 4))
def test_friends_of_hostile_groups_are_those_of_the_definition(seed, d):
    groups = grouped(hostile_rows(seed, 12 * (d + 3), d), d + 3)
    with np.errstate(all="ignore"):
        assert groups.friends(9.0).tolist() == plainly(groups, 9.0).tolist()


@given(seed=st.integers(0, 10**6), d=st.integers(1, 3))
def test_one_replaced_row_changes_the_friends_by_what_is_charged(seed, d):
    size, count = d + 3, 14
    x = hostile_rows(seed, size * count, d)
    y = x.copy()
    row = int(rng(seed + 1).integers(len(y)))
    y[row] = hostile_rows(seed + 2, 3, d)[0]
    with np.errstate(all="ignore"):
        first, second = (grouped(rows, size).friends(9.0) for rows in (x, y))
    others = np.arange(count) != row // size
    assert np.abs(first - second)[others].max() <= 1
    assert abs(int(first.sum()) - int(second.sum())) <= 2 * (count - 1)


def test_the_sensitivity_of_the_count_is_attained():
    x = rng().standard_normal((20 * 6, 2))
    y = x.copy()
    y[3] = 1e9
    first, second = (grouped(rows, 6).friends(1e6).sum() for rows in (x, y))
    assert first - second == 2 * 19
    assert Vote(20, 11, 15, 330).charge("vote", BUDGET).sensitivity == 2 * 19


VOTES = [Vote(40, 21, 30, 1400), Vote(60, 31, 50, 3300), Vote(100, 60, 80, 8500), Vote(200, 101, 150, 32_000)]


@pytest.mark.parametrize("vote", VOTES)
def test_weights_of_extreme_degrees_move_by_at_most_what_is_proved(vote):
    """Any degrees whose sum reaches the quorum, all within one of each other but for one point."""
    source, k, worst = rng(vote.k), vote.k, 0.0
    for trial in range(3000):
        near = int(source.integers(0, k))
        level = source.choice([vote.nobody, vote.nobody + 1, vote.everybody, vote.everybody + 1])
        friends = np.concatenate([np.full(near, level), np.full(k - near, k)])
        if trial % 3 == 0:
            friends = np.clip(friends + source.integers(-1, 2, k), 1, k)
        other = np.clip(friends - (friends < k) * source.integers(0, 2, k), 1, k)
        if trial % 2:
            other = np.clip(friends - (friends < k), 1, k)
        other[-1] = source.choice([1, k])
        if min(friends.sum(), other.sum()) < vote.quorum:
            continue
        u, v = (np.append(vote.weights(one), 0.0) for one in (friends, other))
        v[-2], v[-1] = 0.0, v[-2]  # the replaced point is another point
        worst = max(worst, k * np.maximum(u / u.sum() - v / v.sum(), 0).sum())
    assert worst <= vote.change * (1 + 1e-12)
    assert worst > 0.5 * vote.change


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_averages_of_neighbours_are_as_close_as_is_proved(d, seed):
    source, size, k = rng(seed), d + 4, 60
    limit, worst = limits(d, size)[3], 0.0
    for _ in range(40):
        shape = source.standard_normal((d, d)) * 10.0 ** source.uniform(-3, 3, d)
        x = source.standard_normal((k * size, d)) @ shape
        y = x.copy()
        y[0] = source.choice([0.0, 30.0, 1e6]) * source.standard_normal(d) @ shape
        groups = [grouped(rows, size) for rows in (x, y)]
        friends = [one.friends(limit) for one in groups]
        quorum = min(int(min(one.sum() for one in friends)), k * k - 1)
        if quorum < 0.7 * k * k:
            continue
        vote = Vote(k, k // 2 + 1, min(k // 2 + 10, quorum // k - 1), quorum)
        roots = [one.average(vote.weights(count)) for one, count in zip(groups, friends, strict=True)]
        bound = log1p(vote.change * vote.spread(limit * ROUNDING) / k)
        worst = max(worst, thompson(*(root @ root.T for root in roots)) / bound)
    assert 0 < worst <= 1


def test_without_the_guard_the_mass_bound_would_be_wrong():
    """Where friends may have less than all weight, E is the bound of pairs."""
    assert Vote(100, 51, 53, 5500).spread(9.0) == 80.0
    assert Vote(1000, 501, 700, 930_000).spread(9.0) < 80.0


@pytest.mark.parametrize(
    "wrong", [(7, 4, 5, 45), (20, 10, 15, 330), (20, 11, 11, 330), (20, 11, 17, 350), (20, 11, 15, 400)]
)
def test_votes_that_the_proof_does_not_cover_are_refused(wrong):
    with pytest.raises(ArgumentError):
        Vote(*wrong)


@pytest.mark.parametrize(("d", "n"), [(1, 3000), (1, 20_000), (2, 12_000), (5, 75_000)])
def test_designs_hold_the_budget_and_their_own_inequality(d, n):
    made = design(n, d, BUDGET, 0.03, best_mask(d))
    vote, mask = made.charges
    assert compose(made.plan).epsilon == pytest.approx(1.0, rel=1e-12)
    assert compose(made.plan).delta == pytest.approx(1e-6, rel=1e-12)
    assert made.size in sizes(d)
    assert made.vote.k == n // made.size
    moved = made.vote.change * made.vote.spread(made.limit * ROUNDING) / made.vote.k
    assert expm1(mask.sensitivity) == pytest.approx(moved, rel=1e-9)
    assert vote.sensitivity == 2 * (made.vote.k - 1)


def test_the_change_of_the_source_s_thresholds_is_twelve():
    assert change(10**9, np.array(0.6), np.array(0.7), 0.8) == pytest.approx(12.0, rel=1e-6)


def test_factors_in_law_are_those_of_rows():
    d, size = 3, 9
    mine = factors(4000, size, d, rng(2))
    theirs = np.linalg.qr(rng(3).standard_normal((4000, size, d)), mode="r") / np.sqrt(size)
    largest = [np.linalg.svd(one, compute_uv=False)[:, 0] for one in (mine, theirs)]
    middle = np.median(largest[1])
    assert binomtest(int((largest[0] <= middle).sum()), 4000, 0.5).pvalue > LEVEL


@pytest.mark.daily
@pytest.mark.parametrize(("d", "n"), [(1, 5000), (2, 12_500)])
@pytest.mark.parametrize("condition", [pytest.param(1.0, marks=pytest.mark.slow), 1e8])
def test_a_preconditioner_is_as_good_as_its_bound_says(d, n, condition):
    """For long axes; round rows, which a linear map makes of them, if slow."""
    recipe, source = PopulousFrame(n, d, BUDGET, 0.1), rng(d)
    bound, runs, failures = recipe.error_bound(), 60, 0
    for _ in range(runs):
        basis = np.linalg.qr(source.standard_normal((d, d)))[0]
        sds = np.geomspace(1.0, condition**0.5, d)
        found = recipe.draw(source.standard_normal((n, d)) * sds @ basis.T, SimulatedNoise(source))
        failures += found is None or thompson(found, (basis * sds**2) @ basis.T) > bound
    assert binomtest(failures, runs, 0.1, alternative="greater").pvalue > LEVEL


def test_too_few_rows_are_refused_with_nothing_drawn():
    with pytest.raises(ArgumentError, match="n = 100: expected at least"):
        Preconditioner()(np.zeros((100, 2)), budget=BUDGET, rng=rng())
    with pytest.raises(ArgumentError, match="156"):
        SubspaceExact()(np.zeros((155, 2)), budget=BUDGET, rng=rng())


def test_crowds_that_disagree_get_no_answer():
    x = rng().standard_normal((20_000, 2))
    x[::2] *= 1.5
    ordered = np.concatenate([x[::2], x[1::2]])
    for seed in range(5):
        release = Preconditioner(centred=True)(ordered, budget=BUDGET, rng=rng(seed))
        assert isinstance(release.value, np.ndarray)
    degenerate = np.outer(rng().standard_normal(20_000), [1.0, 2.0])
    assert isinstance(Preconditioner()(degenerate, budget=BUDGET, rng=rng()).value, Abstention)


@pytest.mark.parametrize(("d", "rank"), [(2, 1), (4, 2), (6, 6)])
def test_subspaces_are_found_up_to_the_grid(d, rank):
    source, bottoms = rng(d), 0
    for _ in range(20):
        basis = np.linalg.qr(source.standard_normal((d, rank)))[0]
        x = source.standard_normal((100 * d, rank)) * np.geomspace(1, 1e3, rank) @ basis.T + 7
        found = SubspaceExact()(x, budget=BUDGET, rng=source).value
        if isinstance(found, Abstention):
            bottoms += 1
            continue
        assert np.linalg.matrix_rank(found, tol=0.5) == rank
        assert np.linalg.norm(found - basis @ basis.T, 2) < 5e-5
    assert binomtest(bottoms, 20, 0.1, alternative="greater").pvalue > 1e-4


def test_a_token_belongs_to_its_group_alone():
    names = []
    for last in (1.0, np.nan, 1e99):
        x = rng(3).standard_normal((400, 2))
        x[-1] = last
        found = SubspaceExact(centred=True)(x, budget=BUDGET, rng=rng(4)).value
        names.append(found.tolist())
    assert names[0] == names[1] == names[2]


@pytest.mark.parametrize(
    ("d", "rank", "n"),
    [(1, 1, 20_000), (2, 2, 40_000), (2, 1, 40_000), pytest.param(3, 2, 70_000, marks=pytest.mark.slow)],
)
def test_any_gaussian_is_learned(d, rank, n):
    """On a line, in a plane, and on a line in it; on a plane in space if slow."""
    source, bad = rng(rank), 0
    for _ in range(8):
        basis = np.linalg.qr(source.standard_normal((d, rank)))[0]
        sds = np.geomspace(1, 1e3, rank)
        x = source.standard_normal((n, rank)) * sds @ basis.T + 1e4
        found = PopulousGaussian()(x, budget=BUDGET, rng=source).value
        if isinstance(found, Abstention):
            bad += 1
            continue
        seen = Gaussian(basis.T @ (found.mean - 1e4), basis.T @ found.covariance @ basis)
        bad += losses.total_variation_bounds(seen, Gaussian(np.zeros(rank), np.diag(sds**2)))[1] > 0.2
        across = np.eye(d) - basis @ basis.T
        assert np.linalg.norm(across @ (found.mean - 1e4)) < 1e-4 * sds[-1]
    assert binomtest(bad, 8, 0.1, alternative="greater").pvalue > 1e-4


@pytest.mark.parametrize("key", ["mean/populous", "covariance/populous", "spectral/preconditioner"])
@pytest.mark.parametrize("epsilon", [1e-3, 1e-5, 1e-12])
def test_a_budget_for_which_no_rows_are_enough_is_refused_at_once(key, epsilon):
    budget = ApproxDP(epsilon, 1e-6)
    with pytest.raises(ArgumentError, match="n = 1000: expected"):
        CATALOG[key].estimator.plan(1000, 2, budget)
