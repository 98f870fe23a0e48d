"""Filters without privacy: tails of quadratic forms, and each part left out. Attacks: the claims."""

import numpy as np
import pytest

from tests.estimators.robust_table import lowered
from tests.estimators.streams import rng
from workbench.bounds.limits import mean_unit
from workbench.estimators.references import (
    above_mean,
    filter_weights,
    filtered_mean,
    filtered_moment,
    removable,
    simple_mean,
    simple_moment,
    upper_tail,
)
from workbench.privacy.noise import uniform_basis

SPECTRA = (
    *((1.0,), (0.5**0.5, 0.5**0.5), (0.5**0.5, -(0.5**0.5)), (1.0, 0.0, 0.0), (0.8, 0.6, 0.0)),
    *((0.8, -0.6, 0.0), (8**-0.5,) * 8, (0.9, -0.2, -0.2, -0.2, -0.2)),
)


@pytest.mark.daily
@pytest.mark.parametrize("spectrum", SPECTRA)
def test_tails_and_the_share_above_the_mean_are_those_of_simulated_forms(spectrum):
    g = rng(3).standard_normal((10**6, len(spectrum)))
    values = np.sort((g * g) @ np.array(spectrum))
    assert abs(above_mean(np.array(spectrum)) - (values >= sum(spectrum)).mean()) < 0.003
    for sign in (1.0, -1.0):
        x, tail = upper_tail(sign * np.array(spectrum))
        assert (np.diff(x) > 0).all()
        seen = 1 - np.searchsorted(np.sort(sign * values), x) / len(values)
        known = (tail <= 0.3) & (seen > 2e-3)
        assert known.sum() >= 3
        assert (np.abs(tail[known] / seen[known] - 1) < 0.15).all()


def test_the_filter_is_equivariant():
    x = lowered(rng(9).standard_normal((3000, 3)), 150, 5.0)
    assert filter_weights(x, 0.05).min() < 1
    shape = uniform_basis(3, rng(5)) * [1.0, 30.0, 1e3]
    plain, mapped = filtered_moment(x, 0.05), filtered_moment(x @ shape.T, 0.05)
    assert np.allclose(np.linalg.solve(shape, np.linalg.solve(shape, mapped).T), plain, rtol=0, atol=1e-8)


def test_a_filter_stops_before_it_removes_too_much():
    x = rng().standard_normal((2000, 2))
    x[:900] = 3.0
    assert len(x) - filter_weights(x, 0.05).sum() <= 1.2 * removable(len(x), 0.05)


def test_a_filter_without_corruption_is_the_plain_estimate():
    x = rng().standard_normal((200, 3))
    x[0] = 1e6
    for moment, mean in ((filtered_moment, filtered_mean), (simple_moment, simple_mean)):
        assert np.allclose(moment(x, 0.0), x.T @ x / len(x))
        assert np.allclose(mean(x, 0.0), x.mean(axis=0))


@pytest.mark.parametrize(("d", "n", "corruption"), [(1, 4000, 0.05), (5, 10_000, 0.1)])
@pytest.mark.parametrize("radius", [1.5, 3.0, 1e3])
def test_the_mean_filter_errs_by_the_unit(d, n, corruption, radius):
    x = lowered(rng(4).standard_normal((n, d)), int(corruption * n), radius)
    most = min(2.7 * mean_unit(corruption), 1.1 * np.linalg.norm(x.mean(axis=0)))
    assert np.linalg.norm(filtered_mean(x, corruption)) <= most
    assert np.linalg.norm(simple_mean(x, corruption)) <= 3.5 * mean_unit(corruption)
