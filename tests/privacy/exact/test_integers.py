"""Uniform integers: every value equally often, from as many bits as they need; level 1e-6."""

import numpy as np
import pytest
from scipy.stats import chisquare

from tests.privacy.exact.kit import FALSE_ALARM, Tape
from workbench.errors import ArgumentError
from workbench.privacy import exact

MANY = 40_000


@pytest.mark.parametrize("m", [2, 3, 10, 256, 257])
def test_every_integer_below_is_as_likely(m):
    rng = np.random.default_rng(1)
    counts = np.bincount([exact.below(m, rng.bytes) for _ in range(MANY)], minlength=m)
    assert len(counts) == m
    assert chisquare(counts).pvalue >= FALSE_ALARM


def test_remainders_instead_of_rejection_would_be_seen():
    rng = np.random.default_rng(1)
    counts = np.bincount(np.frombuffer(rng.bytes(MANY), np.uint8) % 100, minlength=100)
    assert chisquare(counts).pvalue < FALSE_ALARM


def test_too_large_an_integer_is_drawn_again():
    assert exact.below(1, Tape(b"")) == 0
    assert exact.below(200, Tape(bytes([255, 200, 199]))) == 199
    assert exact.below(5, Tape(bytes([5 << 5, 7 << 5, 4 << 5]))) == 4  # the first three bits of a byte
    wide = 10**40
    assert exact.below(wide, Tape(b"\xff" * 17 + b"\0" * 17)) == 0
    assert {exact.below(2**300) >> 290 > 2**10 for _ in range(20)} == {False}


@pytest.mark.parametrize("m", [0, 2.5])
def test_a_wrong_number_of_integers_is_named(m):
    with pytest.raises(ArgumentError, match=f"m = {m}"):
        exact.below(m)
