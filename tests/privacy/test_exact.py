"""Exact integers have their distributions, bit for bit: floats decide as balls and 200 digits do."""

from fractions import Fraction
from itertools import product
from math import frexp

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mpf
from scipy.optimize import brentq
from scipy.special import ndtr

from tests.privacy import kit
from tests.privacy.kit import Tape, holds, law, size_above, tape
from workbench.estimators.shared import window_median as lattice
from workbench.estimators.shared.rows import FARTHEST, NEAREST
from workbench.privacy import exact
from workbench.privacy.exact import FIRST
from workbench.privacy.grid import UP, OnGrid, longest, on_grid, passed_no_more, step_of, widest

KINDS = (exact.Normal, exact.Laplace, exact.TruncatedLaplace, exact.Exponential, exact.DiscreteLaplace)


def drawn(what, shape):
    return exact.draw(what, (shape,), np.random.default_rng(0).bytes)


# Bit for bit

SCALES = (1.5, 40.25, 2.0**20 + 0.5, 2.0**40 + 0.25, 1e30)
PLACES = (0.0, 0.3, 1.0, 2.2, 9.0, 18.0)  # boundaries, in scales, down to U = 2^-237
BITS = 63 + 4 * 128
NEXT = 16  # units of the last bit: balls of the inverse normal tail are up to 8 times as wide as they need be


def boundaries(what):
    for k in {0, 1, 2, *(int(place * what.scale) for place in PLACES)}:
        with mpmath.workdps(240):
            top = int(mpmath.floor(size_above(what, mpf(k) + mpf(1) / 2) * 2**BITS))
        if top:  # none at a truncated law's bound
            yield k, top


def first(what, fed):
    return exact.draw(what, (1,), fed)[0]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("kind", KINDS)
def test_next_to_a_boundary_all_bits_that_are_needed_decide(kind, scale):
    decides_bit_by_bit(law(kind, scale))


def decides_bit_by_bit(what):
    for k, top in boundaries(what):
        for offset, answer in ((-NEXT, k + 1), (NEXT, k)):
            fed = tape(top + offset, BITS, 63)
            assert first(what, fed) == answer
            assert fed.place == len(fed.content)
            assert holds(what, answer, top + offset, BITS)


def test_where_it_may_pass_int64_an_integer_is_of_python():
    for scale, kind in ((2**50 - 1, np.int64), (2**50, object), (1e300, object)):
        assert drawn(exact.Normal(scale), 3).dtype == kind
    assert isinstance(drawn(exact.Normal(1e300), 3)[0], int)
    assert drawn(exact.TruncatedLaplace(2**80, 2**61), 4).dtype == np.int64


ASSUMED, LOWEST = 2.0**-41, 2.0**-21  # proofs/exact.md: relative error of a tail, and where
ROOM = 16  # by how much better the functions of this machine are at least


@pytest.mark.parametrize("scale", [1.5, 40.25, 2.0**20 + 0.5, 2.0**34])
@pytest.mark.parametrize("kind", KINDS)
def test_near_a_boundary_floats_decide_only_what_is_true(kind, scale):
    """Words at distances of 2^-63 to 2^-30 of a boundary, and in the tail."""
    what, places = law(kind, scale), [2**j for j in range(0, 34, 3)]
    tops = [top >> BITS - 63 for _, top in boundaries(what)]
    near = [min(max(top + side * j, 0), 2**63 - 1) for top, j, side in product(tops, places, (-1, 1))]
    tops = np.array([*near, *(2**j for j in range(63)), 0, 2**63 - 1], np.uint64)
    found, sure = exact.by_floats(what, tops)
    assert 0 < sure.sum() < len(tops)
    assert all(holds(what, int(k), int(top), 63) for k, top in zip(found[sure], tops[sure], strict=True))


@pytest.mark.turns(3)
@pytest.mark.parametrize("scale", [5e-3, 1.5, 40.25, 2.0**20 + 0.5, 2.0**40])
@pytest.mark.parametrize("kind", KINDS)
def test_float_tails_are_as_close_as_the_proof_assumes(kind, scale):
    what = law(kind, scale)
    places = np.unique(np.floor(np.linspace(0, 15, 300) * scale) + 0.5)
    with mpmath.workdps(40):
        for place, found in zip(places.tolist(), what.tail(places).tolist(), strict=True):
            right = size_above(what, mpf(place))
            assert abs(found - right) <= max(right, mpf(LOWEST)) * ASSUMED / ROOM


# Heights

ROWS = 60_000
HEIGHTS = (  # of zeros, lone rows, more of them, and counts at and above what has to be reached
    (exact.Normal(2.0**25 + 0.5), 2**24, 11 * 2.0**24 + 0.37),
    (exact.Normal(3.7), 1, 9.0),
    (exact.Normal(0.3), 1, 2.5),
    (exact.DiscreteLaplace(2.25), 1, 14.0),
    (exact.DiscreteLaplace(40.0), 1, 200.5),
)
COUNTS = (0, 0, 0, 1, 1, 2, 5, 8, 12, 30, 400)


