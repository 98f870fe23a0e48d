"""Estimates without privacy, to compare private ones with.  M21; AL22 Theorems 6.1 and 7.3; LKKO21 Alg 4.

Rows x of shape (n, d); those of a filter are normal, a share ξ = `corruption` of them anything.

    EmpiricalMean                 (1/n) Σ x_i
    EmpiricalCovariance           (1/n) Σ (x_i - m)(x_i - m)ᵀ, m the mean, or 0 if `centred`
    FilterNonprivateMean          covariance sigma² I: "tight" (1) to (5), "paper" (8) to (10)
    FilterNonprivateCovariance    mean 0 if `centred`, otherwise of ⌊n/2⌋ pairs (x_1 - x_2)/√2, of which 2ξ
                                  may be anything: "tight" (1) to (7), "paper" (8) to (10)

"tight", ours, is deterministic: rows keep weights w, 1 at first, and what crowds a tail is shaved off.

    (1) start: weight 0 for far rows, unless they are more than the cap 2.5 ξn + 3 √(ξn)
    (2) y = the rows round their weighted mean, or whitened by their weighted second moment S. Along a
        direction, in either tail, rows beyond a threshold are an excess where seen ≥ 3/2 T and
        seen ≥ T + k (√(T/n) + 1/n), T ≤ .3: seen is their weighted share, T that of the distribution of clean
        rows
    (3) from there outwards weights shrink until each bin holds what the distribution has there and two
        standard deviations more: never to nothing where the distribution has something
    (4) of the excesses whose removal does not pass the cap in all, apply those that gain at least half of the
        best: gain is how far the weighted sum moves inwards; where several meet, the least factor. With far
        clusters clean rows look like an excess of the other tail: they are left alone until those are gone
    (5) stop if that takes more than 1.2 times the cap, or if nothing is left to do

Mean: rows are far beyond 3 median |x - m| + 6 of the coordinatewise median m. Directions: the top three
eigenvectors of the weighted covariance, the median of y, Σ w |y|² y. The distribution is the normal one round
the weighted median, which outliers move least; k = 5.

Second moment: a direction is a symmetric U of Frobenius norm 1, as a vector u of d(d + 1)/2 numbers. Rows
enter by as many products z(y), of mean 0 and covariance I for normal rows: yᵀUy = √2 u·z + tr U; and
k = 3.5 + 1.5 ln d.

    (6) U = I/√d; the top three and the lowest eigenvectors of mean z zᵀ, and the top one's rank-one part;
        H = mean y yᵀ/|y|² - I/d, and the rank-one matrices of its extreme eigenvectors: outliers whose fourth
        moments are those of normal rows leave a mark on what rows point at. For d = 1 the first alone
    (7) the distribution of gᵀUg = Σ λ g_k² under a scale that outliers do not move: the reference λ (1 + tλ)
        has, to first order, the share of rows beyond tr U that is seen, t = (seen - P(gᵀUg ≥ tr U))/A,
        A = ½ ∫ P(gᵀUg ≥ x) dx from tr U: the score of least worst bias in one dimension (Huber 1964)

Far rows are found by peeling: what is kept decides what is far, a dozen times; the peel itself is forgotten,
because a trimmed scatter is too small and would call clean tails outliers. Where there is no frame (rows in a
subspace) the plain second moment is returned.

"paper" drops rows while some direction varies too much; the sources draw Z uniformly on [0, 1], here it is ½:

    (8) λ, v = the top eigenvalue and eigenvector of the second moment of x - μ, μ the mean of the rows that
        are left, or of the m = d(d + 1)/2 products of whitened rows
    (9) stop if λ - 1 ≤ 2 ξ ln 1/ξ, or λ ≤ 1 + ½ ξ ln² 1/ξ + 2 √(m/n) + 4m/n
    (10) τ = (v·(x - μ))², or (v·z - median)²; of the ⌈2ξn⌉ rows with the largest τ, or of all, drop those
        with τ ≥ Z max τ; stop before fewer than n/2, or (1 - 4ξ)n, are left

With n ≥ d/ξ² the mean's error is of the order σ ξ √(ln 1/ξ), with n ≥ d²/ξ² that of the covariance, in its
own norm, of ξ ln 1/ξ, for the attacks of `populations.corruption`: measured, not proved but for the paper's
mean (LKKO21 Proposition 2.1). Limits: `bounds.limits.mean_limit` and `scale_limit`.

Departures: constants of (8) to (10) are chosen; AL22 cites a filter whose constants are not explicit.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from math import ceil, inf, log, sqrt
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.estimators.base import Reference, sanitised
from workbench.estimators.shared.noisy_means import weighted_median
from workbench.estimators.shared.rows import (
    centred_rows,
    only_present,
    require_corruption,
    row_blocks,
)
from workbench.linalg import symmetrised, tail
from workbench.privacy import Budget, Charge, NoiseSource, NonPrivate, Plan
from workbench.privacy.budgets import require
from workbench.special import chdtri, ndtr
from workbench.types import Array, Calibration, Mask, public

POINTS = 40  # saddle points of a tail
FRACTIONS = 1 - 2.0 ** (-np.arange(1, POINTS + 1) / 4)  # of the way to the pole
DEFINITE = 1e-3  # a largest eigenvalue below this share of the spectrum is none
LEFT = np.geomspace(0.05, 300, POINTS)  # saddle points where there is no pole on the right
STEP = 0.1
NODES = STEP * (np.arange(600) + 0.5)
RATIO, LEVEL, SLACK = 1.5, 0.3, 2.0  # of (2) and (3)
LEAST, MOST, FLOOR = -0.6, 1.5, 0.2  # of t, and of the factor of an eigenvalue
ROUNDS, HALF, OVER = 40, 0.5, 1.2  # of (4) and (5)
TOP = 3
PEELS, DEVIATIONS = 12, 10.0
FARTHER = 5.0  # times the length² of a normal row at 999/1000
BEYOND = 1e5  # times a coordinate's median: far in any frame
SIGNIFICANCE = 5.0  # k of a mean
THRESHOLDS = np.arange(0.5, 8.001, 0.125)
SHARE, MEAN, MOMENT = 0.5, 2.0, 0.5  # Z, and the constants of (9)
FEWEST = 0.5  # of the rows stay, however long the passes go on


# The law of a quadratic form


def upper_tail(spectrum: Array) -> tuple[Array, Array]:
    """Return thresholds x, increasing, and P(Σ λ g_k² ≥ x) at them, all at most 1/2 (Lugannani & Rice 1980).

    With K(s) = -½ Σ ln(1 - 2sλ): x = K'(s), and P = 1 - Φ(r) + φ(r)(1/v - 1/r), r² = 2(sx - K), v² = s² K''.
    Relative error a few per cent, a seventh for λ of both signs and for the left tail of a single square.
    """
    largest, size = float(spectrum.max()), float(np.abs(spectrum).max())
    s = FRACTIONS / (2 * largest) if largest > DEFINITE * size else LEFT / size
    room = 1 - 2 * np.multiply.outer(s, spectrum)
    x = (spectrum / room).sum(axis=1)
    r = np.sqrt(np.maximum(2 * s * x + np.log(room).sum(axis=1), 1e-12))
    v = s * np.sqrt(2 * ((spectrum / room) ** 2).sum(axis=1))
    beyond = ndtr(-r) + np.exp(-r * r / 2) / np.sqrt(2 * np.pi) * (1 / v - 1 / r)
    return x, np.minimum.accumulate(np.clip(beyond, 0.0, 0.5))


def above_mean(spectrum: Array) -> float:
    """Return P(Σ λ g_k² ≥ Σ λ) = ½ + (1/π) ∫₀^∞ sin θ(t)/(t ρ(t)) dt, within .003 (Imhof 1961).

    θ(t) = ½ Σ (arctan λt - λt) and ρ(t) = Π (1 + λ²t²)^¼; midpoint rule. `upper_tail` is singular there.

    >>> round(above_mean(np.array([1.0, 1.0])), 3)  # 1/e
    0.368
    """
    angles = np.multiply.outer(NODES, spectrum)
    turn = 0.5 * (np.arctan(angles) - angles).sum(axis=1)
    damping = NODES * np.exp(0.25 * np.log1p(angles * angles).sum(axis=1))
    return float(0.5 + STEP / np.pi * (np.sin(turn) / damping).sum())


@lru_cache(maxsize=64)
def _places(d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    first, second = np.triu_indices(d)
    return first, second, first == second


def products(rows: Array) -> Array:
    """Return z of every row: (y_i² - 1)/√2 and y_i y_j, i < j."""
    first, second, diagonal = _places(rows.shape[1])
    z = rows[:, first] * rows[:, second]
    z[:, diagonal] = (z[:, diagonal] - 1) / np.sqrt(2)
    return z


def matrix_of(u: Array, d: int) -> Array:
    """Return the symmetric U that a vector of products stands for."""
    first, second, diagonal = _places(d)
    matrix = np.zeros((d, d))
    matrix[first, second] = matrix[second, first] = u * np.where(diagonal, 1.0, np.sqrt(0.5))
    return matrix


def vector_of(matrix: Array) -> Array:
    """Return the vector that stands for a symmetric U: same norm."""
    first, second, diagonal = _places(len(matrix))
    return matrix[first, second] * np.where(diagonal, 1.0, np.sqrt(2))


# Excesses, and how they are shaved


class Shave(NamedTuple):
    """Rows of a tail and the factors of their weights, aligned; the weight this takes, what that gains."""

    rows: NDArray[np.intp]
    factors: Array
    lost: float
    gain: float


def excess(
    values: Array, weights: Array, null: tuple[Array, Array], significance: float, outwards: Array
) -> Iterator[Shave]:
    """Yield the excess of the upper tail by (2) and (3), if there is one.

    `null` holds increasing thresholds and the distribution's mass beyond each, `outwards` how far out each
    row lies.
    """
    n, (x, beyond) = len(values), null
    x, beyond = x[beyond <= LEVEL], beyond[beyond <= LEVEL]
    rows = np.flatnonzero(values >= x[0])
    bins = np.searchsorted(x, values[rows], side="right") - 1
    held = np.bincount(bins, weights[rows], len(x)) / weights.sum()
    seen = held[::-1].cumsum()[::-1]
    crowded = (seen >= RATIO * beyond) & (seen >= beyond + significance * (np.sqrt(beyond / n) + 1 / n))
    if not crowded.any():  # (2)
        return
    outer = slice(int(crowded.argmax()), None)
    due = beyond - np.append(beyond[1:], 0.0)
    factors = np.ones(len(x))
    allowed = due[outer] + SLACK * np.sqrt(due[outer] / n)
    factors[outer] = np.minimum(1.0, allowed / np.maximum(held[outer], 1e-300))  # (3)
    lost = weights[rows] * (1 - factors[bins])
    yield Shave(rows, factors[bins], float(lost.sum()), float(lost @ outwards[rows]))


def removable(n: int, corruption: float) -> float:
    return 2.5 * corruption * n + 3 * sqrt(corruption * n)


def near_enough(near: Mask, corruption: float) -> Array:
    n = len(near)
    return np.ones(n) if n - near.sum() > removable(n, corruption) else near.astype(np.float64)


def shaved(weights: Array, corruption: float, look: Callable[[Array], Iterable[Shave]]) -> Array:
    n, cap = len(weights), removable(len(weights), corruption)
    for _ in range(ROUNDS if corruption else 0):
        left = cap - (n - float(weights.sum()))
        shaves = [shave for shave in look(weights) if shave.lost <= left]
        if not shaves:
            break
        factors, best = np.ones(n), max(shave.gain for shave in shaves)
        for shave in shaves:
            if shave.gain >= HALF * best:  # (4)
                factors[shave.rows] = np.minimum(factors[shave.rows], shave.factors)
        if n - float((weights * factors).sum()) > OVER * cap:  # (5)
            break
        weights = weights * factors
    return weights


# The mean


def filtered_mean(rows: Array, corruption: float) -> Array:
    distances = np.sqrt(((rows - np.median(rows, axis=0)) ** 2).sum(axis=1))
    start = near_enough(distances <= 3 * np.median(distances) + 6, corruption)  # (1)
    normal = THRESHOLDS, ndtr(-THRESHOLDS)

    def excesses(weights: Array) -> Iterator[Shave]:
        y = rows - weights @ rows / weights.sum()
        for v in mean_directions(y, weights):
            values = y @ v
            values = values - weighted_median(values, weights)
            for sign in (1.0, -1.0):
                yield from excess(sign * values, weights, normal, SIGNIFICANCE, sign * values)

    weights = shaved(start, corruption, excesses)
    return weights @ rows / weights.sum()


def mean_directions(y: Array, weights: Array) -> list[Array]:
    if y.shape[1] == 1:
        return [np.ones(1)]
    top = np.linalg.eigh((y * weights[:, None]).T @ y)[1][:, : -TOP - 1 : -1].T
    others = np.median(y[weights > 0.5], axis=0), (weights * (y * y).sum(axis=1)) @ y
    return [*top, *(v / size for v in others if (size := float(np.linalg.norm(v))) > 0)]


def simple_mean(rows: Array, corruption: float) -> Array:
    n, kept, most = len(rows), rows, ceil(2 * corruption * len(rows))
    while corruption > 0:
        y = kept - kept.mean(axis=0)
        values, axes = np.linalg.eigh(y.T @ y / n)  # (8)
        if values[-1] - 1 <= MEAN * corruption * log(1 / corruption):  # (9)
            break
        scores = (y @ axes[:, -1]) ** 2
        largest = np.argsort(-scores, kind="stable")[:most]
        drop = largest[scores[largest] >= SHARE * scores[largest[0]]]  # (10)
        if len(kept) - len(drop) < FEWEST * n:
            break
        kept = np.delete(kept, drop, axis=0)
    return kept.mean(axis=0)


# The second moment


def whitened(rows: Array, moment: Array) -> Array:
    return np.linalg.solve(np.linalg.cholesky(moment), rows.T).T


def weighted_moment(rows: Array, weights: Array) -> Array:
    return (rows * weights[:, None]).T @ rows / weights.sum()


def filtered_moment(rows: Array, corruption: float) -> Array:
    """Return the robust second moment, or the plain one where rows have no frame."""
    weights = np.ones(len(rows))
    with suppress(np.linalg.LinAlgError):
        weights = filter_weights(rows, corruption)
    return weighted_moment(rows, weights)


def filter_weights(rows: Array, corruption: float) -> Array:
    sizes = np.abs(rows)
    near = ~(sizes > BEYOND * np.maximum(np.median(sizes, axis=0), 1e-300)).any(axis=1)
    near = near_enough(near, corruption) > 0
    near[near] = ~far_rows(rows[near], corruption)
    start = near_enough(near, corruption)  # (1)
    return shaved(start, corruption, lambda weights: excesses(rows, weights))


def far_rows(rows: Array, corruption: float) -> Mask:
    """Return which rows are far from a scatter that peeling finds.

    Off are rows that are 10 median deviations off in the widest direction, or in length.
    """
    n, d = rows.shape
    keep = np.ones(n, bool)
    for _ in range(PEELS):
        moment = weighted_moment(rows[keep], np.ones(int(keep.sum())))
        z = products(whitened(rows[keep], moment))
        widest, off = np.linalg.eigh(z.T @ z)[1][:, -1], np.zeros(len(z), bool)
        for u in (vector_of(np.eye(d)) / np.sqrt(d), rank_one(widest, d), widest):
            values = z @ u
            deviations = np.abs(values - np.median(values))
            off |= deviations > DEVIATIONS * np.median(deviations)
        if not off.any() or n - keep.sum() + off.sum() > 3 * corruption * n + 3:
            break
        keep[keep] = ~off
    squares = (whitened(rows, moment) ** 2).sum(axis=1)
    return squares > FARTHER * np.median(squares) * chdtri(d, 1e-3) / chdtri(d, 0.5)


def excesses(rows: Array, weights: Array) -> Iterator[Shave]:
    d, y = rows.shape[1], whitened(rows, weighted_moment(rows, weights))
    z, significance = products(y), 3.5 + 1.5 * log(d)
    for u in directions(y, z, weights):  # (6)
        spectrum = np.asarray(np.linalg.eigvalsh(matrix_of(u, d)), np.float64)
        offsets = np.sqrt(2) * (z @ u)
        values = offsets + spectrum.sum()
        null = reference(values, weights, spectrum)  # (7)
        for sign in (1.0, -1.0):
            law = upper_tail(sign * null)
            yield from excess(sign * values, weights, law, significance, sign * offsets)


def reference(values: Array, weights: Array, spectrum: Array) -> Array:
    """Return the spectrum of (7) for rows with yᵀUy = `values`."""
    mean = float(spectrum.sum())
    x, beyond = upper_tail(spectrum)
    share, above = above_mean(spectrum), x > mean
    heights = np.append(share, np.minimum(beyond[above], share))
    area = 0.5 * float(np.trapezoid(heights, np.append(mean, x[above])))
    t = (float(weights[values >= mean].sum()) / float(weights.sum()) - share) / area
    return spectrum * np.maximum(1 + np.clip(t, LEAST, MOST) * spectrum, FLOOR)


def directions(y: Array, z: Array, weights: Array) -> list[Array]:
    d = y.shape[1]
    found = [vector_of(np.eye(d)) / np.sqrt(d)]
    if d == 1:
        return found
    axes = np.linalg.eigh((z * weights[:, None]).T @ z)[1]
    found += [rank_one(axes[:, -1], d), *axes[:, : -TOP - 1 : -1].T, axes[:, 0]]
    squares = (y * y).sum(axis=1)  # of what rows point at
    shares = np.where(squares > 0, weights, 0.0) / np.where(squares > 0, squares, 1.0)
    white = np.eye(d) * weights[squares > 0].sum() / d
    h = ((y * shares[:, None]).T @ y - white) / weights.sum()
    basis, size = np.linalg.eigh(h)[1], float(np.linalg.norm(h))
    extremes = [vector_of(np.outer(axis, axis)) for axis in basis[:, [0, -1]].T]
    return [*found, vector_of(h / size), *extremes] if size > 0 else [*found, *extremes]


def rank_one(u: Array, d: int) -> Array:
    values, basis = np.linalg.eigh(matrix_of(u, d))
    axis = basis[:, np.argmax(np.abs(values))]
    return vector_of(np.outer(axis, axis))


def simple_moment(rows: Array, corruption: float) -> Array:
    """Return the second moment of the rows that (8) to (10) keep, or of all rows if it is singular."""
    kept = np.ones(len(rows), bool)
    with suppress(np.linalg.LinAlgError):
        kept = kept_rows(rows, corruption)
    return weighted_moment(rows, kept.astype(np.float64))


def kept_rows(rows: Array, corruption: float) -> Mask:
    n, d = rows.shape
    kept, m = np.ones(n, bool), d * (d + 1) // 2
    while corruption > 0:
        inside = rows[kept]
        z = products(whitened(inside, weighted_moment(inside, np.ones(len(inside)))))
        values, axes = np.linalg.eigh(z.T @ z / len(z))  # (8)
        bound = 1 + MOMENT * corruption * log(1 / corruption) ** 2 + 2 * sqrt(m / n) + 4 * m / n
        scores = (z @ axes[:, -1] - np.median(z @ axes[:, -1])) ** 2
        drop = scores >= SHARE * scores.max()
        if values[-1] <= bound or len(z) - drop.sum() < (1 - 4 * corruption) * n:  # (9)
            break
        kept[kept] = ~drop  # (10)
    return kept


# Entries


class Plain(Reference[Array]):
    step: ClassVar[str]
    least_rows = 1

    def plan(self, n: int, d: int, budget: Budget = NonPrivate()) -> Plan:  # noqa: B008 (a constant)
        require(budget, NonPrivate)
        return Charge(self.step, "none", 0.0, NonPrivate())


@public
class EmpiricalMean(Plain):
    """Sample mean, without privacy: the reference of every private mean (M21, preliminaries).

    Assumes nothing; the error bound is for normal rows.
    Guarantee: none; `budget` is left out, and `rng` with it.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    mean is that of the others.

    Parameters
    ----------
    sigma : float or None, default None
        Standard deviation in any direction at most, for the error bound alone, which is infinite without it.

    Examples
    --------
    >>> EmpiricalMean()([[1.0, 2.0], [3.0, 4.0]]).value.tolist()
    [2.0, 3.0]
    """

    step = "mean"
    sigma: float | None = None

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array:
        rows = only_present(x)
        return rows.mean(axis=0) if len(rows) else np.zeros(x.shape[1])

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on |out - mean|, true with probability 1 - beta, for normal rows."""
        return inf if self.sigma is None else self.sigma * tail(d, beta) / sqrt(n)


