"""Robust oracles: laws of quadratic forms, tails and their excess, filters, small groups; mutants."""

import numpy as np
import pytest
from scipy.stats import binomtest, chi2

from tests.estimators.streams import rng
from workbench.bounds.corruption import mean_limit, mean_unit, scale_distance, scale_limit, unit
from workbench.chapters.any_gaussian.runs.robust_table import lowered
from workbench.estimators.covariance.filter_nonprivate import FilterNonprivateCovariance
from workbench.estimators.mean.filter_nonprivate import FilterNonprivateMean
from workbench.estimators.parts.oracles import directions, tail_excess, tail_filter
from workbench.estimators.parts.oracles.mean_filter import (
    filtered_mean,
    mean_weights,
    weighted_median,
)
from workbench.estimators.parts.oracles.quadratic_form import (
    above_mean,
    matrix_of,
    products,
    upper_tail,
    vector_of,
)
from workbench.estimators.parts.oracles.shaving import removable
from workbench.estimators.parts.oracles.tail_filter import filter_weights, filtered_moment
from workbench.estimators.parts.oracles.variance_filter import simple_mean, simple_moment
from workbench.estimators.parts.robust_votes.m_estimators import constants, location_means, scatter_factors
from workbench.estimators.parts.rows import of_groups
from workbench.estimators.parts.votes.covariances import Groups
from workbench.populations.corruption import COVARIANCE_ATTACKS, HELD_OUT_ATTACKS
from workbench.populations.corruption.family import Recipe

ATTACKS = {adversary.name: adversary for adversary in (*COVARIANCE_ATTACKS, *HELD_OUT_ATTACKS)}
SPECTRA = (
    (1.0,),
    (0.5**0.5, 0.5**0.5),
    (0.5**0.5, -(0.5**0.5)),
    (1.0, 0.0, 0.0),
    (0.8, 0.6, 0.0),
    (0.8, -0.6, 0.0),
    tuple([8**-0.5] * 8),
    (0.9, -0.2, -0.2, -0.2, -0.2),
)


def simulated(spectrum, draws=10**6):
    g = rng(3).standard_normal((draws, len(spectrum)))
    return (g * g) @ np.array(spectrum)


def error(moment, corruption):
    return np.linalg.norm(moment - np.eye(len(moment))) / unit(corruption)


def attacked(name, n, d, corruption, seed=1):
    source = rng((seed, n, d))
    return ATTACKS[name].corrupt(source.standard_normal((n, d)), corruption, rng=source)


def mean_error(name, n, d, corruption, runs=3):
    rows = [attacked(name, n, d, corruption, seed) for seed in range(runs)]
    return np.mean([error(filtered_moment(x, corruption), corruption) for x in rows])


@pytest.mark.daily
@pytest.mark.parametrize("spectrum", SPECTRA)
def test_tails_are_those_of_simulated_forms(spectrum):
    values = np.sort(simulated(spectrum))
    for sign in (1.0, -1.0):
        x, tail = upper_tail(sign * np.array(spectrum))
        assert (np.diff(x) > 0).all()
        seen = 1 - np.searchsorted(np.sort(sign * values), x) / len(values)
        known = (tail <= 0.3) & (seen > 2e-3)
        assert known.sum() >= 3
        assert (np.abs(tail[known] / seen[known] - 1) < 0.15).all()


@pytest.mark.parametrize("spectrum", SPECTRA)
def test_the_share_above_the_mean_is_that_of_simulated_forms(spectrum):
    assert abs(above_mean(np.array(spectrum)) - (simulated(spectrum) >= sum(spectrum)).mean()) < 0.003


def test_products_have_covariance_identity_and_stand_for_forms():
    y = rng().standard_normal((200_000, 3))
    z = products(y)
    assert np.abs(z.T @ z / len(z) - np.eye(6)).max() < 0.05
    u = vector_of(np.diag([1.0, -2.0, 0.5]) + np.ones((3, 3)))
    u /= np.linalg.norm(u)
    shape = matrix_of(u, 3)
    assert np.linalg.norm(shape) == pytest.approx(1)
    form = np.einsum("ni,ij,nj->n", y[:50], shape, y[:50])
    assert np.allclose(form, np.sqrt(2) * (z[:50] @ u) + np.trace(shape))


