"""Noise that lifts a count to a height: on the same bits that of a full draw."""

from math import sqrt

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from tests.privacy.exact.kit import size_above
from workbench.privacy import ZCDP, ApproxDP, SecureNoise, exact
from workbench.privacy.exact import FIRST
from workbench.privacy.histograms import stability_charge, stability_histogram, stability_threshold

ROWS = 60_000
CASES = (  # of zeros, lone rows, more of them, and counts at and above what has to be reached
    (exact.Normal(2.0**25 + 0.5), 2**24, 11 * 2.0**24 + 0.37),
    (exact.Normal(3.7), 1, 9.0),
    (exact.Normal(0.3), 1, 2.5),
    (exact.DiscreteLaplace(2.25), 1, 14.0),
    (exact.DiscreteLaplace(40.0), 1, 200.5),
)
COUNTS = (0, 0, 0, 1, 1, 2, 5, 8, 12, 30, 400)


class Heard:
    """A source of bytes that keeps what it gave."""

    def __init__(self, seed):
        self.bytes, self.given = np.random.default_rng(seed).bytes, []

    def __call__(self, count):
        self.given.append(self.bytes(count))
        return self.given[-1]


def nothing(count):
    return bytes(count)


def most(law, top, sign):
    """The largest noise of a sign and the first 15 bits: that of U = top/2^15, or 0."""
    return 0 if sign else exact.by_balls(law, int(top) << (63 - FIRST), nothing)


@pytest.mark.parametrize(("law", "unit", "least"), CASES)
def test_on_the_same_bits_the_same_counts_reach_it_with_the_same_noise(law, unit, least):
    heard, counts = Heard(1), unit * np.random.default_rng(2).choice(COUNTS, ROWS)
    places, noise = exact.reaching(law, counts, least, heard)
    words = np.frombuffer(heard.given[0], "<u2").astype(np.uint64)
    tops, minus = words >> np.uint64(1), (words & np.uint64(1)).astype(bool)
    rest = np.frombuffer(heard.given[1], "<u8") >> np.uint64(16)
    for place, one, more in zip(places[:4000], noise[:4000], rest[:4000], strict=True):
        full = exact.by_balls(law, int(tops[place]) << 48 | int(more), heard)
        assert one == (-full if minus[place] else full)
    early = np.setdiff1d(np.arange(ROWS), places)
    pairs = {(int(counts[i]), int(tops[i]), bool(minus[i])) for i in early[:20_000]}
    assert all(count + most(law, top, sign) < least for count, top, sign in pairs)
    assert len(heard.given[0]) == 2 * ROWS
    assert len(places) < 0.75 * ROWS


@pytest.mark.parametrize("law", [law for law, *_ in CASES])
def test_a_draw_is_settled_where_no_bits_that_may_follow_reach_what_is_needed(law):
    tops = np.array([*range(1, 40), *range(40, 2**FIRST, 911), 2**FIRST - 1], np.uint16)
    largest = np.array([most(law, top, False) for top in tops], float)
    plus, minus = np.zeros(len(tops), bool), np.ones(len(tops), bool)
    assert exact.settled(law, tops, plus, largest + 0.5).all()
    assert not exact.settled(law, tops, plus, largest - 0.5).any()
    assert exact.settled(law, tops, minus, np.full(len(tops), 0.5)).all()
    assert not exact.settled(law, tops, minus, np.full(len(tops), -0.5)).any()
    assert not exact.settled(law, np.zeros(1, np.uint16), plus[:1], np.array([2.0**40 + 0.5])).any()


@pytest.mark.parametrize("kind", [exact.Normal, exact.DiscreteLaplace])
@pytest.mark.parametrize("top", [1, 2, 77, 5000])
def test_a_tail_that_floats_put_too_low_settles_nothing(kind, top):
    """U = top/2^15 barely below the tail, which floats put a relative 2^-41 too low, as they may."""

    class Low(kind):
        def tail(self, x):
            return super().tail(x) * (1 - 2.0**-41)

    place, u = 300.5, mpf(top) / 2**FIRST
    with mpmath.workdps(40):
        low, high = place / 40, place * 10
        while high - low > place * 2.0**-60 and low < (low + high) / 2 < high:
            middle = (low + high) / 2
            low, high = (low, middle) if size_above(kind(middle), place) > u else (middle, high)
        assert u < size_above(kind(high), place) < u * (1 + mpf(2) ** -43)
    law = Low(high)
    tops = np.array([top], np.uint16)
    assert not exact.settled(law, tops, np.array([False]), np.array([place])).any()
    assert exact.settled(kind(high * (1 - 2.0**-30)), tops, np.array([False]), np.array([place])).all()


@pytest.mark.parametrize("least", [-np.inf, 2.0**60, -(2.0**60)])
def test_where_floats_are_too_coarse_every_draw_is_ended(least):
    counts = np.array([0, 1, 2**60, 2**55 + 1])
    places, _ = exact.reaching(exact.Normal(2.0**20), counts, least)
    assert places.tolist() == [0, 1, 2, 3]


def rows_that_show(count, cost, bins=4000):
    keys = np.repeat(np.arange(bins), count)
    return len(stability_histogram(keys, stability_charge("bins", cost), SecureNoise()))


@pytest.mark.parametrize("cost", [ZCDP(0.5, 0.2), ApproxDP(0.2, 0.2), ZCDP(2.0, 0.01)])
def test_lone_rows_show_as_often_as_they_may(cost):
    shown, delta = rows_that_show(1, cost), cost.delta
    assert 0.9 * delta * 4000 - 5.5 * sqrt(4000 * delta) < shown < delta * 4000 + 5.5 * sqrt(4000 * delta)


@pytest.mark.parametrize("cost", [ZCDP(0.5, 0.2), ApproxDP(0.2, 0.2)])
def test_counts_above_the_threshold_show_with_noise_of_both_signs(cost):
    count = int(stability_threshold(cost))
    assert abs(rows_that_show(count, cost) / 4000 - 0.5) < 0.1
    keys = np.repeat(np.arange(2000), 100 * count)
    found = stability_histogram(keys, stability_charge("bins", cost), SecureNoise())
    below = sum(value < 100 * count for value in found.values())
    assert len(found) == 2000
    assert abs(below / 2000 - 0.5) < 0.1
