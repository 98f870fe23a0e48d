"""Second moments of clipped rows: what a ball does to normal rows, how it is undone, and draws of moments.

z standard normal in d dimensions, F_k the distribution function of chi² with k degrees of freedom:

    clipped moment      E[min(|z|², r²)]/d = (d F_{d+2}(r²) + r² (1 - F_d(r²)))/d
    kept moment         E[z zᵀ | |z|² ≤ ρ] = κ I,  κ = F_{q+2}(ρ)/F_q(ρ), z in q dimensions; κ is also the
                        slope of E[z + m | |z + m|² ≤ ρ] in m at 0: keeping a ball shrinks an offset by it
    slope               of the mean of N(a, I) rows shrunk to the ball of r, at a = 0:
                        P(|z| ≤ r) + (1 - 1/d) r E[1/|z|; |z| > r]

Winsorised rows w, mean 0, covariance near I. Neighbours: replace one row.

    (1) Z = (1/n) Σ v vᵀ + symmetric noise, v = w shrunk to the ball of radius R        sensitivity √2 R²/n
    (2) negative eigenvalues of Z are set to 0
    (3) l such that E[l_i z_i² min(1, R²/Σ_j l_j z_j²)] is the i-th eigenvalue of (2);  out = the matrix of
        (2) with these eigenvalues

R² is the chi-square quantile of least predicted error for white normal rows, a function of n, d and μ alone.
A smaller ball costs some efficiency and saves noise in proportion to R². Step (3) makes the result consistent
for normal rows of any covariance, white or not; for others it is the covariance that a normal distribution
with the same winsorised second moment has. Proof: `proofs/winsorised_covariance.md`.

Mean and second moment in one draw: the noisy moment of the lifted rows (τ, w), w of shape (n, r) in the unit
ball, τ in whole numbers of a step:

    (4) Z = (1/n) Σ (τ, w)(τ, w)ᵀ + symmetric noise                           sensitivity √2 (1 + τ²)/n
    (5) s = the share of rows that are there: Z[0, 0]/τ², 1 unless it is surely below     `shared.noisy_means`
    (6) mean = Z[0, 1:]/(τs);  moment = Z[1:, 1:]/s

Lifted rows lie within the ball of radius √(1 + τ²), an absent one is lifted to 0, so that (4) is a second
moment like any other; its corner is τ² for every row that is there. With the same noise of the moment, the
mean has √2 times less noise than one that is released beside it for a small share of the budget. τ = 0: no
mean. Proof: `proofs/gaussian_steps.md`, section 2; `proofs/absent.md`, section 3.
"""

from functools import cached_property, lru_cache
from math import erf, exp, hypot, inf, lgamma, pi, sqrt

import numpy as np

from workbench.estimators.shared.noisy_means import better_than, median_of_matrix, median_of_mean, share
from workbench.estimators.shared.rows import (
    SQUARED_BITS,
    in_ball,
    present,
    second_moment_sensitivity,
    total_of,
)
from workbench.linalg import spectral_map, symmetrised
from workbench.privacy import Budget, Charge
from workbench.privacy.grid import OnGrid, step_of, widest
from workbench.privacy.mechanisms import gaussian_mu
from workbench.special import chdtr, chdtri, gammainc, gammaincc
from workbench.types import Array, RowMap, frozen, remembered

BEYOND = np.concatenate([np.geomspace(1e-9, 0.3, 40), np.linspace(0.32, 0.96, 33)])  # shares of white rows
DIRECTIONS, SEED = 4096, 20  # fixed and public, for step (3)
NODES, STEEP = 48, 16.0  # of an interpolation, and how many square roots of d it may cross
APART = 1e-9  # of what rounding may leave of equal numbers
ROUNDS, CLOSE, MOST_RAISED = 100, 1e-9, 32.0
INSIDE = 1e9  # a ball this much larger than the rows takes nothing from them
TINY = 1e-290  # moments below it are taken as 0: their ratios would leave the floats
THIN = 1e-9  # the unit of location across a subspace, in that of its longest axis
ROUND = 0.25  # the least of a spectrum over its largest
STEP = step_of(1.0, SQUARED_BITS)
MATRICES, POINTS, MATRIX_SEED = 101, 4096, 61


