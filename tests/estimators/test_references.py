"""Filters without privacy: laws of quadratic forms, excesses, attacks, and each part left out."""

import numpy as np
import pytest
from scipy.stats import binomtest

from tests.estimators.robust_table import lowered
from tests.estimators.streams import rng
from workbench.bounds.corruption import mean_unit, unit
from workbench.estimators import references
from workbench.estimators.references import (
    FilterNonprivateCovariance,
    FilterNonprivateMean,
    above_mean,
    filter_weights,
    filtered_mean,
    filtered_moment,
    matrix_of,
    mean_weights,
    products,
    removable,
    simple_mean,
    simple_moment,
    upper_tail,
    vector_of,
    weighted_median,
)
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
    found = references.reference(values, np.ones(len(y)), np.ones(1))
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
    monkeypatch.setattr(references, "above_mean", edgeworth)
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
    monkeypatch.setattr(references, "pointing", lambda y, weights: [])
    assert error(filtered_moment(kurtosis_neutral(20_000, 5, 0.1), 0.1), 0.1) > 3


def test_without_the_left_tail_zeros_stay(monkeypatch):
    x = attacked("zeros", 8000, 2, 0.1)
    right = error(filtered_moment(x, 0.1), 0.1)
    original = references.upper_tail
    monkeypatch.setattr(references, "upper_tail", lambda spectrum: _right_only(original, spectrum))
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
    monkeypatch.setattr(references, "reference", lambda values, weights, spectrum: spectrum)
    assert right < 2.4 < 2.8 < hidden_error()


def test_a_start_from_the_trimmed_scatter_would_cut_clean_tails(monkeypatch):
    x = rng().standard_normal((2500, 5))
    assert filter_weights(x, 0.1).min() == 1

    def trimmed(rows, corruption):
        squares = (rows * rows).sum(axis=1)
        return (squares < np.quantile(squares, 1 - corruption)).astype(float)

    monkeypatch.setattr(references, "start", trimmed)
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
