"""Passes that reuse memory give the same bits as the formulas they stand for, on hostile rows too."""

import numpy as np
import pytest

from workbench.estimators.base import FARTHEST, standardised, univariate
from workbench.estimators.parts.integers import BITS
from workbench.estimators.parts.locate.clipping import clipped_mean
from workbench.estimators.parts.locate.lattice import rounded
from workbench.estimators.parts.locate.window_median import EVERYTHING, Pieces, WindowMedian
from workbench.privacy.grid import step_of

RNG = np.random.default_rng(11)
COLUMNS = {
    "normal": RNG.standard_normal(1000),
    "ties": np.repeat(RNG.integers(-3, 4, size=50), 7).astype(float),
    "far": np.array([FARTHEST, -FARTHEST, 0.0, -0.0, 5e-324, 1.0, 1.0 + 2**-52, -np.inf, -np.inf, 3.0]),
    "one": np.array([0.5]),
    "large": RNG.standard_normal(200_000) * 50,
}


def same_bits(first, second):
    return first.dtype == second.dtype and first.shape == second.shape and first.tobytes() == second.tobytes()


def plain_pieces(locator, points):
    """The score piece by piece: every quantity an array of its own, all whole numbers of 64 bits."""
    n, points = len(points), np.sort(rounded(points, locator.step))
    inside, none = np.isfinite(points).astype(np.int64), np.zeros(n, np.int64)
    left, right = rounded(np.array([locator.left, locator.right]), locator.step)
    starts, ends = points - right, points + left
    events = np.clip(np.concatenate([starts, points, ends]), -EVERYTHING, EVERYTHING)
    order = np.argsort(events, kind="stable")
    edges = events[order]
    in_window = np.cumsum(np.concatenate([inside, none, -inside])[order])
    to_left = np.cumsum(np.concatenate([none, none + 1, none])[order])
    if locator.low is None:
        in_window, to_left = in_window[:-1], to_left[:-1]
    else:
        edges = np.concatenate([[locator.low], np.clip(edges, locator.low, locator.high), [locator.high]])
        in_window, to_left = np.append(0, in_window), np.append(0, to_left)
    penalty = np.maximum(np.abs(n - 2 * to_left), 2 * (n - in_window))
    void = in_window == 0 if locator.low is None else np.zeros(len(penalty), bool)
    return Pieces(edges, penalty, void, n)


def plain_log_length(pieces):
    lengths = np.where(pieces.void, 0.0, np.diff(pieces.edges))
    with np.errstate(divide="ignore"):
        return np.where(lengths > 0, np.log(lengths), -np.inf)


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("reach", [None, 2.5, 1e6, FARTHEST])
def test_pieces_of_the_window_median(name, reach):
    ends = {} if reach is None else {"low": -reach, "high": reach}
    locator = WindowMedian(left=4.2, right=1.9, **ends)
    found, wanted = locator.pieces(COLUMNS[name]), plain_pieces(locator, COLUMNS[name])
    assert same_bits(found.edges, wanted.edges)
    assert same_bits(found.twice, wanted.twice)
    assert same_bits(found.void, wanted.void)
    assert same_bits(found.log_length(), plain_log_length(wanted))


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize(("centre", "sigma"), [(0.0, 1.0), (3.0, 0.7), (-1e9, 1e-9)])
def test_standardised_rows_and_their_clipped_mean(name, centre, sigma):
    rows = COLUMNS[name]
    kept = rows.copy()
    found = standardised(rows, centre, sigma)
    assert same_bits(found, np.clip((rows - centre) / sigma, -FARTHEST, FARTHEST))
    mean, rounding = np.clip(found - 0.25, -1.5, 1.5).mean(), step_of(1.5, BITS) / 2
    assert abs(float(clipped_mean(found, 0.25, 1.5)) - mean) <= rounding * (1 + 1e-6)
    assert same_bits(rows, kept)


@pytest.mark.parametrize(
    "rows",
    [np.array([1.0, np.nan, 3.0]), np.arange(3), np.ma.masked_equal([1.0, 2.0, 3.0], 2.0)],
    ids=["floats", "integers", "masked"],
)
def test_a_reader_owns_what_it_returns(rows):
    kept = np.array(rows)
    found = univariate(rows).values
    found[:] = 7.0
    assert np.array_equal(np.array(rows), kept, equal_nan=True)
    assert not np.shares_memory(found, np.asarray(rows))


def test_masked_entries_count_as_missing():
    found = univariate(np.ma.masked_equal([1.0, 2.0, 3.0], 2.0)).values
    assert np.array_equal(found, [1.0, np.nan, 3.0], equal_nan=True)
