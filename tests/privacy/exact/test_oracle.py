"""The samplers beside OpenDP's: its discrete Laplace law is ours, its discrete normal law nearly.

Each comparison is by the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart on both sides, at the level
1e-6; a scale 30 % off lies beyond it. `test_oracle_scales` sees 2 %, at more scales and by more draws.
"""

from functools import cache
from math import log, sqrt

import mpmath
import numpy as np
import opendp.prelude as dp
import pytest
from mpmath import mpf

from tests.privacy.exact.kit import FALSE_ALARM, below
from workbench.privacy import exact

THEIRS, OURS = 30_000, 1_000_000
SIGMA = 40.0


def sampled(kind, scale, count):
    """OpenDP's integers round 0."""
    dp.enable_features("contrib")
    make, distance = {
        "laplace": (dp.m.make_laplace, dp.l1_distance(T=int)),
        "gaussian": (dp.m.make_gaussian, dp.l2_distance(T=int)),
    }[kind]
    measure = make(dp.vector_domain(dp.atom_domain(T=int)), distance, scale=scale)
    return np.sort(np.array(measure([0] * count), np.int64))


theirs = cache(lambda kind, scale: sampled(kind, scale, THEIRS))


def gap(first, second):
    """The largest difference of the two empirical distribution functions."""
    both = np.union1d(first, second)
    ours = np.searchsorted(np.sort(first), both, side="right") / len(first)
    return np.abs(ours - np.searchsorted(second, both, side="right") / len(second)).max()


def allowed():
    return sum(sqrt(log(4 / FALSE_ALARM) / (2 * count)) for count in (THEIRS, OURS))


def total_variation(sigma):
    """Between the rounded normal law and the discrete one, P(z) ∝ e^(-z²/(2σ²))."""
    reach = range(int(-12 * sigma), int(12 * sigma) + 1)
    half = mpf(1) / 2
    rounded_one = [below(exact.Normal(sigma), z + half) - below(exact.Normal(sigma), z - half) for z in reach]
    weights = [mpmath.exp(-mpf(z * z) / (2 * mpf(sigma) ** 2)) for z in reach]
    total = mpmath.fsum(weights)
    return float(mpmath.fsum(abs(p - w / total) for p, w in zip(rounded_one, weights, strict=True)) / 2)


def ours(what):
    return exact.draw(what, OURS, np.random.default_rng(4).bytes)


@pytest.mark.parametrize("factor", [1, 1.3, 1 / 1.3])
@pytest.mark.parametrize("scale", [2.5, 40.0])
def test_the_discrete_laplace_law_is_that_of_opendp(scale, factor):
    assert (gap(ours(exact.DiscreteLaplace(scale * factor)), theirs("laplace", scale)) <= allowed()) == (
        factor == 1
    )


@pytest.mark.parametrize("factor", [1, 1.3, 1 / 1.3])
def test_the_rounded_normal_law_is_near_the_discrete_one_of_opendp(factor):
    between = total_variation(SIGMA)
    assert between < 5e-5
    found = gap(ours(exact.Normal(SIGMA * factor)), theirs("gaussian", SIGMA))
    assert (found <= between + allowed()) == (factor == 1)
