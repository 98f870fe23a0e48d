"""Count, sum and second moment of weighted rows in a ball, released together by one Gaussian mechanism.

Every row y has |y| ≤ r and a weight w in [0, 1], both functions of that row and of former releases. With
N = Σ w, s = Σ w y, A = Σ w y yᵀ, the mechanism is Gaussian noise of sd 1/μ on the vector

    (a N,  b s/(2r),  c A/(√2 r²))/g           A as its entries on, and √2 times those above, the diagonal

    b² + c² = 1;   g = c + b²/(4c) if b² ≤ 4c², else b;   a² = g² - b²/4 - c²/2

whose l2-sensitivity is 1: g is the most that replacing a row of weight 1 by another moves (b s, c A), and a is
as large as it can be without a row that enters or leaves moving more, so that the count costs nothing. c = 0
asks for the mean alone: a² = 3/4. Proof: `proofs/robust_mean.md`, section 1.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from workbench.estimators.base import Array


@dataclass(frozen=True)
class Sums:
    """N, s and A of the module; A is None where it was not asked for."""

    count: float
    total: Array
    moment: Array | None = None


@dataclass(frozen=True)
class Whitening:
    """The weights of the three; `moment` is c² = 1 - b²."""

    radius: float
    moment: float = 0.0

    @property
    def gap(self) -> float:
        """g: what one replaced row of weight 1 moves at most."""
        b2, c2 = 1 - self.moment, self.moment
        return sqrt(c2) + b2 / (4 * sqrt(c2)) if b2 <= 4 * c2 else sqrt(b2)

    @property
    def scales(self) -> tuple[float, float, float]:
        """What N, s and the entries of A are multiplied with."""
        b2, c2, g = 1 - self.moment, self.moment, self.gap
        a = sqrt(g**2 - b2 / 4 - c2 / 2)
        return a / g, sqrt(b2) / (2 * self.radius * g), sqrt(c2) / (sqrt(2) * self.radius**2 * g)

    def size(self, d: int) -> int:
        """Return how many numbers the vector has."""
        return 1 + d + (d * (d + 1) // 2 if self.moment else 0)

    def vector(self, sums: Sums, size: int | None = None) -> Array:
        """Return the vector, with zeros behind it up to `size`: the size must not tell what was asked."""
        count, total, moment = self.scales
        parts = [np.array([count * sums.count]), total * sums.total]
        if self.moment and sums.moment is not None:
            rows, columns, weights = _triangle(len(sums.total))
            parts.append(moment * weights * sums.moment[rows, columns])
        found = np.concatenate(parts)
        return np.pad(found, (0, (size or len(found)) - len(found)))

    def sums(self, vector: Array, d: int) -> Sums:
        """Return what a vector stands for: the inverse of `vector`."""
        count, total, moment = self.scales
        if not self.moment:
            return Sums(float(vector[0]) / count, vector[1 : d + 1] / total)
        rows, columns, weights = _triangle(d)
        matrix = np.empty((d, d))
        matrix[rows, columns] = matrix[columns, rows] = vector[d + 1 : self.size(d)] / (moment * weights)
        return Sums(float(vector[0]) / count, vector[1 : d + 1] / total, matrix)


@lru_cache(maxsize=64)
def _triangle(d: int) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
    rows, columns = np.triu_indices(d)
    return rows, columns, np.where(rows == columns, 1.0, sqrt(2))
