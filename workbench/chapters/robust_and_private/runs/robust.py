"""The sweeps behind the claims about `mean/robust` and `mean/robust-heavy`, beyond LKKO21.

Clean rows have covariance I and a mean that is uniform in [-8, 8] in every coordinate; the adversary works on
rows of mean 0. `planted` is the grid of LKKO21's Figure 1 with six directions; `attacks` has all adversaries
at d = 10, and clusters among rows that are not normal; `few` compares the estimator with itself without a
filter, the plain mean in a ball, on the same rows with the same noise; `heavy` is about polynomial tails.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.distributions import Gaussian
from workbench.estimators.base import Estimator
from workbench.estimators.robust import RobustHeavyMean, RobustMean
from workbench.populations import MultivariatePareto, MultivariateStudent, Population
from workbench.populations.corruption import MEAN_ATTACKS, Adversary
from workbench.populations.corruption.mean import shifted
from workbench.privacy import ApproxDP
from workbench.study.grids import Sweep, grid
from workbench.study.profiles import blocks
from workbench.study.run import Row, each_trial
from workbench.types import Array, Columns

RADIUS, SPREAD = 10.0, 8.0  # of the mean: what the estimator knows, and where it is
CORRUPTION, N, D = 0.05, 100_000, 10
GENEROUS, STRICT = ApproxDP(10.0, 0.01), ApproxDP(1.0, 0.01)
NONE = "none"
LOW, HIGH = (3, 10), (20, 50)  # dimensions; errors vary more in the low ones, which have more trials
EXTRA = "half-normal"  # its errors vary more than those of other attacks
DIRECTIONS = ("shift-ones", "shift-alternating", "shift-axis", *(f"shift-random {i}" for i in (1, 2, 3)))
FEW = (300, 1000, 3000, 10_000)
HEAVY_CORRUPTION, TAIL = (0.02, 0.05, 0.1), 2.5
HEAVY_ATTACKS = (NONE, "far", "root-1", "root-2", "tail-swap", "edge", "spread")
LAWS: Mapping[str, Callable[[Gaussian, float], Population]] = {
    "student": MultivariateStudent,
    "pareto": MultivariatePareto,
}

ADVERSARIES: Mapping[str, Adversary] = {
    **{adversary.name: adversary for adversary in MEAN_ATTACKS},
    "half-normal": Adversary(
        "half-normal",
        "rows moved by |N(0, 1.2²)| along u",
        shifted(lambda taken: 1.2 * np.abs(taken.rng.standard_normal(len(taken.own)))),
    ),
    "cluster-4": Adversary("cluster-4", "a cluster at 4", shifted(lambda taken: 4.0)),
}


def brief(full: int) -> dict[str, int]:
    """Return blocks of which quick, which shows pictures and decides nothing here, has one."""
    return blocks(full) | {"quick": 1}


def normal(n: int, d: int, rng: Generator) -> Array:
    """Return rows of N(0, I)."""
    return rng.standard_normal((n, d))


BASES: Mapping[str, Callable[[int, int, Generator], Array]] = {
    "uniform": lambda n, d, rng: rng.uniform(-(3**0.5), 3**0.5, (n, d)),
    "signs": lambda n, d, rng: rng.choice([-1.0, 1.0], (n, d)),
    "laplace": lambda n, d, rng: rng.laplace(scale=0.5**0.5, size=(n, d)),
    "exponential": lambda n, d, rng: rng.standard_exponential((n, d)) - 1.0,
    "narrower": lambda n, d, rng: normal(n, d, rng) * np.sqrt(np.linspace(0.8, 1.0, d)),
}
BASE_ATTACKS = tuple(f"{base}, {attack}" for base in BASES for attack in (NONE, "cluster-4"))
ATTACKS = (NONE, *(name for name in ADVERSARIES if name not in ("cluster-4", EXTRA)), *BASE_ATTACKS)


def corrupted(name: str, x: Array, corruption: float, rng: Generator) -> Array:
    """Return rows after an adversary, whose name a number may follow, or untouched."""
    if name == NONE:
        return x
    return ADVERSARIES[name.split(" ")[0]].corrupt(x, corruption, rng=rng)


def error(estimator: Estimator[Any], x: Array, mean: Array, budget: ApproxDP, noise: Generator) -> float:
    """Return the distance of the release on rows moved to `mean`."""
    found: Any = estimator(x + mean, budget=budget, rng=noise).value
    return float(np.linalg.norm(found - mean))


def placed(d: int, rng: Generator) -> Array:
    """Return a mean."""
    return rng.uniform(-SPREAD, SPREAD, d)


@each_trial
def planted(
    d: int,
    *,
    n: int = N,
    corruption: float = CORRUPTION,
    epsilon: float = GENEROUS.epsilon,
    delta: float = GENEROUS.delta,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure the error for every direction of the cluster, and without it, on the same clean rows."""
    estimator, budget = RobustMean(radius=RADIUS, corruption=corruption, sigma=1.0), ApproxDP(epsilon, delta)
    x, mean = normal(n, d, data), placed(d, data)
    return {
        name: error(estimator, corrupted(name, x, corruption, data), mean, budget, noise)
        for name in (NONE, *DIRECTIONS, EXTRA)
    }