@remembered
def radius_within(d: int, outside: float) -> float:
    """Return r with P(|z| > r) = `outside`.

    >>> round(radius_within(1, 0.05), 4)
    1.96
    """
    return sqrt(float(chdtri(d, outside)))


def kept_share(squared: Array, d: int) -> Array:
    return gammainc(d / 2 + 1, squared / 2) + squared / d * gammaincc(d / 2, squared / 2)


def clipped_moment(d: int, radius: float) -> float:
    """Return the same for one r.

    >>> clipped_moment(3, 1e9), round(clipped_moment(1, 1.0), 3)
    (1.0, 0.516)
    """
    return float(kept_share(np.asarray(radius**2), d))


def kept_moment(q: int, cut: float) -> float:
    """Return κ for ρ = `cut`; 1 where nothing is cut: q = 0, or an infinite cut.

    >>> kept_moment(2, inf), round(kept_moment(1, 1.0), 3)
    (1.0, 0.291)
    """
    if not q or cut == inf:
        return 1.0
    return float(chdtr(q + 2, cut) / chdtr(q, cut))


def slope(d: int, radius: float) -> float:
    """Return how fast the mean of N(a, I_d) rows shrunk to a ball moves with a, at a = 0."""
    squared = radius**2 / 2
    inside = float(gammainc(d / 2, squared))
    if d == 1:
        return inside
    inverse = exp(lgamma((d - 1) / 2) - lgamma(d / 2)) / sqrt(2) * float(gammaincc((d - 1) / 2, squared))
    return inside + (1 - 1 / d) * radius * inverse


def length_beyond(spectrum: Array, share: float) -> float:
    """Return about the upper `share`-quantile of the length of normal rows of this spectrum.

    Satterthwaite's chi-square, which has the mean and the variance of the squared length.
    """
    total, squares = float(spectrum.sum()), float((spectrum**2).sum())
    return sqrt(squares / total * float(chdtri(total**2 / squares, share)))


def winsorised_rms(n: int, d: int, cost: Budget) -> float:
    """Return the rms Frobenius error of steps (1) to (3) for white normal rows, to first order."""
    mu = gaussian_mu(cost)
    return sqrt(float(squared_errors(np.array([best_radius(n, d, mu) ** 2]), n, d, mu)[0]))


def unwinsorised(moment: Array, radius: float) -> Array:  # (2) (3)
    return spectral_map(moment, lambda values: uncensored_spectrum(np.maximum(values, 0.0), radius))


def uncensored_spectrum(values: Array, radius: float) -> Array:
    """Return the variances whose normal rows, winsorised at `radius`, have these second moments.

    The fixed point of l ← l v/h(l), h the second moments at variances l. Moments that no variances have
    (their sum is not below R²) end at most 32 times where they began.
    """
    found = np.where(values > TINY, values, 0.0)
    for _ in range(ROUNDS):
        step = np.divide(values, censored_spectrum(found, radius), out=np.ones_like(values), where=found > 0)
        found = np.minimum(found * step, MOST_RAISED * values)
        if np.abs(step - 1).max() < CLOSE:
            break
    return found


def censored_spectrum(variances: Array, radius: float) -> Array:
    """Return h_i = E[l_i z_i² min(1, R²/Σ_j l_j z_j²)], exact where all l are equal.

    z is a direction u times an independent length √χ²_d. Expectations over the length are exact; directions
    are averaged over fixed public ones.
    """
    d, squares = len(variances), _directions(len(variances))
    spread = np.maximum(squares @ variances, radius**2 / INSIDE)
    return variances * (_kept_shares(radius**2 / spread, d) @ squares) * (d / len(squares))


def _kept_shares(squared: Array, d: int) -> Array:
    # `kept_share` of many numbers; of those near each other by interpolation, to 1e-13 or so
    low, high = float(squared.min()), float(squared.max())
    if len(squared) < 8 * NODES or not low * (1 + APART) < high <= min(4 * low, low + STEEP * sqrt(d)):
        return kept_share(squared, d)
    middle, half = (high + low) / 2, (high - low) / 2
    nodes = np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)
    at = kept_share(middle + half * nodes, d)
    orders = np.arange(NODES)
    series = 2 / NODES * (at @ np.cos(np.outer(np.arccos(nodes), orders)))
    series[0] /= 2
    return np.polynomial.chebyshev.chebval((squared - middle) / half, series)


