"""Choices: exact probabilities, from weights of any size; what floats decide; huge gaps; many pieces.

The tests of laws have the level 1e-6 and reject a rate that is 10 % too large or too small.
"""

import time
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf
from scipy.stats import chi2

from tests.privacy.exact.kit import FALSE_ALARM, tape
from workbench.errors import ArgumentError
from workbench.estimators.shared import window_median as lattice
from workbench.privacy import exact

MANY = 30_000
HUGE = 10**60
CASES = {
    "scores": ([-4, 0, 3, 3, -11], 0.25, None, None),
    "weights": ([-4, 0, 3, 3, -11], 0.25, [7, 0, 1, 2, 90], None),
    "huge weights": ([10**20, 10**20 - 3], 0.5, [3 * HUGE, 10 * HUGE], None),
    "weights that make up for scores": ([0, -400], 0.5, [1, int(mpmath.floor(mpmath.exp(200)))], None),
    "a base": ([1, 2, 3, 4], -0.5, None, [0.0, -np.inf, 1.5, -0.75]),
    "a base and weights": (np.array([1, 2, 3]), 0.5, np.array([5, 1, 3]), [0.0, 3.0, 300.0 - 300.0]),
    "no rate": ([5, -5, 0], 0.0, [1, 2, 3], None),
}


def probabilities(scores, rate, weights=None, log_base=None):
    """By mpmath, at its present precision."""
    weights = [1] * len(scores) if weights is None else weights
    log_base = [0] * len(scores) if log_base is None else log_base
    top = max(int(s) for s in scores)
    masses = [
        int(w) * mpmath.exp(mpf(rate) * (int(s) - top) + mpf(float(b)))
        for s, w, b in zip(scores, weights, log_base, strict=True)
    ]
    total = mpmath.fsum(masses)
    return [mass / total for mass in masses]


def by_pearson(case, counts):
    expected = sum(counts) * np.array(probabilities(*case)).astype(float)
    keep = expected > 0
    if counts[~keep].any():
        return 0.0
    return float(chi2.sf(((counts - expected)[keep] ** 2 / expected[keep]).sum(), keep.sum() - 1))


@pytest.mark.daily
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_index_has_its_probability(case):
    rng, these = np.random.default_rng(5), exact.pieces(*case)
    counts = np.bincount([exact.chosen(these, rng.bytes) for _ in range(MANY)], minlength=len(case[0]))
    assert by_pearson(case, counts) >= FALSE_ALARM


@pytest.mark.daily
@pytest.mark.parametrize("factor", [1.1, 1 / 1.1])
@pytest.mark.parametrize("name", ["scores", "weights that make up for scores"])
def test_a_rate_that_is_wrong_by_a_tenth_is_seen(name, factor):
    scores, rate, *rest = CASES[name]
    rng, these = np.random.default_rng(5), exact.pieces(scores, rate * factor, *rest)
    counts = np.bincount([exact.chosen(these, rng.bytes) for _ in range(MANY)], minlength=len(scores))
    assert by_pearson(CASES[name], counts) < FALSE_ALARM


def truth(case, top, bits):
    """The index at which the distribution function passes every U that begins with these bits, or None."""
    with mpmath.workdps(200):
        sums = [mpmath.fsum(probabilities(*case)[: i + 1]) for i in range(len(case[0]))]
        low, high = mpf(top) / 2**bits, mpf(top + 1) / 2**bits
        place = next(i for i, total in enumerate(sums) if total > low)
        return place if high <= sums[place] or place == len(sums) - 1 else None


@pytest.mark.parametrize("offset", [-16, 16])
@pytest.mark.parametrize("name", [name for name in CASES if name != "no rate"])
def test_next_to_a_boundary_all_bits_that_are_needed_decide(name, offset):
    case, bits = CASES[name], 64 + 2 * 128
    with mpmath.workdps(200):
        sums = [mpmath.fsum(probabilities(*case)[: i + 1]) for i in range(len(case[0]))]
        tops = [int(total * 2**bits) for total in sums if 0 < total < 1 - mpf(2) ** -64]
    assert tops
    for top in tops:
        fed = tape(top + offset, bits, 64)
        assert exact.chosen(exact.pieces(*case), fed) == truth(case, top + offset, bits)
        assert fed.place == len(fed.content)


@pytest.mark.parametrize(("bits_of_zero", "index"), [(90, 1), (110, 0)])
def test_an_index_of_probability_far_below_floats_is_found_where_it_is(bits_of_zero, index):
    """e^-70 = 2^-100.99: U = 2^-120 chooses it, U = 2^-91 does not."""
    bits = 64 + 128
    fed = tape(2 ** (bits - bits_of_zero), bits, 64)
    assert exact.chosen(exact.pieces([-70, 0], 1.0), fed) == index


def test_a_huge_gap_leaves_one_index():
    for gap in (10**3, 10**9, 10**30, 10**400):
        assert {exact.choose([-gap, 0, -gap], 1.0, [HUGE, 1, 10**300]) for _ in range(20)} == {1}
        assert {exact.choose([gap, -gap], -1.0) for _ in range(20)} == {1}


integers = st.integers(-(10**6), 10**6) | st.integers(-(2**70), 2**70)
weights = st.integers(0, 5) | st.integers(0, 2**200)