def test_the_reference_finds_the_scale_of_the_clean_rows():
    y = rng().standard_normal((200_000, 1)) / np.sqrt(1.3)  # whitened by a moment that is 1.3 times too large
    values = (y * y)[:, 0]
    found = tail_excess.reference(values, np.ones(len(y)), np.ones(1))
    assert found[0] == pytest.approx(1 / 1.3, abs=0.06)


@pytest.mark.daily
def test_clean_rows_are_left_as_they_are():
    runs = [(1, 400, 0.05, 300), (2, 400, 0.1, 150), (5, 2500, 0.1, 15)]
    touched = sum(
        filter_weights(rng((7, d, run)).standard_normal((n, d)), share).min() < 1
        for d, n, share, count in runs
        for run in range(count)
    )
    total = sum(run[-1] for run in runs)
    assert binomtest(touched, total, 0.01, "greater").pvalue > 1e-6


@pytest.mark.daily
def test_the_test_of_clean_rows_refuses_the_normal_share_above_the_mean(monkeypatch):
    monkeypatch.setattr(tail_excess, "above_mean", edgeworth)
    touched = sum(
        filter_weights(rng((7, 2, run)).standard_normal((400, 2)), 0.1).min() < 1 for run in range(150)
    )
    assert binomtest(touched, 150, 0.01, "greater").pvalue < 1e-6


def edgeworth(spectrum):
    """The share above the mean by the skewness alone."""
    skewness = 8 * (spectrum**3).sum() / (2 * (spectrum**2).sum()) ** 1.5
    return 0.5 - skewness / (6 * np.sqrt(2 * np.pi)) - 0.04 * (spectrum.min() < 0)


def test_the_filter_is_equivariant_and_deterministic():
    x = attacked("plane", 3000, 3, 0.05)
    shape = np.linalg.qr(rng(5).standard_normal((3, 3)))[0] * [1.0, 30.0, 1e3]
    plain, mapped = filtered_moment(x, 0.05), filtered_moment(x @ shape.T, 0.05)
    assert np.allclose(np.linalg.solve(shape, np.linalg.solve(shape, mapped).T), plain, rtol=0, atol=1e-8)
    assert filtered_moment(x, 0.05).tobytes() == plain.tobytes()


@pytest.mark.parametrize("name", [adversary.name for adversary in COVARIANCE_ATTACKS])
def test_errors_on_named_attacks(name):
    for d, corruption, n in ((2, 0.1, 8000), (5, 0.05, 10_000)):
        assert mean_error(name, n, d, corruption, 1) <= 2.4


@pytest.mark.parametrize("name", [adversary.name for adversary in HELD_OUT_ATTACKS])
def test_errors_on_attacks_that_no_constant_was_chosen_on(name):
    for d, corruption, n in ((2, 0.1, 8000), (5, 0.05, 10_000)):
        x = attacked(name, n, d, corruption)
        plain = error(x.T @ x / n, corruption)
        assert error(filtered_moment(x, corruption), corruption) <= max(1.1 * plain, 0.7)


def test_zeros_and_planted_rows_cost_less_than_without_a_filter():
    for name in ("zeros", "planted", "plane", "wide", "uniform"):
        x = attacked(name, 8000, 2, 0.1)
        assert error(filtered_moment(x, 0.1), 0.1) < 0.6 * error(x.T @ x / len(x), 0.1), name


def kurtosis_neutral(n, d, corruption, seed=1):
    """Rows moved to ±r along an axis, 3(1 + ξr²)² = 3 + ξr⁴: fourth moments stay normal."""
    r = np.sqrt(6 / (1 - 3 * corruption))
    source = rng(seed)
    x = source.standard_normal((n, d))
    lowest = np.argsort(np.abs(x[:, 0]))[: int(corruption * n)]
    x[lowest, 0] = r * source.choice([-1, 1], len(lowest))
    return x


def test_an_attack_that_keeps_fourth_moments_is_seen():
    x = kurtosis_neutral(20_000, 5, 0.1)
    assert error(filtered_moment(x, 0.1), 0.1) < 2.6
    assert error(x.T @ x / len(x), 0.1) > 3


def test_without_the_pointing_directions_it_is_not_seen(monkeypatch):
    monkeypatch.setattr(directions, "_pointing", lambda y, weights: [])
    assert error(filtered_moment(kurtosis_neutral(20_000, 5, 0.1), 0.1), 0.1) > 3


