"""Masks: noise for positive definite matrices, of the shape of the matrix.  AL22 Definition 3.3, Section 5.

The distance is Thompson's, d(A, B) = max |ln λ| over the eigenvalues λ of A⁻¹B; AL22's semimetric is e^d - 1.
A mask takes a root L of the value and returns L M Lᵀ, M a random positive definite matrix whose law does not
change under rotations, so that any root will do and the noise is as wide as the value in every direction.

    thompson_laplace   M = U diag(e^λ) Uᵀ, density ∝ e^(-θ d(M, I)); ε-DP with θ = ε/Δ      d ≤ 4
    wishart            M = W/ν, W the second moments of ν normal rows; ν as large as (ε, δ) allows
    square             M = (I + ηG)(I + ηG)ᵀ/c, G of independent N(0, 1): the source's (Lemma 5.1)

A charge's sensitivity is the Thompson distance Δ of two values; the scale is 1/θ, 1/ν or η.
Proofs: `proofs/masks.md`, `proofs/matrix_quantile.md`.
"""

from dataclasses import dataclass
from functools import lru_cache, partial
from math import exp, expm1, log, sqrt

import numpy as np
from numpy.typing import DTypeLike

from workbench.errors import ArgumentError
from workbench.privacy.budget import ApproxDP
from workbench.privacy.chi_squares import Law, hockey_stick
from workbench.privacy.mechanisms import approximate_cost, pure_cost
from workbench.privacy.noise import NoiseSource
from workbench.privacy.plan import Charge
from workbench.privacy.roots import brentq
from workbench.types import Array

LARGEST_THOMPSON = 4


def thompson_laplace_scale(charge: Charge, d: int) -> float:
    """Return 1/θ = Δ/ε.

    Raises
    ------
    ArgumentError
        If d is above 4, or θ is not above `least_rate`.
    """
    epsilon = pure_cost(charge).epsilon
    if d > LARGEST_THOMPSON:
        raise ArgumentError("d", d, f"at most {LARGEST_THOMPSON} for the Thompson-Laplace mask")
    scale = charge.sensitivity / epsilon
    if scale * least_rate(d) >= 1:
        raise ArgumentError("sensitivity", charge.sensitivity, f"below {epsilon / least_rate(d):g}")
    return scale


