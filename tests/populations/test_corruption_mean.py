"""Adversaries of a mean: what they may do, what they do, and what the clean rows would have given."""

from math import log, sqrt

import numpy as np
import pytest

from workbench.errors import ArgumentError
from workbench.populations.corruption import MEAN_ATTACKS, Adversary
from workbench.populations.corruption.mean import STOP

BY_NAME = {adversary.name: adversary for adversary in MEAN_ATTACKS}
SHARE = 0.05


def generator(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


EVERY = pytest.mark.parametrize("adversary", MEAN_ATTACKS, ids=list(BY_NAME))


def attacked(name: str, n: int, d: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    x = generator(seed).standard_normal((n, d))
    return x, BY_NAME[name].corrupt(x, SHARE, rng=generator(seed + 1))


@EVERY
@pytest.mark.parametrize("d", [1, 2, 7])
def test_an_adversary_replaces_its_share_of_the_rows_and_no_more(adversary: Adversary, d: int) -> None:
    x = generator(1).standard_normal((203, d))
    before = x.copy()
    y = adversary.corrupt(x, SHARE, rng=generator(2))
    changed = (x != y).any(axis=1).sum()
    assert np.array_equal(x, before)
    assert y.shape == x.shape
    assert np.isfinite(y).all()
    assert 5 <= changed <= int(SHARE * 203) == 10  # of ten copies of tail rows, some may land on themselves
    assert np.array_equal(y, adversary.corrupt(x, SHARE, rng=generator(2)))


@pytest.mark.parametrize("share", [-0.1, 0.5, float("nan")])
def test_a_share_that_is_none_is_refused(share: float) -> None:
    with pytest.raises(ArgumentError, match="corruption"):
        MEAN_ATTACKS[0].corrupt(np.zeros((3, 1)), share, rng=generator(1))


@pytest.mark.parametrize("direction", ["ones", "alternating", "axis", "random", "sparse"])
def test_planted_clusters_move_the_mean_by_the_same_length(direction: str) -> None:
    x, y = attacked(f"shift-{direction}", 2000, 8)
    assert np.linalg.norm((y - x).mean(axis=0)) == pytest.approx(SHARE * 1.5 * sqrt(8), rel=1e-12)


def test_the_cluster_under_the_threshold_leaves_an_excess_variance_just_below_it() -> None:
    _, y = attacked("under-threshold", 400_000, 3)
    limit = STOP * SHARE * log(1 / SHARE)
    excess = np.linalg.eigvalsh(np.cov(y.T))[-1] - 1
    assert 0.9 * limit < excess < limit  # five standard errors of a variance are .012, limit is .30


def test_the_tail_swap_moves_the_mean_and_keeps_the_covariance() -> None:
    _, y = attacked("tail-swap", 400_000, 3)
    assert np.linalg.norm(y.mean(axis=0)) == pytest.approx(0.206, abs=0.01)
    assert np.abs(np.linalg.eigvalsh(y.T @ y / len(y)) - 1).max() < 0.02


@pytest.mark.parametrize("d", [2, 10])
def test_matched_rows_have_the_lengths_of_those_they_replace(d: int) -> None:
    x, y = attacked("tail-matched", 2000, d)
    assert np.linalg.norm(y, axis=1) == pytest.approx(np.linalg.norm(x, axis=1), rel=1e-9)
    assert np.linalg.norm(y.mean(axis=0)) > 0.02


@pytest.mark.parametrize("name", ["half-sphere", "half-space", "one-sided"])
def test_one_sided_rows_lie_on_one_side(name: str) -> None:
    x, y = attacked(name, 2000, 4)
    assert (y[(x != y).any(axis=1)].sum(axis=1) >= 0).all()
