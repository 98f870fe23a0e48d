"""A robust second moment: tails of quadratic forms are shaved to their exact law.  AL22 Theorem 6.1.

Normal rows x of shape (n, d), mean 0, of which a share ξ may be anything. Deterministic, and equivariant
under linear maps of the rows; no constant depends on the data:

    (1) start from all rows but the far ones (`parts.oracles.directions`): S is too large rather than too
    small
    (2) y = S^-½ x, S the weighted second moment; in each direction U, in either tail of yᵀUy, the excess over
        the exact law under a scale that outliers do not move (`parts.oracles.tail_excess`)
    (3) shave those that gain most, until there is none (`parts.oracles.shaving`); out = S

An excess counts from 3.5 + 1.5 ln d standard deviations on, so that clean rows are left as they are, 99 of
100 times and more. The error on normal rows is measured, not proved:
`chapters/any_gaussian/claims/oracles.py`.

Where there is no frame (rows in a subspace) the plain second moment is returned.
"""

from collections.abc import Iterator
from contextlib import suppress
from math import log

import numpy as np

from workbench.estimators.parts.oracles.directions import (
    beyond_any_frame,
    directions,
    far_rows,
    weighted_moment,
    whitened,
)
from workbench.estimators.parts.oracles.quadratic_form import matrix_of, products, upper_tail
from workbench.estimators.parts.oracles.shaving import Shave, removable, shaved
from workbench.estimators.parts.oracles.tail_excess import excess, reference
from workbench.types import Array


def filtered_moment(rows: Array, corruption: float) -> Array:
    """Return the robust second moment, or the plain one where rows have no frame."""
    weights = np.ones(len(rows))
    with suppress(np.linalg.LinAlgError):
        weights = filter_weights(rows, corruption)
    return weighted_moment(rows, weights)


def filter_weights(rows: Array, corruption: float) -> Array:
    """Return the weights in [0, 1] that (1) to (3) give the rows; raise LinAlgError if there is no frame."""
    n, d = rows.shape
    if corruption == 0:
        return np.ones(n)
    significance = 3.5 + 1.5 * log(d)

    def crowds(weights: Array) -> Iterator[Shave]:
        return _crowds(whitened(rows, weighted_moment(rows, weights)), weights, significance)

    return shaved(start(rows, corruption), corruption, crowds)


def start(rows: Array, corruption: float) -> Array:
    """Return the weights of (1): 0 for far rows, unless they are more than may be removed."""
    cap, near = removable(len(rows), corruption), ~beyond_any_frame(rows)
    if len(rows) - near.sum() > cap:
        near[:] = True
    kept = np.flatnonzero(near)
    near[kept[far_rows(rows[kept], corruption)]] = False
    return np.ones(len(rows)) if len(rows) - near.sum() > cap else near.astype(np.float64)


def _crowds(y: Array, weights: Array, significance: float) -> Iterator[Shave]:
    """Yield the excesses of (2) in whitened rows."""
    z = products(y)
    for u in directions(y, z, weights):
        spectrum = np.asarray(np.linalg.eigvalsh(matrix_of(u, y.shape[1])), np.float64)
        offsets = np.sqrt(2) * (z @ u)
        values = offsets + spectrum.sum()
        null = reference(values, weights, spectrum)
        for sign in (1.0, -1.0):
            crowd = excess(sign * values, weights, upper_tail(sign * null), significance)
            if crowd is not None:
                yield Shave.of(crowd, weights, sign * offsets)
