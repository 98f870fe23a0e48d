"""The samplers beside OpenDP's at all scales, with power against a scale 2 % off and a missing rejection.

OpenDP draws integers of probability d(z) ∝ e^(-|z|/s) or e^(-z²/(2s²)); ours are of probability p(z), those
of a rounded real variable. Kept with probability r(z) = c d(z)/p(z), c such that r(0) = 1 is the largest, a
draw of ours has the law d, and no other law p leads there: so the two samples have one law, and Pearson's
test of two samples is exact but for its cells. Ours come from a generator; theirs from the system.
"""

from functools import cache, lru_cache
from math import exp

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from scipy.stats import chi2, laplace, ncx2, norm

from tests.privacy.exact.kit import FALSE_ALARM, below
from tests.privacy.exact.test_oracle import sampled
from workbench.privacy import exact

pytestmark = pytest.mark.daily

THEIRS, OURS = 600_000, 4_000_000
SCALES = (1, 2, 5, 40, 2**20)
FACTORS = (1, 1.02, 1 / 1.02)
KINDS = {exact.Normal: "gaussian", exact.Laplace: "laplace", exact.DiscreteLaplace: "laplace"}
CELLS, EXPECTED = 30, 20
POWER = 1 - 1e-8  # at least, against a scale 2 % off

theirs = cache(lambda kind, scale: sampled(kind, float(scale), THEIRS))


def kept(kind, scale, z):
    """r(z): the chance with which a draw of ours is kept."""
    if kind is exact.DiscreteLaplace:
        return np.ones(len(z))
    if kind is exact.Laplace:  # p(z) ∝ e^(-|z|/s) sinh(1/(2s)) but at 0, where it is 1 - e^(-1/(2s))
        return np.where(z == 0, 1.0, (1 - exp(-0.5 / scale)) / np.sinh(0.5 / scale))
    t, w = np.polynomial.legendre.leggauss(12)  # p(z) ∝ d(z) ∫ cosh(zt/s²) e^(-t²/(2s²)) dt over |t| ≤ ½
    weights = w * np.exp(-((t / 2) ** 2) / (2 * scale**2))
    one, back = np.unique(np.abs(z), return_inverse=True)
    sums = sum(v * np.cosh(one * (a / 2) / scale**2) for v, a in zip(weights, t, strict=True))
    return (weights.sum() / sums)[back]


@lru_cache(maxsize=2)
def ours(kind, scale, factor):
    """Draws of ours at a scale that is `factor` times the right one, kept as if it were right."""
    z = exact.draw(kind(float(scale) * factor), OURS, np.random.default_rng(5).bytes)
    return z[np.random.default_rng(6).random(OURS) < kept(kind, scale, z)]


def edges(kind, scale):
    """Ends of cells between integers: about as likely one as another, and 0 alone where it is seen."""
    standard = norm if kind is exact.Normal else laplace
    inner = np.rint(scale * standard.ppf(np.arange(1, CELLS) / CELLS))
    zero = THEIRS * standard.pdf(0) / scale >= EXPECTED
    return np.unique([*inner + 0.5, *((-0.5, 0.5) if zero else ())])


def statistic(first, second, ends):
    """Pearson's statistic of two samples."""
    a, b = (np.bincount(np.searchsorted(ends, z), minlength=len(ends) + 1) for z in (first, second))
    share = np.sqrt(len(second) / len(first))
    return ((a * share - b / share) ** 2 / (a + b)).sum()


def chance(kind, scale, first):
    """The p-value of no difference to OpenDP's draws."""
    ends = edges(kind, scale)
    return chi2.sf(statistic(first, theirs(KINDS[kind], scale), ends), len(ends))


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_law_is_that_of_opendp_and_no_other_scale_has_it(kind, scale, factor):
    assert (chance(kind, scale, ours(kind, scale, factor)) >= FALSE_ALARM) == (factor == 1)


@pytest.mark.parametrize("scale", SCALES[:4])
@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_rejection_is_not_the_law_of_opendp(kind, scale):
    """Zeros of either sign: twice as many. At 2^20 no test of so many draws sees one in a million."""
    right = ours(kind, scale, 1)
    assert chance(kind, scale, np.append(right, right[right == 0])) < FALSE_ALARM


def shares(kind, scale, factor, ends):
    """Probabilities of the cells under the law of `ours`, by mpmath from the definitions."""
    reach = int(14 * scale) if scale <= 40 else None
    if reach is None:  # rounding and keeping change no cell by 1e-6
        standard = norm if kind is exact.Normal else laplace
        return np.diff([0, *standard.cdf(ends / (scale * factor)), 1])
    z, law, half = np.arange(-reach, reach + 1), kind(float(scale) * factor), mpf(1) / 2
    heights = [float(below(law, int(k) + half) - below(law, int(k) - half)) for k in z]
    masses = np.array(heights) * kept(kind, scale, z)
    return np.bincount(np.searchsorted(ends, z), masses, len(ends) + 1) / masses.sum()


def power(kind, scale, factor):
    """The chance that the test at its level sees a factor."""
    ends = edges(kind, scale)
    right, wrong = (shares(kind, scale, one, ends) for one in (1, factor))
    both = OURS * THEIRS / (OURS * wrong + THEIRS * right) * (wrong - right) ** 2
    return ncx2.sf(chi2.isf(FALSE_ALARM, len(ends)), len(ends), both.sum())


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_power_against_a_scale_off_by_a_fiftieth_is_what_is_said(kind, scale):
    assert min(power(kind, scale, factor) for factor in FACTORS[1:]) > POWER


@pytest.mark.parametrize("scale", [1, 2, 5, 40])
@pytest.mark.parametrize("kind", [exact.Normal, exact.Laplace])
def test_draws_are_kept_with_the_quotient_of_the_two_laws(kind, scale):
    law, half, s = kind(float(scale)), mpf(1) / 2, mpf(scale)
    z = np.array([0, 1, 2, 5, 3 * scale, 7 * scale, -scale])
    weight = (
        (lambda k: mpmath.exp(-(k**2) / (2 * s**2)))
        if kind is exact.Normal
        else (lambda k: mpmath.exp(-abs(k) / s))
    )
    with mpmath.workdps(40):
        quotients = [weight(int(k)) / (below(law, int(k) + half) - below(law, int(k) - half)) for k in z]
        assert kept(kind, scale, z) == pytest.approx([float(q / quotients[0]) for q in quotients], rel=1e-9)
    assert max(kept(kind, scale, z)) == 1
