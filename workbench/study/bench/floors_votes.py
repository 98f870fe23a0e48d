"""What the entries that vote, by groups or by rows, or filter corrupted rows cannot avoid, keyed by entry."""

from typing import Any

from workbench.privacy import Budget
from workbench.study.bench.floors_multivariate import finished, halves
from workbench.study.bench.primitives import (
    Floor,
    bincount,
    copy,
    distances,
    eigh,
    factor,
    gemm,
    log,
    normal,
    norms,
    scan,
    sort,
    syrk,
)

PASSES = 8  # of a fixed point that a step takes two thirds and more off the way to


def tokens(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return pairs if the mean is not known, then decomposed groups."""
    k = estimator.groups(budget)
    m, pairs = halves(estimator, n, d)
    return *pairs, factor(k, m // k, d)


def voting_groups(recipe: Any) -> Floor:
    """Return a copy in a new order, decomposed groups, and the distances of all pairs by their traces."""
    k, s, d = recipe.design.vote.k, recipe.design.size, recipe.d
    return copy(recipe.n, d), factor(k, s, d), distances(k, d * d), distances(k, d * d)


def preconditioner(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return pairs if the mean is not known, then voting groups."""
    return *halves(estimator, n, d)[1], *voting_groups(estimator.recipe(n, d, budget))


def matrix_quantile(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return pairs, then for every pass a map of the rows, weights, and a weighted sum of outer products.

    Three levels take `PASSES` each on normal rows.
    """
    m, pairs = halves(estimator, n, d)
    return *pairs, *quantile_passes(m, d)


def quantile_passes(m: int, d: int) -> Floor:
    """Return the passes over m rows of mean 0."""
    one = (gemm(m, d), norms(m, d), log(m), copy(m, d), syrk(m, d))
    return *one * (3 * PASSES), eigh(d)


def lifted_location(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return sorted columns, the same passes over rows of one column more, and noise."""
    return *(sort(n),) * d, *quantile_passes(n, d + 1), normal(d)


def lifted_gaussian(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return the same, the finish in its frame, and the lengths of all rows."""
    finish = estimator.recipe(n, d, budget).design.finish
    place = (*(sort(n),) * d, *quantile_passes(n, d + 1), normal((d + 1) ** 2))
    return *place, *finished(finish), gemm(n, d), norms(n, d)


def populous_mean(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return a copy in a new order, the distances of all pairs of groups, and noise."""
    return copy(n, d), distances(estimator.design(n, d, budget).vote.k, d), normal(d)


def populous_covariance(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return each stage on rows of its own: tokens, voting groups, and clipped moments and places."""
    return stages(estimator, budget, n, d, voting_groups(estimator.recipe(n, d, budget).frame))


def populous_gaussian(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return the same, with passes over the rows in the place of groups where quantiles are chosen."""
    frame = estimator.recipe(n, d, budget).frame
    quantiles = estimator.covariance != "populous"
    return stages(estimator, budget, n, d, quantile_passes(frame.n, d) if quantiles else voting_groups(frame))


def stages(estimator: Any, budget: Budget, n: int, d: int, frame: Floor) -> Floor:
    """Return tokens of groups, what finds a frame, and the finish in it."""
    recipe = estimator.recipe(n, d, budget)
    found = tokens(recipe.subspace, budget, recipe.rows[0], d) if recipe.degenerate else ()
    return *found, *frame, *finished(recipe.finish)


def filtered_mean(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return medians of the coordinates, and one pass of the weighted covariance with its directions."""
    one = (sort(n), scan(n, d))
    return *one * d, copy(n, d), syrk(n, d), *one * (1 if d == 1 else 2)


def filtered_covariance(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return pairs, and one pass that whitens rows, multiplies them out and looks in every direction."""
    m, pairs = halves(estimator, n, d)
    products = d * (d + 1) // 2
    looks = (scan(m, products), bincount(m, 40)) * (1 if d == 1 else 9)
    return *pairs, syrk(m, d), gemm(m, d), copy(m, products), syrk(m, products), eigh(products), *looks


def robust_covariance(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return pairs if the mean is not known, then robust groups that vote."""
    return *halves(estimator, n, d)[1], *robust_groups(estimator.recipe(n, d, budget))


def robust_groups(recipe: Any) -> Floor:
    """Return a few weighted factors of every group, what tells friends from others, and a mask."""
    size, k, d = recipe.design.size, recipe.design.vote.k, recipe.d
    step = (factor(k, size, d), gemm(k * size, d), scan(k * size, d))
    return *step * 5, distances(k, d * d), normal(d * d)


def robust_mean(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return a sort of every coordinate and fifty weighted means of groups that vote."""
    design = estimator.recipe(n, d, budget).design
    return *(sort(n),) * d, *(scan(n, d), copy(n, d)) * 50, distances(design.vote.k, d), normal(d)


def robust_gaussian(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return robust groups of pairs, and fifty weighted means of groups of the other rows."""
    shape, place = estimator.recipes(n, d, budget)
    means = (scan(place.n, d), copy(place.n, d)) * 50
    return copy(shape.n, d), *robust_groups(shape), *means, distances(place.design.vote.k, d), normal(d)


FLOORS = {
    "covariance/matrix-quantile": matrix_quantile,
    "mean/affine": lifted_location,
    "gaussian/lifted": lifted_gaussian,
    "spectral/subspace-exact": tokens,
    "spectral/preconditioner": preconditioner,
    "gaussian/populous": populous_gaussian,
    "covariance/populous": populous_covariance,
    "mean/populous": populous_mean,
    "mean/median-of-means": populous_mean,
    "mean/filter-nonprivate": filtered_mean,
    "mean/populous-robust": robust_mean,
    "covariance/filter-nonprivate": filtered_covariance,
    "covariance/populous-robust": robust_covariance,
    "gaussian/populous-robust": robust_gaussian,
}
