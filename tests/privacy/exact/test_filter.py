"""What floats decide is what balls decide; the error that the proof allows floats is never reached."""

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from tests.privacy.exact.kit import holds, law, size_above
from tests.privacy.exact.test_boundaries import boundaries
from tests.privacy.exact.test_laws import KINDS
from workbench.privacy import exact

DRAWS = 100_000
ASSUMED, LOWEST = 2.0**-41, 2.0**-21  # proofs/exact.md: relative error of a tail, and where
ROOM = 16  # by how much better the functions of this machine are at least


def no_more(count):
    raise AssertionError(f"{count * 8} more bits for a draw that 63 bits decide")


@pytest.mark.parametrize("scale", [3.7, 2.0**24])
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_bits_give_the_same_integers_without_floats(kind, scale):
    what, rng = law(kind, scale), np.random.default_rng(3)
    tops = np.frombuffer(rng.bytes(8 * DRAWS), "<u8") >> np.uint64(1)
    found, sure = exact.by_floats(what, tops)
    assert sure.mean() > 0.999
    assert found[sure].tolist() == [exact.by_balls(what, int(top), no_more) for top in tops[sure]]


@pytest.mark.parametrize("scale", [1.5, 40.25, 2.0**20 + 0.5, 2.0**34])
@pytest.mark.parametrize("kind", KINDS)
def test_near_a_boundary_floats_decide_only_what_is_true(kind, scale):
    """Words at distances of 2^-63 to 2^-30 of a boundary, and in the tail."""
    what, places = law(kind, scale), [2**j for j in range(0, 34, 3)]
    near = [
        max((top >> 256) + side * j, 0) for _, top in boundaries(what) for j in places for side in (-1, 1)
    ]
    tops = np.array([*near, *(2**j for j in range(63)), 0, 2**63 - 1], np.uint64)
    found, sure = exact.by_floats(what, tops)
    assert 0 < sure.sum() < len(tops)
    for k, top in zip(found[sure], tops[sure].tolist(), strict=True):
        assert holds(what, int(k), top, 63)


@pytest.mark.parametrize("scale", [5e-3, 1.5, 40.25, 2.0**20 + 0.5, 2.0**40])
@pytest.mark.parametrize("kind", KINDS)
def test_float_tails_are_as_close_as_the_proof_assumes(kind, scale):
    what = law(kind, scale)
    sizes = np.floor(np.linspace(-4 if not kind.signed else 0, 15, 400) * scale) + 0.5
    places = np.unique(sizes[sizes > 0])
    floats = what.tail(places)
    with mpmath.workdps(40):
        exact = [size_above(what, mpf(float(x))) for x in places]
        errors = [abs(mpf(float(q)) - p) / max(p, mpf(LOWEST)) for q, p in zip(floats, exact, strict=True)]
    assert max(errors) <= ASSUMED / ROOM
