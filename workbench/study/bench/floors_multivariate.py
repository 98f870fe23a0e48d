"""What the entries in d dimensions cannot avoid, keyed by entry."""

from typing import Any

from workbench.privacy import Budget

from .primitives import (
    Primitive,
    bincount,
    copy,
    distances,
    eigh,
    exponential,
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
POPULATED = 8  # bins that a coordinate of normal rows fills


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


def box_mean(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return one pass that clips, one that adds, and noise."""
    return copy(n, d), scan(n, d), normal(d)


def coordinates(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return a window median and a mean for each coordinate."""
    one = (sort(n), exponential(3 * n), log(3 * n), log(3 * n), scan(n), normal(1))
    return one * d


def coinpress_mean(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return, for each step, the norms of moved rows, one pass that shrinks them, and noise."""
    step = (copy(n, d), norms(n, d), scan(n, d), normal(d))
    return step * len(estimator.design(n, d, budget).weights)


def clipped_covariance(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return pairs if the mean is not known, then a clipped moment and its repair."""
    m, pairs = halves(estimator, n, d)
    return *pairs, *clipped_moment(m, d), normal(d * d), eigh(d)


def coinpress_covariance(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return pairs, then for each step a map of the rows, a clipped moment and an eigendecomposition."""
    m, pairs = halves(estimator, n, d)
    step = (gemm(m, d), *clipped_moment(m, d), normal(d * d), eigh(d))
    return pairs + step * len(estimator.design(n, d, budget).weights)


def halves(estimator: Any, n: int, d: int) -> tuple[int, tuple[Primitive, ...]]:
    """Return the number of rows of mean 0, and what making them takes."""
    return (n, ()) if estimator.centred else (n // 2, (copy(n // 2, d),))


def heavy_covariance(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return pairs, then at least one map of all rows, and an eigendecomposition for each step."""
    m, pairs = halves(estimator, n, d)
    taken = len(list(estimator.plan(n, d, budget).charges()))
    return *pairs, gemm(m, d), *clipped_moment(m, d), *(normal(d * d), eigh(d)) * taken


def net(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return pairs, one map of the rows (every candidate needs one), and a number for each candidate."""
    m, pairs = halves(estimator, n, d)
    return *pairs, gemm(m, d), scan(m), exponential(estimator.candidates(d))


def bins(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return counts of populated bins in every coordinate, and noise for as many bins as there are rows."""
    return (bincount(n, POPULATED),) * d + (normal(n),)


def located(n: int) -> tuple[Primitive, ...]:
    """Return a window median: sorted points, and noise and a log length for the three pieces of each."""
    return sort(n), exponential(3 * n), log(3 * n), log(3 * n)


def measured_blocks(tight: bool, t: int, m: int, d: int) -> tuple[Primitive, ...]:
    """Return decomposed blocks and, for each eigenvalue, a window median or counts of its exponents."""
    one = located(t) if tight else (bincount(t, POPULATED), normal(t))
    return factor(t, m, d), *one * d


def voted_blocks(t: int, m: int, d: int) -> tuple[Primitive, ...]:
    """Return decomposed blocks, the distances of their projections, and a noisy mean."""
    return factor(t, m, d), distances(t, d * d), normal(1), normal(d * d), eigh(d)


def eigenvalues(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return pairs if the mean is not known, then measured blocks.

    These are few, so that a call is mostly checks of the rows and of their pairs, more than one pass each:
    ratios are large where rows are short.
    """
    t, m = estimator.blocks(n, d, budget)
    measured = measured_blocks(estimator.calibration == "tight", t, m, d)
    return *halves(estimator, n, d)[1], *measured


def subspace(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return pairs if the mean is not known, then voting blocks."""
    vote = estimator.vote(n, d, budget)
    return *halves(estimator, n, d)[1], *voted_blocks(vote.blocks, vote.m, d)


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


def unbounded(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return pairs, mapped blocks for each measurement and each vote, then clipped moments of all rows.

    What a tight run holds beyond a copy of the rows are the 3n events of a window median, one coordinate at a
    time: about 22n numbers whatever d is.
    """
    recipe, (rows, pairs) = estimator.recipe(n, d, budget), halves(estimator, n, d)
    t, m = recipe.blocks
    tight = estimator.calibration == "tight"
    measurement = (gemm(rows, d), *measured_blocks(tight, t, m, d))
    vote = (gemm(rows, d), *voted_blocks(t, m, d))
    moment = (*clipped_moment(n if tight else rows, d), normal(d * d), eigh(d))
    if tight:
        mean = () if estimator.centred else (*located(n) * d, norms(n, d), scan(n, d))
        return pairs + measurement * 2 + vote * (d - 1) + moment * 3 + mean
    mean = (*bins(estimator, budget, n, d), norms(n, d), scan(n, d)) if recipe.located else ()
    return pairs + measurement * (2 * d) + vote * d + moment * (d + 1) + mean


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
    frame = quantile_passes(recipe.frame.n, d) if estimator.covariance != "populous" else None
    return *found, *(frame or voting_groups(recipe.frame)), *moment * 3, *mean


def plain_mean(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return one pass."""
    return (scan(n, d),)


def plain_covariance(estimator: Any, budget: Budget, n: int, d: int) -> tuple[Primitive, ...]:
    """Return a mean unless it is known, and the sum of outer products."""
    return *(() if estimator.centred else (scan(n, d), copy(n, d))), syrk(n, d)


FLOORS = {
    "range/box": bins,
    "range/ball": bins,
    "mean/empirical": plain_mean,
    "mean/clipped-box": box_mean,
    "mean/coordinatewise": coordinates,
    "mean/coinpress": coinpress_mean,
    "mean/clipped-heavy": coinpress_mean,
    "covariance/empirical": plain_covariance,
    "covariance/clipped": clipped_covariance,
    "covariance/coinpress": coinpress_covariance,
    "covariance/heavy-tailed-naive": clipped_covariance,
    "covariance/heavy-tailed": heavy_covariance,
    "covariance/pure-net": net,
    "covariance/unbounded": unbounded,
    "covariance/matrix-quantile": matrix_quantile,
    "gaussian/unbounded": unbounded,
    "spectral/eigenvalues": eigenvalues,
    "spectral/subspace-aggregate": subspace,
    "spectral/subspace-exact": tokens,
    "spectral/preconditioner": preconditioner,
    "gaussian/populous": populous_gaussian,
    "covariance/populous": populous_gaussian,
    "mean/populous": populous_mean,
    "covariance/perturbed": perturbed,
    "covariance/thresholded": thresholded,
    "covariance/local-thresholded": thresholded,
}
