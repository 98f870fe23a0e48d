"""What the entries in d dimensions cannot avoid, keyed by entry."""

from typing import Any

from workbench.privacy import Budget

from .primitives import Primitive, bincount, copy, eigh, normal, norms, syrk


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


FLOORS = {
    "covariance/perturbed": perturbed,
    "covariance/thresholded": thresholded,
    "covariance/local-thresholded": thresholded,
}
