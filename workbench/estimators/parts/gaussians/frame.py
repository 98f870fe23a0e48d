"""A frame of rows, and the moments that are released from it.

A frame is the linear map of rows that several steps refine, H Vᵀ with V an orthonormal basis and H square.

Rows of a subspace of dimension r have V of shape (d, r); otherwise V is the identity. A frame is a function
of released values, and mapping rows by it is a fixed map of each row.
"""

from dataclasses import dataclass

import numpy as np

from workbench.linalg import spectral_map, symmetrised
from workbench.privacy.grid import OnGrid
from workbench.types import Array


@dataclass(frozen=True)
class Frame:
    """V of shape (d, r) and H of shape (r, r)."""

    basis: Array
    shape: Array

    @property
    def rank(self) -> int:
        """The dimension r of the rows in this frame."""
        return int(self.basis.shape[1])

    @property
    def matrix(self) -> Array:
        """H Vᵀ, shape (r, d)."""
        return np.asarray(self.shape @ self.basis.T)

    def then(self, matrix: Array) -> "Frame":
        """Return the frame that maps by `matrix`, shape (r, r), afterwards."""
        return Frame(self.basis, matrix @ self.shape)

    def shrunk(self, top: Array, factor: float) -> "Frame":
        """Return the frame in which the span of orthonormal columns is `factor` times as long."""
        return self.then(np.eye(self.rank) + (factor - 1) * (top @ top.T))

    def back(self, vector: Array) -> Array:
        """Return the vector of the subspace that the frame maps to `vector`, shape (r,)."""
        return np.asarray(self.basis @ np.linalg.solve(self.shape, vector))

    def covariance(self, matrix: Array) -> Array:
        """Return V H⁻¹ M H⁻ᵀ Vᵀ for a positive semidefinite M, as a product with its own transpose."""
        root = spectral_map(matrix, lambda values: np.sqrt(np.maximum(values, 0.0)))
        half = self.basis @ np.linalg.solve(self.shape, root)
        return symmetrised(half @ half.T)


def identity_frame(d: int) -> Frame:
    """Return the frame of the rows as they are."""
    return Frame(np.eye(d), np.eye(d))


def padded(statistic: OnGrid, d: int) -> OnGrid:
    """Return a vector or matrix in the leading corner of zeros, d in each of its dimensions.

    What is drawn for rows of a subspace has the size of a draw for all d dimensions.
    """
    return statistic.padded([(0, d - size) for size in statistic.shape])


@dataclass(frozen=True)
class Moments:
    """A mean of shape (d,), or None where none is released, and a covariance of shape (d, d)."""

    mean: Array | None
    covariance: Array

    @property
    def finite(self) -> bool:
        """Whether every entry is a number."""
        known = self.mean is None or np.isfinite(self.mean).all()
        return bool(known and np.isfinite(self.covariance).all())


def point_mass(d: int) -> Moments:
    """Return the moments of rows whose covariance is 0: no scale, hence no mean."""
    return Moments(None, np.zeros((d, d)))
