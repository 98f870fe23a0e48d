"""Robust second moments of many small groups of rows: Huber-type M-estimators of scatter.  AL22 Algorithm 4.

A group of s rows x of mean 0 has A = (1/(s b)) Σ w x xᵀ, weights that depend on |y|² = xᵀA⁻¹x:

    capped        w = min(1, c/|y|²), c the 19/20 quantile of χ²_d; b = E min(χ²_d, c)/d
    reweighted    after that, twice: w = 1{|y|² ≤ c'}, c' the .99 quantile; sb = Σw F_{d+2}(c')/F_d(c')

Normal groups get Σ but for sampling; a row, however far, adds at most c/s to A in its own frame. A group with
more than s/(d + 1) rows on one side is lost; the vote is for that.

A group's factor is a function of its rows alone, bit for bit: groups are worked on together, but each stops
on its own when its weights move by less than 1e-3, after 40 steps at most. A is kept as the triangular factor
R of weighted rows, A = RᵀR; a group without one has a factor of zeros.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import chdtr, chdtri

from workbench.estimators.base import Array

CAP, KEPT = 0.95, 0.99  # quantiles
STEPS, STILL = 40, 1e-3
REJECTIONS = {"capped": 0, "reweighted": 2}
DEAD = 1e-12  # a pivot below this share of the largest, in the frame of the plain second moment


@dataclass(frozen=True)
class Constants:
    """The constants of d dimensions: c and b of the capped estimate, c' and F_{d+2}/F_d of the other."""

    cap: float
    bias: float
    cutoff: float
    ratio: float


@lru_cache(maxsize=32)
def constants(d: int) -> Constants:
    """Return the constants, by chi-square integrals."""
    cap, cutoff = float(chdtri(d, 1 - CAP)), float(chdtri(d, 1 - KEPT))
    bias = (d * float(chdtr(d + 2, cap)) + cap * (1 - CAP)) / d
    return Constants(cap, bias, cutoff, float(chdtr(d + 2, cutoff)) / KEPT)


def scatter_factors(blocks: Array, kind: str) -> Array:
    """Return R of every group of rows, shape (k, s, d) -> (k, d, d); zeros where there is none."""
    known = constants(blocks.shape[2])
    weights, alive = _capped(blocks, known)
    factors = _factors(blocks, weights / known.bias)
    for _ in range(REJECTIONS[kind]):
        lengths, found = _lengths(blocks, factors)
        alive &= found
        kept = (lengths <= known.cutoff).astype(np.float64)
        share = np.maximum(kept.mean(axis=1, keepdims=True), 1 / blocks.shape[1])
        factors = _factors(blocks, kept / (share * known.ratio))
    return np.where(alive[:, None, None], factors, 0.0)


def _capped(blocks: Array, known: Constants) -> tuple[Array, np.ndarray]:
    """Return the weights of the capped estimates, and which groups have one."""
    k, s, d = blocks.shape
    weights, alive = np.ones((k, s)), np.ones(k, bool)
    lengths, alive = _lengths(blocks, _factors(blocks, weights))
    scale = np.maximum(np.median(lengths, axis=1, keepdims=True), 1e-300) / float(chdtri(d, 0.5))
    weights = _weights(lengths / scale, known)
    moving = np.flatnonzero(alive)
    for _ in range(STEPS):
        if not len(moving):
            break
        part = blocks[moving]
        lengths, found = _lengths(part, _factors(part, weights[moving] / known.bias))
        fresh = np.where(found[:, None], _weights(lengths, known), 1.0)
        change = np.abs(fresh - weights[moving]).max(axis=1)
        weights[moving], alive[moving] = fresh, found
        moving = moving[found & (change > STILL)]
    return weights, alive


def _weights(lengths: Array, known: Constants) -> Array:
    return np.minimum(1.0, known.cap / np.maximum(lengths, 1e-300))


def _factors(blocks: Array, weights: Array) -> Array:
    """Return the triangular factor of (1/s) Σ w x xᵀ of every group."""
    rooted = np.sqrt(weights / blocks.shape[1])[:, :, None] * blocks
    return np.asarray(np.linalg.qr(rooted, mode="r"))


def _lengths(blocks: Array, factors: Array) -> tuple[Array, np.ndarray]:
    """Return |y|² of every row in the frame of its group, and which groups have a frame."""
    pivots = np.abs(np.diagonal(factors, axis1=1, axis2=2))
    columns = np.sqrt((factors * factors).sum(axis=1))
    found = np.isfinite(factors).all(axis=(1, 2)) & (pivots > DEAD * columns).all(axis=1)
    usable = np.where(found[:, None, None], factors, np.eye(blocks.shape[2]))
    y = blocks @ np.linalg.inv(usable)
    return np.asarray((y * y).sum(axis=2)), found
