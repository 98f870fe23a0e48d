"""Noise sources: where all randomness of a release comes from.

A source ADDS noise to a value; a positive definite matrix, given by a root, gets noise of its own shape
(`privacy.stable`). Three live here: `SimulatedNoise` (a numpy Generator: for study), `UnitNoise` (adds
exactly one scale: reveals the calibration without sampling) and `CountingNoise` (keeps a record).

Floating-point noise is not safe against an observer who sees the low bits of an output (Mironov 2012): a
release for the world needs `privacy.secure`, on a grid, with operating-system randomness.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf, log
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from workbench.errors import ArgumentError
from workbench.privacy import cuts
from workbench.privacy.grid import Band, Later
from workbench.types import Array, Mask, frozen

AT_ONCE = 2**15  # variables at a time: they stay in the cache
OFF = 2.0**-40  # relative: what the rounding of a few operations may be


@runtime_checkable
class NoiseSource(Protocol):
    """A source of noise: `value` plus independent noise of the given scale, entry by entry.

    `sensitivity` is that of the whole value in the mechanism's norm; `scale` has the unit of the value.
    """

    def laplace(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        """Add noise of density e^(-|z|/scale) / (2 scale)."""

    def truncated_laplace(self, value: ArrayLike, sensitivity: float, scale: float, bound: float) -> Array:
        """Add Laplace noise conditioned on [-bound, bound]."""

    def discrete_laplace(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        """Add integer noise of probability proportional to e^(-|z|/scale)."""

    def gaussian(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        """Add normal noise of standard deviation scale."""

    def symmetric_gaussian(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        """Add a symmetric normal matrix: sd scale on the diagonal, scale/√2 off it."""

    def choice(self, scores: ArrayLike, sensitivity: float, scale: float, weights: Any = None) -> int:
        """Choose an index with probability proportional to weight · e^(score/scale), of weight 1 if None."""

    def exponential(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        """Add exponential noise of mean scale."""

    def thompson_laplace(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        """Draw a matrix of density e^(-d/scale), d its Thompson distance to LLᵀ, L the value."""

    def wishart(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        """Draw the second moment of 1/scale normal rows of covariance LLᵀ, L the value."""

    def square(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        """Draw L (I + scale G)(I + scale G)ᵀ Lᵀ, L the value, G of independent N(0, 1)."""

    def cuts(self, value: cuts.Level, sensitivity: float, scale: float) -> list[list[int]]:
        """Draw the pieces of all cuts of a level, node by node, of probability ∝ ways · e^(score/scale)."""

    def uniform(self, low: float, high: float) -> float:
        """Return a uniform point of [low, high]: no privacy hangs on its scale."""

    def below(self, count: int) -> int:
        """Return a uniform whole number of 0, .., count - 1."""


@frozen
class SimulatedNoise:
    """Noise of a numpy Generator: reproducible, hence for study and not for release."""

    rng: np.random.Generator

    def laplace(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        return _plus(value, lambda shape: self.rng.laplace(scale=scale, size=shape))

    def truncated_laplace(self, value: ArrayLike, sensitivity: float, scale: float, bound: float) -> Array:
        centre = np.asarray(value, np.float64)
        size = -scale * np.log1p(self.rng.random(centre.shape) * np.expm1(-bound / scale))  # by inversion
        return centre + np.minimum(size, bound) * self.rng.choice([-1.0, 1.0], size=centre.shape)

    def discrete_laplace(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        centre = np.asarray(value, np.float64)  # geometric variables: whole parts of exponential ones
        first, second = np.floor(scale * self.rng.standard_exponential((2, *centre.shape)))
        return centre + (first - second)

    def gaussian(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        return _plus(value, lambda shape: scale * self.rng.standard_normal(shape))

    def symmetric_gaussian(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        centre = np.asarray(value, np.float64)
        entries = self.rng.standard_normal(centre.shape)
        return centre + scale / 2 * (entries + entries.T)

    def choice(self, scores: ArrayLike, sensitivity: float, scale: float, weights: Any = None) -> int:
        """Choose an index by Gumbel-max: minus the log of an exponential variable is added to each score."""
        if isinstance(scores, Later):
            found = self._in_band(scores.band, scale) if scores.band else None
            if found is not None:
                return found
            scores, weights = scores.whole, weights.whole if isinstance(weights, Later) else weights
        logits = _logits(scores, scale, weights)
        with np.errstate(divide="ignore"):
            return int(np.argmax(logits - scale * np.log(self.rng.standard_exponential(logits.shape))))

    def _in_band(self, band: Band, scale: float) -> int | None:
        """Return the index that `choice` chooses if it is certain to be in the band; else draw nothing.

        The same exponential variables: of those outside the band only the least counts.
        """
        state = self.rng.bit_generator.state
        drawn, least = _exponentials(self.rng, band)
        with np.errstate(divide="ignore"):
            reached = _logits(band.scores, scale, band.weights) - scale * np.log(drawn)
            best = int(np.argmax(reached))
            furthest = scale * (log(band.widest) - np.log(least)) if band.widest > 0 else -inf
        terms = (max(band.most) * band.unit, furthest)
        if reached[best] > sum(terms) + OFF * sum(map(abs, terms)):
            return int(band.places[best])
        self.rng.bit_generator.state = state
        return None

    def exponential(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        return _plus(value, lambda shape: self.rng.exponential(scale, size=shape))

    def thompson_laplace(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        def draw(d: int) -> Array:
            values, basis = thompson_exponents(d, 1 / scale, self.rng), uniform_basis(d, self.rng)
            return (basis * np.exp(values)) @ basis.T

        return _shaped(value, draw)

    def wishart(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        return _shaped(value, lambda d: _wishart(d, 1 / scale, self.rng))

    def square(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        def draw(d: int) -> Array:
            root = np.eye(d) + scale * self.rng.standard_normal((d, d))
            return root @ root.T

        return _shaped(value, draw)

    def cuts(self, value: cuts.Level, sensitivity: float, scale: float) -> list[list[int]]:
        return cuts.pieces(value, scale, cuts.drawn_by(self.rng))

    def uniform(self, low: float, high: float) -> float:
        return float(low + (high - low) * self.rng.random())

    def below(self, count: int) -> int:
        """Return one of at most 2^53 whole numbers spread over 0, .., count - 1."""
        return int(2**53 * self.rng.random()) * count >> 53


def _plus(value: ArrayLike, draw: Callable[[tuple[int, ...]], Array]) -> Array:
    centre = np.asarray(value, np.float64)
    return centre + draw(centre.shape)


def _exponentials(rng: np.random.Generator, band: Band) -> tuple[Array, float]:
    """Draw `band.size` exponential variables in order; return those of the band, and the least other one."""
    drawn, least, buffer = np.empty(len(band.places)), inf, np.empty(min(AT_ONCE, band.size))
    for start in range(0, band.size, AT_ONCE):
        some = rng.standard_exponential(out=buffer[: band.size - start])
        first, last = np.searchsorted(band.places, (start, start + len(some)))
        if first < last:
            here = band.places[first:last] - start
            drawn[first:last] = some[here]
            some[here] = inf
        least = min(least, float(some.min()))
    return drawn, least


def _logits(scores: ArrayLike, scale: float, weights: Any) -> Array:
    values = np.asarray(scores, np.float64)
    if weights is None:
        return values
    with np.errstate(divide="ignore"):
        return values + scale * np.log(np.asarray(weights, np.float64))


def _shaped(root: ArrayLike, draw: Callable[[int], Array]) -> Array:
    """Return L M Lᵀ for a root L of the value and a random matrix M, exactly symmetric."""
    factor = np.asarray(root, np.float64)
    product = factor @ draw(len(factor)) @ factor.T
    return (product + product.T) / 2


@frozen
class UnitNoise:
    """Adds exactly one scale to every entry; chooses the likeliest, and the middle of a range."""

    def _add(self, value: ArrayLike, sensitivity: float, scale: float, *rest: float) -> Array:
        return np.asarray(value, np.float64) + scale

    laplace = truncated_laplace = discrete_laplace = gaussian = exponential = _add

    def choice(self, scores: ArrayLike, sensitivity: float, scale: float, weights: Any = None) -> int:
        return int(np.argmax(_logits(scores, scale, weights)))

    def symmetric_gaussian(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        centre = np.asarray(value, np.float64)
        return centre + scale * np.where(np.eye(len(centre), dtype=bool), 1.0, 0.5**0.5)

    def thompson_laplace(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        factor = np.asarray(value, np.float64)
        return (1 + scale) * (factor @ factor.T)

    wishart = square = thompson_laplace

    def cuts(self, value: cuts.Level, sensitivity: float, scale: float) -> list[list[int]]:
        return cuts.pieces(value, scale, lambda weights, _: int(np.argmax(weights)))

    def uniform(self, low: float, high: float) -> float:
        return low + (high - low) / 2

    def below(self, count: int) -> int:
        return count // 2


@frozen
class Draw:
    """One call of a noise source: which noise, of which sensitivity and scale, how many entries."""

    kind: str
    sensitivity: float
    scale: float
    size: int


@dataclass
class CountingNoise:
    """Passes every draw on to `source` and keeps a record of it in `draws`.

    Uniform points carry no calibration and are not recorded.
    """

    source: NoiseSource
    draws: list[Draw] = field(default_factory=list)

    def __getattr__(self, kind: str) -> Callable[..., Any]:
        method = getattr(self.source, kind)

        def recorded(value: ArrayLike, sensitivity: float, scale: float, *rest: float) -> Any:
            self.draws.append(Draw(kind, float(sensitivity), float(scale), int(np.size(value))))
            return method(value, sensitivity, scale, *rest)

        return recorded

    def uniform(self, low: float, high: float) -> float:
        return self.source.uniform(low, high)

    def below(self, count: int) -> int:
        return self.source.below(count)


def noise_source(rng: object) -> NoiseSource:
    """Return the noise source that `rng` is or, for a numpy Generator, drives."""
    if isinstance(rng, np.random.Generator):
        return SimulatedNoise(rng)
    if isinstance(rng, (SimulatedNoise, UnitNoise, CountingNoise)):  # protocols are slow to ask
        return rng
    if isinstance(rng, NoiseSource) and not isinstance(rng, type):
        return rng
    raise ArgumentError("rng", rng, "a numpy Generator or a noise source (never None, never a seed)")


# Random positive definite matrices round the identity, whose distributions do not change under rotations


def bartlett(
    d: int, rows: float, rng: np.random.Generator, count: tuple[int, ...] = (), *, upper: bool = False
) -> Array:
    """Return triangular factors A, shape (*count, d, d), with A Aᵀ (AᵀA for `upper`) ~ Wishart_d(I, ν).

    ν > d - 1 is a real number. A_jj² ~ χ² with ν - j + 1 degrees of freedom, N(0, 1) beside the diagonal
    (Bartlett 1933).
    """
    beside, axes = _below(d).T if upper else _below(d), np.arange(d)
    factors = np.where(beside, rng.standard_normal((*count, d, d)), 0.0)
    factors[..., axes, axes] = np.sqrt(rng.chisquare(rows - axes, (*count, d)))
    return factors


def _wishart(d: int, rows: float, rng: np.random.Generator) -> Array:
    lower = bartlett(d, rows, rng)
    return lower @ lower.T / rows


def uniform_basis(d: int, rng: np.random.Generator) -> Array:
    """Return a uniformly random orthogonal matrix."""
    basis, r = np.linalg.qr(rng.standard_normal((d, d)))
    return basis * np.sign(np.diag(r))


def thompson_exponents(d: int, rate: float, rng: np.random.Generator) -> Array:
    """Return λ of density ∝ Π sinh(|λ_i - λ_j|/2) e^(-θ max|λ|): logarithms of Thompson-Laplace eigenvalues.

    Exact, by rejection. With c = ⌊d²/4⌋, D = d(d+1)/2: z of density ∝ Π |z_i - z_j| on [-1, 1]^d, the
    eigenvalues of a matrix beta variable; λ = z times a Gamma(D + 1) variable of rate θ - c, which makes the
    density ∝ Π |λ_i - λ_j| e^(-(θ - c) max|λ|); kept with probability Π sinhc((λ_i - λ_j)/2) e^(-c max|λ|).
    """
    floor, above = d * d // 4, _below(d).T
    while True:
        radius = rng.gamma(d * (d + 1) / 2 + 1, 1 / (rate - floor))
        first, second = _wishart(d, d + 1, rng), _wishart(d, d + 1, rng)
        lower = np.linalg.inv(np.linalg.cholesky(first + second))
        values = np.asarray(radius * (2 * np.linalg.eigvalsh(lower @ first @ lower.T) - 1))
        halves = np.abs(values[:, None] - values)[above] / 2
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            sinhc = np.where(halves < 1e-4, 1 + halves * halves / 6, np.sinh(halves) / halves)
        kept = np.log(sinhc).sum() - floor * np.abs(values).max()
        if np.log(rng.random()) <= kept:
            return values


@lru_cache(maxsize=64)
def _below(d: int) -> Mask:
    mask = np.tri(d, k=-1, dtype=bool)
    mask.flags.writeable = False
    return mask
