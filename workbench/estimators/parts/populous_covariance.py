"""One vote of groups on a covariance, and its masked average.  AL22 Algorithms 1 and 3, tight calibration.

Rows of mean 0, shuffled by the run's own randomness, in k groups of s:

    (1) N_i = the number of friends of group i                                      `parts.groups`
    (2) the vote: no answer unless most groups are friends of most                  `parts.vote`
    (3) A = the weighted average of the groups' second moments, by its root
    (4) out = c · mask(A), Thompson-Laplace for d ≤ 4 and Wishart above by default  `privacy.masks`

c centres the mask: the median over draws of 1/√(λ_min λ_max). All of `design` is public. A run that ends at
(2) draws the mask too, of the identity, so that what is drawn is public. Proof: `proofs/populous.md`.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import log, sqrt

import numpy as np

from workbench.estimators.base import Array
from workbench.estimators.parts.groups import grouped
from workbench.estimators.parts.rows import shuffled
from workbench.estimators.parts.vote_design import Design, best_mask, design, fewest_rows
from workbench.privacy import ApproxDP, Charge, NoiseSource, SimulatedNoise
from workbench.privacy.masks import masked, masked_identity

DRAWS, SEED = 600, 43


@dataclass(frozen=True)
class PopulousCovariance:
    """The recipe for n rows of mean 0 and dimension d."""

    n: int
    d: int
    budget: ApproxDP
    beta: float
    mask: str = ""

    @property
    def kind(self) -> str:
        """The kind of mask."""
        return self.mask or best_mask(self.d)

    @property
    def design(self) -> Design:
        """Return group size, thresholds and charges; raise where n rows are too few."""
        return design(self.n, self.d, self.budget, self.beta / 3, self.kind)

    @property
    def fewest(self) -> int:
        """Return the fewest rows that have a design."""
        return fewest_rows(self.d, self.budget, self.beta / 3, self.kind)

    def draw(self, rows: Array, noise: NoiseSource) -> Array | None:
        """Return the masked average, positive definite, or None for no answer."""
        made = self.design
        voting, masking = made.charges
        groups = grouped(shuffled(rows, noise), made.size)
        friends = groups.friends(made.limit)  # (1)
        agreed = made.vote.passes(friends, voting, noise)  # (2)
        root = groups.average(made.vote.weights(friends)) if agreed else np.eye(self.d)  # (3)
        released = masked(root, masking, noise)  # (4)
        return released * centring(masking, self.d)[0] if agreed else None

    def error_bound(self) -> float:
        """Return what the Thompson distance to the covariance exceeds with probability at most β/3 + β/3.

        For normal rows, given an answer: that of the mask, by simulation, and that of all rows' second moment
        (Davidson & Szarek 2001).
        """
        _, mask = centring(self.design.charges[1], self.d, self.beta / 3)
        deviation = (sqrt(self.d) + sqrt(2 * log(6 / self.beta))) / sqrt(self.n)
        return mask - 2 * log(1 - deviation) if deviation < 1 else np.inf


@lru_cache(maxsize=1024)
def centring(charge: Charge, d: int, beta: float = 0.5) -> tuple[float, float]:
    """Return c, and what |ln λ| of the centred mask exceeds with probability at most β."""
    noise = SimulatedNoise(np.random.default_rng((SEED, d)))
    draws = [masked_identity(d, charge, noise) for _ in range(DRAWS)]
    logs = np.log(np.linalg.eigvalsh(np.array(draws)))
    middle = float(np.median(logs[:, 0] + logs[:, -1]) / 2)
    return float(np.exp(-middle)), float(np.quantile(np.abs(logs - middle).max(axis=1), 1 - beta))