def most(law, top, sign):
    return 0 if sign else exact.by_balls(law, int(top) << (63 - FIRST), bytes)


@pytest.mark.turns(4)
@pytest.mark.parametrize(("law", "unit", "least"), HEIGHTS)
def test_on_the_same_bits_the_same_counts_reach_it_with_the_same_noise(law, unit, least):
    heard, counts = kit.Recorded(1), unit * np.random.default_rng(2).choice(COUNTS, ROWS)
    places, noise = exact.reaching(law, counts, least, heard)
    words = np.frombuffer(heard.chunks[0], "<u2").astype(np.uint64)
    tops, minus = words >> np.uint64(1), (words & np.uint64(1)).astype(bool)
    rest = np.frombuffer(heard.chunks[1], "<u8") >> np.uint64(16)
    for place, one, more in zip(places[:4000], noise[:4000], rest[:4000], strict=True):
        full = exact.by_balls(law, int(tops[place]) << 48 | int(more), heard)
        assert one == (-full if minus[place] else full)
    early = np.setdiff1d(np.arange(ROWS), places)[:20_000]
    pairs = {*zip(counts[early].tolist(), tops[early].tolist(), minus[early].tolist(), strict=True)}
    assert all(count + most(law, top, sign) < least for count, top, sign in pairs)
    assert len(places) < 0.75 * ROWS


@pytest.mark.parametrize("law", [law for law, *_ in HEIGHTS])
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
        above = brentq(lambda scale: float(size_above(kind(scale), place) / u - 1), 7.5, 3005, xtol=1e-13)
        high = above * (1 + 2.0**-48)
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


def test_too_large_an_integer_is_drawn_again():
    assert exact.below(1, Tape(b"")) == 0
    assert exact.below(200, Tape(bytes([255, 200, 199]))) == 199
    assert exact.below(5, Tape(bytes([5 << 5, 7 << 5, 4 << 5]))) == 4  # the first three bits of a byte
    assert exact.below(10**40, Tape(b"\xff" * 17 + b"\0" * 17)) == 0


# Choices

HUGE = 10**60
CASES = {
    "scores": ([-4, 0, 3, 3, -11], 0.25, None),
    "weights": ([-4, 0, 3, 3, -11], 0.25, [7, 0, 1, 2, 90]),
    "huge weights": ([10**20, 10**20 - 3], 0.5, [3 * HUGE, 10 * HUGE]),
    "weights that make up for scores": ([0, -400], 0.5, [1, int(mpmath.floor(mpmath.exp(200)))]),
    "far below floats": ([-70, 0], 1.0, None),
    "no rate": ([5, -5, 0], 0.0, [1, 2, 3]),
}


def pieces(scores, rate, weights=None):
    held = None if weights is None else OnGrid(np.array(weights, object), 1.0)
    return exact.pieces(np.array(scores, object), rate, held)


def shares(scores, rate, weights=None):
    top, weights = max(map(int, scores)), weights or [1] * len(scores)
    masses = [w * mpmath.exp(mpf(rate) * (int(s) - top)) for w, s in zip(weights, scores, strict=True)]
    total = mpmath.fsum(masses)
    return [mpmath.fsum(masses[: i + 1]) / total for i in range(len(masses))]


@pytest.mark.parametrize("name", CASES)
def test_next_to_a_boundary_of_choices_all_bits_that_are_needed_decide(name):
    case, bits = CASES[name], 64 + 2 * 128
    with mpmath.workdps(200):
        ends = [int(share * 2**bits) for share in shares(*case)]
    inside = [end for end in ends if 0 < end < 2**bits - 2**256]
    assert inside
    for top in (end + offset for end in inside for offset in (-16, 16)):
        fed = tape(top, bits, 64)
        assert exact.chosen(pieces(*case), fed) == int(np.searchsorted(ends, top))
        assert fed.place == len(fed.content)


@pytest.mark.turns(3)
def test_floats_decide_nearly_always_and_never_at_a_boundary():
    rng = np.random.default_rng(8)
    scores = rng.integers(-2000, 0, 3000)
    these, tops = pieces(scores, 0.01), rng.integers(0, 2**63, 200)
    assert all(exact.proved(these, 2 * int(top)) is not None for top in tops)
    sums = np.cumsum(np.exp(0.01 * scores))
    for place in range(0, 3000, 50):
        edge = int(sums[place] / sums[-1] * 2**64)
        assert exact.proved(these, edge) is None
        assert exact.chosen_by_balls(these, edge + 2**20, 64) == place + 1
        assert exact.chosen_by_balls(these, edge - 2**20, 64) == place


