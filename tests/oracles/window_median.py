"""The exact law of the window-median mechanism by direct counting, for small n.

Nothing here is fast or clever. A law is a list of pieces (left, right, log density) and the mass of bottom.
`law` counts with fractions at the midpoint of every piece; `refined_pairs` does the same in floats for
many neighbouring pairs at once, on the common refinement of the two lists of pieces.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import exp, inf, isfinite, log

import numpy as np


@dataclass(frozen=True)
class Law:
    pieces: list[tuple[float, float, float]]
    bottom: float

    def mass(self) -> float:
        return self.bottom + sum(float(Fraction(b) - Fraction(a)) * exp(d) for a, b, d in self.pieces)


def score(t: Fraction, points, left_width, right_width) -> tuple[Fraction, int]:
    """The score m(t) and O(t), point by point; `points` are floats, -inf allowed."""
    n = len(points)
    below = sum(1 for y in points if y == -inf or Fraction(y) < t)
    inside = sum(
        1
        for y in points
        if y != -inf and t - Fraction(left_width) <= Fraction(y) <= t + Fraction(right_width)
    )
    return max(abs(Fraction(n) - 2 * below) / 2, Fraction(n - inside)), n - inside


def law(points, epsilon, left_width, right_width, *, span=None, delta=None) -> Law:
    """The law on the range `span`, or without a range at `delta`."""
    points = [float(y) for y in points]
    n = len(points)
    cuts = set()
    for y in points:
        if isfinite(y):
            cuts |= {Fraction(y), Fraction(y) - Fraction(right_width), Fraction(y) + Fraction(left_width)}
    if span is not None:
        lo, hi = map(Fraction, span)
        cuts = {c for c in cuts if lo < c < hi} | {lo, hi}
    edges = sorted(cuts)
    pieces = []
    for a, b in pairwise(edges):
        m, outside = score((a + b) / 2, points, left_width, right_width)
        if span is not None or outside <= n - 1:
            pieces.append((float(a), float(b), -epsilon * float(m) / 2, log(b - a)))
    terms = [d + size for _, _, d, size in pieces]
    log_bottom = -inf
    if delta is not None:
        log_bottom = log(left_width + right_width) + epsilon / 2 - log(delta) - epsilon * n / 2
        terms.append(log_bottom)
    top = max(terms)
    total = top + log(sum(exp(term - top) for term in terms))
    return Law([(a, b, d - total) for a, b, d, _ in pieces], exp(log_bottom - total))


def common_refinement(first: Law, second: Law) -> tuple[np.ndarray, np.ndarray]:
    """Log masses of both laws on the pieces of the common refinement, bottom last."""
    edges = sorted({e for side in (first, second) for a, b, _ in side.pieces for e in (a, b)})
    rows = []
    for a, b in pairwise(edges):
        row = []
        for side in (first, second):
            density = [d for left, right, d in side.pieces if left <= a and b <= right]
            row.append(density[0] + log(b - a) if density else -inf)
        rows.append(row)
    rows.append([log(side.bottom) if side.bottom > 0 else -inf for side in (first, second)])
    both = np.array(rows)
    return both[:, 0], both[:, 1]


def refined_pairs(first, second, epsilon, left_width, right_width, *, span=None, delta=None):
    """Log masses for many pairs: `first`, `second` of shape (pairs, n); the others broadcast over pairs."""
    first, second = np.atleast_2d(first).astype(float), np.atleast_2d(second).astype(float)
    pairs, n = first.shape
    epsilon, left_width, right_width = (
        np.broadcast_to(np.asarray(a, float), (pairs,))[:, None] for a in (epsilon, left_width, right_width)
    )
    both = np.concatenate([first, second], axis=1)
    cuts = np.concatenate([both, both - right_width, both + left_width], axis=1)
    if span is not None:
        lo, hi = (np.broadcast_to(np.asarray(a, float), (pairs,))[:, None] for a in span)
        cuts = np.concatenate([np.clip(cuts, lo, hi), lo, hi], axis=1)
    else:
        smallest = np.min(np.where(np.isfinite(cuts), cuts, inf), axis=1, keepdims=True)
        cuts = np.where(np.isfinite(cuts), cuts, np.where(np.isfinite(smallest), smallest, 0.0))
    cuts = np.sort(cuts, axis=1)
    size = np.diff(cuts, axis=1)
    middle = (cuts[:, :-1] + size / 2)[:, :, None]
    out = []
    for points in (first, second):
        y = points[:, None, :]
        below = np.sum(y < middle, axis=2)
        start, end = y - right_width[:, :, None], y + left_width[:, :, None]
        inside = np.sum((start <= middle) & (middle <= end), axis=2)
        m = np.maximum(np.abs(n - 2 * below) / 2, n - inside)
        with np.errstate(divide="ignore"):
            weight = np.log(size) - epsilon * m / 2
        bottom = np.full((pairs, 1), -inf)
        if span is None:
            weight = np.where(inside >= 1, weight, -inf)
            bottom = np.log(left_width + right_width) + epsilon / 2 - epsilon * n / 2
            bottom = bottom - np.log(np.broadcast_to(np.asarray(delta, float), (pairs,)))[:, None]
        out.append(normalise(np.concatenate([weight, bottom], axis=1)))
    return out[0], out[1]


def normalise(weight: np.ndarray) -> np.ndarray:
    top = weight.max(axis=-1, keepdims=True)
    return weight - top - np.log(np.exp(weight - top).sum(axis=-1, keepdims=True))


def max_loss(log_p, log_q):
    """The largest |ln dP/dQ| over sets of positive mass; infinite when the supports differ."""
    neither = (log_p == -inf) & (log_q == -inf)
    with np.errstate(invalid="ignore"):
        return np.max(np.where(neither, 0.0, np.abs(log_p - log_q)), axis=-1)


def hockey_stick(log_p, log_q, epsilon):
    """The larger of the two hockey-stick divergences at epsilon."""
    factor = np.exp(np.asarray(epsilon, float))[..., None]
    p, q = np.exp(log_p), np.exp(log_q)
    return np.maximum(np.maximum(p - factor * q, 0).sum(axis=-1), np.maximum(q - factor * p, 0).sum(axis=-1))


def renyi(log_p, log_q, alpha):
    """The larger of the two Renyi divergences of order alpha, for equal supports."""
    found = (log_p > -inf) & (log_q > -inf)
    p, q = np.where(found, log_p, 0.0), np.where(found, log_q, 0.0)
    values = []
    for a, b in ((p, q), (q, p)):
        terms = np.where(found, alpha * a + (1 - alpha) * b, -inf)
        top = terms.max(axis=-1, keepdims=True)
        values.append((top[..., 0] + np.log(np.exp(terms - top).sum(axis=-1))) / (alpha - 1))
    return np.maximum(*values)


def split_support(log_p, log_q):
    """The two laws conditioned on their common support, and the larger mass that lies outside it."""
    common = (log_p > -inf) & (log_q > -inf)
    outside = np.maximum(
        np.where(common, 0.0, np.exp(log_p)).sum(axis=-1), np.where(common, 0.0, np.exp(log_q)).sum(axis=-1)
    )
    return normalise(np.where(common, log_p, -inf)), normalise(np.where(common, log_q, -inf)), outside
