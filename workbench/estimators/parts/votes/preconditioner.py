"""A covariance up to a factor, by a vote of groups of rows.  AL22 Algorithm 3.

Rows of mean 0, shuffled by the run's own randomness, in k groups of s:

    (1) A_i = the second moment of group i, as a triangular factor             `parts.votes.covariances`
    (2) their private average: vote, weights, mask                                  `parts.votes.vote`
    (3) out = c times it

c centres the mask: the median over draws of 1/√(λ_min λ_max). The mask is Thompson-Laplace for d ≤ 4 and
Wishart above by default, `square` is the source's. All of `design` is public. Proof: `proofs/populous.md`.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import log, sqrt

import numpy as np

from workbench.estimators.parts.votes.covariances import (
    Groups,
    best_mask,
    design,
    fewest_rows,
    moment_factors,
)
from workbench.estimators.parts.votes.paper import deviations
from workbench.estimators.parts.votes.vote import Design, reduced
from workbench.privacy import ApproxDP, Charge, NoiseSource, SimulatedNoise
from workbench.privacy.masks import masked_identity, square_scale
from workbench.types import Array

DRAWS, SEED = 600, 43


@dataclass(frozen=True)
class PopulousFrame:
    """The recipe for n rows of mean 0 and dimension d."""

    n: int
    d: int
    budget: ApproxDP
    beta: float
    mask: str = "auto"

    @property
    def kind(self) -> str:
        """The kind of mask."""
        return best_mask(self.d) if self.mask == "auto" else self.mask

    @property
    def design(self) -> Design:
        """Group size, thresholds and charges; raises where n rows are too few."""
        return design(self.n, self.d, self.budget, self._level, self.kind)

    @property
    def fewest(self) -> int:
        """The fewest rows that have a design."""
        return fewest_rows(self.d, self.budget, self._level, self.kind)

    @property
    def _level(self) -> float:
        return self.beta if self.kind == "square" else self.beta / 3

    def draw(self, rows: Array, noise: NoiseSource) -> Array | None:
        """Return the masked average, positive definite, or None for no answer."""
        made = self.design
        found = reduced(rows, moment_factors, Groups.of, made, noise)  # (1) (2)
        return None if found is None else found * centring(made.charges[1], self.d)[0]  # (3)

    @property
    def stretch(self) -> float:
        """The root mean square of tr(c M)/d over masks M of the identity."""
        charge = self.design.charges[1]
        traces = centring(charge, self.d)[0] * _masks(charge, self.d).mean(axis=1)
        return float(np.sqrt(np.mean(traces**2)))

    def error_bound(self) -> float:
        """Return an upper 2β/3-quantile of the Thompson distance to the covariance.

        For normal rows, given an answer: that of the mask, by simulation, and that of the second moment of as
        many rows as have all the weight at least (Davidson & Szarek 2001). For the source's design by its own
        lemmas.
        """
        made = self.design
        if self.kind == "square":
            eta = square_scale(made.charges[1], self.d)
            return deviations(made.vote.k, made.size, self.d, eta, self.beta)
        _, mask = centring(made.charges[1], self.d, self.beta / 3)
        counted = made.vote.k * made.size * made.vote.least_weight
        deviation = (sqrt(self.d) + sqrt(2 * log(6 / self.beta))) / sqrt(counted)
        return mask - 2 * log(1 - deviation) if deviation < 1 else np.inf


@lru_cache(maxsize=1024)
def centring(charge: Charge, d: int, beta: float = 0.5) -> tuple[float, float]:
    """Return c, and what |ln λ| of the centred mask exceeds with probability at most β."""
    logs = np.log(_masks(charge, d))
    middle = float(np.median(logs[:, 0] + logs[:, -1]) / 2)
    return float(np.exp(-middle)), float(np.quantile(np.abs(logs - middle).max(axis=1), 1 - beta))


@lru_cache(maxsize=64)
def _masks(charge: Charge, d: int) -> Array:
    """Return the eigenvalues of simulated masks of the identity, shape (draws, d)."""
    noise = SimulatedNoise(np.random.default_rng((SEED, d)))
    return np.linalg.eigvalsh(np.array([masked_identity(d, charge, noise) for _ in range(DRAWS)]))