def lengths(rng, places, reach):
    step = lattice.step_for(1.0)
    near = rng.choice([-1.0, 1.0], places) * reach ** rng.uniform(-1, 1, places)
    edges = np.sort(lattice.rounded(np.concatenate([near, near[::3], np.nextafter(near[::4], np.inf)]), step))
    void = rng.random(len(edges) - 1) < 0.1
    return lattice.Lengths(edges, void, step, int(rng.integers(1, 2**62)) << 60)


@pytest.mark.turns(4)
@pytest.mark.parametrize("reach", [1.5, 1e9, 1e15])
def test_lengths_known_as_floats_choose_what_whole_numbers_do(reach):
    """On the same bits, among them those at boundaries, where whole numbers decide."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        held = lengths(rng, 20, reach)
        scores = rng.integers(-8, 0, len(held.counts))
        lazy, whole = exact.pieces(scores, 0.7, held), pieces(scores, 0.7, held.counts.tolist())
        bits = 64 + 128
        with mpmath.workdps(90):
            ends = [int(share * 2**bits) for share in shares(scores, 0.7, held.counts.tolist())[:-1]]
        near = [end + side * 2**by for end in ends for side in (-1, 1) for by in (8, 64, 150, 160)]
        for top in [*near, *(int.from_bytes(rng.bytes(24), "little") for _ in range(20))]:
            if 0 <= top < 2**bits:
                fed = [exact.chosen(one, tape(top, bits, 64)) for one in (lazy, whole)]
                assert fed[0] == fed[1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_scale_far_below_the_grid_gives_zeros(kind):
    assert not any(drawn(law(kind, scale), 2000).any() for scale in (5e-324, 1e-3))


@pytest.mark.parametrize(("scale", "bound"), [(3.0, 0.25), (2.0, 5.5), (1e6, 3.5), (0.3, 0.75)])
def test_a_truncated_law_has_its_bound(scale, bound):
    """From a narrow one, through bounds on and between two integers, to one that is nearly uniform."""
    what = exact.TruncatedLaplace(scale, bound)
    assert np.abs(drawn(what, 10_000)).max() <= bound + 0.5
    decides_bit_by_bit(what)


# Whole numbers and a unit: what is on a grid, how its numbers are kept, how bounds are rounded.

radii = st.floats(NEAREST, FARTHEST)


@given(radii, st.sampled_from([18, 26]))
def test_a_radius_has_so_many_bits_and_lengths_are_the_largest_whole_numbers_within_it(radius, bits):
    step = step_of(radius, bits)
    ratio = Fraction(radius) / Fraction(step)
    assert 2 ** (bits - 1) < ratio <= 2**bits
    assert frexp(step)[0] == 0.5  # a power of two
    assert longest(radius, step) <= ratio**2 < longest(radius, step) + 1
    assert widest(radius, step) <= ratio < widest(radius, step) + 1


@pytest.mark.parametrize("value", [3, [1, 2], True, np.arange(3, dtype=np.int8), np.array([1, 2], np.uint64)])
def test_whole_numbers_are_on_the_grid_of_unit_1(value):
    found = on_grid(value)
    assert (found.unit, found.counts.dtype in (np.int64, object)) == (1.0, True)
    assert (np.asarray(found) == np.asarray(value)).all()
    assert on_grid(np.asarray(value, float)) is None  # not even floats that are whole


def test_a_statistic_keeps_its_counts_through_units_and_places():
    counts = np.array([[2**60 + 1, -5], [3, 0]])
    grid = OnGrid(counts, 0.25)
    for one in (grid * 2.0, np.float64(2.0) * grid, grid / 0.5):
        assert (one.unit, one.counts is counts) == (0.5, True)
    assert (float(grid[1, 0]), grid[0].counts.tolist()) == (0.75, [2**60 + 1, -5])
    many = OnGrid(np.array([[2**70]], object), 0.5).padded((0, 1))
    assert (many.plus(np.full((2, 2), 2**65, object)) == [[2**69 + 2**64, 2**64], [2**64, 2**64]]).all()
    with pytest.raises(TypeError):
        grid * np.array([1.0, 2.0])


@given(st.integers(-(2**62), 2**62), st.integers(0, 60))
def test_a_finer_grid_holds_the_same_number(count, bits):
    fine = OnGrid(np.array(count), 1.0).finer(bits)
    assert int(fine.counts) * Fraction(fine.unit) == count
    assert (fine.counts.dtype == np.int64) == (abs(count) << bits < 2**62)
    noise = 2**62 - 1 if count >= 0 else 1 - 2**62  # what leaves int64 least room
    assert int(fine.counts + np.array(noise)) == (count << bits) + noise


@given(st.floats(-8, 8), st.floats(0, 1), st.floats(1e-3, 1e3))
def test_exact_noise_passes_a_bound_no_more_often_than_ideal_noise_passes_its_margin(margin, unit, scale):
    bound = passed_no_more(margin * scale, unit)
    assert ndtr(-(bound - unit / 2) / (scale * UP)) <= ndtr(-margin) * (1 + 1e-15)
    assert bound - margin * scale <= unit + 1e-10 * abs(margin) * scale
