"""Histograms, their modes, and tests of counts: budgets kept exactly, and keys that tell nothing else."""

import struct
from bisect import bisect_left
from unittest.mock import patch

import numpy as np
import pytest
from mpmath import exp as mexp
from mpmath import mp, mpf
from scipy.stats import norm

from workbench.errors import ArgumentError
from workbench.privacy import ZCDP, ApproxDP, Charge, PureDP, SecureNoise, SimulatedNoise, UnitNoise, exact
from workbench.privacy import histograms as bins
from workbench.privacy.grid import UP, passed_no_more
from workbench.privacy.histograms import finite_histogram, histogram_charge, stability_charge
from workbench.privacy.mechanisms import exceeds_bound, truncated_laplace_bound


def least_noise(cost):
    """The least noise with which a lone row shows, and its scale."""
    asked = []

    def shows(noise):
        def reaching(law, counts, least):
            asked.append(law.scale)
            return np.arange(len(counts)), np.full(len(counts), noise, np.int64)

        with patch.object(exact, "reaching", reaching):
            return bool(bins.stability_histogram(np.zeros(1), stability_charge("bins", cost), SecureNoise()))

    return bisect_left(range(2**40), True, key=shows), asked[0]


@pytest.mark.parametrize(("rho", "delta"), [(4.0, 6.87e-4), (0.5, 1e-6), (100.0, 1e-15), (9.0, 0.3)])
def test_a_lone_row_shows_through_rounded_normal_noise_with_probability_at_most_delta(rho, delta):
    """⌊X + ½⌋ ≥ k iff X ≥ k - ½: on counts themselves half a row is given away, up to 1e8 times δ."""
    least, scale = least_noise(ZCDP(rho, delta))
    chance = norm.sf((least - 0.5) / scale)
    assert 0.99 * delta < chance <= delta * (1 + 1e-12)


def test_the_threshold_of_discrete_noise_covers_a_scale_that_is_rounded_up():
    """(2/ε) ln(1/(δ(1 + q))) a whole number but for what rounding the scale up adds to the chance."""
    with mp.workdps(60):
        for steps in (3, 17, 40):
            epsilon = 0.5
            q = mexp(-mpf(epsilon) / 2)
            delta = float(q**steps / (1 + q) * (1 + mpf(2) ** -50))
            least = bins.stability_threshold(ApproxDP(epsilon, delta)) - 1
            wider = mexp(-mpf(epsilon) / 2 / (mpf(1) + mpf(2) ** -40))
            assert wider**least / (1 + wider) <= delta
            assert wider ** (least - 1) / (1 + wider) > delta / 2


@pytest.mark.parametrize("epsilon", [1e-3, 1e-17, 1e-30])
def test_discrete_laplace_noise_is_never_less_than_its_scale(epsilon):
    charge, noise = histogram_charge("counts", PureDP(epsilon)), SimulatedNoise(np.random.default_rng(1))
    noisy = finite_histogram(np.zeros(3, np.int64), 2000, charge, noise)
    assert np.median(np.abs(noisy)) >= 0.3 * 2 / epsilon


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (1.0, 0.3), (30.0, 1e-3)])
@pytest.mark.parametrize("sensitivity", [1.0, 38.0])
def test_a_count_exceeds_the_bound_of_its_noise_seldom(epsilon, delta, sensitivity):
    """Never at 0, with probability at most δ up to the sensitivity, with exact noise on the finer grid."""
    charge = Charge("test", "truncated_laplace", sensitivity, ApproxDP(epsilon, delta))
    asked = []

    class Fixed(UnitNoise):
        noise = 0.0

        def truncated_laplace(self, value, _, scale, bound):
            asked[:] = [value.unit, scale * UP, bound * UP * UP]
            return np.asarray(value, float) + self.noise

    assert not any(exceeds_bound(0, charge, SecureNoise()) for _ in range(100))
    assert not exceeds_bound(0, charge, Fixed())
    unit, scale, bound = asked
    least = passed_no_more(truncated_laplace_bound(charge), unit) - unit / 2  # noise has to pass it
    assert least > bound
    beyond = np.expm1((bound - (least - sensitivity)) / scale)
    if least >= sensitivity:
        assert beyond / np.expm1(bound / scale) / 2 <= delta * (1 + 1e-12)
    Fixed.noise = bound - sensitivity - 1e-3
    assert not exceeds_bound(int(sensitivity), charge, Fixed())
    Fixed.noise = bound - sensitivity + 1e-3
    assert exceeds_bound(int(sensitivity), charge, Fixed())


