"""A released key tells nothing of the other rows: not the sign of a zero, not the bits of a NaN, no type."""

import struct

import numpy as np
import pytest

from workbench import ZCDP, ApproxDP, ArgumentError, PureDP
from workbench.privacy import SimulatedNoise
from workbench.privacy.histograms import (
    finite_histogram,
    histogram_charge,
    mode_charge,
    release_mode,
    stability_charge,
    stability_histogram,
    stable_mode,
)

N, APPROX = 400, ApproxDP(1.0, 1e-6)


def histogram(keys, noise, cost=APPROX):
    return list(stability_histogram(keys, stability_charge("keys", cost), noise))


RELEASES = {
    "histogram": histogram,
    "histogram, zCDP": lambda keys, noise: histogram(keys, noise, ZCDP(0.5, 1e-6)),
    "mode of a histogram": lambda keys, noise: [stable_mode(keys, stability_charge("keys", APPROX), noise)],
    "mode": lambda keys, noise: [release_mode(keys, mode_charge("keys", APPROX), noise)],
}
PAYLOAD = np.array([0xFFF8_0000_0000_0123], np.uint64).view(np.float64)[0]
SIGNALLING = np.array([0x7FF0_0000_0000_0001], np.uint64).view(np.float64)[0]


def released(release, keys, seed):
    """The keys that a run releases, with their types and, of a float, every bit."""
    found = RELEASES[release](keys, SimulatedNoise(np.random.default_rng(seed)))
    return [(type(key), struct.pack("<d", key) if isinstance(key, float) else key) for key in found]


def replaced(common, row, places):
    keys = np.full(N, common)
    keys[places] = row
    return keys


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("places", [[0], [N // 2], [N - 1], slice(0, N, 2)], ids=str)
@pytest.mark.parametrize(
    ("common", "row"),
    [(0.0, -0.0), (-0.0, 0.0), (np.nan, -np.nan), (np.nan, PAYLOAD), (PAYLOAD, np.nan), (np.nan, SIGNALLING)],
)
def test_equal_keys_are_released_in_one_form(release, places, common, row):
    with np.errstate(all="raise"):
        for seed in range(5):
            assert released(release, replaced(common, row, places), seed) == released(
                release, np.full(N, common), seed
            )


@pytest.mark.parametrize("release", RELEASES)
def test_rounded_rows_have_one_zero(release):
    rows = np.where(np.arange(N) == 0, -0.3, 0.3)
    assert released(release, np.round(rows), 0) == released(release, np.zeros(N), 0)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("row", [1, 2.5, 2**63, "a", None, True], ids=repr)
def test_a_list_is_refused_whatever_its_rows_are(release, row):
    with pytest.raises(ArgumentError, match="keys = 'list': expected a numpy array") as raised:
        released(release, [1] * (N - 1) + [row], 0)
    assert repr(row) not in raised.value.value


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (np.array([1, "a", None], object), "array of type object"),
        (np.zeros(3, complex), "array of type complex128"),
        (np.array(["NaT", "2020-01-01"], "M8[D]"), r"array of type datetime64\[D\]"),
        (np.ma.array([1.0, 2.0], mask=[True, False]), "MaskedArray"),
        (np.zeros((4, 2)), r"array of shape \(4, 2\)"),
        (np.zeros(4, np.longdouble), "floats of at most 64 bits"),
    ],
)
def test_keys_without_one_form_are_refused_before_any_draw(release, keys, words):
    rng = np.random.default_rng(1)
    before = repr(rng.bit_generator.state)
    with pytest.raises(ArgumentError, match=words):
        RELEASES[release](keys, SimulatedNoise(rng))
    assert repr(rng.bit_generator.state) == before


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    ("common", "row", "kind"),
    [
        (3, 2**40, int),
        (3.0, 1e300, float),
        ("a", "a longer key", str),
        (True, False, bool),
        (b"a", b"bc", bytes),
    ],
)
def test_one_row_decides_neither_the_type_nor_the_width_of_a_key(release, common, row, kind):
    keys = np.array([common] * (N - 1) + [row])
    for seed in range(5):
        assert released(release, keys[[0] * N], seed) == released(release, keys, seed)
        assert released(release, keys, seed)[0][0] is kind


@pytest.mark.parametrize("row", [1, 2.5, 2**63, "a", None, True], ids=repr)
def test_bins_of_a_partition_are_an_array_whatever_its_rows_are(row):
    charge = histogram_charge("bins", PureDP(1.0))
    with pytest.raises(ArgumentError, match="bins = 'list': expected a numpy array"):
        finite_histogram([1] * 10 + [row], 3, charge, SimulatedNoise(np.random.default_rng(0)))
    with pytest.raises(ArgumentError, match=r"bins = 'array of type float64': expected whole numbers"):
        finite_histogram(np.ones(10), 3, charge, SimulatedNoise(np.random.default_rng(0)))
