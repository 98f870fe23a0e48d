"""The sweeps behind the claims and pictures about PRIME (LKKO21): errors of estimators on the same rows.

Rows are N(θ, I), θ uniform on the cube of side 16 round 0, and public is that θ lies in that of side 20; an
adversary then replaces a share of them. A column for each estimator is its Euclidean error, infinite if it
abstains; "clean" is the error of the mean of the rows before the adversary came.
"""

from collections.abc import Callable
from functools import partial
from math import ceil, log, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.estimators.base import Trace
from workbench.estimators.clipped import ClippedBoxMean
from workbench.estimators.prime import (
    FilterMean,
    PrimeHeavyMean,
    PrimeMean,
    Score,
    score_counts,
    tail_set,
    threshold,
)
from workbench.populations.corruption import MEAN_ATTACKS
from workbench.populations.corruption.mean import clusters as at_clusters
from workbench.privacy import ApproxDP, GaussianDP
from workbench.study.grids import Sweep, grid
from workbench.study.profiles import blocks
from workbench.study.run import Row, each_trial, error_of
from workbench.types import Array

RADIUS, PLACES = 10.0, 8.0
CORRUPTION, EPSILON, DELTA = 0.05, 10.0, 0.01
N = 100_000
DIMENSIONS = (2, 3, 10, 20, 50)
DIRECTIONS = ("ones", "alternating", "axis", "random 1", "random 2", "random 3")
ATTACKS = {adversary.name: adversary for adversary in MEAN_ATTACKS}
HEAVY_ATTACKS = ("none", "far", "root-1", "root-2", "edge", "spread", "tail-swap")
LAWS = ("student", "pareto")
FAR_CLUSTERS, MOST_PASSES = 30.0, 40
COUNT_NOISE = 20.0  # sd of every count of scores
LEMMA_AT = (1.5 * sqrt(5), 10.0, 25.0, 100.0, 400.0)  # from the cluster of Figure 1 on
TAIL = 2.5  # degrees of freedom, and index, of the heavy laws: finite variances, no third moments


def limit(corruption: float) -> float:
    """Return corruption √(ln 1/corruption), what no robust mean can beat by more than a constant."""
    return corruption * sqrt(log(1 / corruption))


def corrupted(x: Array, attack: str, corruption: float, data: Generator) -> Array:
    """Return clean rows after an attack; every random direction is a new one."""
    name = attack.split(" ")[0]
    return x if name == "none" else ATTACKS[name].corrupt(x, corruption, rng=data)


def error(estimator: Any, rows: Array, theta: Array, budget: ApproxDP, noise: Generator) -> float:
    """Return how far a private mean is from θ."""
    value = estimator(rows, budget=budget, rng=noise).value
    return error_of(value, lambda mean: np.linalg.norm(mean - theta))


def robust_and_plain(corruption: float) -> dict[str, Any]:
    """Return the robust mean and the plain one."""
    return {
        "prime": PrimeMean(radius=RADIUS, corruption=corruption, sigma=1.0),
        "box": ClippedBoxMean(radius=RADIUS, sigma=1.0),
    }


def single_directions(corruption: float) -> dict[str, Any]:
    """Return the filter by single directions."""
    return {"filter": FilterMean(radius=RADIUS, corruption=corruption, sigma=1.0)}


