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
    assert abs((gap / scale * (part / scale)).sum()) <= 1e-7


def test_spectral_map_acts_on_eigenvalues_and_not_on_entries():
    matrix = np.array([[2.0, 1.0], [1.0, 2.0]])
    root = linalg.spectral_map(matrix, np.sqrt)
    np.testing.assert_allclose(root @ root, matrix, rtol=1e-14)
    assert abs(root - np.sqrt(matrix)).max() > 0.3


def norms(matrices):
    return np.abs(np.linalg.eigvalsh(matrices)).max(axis=1)


@pytest.mark.parametrize("d", [1, 2, 10, 40])
def test_tails_cover_and_are_not_idle(d):
    rng, most, n = np.random.default_rng(d), binom.isf(FALSE_ALARM, RUNS, BETA), 10 * d + 40
    noise = np.array([symmetric(rng, d) for _ in range(RUNS)])
    excess = [linalg.second_moment(rng.standard_normal((n, d))) - np.eye(d) for _ in range(RUNS)]
    for values, bound, loose in (  # at d = 1 the most
        (np.linalg.norm(rng.standard_normal((RUNS, d)), axis=1), linalg.tail(d, BETA), 2.5),
        (norms(noise), linalg.symmetric_noise_norm(d, BETA), 2.5),
        (np.linalg.norm(noise, axis=(1, 2)), linalg.symmetric_noise_frobenius(d, BETA), 2.5),
        (norms(excess), linalg.sample_covariance_excess(n, d, BETA), 5),
    ):
        assert (values > bound).sum() <= most < (values > bound / loose).sum()


def symmetric(rng, d):
    matrix = rng.standard_normal((d, d))
    return (matrix + matrix.T) / 2
