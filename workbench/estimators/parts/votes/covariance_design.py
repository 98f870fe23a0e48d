"""Designs of a vote on covariances: which group sizes, and how far apart groups of normal rows are.

    (1) 1 + dist of two independent normal groups of s rows: its law does not depend on the covariance and is
        simulated once, from a fixed seed, triangular factors drawn in law (Bartlett 1933)
    (2) of all designs the one with the narrowest mask                                    `parts.votes.design`

"paper": the source's thresholds and constants (`parts.votes.paper`).
"""

from functools import lru_cache
from math import sqrt

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.parts.votes.design import FAR, Design, Designer, fewest, in_units
from workbench.estimators.parts.votes.paper import covariance_design, fewest_for_covariance
from workbench.estimators.parts.votes.vote import covariance_moves
from workbench.privacy import ApproxDP
from workbench.privacy.masks import LARGEST_THOMPSON, least_rate, wishart_delta
from workbench.types import Array

SIZES = (1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0)  # rows of a group, in units of d + 3
PAIRS, SEED = 6000, 41


@lru_cache(maxsize=4096)
def design(n: int, d: int, budget: ApproxDP, beta: float, kind: str) -> Design:
    """Return the best design for a mask of this kind; "square" is the source's mask and design.

    Raises
    ------
    ArgumentError
        If n rows are too few for any.
    """
    if kind == "square":
        return covariance_design(n, d, budget, beta)
    best = _best(n, d, budget, beta, kind)
    if best is None:
        raise ArgumentError("n", n, f"at least {fewest_rows(d, budget, beta, kind)} for d = {d} at {budget}")
    return best


def _best(n: int, d: int, budget: ApproxDP, beta: float, kind: str) -> Design | None:
    best = Designer(kind, covariance_moves, lambda s: limits(d, s), sizes(d)).best(n, budget, beta)
    return best if best is not None and _has_mask(best, d) else None


@lru_cache(maxsize=256)
def fewest_rows(d: int, budget: ApproxDP, beta: float, kind: str) -> int:
    """Return the fewest rows that have a design, to 1 %."""
    if kind == "square":
        return fewest_for_covariance(d, budget, beta)
    return fewest(lambda n: _best(n, d, budget, beta, kind), 32, within=1.01)


def best_mask(d: int) -> str:
    """Return the kind of mask that is narrowest in d dimensions."""
    return "thompson_laplace" if d <= LARGEST_THOMPSON else "wishart"


def sizes(d: int) -> tuple[int, ...]:
    """Return the group sizes that are tried."""
    return in_units(SIZES, d + 3)


def _has_mask(made: Design, d: int) -> bool:
    """Return whether the mask of a design exists: θ large enough for draws, ν ≥ d."""
    cost = made.charges[1].cost
    if isinstance(cost, ApproxDP):
        return wishart_delta(made.distance, d, d, cost.epsilon) <= cost.delta
    return made.narrowness > least_rate(d)


@lru_cache(maxsize=1024)
def limits(d: int, size: int) -> tuple[float, ...]:
    """Return L of step (1) for each p."""
    rng = np.random.default_rng((SEED, d, size))
    first, second = factors(PAIRS, size, d, rng), factors(PAIRS, size, d, rng)
    product = second @ np.linalg.inv(first)
    values = np.linalg.svd(product, compute_uv=False) ** 2
    return tuple(np.quantile(np.maximum(values[:, 0], 1 / values[:, -1]), [1 - far for far in FAR]).tolist())


def factors(count: int, size: int, d: int, rng: np.random.Generator) -> Array:
    """Return the triangular factors of `count` normal groups, drawn in law (Bartlett)."""
    upper = np.triu(rng.standard_normal((count, d, d)), 1)
    axes = np.arange(d)
    upper[:, axes, axes] = np.sqrt(rng.chisquare(size - axes, (count, d)))
    return np.asarray(upper / sqrt(size))
