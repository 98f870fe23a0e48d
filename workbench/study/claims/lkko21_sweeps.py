"""The sweeps behind the claims and pictures about PRIME (LKKO21): errors of estimators on the same rows.

Rows are N(θ, I), θ uniform on the cube of side 16 round 0, and public is that θ lies in that of side 20; an
adversary then replaces a share of them. A column for each estimator is its Euclidean error, infinite if it
abstains; "clean" is the error of the mean of the rows before the adversary came.
"""

from collections.abc import Callable, Iterator
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from workbench.estimators.base import Abstention
from workbench.estimators.mean.clipped_box import ClippedBoxMean
from workbench.estimators.mean.filter import FilterMean
from workbench.estimators.mean.prime import PrimeMean
from workbench.estimators.mean.prime_heavy import PrimeHeavyMean
from workbench.populations.corruption import MEAN_ATTACKS
from workbench.privacy import ApproxDP
from workbench.study.profiles import blocks
from workbench.study.schema import Point
from workbench.study.sweep import Sweep, grid

Array = NDArray[np.float64]
Columns = dict[str, Array]

RADIUS, PLACES = 10.0, 8.0
CORRUPTION, EPSILON, DELTA = 0.05, 10.0, 0.01
N = 100_000
DIMENSIONS = (2, 3, 10, 20, 50)
DIRECTIONS = ("ones", "alternating", "axis", "random 1", "random 2", "random 3")
ATTACKS = {adversary.name: adversary for adversary in MEAN_ATTACKS}
HEAVY_ATTACKS = ("none", "far", "root-1", "root-2", "edge", "spread", "tail-swap")
LAWS = ("student", "pareto")
TAIL = 2.5  # degrees of freedom, and index, of the heavy laws: finite variances, no third moments


def limit(corruption: float) -> float:
    """Return corruption √(ln 1/corruption), what no robust mean can beat by more than a constant."""
    return corruption * sqrt(log(1 / corruption))


def corrupted(x: Array, point: Point, data: Generator) -> Array:
    """Return what the adversary of a point makes of clean rows; every random direction is a new one."""
    name = str(point["attack"]).split(" ")[0]
    return x if name == "none" else ATTACKS[name].corrupt(x, float(point["corruption"]), rng=data)


def normal_rows(point: Point, trials: int, data: Generator) -> Iterator[tuple[Array, Array, float]]:
    """Yield θ, corrupted rows, and the error of the mean of the clean ones."""
    n, d = int(point["n"]), int(point["d"])
    for _ in range(trials):
        theta, x = data.uniform(-PLACES, PLACES, d), data.standard_normal((n, d))
        clean = float(np.linalg.norm(x.mean(axis=0)))
        rows = corrupted(x, point, data)
        rows += theta
        yield theta, rows, clean


def error(estimator: Any, rows: Array, theta: Array, point: Point, noise: Generator) -> float:
    """Return how far a private mean is from θ."""
    value = estimator(rows, budget=ApproxDP(float(point["epsilon"]), DELTA), rng=noise).value
    return float("inf") if isinstance(value, Abstention) else float(np.linalg.norm(value - theta))


def estimators(point: Point) -> dict[str, Any]:
    """Return the robust mean and the plain one."""
    corruption = float(point["corruption"])
    return {"prime": PrimeMean(radius=RADIUS, corruption=corruption), "box": ClippedBoxMean(radius=RADIUS)}


def with_filter(point: Point) -> dict[str, Any]:
    """Return the filter by single directions."""
    return {"filter": FilterMean(radius=RADIUS, corruption=float(point["corruption"]))}


def heavy(point: Point) -> dict[str, Any]:
    """Return the robust mean for heavy tails."""
    return {"heavy": PrimeHeavyMean(radius=RADIUS, corruption=float(point["corruption"]))}


def errors(
    chosen: Callable[[Point], dict[str, Any]],
) -> Callable[[Point, int, Generator, Generator], Columns]:
    """Return the block that measures these estimators on normal rows."""

    def block(point: Point, trials: int, data: Generator, noise: Generator) -> Columns:
        found: list[dict[str, float]] = []
        for theta, rows, clean in normal_rows(point, trials, data):
            one = {name: error(each, rows, theta, point, noise) for name, each in chosen(point).items()}
            found.append({"clean": clean, **one})
        return {name: np.array([one[name] for one in found]) for name in found[0]}

    return block


MEASURED, FILTERED = errors(estimators), errors(with_filter)


def heavy_errors(point: Point, trials: int, data: Generator, noise: Generator) -> Columns:
    """Measure the robust mean on rows of covariance I without a third moment."""
    n, d = int(point["n"]), int(point["d"])
    found = np.empty(trials)
    for trial in range(trials):
        theta, x = data.uniform(-PLACES, PLACES, d), heavy_rows(str(point["law"]), n, d, data)
        rows = corrupted(x, point, data) + theta
        found[trial] = error(heavy(point)["heavy"], rows, theta, point, noise)
    return {"heavy": found}


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


PLANTED = sweep("planted", 5, 10, d=DIMENSIONS, attack=planted(DIRECTIONS))
CLEAN = sweep("clean", 5, 10, d=DIMENSIONS, attack="none")
SHARES = sweep("shares", 5, 10, d=20, corruption=(0.01, 0.02, 0.05, 0.1))
SIZES = sweep("sizes", 10, 5, epsilon=1.0, n=(1000, 3000, 10_000, 30_000), attack=["none", *planted()])
EPSILONS = sweep("epsilons", 10, 5, n=10_000, corruption=0.1, epsilon=(0.05, 0.1, 0.2, 0.5, 1.0, 3.0, 10.0))
SMALL = sweep("small", 5, 10, d=(3, 10, 20, 50), corruption=0.001)
FILTER = sweep("filter", 5, 10, FILTERED, d=(3, 10, 20), attack=[*planted(("ones", "random 1")), "none"])
HEAVY = sweep(
    "heavy", 5, 10, heavy_errors, law=LAWS, corruption=(0.02, 0.05, 0.1), attack=HEAVY_ATTACKS
)  # fmt: skip