@public
class EmpiricalCovariance(Plain):
    """Sample covariance, without privacy: the reference of every private one (M21).

    Assumes nothing.
    Guarantee: none; `budget` is left out, and `rng` with it.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    covariance is that of the others.

    Parameters
    ----------
    centred : bool, default False
        Whether the mean is known to be 0; otherwise that of the rows is subtracted.

    Examples
    --------
    >>> EmpiricalCovariance()([[1.0, 0.0], [-1.0, 0.0]]).value.tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """

    step = "covariance"
    centred: bool = False

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array:
        rows = only_present(x)
        if not len(rows):
            return np.zeros((x.shape[1], x.shape[1]))
        sums = (part.sum(axis=0) for part in row_blocks(rows))
        centre = 0.0 if self.centred else np.asarray(sum(sums)) / len(rows)
        parts = (part - centre for part in row_blocks(rows))  # a second copy of all rows takes memory
        return symmetrised(np.asarray(sum(part.T @ part for part in parts))) / len(rows)


class Filter(Plain):
    corruption: float
    calibration: Calibration

    def _validate(self) -> None:
        require_corruption(self.corruption)

    def found(self, x: Array, share: float, **oracles: Callable[[Array, float], Array]) -> Array:
        rows = only_present(x)
        return oracles[self.calibration](rows if len(rows) else np.zeros((1, x.shape[1])), share)


