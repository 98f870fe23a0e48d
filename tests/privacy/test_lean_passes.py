"""Passes that reuse memory, or look at a part, give the same bits as the formulas they stand for."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from tests.privacy.exact.kit import tape
from workbench.estimators import two_step
from workbench.estimators.base import FARTHEST, standardised, univariate
from workbench.estimators.shared import window_median
from workbench.estimators.shared.rows import BITS
from workbench.estimators.shared.window_median import EVERYTHING, Pieces, WindowMedian, rounded
from workbench.estimators.two_step import clipped_mean
from workbench.privacy import ApproxDP, PureDP, SimulatedNoise, exact
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
    left, right, stretch = rounded(np.array([locator.left, locator.right, locator.stretch]), locator.step)
    starts, ends = points - right, points + left
    middles = np.concatenate([points[: n // 2] - stretch, points[n // 2 :] + stretch])
    events = np.clip(np.concatenate([starts, middles, ends]), -EVERYTHING, EVERYTHING)
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
@pytest.mark.parametrize("stretch", [0.0, 0.3])
def test_pieces_of_the_window_median(name, reach, stretch):
    ends = {} if reach is None else {"low": -reach, "high": reach}
    locator = WindowMedian(left=4.2, right=1.9, stretch=stretch, **ends)
    found, wanted = locator.pieces(COLUMNS[name]), plain_pieces(locator, COLUMNS[name])
    assert same_bits(found.edges, wanted.edges)
    assert same_bits(found.twice, wanted.twice)
    assert same_bits(found.void, wanted.void)
    assert same_bits(found.log_length(), plain_log_length(wanted))


MANY = RNG.standard_normal(2500)
BANDS = {
    "normal": MANY,
    "absent": np.where(RNG.random(2500) < 0.1, np.nan, MANY),
    "ties": np.round(MANY, 1),
    "integers": np.round(MANY),
    "far left": np.where(RNG.random(2500) < 0.2, -np.inf, MANY),
    "zeros": np.where(RNG.random(2500) < 0.6, 0.0, MANY),
    "wide": RNG.uniform(-90, 90, 2500),
    "a far place": 1e6 + np.where(RNG.random(2500) < 0.05, np.nan, np.where(MANY < 0, 0.0, MANY)),
}
LOCATORS = [
    WindowMedian(left=4.0, right=3.0, low=-50.0, high=2e6),
    WindowMedian(left=4.0, right=3.0),
    WindowMedian(left=1e-9, right=2e-9),
    WindowMedian(left=1e-9, right=2e-9, low=-5.0, high=5.0),
    WindowMedian(left=4.0, right=4.0, low=-0.01, high=0.02),  # ends inside a band
    WindowMedian(left=4.0, right=4.0, low=30.0, high=90.0),  # far from the median
    WindowMedian(left=1e17, right=1e17, low=-1e9, high=1e9),
]
LEVELS = (0.2, 1.0, 8.0)
WIDTHS = (12.0, -15.0)  # as it is, and so narrow a band that mostly it does not decide


class Whole(WindowMedian):
    """The same, and all pieces are looked at."""

    def near(self, points, cost):
        return None


def charged(locator, epsilon):
    return locator.charge("locate", PureDP(epsilon) if locator.low is not None else ApproxDP(epsilon, 1e-6))


@pytest.mark.parametrize("likely", WIDTHS)
@pytest.mark.parametrize("name", BANDS)
def test_a_band_draws_what_all_pieces_do_and_as_many_random_numbers(name, likely, monkeypatch):
    monkeypatch.setattr(window_median, "MANY", 0)
    monkeypatch.setattr(window_median, "LIKELY", likely)
    for locator, epsilon in product(LOCATORS, LEVELS):
        found, wanted = np.random.default_rng(3), np.random.default_rng(3)
        charge, whole = charged(locator, epsilon), Whole(**vars(replace(locator)))
        draws = [
            one.draw(BANDS[name], charge, SimulatedNoise(rng))
            for one, rng in ((locator, found), (whole, wanted))
        ]
        assert draws[0] == draws[1]
        assert found.random() == wanted.random()


@pytest.mark.parametrize("locator", LOCATORS[:2], ids=["with a range", "without"])
@pytest.mark.parametrize("name", ["normal", "absent", "ties", "integers"])
def test_rows_in_a_window_are_decided_in_a_band(name, locator, monkeypatch):
    monkeypatch.setattr(window_median, "MANY", 0)
    monkeypatch.delattr(WindowMedian, "pieces")
    noise = SimulatedNoise(np.random.default_rng(1))
    assert abs(locator.draw(BANDS[name], charged(locator, 1.0), noise)) < 0.5


class Shown:
    """A source that keeps what it is asked to choose from."""

    def choice(self, scores, sensitivity, scale, weights):
        self.asked = scores, scale, weights
        return 0

    def below(self, count):
        return 0


def next_to_boundaries(whole):
    """First bits of a uniform variable just beside boundaries between pieces, and others."""
    sums = np.cumsum(exact._bounds(whole)[0][1])
    shares = np.unique((sums / sums[-1]).round(12))
    for share in shares[(shares > 0.01) & (shares < 0.99)][::5].tolist()[:20]:
        edge = int(sums[np.searchsorted(sums, (share - 1e-12) * sums[-1])] / sums[-1] * 2**64)
        yield from (edge - 2**28, edge + 2**28)
    yield from map(int, np.random.default_rng(4).integers(0, 2**64, 5, np.uint64))


SECURE = {
    "usual": (1.0, 1e-6, LOCATORS[:2], 12.0),
    "bands that leave out a billionth": (1.0, 1e-6, LOCATORS[:2], 0.0),
    "hardly private": (1e4, 1e-6, LOCATORS[:2], 12.0),
    "a bottom beyond all floats": (1.0, 1e-300, [WindowMedian(left=1e9, right=1e9)], -14.0),
}


@pytest.mark.parametrize("case", SECURE)
def test_a_secure_choice_from_a_band_is_that_of_the_same_bits_from_all_pieces(case, monkeypatch):
    epsilon, delta, locators, likely = SECURE[case]
    monkeypatch.setattr(window_median, "MANY", 0)
    monkeypatch.setattr(window_median, "LIKELY", likely)
    noise, decided = Shown(), 0
    for name, locator in product(("absent", "normal"), locators):
        cost = PureDP(epsilon) if locator.low is not None else ApproxDP(epsilon, delta)
        locator.draw(BANDS[name], locator.charge("locate", cost), noise)
        scores, scale, weights = noise.asked
        rate, band = 0.5 / scale, scores.band
        whole = exact.pieces(scores.counts, rate, weights.whole)
        assert exact.near(exact.pieces(band.counts, rate, band.weights), 0, band) is None
        for top in next_to_boundaries(whole):
            vars(scores).pop("whole", None)
            fed = [tape(top << 128 | 12345, 64 + 128, 64) for _ in range(2)]
            assert exact.choose_near(scores, rate, weights, fed[0]) == exact.chosen(whole, fed[1])
            decided += "whole" not in vars(scores)
    assert decided > 20 or likely < 12 or epsilon > 1


def test_a_design_of_likely_shares_and_clips_is_that_of_all(monkeypatch):
    recipes = [
        (two_step.WindowMean(radius), n, budget)
        for n in (30, 10**5)
        for radius, budget in ((100.0, PureDP(0.1)), (3.0, PureDP(2.0)), (None, ApproxDP(1.0, 1e-6)))
    ]
    found = [two_step._design.__wrapped__(*one) for one in recipes]
    everything = list(product(two_step.SHARES, two_step.CLIPS))
    monkeypatch.setattr(two_step, "_likely", lambda *_: everything)
    assert found == [two_step._design.__wrapped__(*one) for one in recipes]


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
