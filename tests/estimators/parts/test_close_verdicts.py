"""Verdicts about two groups hang on the two alone: names of subspaces, and points of a far minority."""

import numpy as np
import pytest

from workbench.estimators.subspaces import GRID, Tokens
from workbench.estimators.votes import FARTHEST, NEAR, Points, margin

CELLS, LIMIT = 4, 2.0


def in_cells(tokens, cells):
    """Blocks of one direction each, whose projections differ by whole cells of the grid off the diagonal."""
    middle = (np.round(tokens.offsets[0, 1] / GRID) + 0.5) * GRID - tokens.offsets[0, 1]
    angles = np.arcsin(2 * (0.3 + middle + np.asarray(cells) * GRID)) / 2
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)[:, None, :] * np.ones((1, 3, 1))


@pytest.mark.parametrize("seed", range(3))
def test_a_block_that_moves_by_one_cell_changes_no_other_token(seed):
    tokens, cells = Tokens.drawn(2, np.random.default_rng(seed)), np.repeat(np.arange(CELLS), 2)
    names = tokens.of(in_cells(tokens, cells))
    assert len({*names}) >= CELLS
    for block in range(len(cells)):
        for step in (-1, 1):
            moved = cells.copy()
            moved[block] += step
            others = np.arange(len(cells)) != block
            after = tokens.of(in_cells(tokens, moved))
            assert (after[others] == names[others]).all()
            assert after[block] != names[block]


def far_minority(seed, k=1000):
    """Points round the origin, and a tenth of them nearly as far as points may be, some of them friends."""
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((k, 2))
    values[: k // 10] += 0.8 * FARTHEST * LIMIT * np.array([1.0, 0.5])
    return values


def exact_friends(values):
    """How many points are within the limit of each, from differences."""
    gaps = values[:, None] - values
    return (np.vecdot(gaps, gaps) <= LIMIT**2).sum(axis=1)


@pytest.mark.turns(3)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("place", [(0.0, 0.0), (0.8 * FARTHEST * LIMIT, 0.4 * FARTHEST * LIMIT), (-1e3, 1e3)])
def test_verdicts_of_a_far_minority_do_not_hang_on_the_other_points(seed, place):
    values = far_minority(seed)
    other = values.copy()
    other[-1] = place
    found = [Points(rows, LIMIT).friends(LIMIT) for rows in (values, other)]
    assert abs(int(found[0].sum()) - int(found[1].sum())) <= 2 * (len(values) - 1)
    assert np.abs(found[0][:-1] - found[1][:-1]).max() <= 1
    for rows, counts in zip((values, other), found, strict=True):
        assert counts.tolist() == exact_friends(rows).tolist()
    assert 1 < found[0][:100].min() <= found[0][:100].max() < 100  # friends and others


@pytest.mark.parametrize("d", [2, 300, 10**5])
def test_inner_products_of_many_entries_are_off_by_less_than_their_margin(d):
    """Points as far from each other's middle as products are trusted, and a distance of 1 apart."""
    rng = np.random.default_rng(d)
    around = rng.standard_normal((3, d))
    around *= NEAR / np.linalg.norm(around, axis=1)[:, None]
    around[1:] = around[0] + np.array([[0.6], [-0.8]]) * around[1:] / NEAR
    squares = np.vecdot(around, around)
    products = squares[:, None] - 2 * around @ around.T + squares
    gaps = around[:, None] - around
    assert np.abs(products - np.vecdot(gaps, gaps)).max() <= margin(d) / 4
    assert 4 * NEAR**2 * d * np.finfo(float).eps / 2 < margin(d)