@public
class FilterNonprivateMean(Filter):
    """Robust mean of partly corrupted rows, without privacy (AL22 Theorem 7.3).

    Accurate for normal rows of covariance sigma² I, a share `corruption` of them anything.
    Guarantee: none; `budget` is left out, and `rng` with it.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    mean is that of the others.

    Parameters
    ----------
    corruption : float
        Share of the rows that may be anything. At most 0.1.
    sigma : float
        Standard deviation of the rows in every direction, known.
    calibration : {"paper", "tight"}, default "tight"
        "tight" shaves tails to their distribution; "paper" drops rows while some direction varies too much.

    Examples
    --------
    >>> x = np.random.default_rng(1).standard_normal((2000, 1))
    >>> x[:100] = 1e3
    >>> bool(abs(FilterNonprivateMean(corruption=0.05, sigma=1.0)(x).value[0]) < 0.2)
    True
    """

    step = "mean"
    corruption: float
    sigma: float
    calibration: Calibration = "tight"

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array:
        z = sanitised(x / self.sigma)
        return self.found(z, self.corruption, tight=filtered_mean, paper=simple_mean) * self.sigma


@public
class FilterNonprivateCovariance(Filter):
    """Robust covariance of partly corrupted rows, without privacy (AL22 Theorem 6.1).

    Accurate for normal rows; `corruption` and `calibration` are as of `FilterNonprivateMean`.
    Guarantee: none; `budget` is left out, and `rng` with it.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    covariance is that of the others.

    Parameters
    ----------
    centred : bool, default False
        Whether the mean is known to be 0. Otherwise pairs (x_1 - x_2)/√2 take the place of the rows.

    Examples
    --------
    >>> x = np.random.default_rng(1).standard_normal((2000, 1))
    >>> x[:100] = 1e3
    >>> release = FilterNonprivateCovariance(corruption=0.05, centred=True)(x)
    >>> bool(abs(release.value[0, 0] - 1) < 0.3)
    True
    """

    step, least_rows = "covariance", 2
    corruption: float
    centred: bool = False
    calibration: Calibration = "tight"

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array:
        share = self.corruption * (1 if self.centred else 2)
        return self.found(centred_rows(x, self.centred), share, tight=filtered_moment, paper=simple_moment)
