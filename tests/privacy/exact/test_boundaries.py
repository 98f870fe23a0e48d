"""Uniform variables on, next to and far from every boundary, fed bit by bit: decided as at 200 digits."""

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from tests.privacy.exact.kit import holds, law, size_above, tape
from tests.privacy.exact.test_laws import KINDS
from workbench.privacy import exact

SCALES = (1.5, 40.25, 2.0**20 + 0.5, 2.0**40 + 0.25, 10**30 + 1)
PLACES = (0.0, 0.3, 1.0, 2.2)  # boundaries, in scales
BITS = 63 + 2 * 128
NEXT = 16  # units of the last bit: balls of the inverse normal tail are up to 8 times as wide as they need be


def boundaries(what):
    """The k ≥ 0 of boundaries k + ½, and the first bits of Q(k + ½) as an integer."""
    for place in PLACES:
        k = int(place * what.scale)
        with mpmath.workdps(200):
            top = int(mpmath.floor(size_above(what, mpf(k) + mpf(1) / 2) * 2**BITS))
        if top:  # none at a truncated law's bound
            yield k, top


def first(what, fed):
    return exact.draw(what, (1,), fed)[0]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("kind", KINDS)
def test_next_to_a_boundary_all_bits_that_are_needed_decide(kind, scale):
    what = law(kind, scale)
    for k, top in boundaries(what):
        for offset, answer in ((-NEXT, k + 1), (NEXT, k)):
            fed = tape(top + offset, BITS, 63)
            assert first(what, fed) == answer
            assert fed.place == len(fed.content)
            assert holds(what, answer, top + offset, BITS)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("kind", KINDS)
def test_on_a_boundary_more_bits_decide(kind, scale):
    what = law(kind, scale)
    for k, top in boundaries(what):
        for more, answer in ((0, k + 1), (2**128 - 1, k)):
            fed = tape(top << 128 | more, BITS + 128, 63)
            assert first(what, fed) == answer
            assert fed.place == len(fed.content)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.signed])
def test_the_last_bit_of_a_word_is_the_sign(kind):
    what = law(kind, 40.25)
    for k, top in boundaries(what):
        assert first(what, tape(top - NEXT, BITS, 63, sign=0)) == k + 1
        assert first(what, tape(top - NEXT, BITS, 63, sign=1)) == -k - 1


@pytest.mark.parametrize("zeros", [119, 300, 446])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("kind", KINDS)
def test_far_tails_are_those_of_200_digits(kind, scale, zeros):
    """U = 2^-120 and smaller."""
    what, bits = law(kind, scale), 63 + 8 * 128
    top = 2 ** (bits - zeros - 1)
    fed = tape(top, bits, 63)
    found = first(what, fed)
    seen = bits - 8 * (len(fed.content) - fed.place)
    assert holds(what, int(found), top >> (bits - seen), seen)


def test_where_it_may_pass_int64_an_integer_is_of_python():
    for scale, wide in ((2**40, False), (2**50 - 1, False), (2**50, True), (1e300, True)):
        draws = exact.draw(exact.Normal(scale), (3, 2), np.random.default_rng(0).bytes)
        assert draws.shape == (3, 2)
        assert draws.dtype == (object if wide else np.int64)
        assert all(isinstance(z, int) for z in draws.ravel().tolist())
    assert (
        exact.draw(exact.TruncatedLaplace(2**80, 2**61), 4, np.random.default_rng(0).bytes).dtype == np.int64
    )


def test_a_tail_that_nobody_will_see_is_no_overflow():
    fed = tape(2**63, 63 + 128 * 64, 63)  # U = 2^-8192, beyond 2^62 at a scale of int64
    draws = exact.draw(exact.Laplace(2.0**49.9), 1, fed)
    assert draws.dtype == object
    assert draws[0] > 2**62