@each_trial
def errors(
    estimators: Callable[[float], dict[str, Any]],
    n: int,
    d: int,
    corruption: float,
    epsilon: float,
    attack: str,
    *,
    delta: float = DELTA,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure estimators, and the mean of the clean rows, on the same corrupted normal rows."""
    theta, x = data.uniform(-PLACES, PLACES, d), data.standard_normal((n, d))
    clean = np.linalg.norm(x.mean(axis=0))
    rows = corrupted(x, attack, corruption, data)
    rows += theta
    chosen, budget = estimators(corruption), ApproxDP(epsilon, delta)
    return {"clean": clean} | {name: error(one, rows, theta, budget, noise) for name, one in chosen.items()}


MEASURED, FILTERED = partial(errors, robust_and_plain), partial(errors, single_directions)


@each_trial
def heavy_errors(
    n: int,
    d: int,
    corruption: float,
    epsilon: float,
    attack: str,
    law: str,
    *,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure the robust mean on rows of covariance I without a third moment."""
    theta, x = data.uniform(-PLACES, PLACES, d), heavy_rows(law, n, d, data)
    rows = corrupted(x, attack, corruption, data) + theta
    estimator, budget = (
        PrimeHeavyMean(radius=RADIUS, corruption=corruption, upper=1.0),
        ApproxDP(epsilon, DELTA),
    )
    return {"heavy": error(estimator, rows, theta, budget, noise)}


def heavy_rows(law: str, n: int, d: int, data: Generator) -> Array:
    """Return independent coordinates of mean 0 and variance 1: Student's t or, one-sided, Pareto's law."""
    if law == "student":
        return data.standard_t(TAIL, (n, d)) * sqrt((TAIL - 2) / TAIL)
    mean, variance = 1 / (TAIL - 1), TAIL / ((TAIL - 1) ** 2 * (TAIL - 2))
    return np.asarray((data.pareto(TAIL, (n, d)) - mean) / sqrt(variance))


def planted(names: tuple[str, ...] = ("ones",)) -> list[str]:
    """Return the attacks that plant a cluster in these directions."""
    return [f"shift-{name}" for name in names]


def sweep(name: str, trials: int, full: int, block: Any = MEASURED, **axes: Any) -> Sweep:
    """Return a sweep whose axes are those of Figure 1 unless told otherwise."""
    usual: dict[str, Any] = {
        "n": N, "d": 10, "corruption": CORRUPTION, "epsilon": EPSILON, "attack": planted()
    }  # fmt: skip
    return Sweep(f"lkko21-{name}", grid(**{**usual, **axes}), block, trials, blocks(full))


PLANTED = sweep("planted", 2, 10, d=DIMENSIONS, attack=planted(DIRECTIONS))
SHARES = sweep("shares", 8, 3, d=20, corruption=(0.01, 0.02, 0.05, 0.1))
SIZES = sweep("sizes", 10, 5, epsilon=1.0, n=(1000, 3000, 10_000, 30_000), attack=["none", *planted()])
EPSILONS = sweep("epsilons", 10, 20, n=10_000, corruption=0.1, epsilon=(0.05, 0.1, 0.2, 0.5, 1.0, 3.0, 10.0))
SMALL = sweep("small", 8, 9, d=(3, 10, 20, 50), corruption=0.001)
FILTER = sweep("filter", 3, 12, FILTERED, d=(3, 10, 20), attack=[*planted(("ones", "random 1")), "none"])
HEAVY = sweep(
    "prime-heavy", 1, 12, heavy_errors, law=LAWS, corruption=(0.02, 0.05, 0.1), attack=HEAVY_ATTACKS
)  # fmt: skip


@each_trial
def passes_taken(
    n: int, d: int, clusters: int, *, corruption: float = CORRUPTION, data: Generator, noise: Generator
) -> Row:
    """Count the passes of both scores, with hardly any noise, until clusters in many directions are gone.

    A look that ends the filter is no pass. "halved" is the share of the looks two passes after which the
    excess is half as large, or small enough to end, for the matrix score.
    """
    x = at_clusters(clusters, FAR_CLUSTERS)(data.standard_normal((n, d)), int(corruption * n), data)
    found: dict[str, float] = {}
    for name, kind in (("top", FilterMean), ("softmax", PrimeMean)):
        trace = Trace()
        estimator = kind(radius=RADIUS, sigma=1.0, corruption=corruption, passes=MOST_PASSES)
        estimator(x, budget=GaussianDP(1e4), rng=noise, trace=trace)
        excess = np.array(trace.records["excess"], np.float64)
        found[name] = len(excess) - 1
    ended = estimator.tight(n, d).level * corruption * log(1 / corruption)
    later = np.append(excess[2:], ended)
    halved = np.mean(later <= np.maximum(excess[:-1][: len(later)] / 2, ended))
    return {**found, "halved": halved}


@each_trial
def shares_removed(n: int, d: int, distance: float, *, data: Generator, noise: Generator) -> Row:
    """Measure Lemma E.1 on rows whose clean ones hold little of the score: what stays, and who goes.

    "clean" is what clean rows of the tail hold of the score, over Ψ; the lemma asks for 1/1000 at most.
    "stays" is (12) over Ψ, "bad over good" is (13), the ratio of its right side to its left; both with noise.
    """
    bad, x = int(CORRUPTION * n), data.standard_normal((n, d))
    x[:bad] += distance * data.uniform(0.5, 1.5, (bad, 1)) * np.eye(d)[0]
    tau = Score(x[bad:].mean(axis=0), np.eye(d)[:, :1]).of(x)
    tail = tail_set(tau, np.ones(n, bool), ceil(2 * CORRUPTION * n), x)
    psi, largest = float((tau - 1).mean()), float(tau.max())
    counts = noise.normal(score_counts(tau, tail, largest), COUNT_NOISE)
    cut = threshold(counts, n, psi)
    go = np.minimum(tau / cut, 1) * tail
    stays = (tau[tau < cut] - 1).sum() / n / psi
    clean = (tau[bad:] - 1)[tail[bad:]].sum() / n / psi
    return {"clean": clean, "stays": stays, "bad over good": go[:bad].sum() / (2 * go[bad:].sum())}


@each_trial
def source_constants(n: int, d: int, *, data: Generator, noise: Generator) -> Row:
    """Measure PRIME with the constants of the source, and the plain mean in a box, on planted rows."""
    theta = data.uniform(-PLACES, PLACES, d)
    rows = corrupted(data.standard_normal((n, d)), "shift-ones", CORRUPTION, data) + theta
    paper = PrimeMean(radius=RADIUS, corruption=CORRUPTION, calibration="paper", sigma=1.0)
    chosen = {"prime": paper, "box": ClippedBoxMean(radius=RADIUS, sigma=1.0)}
    return {name: error(one, rows, theta, ApproxDP(1.0, DELTA), noise) for name, one in chosen.items()}


SOURCE = Sweep("lkko21-source-constants", grid(n=(1000, 10_000), d=10), source_constants, 60, blocks(5))
PASSES = Sweep(
    "lkko21-passes", grid(n=20_000, d=20, clusters=(1, 2, 4, 8, 16)), passes_taken, 4, blocks(10)
)  # fmt: skip
LEMMA = Sweep(
    "lkko21-threshold", grid(n=20_000, d=5, distance=LEMMA_AT), shares_removed, 50, blocks(10)
)  # fmt: skip
