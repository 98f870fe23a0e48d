"""Whether more rows than of a normal law are far from an answer: a noisy count.

Given an answer, released, and the squared lengths of n rows in its norm. Neighbours: replace one row.

    (1) how many rows are longer than a share `BEYOND` of normal rows
    (2) that over n, with noise                                               sensitivity 1/n
    (3) True unless it is `DEVIATIONS` sds above what the answer's own error lets normal rows have

Proof: `proofs/affine_mean.md`, section 7.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from workbench.estimators.shared.moments import SquaredErrors
from workbench.privacy import ZCDP, Charge, NoiseSource
from workbench.privacy.grid import OnGrid
from workbench.privacy.mechanisms import gaussian, gaussian_scale
from workbench.special import chdtrc, chdtri
from workbench.types import Array

STEP = "far rows"
BEYOND, DEVIATIONS = 0.05, 2.9  # normal rows are above the bound with chance .002
LEAST, MOST, SEEN = 0.02, 0.5, 170.0  # of ρ, for the count; n times its μ
WIDEST = 0.03  # a margin that 5 % of far rows exceed, by two sds of the count
SMALL = 0.01


def counted(n: int, room: ZCDP) -> float:
    """Return the share of the room that the count has: noise of 1/170, or less where n is large."""
    return min(MOST, max(LEAST, (SEEN / n) ** 2 / (2 * room.rho)))


@dataclass(frozen=True)
class FarRows:
    """The recipe for n rows of d columns and an answer of predicted `errors`."""

    n: int
    d: int
    cost: ZCDP
    errors: SquaredErrors

    @property
    def charge(self) -> Charge:
        """The charge of step (2)."""
        return Charge(STEP, "gaussian", 1 / self.n, self.cost)

    @property
    def edge(self) -> float:
        """The squared length of step (1)."""
        return float(chdtri(self.d, BEYOND))

    @property
    def most(self) -> float:
        """The largest noisy share that passes."""
        d, entry = self.d, 2 * self.errors.covariance / (self.d * (self.d + 1))  # variance of an entry
        edge = self.edge / (1 + entry * (d + 1) / 2 + self.errors.mean / d)  # lengths grow with errors
        expected = float(chdtrc(d, edge))
        slope = (float(chdtrc(d, edge * (1 - SMALL))) - expected) / SMALL
        variance = expected / self.n + gaussian_scale(self.charge) ** 2 + slope**2 * entry / d
        return expected + DEVIATIONS * sqrt(variance)

    @property
    def sees(self) -> bool:
        """Whether 5 % of far rows are more than (3) lets pass."""
        return self.most <= BEYOND + WIDEST

    def passes(self, lengths: Array, noise: NoiseSource) -> bool:
        """Return (3). A length that is no number is far."""
        far = np.array([np.count_nonzero(~(lengths <= self.edge))], np.int64)
        return bool(gaussian(OnGrid(far, 1 / self.n), self.charge, noise)[0] <= self.most)
