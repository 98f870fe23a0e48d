"""Eigenvalues and subspaces by blocks: what one row moves, how many rows they take, how good they are."""

from collections import Counter
from math import log, sqrt

import numpy as np
import pytest
from scipy.special import ndtri

from workbench.errors import ArgumentError
from workbench.estimators import Abstention
from workbench.estimators.base import mapped, sanitised
from workbench.estimators.parts.blocks.blocks import LEAST, Partition, projections, spectra
from workbench.estimators.parts.blocks.eigenvalues import (
    BAD,
    ZERO,
    BlockEigenvalues,
    exponents,
    logarithms,
)
from workbench.estimators.parts.blocks.friendly_mean import CLOSEST
from workbench.estimators.parts.blocks.subspaces import (
    SubspaceVote,
    gap_after,
    top_eigenvectors,
    unit_distance,
)
from workbench.estimators.parts.budgets import concentrated, without_events
from workbench.estimators.parts.rows import centred_rows, in_blocks
from workbench.estimators.spectral.eigenvalues import Eigenvalues
from workbench.estimators.spectral.subspace_aggregate import SubspaceAggregate
from workbench.linalg import norms, symmetric_noise_norm
from workbench.losses import eigenvalue_error, subspace_error
from workbench.privacy import ZCDP, ApproxDP, PureDP, SimulatedNoise
from workbench.privacy.mechanisms import gaussian_scale

CALIBRATIONS = ("tight", "paper")
HOSTILE = (np.nan, np.inf, -np.inf, 1e308, 1e100, -1e100, 1e15, 5e-324, 0.0, 1.0)


def turned(rng, values):
    """A covariance with these eigenvalues along random axes, and its root."""
    basis = np.linalg.qr(rng.standard_normal((len(values),) * 2))[0]
    return (basis * values) @ basis.T, basis * np.sqrt(values)


@pytest.mark.daily
@pytest.mark.parametrize("centred", [True, False])
def test_one_row_changes_one_item_of_every_list(centred):
    """Spectra, the keys and logarithms made of them, and projections, through a map of a fuzzed size."""
    rng, changed = np.random.default_rng(1), set()
    for trial in range(2000):
        d, t = int(rng.integers(1, 4)), int(rng.integers(2, 7))
        n = int(rng.integers(t * 2, t * 8)) * (1 if centred else 2)
        x = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-200, 100)
        if trial % 4 == 0:
            x[rng.random(x.shape) < 0.2] = rng.choice(HOSTILE)
        if trial % 5 == 0:
            x[:] = x[0]
        other, matrix = x.copy(), rng.standard_normal((d, d)) * 10.0 ** rng.integers(-90, 90)
        other[rng.integers(n)] = rng.choice(HOSTILE, d)
        lists = []
        for rows in (x, other):
            blocks = in_blocks(mapped(centred_rows(sanitised(rows), centred), matrix), t)
            values = spectra(blocks)
            lists.append((values, logarithms(values), exponents(values), projections(blocks, 1)))
        for one, two in zip(*lists, strict=True):
            differ = [not np.array_equal(a, b, equal_nan=True) for a, b in zip(one, two, strict=True)]
            assert sum(differ) <= 1
            changed.add(sum(differ))
        assert np.isfinite(lists[0][1]).all()
        assert np.isfinite(lists[0][2]).all()
        assert (np.abs(lists[0][3]) <= 1 + 1e-12).all()
    assert changed == {0, 1}


def test_keys_keep_nothing_and_failure_apart_from_every_eigenvalue():
    values = np.array([0.0, np.nan, 5e-324, 1.0, 1.9, 2.0, 1e200, np.inf])
    assert exponents(values).tolist() == [ZERO, BAD, -1073, 1, 1, 2, 665, BAD]
    assert logarithms(values)[[0, 1, 2]].tolist() == [-600.0] * 3
    assert logarithms(values)[6] == pytest.approx(200 * log(10))


