"""What the entries in d dimensions cannot avoid, keyed by entry."""

from typing import Any

from workbench.estimators.tukey import directions
from workbench.estimators.unbounded import RoundFinish
from workbench.privacy import Budget
from workbench.study.bench.primitives import (
    Floor,
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

POPULATED = 8  # bins that a coordinate of normal rows fills


def clipped_moment(n: int, d: int) -> Floor:
    """Return the norms of the rows, one pass that shrinks them, and the sum of their outer products."""
    return norms(n, d), copy(n, d), syrk(n, d)


def noisy_moment(n: int, d: int) -> Floor:
    """Return a clipped moment with noise, and its repair."""
    return *clipped_moment(n, d), normal(d * d), eigh(d)


def perturbed(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return a clipped second moment and a symmetric matrix of noise."""
    return *clipped_moment(n, d), normal(d * d)


def thresholded(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return the perturbed moment and its repair; before it, if no radius is given, a count of norms."""
    radius = (norms(n, d), bincount(n, 321), normal(321)) if estimator.radius is None else ()
    return *radius, *perturbed(estimator, budget, n, d), eigh(d)


def box_mean(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return one pass that clips, one that adds, and noise."""
    return copy(n, d), scan(n, d), normal(d)


def coordinates(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return a window median and a mean for each coordinate."""
    return (*located(n), scan(n), normal(1)) * d


def coinpress_mean(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return, for each step, the norms of moved rows, one pass that shrinks them, and noise."""
    step = (copy(n, d), norms(n, d), scan(n, d), normal(d))
    return step * len(estimator.design(n, d, budget).weights)


def filtered_mean(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return bins of every coordinate, rows moved and shrunk twice, and moments: what clean rows need."""
    bins, clip = estimator.tight(n, d).bins, (copy(n, d), norms(n, d))
    return *(bincount(n, bins),) * d, *clip, scan(n, d), *clip, syrk(n, d), normal(d * d), eigh(d)


def clipped_covariance(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return pairs if the mean is not known, then a clipped moment and its repair."""
    m, pairs = halves(estimator, n, d)
    return *pairs, *noisy_moment(m, d)


def coinpress_covariance(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return pairs, then for each step a map of the rows, a clipped moment and an eigendecomposition."""
    m, pairs = halves(estimator, n, d)
    step = (gemm(m, d), *noisy_moment(m, d))
    return pairs + step * len(estimator.design(n, d, budget).weights)


def coinpress_gaussian(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return, for each step, rows that are moved and mapped, and the clipped moment of longer ones."""
    step = (copy(n, d), gemm(n, d), *clipped_moment(n, d + 1), normal((d + 1) ** 2), eigh(d))
    return step * len(estimator.design(n, d, budget).steps)


def halves(estimator: Any, n: int, d: int) -> tuple[int, Floor]:
    """Return the number of rows of mean 0, and what making them takes."""
    return (n, ()) if estimator.centred else (n // 2, (copy(n // 2, d),))


def heavy_covariance(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return pairs, then at least one map of all rows, and an eigendecomposition for each step."""
    m, pairs = halves(estimator, n, d)
    taken = len(list(estimator.plan(n, d, budget).charges()))
    return *pairs, gemm(m, d), *clipped_moment(m, d), *(normal(d * d), eigh(d)) * taken


def net(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return pairs, one map of the rows (every candidate needs one), and a number for each candidate."""
    m, pairs = halves(estimator, n, d)
    return *pairs, gemm(m, d), scan(m), exponential(estimator.candidates(d))


def bins(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return counts of populated bins in every coordinate, and noise for as many bins as there are rows."""
    return (bincount(n, POPULATED),) * d + (normal(n),)


def located(n: int) -> Floor:
    """Return a window median: sorted points, and noise and a log length for the three pieces of each."""
    return sort(n), exponential(3 * n), log(3 * n), log(3 * n)


def measured_blocks(tight: bool, t: int, m: int, d: int) -> Floor:
    """Return decomposed blocks and, for each eigenvalue, a window median or counts of its exponents."""
    one = located(t) if tight else (bincount(t, POPULATED), normal(t))
    return factor(t, m, d), *one * d


def voted_blocks(t: int, m: int, d: int) -> Floor:
    """Return decomposed blocks, the distances of their projections, and a noisy mean."""
    return factor(t, m, d), distances(t, d * d), normal(1), normal(d * d), eigh(d)


def eigenvalues(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return pairs if the mean is not known, then measured blocks.

    These are few, so that a call is mostly checks of the rows and of their pairs, more than one pass each:
    ratios are large where rows are short.
    """
    t, m = estimator.blocks(n, d, budget)
    measured = measured_blocks(estimator.calibration == "tight", t, m, d)
    return *halves(estimator, n, d)[1], *measured


def subspace(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return pairs if the mean is not known, then voting blocks."""
    vote = estimator.vote(n, d, budget)
    return *halves(estimator, n, d)[1], *voted_blocks(vote.points, vote.m, d)


def unbounded(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return pairs, mapped blocks for each measurement and each vote, then places and clipped moments of all.

    What a tight run holds beyond a copy of the rows are the 3n events of a window median, one coordinate at a
    time: about 22n numbers whatever d is.
    """
    recipe, (rows, pairs) = estimator.recipe(n, d, budget), halves(estimator, n, d)
    t, m = recipe.blocks
    tight = estimator.calibration == "tight"
    measurement = (gemm(rows, d), *measured_blocks(tight, t, m, d))
    vote = (gemm(rows, d), *voted_blocks(t, m, d))
    if tight:
        return pairs + measurement * 2 + vote * (d - 1) + finished(recipe.finish)
    moment = noisy_moment(rows, d)
    mean = (*bins(estimator, budget, n, d), norms(n, d), scan(n, d)) if recipe.located else ()
    return pairs + measurement * (2 * d) + vote * d + moment * (d + 1) + mean


def finished(finish: RoundFinish) -> Floor:
    """Return a place in every coordinate unless one is known, and a clipped moment for each step."""
    n, d = finish.n, finish.d
    moment = noisy_moment(n, d)
    places = () if finish.centred or finish.placed else located(n) * d
    return places + moment * len(finish.costs)


def robust_mean(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return bins of every coordinate, a pass round their centres, and the clipped moments of clean rows."""
    design = estimator.steps(n, d, budget)
    weights = design.shares.weights
    found = (bincount(n, design.modes.bins),) * d + (normal(d * design.modes.bins),)
    if "recentre" in weights:
        found += norms(n, d), scan(n, d)
    if estimator.filters(n, d, budget):
        return *found, *clipped_moment(n, d), normal(d * d // 2), eigh(d)
    return *found, norms(n, d), copy(n, d), scan(n, d)


def plain_mean(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return one pass."""
    return (scan(n, d),)


def plain_covariance(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return a mean unless it is known, and the sum of outer products."""
    return *(() if estimator.centred else (scan(n, d), copy(n, d))), syrk(n, d)


def looked_along(estimator: Any, budget: Budget, n: int, d: int) -> Floor:
    """Return, along every direction of a net, sorted rows and one pass over candidates; then a choice."""
    if not (count := estimator.candidates(d)):
        return located(n)
    one = (copy(n, d), sort(n), scan(count))
    return *one * len(directions(d)), exponential(count)


FLOORS = {
    "range/box": bins,
    "range/ball": bins,
    "mean/empirical": plain_mean,
    "mean/clipped-box": box_mean,
    "mean/coordinatewise": coordinates,
    "mean/coinpress": coinpress_mean,
    "mean/clipped-heavy": coinpress_mean,
    "mean/tukey": looked_along,
    "mean/resilient": looked_along,
    "mean/resilient-heavy": looked_along,
    "mean/filter": filtered_mean,
    "mean/prime": filtered_mean,
    "mean/prime-heavy": filtered_mean,
    "mean/robust": robust_mean,
    "mean/robust-heavy": robust_mean,
    "covariance/empirical": plain_covariance,
    "covariance/clipped": clipped_covariance,
    "covariance/coinpress": coinpress_covariance,
    "covariance/heavy-tailed-naive": clipped_covariance,
    "covariance/heavy-tailed": heavy_covariance,
    "covariance/pure-net": net,
    "covariance/unbounded": unbounded,
    "gaussian/unbounded": unbounded,
    "gaussian/coinpress": coinpress_gaussian,
    "spectral/eigenvalues": eigenvalues,
    "spectral/subspace-aggregate": subspace,
    "covariance/perturbed": perturbed,
    "covariance/thresholded": thresholded,
    "covariance/local-thresholded": thresholded,
}
