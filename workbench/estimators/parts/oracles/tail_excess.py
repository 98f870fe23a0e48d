"""Where rows crowd the tail of a quadratic form beyond what normal rows would, and how much of them to keep.

Of n rows, whitened by their own weighted second moment S, p = yᵀUy. If S is right, p has the law of gᵀUg; if
S is too large, the true rows have that of a smaller spectrum. So the law is compared under a scale that
outliers do not move, a count:

    (1) t = (weighted share of p ≥ tr U - P(gᵀUg ≥ tr U))/A,  A = ½ ∫ P(gᵀUg ≥ x) dx from tr U
        S^½ (I + tU) S^½ has the right share above its mean, to first order; reference λ (1 + tλ)
    (2) the first threshold x with seen ≥ 3/2 T and seen ≥ T + k (√(T/n) + 1/n), of those with T ≤ .3:
        seen is the weighted share of rows beyond x, T that of the reference
    (3) from x outwards weights shrink until each bin holds what the reference has there and two standard
        deviations more: never to nothing where the reference has something

The count of (1) is the score with the least worst bias in one dimension (Huber 1964).
"""

from dataclasses import dataclass

import numpy as np

from workbench.estimators.parts.oracles.quadratic_form import above_mean, upper_tail
from workbench.types import Array

RATIO, LEVEL, SLACK = 1.5, 0.3, 2.0
LEAST, MOST, FLOOR = -0.6, 1.5, 0.2  # of t, and of the factor of an eigenvalue


@dataclass(frozen=True)
class Excess:
    """Rows of a tail and the factors of their weights, aligned."""

    rows: np.ndarray
    factors: Array

    def removed(self, weights: Array) -> Array:
        """Return how much weight each of the rows loses."""
        return np.asarray(weights[self.rows] * (1 - self.factors))


def reference(values: Array, weights: Array, spectrum: Array) -> Array:
    """Return the spectrum of (1) for rows with p = `values`."""
    mean = float(spectrum.sum())
    x, tail = upper_tail(spectrum)
    share = above_mean(spectrum)
    beyond = x > mean
    heights = np.append(share, np.minimum(tail[beyond], share))
    area = 0.5 * float(np.trapezoid(heights, np.append(mean, x[beyond])))
    t = (float(weights[values >= mean].sum()) / float(weights.sum()) - share) / area
    return np.asarray(spectrum * np.maximum(1 + np.clip(t, LEAST, MOST) * spectrum, FLOOR))


def excess(values: Array, weights: Array, null: tuple[Array, Array], significance: float) -> Excess | None:
    """Return the excess of the upper tail by (2) and (3), or None if there is none.

    `null` holds increasing thresholds and the law's mass beyond each; `significance` is k.
    """
    n, (x, tail) = len(values), null
    x, tail = x[tail <= LEVEL], tail[tail <= LEVEL]
    rows = np.flatnonzero(values >= x[0])
    bins = np.searchsorted(x, values[rows], side="right") - 1
    held = np.bincount(bins, weights[rows], len(x)) / weights.sum()
    seen = held[::-1].cumsum()[::-1]
    crowded = (seen >= RATIO * tail) & (seen >= tail + significance * (np.sqrt(tail / n) + 1 / n))
    if not crowded.any():
        return None
    outer = slice(int(crowded.argmax()), None)
    due = tail - np.append(tail[1:], 0.0)
    factors = np.ones(len(x))
    allowed = due[outer] + SLACK * np.sqrt(due[outer] / n)
    factors[outer] = np.minimum(1.0, allowed / np.maximum(held[outer], 1e-300))
    return Excess(rows, factors[bins])