@pytest.mark.daily
@settings(max_examples=300)
@given(
    st.lists(st.tuples(integers, weights), min_size=1, max_size=12).filter(
        lambda some: any(w for _, w in some)
    ),
    st.floats(-3, 3) | st.floats(-1e-15, 1e-15),
    st.integers(0, 2**64 - 1),
)
def test_what_floats_decide_balls_decide_alike(some, rate, top):
    scores, sizes = zip(*some, strict=True)
    these = exact.pieces(scores, rate, sizes)
    found = exact.chosen_by_floats(these, top)
    if found is not None:
        assert exact.chosen_by_balls(these, top, 64) == found
        assert these.numbers[found] == truth((scores, rate, sizes), top, 64)


def test_floats_decide_nearly_always_and_never_at_a_boundary():
    rng = np.random.default_rng(8)
    scores = rng.integers(-2000, 0, 3000)
    these, tops = exact.pieces(scores, 0.01), rng.integers(0, 2**63, 200)
    assert all(exact.chosen_by_floats(these, 2 * int(top)) is not None for top in tops)
    sums = np.cumsum(np.exp(0.01 * scores))
    for place in range(0, 3000, 50):
        edge = int(sums[place] / sums[-1] * 2**64)
        assert exact.chosen_by_floats(these, edge) is None
        assert exact.chosen_by_balls(these, edge + 2**20, 64) == place + 1
        assert exact.chosen_by_balls(these, edge - 2**20, 64) == place


def test_a_hundred_thousand_pieces_take_less_than_a_tenth_of_a_second():
    rng = np.random.default_rng(9)
    scores = -np.abs(rng.integers(-50_000, 50_000, 100_000))
    lengths = [int(one) << 40 for one in rng.integers(0, 2**40, 100_000)]
    spent = []
    for _ in range(5):
        start = time.process_time()
        exact.choose(scores, 1e-3, lengths)
        spent.append(time.process_time() - start)
    assert min(spent) < 0.1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0.5, 1.0], 1.0), "scores"),
        (([True, "a"], 1.0), "scores"),
        (([1, 2], float("nan")), "rate"),
        (([1, 2], 1.0, [1]), "weights"),
        (([1, 2], 1.0, [1, -1]), "weights"),
        (([1, 2], 1.0, [0, 0]), "something to choose"),
        (([], 1.0), "something to choose"),
        (([1, 2], 1.0, [1.5, 1.0]), "weights"),
        (([1, 2], 1.0, None, [0.0]), "log_base"),
        (([1, 2], 1.0, None, [0.0, np.inf]), "log_base"),
        (([1, 2], 1.0, None, [0.0, np.nan]), "log_base"),
    ],
)
def test_wrong_arguments_are_named(arguments, words):
    with pytest.raises(ArgumentError, match=words):
        exact.choose(*arguments)


def lengths(rng, places, reach):
    """Lengths between floats that are near one another or far apart, with a bottom; some are 0 or void."""
    step = lattice.step_for(1.0)
    near = rng.choice([-1.0, 1.0], places) * reach ** rng.uniform(-1, 1, places)
    edges = np.sort(lattice.rounded(np.concatenate([near, near[::3], np.nextafter(near[::4], np.inf)]), step))
    void = rng.random(len(edges) - 1) < 0.1
    return lattice.Lengths(edges, void, step, int(rng.integers(1, 2**62)) << 60)


@pytest.mark.parametrize("reach", [1.5, 1e9, 1e15])
def test_lengths_known_as_floats_choose_what_whole_numbers_do(reach):
    """On the same bits, among them those at boundaries, where whole numbers decide."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        weights = lengths(rng, 20, reach)
        scores = rng.integers(-8, 0, len(weights.counts))
        lazy, whole = exact.pieces(scores, 0.7, weights), exact.pieces(scores, 0.7, weights.counts)
        assert lazy.numbers.tolist() == whole.numbers.tolist()
        masses = [int(w) * mpmath.exp(mpf(0.7) * int(s)) for w, s in zip(weights.counts, scores, strict=True)]
        bits = 64 + 128
        with mpmath.workdps(90):
            total = mpmath.fsum(masses)
            ends = [int(mpmath.fsum(masses[: i + 1]) / total * 2**bits) for i in range(len(masses) - 1)]
        near = [end + side * 2**by for end in ends for side in (-1, 1) for by in (8, 64, 150, 160)]
        for top in [*near, *(int.from_bytes(rng.bytes(24), "little") for _ in range(20))]:
            if 0 <= top < 2**bits:
                fed = [exact.chosen(one, tape(top, bits, 64)) for one in (lazy, whole)]
                assert fed[0] == fed[1]


def test_lengths_as_floats_are_as_near_as_the_proof_says():
    for seed, reach in ((1, 1.5), (2, 1e9), (3, 1e15)):
        weights = lengths(np.random.default_rng(seed), 300, reach)
        for one, count in zip(np.asarray(weights), weights.counts, strict=True):
            exact_one = Fraction(int(count)) * Fraction(weights.unit)
            assert abs(Fraction(float(one)) - exact_one) <= exact_one / 2**52


def test_weights_beyond_all_floats_are_whole_numbers():
    weights = lattice.Lengths(np.array([0.0, 1.0]), np.zeros(1, bool), 1.0, 10**400)
    assert exact.pieces([0, 0], 1.0, weights).whole is None
    assert exact.choose([0, 0], 1.0, weights) == 1
