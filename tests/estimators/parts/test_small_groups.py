"""Small groups of rows, and the limits and attacks that robust estimators are measured by."""

import numpy as np
import pytest
from scipy.stats import chi2

from tests.estimators.streams import rng
from workbench.estimators.populous_robust import location_means, scatter_factors
from workbench.estimators.populous_robust import scatter_constants as constants
from workbench.estimators.shared.rows import of_groups
from workbench.estimators.votes import Groups


def test_small_groups_are_consistent_at_normal_rows():
    for d in (1, 3):
        factors = scatter_factors(rng().standard_normal((20, 20_000, d)))
        moments = np.swapaxes(factors, 1, 2) @ factors
        assert np.abs(moments.mean(axis=0) - np.eye(d)).max() < 0.01
        cap, bias = constants(d)
        draws = chi2.rvs(d, size=400_000, random_state=1)
        assert np.minimum(draws, cap).mean() / d == pytest.approx(bias, abs=0.01)


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


def test_a_location_resists_almost_half_of_a_group():
    blocks = rng(8).standard_normal((200, 21, 3))
    blocks[:, :9] = 1e9
    assert np.abs(location_means(blocks)).max() < 5
    assert np.abs(location_means(blocks + 1e3) - 1e3).max() < 5
