"""What exact samplers are compared with: probabilities by mpmath from the definitions, and fed bits."""

from itertools import combinations

import mpmath
import numpy as np
from mpmath import mpf
from scipy.integrate import cumulative_simpson
from scipy.stats.qmc import Sobol

from workbench.privacy import exact

FALSE_ALARM = 1e-6  # of every test of a law
BOUND = 2.25  # of truncated laws, in scales


class Tape:
    def __init__(self, content):
        self.content, self.place = content, 0

    def __call__(self, count):
        self.place += count
        assert self.place <= len(self.content), "more bits were read than decide"
        return self.content[self.place - count : self.place]


class Recorded:
    def __init__(self, seed):
        self.rng, self.chunks = np.random.default_rng(seed), []

    def __call__(self, count):
        self.chunks.append(self.rng.bytes(count))
        return self.chunks[-1]


def tape(top, bits, first, sign=0):
    assert (bits - first) % 128 == 0
    rest = bits - first
    word = top >> rest << (64 - first) | sign
    chunks = [top >> (rest - 128 * (i + 1)) & (2**128 - 1) for i in range(rest // 128)]
    return Tape(word.to_bytes(8, "little") + b"".join(chunk.to_bytes(16, "little") for chunk in chunks))


def law(kind, scale, bound=None):
    if kind is exact.TruncatedLaplace:
        return kind(scale, BOUND * scale if bound is None else bound)
    return kind(scale)


def size_above(law, x):
    """The chance that a draw, before it is rounded, is farther from 0 than x; x + ½ of a discrete law."""
    s, x, kind = mpf(law.scale), max(mpf(x), mpf(0)), type(law)
    if kind is exact.Normal:
        return mpmath.erfc(x / s / mpmath.sqrt(2))
    if kind is exact.DiscreteLaplace:
        return 2 * mpmath.exp(-(x + mpf(1) / 2) / s) / (1 + mpmath.exp(-1 / s))
    beyond = mpmath.exp(-mpf(law.bound) / s) if kind is exact.TruncatedLaplace else mpf(0)
    return max((mpmath.exp(-x / s) - beyond) / (1 - beyond), mpf(0))


def holds(law, k, top, bits):
    with mpmath.workdps(240):
        low, high = mpf(top) / 2**bits, mpf(top + 1) / 2**bits
        least = law.signed and k == 0
        above = size_above(law, mpf(k) + mpf(1) / 2)
        return above <= low and (least or high <= size_above(law, mpf(k) - mpf(1) / 2))


NODES, REACH, POINTS = 2001, 60.0, 2**10  # of the integrals, and where e^(-(θ - c) r) is 0


def largest_exponent(d, rate):
    """P(max |λ| ≤ r) of a Thompson-Laplace matrix, as a function of r, for a rate above ⌊d²/4⌋.

    The density of λ is ∝ Π sinh(|λ_i - λ_j|/2) e^(-θ max |λ|): λ = r u, with u on the surface of the cube,
    where one entry is 1 by symmetry and the others are anywhere.
    """
    r = np.linspace(0.0, REACH / (rate - d * d // 4), NODES)
    u = np.ones((POINTS, d))
    u[:, 1:] = 2 * (Sobol(d - 1, seed=1).random(POINTS) if d > 1 else 0) - 1
    product = np.ones((POINTS, NODES))
    for i, j in combinations(range(d), 2):
        product *= np.sinh(np.outer(np.abs(u[:, i] - u[:, j]) / 2, r))
    found = cumulative_simpson(r ** (d - 1) * np.exp(-rate * r) * product.mean(axis=0), x=r, initial=0.0)
    return lambda places: np.interp(places, r, found / found[-1])
