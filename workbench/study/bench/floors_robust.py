"""What the entries for corrupted rows cannot avoid, keyed by entry."""

from typing import Any

from workbench.privacy import Budget
from workbench.study.bench.floors_multivariate import halves
from workbench.study.bench.primitives import (
    Primitive,
    bincount,
    copy,
    distances,
    eigh,
    factor,
    gemm,
    normal,
    scan,
    sort,
    syrk,
)


def filtered_mean(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return medians of the coordinates, and one pass of the weighted covariance with its directions."""
    one = (sort(n), scan(n, d))
    return *one * d, copy(n, d), syrk(n, d), *one * (1 if d == 1 else 2)


def filtered_covariance(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return pairs, and one pass that whitens rows, multiplies them out and looks in every direction."""
    m, pairs = halves(estimator, n, d)
    products = d * (d + 1) // 2
    looks = (scan(m, products), bincount(m, 40)) * (1 if d == 1 else 9)
    return *pairs, syrk(m, d), gemm(m, d), copy(m, products), syrk(m, products), eigh(products), *looks


def robust_covariance(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return pairs if the mean is not known, then robust groups that vote."""
    return *halves(estimator, n, d)[1], *robust_groups(estimator.recipe(n, d, budget))


def robust_groups(recipe: Any) -> tuple[Primitive, ...]:
    """Return a few weighted factors of every group, what tells friends from others, and a mask."""
    size, k, d = recipe.design.size, recipe.design.vote.k, recipe.d
    step = (factor(k, size, d), gemm(k * size, d), scan(k * size, d))
    return *step * 5, distances(k, d * d), normal(d * d)


def robust_mean(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return a sort of every coordinate and fifty weighted means of groups that vote."""
    design = estimator.recipe(n, d, budget).design
    return *(sort(n),) * d, *(scan(n, d), copy(n, d)) * 50, distances(design.vote.k, d), normal(d)


def robust_gaussian(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return robust groups of pairs, and fifty weighted means of groups of the other rows."""
    shape, place = estimator.recipes(n, d, budget)
    means = (scan(place.n, d), copy(place.n, d)) * 50
    return copy(shape.n, d), *robust_groups(shape), *means, distances(place.design.vote.k, d), normal(d)


FLOORS = {
    "mean/filter-nonprivate": filtered_mean,
    "mean/populous-robust": robust_mean,
    "covariance/filter-nonprivate": filtered_covariance,
    "covariance/populous-robust": robust_covariance,
    "gaussian/populous-robust": robust_gaussian,
}
