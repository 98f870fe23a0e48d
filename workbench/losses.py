"""How far an estimate is from the truth, and how far two Gaussians are from each other.

Losses in units of the truth's covariance need it nonsingular. An estimate may be any array of the right
shape: where it is not finite the loss is infinite.
"""

from math import erf, expm1, hypot, inf, log1p, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from workbench.distributions import Ball, Box, Counts, Gaussian, Interval
from workbench.errors import ArgumentError, positive
from workbench.special import ndtr
from workbench.types import Array, reals

_DISJOINT = 100.0  # at a gap of this many wide standard deviations the total variation rounds to 1


def absolute_error(estimate: ArrayLike, truth: ArrayLike) -> float:
    """Return |estimate - truth|, of several numbers the largest."""
    return _norm(_shaped(np.atleast_1d(estimate), np.atleast_1d(truth).shape) - np.asarray(truth), inf)


def share_error(estimate: Counts, truth: ArrayLike) -> float:
    """Return the largest error of counts as shares of the rows."""
    return absolute_error(estimate.shares, truth)


def relative_scale_error(estimate: float, truth: float) -> float:
    """Return |estimate / truth - 1| for a scale `truth` > 0."""
    positive(truth=truth)
    return _norm(np.array([float(estimate) / truth - 1]))


def mahalanobis_mean_error(estimate: ArrayLike, truth: Gaussian) -> float:
    """Return |Sigma^{-1/2} (m - mean)|_2.

    >>> mahalanobis_mean_error([2.0, 0.0], Gaussian([0, 0], np.diag([4.0, 1.0])))
    1.0
    """
    gap = _shaped(estimate, truth.mean.shape) - truth.mean
    return _norm(np.linalg.solve(_factor(truth.covariance), gap))


def mahalanobis_covariance_error(estimate: ArrayLike, truth: ArrayLike) -> float:
    """Return |Sigma^{-1/2} (S - Sigma) Sigma^{-1/2}|_F."""
    return _norm(_relative_excess(estimate, truth))


def spectral_error(estimate: ArrayLike, truth: ArrayLike) -> float:
    """Return the spectral norm of S - Sigma, in the units of the data."""
    sigma = reals(truth)
    return _norm(_shaped(estimate, sigma.shape) - sigma, 2)


def gaussian_error(estimate: Gaussian, truth: Gaussian) -> float:
    """Return the root of the summed squares of the two errors above, in mean and in covariance."""
    mean = mahalanobis_mean_error(estimate.mean, truth)
    return hypot(mean, mahalanobis_covariance_error(estimate.covariance, truth.covariance))


