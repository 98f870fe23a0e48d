"""AL22's constants: values of the literature, and that the lemmas are true."""

from math import exp, log, sqrt

import numpy as np
import pytest

from workbench.bounds import al22
from workbench.privacy.stable import square_delta


def test_groups_of_the_source():
    assert al22.fewest_groups(*al22.halved(1.0, 1e-6)) == 584
    epsilon, delta = al22.halved(1.0, 1e-6)
    assert 2 * epsilon == 1.0
    assert 4 * exp(epsilon) * delta == pytest.approx(1e-6)


@pytest.mark.parametrize(
    ("d", "gamma"), [(1, 1.78e-3), (2, 8.91e-4), (5, 3.56e-4), (10, 1.78e-4), (20, 8.91e-5)]
)
def test_lemma_5_1_holds_with_room(d, gamma):
    eta = 1 / (6 * sqrt(d))
    assert al22.mask_radius(eta, d, 0.5, 5e-7) == pytest.approx(gamma, rel=3e-3)
    assert al22.mask_radius(1e9, d, 100.0, 0.9) <= 1.0
    if d <= 2:
        assert square_delta(gamma, eta, d, 0.5) <= 5e-7
        assert square_delta(20 * gamma, eta, d, 0.5) > 5e-7


@pytest.mark.turns(4)
@pytest.mark.parametrize("d", [1, 3, 10])
def test_lemmas_on_concentration_hold_on_random_matrices(d):
    rng = np.random.default_rng(d)
    spectral, frobenius = al22.largest_mask(0.5, d, 0.1), al22.frobenius_mask(0.2, d, 0.1)
    assert al22.mask_error(spectral, d, 0.1) == pytest.approx(0.5)
    moved, entries, groups = [], [], []
    for _ in range(2000):
        g = rng.standard_normal((d, d))
        values = np.linalg.svd(np.eye(d) + spectral * g, compute_uv=False) ** 2
        moved.append(max(values[0], 1 / values[-1]) - 1)
        one = np.eye(d) + frobenius * g
        entries.append(np.linalg.norm(one @ one.T - np.eye(d)))
        values = np.linalg.svd(rng.standard_normal((40 * d, d)), compute_uv=False) ** 2 / (40 * d)
        groups.append(max(values[0], 1 / values[-1]) - 1)
    assert np.mean(np.array(moved) > 0.5) < 0.1
    assert np.mean(np.array(entries) > 0.2) < 0.1
    assert np.mean(np.array(entries) > 0.05) > 0.1, "no bound that is far from true"
    assert np.mean(np.array(groups) > al22.group_error(40 * d, d, 0.1)) < 0.1


def test_the_explicit_size_of_theorem_5_4():
    sizes = [al22.preconditioner_rows(d, 1.0, 1e-6, 0.1) for d in (1, 5, 20)]
    assert 5e9 < sizes[0] < 1e10
    assert sizes == sorted(sizes)
    assert al22.preconditioner_rows(5, 0.5, 1e-6, 0.1) > 1.9 * sizes[1]


def test_lemma_7_2_is_the_classic_gaussian_mechanism():
    assert al22.mean_mask(0.5, 1.0, 0.1) == pytest.approx(0.5 * sqrt(2 * log(20)))
