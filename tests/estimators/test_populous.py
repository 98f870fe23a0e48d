"""Votes of groups: friends, thresholds and averages of neighbours, oracles of all kinds."""

import warnings
from functools import partial
from math import log1p
from threading import Lock
from unittest.mock import patch

import numpy as np
import pytest

from tests.estimators.streams import rng
from workbench import MedianOfMeansMean, Populous
from workbench.errors import ArgumentError
from workbench.estimators import votes
from workbench.estimators.populous import SPACES, covariance_limits
from workbench.estimators.populous import asked as asking
from workbench.estimators.shared.rows import of_groups
from workbench.estimators.subspaces import GRID, Tokens
from workbench.estimators.votes import (
    FARTHEST,
    LARGEST,
    ROUNDING,
    SMALLEST,
    Groups,
    L1Points,
    Points,
    Vote,
    moment_factors,
)
from workbench.privacy import ApproxDP


def grouped(rows, size):
    """The groups of `size` consecutive rows each."""
    return Groups.of(of_groups(rows, size, moment_factors))


# Friends


def test_points_in_l1_are_usable_by_their_sum():
    assert L1Points(np.array([[0.6, 0.6], [0.4, 0.4]]) * FARTHEST, 1.0).usable.tolist() == [False, True]


@pytest.mark.parametrize(("kind", "order"), [(L1Points, 1), (Points, 2)])
def test_many_points_are_compared_piece_by_piece_near_and_far(kind, order):
    """A tenth of them nearly as far as points may be, a few farther; some of them friends."""
    values = rng(1).standard_normal((300, 3))
    values[:30] += 0.5 * FARTHEST * np.array([1.0, 0.5, 0.0])
    values[30:33] = 3 * FARTHEST
    close = np.linalg.norm(values[:, None] - values, order, axis=2) <= 2.0
    close[30:33], close[:, 30:33] = False, False
    with patch.object(votes, "PAIRS_AT_ONCE", 1000):
        found = kind(values, 2.0).friends(2.0)
    assert found.tolist() == (close | np.eye(300, dtype=bool)).sum(axis=1).tolist()
    assert 1 < np.median(found[:30]) < 30


# Votes and averages of neighbours