@lru_cache(maxsize=16)
def _directions(d: int) -> Array:
    # squares of fixed unit vectors, shape (about 4096, d), closed under cyclic shifts
    count = DIRECTIONS // d + 1 if d > 1 else 1
    rows = np.random.default_rng(SEED).standard_normal((count, d)) ** 2
    rows /= rows.sum(axis=1, keepdims=True)
    squares = np.concatenate([np.roll(rows, shift, axis=1) for shift in range(d)])
    squares.flags.writeable = False
    return squares


def squared_errors(squared: Array, n: int, d: int, mu: float | Array) -> Array:
    """Return the expected squared Frobenius error of white normal rows for squared radii, to first order.

    The matrix has one direction of size (the trace) and d(d+1)/2 - 1 of shape. Winsorising multiplies a
    change of size by P(χ²_{d+2} ≤ R²) and one of shape by that plus R² P(χ²_d > R²)/(d+2); sampling errors
    and noise of the winsorised moment are divided by these slopes.
    """
    beyond, size_slope = gammaincc(d / 2, squared / 2), gammainc(d / 2 + 1, squared / 2)
    shape_slope = size_slope + squared * beyond / (d + 2)
    second = d * size_slope + squared * beyond
    fourth = d * (d + 2) * gammainc(d / 2 + 2, squared / 2) + squared**2 * beyond
    noise = 2 * (squared / (n * mu)) ** 2
    size = ((fourth - second**2) / (d * n) + noise) / size_slope**2
    shape = (fourth * (1 - 1 / d) / n + (d * (d + 1) // 2 - 1) * noise) / shape_slope**2
    return size + shape


@lru_cache(maxsize=64)
def squares_beyond(d: int) -> Array:
    return chdtri(d, BEYOND)


@remembered
def best_radius(n: int, d: int, mu: float) -> float:
    squares = squares_beyond(d)
    return sqrt(float(squares[np.argmin(squared_errors(squares, n, d, mu))]))


@frozen
class LiftedMoment:
    """Steps (4) to (6) for n rows of at most d coordinates; `height` is τ, or up to a step more."""

    n: int
    d: int
    height: float

    @property
    def reach(self) -> float:  # the length of a lifted row on the sphere
        return hypot(1.0, self.height)

    def sensitivity(self) -> float:
        return second_moment_sensitivity(self.n, self.reach)

    def charge(self, step: str, cost: Budget) -> Charge:
        return Charge(step, "symmetric_gaussian", self.sensitivity(), cost)

    @cached_property
    def steps(self) -> int:
        return widest(self.height, STEP) if self.height else 0

    def of(self, x: Array, change: RowMap) -> OnGrid:
        """Return the moment of the lifted rows that a map of each row makes, clipped to the unit ball.

        Its shape is (d + 1, d + 1), whatever the number of coordinates: zeros stand for the others.
        """

        def part(rows: Array) -> Array:
            lifted = np.full((len(rows), rows.shape[1] + 1), float(self.steps))
            lifted[~present(rows), 0] = 0.0
            lifted[:, 1:] = in_ball(rows, 1.0, STEP)
            return lifted.T @ lifted  # of (4)

        return padded(total_of(x, change, part, 2 * SQUARED_BITS) * (STEP * STEP / len(x)), self.d + 1)

    def read(self, noisy: Array, r: int, charge: Charge) -> tuple[Array, Array]:
        """Return the mean, shape (r,), and the moment, shape (r, r), that the noisy moment of (4) holds."""
        noisy = noisy / self.share(float(noisy[0, 0]), charge)  # (5)
        mean = noisy[0, 1 : r + 1] / (self.steps * STEP) if self.steps else np.zeros(r)
        return mean, noisy[1 : r + 1, 1 : r + 1]  # (6)

    def share(self, corner: float, charge: Charge) -> float:  # s; 1 without a mean, for which nothing tells
        return share(corner, (self.steps * STEP) ** 2, charge) if self.steps else 1.0


@frozen
class Frame:
    """The linear map of rows that several steps refine: H Vᵀ, V an orthonormal basis, (d, r), H square.

    A frame is a function of released values, and mapping rows by it is a fixed map of each row.
    """

    basis: Array
    shape: Array

    @property
    def rank(self) -> int:
        return int(self.basis.shape[1])

    @property
    def matrix(self) -> Array:
        return self.shape @ self.basis.T

    def then(self, matrix: Array) -> "Frame":
        return Frame(self.basis, matrix @ self.shape)

    def scaled(self, factor: float) -> "Frame":
        return self.then(np.eye(self.rank) * factor)

    def shrunk(self, top: Array, factor: float) -> "Frame":
        """Return the frame in which the span of orthonormal columns is `factor` times as long."""
        return self.then(np.eye(self.rank) + (factor - 1) * (top @ top.T))

    def back(self, vector: Array) -> Array:
        return self.basis @ np.linalg.solve(self.shape, vector)

    def covariance(self, matrix: Array) -> Array:
        """Return V H⁻¹ M H⁻ᵀ Vᵀ for a positive semidefinite M, as a product with its own transpose."""
        root = spectral_map(matrix, lambda values: np.sqrt(np.maximum(values, 0.0)))
        half = self.basis @ np.linalg.solve(self.shape, root)
        return symmetrised(half @ half.T)


def identity_frame(d: int) -> Frame:
    return Frame(np.eye(d), np.eye(d))


def completed(frame: Frame, thin: float = THIN) -> Array:
    """Return the frame's axes and, for a subspace, thin ones across it: shape (d, d)."""
    d, r = frame.basis.shape
    if r == d:
        return frame.matrix
    across = np.linalg.svd(frame.basis, full_matrices=True)[0][:, r:].T
    return np.concatenate([frame.matrix, across * (np.linalg.norm(frame.shape, -2) / thin)])


def is_round(spectrum: Array, share: float = ROUND) -> bool:
    return bool(spectrum.min() >= share * spectrum.max())


def padded(statistic: OnGrid, d: int) -> OnGrid:
    """Return a vector or matrix in the leading corner of zeros, d in each of its dimensions.

    What is drawn for rows of a subspace has the size of a draw for all d dimensions.
    """
    return statistic.padded([(0, d - size) for size in statistic.shape])


@frozen
class Moments:
    """A mean of shape (d,), or None where none is released, and a covariance of shape (d, d)."""

    mean: Array | None
    covariance: Array

    @property
    def finite(self) -> bool:
        known = self.mean is None or np.isfinite(self.mean).all()
        return bool(known and np.isfinite(self.covariance).all())


@frozen
class SquaredErrors:
    """Mean squared errors of mean and covariance, in the norms that the covariance itself defines.

    Medians are those of as many normal numbers (`shared.noisy_means`).
    """

    d: int
    mean: float
    covariance: float

    @property
    def covariance_median(self) -> float:
        return better_than(sqrt(self.d), median_of_matrix(sqrt(self.covariance), self.d))

    @property
    def gaussian_median(self) -> float:
        """The median of the root of both together; of the covariance's alone where the mean is known."""
        return better_than(sqrt(self.d), median_of_mean(sqrt(self.covariance + self.mean), self._numbers))

    @property
    def total_variation(self) -> float:
        """The total variation to expect: 2Φ(v/2) - 1, v² = mean² + (k covariance)²/2 that of a log ratio.

        k < 1: zᵀEz is less often of its middle size than a normal number is.
        """
        squared = self.mean + peaked(self.d) ** 2 * self.covariance / 2
        return erf(median_of_mean(sqrt(squared), self._numbers) / sqrt(8))

    @property
    def _numbers(self) -> int:
        # how many numbers of the law are off: no mean where it is known
        return self.d * (self.d + (3 if self.mean else 1)) // 2


@lru_cache(maxsize=64)
def peaked(d: int) -> float:
    """Return k: E|zᵀEz - tr E| over that of a normal number of its variance, z N(0, I).

    The median over fixed public matrices E, symmetric with normal entries.
    """
    rng = np.random.default_rng((MATRIX_SEED, d))
    drawn = rng.standard_normal((MATRICES, d, d))
    values = np.linalg.eigvalsh(drawn + drawn.transpose(0, 2, 1))
    sizes = np.abs((rng.standard_normal((POINTS, d)) ** 2 - 1) @ values.T).mean(axis=0)
    return float(np.median(sizes / np.sqrt(2 * (values**2).sum(axis=1)))) * sqrt(pi / 2)
