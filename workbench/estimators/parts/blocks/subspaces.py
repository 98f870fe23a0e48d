"""The top-k subspace of a covariance with a gap, by a friendly mean of blocks' projections.

    (1) Π_j = the projection on the first k right singular vectors of block j
    (2) P = the friendly mean of Π_1 .. Π_t at distance τ (`parts.blocks.friendly_mean`)
    (3) out = the first k eigenvectors of P

With γ² = λ_{k+1}/λ_k, projections of blocks of m rows differ by about γ √(k(d - k)/m), so that τ is γ times a
public number:

    tight    1.3 times the 98 % quantile of |Π_j - Π_l| over simulated pairs of normal blocks with flat
             spectra on both sides of a tiny gap, in units of the ratio of their own block eigenvalues
    paper    4.8 √2 (√(k(d - k)) + √(2 ln 40t)/2)/√m, twice a Davis-Kahan radius

τ decides about accuracy only. A gap of 0 (rows in a subspace of dimension k) takes the smallest distance that
floats resolve, and the subspace is found to about 1e-11, never exactly. Where friends are too few there is no
vote. Proof of privacy: `proofs/aggregation.md`, section 2.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import log, sqrt

import numpy as np

from workbench.estimators.parts.blocks.blocks import ZERO
from workbench.estimators.parts.blocks.friendly_mean import CLOSEST, FriendlyMean
from workbench.linalg import symmetrised
from workbench.privacy import Charge, NoiseSource
from workbench.types import Array, Calibration

PAIRS, SEED, QUANTILE, SLACK = 400, 22, 0.98, 1.3


@dataclass(frozen=True)
class SubspaceVote:
    """The recipe for t blocks of m rows of dimension d."""

    blocks: int
    m: int
    d: int
    calibration: Calibration = "tight"

    @property
    def friendly(self) -> FriendlyMean:
        """The recipe of step (2)."""
        return FriendlyMean(self.blocks, self.calibration)

    def distance(self, k: int, gap: float) -> float:
        """Return τ for a gap γ = √(λ_{k+1}/λ_k)."""
        d = self.d
        if gap == 0 or k >= d:
            return CLOSEST
        if self.calibration == "tight":
            return gap * unit_distance(d, k, self.m)
        return 4.8 * sqrt(2 / self.m) * gap * (sqrt(k * (d - k)) + sqrt(2 * log(40 * self.blocks)) / 2)

    def draw(
        self, projections: Array, k: int, gap: float, charges: tuple[Charge, Charge], noise: NoiseSource
    ) -> Array | None:
        """Return an orthonormal basis of shape (d, k) from projections of shape (t, r, r), or None.

        Those of rows of a subspace, r < d, are enlarged by zeros: what is drawn has the size of d.
        """
        by = (0, self.d - projections.shape[1])
        points = np.pad(projections, ((0, 0), by, by))
        mean = self.friendly.draw(points, self.distance(k, gap), charges, noise)  # (2)
        return None if mean is None else top_eigenvectors(mean, k)  # (3)


def gap_after(eigenvalues: Array, k: int) -> float:
    """Return γ = √(λ_{k+1}/λ_k) of eigenvalues in descending order, at least what a block can tell from 0."""
    return max(float(np.sqrt(eigenvalues[k] / eigenvalues[k - 1])), ZERO)


def top_eigenvectors(matrix: Array, k: int) -> Array:
    """Return the eigenvectors of the k largest eigenvalues of a symmetric matrix, as columns."""
    return np.asarray(np.linalg.eigh(symmetrised(matrix))[1][:, ::-1][:, :k])


@lru_cache(maxsize=1024)
def unit_distance(d: int, k: int, m: int) -> float:
    """Return τ/γ of "tight": public, simulated from one fixed seed, in the limit of a tiny gap.

    A block has rows (y, γ z) with y of k and z of d - k standard normal entries. As γ → 0 its top subspace is
    the graph of γ B, B the regression of z on y; projections differ by γ √2 |B_j - B_l|; and the block's own
    gap is γ √(largest eigenvalue of z less its regression / smallest of y).
    """
    rows = np.random.default_rng((SEED, d, k, m)).standard_normal((2 * PAIRS, m, d))
    q, r = np.linalg.qr(rows[:, :, :k])
    regression = np.swapaxes(q, 1, 2) @ rows[:, :, k:]
    graph = np.linalg.solve(r, regression)
    rest = np.linalg.svd(rows[:, :, k:] - q @ regression, compute_uv=False)[:, 0]
    least = np.linalg.svd(r, compute_uv=False)[:, -1]
    own_gap = np.median(rest) / np.median(least)
    apart = sqrt(2) * np.sqrt(((graph[:PAIRS] - graph[PAIRS:]) ** 2).sum(axis=(1, 2)))
    return float(SLACK * np.quantile(apart, QUANTILE) / own_gap)