def eigenvalue_error(estimate: ArrayLike, truth: ArrayLike) -> float:
    """Return the largest |ln(l_i/λ_i)| between l and the eigenvalues of a covariance, both descending.

    >>> round(eigenvalue_error([8.0, 1.0], np.diag([1.0, 4.0])), 3)
    0.693
    """
    values = np.linalg.eigvalsh(reals(truth))[::-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        gaps = np.log(_shaped(estimate, values.shape) / values)
    return _norm(gaps, inf)


def thompson_error(estimate: ArrayLike, truth: ArrayLike) -> float:
    """Return the largest |ln λ| of Sigma^{-1} S's eigenvalues, infinite unless S is positive definite."""
    excess = _relative_excess(estimate, truth)
    values = np.linalg.eigvalsh(excess) if np.isfinite(excess).all() else np.array([-1.0])
    return float(np.abs(np.log1p(values)).max()) if values[0] > -1 else inf


def subspace_error(estimate: ArrayLike, truth: ArrayLike) -> float:
    """Return the spectral norm of P - P', P' the projection on the first k axes of a covariance, k = tr P."""
    sigma = reals(truth)
    projection = _shaped(estimate, sigma.shape)
    if not np.isfinite(projection).all():
        return inf
    top = np.linalg.eigh(sigma)[1][:, sigma.shape[0] - round(np.trace(projection)) :]
    return _norm(projection - top @ top.T, 2)


def centre_error(estimate: Box | Ball, truth: Gaussian) -> float:
    """Return how far the centre of a range is from the mean, in the unit of the data."""
    return _norm(_shaped(estimate.centre, truth.mean.shape) - truth.mean)


class IntervalLoss(NamedTuple):
    """What an interval is judged by: whether it holds the truth, and how wide it is."""

    covered: bool
    width: float


def interval_loss(interval: Interval, truth: float) -> IntervalLoss:
    """Return coverage and width; the whole line covers at infinite width."""
    return IntervalLoss(interval.contains(truth), interval.width)


def kl_divergence(p: Gaussian, q: Gaussian) -> float:
    """Return KL(p || q) for a nonsingular `q`; infinite where `p` is singular.

    With x the eigenvalues of Sigma_q^{-1/2} (Sigma_p - Sigma_q) Sigma_q^{-1/2} and g the mean gap in units
    of q, it is (sum x - log(1 + x) + |g|^2) / 2.
    """
    return _kl(*_relative(p, q))


def kl_upper_bound(p: Gaussian, q: Gaussian) -> float:
    """Return the quadratic bound (sum x^2 + |g|^2) / 2 on KL(p || q), in the terms of `kl_divergence`.

    It needs every 1 + x at least 1/2, where x - log(1 + x) <= x^2, and is infinite otherwise.
    """
    excess, gap = _relative(p, q)
    return inf if excess.min() < -0.5 else float(excess @ excess + gap @ gap) / 2


def pinsker_bound(kl: float) -> float:
    """Return sqrt(KL / 2), an upper bound on the total variation distance, never more than 1."""
    return min(1.0, sqrt(kl / 2))


def total_variation_of_means(gap: float) -> float:
    """Return TV between N(m, 1) and N(m + gap, 1): 2 Phi(|gap| / 2) - 1.

    >>> round(total_variation_of_means(2.0), 4)
    0.6827
    """
    return erf(abs(gap) / sqrt(8))


def univariate_total_variation(mean_p: float, sigma_p: float, mean_q: float, sigma_q: float) -> float:
    """Return the exact TV between two normal distributions on the line.

    In units of the narrow distribution the wide one is N(u s, s^2) with s >= 1, u >= 0, and the narrow
    density is the larger one between the two roots of (1 - 1/s^2) x^2 + 2 (u/s) x = u^2 + 2 log s.
    """
    positive(sigma_p=sigma_p, sigma_q=sigma_q)
    narrow, wide = sorted((float(sigma_p), float(sigma_q)))
    s, excess = wide / narrow, (wide - narrow) / narrow
    u = min(abs(mean_p - mean_q) / wide, _DISJOINT)
    if excess == 0:
        return total_variation_of_means(u)
    k, log_s = excess / s * ((2 + excess) / s), log1p(excess)
    reach = u / s + sqrt(u * u + 2 * k * log_s)
    low, high = -reach / k, (u * u + 2 * log_s) / reach
    mass = ndtr([high, low, high / s - u, low / s - u])
    return max(0.0, float(mass[0] - mass[1] - (mass[2] - mass[3])))


def total_variation(p: Gaussian, q: Gaussian) -> float:
    """Return the exact TV where a closed form exists: d = 1, or equal covariances.

    Otherwise an `ArgumentError` points at `total_variation_bounds`.
    """
    if p.d == q.d == 1:
        scales = np.sqrt([p.covariance[0, 0], q.covariance[0, 0]])
        return univariate_total_variation(p.mean[0], float(scales[0]), q.mean[0], float(scales[1]))
    if np.array_equal(p.covariance, q.covariance):
        return total_variation_of_means(mahalanobis_mean_error(p.mean, q))
    raise ArgumentError("p", p, "the covariance of q, or d = 1; see total_variation_bounds")


def total_variation_bounds(p: Gaussian, q: Gaussian) -> tuple[float, float]:
    """Return (lower, upper) bounds on TV; both are the value itself where `total_variation` is exact.

    Lower: the exact TV of the best of d + 1 projections to a line (the directions in which the covariances
    differ, and the one that separates the means), and 1 - b for the Bhattacharyya coefficient b.
    Upper: sqrt(1 - b^2), and Pinsker's sqrt(KL / 2) in both directions. `q` must be nonsingular.
    """
    excess, gap = _relative(p, q)
    if excess.min() <= -1:
        return 1.0, 1.0
    if p.d == 1 or np.array_equal(p.covariance, q.covariance):
        return (exact := total_variation(p, q)), exact
    half = excess / 2
    terms = np.log1p(excess) / 4 - np.log1p(half) / 2 - gap**2 / (8 * (1 + half))
    log_b = min(0.0, float(terms.sum()))
    kl = min(_kl(excess, gap), _kl(-excess / (1 + excess), gap / np.sqrt(1 + excess)))
    upper = min(sqrt(-expm1(2 * log_b)), pinsker_bound(kl))
    gaps, variances, direction = [*gap], [*(1 + excess)], gap / (2 + excess)
    if norm := float(np.linalg.norm(direction)):
        unit = direction / norm
        gaps.append(unit @ gap)
        variances.append(unit @ (unit * (1 + excess)))
    lines = zip(gaps, variances, strict=True)
    seen = max(univariate_total_variation(float(g), sqrt(v), 0.0, 1.0) for g, v in lines)
    return min(upper, max(-expm1(log_b), seen)), upper


def _kl(excess: Array, gap: Array) -> float:
    if excess.min() <= -1:
        return inf
    return float((excess - np.log1p(excess)).sum() + gap @ gap) / 2


def _relative(p: Gaussian, q: Gaussian) -> tuple[Array, Array]:
    """Return the eigenvalues x and the mean gap g of `p` in units of `q`, in the eigenbasis of x."""
    excess, basis = np.linalg.eigh(_relative_excess(p.covariance, q.covariance))
    gap = np.linalg.solve(_factor(q.covariance), p.mean - q.mean)
    return excess, basis.T @ gap


def _relative_excess(estimate: ArrayLike, truth: ArrayLike) -> Array:
    """Return L^{-1} (S - Sigma) L^{-T} with Sigma = L L^T: the symmetric root, rotated: same norms."""
    sigma = reals(truth)
    factor = _factor(sigma)
    half = np.linalg.solve(factor, _shaped(estimate, sigma.shape) - sigma)
    return np.linalg.solve(factor, half.T).T


def _norm(array: Any, order: float | None = None) -> float:
    return float(np.linalg.norm(array, order)) if np.isfinite(array).all() else inf


def _factor(sigma: Array) -> Array:
    try:
        return reals(np.linalg.cholesky(sigma))
    except np.linalg.LinAlgError:
        raise ArgumentError("truth", sigma, "a nonsingular covariance") from None


def _shaped(estimate: ArrayLike, shape: tuple[int, ...]) -> Array:
    array = reals(estimate)
    if array.shape != shape:
        raise ArgumentError("estimate", estimate, f"an array of shape {shape}")
    return array
