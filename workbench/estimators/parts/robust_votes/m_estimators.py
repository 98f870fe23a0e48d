"""Robust location and second moment of many small groups of rows: Huber's M-estimators.  AL22 Alg 4, 5.

Location: a group of s rows x of covariance I has the m that solves Σ w (x - m) = 0, w = min(1, c/|x - m|), c²
the ½ quantile of χ²_d: every row pulls by at most c, and half of a group may be anything. Steps m ← Σ w x/Σ w
from the median in every coordinate; the fixed point does not depend on where they start. All groups take the
same 50 steps.

Scatter: a group of s rows x of mean 0 has the A that solves

    A = (1/(sb)) Σ w x xᵀ,   w = min(1, c/|y|²),   |y|² = xᵀA⁻¹x

with c the ¾ quantile of χ²_d and b = E min(χ²_d, c)/d (Maronna 1976). Normal groups get Σ but for sampling; a
row, however far, adds at most c/(sb) in the group's own frame. A group of which more than 1/(d + 1) is on one
side is lost: the vote is for that. The quantile is a choice: at ξ = .05, d = 1 and 2, higher ones err more
under far rows, lower ones under rows that are taken from the tails.

A group's factor is a function of its rows alone, bit for bit: groups are worked on together, but each stops
on its own when no weight moves by more than 1 %, after 50 steps at most. A is kept as the triangular factor R
of weighted rows, A = RᵀR; a group without one has a factor of zeros.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from workbench.estimators.parts.rows import neutral, present
from workbench.special import chdtr, chdtri
from workbench.types import Array

QUANTILE, MEDIAN = 0.75, 0.5  # of χ²_d, for scatter and for location
STEPS, STILL = 50, 1e-2
DEAD = 1e-12  # a pivot below this share of its column


@dataclass(frozen=True)
class Constants:
    """The cap c and the factor b of d dimensions."""

    cap: float
    bias: float


@lru_cache(maxsize=32)
def constants(d: int) -> Constants:
    """Return the constants: E min(χ²_d, c) = d F_{d+2}(c) + c (1 - F_d(c))."""
    cap = float(chdtri(d, 1 - QUANTILE))
    return Constants(cap, (d * float(chdtr(d + 2, cap)) + cap * (1 - QUANTILE)) / d)


def scatter_factors(blocks: Array) -> Array:
    """Return R of every group of rows, shape (k, s, d) -> (k, d, d); zeros where there is none."""
    known, there = constants(blocks.shape[2]), present(blocks)
    blocks, left = neutral(blocks), np.maximum(there.sum(axis=1), 1)
    weights, alive = _start(blocks, there, known)
    moving = np.flatnonzero(alive)
    for _ in range(STEPS):
        if not len(moving):
            break
        part = blocks[moving]
        lengths, found = _lengths(part, _factors(part, weights[moving] / known.bias, left[moving]))
        fresh = np.where(found[:, None], _weights(lengths, known), 1.0)
        change = np.abs(np.log(fresh / weights[moving])).max(axis=1)
        weights[moving], alive[moving] = fresh, found
        moving = moving[found & (change > STILL)]
    return np.where(alive[:, None, None], _factors(blocks, weights / known.bias, left), 0.0)


def _start(blocks: Array, there: np.ndarray, known: Constants) -> tuple[Array, np.ndarray]:
    """Return the weights in the frame of the plain second moment, scaled by the median length."""
    lengths, alive = _lengths(blocks, _factors(blocks, np.ones(there.shape), there.sum(axis=1)))
    scale = _medians(lengths, there)[:, None] / float(chdtri(blocks.shape[2], 0.5))
    return _weights(lengths / np.maximum(scale, 1e-300), known), alive


def _weights(lengths: Array, known: Constants) -> Array:
    return np.minimum(1.0, known.cap / np.maximum(lengths, 1e-300))


def _factors(blocks: Array, weights: Array, left: np.ndarray) -> Array:
    """Return the triangular factor of (1/p) Σ w x xᵀ of every group, p the rows that are there."""
    rooted = np.sqrt(weights / np.maximum(left, 1)[:, None])[:, :, None] * blocks
    return np.asarray(np.linalg.qr(rooted, mode="r"))


def _lengths(blocks: Array, factors: Array) -> tuple[Array, np.ndarray]:
    """Return |y|² of every row in the frame of its group, and which groups have a frame."""
    pivots = np.abs(np.diagonal(factors, axis1=1, axis2=2))
    columns = np.sqrt((factors * factors).sum(axis=1))
    found = np.isfinite(factors).all(axis=(1, 2)) & (pivots > DEAD * columns).all(axis=1)
    usable = np.where(found[:, None, None], factors, np.eye(blocks.shape[2]))
    y = blocks @ np.linalg.inv(usable)
    return np.asarray((y * y).sum(axis=2)), found


def location_means(blocks: Array) -> Array:
    """Return the robust mean of every group, shape (k, s, d) -> (k, d)."""
    cap = float(np.sqrt(chdtri(blocks.shape[2], 1 - MEDIAN)))
    there = present(blocks)
    middle = _medians(blocks, there)
    for _ in range(STEPS):
        away = neutral(blocks - middle[:, None, :])
        lengths = np.sqrt((away * away).sum(axis=2))
        weights = np.minimum(1.0, cap / np.maximum(lengths, 1e-300)) * there
        middle = middle + (weights[:, :, None] * away).sum(axis=1) / weights.sum(axis=1, keepdims=True)
    return np.asarray(middle)


def _medians(values: Array, there: np.ndarray) -> Array:
    """Return the medians of the rows that are there, shape (k, s, ..) -> (k, ..); NaN without any."""
    if there.all():
        return np.asarray(np.median(values, axis=1))
    mask, left = there.reshape(*there.shape, *(1,) * (values.ndim - 2)), there.sum(axis=1)
    ordered, groups = np.sort(np.where(mask, values, np.nan), axis=1), np.arange(len(values))
    return np.asarray((ordered[groups, np.maximum(left - 1, 0) // 2] + ordered[groups, left // 2]) / 2)