# Keys

N, APPROX = 400, ApproxDP(1.0, 1e-6)


def histogram(keys, noise, cost=APPROX):
    return list(bins.stability_histogram(keys, stability_charge("keys", cost), noise))


RELEASES = {
    "histogram": histogram,
    "histogram, zCDP": lambda keys, noise: histogram(keys, noise, ZCDP(0.5, 1e-6)),
    "mode of a histogram": lambda keys, noise: [
        bins.stable_mode(keys, stability_charge("keys", APPROX), noise)
    ],
    "mode": lambda keys, noise: [bins.release_mode(keys, bins.mode_charge("keys", APPROX), noise)],
}
PAYLOAD, SIGNALLING = np.array([0xFFF8_0000_0000_0123, 0x7FF0_0000_0000_0001], np.uint64).view(np.float64)
EQUAL = (
    *((0.0, -0.0), (-0.0, 0.0), (np.nan, -np.nan)),
    *((np.nan, PAYLOAD), (PAYLOAD, np.nan), (np.nan, SIGNALLING)),
)


def released(release, keys, seed):
    found = RELEASES[release](keys, SimulatedNoise(np.random.default_rng(seed)))
    return [(type(key), struct.pack("<d", key) if isinstance(key, float) else key) for key in found]


@pytest.mark.turns(3)
@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("places", [[0], [N // 2], [N - 1], slice(0, N, 2)], ids=str)
@pytest.mark.parametrize(("common", "row"), EQUAL)
def test_equal_keys_are_released_in_one_form(release, places, common, row):
    keys = np.full(N, common)
    keys[places] = row
    with np.errstate(all="raise"):
        for seed in range(5):
            assert released(release, keys, seed) == released(release, np.full(N, common), seed)


FORMLESS = (
    (np.array([1, "a", None], object), "array of type object"),
    (np.zeros(3, complex), "array of type complex128"),
    (np.array(["NaT", "2020-01-01"], "M8[D]"), r"array of type datetime64\[D\]"),
    (np.ma.array([1.0, 2.0], mask=[True, False]), "MaskedArray"),
    (np.zeros((4, 2)), r"array of shape \(4, 2\)"),
    (np.zeros(4, np.longdouble), "floats of at most 64 bits"),
)


@pytest.mark.parametrize("release", RELEASES)
def test_keys_without_one_form_are_refused_before_any_draw(release):
    rng = np.random.default_rng(1)
    before = repr(rng.bit_generator.state)
    for keys, words in FORMLESS:
        with pytest.raises(ArgumentError, match=words):
            RELEASES[release](keys, SimulatedNoise(rng))
        assert repr(rng.bit_generator.state) == before


NEIGHBOURS = ((3, 2**40), (3.0, 1e300), ("a", "a longer key"), (True, False), (b"a", b"bc"))


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(("common", "row"), NEIGHBOURS)
def test_one_row_decides_neither_the_type_nor_the_width_of_a_key(release, common, row):
    keys = np.array([common] * (N - 1) + [row])
    for seed in range(5):
        assert released(release, keys[[0] * N], seed) == released(release, keys, seed)
        assert released(release, keys, seed)[0][0] is type(common)


def test_bins_of_a_partition_are_an_array_of_whole_numbers():
    for wrong in ([1, 2, 1], [1, None, 1], np.ones(3)):
        with pytest.raises(ArgumentError, match=r"^bins = '(list|array of type float64)': expected"):
            finite_histogram(wrong, 3, histogram_charge("bins", PureDP(1.0)), UnitNoise())
