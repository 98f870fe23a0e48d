"""The matrix quantile by plain iteration of its definition, for a few rows: slow, and it shares no code.

P_v is the largest P > 0 with v P <= sum_i psi(q_i)/q_i x_i x_i', q_i = x_i' P^-1 x_i. Iterating the
right-hand side from a matrix above every such P descends to it; without one the iterates become singular.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import log

import numpy as np

SINGULAR = 1e-13
SLACK = 1e-8
ROUNDING = 1e-15
STEP = 1 + 1e-6


@dataclass(frozen=True)
class Count:
    """psi: linear to `corner`, logarithmic to 1, then 1."""

    corner: float

    @property
    def steepest(self):
        """sup q psi'(q)."""
        return 1 / (1 - log(self.corner))

    def value(self, q):
        q, e = np.asarray(q, float), self.steepest
        middle = e * (1 + np.log(np.clip(q, self.corner, 1) / self.corner))
        return np.where(q < self.corner, e * q / self.corner, middle)

    def slope(self, q):
        """The right derivative."""
        q, e = np.asarray(q, float), self.steepest
        middle = np.where(q < 1, e / np.clip(q, self.corner, 1), 0.0)
        return np.where(q < self.corner, e / self.corner, middle)

    def weight(self, q):
        safe = np.maximum(q, self.corner)
        return np.where(q <= self.corner, self.steepest / self.corner, self.value(safe) / safe)


def squares(factor, x):
    """q_i for P = factor factor'."""
    return (np.linalg.solve(factor, x.T) ** 2).sum(0)


def weighted(x, weights):
    return (x.T * weights) @ x


def quantile(x, level, count, rounds=4_000):
    """A factor L with P_v <= L L' <= P_{v (1 - SLACK)}, or None where P_v = 0 (or the descent stays slow)."""
    d = x.shape[1]
    size = np.sqrt(max(x.size and (x**2).sum(1).max(), 1.0))
    factor = np.eye(d) * size * np.sqrt(count.weight(0.0) * max(len(x), 1) / level) * 1.01
    for _ in range(rounds):
        y = np.linalg.solve(factor, x.T).T
        rows = y * np.sqrt(count.weight((y**2).sum(1)) / level)[:, None]
        step = np.linalg.qr(np.vstack([rows, np.sqrt(ROUNDING) * np.eye(d)]), mode="r").T
        if np.linalg.svd(step, compute_uv=False)[-1] ** 2 >= 1 - SLACK:
            return factor
        factor = factor @ step
        if np.linalg.svd(factor, compute_uv=False)[-1] < SINGULAR * size:
            return None
    return None


def stable(x, t, centre, margin, count, step=STEP):
    """The condition C_t for the levels centre + t, centre - t + 1."""
    low = quantile(x, centre + t * step, count)
    if low is None:
        return False
    high = quantile(x, centre - (t - 1) * step, count)
    kept = weighted(np.linalg.solve(high, x.T).T, count.slope(squares(low, x)))
    return bool(np.linalg.eigvalsh(kept)[0] >= margin + count.steepest * t)


def relative(upper, lower):
    """The eigenvalues of P_lower^-1 P_upper, in increasing order."""
    return np.linalg.svd(np.linalg.solve(lower, upper), compute_uv=False)[::-1] ** 2


@cache
def line_quantile(x, level):
    """P_v of a line for psi(q) = min(q, 1), exactly: the level and the tuple x are fractions."""
    rows = sorted((Fraction(value) ** 2 for value in x), reverse=True)
    best = Fraction(0)
    for far in range(len(rows)):
        rest = sum(rows[far:], Fraction(0))
        if level > far and rest > 0:
            p = rest / (level - far)
            if sum(min(row / p, 1) for row in rows) == level:
                best = max(best, p)
    return best


@cache
def line_stable(x, t, centre, margin):
    """C_t of a line for psi(q) = min(q, 1), exactly."""
    low, high = line_quantile(x, centre + t), line_quantile(x, centre - t + 1)
    inside = sum((Fraction(v) ** 2 for v in x if Fraction(v) ** 2 < low), Fraction(0))
    return low > 0 and inside >= (margin + t) * high