def test_without_the_left_tail_zeros_stay(monkeypatch):
    x = attacked("zeros", 8000, 2, 0.1)
    right = error(filtered_moment(x, 0.1), 0.1)
    original = tail_filter.upper_tail
    monkeypatch.setattr(tail_filter, "upper_tail", lambda spectrum: _right_only(original, spectrum))
    assert error(filtered_moment(x, 0.1), 0.1) > 2 * right


def _right_only(original, spectrum):
    """A null tail that nothing exceeds, for the left tail."""
    x, tail = original(spectrum)
    return (x, tail) if spectrum.sum() >= 0 else (x + 1e9, tail)


HIDDEN = Recipe(rank=1, chosen="smallest", radius=2.8, jitter=0.5)


def hidden_error():
    """The mean error under rows that inflate the moment and hide inside it."""
    found = []
    for seed in range(6):
        source = rng(seed)
        x = HIDDEN.adversary.corrupt(source.standard_normal((4000, 1)), 0.1, rng=source)
        found.append(error(filtered_moment(x, 0.1), 0.1))
    return np.mean(found)


def test_the_reference_sees_rows_that_hide_in_the_moment_they_inflate(monkeypatch):
    right = hidden_error()
    monkeypatch.setattr(tail_filter, "reference", lambda values, weights, spectrum: spectrum)
    assert right < 2.4 < 2.8 < hidden_error()


def test_a_start_from_the_trimmed_scatter_would_cut_clean_tails(monkeypatch):
    x = rng().standard_normal((2500, 5))
    assert filter_weights(x, 0.1).min() == 1

    def trimmed(rows, corruption):
        squares = (rows * rows).sum(axis=1)
        return (squares < np.quantile(squares, 1 - corruption)).astype(float)

    monkeypatch.setattr(tail_filter, "start", trimmed)
    assert error(filtered_moment(x, 0.1), 0.1) > 1.5 * error(x.T @ x / len(x), 0.1)


def test_a_filter_stops_before_it_removes_too_much():
    x = rng().standard_normal((2000, 2))
    x[:900] = 3.0
    weights = filter_weights(x, 0.05)
    assert len(x) - weights.sum() <= 1.2 * removable(len(x), 0.05)


@pytest.mark.parametrize("calibration", ["tight", "paper"])
def test_rows_without_a_frame_have_a_moment_all_the_same(calibration):
    for x in (np.zeros((30, 2)), np.ones((30, 2)), np.full((30, 2), 1e100), 1e-160 * np.ones((30, 3))):
        value = FilterNonprivateCovariance(corruption=0.05, centred=True, calibration=calibration)(x).value
        assert np.isfinite(value).all()
        assert np.isfinite(
            FilterNonprivateMean(corruption=0.05, calibration=calibration, sigma=1.0)(x).value
        ).all()


def test_a_filter_without_corruption_is_the_plain_estimate():
    x = rng().standard_normal((200, 3))
    x[0] = 1e6
    assert np.allclose(filtered_moment(x, 0.0), x.T @ x / len(x))
    assert np.allclose(simple_moment(x, 0.0), x.T @ x / len(x))
    assert np.allclose(filtered_mean(x, 0.0), x.mean(axis=0))
    assert np.allclose(simple_mean(x, 0.0), x.mean(axis=0))


@pytest.mark.parametrize(("d", "n", "corruption"), [(1, 4000, 0.05), (5, 10_000, 0.1)])
@pytest.mark.parametrize("radius", [1.5, 3.0, 1e3])
def test_the_mean_filter_errs_by_the_unit(d, n, corruption, radius):
    x = lowered(rng(4).standard_normal((n, d)), int(corruption * n), radius)
    found = np.linalg.norm(filtered_mean(x, corruption))
    plain = np.linalg.norm(x.mean(axis=0))
    assert found <= min(2.7 * mean_unit(corruption), 1.1 * plain)
    assert np.linalg.norm(simple_mean(x, corruption)) <= max(3.5 * mean_unit(corruption), 0)


def test_clean_rows_keep_their_mean():
    assert all(mean_weights(rng(seed).standard_normal((4000, 2)), 0.05).min() == 1 for seed in range(30))


def test_weighted_median():
    assert weighted_median(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 5.0])) == 2.0


def test_the_limits_are_the_least_distances():
    assert scale_limit(0.1) == pytest.approx(0.396, abs=1e-3)
    assert mean_limit(0.1) == pytest.approx(0.2533, abs=1e-4)
    grid = np.linspace(-12, 12, 200_001)
    first, second = np.exp(-grid * grid / 2), np.exp(-grid * grid / 8) / 2
    assert scale_distance(2.0) == pytest.approx(np.abs(first - second).sum() * 1.2e-4 / 5.0133, rel=1e-3)


