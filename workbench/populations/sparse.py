"""Sparse covariances, and Gaussian rows that have them.  WX19, experiments, with choices labelled.

    (1) U symmetric, zero diagonal, a share of the pairs off the diagonal not zero: uniform on [-1, 1]
    (2) Σ₀ = U + λ I, λ = ½ - λ_min(U), so that the smallest eigenvalue is ½ (the source: λ = 50)
    (3) Σ = Σ₀/c, c so large that n rows lie in the unit ball with probability 1 - β (the source: c = 200)

The distribution of the values, and every number of the source's figures, are choices of ours.
"""

from math import log

import numpy as np
from numpy.random import Generator

from workbench.errors import ArgumentError, in_range, integer_at_least, of_plain_numbers, probability
from workbench.types import Array


def sparse_signal(p: int, share: float, *, rng: Generator) -> Array:
    """Return U of step (1): `share` of the p(p-1)/2 pairs, rounded, are not zero.

    >>> int(np.count_nonzero(sparse_signal(4, 0.5, rng=np.random.default_rng(1))))
    6
    """
    integer_at_least(1, p=p)
    in_range(0, 1, share=share)
    rows, columns = np.triu_indices(p, 1)
    chosen = rng.choice(len(rows), size=round(share * len(rows)), replace=False)
    signal = np.zeros((p, p))
    signal[rows[chosen], columns[chosen]] = rng.uniform(-1, 1, len(chosen))
    return signal + signal.T


def conditioned(signal: Array, shift: float | None = None) -> Array:
    """Return Σ₀ of step (2), with another λ if `shift` gives one."""
    amount = 0.5 - float(np.linalg.eigvalsh(signal)[0]) if shift is None else shift
    return signal + amount * np.eye(len(signal))


@of_plain_numbers
def unit_ball_scale(covariance: Array, n: int, beta: float) -> float:
    """Return c of step (3): n rows of N(0, covariance) all have |x|² below it with probability 1 - β.

    tr + 2 |Σ|_F √L + 2 |Σ|₂ L with L = ln(n/β) (Laurent & Massart 2000, for weighted chi-squares).
    """
    integer_at_least(1, n=n)
    probability(beta=beta)
    values, level = np.linalg.eigvalsh(covariance), log(n / beta)
    return float(values.sum() + 2 * np.sqrt((values**2).sum() * level) + 2 * values[-1] * level)


def active_block(p: int, active: int, degree: int, *, rng: Generator) -> Array:
    """Return a covariance whose signal sits in the first `active` coordinates; the others hardly vary.

    The block has `degree` entries a row on average and trace 1; each further coordinate has a thousandth
    of the block's mean variance, so that the trace stays bounded as p grows.
    """
    integer_at_least(1, p=p, active=active, degree=degree)
    if active > p:
        raise ArgumentError("active", active, f"at most p = {p}")
    block = conditioned(sparse_signal(active, min(1.0, degree / max(active - 1, 1)), rng=rng))
    block /= np.trace(block)
    whole = np.eye(p) * 1e-3 / active
    whole[:active, :active] = block
    return whole
