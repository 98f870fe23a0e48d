"""One step towards a round covariance: from a noisy second moment to a better linear map, and back.

Rows w = A x have covariance S with ℓI ≤ S ≤ I, and a noisy second moment Z is known to lie in a band

    keep·S - e I ≤ Z ≤ S + e I.

Then U = V diag(max(λ + e, keep·ℓ)) Vᵀ / keep, with Z = V diag(λ) Vᵀ, satisfies S ≤ U ≤ (S + 2e I)/keep, so
that A' = U^{-1/2} A has ℓ'I ≤ A' Σ A'ᵀ ≤ I with ℓ' = keep·ℓ/(ℓ + 2e): M21/HT Algorithm 2 and Theorem 3.2, and
a step of CoinPress with keep = 1. ℓ' depends on public numbers only. Proof: `proofs/heavy_tails.md`,
section 4.

Departures: eigenvalues are not cut from above, after which the upper bound I would fail; A is not symmetric,
rows are mapped as x Aᵀ and results as A⁻¹ M A⁻ᵀ.
"""

from dataclasses import dataclass

import numpy as np

from workbench.linalg import spectral_map, symmetrised
from workbench.types import Array


@dataclass(frozen=True)
class Band:
    """The public constants of a step: e = `error`, and `keep`, the least share of S that Z sees.

    Where e is less than a bound, `floor` keeps an axis that noise hides from being taken for a much shorter
    one: the least value of keep·U.
    """

    error: float
    keep: float = 1.0
    floor: float = 0.0

    def next_lower(self, lower: float) -> float:
        """Return ℓ' = keep·ℓ/(ℓ + 2e). With keep = 1, ℓ' ≥ 2ℓ where ℓ ≤ 1/4 and e ≤ 1/8.

        >>> Band(0.125).next_lower(0.25)
        0.5
        """
        return self.keep * lower / (lower + 2 * self.error)

    def helps(self, lower: float) -> bool:
        """Return whether ℓ' > ℓ: the public skip rule."""
        return self.next_lower(lower) > lower

    def envelope(self, z: Array, lower: float) -> Array:
        """Return U."""
        return spectral_map(z, lambda values: self._stretched(values, lower))

    def preconditioned(self, z: Array, lower: float, a: Array) -> Array:
        """Return U^{-1/2} A."""
        return spectral_map(z, lambda values: 1 / np.sqrt(self._stretched(values, lower))) @ a

    def _stretched(self, values: Array, lower: float) -> Array:
        return np.asarray(np.maximum(values + self.error, max(self.keep * lower, self.floor)) / self.keep)


def mapped_back(z: Array, a: Array) -> Array:
    """Return A⁻¹ Z A⁻ᵀ, symmetric."""
    half = np.linalg.solve(a, z)
    return symmetrised(np.linalg.solve(a, half.T))
