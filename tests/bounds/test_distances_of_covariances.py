"""AL22 Lemma 3.2 and equation (5.1): triangles and mixtures, where they are tight and where they are not.

A covariance is given by a root, in frames of condition 10⁶; `ratios` is 1 + dist. No inequality is broken,
and each is reached, so that none could be sharper.
"""

from math import log

import numpy as np
import pytest

from workbench.chapters.any_gaussian.votes import ratios

TRIALS, FAMILY, ROUNDING = 2000, 5, 1 + 1e-6


def rotations(d, rng):
    return np.linalg.qr(rng.standard_normal((TRIALS, d, d)))[0]


def frames(d, rng):
    return rotations(d, rng) * 10.0 ** rng.uniform(-1.5, 1.5, (TRIALS, 1, d))


def triangles(d, rng):
    """dist(A, C) over both of its bounds where A and C are within 1 of B."""
    base, turn, other = frames(d, rng), rotations(d, rng), rotations(d, rng)
    logs = rng.uniform(-log(2), log(2), (2, TRIALS, 1, d))
    tight = np.arange(TRIALS) % 2 == 0  # the same axes, opposite ways, nearly as far as allowed
    other[tight], logs[1, tight] = turn[tight], -logs[0, tight]
    logs[:, tight, 0, 0] = log(2) * np.array([[1.0], [-1.0]]) * rng.uniform(0.9, 1.0, int(tight.sum()))
    a, c = base @ turn * np.exp(logs[0] / 2), base @ other * np.exp(logs[1] / 2)
    ab, bc, ac = ratios(a, base), ratios(base, c), ratios(a, c)
    return (ac - 1) / (1.5 * (ab + bc - 2)), ac / (ab * bc)


def mixtures(d, rng):
    """dist of two mixtures of one family over |a - a'|₁ (1 + D), and over D times their total variation."""
    base, shape = frames(d, rng)[:, None], (TRIALS, FAMILY, d, d)
    roots = base @ (np.eye(d) + rng.uniform(0.05, 1.0, (TRIALS, 1, 1, 1)) * rng.standard_normal(shape))
    family = roots @ np.swapaxes(roots, 2, 3)
    shares = rng.dirichlet(np.full(FAMILY, 0.1), (2, TRIALS))
    first, second = (np.linalg.cholesky(np.einsum("tf,tfij->tij", one, family)) for one in shares)
    pairs = [ratios(roots[:, i], roots[:, j]) for i in range(FAMILY) for j in range(i)]
    diameter, tv = np.max(pairs, axis=0) - 1, np.abs(shares[0] - shares[1]).sum(axis=1) / 2
    moved = ratios(first, second) - 1
    return moved / (2 * tv * (1 + diameter)), moved / (tv * diameter)


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize(("made", "reached"), [(triangles, (0.95, 0.99)), (mixtures, (0.4, 0.9))])
def test_the_source_s_inequality_and_the_sharper_one_hold_and_are_reached(made, reached, d):
    for found, share in zip(made(d, np.random.default_rng((32, d))), reached, strict=True):
        assert share < found.max() <= ROUNDING
