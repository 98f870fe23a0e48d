"""Every exact sampler has its law: tests at the level 1e-6 that also reject a scale 2 % too large or small.

Small scales see every integer (Pearson), large ones the distribution function (Kolmogorov and Smirnov).
Bits come from a generator, so that an alarm stays an alarm.
"""

import numpy as np
import pytest

from tests.privacy.exact.kit import BOUND, FACTOR, FALSE_ALARM, exactly_at, farthest, law
from workbench.privacy import exact

KINDS = (
    exact.Normal,
    exact.Laplace,
    exact.TruncatedLaplace,
    exact.Exponential,
    exact.DiscreteLaplace,
)
MANY, MOST = 1_500_000, 4_000_000
FACTORS = (1, FACTOR, 1 / FACTOR)


def drawn(what, count, seed=0):
    return exact.draw(what, (count,), np.random.default_rng(seed).bytes)


def scaled(kind, scale, factor):
    """The law with a wrong scale, and the right bound."""
    return law(kind, float(scale * factor), BOUND * scale)


@pytest.mark.parametrize("factor", FACTORS, ids=str)
@pytest.mark.parametrize("scale", [1, 2, 5])
@pytest.mark.parametrize("kind", KINDS)
def test_every_integer_has_its_probability(kind, scale, factor):
    p = exactly_at(law(kind, scale), drawn(scaled(kind, scale, factor), MANY))
    assert (p >= FALSE_ALARM) == (factor == 1)


@pytest.mark.parametrize("factor", FACTORS, ids=str)
@pytest.mark.parametrize("scale", [40, 2**20])
@pytest.mark.parametrize("kind", KINDS)
def test_the_distribution_function_is_that_of_the_law(kind, scale, factor):
    p = farthest(law(kind, scale), drawn(scaled(kind, scale, factor), MOST))
    assert (p >= FALSE_ALARM) == (factor == 1)


@pytest.mark.parametrize("scale", [1, 2, 5])
def test_a_zero_of_either_sign_is_seen(scale):
    """Sizes of geometric law with a fair sign have zero twice, where nothing rejects (minus, 0)."""
    rng = np.random.default_rng(1)
    sizes = np.floor(scale * rng.standard_exponential(MANY)).astype(np.int64)
    double = sizes * rng.choice([-1, 1], MANY)
    right = (1 - 2 * (rng.random(MANY) < 0.5)) * sizes
    kept = right[(right != 0) | (rng.random(MANY) < 0.5)]  # half of all zeros have the sign that is rejected
    assert exactly_at(exact.DiscreteLaplace(scale), double) < FALSE_ALARM
    assert exactly_at(exact.DiscreteLaplace(scale), kept) >= FALSE_ALARM


@pytest.mark.parametrize("scale", [1, 2, 5])
def test_a_law_that_is_not_truncated_is_seen(scale):
    assert exactly_at(law(exact.TruncatedLaplace, scale), drawn(exact.Laplace(scale), MANY)) < FALSE_ALARM


@pytest.mark.parametrize("scale", [1, 2, 5])
def test_a_law_that_is_rounded_twice_or_not_at_all_is_seen(scale):
    """The discrete Laplace law is not the rounded one, nor is a real variable rounded towards zero."""
    assert exactly_at(exact.Laplace(scale), drawn(exact.DiscreteLaplace(scale), MANY)) < FALSE_ALARM
    towards_zero = np.trunc(scale * np.random.default_rng(2).standard_normal(MANY)).astype(np.int64)
    assert exactly_at(exact.Normal(scale), towards_zero) < FALSE_ALARM


@pytest.mark.parametrize(
    ("scale", "bound"), [(3.0, 0.25), (2.0, 5.5), (2.0, 5.0), (1e6, 3.5), (0.01, 4), (0.3, 0.75)]
)
def test_a_truncated_law_has_its_bound(scale, bound):
    """From a narrow one, through bounds on and between two integers, to one that is nearly uniform."""
    what = exact.TruncatedLaplace(scale, bound)
    draws = drawn(what, MANY // 10)
    assert np.abs(draws).max() <= bound + 0.5
    assert exactly_at(what, draws) >= FALSE_ALARM


@pytest.mark.parametrize("kind", KINDS)
def test_a_scale_far_below_the_grid_gives_zeros(kind):
    assert not drawn(law(kind, 5e-324), 2000).any()
    assert not drawn(law(kind, 1e-3), 2000).any()


def test_sign_and_size_are_independent():
    for kind in (exact.Normal, exact.Laplace, exact.TruncatedLaplace, exact.DiscreteLaplace):
        draws = drawn(law(kind, 40), MANY)
        signs, sizes = np.sign(draws[draws != 0]), np.abs(draws[draws != 0])
        for part in (signs, signs[sizes > np.median(sizes)], signs[:-1] * signs[1:]):
            assert abs(part.sum()) < 5 * np.sqrt(len(part))  # 6e-7 of false alarms