@each_trial
def attacks(attack: str, *, data: Generator, noise: Generator) -> Row:
    """Measure the error of one attack at d = 10, on rows of one base."""
    base, _, name = f", {attack}".rpartition(", ")
    rows = BASES.get(base.removeprefix(", "), normal)
    x, mean = corrupted(name, rows(N, D, data), CORRUPTION, data), placed(D, data)
    return {
        "error": error(RobustMean(radius=RADIUS, corruption=CORRUPTION, sigma=1.0), x, mean, GENEROUS, noise)
    }


def few(n: int, *, trials: int, data: Generator, noise: Generator) -> Columns:
    """Measure the error with and without the filter, on clean and planted rows, with the same noise."""
    found: Columns = {}
    for column, name in (("clean", NONE), ("planted", "shift-ones")):
        pairs = np.empty((trials, 2))
        for trial in range(trials):
            x, mean = corrupted(name, normal(n, D, data), CORRUPTION, data), placed(D, data)
            seed = int(noise.integers(2**63))
            for side, corruption in enumerate((CORRUPTION, 0.0)):
                estimator = RobustMean(radius=RADIUS, corruption=corruption, sigma=1.0)
                same = np.random.default_rng(seed)
                pairs[trial, side] = error(estimator, x, mean, STRICT, same)
        found |= {f"{column} filter": pairs[:, 0], f"{column} plain": pairs[:, 1]}
    return found


@each_trial
def heavy(law: str, corruption: float, attack: str, *, data: Generator, noise: Generator) -> Row:
    """Measure the error of one attack on rows of one law with polynomial tails, over √corruption."""
    clean = LAWS[law](Gaussian(np.zeros(D), np.eye(D)), TAIL)
    x = corrupted(attack, clean.sample(N, rng=data), corruption, data)
    estimator, mean = RobustHeavyMean(radius=RADIUS, corruption=corruption, upper=1.0), placed(D, data)
    return {"error": error(estimator, x, mean, GENEROUS, noise) / corruption**0.5}


PLANTED_LOW = Sweep("lkko21-robust-planted-low", grid(d=LOW), planted, 2, brief(80))
PLANTED_HIGH = Sweep("lkko21-robust-planted-high", grid(d=HIGH), planted, 1, brief(30))
ATTACKED = Sweep("lkko21-robust-attacks", grid(attack=ATTACKS), attacks, 2, brief(16))
FEWER = Sweep("lkko21-robust-few", grid(n=FEW), few, 40, brief(25))
HEAVY = Sweep(
    "lkko21-robust-heavy",
    grid(law=list(LAWS), corruption=HEAVY_CORRUPTION, attack=HEAVY_ATTACKS),
    heavy,
    1,
    blocks(12),
)