@pytest.mark.parametrize("vote", [Vote(40, 21, 30, 1400), Vote(200, 101, 150, 32_000)])
def test_weights_of_extreme_degrees_move_by_at_most_what_is_proved(vote):
    """Any degrees whose sum reaches the quorum, all within one of each other but for one point."""
    source, k, worst = rng(vote.k), vote.k, 0.0
    for trial in range(1000):
        near = int(source.integers(0, k))
        level = source.choice([vote.nobody, vote.nobody + 1, vote.everybody, vote.everybody + 1])
        friends = np.concatenate([np.full(near, level), np.full(k - near, k)])
        if trial % 3 == 0:
            friends = np.clip(friends + source.integers(-1, 2, k), 1, k)
        other = np.clip(friends - (friends < k) * (1 if trial % 2 else source.integers(0, 2, k)), 1, k)
        other[-1] = source.choice([1, k])
        if min(friends.sum(), other.sum()) < vote.quorum:
            continue
        u, v = (np.append(vote.weights(one), 0.0) for one in (friends, other))
        v[-2], v[-1] = 0.0, v[-2]  # the replaced point is another point
        worst = max(worst, k * np.maximum(u / u.sum() - v / v.sum(), 0).sum())
    assert 0.5 * vote.change < worst <= vote.change * (1 + 1e-12)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_averages_of_neighbours_are_as_close_as_is_proved(d):
    source, size, k = rng(d), d + 4, 60
    limit, worst = covariance_limits(d, size)[3], 0.0
    for _ in range(40):
        shape = source.standard_normal((d, d)) * 10.0 ** source.uniform(-3, 3, d)
        x = source.standard_normal((k * size, d)) @ shape
        y = x.copy()
        y[0] = source.choice([0.0, 30.0, 1e6]) * source.standard_normal(d) @ shape
        groups = [grouped(rows, size) for rows in (x, y)]
        friends = [one.friends(limit) for one in groups]
        quorum = min(int(min(one.sum() for one in friends)), k * k - 1)
        if quorum < 0.7 * k * k:
            continue
        vote = Vote(k, k // 2 + 1, min(k // 2 + 10, quorum // k - 1), quorum)
        root, other = (one.average(vote.weights(count)) for one, count in zip(groups, friends, strict=True))
        apart = 2 * np.abs(np.log(np.linalg.svd(np.linalg.solve(root, other), compute_uv=False))).max()
        worst = max(worst, apart / log1p(vote.change * vote.spread(limit * ROUNDING) / k))
    assert 0 < worst <= 1


def moved(made, points, rim):
    """The move of an average over Δ_h as a point at -ρ goes to ρ, where `rim` others are; 0 for no answer."""
    values, found = np.zeros((made.vote.k, 1)), []
    values[:rim] = 1.0
    for place in (-1.0, 1.0):
        values[rim] = place
        group = points(values)
        friends = group.friends(1.0)
        h = made.vote.count(friends, made.most)
        found.append((h, group.average(made.vote.weights(friends))[0] if h else 0.0))
    (h, at), (other, there) = found
    least = min(h, other)
    return abs(at - there) / (made.falls[least - 1] * made.distance) if least else 0.0


@pytest.mark.parametrize("space", ["l1", "l2"])
def test_an_average_moves_by_most_of_what_is_charged(space):
    """Points at one place, and some at the rim of their friends."""
    tried = Populous(oracle=mean, size=1, space=space, limit=1.0, dimension=1)
    made = tried.design(200, 1, ApproxDP(3.0, 1e-3))
    assert made.plan.mechanism == {"l1": "voted_laplace", "l2": "voted_gaussian"}[space]
    assert 0.9 < max(moved(made, SPACES[space].points, rim) for rim in range(100)) <= 1


# Oracles of all kinds


def mean(rows):
    return rows.mean(axis=0)


class Remembers:
    """Answers with the mean of all rows it has seen: what one group says hangs on those before it."""

    def __init__(self):
        self.seen = np.zeros((0, 2))

    def __call__(self, rows):
        self.seen = np.concatenate([self.seen, rows])
        return self.seen.mean(axis=0)


class Unreadable:
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("rows")


def greedy(rows):
    base = rows
    while base.base is not None:
        base = base.base
    return base.reshape(-1, rows.shape[-1]).mean(axis=0)


def overwriting(rows):
    np.seterr(all="raise")
    warnings.simplefilter("error")
    rows[:] = 1e9
    return rows.mean(axis=0)


def warning(rows):
    warnings.warn(f"row {rows[0]}", stacklevel=1)
    return rows.mean(axis=0) + np.log(-1.0)


ABSURD = [
    *(warning, lambda rows: exec("raise SystemExit(3)"), lambda rows: rows["row"], lambda rows: Unreadable()),
    *(lambda rows, answer=answer: answer for answer in (
        None, [np.inf, 0.0], np.zeros(3), np.zeros((2, 1)), [[1.0], [1.0, 2.0]], "mean", [1j, 1.0])),
]  # fmt: skip


def interrupted(rows):
    raise KeyboardInterrupt


def test_no_answer_is_no_number():
    for oracle in ABSURD:
        assert np.isnan(asking(oracle, (2,), None)(np.ones((3, 4, 2)))).all()
    with pytest.raises(KeyboardInterrupt):
        asking(interrupted, (2,), None)(np.zeros((1, 4, 2)))


def counting():
    """An oracle that keeps what it saw in variables around it, by another function, and calls itself."""
    seen, total = [], 0.0

    def keep(value):
        nonlocal total
        seen.append(value)
        total += value

    def oracle(rows):
        keep(rows.max())
        return rows.mean(axis=0) + sum(seen) + total if len(seen) > 3 else oracle(rows)

    return oracle


def collecting(rows, seen=[], *, more={}):  # noqa: B006
    """An oracle that keeps what it saw in its default values."""
    seen.append(rows.max())
    more[len(more)] = rows.max()
    return rows.mean(axis=0) + sum(seen) + sum(more.values())


def noting():
    """An oracle that keeps what it saw in an attribute of its own."""

    def oracle(rows):
        oracle.seen.append(rows.max())
        return rows.mean(axis=0) + sum(oracle.seen)

    oracle.seen = []
    return oracle


def drawing(rows, source):
    source.standard_normal(int(abs(rows[0, 0])) % 100)  # draws as many as its rows say
    return rows.mean(axis=0) + source.standard_normal(2)


ORACLES = [
    *(Remembers(), Remembers().__call__, greedy, overwriting),
    *(counting(), partial(counting()), collecting, noting(), drawing),
]


@pytest.mark.parametrize("oracle", ORACLES)
def test_what_a_group_answers_hangs_on_its_own_rows_alone(oracle):
    """Bit by bit, whatever stands in another group, before or after it; nor is a row or a setting changed."""
    blocks, state = 50.0 + rng(3).standard_normal((20, 4, 2)), np.geterr()

    def answer(rows):
        return asking(oracle, (2,), rng(1) if oracle is drawing else None)(rows)

    kept, before = blocks.copy(), answer(blocks)
    assert oracle is not drawing or len({*map(bytes, before)}) == 20
    for place in (0, 7, 19):
        for value in (0.0, -1e100, np.nan):
            other = blocks.copy()
            other[place] = value
            others = np.arange(20) != place
            with np.errstate(invalid="ignore"):
                assert answer(other)[others].tobytes() == before[others].tobytes()
    assert (blocks == kept).all()
    assert np.geterr() == state


# What is refused, tokens, and groups at the ends of floats


@pytest.mark.parametrize(("wrong", "argument"), [
    ({"size": 2.5}, "size"), ({"limit": None}, "limit"), ({"limit": -1.0}, "limit"),
    ({"space": "l3"}, "space"), ({"space": "l1", "mask": "gaussian"}, "mask"), ({"oracle": 3}, "oracle"),
    ({"oracle": (lambda lock: lambda rows: lock)(Lock())}, "oracle"), ({"dimension": 0}, "dimension"),
    ({"far": 0.0}, "far"), ({"beta": 1.0}, "beta"), ({"space": "thompson", "limit": 0.5}, "limit"),
    ({"space": "thompson", "limit": 101.0}, "limit"), ({"space": "exact"}, "limit"),
    ({"space": "exact", "limit": None, "far": 0.5}, "far"), ({"blocks": 4}, "blocks"),
])  # fmt: skip
def test_wrong_parameters_are_refused(wrong, argument):
    kind, right = Populous, {"oracle": mean, "size": 4, "limit": 2.5}
    if argument == "blocks":
        kind, right = MedianOfMeansMean, {"sigma": 1.0}
    with pytest.raises(ArgumentError, match=f"^{argument} = "):
        kind(**{**right, **wrong})


@pytest.mark.parametrize("wrong", [(7, 4, 5, 45), (20, 10, 15, 330), (20, 11, 11, 330), (20, 11, 17, 350)])
def test_votes_that_the_proof_does_not_cover_are_refused(wrong):
    with pytest.raises(ArgumentError):
        Vote(*wrong)


CELLS = 4


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


@pytest.mark.parametrize("d", [1, 2, 3, 10])
def test_the_smallest_and_the_largest_usable_groups_are_compared_without_an_exception(d):
    """The small ones with columns that nearly agree: condition nearly 1e5."""
    narrow = np.r_[np.ones((1, d)), 1.05e-5 * d * np.eye(d)[1:]]
    narrow /= np.linalg.norm(narrow, axis=0)
    small, large = (np.sqrt(d) * scale * frame for scale, frame in
                    ((1.01 * SMALLEST, narrow), (0.99 * LARGEST, np.eye(d))))  # fmt: skip
    groups = grouped(np.vstack([small, small, large] * 6), d)
    assert groups.usable.all()
    with np.errstate(all="ignore"):
        assert groups.friends(5.0).tolist() == [12, 12, 6] * 6
