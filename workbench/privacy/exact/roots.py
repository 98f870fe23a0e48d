"""What a mask is put on, as a root in balls: a matrix of floats, or an average of squares of such."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.errors import ArgumentError
from workbench.privacy.exact import balls
from workbench.types import Array


@dataclass(frozen=True, eq=False)
class Floats:
    """A matrix whose entries are floats."""

    matrix: Array

    @property
    def d(self) -> int:
        """Its number of rows."""
        return len(self.matrix)

    def __call__(self, bits: int) -> Any:
        """Return it."""
        return balls.matrix(self.matrix.tolist())


@dataclass(frozen=True, eq=False)
class Average:
    """A root of Σ w RᵀR/Σ w: factors R of floats, shape (k, d, d), weights w ≥ 0, floats or any integers.

    A group of weight above 0 has an invertible factor: balls of a singular average would be refined forever.
    """

    factors: Array
    weights: NDArray[Any]

    def __post_init__(self) -> None:
        if self.weights.shape != self.factors.shape[:1] or not (self.weights >= 0).all():
            raise ArgumentError("weights", self.weights, f"{len(self.factors)} numbers, at least 0")
        if not (self.weights > 0).any():
            raise ArgumentError("weights", self.weights, "one above 0 or more")

    @property
    def d(self) -> int:
        """The number of rows of a factor."""
        return int(self.factors.shape[2])

    def __call__(self, bits: int) -> Any:
        """Return its triangular root, in the precision at hand."""
        used = self.weights > 0
        rows = self.factors[used].reshape(-1, self.d)
        shares = [balls.exactly(one) for one in self.weights[used].tolist()]
        each = np.repeat(np.arange(len(shares)), self.factors.shape[1])
        weighted = [[shares[i] * one for one in row] for i, row in zip(each, rows.tolist(), strict=True)]
        return _triangular(balls.matrix(rows.T.tolist()) * balls.matrix(weighted) / sum(shares))


def root_of(value: "ArrayLike | Average") -> Floats | Average:
    """Return a root that was given as one, or as a square matrix of floats."""
    if isinstance(value, Average):
        return value
    matrix = np.asarray(value, np.float64)
    if matrix.ndim != 2 or len(matrix) != matrix.shape[1] or not np.isfinite(matrix).all():
        raise ArgumentError("root", value, "a square matrix of finite numbers")
    return Floats(matrix)


def _triangular(square: Any) -> Any:
    """Return L, LLᵀ = `square`, by Cholesky's elimination."""
    d = square.nrows()
    lower = [[balls.exactly(0) for _ in range(d)] for _ in range(d)]
    for i in range(d):
        for j in range(i + 1):
            rest = square[i, j] - sum(lower[i][k] * lower[j][k] for k in range(j))
            lower[i][j] = rest.sqrt() if i == j else rest / lower[j][j]
    return balls.matrix(lower)