@pytest.mark.parametrize("calibration", CALIBRATIONS)
@pytest.mark.parametrize("needed", [20, 700, 5000])
def test_blocks_are_enough_and_their_sizes_public(calibration, needed):
    for d in (1, 3):
        for centred in (True, False):
            partition, least = Partition(needed, centred, calibration), LEAST[calibration] * d
            start = needed * least * (1 if centred else 2)
            for n in (0, 1, start - 1):
                with pytest.raises(ArgumentError, match=str(start)):
                    partition.sizes(n, d)
            for most in (8, np.inf):
                for n in (start, start + 1, int(1.5 * start), 3 * start, 40 * start):
                    t, m = partition.sizes(n, d, most)
                    assert t >= needed
                    assert m >= least
                    assert t * m <= (n if centred else n // 2)
                    assert t * (m + 1) > (n if centred else n // 2) - t  # few rows are left over


def test_budgets_that_a_step_cannot_take_are_refused():
    for budget in (PureDP(1.0), ZCDP(0.1, 1e-6)):
        with pytest.raises(ArgumentError, match="budget"):
            without_events(budget)
    for budget in (PureDP(1.0), ZCDP(0.1), ApproxDP(1.0, 0.0)):
        with pytest.raises(ArgumentError, match="budget"):
            concentrated(budget)


@pytest.mark.parametrize("calibration", CALIBRATIONS)
@pytest.mark.parametrize("condition", [1.0, 1e4, 1e12, 1e20])
def test_eigenvalues_are_found_to_a_factor(calibration, condition):
    """M21/UG Theorem 3.1, by the bound of the module: (1 ± x)², and another √2 for a bin."""
    rng, d, budget, n = np.random.default_rng(2), 3, ZCDP(0.5, 1e-6), 40_000
    estimator = Eigenvalues(calibration=calibration)
    budget = budget if calibration == "paper" else ZCDP(0.5)
    t, m = estimator.blocks(n, d, budget)
    x = sqrt(d / m) + sqrt(2 * log(2 * t / 1e-6) / m)
    assert x < 0.7
    bin_width = sqrt(2) if calibration == "paper" else 1.0
    truth, root = np.diag(np.geomspace(1, 1 / condition, d)), np.sqrt(np.geomspace(1, 1 / condition, d))
    basis = np.linalg.qr(rng.standard_normal((d, d)))[0] if condition < 1e15 else np.eye(d)
    for seed in range(5):
        rows = rng.standard_normal((n, d)) * root @ basis.T
        values = estimator(rows, budget=budget, rng=np.random.default_rng(seed)).value
        assert (np.diff(values) <= 0).all()
        assert eigenvalue_error(values, truth) <= -2 * log(1 - x) + log(bin_width)


def test_eigenvalues_of_degenerate_rows_are_zero():
    rows = np.random.default_rng(3).standard_normal((20_000, 1)) * [[3.0, -1.0, 2.0]]
    for calibration, budget in (("tight", ZCDP(1.0)), ("paper", ZCDP(1.0, 1e-6))):
        values = Eigenvalues(calibration=calibration)(rows, budget=budget, rng=np.random.default_rng(4)).value
        assert values[0] == pytest.approx(14.0, rel=0.6)
        assert values[1:].tolist() == [0.0, 0.0]


def test_blocks_that_share_no_bin_give_no_answer():
    n = 20_000
    rows = np.random.default_rng(5).standard_normal((n, 2)) * np.geomspace(1e-90, 1e90, n)[:, None]
    estimator, budget = Eigenvalues(calibration="paper", centred=True), ZCDP(0.1, 1e-6)
    assert estimator(rows, budget=budget, rng=np.random.default_rng(6)).value == Abstention("eigenvalue")


@pytest.mark.parametrize("calibration", CALIBRATIONS)
def test_the_error_of_a_subspace_is_in_proportion_to_the_gap(calibration):
    """Within noise, by the norm of its matrix, and sampling of n/2 pairs: both are multiples of the gap."""
    rng, n, budget, scaled = np.random.default_rng(7), 40_000, ApproxDP(1.0, 1e-6), []
    for gap in (1e-1, 1e-3, 1e-6):
        covariance, root = turned(rng, np.array([1.0, 1.0, gap**2, gap**2]))
        estimator = SubspaceAggregate(k=2, gap=gap, calibration=calibration)
        vote = estimator.vote(n, 4, budget)
        friendly, (count, mean) = vote.friendly, estimator.plan(n, 4, budget).charges()
        sd = friendly.rule.gap / sqrt(2 * count.cost.rho)
        fewest = 0.9 * vote.blocks - sd * (4 - ndtri(count.cost.delta))  # L is smaller once in 30000 runs
        unit = vote.distance(2, gap) * (friendly.move(fewest) + 0.1) / fewest
        noise = unit * gaussian_scale(mean) * symmetric_noise_norm(4, 1e-6)
        bound = noise + 6 * gap * sqrt(4 / (n / 2))
        assert bound < 10 * gap
        for seed in range(5):
            rows = 3.0 + rng.standard_normal((n, 4)) @ root.T
            value = estimator(rows, budget=budget, rng=np.random.default_rng(seed)).value
            assert np.trace(value) == pytest.approx(2.0)
            assert np.linalg.norm(value @ value - value) < 1e-12
            scaled.append(subspace_error(value, covariance) / gap)
            assert scaled[-1] * gap <= bound
    assert np.median(scaled[-5:]) < 3 * np.median(scaled[:5])
    assert np.median(scaled[:5]) < 3 * np.median(scaled[-5:])


def test_the_subspace_of_degenerate_rows_is_found_as_well_as_floats_allow():
    rng, plane = np.random.default_rng(8), np.linalg.qr(np.random.default_rng(9).standard_normal((3, 2)))[0]
    rows = rng.standard_normal((20_000, 2)) @ plane.T * 1e6
    value = SubspaceAggregate(k=2, gap=0.0, centred=True)(rows, budget=ApproxDP(1.0, 1e-6), rng=rng).value
    assert np.linalg.norm(value - plane @ plane.T) < 1e-10


def test_blocks_without_a_gap_give_no_answer():
    rows = np.random.default_rng(10).standard_normal((20_000, 3))
    for calibration in CALIBRATIONS:
        estimator = SubspaceAggregate(gap=1e-6, centred=True, calibration=calibration)
        value = estimator(rows, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(11)).value
        assert value == Abstention("vote, count")


def test_the_distance_of_a_vote_is_public_and_in_proportion_to_the_gap():
    for calibration in CALIBRATIONS:
        vote = SubspaceVote(500, 12, 3, calibration)
        assert vote.distance(1, 1e-3) == pytest.approx(10 * vote.distance(1, 1e-4))
        assert vote.distance(1, 0.0) == vote.distance(3, 0.5) == CLOSEST
    assert unit_distance(3, 1, 12) == unit_distance.__wrapped__(3, 1, 12)
    assert gap_after(np.array([4.0, 1.0, 1e-300]), 1) == 0.5
    assert gap_after(np.array([4.0, 1.0, 1e-300]), 2) == 1e-13


def test_nearly_all_normal_blocks_are_friends_at_the_distance_of_their_own_gap():
    """Pairs of blocks lie within τ, "tight", and not within a quarter of it."""
    rng, d, k, m, gap = np.random.default_rng(12), 4, 2, 12, 1e-3
    blocks = rng.standard_normal((400, m, d)) * np.repeat([1.0, gap], [k, d - k])
    values = np.median(spectra(blocks), axis=0)
    tau = SubspaceVote(400, m, d).distance(k, gap_after(values, k))
    planes = projections(blocks, k).reshape(400, -1)
    apart = norms(planes[:200] - planes[200:])
    assert (apart <= tau).mean() > 0.95
    assert (apart <= tau / 4).mean() < 0.5


def test_the_first_eigenvectors_are_those_of_the_largest_eigenvalues():
    assert np.abs(top_eigenvectors(np.diag([1.0, 3.0, 2.0]), 2)).tolist() == [[0, 0], [1, 0], [0, 1]]


def test_a_subspace_of_all_dimensions_is_refused():
    with pytest.raises(ArgumentError, match="k"):
        SubspaceAggregate(k=2, gap=0.1).plan(10**6, 2, ApproxDP(1.0, 1e-6))


def test_a_wrong_answer_is_as_rare_as_the_number_of_blocks_says():
    """At the fewest blocks, block eigenvalues that agree are missed in at most 1 of 1000 runs."""
    cost, d = ZCDP(0.2), 2
    recipe = BlockEigenvalues(d)
    t, rng = recipe.enough_blocks(cost), np.random.default_rng(13)
    charges, found = recipe.charges("eigenvalue", cost), Counter()
    for _ in range(300):
        blocks = np.exp(0.4 * rng.standard_normal((t, d))) * [1e9, 1e-9]
        values = recipe.draw(blocks, charges, SimulatedNoise(rng))
        found[bool((np.abs(np.log(values / [1e9, 1e-9])) < 3).all())] += 1
    assert found[False] <= 4  # P(more | 1 in 1000) < 1e-4
