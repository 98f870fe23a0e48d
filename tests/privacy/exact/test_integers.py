"""Uniform integers and coins: every value equally often, from as many bits as they need; level 1e-6."""

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare

from tests.privacy.exact.kit import FALSE_ALARM, Tape
from workbench.errors import ArgumentError
from workbench.privacy import exact
from workbench.privacy.exact import integers

MANY = 40_000


@pytest.mark.parametrize("m", [2, 3, 10, 256, 257])
def test_every_integer_below_is_as_likely(m):
    rng = np.random.default_rng(1)
    counts = np.bincount([integers.below(m, rng.bytes) for _ in range(MANY)], minlength=m)
    assert len(counts) == m
    assert chisquare(counts).pvalue >= FALSE_ALARM


def test_remainders_instead_of_rejection_would_be_seen():
    rng = np.random.default_rng(1)
    counts = np.bincount(np.frombuffer(rng.bytes(MANY), np.uint8) % 100, minlength=100)
    assert chisquare(counts).pvalue < FALSE_ALARM


def test_too_large_an_integer_is_drawn_again():
    assert integers.below(1, Tape(b"")) == 0
    assert integers.below(200, Tape(bytes([255, 200, 199]))) == 199
    assert integers.below(5, Tape(bytes([5 << 5, 7 << 5, 4 << 5]))) == 4  # the first three bits of a byte
    wide = 10**40
    assert integers.below(wide, Tape(b"\xff" * 17 + b"\0" * 17)) == 0
    assert {exact.below(2**300) >> 290 > 2**10 for _ in range(20)} == {False}


def test_a_lattice_point_may_be_either_end():
    rng = np.random.default_rng(2)
    counts = np.bincount([integers.lattice(-2, 3, rng.bytes) + 2 for _ in range(MANY)])
    assert len(counts) == 6
    assert chisquare(counts).pvalue >= FALSE_ALARM
    assert exact.lattice(10**50, 10**50) == 10**50


@pytest.mark.parametrize("p", [0.1, 0.5, 2 / 3, 1e-3])
@pytest.mark.parametrize("factor", [1, 1.3, 1 / 1.3])
def test_a_coin_has_its_bias(p, factor):
    rng = np.random.default_rng(3)
    heads = sum(integers.bernoulli(p * factor, rng.bytes) for _ in range(MANY))
    alarm = binomtest(heads, MANY, p).pvalue < FALSE_ALARM
    assert alarm == (factor != 1 and p != 1e-3)  # 40 heads of 40 000 are too few to tell


def test_a_coin_is_of_exactly_its_float():
    half = 0.5 - 2.0**-54  # (2^53 - 1)/2^54
    for drawn, head in ((2**53 - 2, True), (2**53 - 1, False)):
        assert integers.bernoulli(half, Tape((drawn << 2).to_bytes(7, "little"))) is head
    assert exact.bernoulli(1.0)
    assert not exact.bernoulli(0.0)
    assert not exact.bernoulli(5e-324)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: exact.below(0), "m = 0"),
        (lambda: exact.below(2.5), "m = 2.5"),
        (lambda: exact.lattice(3, 2), "high = 2"),
        (lambda: exact.bernoulli(1.5), "p = 1.5"),
        (lambda: exact.bernoulli(float("nan")), "p = nan"),
    ],
)
def test_wrong_arguments_are_named(call, words):
    with pytest.raises(ArgumentError, match=words):
        call()
