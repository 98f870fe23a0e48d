"""Filters keep neighbours neighbours: exhaustively on small cases, and the mistakes that do not."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement, pairwise, product

import numpy as np
import pytest

from workbench.estimators.parts.filters.removal import Score, left_after, tail_set

Rule = Callable[[np.ndarray, np.ndarray, np.ndarray, int | None, float], np.ndarray]


def right(tau: np.ndarray, kept: np.ndarray, y: np.ndarray, k: int | None, cut: float) -> np.ndarray:
    return left_after(tau, kept, tail_set(tau, kept, k, y), cut)


def tied(tau: np.ndarray, kept: np.ndarray, y: np.ndarray, k: int | None, cut: float) -> np.ndarray:
    """The mistake: every row whose score is at least the k-th largest."""
    left = np.sort(tau[kept])
    level = left[max(0, len(left) - k)] if k and len(left) else np.inf
    return left_after(tau, kept, kept & (tau >= level), cut)


def independent(tau: np.ndarray, kept: np.ndarray, y: np.ndarray, k: int | None, cut: float) -> np.ndarray:
    """The mistake: a threshold of its own for every row, from numbers that both data sets share."""
    cuts = cut * np.random.default_rng(len(y)).permutation(np.linspace(0.2, 2.0, len(y)))
    return left_after(tau, kept, tail_set(tau, kept, k, y), cuts)  # type: ignore[arg-type]


def apart(y: np.ndarray, kept: np.ndarray, other: np.ndarray, kept_too: np.ndarray) -> int:
    """How many rows one multiset has that the other has not; the larger of both."""
    one, two = (Counter(map(tuple, rows[mask])) for rows, mask in ((y, kept), (other, kept_too)))
    return max((one - two).total(), (two - one).total())


def small_cases() -> Iterator[tuple[np.ndarray, np.ndarray, int, list[float]]]:
    """All pairs of five numbers from a short list that differ in one, tail sizes, and three thresholds."""
    values = (-2.0, -1.0, 0.0, 1.0, 2.0)  # τ = y²: ties between different rows
    for rest in combinations_with_replacement(values, 4):
        for first, second in product(values, values):
            if first < second:
                y, other = (np.array([value, *rest])[:, None] for value in (first, second))
                for k in (1, 2, 3):
                    yield y, other, k, [4.0, 1.0, 0.5]


def farthest(rule: Rule) -> int:
    """The largest distance after any of three passes, each with another centre and threshold."""
    worst = 0
    for y, other, k, cuts in small_cases():
        kept, kept_too = np.ones(len(y), bool), np.ones(len(y), bool)
        for centre, cut in zip((0.0, 1.0, -0.5), cuts, strict=True):
            score = Score(np.array([centre]), np.eye(1))
            kept = rule(score.of(y), kept, y, k, cut)
            kept_too = rule(score.of(other), kept_too, other, k, cut)
            worst = max(worst, apart(y, kept, other, kept_too))
    return worst


@pytest.mark.daily
def test_the_filter_never_drives_small_neighbours_apart() -> None:
    assert farthest(right) == 1


@pytest.mark.daily
@pytest.mark.parametrize("rule", [tied, independent])
def test_the_search_finds_each_mistake(rule: Rule) -> None:
    assert farthest(rule) > 1


@pytest.mark.daily
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("k", [None, 3])
def test_random_neighbours_with_many_ties_stay_neighbours(d: int, k: int | None) -> None:
    rng = np.random.default_rng(d)
    for _ in range(800):
        n = int(rng.integers(4, 14))
        y = rng.integers(-2, 3, (n, d)).astype(float)
        other = y.copy()
        other[rng.integers(n)] = rng.integers(-2, 3, d)
        kept, kept_too = np.ones(n, bool), np.ones(n, bool)
        for _ in range(4):
            score = Score(rng.integers(-1, 2, d).astype(float), rng.integers(0, 2, (d, d)).astype(float))
            cut = float(rng.uniform() * 12)
            tails = [tail_set(score.of(x), left, k, x) for x, left in ((y, kept), (other, kept_too))]
            assert apart(y, tails[0], other, tails[1]) <= 1
            kept, kept_too = (
                right(score.of(y), kept, y, k, cut),
                right(score.of(other), kept_too, other, k, cut),
            )
            assert apart(y, kept, other, kept_too) <= 1


def by_definition(tau: np.ndarray, kept: np.ndarray, y: np.ndarray, k: int) -> np.ndarray:
    """The first k rows in the order of LKKO21 Definition C.1, by sorting all of them."""
    rows = sorted(np.flatnonzero(kept), key=lambda i: (-tau[i], *(-y[i]), i))
    mask = np.zeros(len(y), bool)
    mask[rows[:k]] = True
    return mask


def test_the_tail_is_that_of_the_definition() -> None:
    rng = np.random.default_rng(2)
    for _ in range(400):
        n, d = int(rng.integers(1, 15)), int(rng.integers(1, 4))
        y = rng.integers(-1, 2, (n, d)).astype(float)
        tau, kept, k = (y**2).sum(axis=1), rng.random(n) < 0.8, int(rng.integers(0, n + 2))
        assert (tail_set(tau, kept, k, y) == by_definition(tau, kept, y, k)).all()


def test_the_tail_does_not_depend_on_the_order_of_the_rows() -> None:
    rng = np.random.default_rng(3)
    for _ in range(100):
        y = rng.integers(-1, 2, (12, 2)).astype(float)
        order = rng.permutation(12)
        tails = [tail_set((x**2).sum(axis=1), np.ones(12, bool), 4, x) for x in (y, y[order])]
        assert Counter(map(tuple, y[tails[0]])) == Counter(map(tuple, y[order][tails[1]]))


def test_a_larger_threshold_removes_no_more_rows() -> None:
    rng = np.random.default_rng(4)
    y = rng.standard_normal((300, 3))
    tau, kept = (y**2).sum(axis=1), np.ones(300, bool)
    left = [right(tau, kept, y, 30, cut) for cut in (0.0, 1.0, 5.0, 9.0, 50.0)]
    assert left[0].sum() == 270
    assert all((fewer <= more).all() for fewer, more in pairwise(left))


def test_a_score_does_not_depend_on_which_rows_are_near() -> None:
    rng = np.random.default_rng(5)
    y, score = rng.standard_normal((70_000, 3)), Score(np.ones(3), rng.standard_normal((3, 3)))
    other = y.copy()
    other[0] = 100.0
    assert np.array_equal(score.of(y)[1:], score.of(other)[1:])
