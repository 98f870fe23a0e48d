"""The statistics that noise is added to, on hostile floats: finite, silent, and within their sensitivity."""

from fractions import Fraction

import numpy as np
import pytest

from workbench.estimators import base, two_step
from workbench.estimators import scale as scales
from workbench.estimators.shared.rows import BITS
from workbench.privacy import ApproxDP, Charge, PureDP, SecureNoise, SimulatedNoise, UnitNoise
from workbench.privacy.grid import UP, passed_no_more, step_of
from workbench.privacy.histograms import finite_histogram, histogram_charge, release_mode
from workbench.privacy.mechanisms import exceeds_bound, truncated_laplace_bound

SMALL = [0.0, -0.0, 5e-324, 1e-310, 1e-162, 1e-30, 1.0, 1 + 2**-52, 4.0]
LARGE = [1e15, 1e15 + 0.125, 1e16, 1e99, 1e100, 1.0000001e100, 1e154, 1e155, 1.7e308, np.inf, np.nan]
HOSTILE = np.array([*SMALL, *LARGE])
HOSTILE = np.concatenate([HOSTILE, -HOSTILE])


def neighbours(seed, trials=300):
    rng = np.random.default_rng(seed)
    for _ in range(trials):
        n = int(rng.integers(2, 14))
        first = rng.choice(HOSTILE, n) if rng.random() < 0.6 else np.full(n, rng.choice(HOSTILE))
        second = first.copy()
        second[rng.integers(n)] = rng.choice(HOSTILE)
        yield base.sanitised(first), base.sanitised(second)


def whole_gap(one, other):
    """How far two statistics are apart in units, exactly."""
    assert one.unit == other.unit
    return abs(int(one.counts) - int(other.counts))


def test_clipped_mean_keeps_its_sensitivity():
    for first, second in neighbours(1):
        for centre in (0.0, 3.7, 1e15, -1e15):
            for clip in (1e-3, 0.1, 4.0):
                values = [
                    two_step.clipped_mean(base.standardised(x, 0.0, 1.0), centre, clip)
                    for x in (first, second)
                ]
                assert whole_gap(*values) <= 2 * Fraction(clip) / Fraction(step_of(clip, BITS))


def test_group_variances_keep_their_sensitivity():
    for first, second in neighbours(2):
        for winsor in (scales.Winsor(2, 0.1, 3.0), scales.Winsor(3, 0.2, 2.0)):
            groups = len(first) // winsor.group
            if not groups:
                continue
            for log_s in (-700.0, -20.0, 0.0, 231.0, 700.0):
                values = [winsor.statistic(x, log_s) for x in (first, second)]
                assert np.isfinite(np.array([float(value) for value in values])).all()
                step = step_of(winsor.width / 2, BITS)
                assert whole_gap(*values) <= (Fraction(winsor.high) - Fraction(winsor.low)) / Fraction(step)


def moved(a, b):
    """How many entries differ; two that are absent do not."""
    return np.sum((a != b) & ~(np.isnan(a) & np.isnan(b)))


def absent_pairs(x):
    return np.isnan(x[: len(x) // 2 * 2].reshape(-1, 2)).any(axis=1)


def test_log_differences_are_ordinary_points_but_for_absent_pairs():
    for first, second in neighbours(3):
        a, b = scales.log_differences(first), scales.log_differences(second)
        assert len(a) == len(first) // 2
        assert np.isnan(a).tolist() == absent_pairs(first).tolist()
        assert not (a == np.inf).any()
        assert moved(a, b) <= 1


def test_exponents_change_in_one_place():
    for first, second in neighbours(4):
        a, b = (scales.exponents(scales.pair_differences(x)) for x in (first, second))
        assert np.isnan(a).tolist() == absent_pairs(first).tolist()
        assert not np.isinf(a).any()
        assert moved(a, b) <= 1


def test_standardised_is_finite_and_local():
    for first, second in neighbours(5):
        for centre, sigma in ((0.0, 1.0), (1e300, 5e-324), (-1e300, 1e300), (1e15, 1e-200)):
            a, b = (base.standardised(x, centre, sigma) for x in (first, second))
            assert np.isnan(a).tolist() == np.isnan(first).tolist()
            assert (np.abs(a[~np.isnan(a)]) <= 1e15).all()
            assert moved(a, b) <= 1


@pytest.mark.parametrize("epsilon", [1e-3, 1e-12, 1e-17, 1e-19, 1e-30])
def test_discrete_laplace_noise_is_never_less_than_its_scale(epsilon):
    charge = histogram_charge("counts", PureDP(epsilon))
    noise = SimulatedNoise(np.random.default_rng(1))
    noisy = finite_histogram(np.zeros(3, np.int64), 2000, charge, noise)
    assert np.median(np.abs(noisy)) >= 0.3 * 2 / epsilon


def test_bins_outside_the_partition_do_not_change_the_shape():
    charge = histogram_charge("counts", PureDP(1.0))
    try:
        sizes = {len(finite_histogram(np.array([0, k]), 3, charge, UnitNoise())) for k in (1, 7)}
    except ValueError:
        return  # refusing the call is safe only if callers clip first; the catalog's callers do
    assert sizes == {3}


def mode_law(keys, charge):
    """The exact law of `release_mode`, read off by a noise source that returns chosen values."""
    seen = {}

    class Probe(UnitNoise):
        def truncated_laplace(self, value, sensitivity, scale, bound):
            seen.update(value=float(value), scale=scale, bound=bound)
            return np.asarray(np.inf)

    key = release_mode(keys, charge, Probe())
    threshold, epsilon = seen["bound"] - seen["value"], 1 / seen["scale"]
    edge = np.exp(-epsilon * seen["bound"])
    tail = (np.exp(-epsilon * abs(threshold)) - edge) / (2 * (1 - edge))
    chance = float(np.clip(tail if threshold >= 0 else 1 - tail, 0, 1))
    return {key: chance, None: 1 - chance}


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("delta", [1e-3, 0.2, 0.5])
def test_mode_release_keeps_its_budget(epsilon, delta):
    charge = Charge("mode", "truncated_laplace", 1.0, ApproxDP(epsilon, delta))
    laws, worst = {}, 0.0

    def law(counts):
        if counts not in laws:
            laws[counts] = mode_law(np.repeat([0, 1, 2], counts), charge)
        return laws[counts]

    for a in range(12):
        for b in range(12):
            for c in range(3):
                for move in ((-1, 1, 0), (-1, 0, 1), (1, -1, 0), (0, -1, 1), (1, 0, -1), (0, 1, -1)):
                    first, second = (a, b, c), (a + move[0], b + move[1], c + move[2])
                    if min(second) < 0 or sum(first) == 0:
                        continue
                    p, q = law(first), law(second)
                    spent = sum(max(0.0, p[k] - np.exp(epsilon) * q.get(k, 0.0)) for k in p)
                    worst = max(worst, spent)
    assert worst == pytest.approx(delta, rel=1e-9)


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
