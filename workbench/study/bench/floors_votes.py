"""What the entries that vote on groups of rows cannot avoid, keyed by entry."""

from typing import Any

from workbench.privacy import Budget

from .floors_multivariate import clipped_moment, halves, located
from .primitives import (
    Primitive,
    copy,
    distances,
    eigh,
    factor,
    normal,
    norms,
    scan,
)


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


def populous_mean(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return a copy in a new order, the distances of all pairs of groups, and noise."""
    return copy(n, d), distances(estimator.design(n, d, budget).vote.k, d), normal(d)


def populous_gaussian(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return each stage on rows of its own: tokens, voting groups, and clipped moments and places."""
    recipe = estimator.recipe(n, d, budget)
    first, _, last = recipe.rows
    found = tokens(recipe.subspace, budget, first, d) if recipe.degenerate else ()
    moment = (*clipped_moment(last, d), normal(d * d), eigh(d))
    mean = () if estimator.centred else (*located(last) * d, norms(last, d), scan(last, d))
    return *found, *voting_groups(recipe.frame), *moment * 3, *mean


FLOORS = {
    "spectral/subspace-exact": tokens,
    "spectral/preconditioner": preconditioner,
    "gaussian/populous": populous_gaussian,
    "covariance/populous": populous_gaussian,
    "mean/populous": populous_mean,
}
