"""The sources' filters: drop rows while some direction varies too much.  AL22 Theorem 6.1, LKKO21 Alg 4.

Mean of rows of covariance I, ξ the share of rows that may be anything, S all rows at first:

    (1) λ, v = the top eigenvalue and eigenvector of (1/n) Σ_S (x - μ)(x - μ)ᵀ, μ the mean over S
    (2) if λ - 1 ≤ 2 ξ ln 1/ξ, out = μ
    (3) τ = (v·(x - μ))²; of the ⌈2ξn⌉ rows with the largest τ drop those with τ ≥ Z max τ; again from (1)

Second moment: the same for the m = d(d + 1)/2 products z of whitened rows (`parts.oracles.quadratic_form`),
whitened again in every pass:

    (2') stop if λ ≤ 1 + ½ ξ ln² 1/ξ + 2 √(m/n) + 4m/n, or if fewer than 1 - 4ξ of the rows would stay
    (3') τ = (v·z - median)²; drop τ ≥ Z max τ

The sources draw Z uniformly on [0, 1]; here it is ½, so that nothing is drawn. The constants of (2) and (2')
are chosen.
"""

from contextlib import suppress
from math import ceil, log, sqrt

import numpy as np

from workbench.estimators.parts.oracles.directions import weighted_moment, whitened
from workbench.estimators.parts.oracles.quadratic_form import products
from workbench.types import Array

SHARE = 0.5  # Z
MEAN, MOMENT = 2.0, 0.5
FEWEST = 0.5  # of the rows stay, however long the passes go on


def simple_mean(rows: Array, corruption: float) -> Array:
    """Return the mean of what (1) to (3) keep."""
    n = len(rows)
    kept, most = rows, ceil(2 * corruption * n)
    while corruption > 0:
        y = kept - kept.mean(axis=0)
        values, axes = np.linalg.eigh(y.T @ y / n)
        if values[-1] - 1 <= MEAN * corruption * log(1 / corruption):  # (2)
            break
        scores = (y @ axes[:, -1]) ** 2
        largest = np.argsort(-scores, kind="stable")[:most]
        drop = largest[scores[largest] >= SHARE * scores[largest[0]]]  # (3)
        if len(kept) - len(drop) < FEWEST * n:
            break
        kept = np.delete(kept, drop, axis=0)
    return np.asarray(kept.mean(axis=0))


def simple_moment(rows: Array, corruption: float) -> Array:
    """Return the second moment of the rows that (2') and (3') keep, or of all rows if it is singular."""
    kept = np.ones(len(rows), bool)
    with suppress(np.linalg.LinAlgError):
        kept = _kept(rows, corruption)
    return weighted_moment(rows, kept.astype(np.float64))


def _kept(rows: Array, corruption: float) -> np.ndarray:
    n, d = rows.shape
    kept, m = np.ones(n, bool), d * (d + 1) // 2
    while corruption > 0:
        inside = rows[kept]
        z = products(whitened(inside, weighted_moment(inside, np.ones(len(inside)))))
        values, axes = np.linalg.eigh(z.T @ z / len(z))
        bound = 1 + MOMENT * corruption * log(1 / corruption) ** 2 + 2 * sqrt(m / n) + 4 * m / n
        scores = (z @ axes[:, -1] - np.median(z @ axes[:, -1])) ** 2
        drop = scores >= SHARE * scores.max()
        if values[-1] <= bound or len(z) - drop.sum() < (1 - 4 * corruption) * n:  # (2')
            break
        kept[np.flatnonzero(kept)[drop]] = False  # (3')
    return kept