def test_small_groups_are_consistent_at_normal_rows():
    for d in (1, 3):
        factors = scatter_factors(rng().standard_normal((20, 20_000, d)))
        moments = np.swapaxes(factors, 1, 2) @ factors
        assert np.abs(moments.mean(axis=0) - np.eye(d)).max() < 0.01
        known = constants(d)
        draws = chi2.rvs(d, size=400_000, random_state=1)
        assert np.minimum(draws, known.cap).mean() / d == pytest.approx(known.bias, abs=0.01)


def test_a_row_however_far_moves_a_group_by_a_bounded_amount():
    block = rng(2).standard_normal((1, 40, 2))
    found = []
    for radius in (1e2, 1e6, 1e12):
        block[0, 0] = radius * np.array([0.6, 0.8])
        factors = scatter_factors(block)[0]
        found.append(factors.T @ factors)
    assert np.abs(found[0] - found[2]).max() < 0.02 * np.linalg.norm(found[0])
    assert np.linalg.eigvalsh(found[2])[-1] < 3


def test_small_groups_are_equivariant():
    block, shape = rng(2).standard_normal((5, 40, 3)), np.diag([1e-4, 1.0, 1e4]) + np.tri(3, k=-1)
    plain, mapped = (np.swapaxes(f, 1, 2) @ f for f in map(scatter_factors, (block, block @ shape.T)))
    assert np.allclose(mapped, shape @ plain @ shape.T, rtol=1e-6)


HOSTILE = (0.0, 1e100, -1e100, 1e-160, 1.0, 1e8)


def robust_groups(rows, size):
    """The groups of `size` consecutive rows each, by their robust second moments."""
    return Groups.of(of_groups(rows, size, scatter_factors))


def group_means(rows, size):
    """The robust means of groups of `size` consecutive rows."""
    return of_groups(rows, size, location_means)


@pytest.mark.parametrize("d", [1, 2, 4])
def test_what_a_group_says_depends_on_its_own_rows_alone(d):
    size, source = 24, rng(6)
    x = source.standard_normal((40 * size, d))
    before, means = robust_groups(x, size), group_means(x, size)
    for value in HOSTILE:
        for count in (1, size):
            y = x.copy()
            y[7 * size : 7 * size + count] = value
            after = robust_groups(y, size)
            others = np.arange(40) != 7
            assert after.factors[others].tobytes() == before.factors[others].tobytes()
            assert (after.usable[others] == before.usable[others]).all()
            assert group_means(y, size)[others].tobytes() == means[others].tobytes()
            moved = np.abs(after.friends(2.0) - before.friends(2.0))
            assert moved.sum() <= 2 * 39
            assert moved[others].max() <= 1


def test_groups_without_a_factor_are_alone():
    x = rng().standard_normal((40 * 24, 2))
    x[: 10 * 24, 1] = 0.0
    x[10 * 24 : 11 * 24] = 1e100
    groups = robust_groups(x, 24)
    assert not groups.usable[:11].any()
    assert (groups.friends(2.5)[:11] == 1).all()
    assert np.median(groups.friends(2.5)[11:]) > 15


def test_a_location_resists_almost_half_of_a_group():
    blocks = rng(8).standard_normal((200, 21, 3))
    blocks[:, :9] = 1e9
    assert np.abs(location_means(blocks)).max() < 5
    assert np.abs(location_means(blocks + 1e3) - 1e3).max() < 5


def test_a_recipe_replaces_as_many_rows_as_it_may():
    x = rng().standard_normal((500, 3))
    for chosen in ("random", "largest", "smallest"):
        for rank in (0, 1, 2):
            y = Recipe(rank=rank, chosen=chosen, outside="zero").adversary.corrupt(x, 0.1, rng=rng(2))
            assert (x != y).any(axis=1).sum() == 50


@pytest.mark.parametrize("name", list(ATTACKS))
def test_an_attack_replaces_at_most_its_share_and_leaves_the_rows_of_its_caller(name):
    x = rng().standard_normal((200, 3))
    kept = x.copy()
    y = ATTACKS[name].corrupt(x, 0.1, rng=rng(2))
    assert (x == kept).all()
    assert 0 < (x != y).any(axis=1).sum() <= 20
