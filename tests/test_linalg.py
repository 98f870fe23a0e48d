"""Symmetric matrices and explicit tails: exact identities, and coverage at a stated level."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import binom

from workbench import linalg

matrices = st.integers(1, 5).flatmap(lambda d: arrays(float, (d, d), elements=st.floats(-1e6, 1e6)))
BETA, RUNS, FALSE_ALARM = 0.05, 2000, 1e-6


@given(matrices)
def test_psd_part_is_the_projection_on_the_cone(matrix):
    symmetric = linalg.symmetrised(matrix)
    part = linalg.psd_part(symmetric)
    scale = np.abs(symmetric).max() + 1e-300
    assert (part == part.T).all()
    assert np.linalg.eigvalsh(part)[0] >= -1e-9 * scale
    gap = part - symmetric  # Moreau: the rest is positive semidefinite, and orthogonal to the part
    assert np.linalg.eigvalsh(gap)[0] >= -1e-9 * scale
    assert abs((gap * part).sum()) <= 1e-7 * scale**2


def test_spectral_map_acts_on_eigenvalues_and_not_on_entries():
    matrix = np.array([[2.0, 1.0], [1.0, 2.0]])
    root = linalg.spectral_map(matrix, np.sqrt)
    np.testing.assert_allclose(root @ root, matrix, rtol=1e-14)
    assert abs(root - np.sqrt(matrix)).max() > 0.3


def share_above(values, bound):
    return int((np.asarray(values) > bound).sum())


@pytest.mark.parametrize("d", [1, 2, 10, 40])
def test_tails_cover_and_are_not_idle(d):
    rng, most = np.random.default_rng(d), binom.isf(FALSE_ALARM, RUNS, BETA)
    noise = np.array([symmetric(rng, d) for _ in range(RUNS)])
    for values, bound in (
        (np.linalg.norm(rng.standard_normal((RUNS, d)), axis=1), linalg.tail(d, BETA)),
        (np.abs(np.linalg.eigvalsh(noise)).max(axis=1), linalg.symmetric_noise_norm(d, BETA)),
        (np.linalg.norm(noise, axis=(1, 2)), linalg.symmetric_noise_frobenius(d, BETA)),
    ):
        assert share_above(values, bound) <= most < share_above(values, bound / 2.5)  # loose at d = 1


def symmetric(rng, d):
    matrix = rng.standard_normal((d, d))
    return (matrix + matrix.T) / 2


@pytest.mark.parametrize(("n", "d"), [(50, 1), (50, 5), (400, 20)])
def test_sample_covariance_excess_covers(n, d):
    rng = np.random.default_rng(n + d)
    excess = []
    for _ in range(RUNS // 4):
        x = rng.standard_normal((n, d))
        excess.append(np.abs(np.linalg.eigvalsh(linalg.second_moment(x) - np.eye(d))).max())
    most = binom.isf(FALSE_ALARM, RUNS // 4, BETA)
    bound = linalg.sample_covariance_excess(n, d, BETA)
    assert share_above(excess, bound) <= most
    assert share_above(excess, bound / 5) > most
