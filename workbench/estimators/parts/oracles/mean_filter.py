"""A robust mean of normal rows of covariance I: tails are shaved to the normal law.  AL22 Theorem 7.3.

Rows x of shape (n, d), covariance I, of which a share ξ may be anything. Deterministic:

    (1) start from the rows within 3 median |x - m| + 6 of the coordinatewise median m
    (2) y = x - μ, μ the weighted mean; directions v: the top three eigenvectors of the weighted covariance, μ
        minus the median, and Σ w |y|² y; the excess in either tail of y·v minus its weighted median over the
        normal law (`parts.oracles.tail_excess`), from 5 standard deviations on
    (3) shave those that gain most, until there is none (`parts.oracles.shaving`); out = μ

The median is the scale of reference that outliers move least: by Φ⁻¹(½ + ξ) at most, which is also the
information limit.
"""

from collections.abc import Iterator

import numpy as np

from workbench.estimators.parts.oracles.shaving import Shave, removable, shaved
from workbench.estimators.parts.oracles.tail_excess import excess
from workbench.special import ndtr
from workbench.types import Array

TOP, SIGNIFICANCE = 3, 5.0
THRESHOLDS = np.arange(0.5, 8.001, 0.125)
NULL = (THRESHOLDS, ndtr(-THRESHOLDS))


def filtered_mean(rows: Array, corruption: float) -> Array:
    """Return the robust mean."""
    return _mean(rows, mean_weights(rows, corruption))


def mean_weights(rows: Array, corruption: float) -> Array:
    """Return the weights in [0, 1] of (1) to (3)."""
    if corruption == 0:
        return np.ones(len(rows))
    return shaved(_start(rows, corruption), corruption, lambda weights: _crowds(rows, weights))


def _mean(rows: Array, weights: Array) -> Array:
    return np.asarray(weights @ rows / weights.sum())


def _start(rows: Array, corruption: float) -> Array:
    """Return the weights of (1), all 1 if more would be lost than may be removed."""
    distances = np.sqrt(((rows - np.median(rows, axis=0)) ** 2).sum(axis=1))
    near = distances <= 3 * np.median(distances) + 6
    lost = int((~near).sum())
    return np.ones(len(rows)) if lost > removable(len(rows), corruption) else near.astype(np.float64)


def _crowds(rows: Array, weights: Array) -> Iterator[Shave]:
    """Yield the excesses of (2)."""
    y = rows - _mean(rows, weights)
    for v in _directions(y, weights):
        values = y @ v
        values = values - weighted_median(values, weights)
        for sign in (1.0, -1.0):
            crowd = excess(sign * values, weights, NULL, SIGNIFICANCE)
            if crowd is not None:
                yield Shave.of(crowd, weights, sign * values)


def _directions(y: Array, weights: Array) -> Iterator[Array]:
    if y.shape[1] == 1:
        yield np.ones(1)
        return
    yield from np.linalg.eigh((y * weights[:, None]).T @ y)[1][:, : -TOP - 1 : -1].T
    skewed = (weights * (y * y).sum(axis=1)) @ y
    for v in (np.median(y[weights > 0.5], axis=0), skewed):
        size = float(np.linalg.norm(v))
        if size > 0:
            yield v / size


def weighted_median(values: Array, weights: Array) -> float:
    """Return the first value up to which half of the weight lies."""
    order = np.argsort(values, kind="stable")
    share = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(share, share[-1] / 2)]])
