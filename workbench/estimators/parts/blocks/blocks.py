"""Disjoint blocks of rows: their spectra and top subspaces, by singular values of the rows themselves.

Block j holds the rows jm .. jm + m - 1: one replaced row touches one block. A block is never squared before
it is decomposed: eigenvalues of XᵀX are lost below 1e-16 of the largest one, squares of singular values of X
below 1e-32. Whatever goes wrong inside a block becomes a fixed value inside that block, never a global
outcome: what one block holds must not decide about the others (`proofs/aggregation.md`, section 1).
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from math import ceil, inf

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.base import LARGEST
from workbench.estimators.parts.rows import centred_count, evened
from workbench.types import Array, Calibration

LEAST = {"paper": 4, "tight": 2}  # rows in a block, in units of d: with fewer, results are absurd
SPARE, MOST = 1.6, 2000  # blocks, in units of what is needed, and of what is needless in pairs
ZERO = 1e-13  # singular values below this share of the largest one of their block are rounding
AT_ONCE = 2**16  # entries that are decomposed in one call


@dataclass(frozen=True)
class Partition:
    """How many blocks a step needs, and the rows that it has: all of them, or pairs of unknown mean."""

    needed: int
    centred: bool
    calibration: Calibration

    def sizes(self, n: int, d: int, most: float = inf) -> tuple[int, int]:
        """Return t and m, the numbers of blocks and of rows in each; the paper's t is what is needed.

        Tight: 1.6 times as many where rows suffice, and so many that a block has at most `most` d rows, up to
        2000. Raises where blocks would have fewer than 2d rows, the paper's 4d.
        """
        rows, least = centred_count(n, self.centred), LEAST[self.calibration] * d
        if rows < least * self.needed:
            fewest = least * self.needed * (1 if self.centred else 2)
            raise ArgumentError("n", n, f"at least {fewest} rows for d = {d} at this budget")
        if self.calibration == "paper":
            return self.needed, rows // self.needed
        blocks = ceil(SPARE * self.needed)
        m = max(least, int(min(most * d, rows // blocks)), rows // max(blocks, MOST) if most < inf else 0)
        return rows // m, m


def spectra(blocks: Array) -> Array:
    """Return the eigenvalues of every block's second moment, descending, shape (t, d).

    Values below 1e-26 of the largest are 0; a block that cannot be decomposed has the spectrum NaN.
    """
    (m, d), blocks = blocks.shape[1:], evened(blocks)
    found = np.zeros((len(blocks), d))
    for part, (values, _) in _decomposed(blocks):
        kept = np.where(values > ZERO * values[:, :1], values, 0.0)
        found[part, : kept.shape[1]] = kept**2 / m
        found[part][np.isnan(values).any(axis=1) | ~usable(blocks[part])] = np.nan
    return found


def projections(blocks: Array, k: int) -> Array:
    """Return the projection on every block's first k right singular vectors, shape (t, d, d).

    A block that cannot be decomposed has the projection 0.
    """
    d, blocks = blocks.shape[2], evened(blocks)
    found = np.zeros((len(blocks), d, d))
    for part, (_, vectors) in _decomposed(blocks):
        top = vectors[:, :k]
        found[part] = np.swapaxes(top, 1, 2) @ top
        found[part][~usable(blocks[part])] = 0.0
    return found


def usable(blocks: Array) -> np.ndarray:
    """Return which blocks have entries of at most 1e100, the largest that a sanitised row has."""
    return np.asarray((np.abs(blocks) <= LARGEST).reshape(len(blocks), -1).all(axis=1))


def _decomposed(blocks: Array) -> Iterator[tuple[slice, tuple[Array, Array]]]:
    """Yield singular values and right vectors of consecutive blocks; LAPACK sees usable entries only.

    Those of a block are those of its triangular factor, a product with an orthogonal matrix.
    """
    step = max(1, AT_ONCE // max(1, blocks[:1].size))
    for start in range(0, len(blocks), step):
        part = slice(start, start + step)
        finite = np.where(usable(blocks[part])[:, None, None], blocks[part], 0.0)
        yield part, svd(np.asarray(np.linalg.qr(finite, mode="r")))


def svd(blocks: Array) -> tuple[Array, Array]:
    """Return singular values and right vectors; NaN and 0 for a block that does not converge."""
    try:
        _, values, vectors = np.linalg.svd(blocks, full_matrices=False)
    except np.linalg.LinAlgError:
        return _one_by_one(blocks)
    return values, vectors


def _one_by_one(blocks: Array) -> tuple[Array, Array]:
    """Return the same where a block does not converge: its own spectrum is NaN, its vectors are 0."""
    t, m, d = blocks.shape
    values, vectors = np.full((t, min(m, d)), np.nan), np.zeros((t, min(m, d), d))
    for j, block in enumerate(blocks):
        with suppress(np.linalg.LinAlgError):
            _, values[j], vectors[j] = np.linalg.svd(block, full_matrices=False)
    return values, vectors
