"""A subspace as a token that groups of rows can agree on exactly.  AL22 Section 4.

The rows of a group span a subspace; its projection P is rounded down to a grid of width g with public random
offsets u, and the token is (r, ⌊(P_ij + u_ij)/g⌋ for i ≤ j), r the rank. For rows of a distribution on a
subspace nearly all groups have the same token; equality of tokens is an equivalence, closeness of floats is
not. A token depends on its own group alone; rows that cannot be decomposed have the token r = -1. What is
released is a token, and the subspace is read from it: the first r eigenvectors of the cell's centre.

Proof: `proofs/populous.md`, section 5.
"""

from dataclasses import dataclass

import numpy as np

from workbench.estimators.parts.blocks.blocks import svd, usable
from workbench.types import Array

GRID = 1e-5
RANK = 1e-8  # singular values below this share of the largest one are 0


@dataclass(frozen=True)
class Tokens:
    """The grid of one run: offsets in [0, g), shape (d, d), symmetric."""

    offsets: Array

    @classmethod
    def drawn(cls, d: int, stream: np.random.Generator) -> "Tokens":
        """Return a grid with offsets from a stream that has nothing to do with the rows."""
        upper = np.triu(stream.uniform(0.0, GRID, (d, d)))
        return cls(upper + np.triu(upper, 1).T)

    def of(self, blocks: Array) -> np.ndarray:
        """Return the token of every block of shape (s, d), as text."""
        above = np.triu_indices(len(self.offsets))
        good = usable(blocks)
        values, vectors = svd(np.where(good[:, None, None], blocks, 0.0))
        good &= ~np.isnan(values).any(axis=1)
        kept = values > RANK * values[:, :1]
        spanned = vectors * kept[:, :, None]
        projections = np.swapaxes(spanned, 1, 2) @ spanned
        cells = np.floor((projections + self.offsets) / GRID)[:, above[0], above[1]]
        ranks = np.where(good, kept.sum(axis=1), -1)
        found = np.concatenate([ranks[:, None], np.where(good[:, None], cells, 0)], axis=1).astype(np.int64)
        return np.array([row.tobytes().hex() for row in found])

    def basis(self, token: str) -> Array | None:
        """Return an orthonormal basis, shape (d, r), of the subspace of a token; None where r = -1."""
        d = len(self.offsets)
        rank, *cells = np.frombuffer(bytes.fromhex(token), np.int64).tolist()
        if rank < 0:
            return None
        above = np.triu_indices(d)
        matrix = np.zeros((d, d))
        matrix[above] = (np.array(cells) + 0.5) * GRID - self.offsets[above]
        matrix = matrix + np.triu(matrix, 1).T
        return np.asarray(np.linalg.eigh(matrix)[1][:, ::-1][:, :rank])
