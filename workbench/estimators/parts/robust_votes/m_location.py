"""Robust means of many small groups of rows: Huber's M-estimator of location.  AL22 Algorithm 5.

A group of s rows x of covariance I has the m that solves Σ w (x - m) = 0 with w = min(1, c/|x - m|), c² the
½ quantile of χ²_d: every row pulls by at most c, and half of a group may be anything. Steps m ← Σ w x/Σ w
from the median in every coordinate; the fixed point does not depend on where they start.

A group's mean is a function of its rows alone, bit for bit: all take the same 50 steps.
"""

import numpy as np
from scipy.special import chdtri

from workbench.types import Array

QUANTILE, STEPS = 0.5, 50


def location_means(blocks: Array) -> Array:
    """Return the robust mean of every group, shape (k, s, d) -> (k, d)."""
    cap = float(np.sqrt(chdtri(blocks.shape[2], 1 - QUANTILE)))
    middle = np.median(blocks, axis=1)
    for _ in range(STEPS):
        away = blocks - middle[:, None, :]
        lengths = np.sqrt((away * away).sum(axis=2))
        weights = np.minimum(1.0, cap / np.maximum(lengths, 1e-300))
        middle = middle + (weights[:, :, None] * away).sum(axis=1) / weights.sum(axis=1, keepdims=True)
    return np.asarray(middle)
