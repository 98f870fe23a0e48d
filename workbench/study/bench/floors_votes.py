"""What the entries that vote, by groups or by rows, cannot avoid, keyed by entry."""

from typing import Any

from workbench.privacy import Budget
from workbench.study.bench.floors_multivariate import finished, halves
from workbench.study.bench.primitives import (
    Primitive,
    copy,
    distances,
    eigh,
    factor,
    gemm,
    log,
    normal,
    norms,
    syrk,
)

PASSES = 8  # of a fixed point that a step takes two thirds and more off the way to


def tokens(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return pairs if the mean is not known, then decomposed groups."""
    k = estimator.groups(budget)
    m, pairs = halves(estimator, n, d)
    return *pairs, factor(k, m // k, d)


def voting_groups(recipe: Any) -> tuple[Primitive, ...]:
    """Return a copy in a new order, decomposed groups, and the distances of all pairs by their traces."""
    k, s, d = recipe.design.vote.k, recipe.design.size, recipe.d
    return copy(recipe.n, d), factor(k, s, d), distances(k, d * d), distances(k, d * d)


def preconditioner(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return pairs if the mean is not known, then voting groups."""
    return *halves(estimator, n, d)[1], *voting_groups(estimator.recipe(n, d, budget))


def matrix_quantile(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return pairs, then for every pass a map of the rows, weights, and a weighted sum of outer products.

    Three levels take `PASSES` each on normal rows.
    """
    m, pairs = halves(estimator, n, d)
    return *pairs, *quantile_passes(m, d)


def quantile_passes(m: int, d: int) -> tuple[Primitive, ...]:
    """Return the passes over m rows of mean 0."""
    one = (gemm(m, d), norms(m, d), log(m), copy(m, d), syrk(m, d))
    return *one * (3 * PASSES), eigh(d)


def populous_mean(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return a copy in a new order, the distances of all pairs of groups, and noise."""
    return copy(n, d), distances(estimator.design(n, d, budget).vote.k, d), normal(d)


def populous_covariance(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return each stage on rows of its own: tokens, voting groups, and clipped moments and places."""
    return stages(estimator, budget, n, d, voting_groups(estimator.recipe(n, d, budget).frame))


def populous_gaussian(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return the same, with passes over the rows in the place of groups where quantiles are chosen."""
    frame = estimator.recipe(n, d, budget).frame
    quantiles = estimator.covariance != "populous"
    return stages(estimator, budget, n, d, quantile_passes(frame.n, d) if quantiles else voting_groups(frame))


def stages(
    estimator: Any, budget: Budget, n: int, d: int, frame: tuple[Primitive, ...]
) -> tuple[Primitive, ...]:
    """Return tokens of groups, what finds a frame, and the finish in it."""
    recipe = estimator.recipe(n, d, budget)
    found = tokens(recipe.subspace, budget, recipe.rows[0], d) if recipe.degenerate else ()
    return *found, *frame, *finished(recipe.finish)


FLOORS = {
    "covariance/matrix-quantile": matrix_quantile,
    "spectral/subspace-exact": tokens,
    "spectral/preconditioner": preconditioner,
    "gaussian/populous": populous_gaussian,
    "covariance/populous": populous_covariance,
    "mean/populous": populous_mean,
}
