"""What the entries in d dimensions cannot avoid, keyed by entry."""

from typing import Any

from workbench.privacy import Budget

from .primitives import (
    Primitive,
    bincount,
    copy,
    eigh,
    exponential,
    gemm,
    log,
    normal,
    norms,
    scan,
    sort,
    syrk,
)


def clipped_moment(n: int, d: int) -> tuple[Primitive, ...]:
    """Return the norms of the rows, one pass that shrinks them, and the sum of their outer products."""
    return norms(n, d), copy(n, d), syrk(n, d)


def perturbed(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return a clipped second moment and a symmetric matrix of noise."""
    return *clipped_moment(n, d), normal(d * d)


def thresholded(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return the perturbed moment and its repair; before it, if no radius is given, a count of norms."""
    radius = (norms(n, d), bincount(n, 321), normal(321)) if estimator.radius is None else ()
    return *radius, *perturbed(estimator, budget, n, d), eigh(d)


def empirical_covariance(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return the sum of outer products, after the mean and the differences from it unless it is known."""
    return (syrk(n, d),) if estimator.centred else (scan(n, d), copy(n, d), syrk(n, d))


def clipped(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return pairs unless the mean is known, a clipped second moment, noise, and the positive part."""
    return *pairs(estimator, n, d), *clipped_moment(used(estimator, n), d), normal(d * d), eigh(d)


def pairs(estimator: Any, n: int, d: int) -> tuple[Primitive, ...]:
    """Return the differences of pairs, unless the mean is known."""
    return () if estimator.centred else (copy(used(estimator, n), d),)


def used(estimator: Any, n: int) -> int:
    """Return how many rows of mean 0 there are."""
    return n if estimator.centred else n // 2


def coinpress_covariance(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return for every step rows in a new frame, their clipped moment, noise and a spectrum."""
    m, steps = used(estimator, n), len(estimator.design(n, d, budget).clips)
    step = (gemm(m, d), *clipped_moment(m, d), normal(d * d), eigh(d))
    return *pairs(estimator, n, d), *(step * steps)


def empirical_mean(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return one pass."""
    return (scan(n, d),)


def clipped_box(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return one pass that clips, one that adds up, and the noise."""
    return copy(n, d), scan(n, d), normal(d)


def coinpress_mean(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return for every step the norms round a centre, a pass that shrinks rows, their sum and the noise."""
    steps = len(estimator.design(n, d, budget).clips)
    return (norms(n, d), copy(n, d), scan(n, d), normal(d)) * steps


def coordinatewise(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return a window median and a clipped mean of every column: points sorted, pieces, noise for them."""
    column = (sort(n), exponential(3 * n), log(3 * n), log(3 * n), scan(n), normal(1))
    return column * d


FLOORS = {
    "mean/empirical": empirical_mean,
    "mean/clipped-box": clipped_box,
    "mean/coordinatewise": coordinatewise,
    "mean/coinpress": coinpress_mean,
    "covariance/empirical": empirical_covariance,
    "covariance/clipped": clipped,
    "covariance/coinpress": coinpress_covariance,
    "covariance/perturbed": perturbed,
    "covariance/thresholded": thresholded,
    "covariance/local-thresholded": thresholded,
}