def least_rate(d: int) -> int:
    """Return the lower bound on θ: 2⌊d²/4⌋, and 1.

    At ⌊d²/4⌋ the density is not integrable, and close to that a draw is rejected many thousand times.

    >>> [least_rate(d) for d in (1, 2, 3, 4)]
    [1, 2, 4, 8]
    """
    return max(1, 2 * (d * d // 4))


@dataclass(frozen=True, eq=False)
class ChargedRoot:
    """A root as it was computed, whose rounding the charge covers: exact noise is refused for any other."""

    root: Array

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.asarray(self.root, dtype)

    def __len__(self) -> int:
        return len(self.root)


def thompson_laplace(root: Array | ChargedRoot, charge: Charge, noise: NoiseSource) -> Array:
    """Return a positive definite matrix with density ∝ e^(-θ d(M, LLᵀ)), L = `root`: ε-DP."""
    return noise.thompson_laplace(root, charge.sensitivity, thompson_laplace_scale(charge, len(root)))


def wishart_scale(charge: Charge, d: int) -> float:
    """Return 1/ν for the fewest rows ν, a real number, that hold (ε, δ) at Thompson distance Δ."""
    return 1 / _degrees(approximate_cost(charge), charge.sensitivity, d)


def wishart(root: Array | ChargedRoot, charge: Charge, noise: NoiseSource) -> Array:
    """Return the second moment of ν normal rows of covariance LLᵀ, L = `root`: (ε, δ)-DP."""
    return noise.wishart(root, charge.sensitivity, wishart_scale(charge, len(root)))


def renyi(distance: float, orders: Array, d: int) -> Array:
    """Return c_α: the largest Rényi divergence for each of ν rows."""

    def divergence(v: float) -> Array:
        return np.asarray((-np.log1p(-(orders - 1) * expm1(v)) / (orders - 1) - v) / 2)

    up, down = divergence(distance), divergence(-distance)
    return up + down if d > 1 else np.maximum(up, down)


def square_scale(charge: Charge, d: int) -> float:
    """Return η of the source's mask: the least for which Lemma 5.1 allows γ = e^Δ - 1 (constants recalled).

    γ² ≤ ε/(2d(d + 1/η²)), γ ≤ ε/(8d √l), γ ≤ ε/(8l), γ ≤ εη/(12 √(dl)), with l = ln(2/δ), and γ ≤ 1.
    """
    cost, gamma = approximate_cost(charge), expm1(charge.sensitivity)
    epsilon, level = cost.epsilon, log(2 / cost.delta)
    rest = epsilon - 2 * (d * gamma) ** 2
    if gamma > 1 or rest <= 0 or 8 * gamma * max(d * sqrt(level), level) > epsilon:
        raise ArgumentError("sensitivity", charge.sensitivity, "small enough for Lemma 5.1 at any η")
    return max(gamma * sqrt(2 * d / rest), 12 * gamma * sqrt(d * level) / epsilon)


def square(root: Array | ChargedRoot, charge: Charge, noise: NoiseSource) -> Array:
    """Return L (I + ηG)(I + ηG)ᵀ Lᵀ: (ε, δ)-DP."""
    return noise.square(root, charge.sensitivity, square_scale(charge, len(root)))


def masked(root: Array | ChargedRoot, charge: Charge, noise: NoiseSource) -> Array:
    """Return LLᵀ, L = `root`, under the mask that `charge` names, at the charge's cost."""
    return _draw(root, charge, noise)


def masked_identity(d: int, charge: Charge, noise: NoiseSource) -> Array:
    """Return the identity under a mask: what a design looks at, no release."""
    return _draw(np.eye(d), charge, noise)


def _draw(root: Array | ChargedRoot, charge: Charge, noise: NoiseSource) -> Array:
    if charge.mechanism not in MASKS:
        raise ArgumentError("mechanism", charge.mechanism, "one of " + ", ".join(MASKS))
    return MASKS[charge.mechanism](root, charge, noise)


MASKS = {
    "thompson_laplace": thompson_laplace,
    "wishart": wishart,
    "square": square,
}


def wishart_delta(distance: float, degrees: float, d: int, epsilon: float) -> float:
    """Return the δ of ν rows at a Thompson distance: the largest hockey-stick divergence of any pair.

    It is attained where j eigenvalues of the ratio are e^Δ and d - j are e^-Δ; the loss is there a difference
    of two chi-square variables.
    """
    up, down = expm1(distance) / 2, -expm1(-distance) / 2

    def delta(j: int) -> float:
        first, second = (j * degrees, 0.0), ((d - j) * degrees, 0.0)
        threshold = epsilon + distance / 2 * (first[0] - second[0])
        return hockey_stick(epsilon, threshold, (up, first, down, second), (down, first, up, second))

    return max(delta(j) for j in range(d + 1))


def square_delta(distance: float, eta: float, d: int, epsilon: float) -> float:
    """Return the δ of the source's mask at a Thompson distance, as `wishart_delta` (Lemma 5.1, exactly)."""
    up, down = exp(distance), exp(-distance)

    def constant(ratio: float) -> float:
        return d / 2 * log(ratio) + (sqrt(ratio) - 1) / (2 * eta**2 * (sqrt(ratio) + 1))

    def law(rows: int, ratio: float, scale: float) -> Law:
        return rows * d, rows * scale / (eta * (sqrt(ratio) + 1)) ** 2

    def delta(j: int) -> float:
        m = d - j
        threshold = epsilon + j * constant(up) + m * constant(down)
        p = (up - 1) / 2, law(j, up, up), (1 - down) / 2, law(m, down, down)
        q = (1 - down) / 2, law(j, up, 1.0), (up - 1) / 2, law(m, down, 1.0)
        return hockey_stick(epsilon, threshold, p, q)

    return max(delta(j) for j in range(d + 1))


@lru_cache(maxsize=4096)
def _degrees(cost: ApproxDP, distance: float, d: int) -> float:
    """Return the largest ν > d - 1 whose δ is within the cost; the δ increases with ν."""
    excess = partial(_log_excess, cost, distance, d)
    least = log(d - 1 + 1e-3)
    if excess(least) > 0:
        raise ArgumentError("sensitivity", distance, f"smaller, for {d} dimensions at {cost}")
    found = brentq(excess, least, log(1e6 + (d / distance) ** 2), xtol=1e-7)
    while excess(found) > 0:
        found -= 1e-6
    return exp(found)


@lru_cache(maxsize=64)  # a search asks again for its ends
def _log_excess(cost: ApproxDP, distance: float, d: int, log_rows: float) -> float:
    found = wishart_delta(distance, exp(log_rows), d, cost.epsilon)
    return log(max(found, 1e-300)) - log(cost.delta)
