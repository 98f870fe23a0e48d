"""Second moments of groups as points that vote, in AL22's covariance semimetric, and the designs of votes.

AL22 Sections 3 and 5. Group i holds s rows X_i of its own; its point is A_i = X_iᵀX_i/s, kept as a triangular
factor of the rows themselves, A_i = R_iᵀR_i: singular values of R_i are known to 1e-16, eigenvalues of a
product only to their squares. Groups i and j are friends if

    every eigenvalue of A_i⁻¹A_j lies in [1/L, L],          that is 1 + dist(A_i, A_j) ≤ L

A group whose factor is not usable (an entry that is no number or out of range, scaled condition above 1e5,
1e10 for A_i) is nobody's friend but its own. Whether two groups are friends depends on these two alone, so
that one replaced row changes the verdicts about one group only (`proofs/populous.md`, sections 1 and 6;
`parts.votes.close_pairs`).

Designs:

    (1) 1 + dist of two independent normal groups of s rows: its law does not depend on the covariance and is
        simulated once, from a fixed seed, triangular factors drawn in law (Bartlett 1933)
    (2) of all designs the one with the narrowest mask                                    `parts.votes.design`

"paper": the source's thresholds and constants (`parts.votes.paper`).
"""

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.parts.rows import evened
from workbench.estimators.parts.votes.close_pairs import friend_counts
from workbench.estimators.parts.votes.design import FAR, Designer, covariance_moves, fewest, in_units
from workbench.estimators.parts.votes.paper import covariance_design, fewest_for_covariance
from workbench.estimators.parts.votes.vote import Design
from workbench.privacy import ApproxDP
from workbench.privacy.masks import LARGEST_THOMPSON, least_rate, wishart_delta
from workbench.privacy.random_matrices import bartlett
from workbench.types import Array

SMALLEST, LARGEST, CONDITION = 1e-70, 1e70, 1e5  # of a usable factor


@dataclass(frozen=True)
class Groups:
    """The factors of k groups, shape (k, d, d), and which are usable; unusable ones are the identity."""

    factors: Array
    usable: np.ndarray

    @classmethod
    def of(cls, factors: Array) -> "Groups":
        """Return the groups of these triangular factors, whatever estimates they are of."""
        usable = _usable(factors)
        return cls(np.where(usable[:, None, None], factors, np.eye(factors.shape[1])), usable)

    @property
    def count(self) -> int:
        """K."""
        return len(self.factors)

    @property
    def nothing(self) -> Array:
        """The identity."""
        return np.eye(self.factors.shape[1])

    def friends(self, limit: float) -> np.ndarray:
        """Return for each group how many are its friends at L = `limit`, itself among them."""
        counts = np.ones(self.count, np.int64)
        counts[self.usable] = friend_counts(self.factors[self.usable], limit)
        return counts

    def average(self, weights: Array) -> Array:
        """Return a root, shape (d, d), of Σ w A/Σ w; weights are 0 where a group is not usable."""
        shares = np.sqrt(weights / weights.sum())
        stacked = (shares[:, None, None] * self.factors)[weights > 0]
        return np.asarray(np.linalg.qr(stacked.reshape(-1, self.factors.shape[2]), mode="r")).T


def moment_factors(blocks: Array) -> Array:
    """Return the triangular factor of the second moment of every group of rows, (k, s, d) -> (k, d, d)."""
    return np.asarray(np.linalg.qr(evened(blocks), mode="r") / np.sqrt(blocks.shape[1]))


def _usable(factors: Array) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.sqrt((factors**2).sum(axis=1))  # of columns: roots of the diagonal of A
        known = ((lengths >= SMALLEST) & (lengths <= LARGEST)).all(axis=1)
    scaled = np.where(known[:, None, None], factors, np.eye(factors.shape[1]))
    scaled = scaled / np.where(known[:, None], lengths, 1.0)[:, None, :]
    values = np.linalg.svd(scaled, compute_uv=False)
    return np.asarray(known & (values[:, -1] * CONDITION >= values[:, 0]))


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
    return best if best is not None and has_mask(best, d) else None


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


def has_mask(made: Design, d: int) -> bool:
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


def root_factors(matrices: Array) -> Array:
    """Return R, A = RᵀR, of matrices, shape (k, d, d); zeros, which are not usable, where there is none."""
    return np.array([_root(matrix) for matrix in (matrices + np.swapaxes(matrices, 1, 2)) / 2])


def _root(matrix: Array) -> Array:
    try:
        return np.asarray(np.linalg.cholesky(matrix).T)
    except np.linalg.LinAlgError:
        return np.zeros_like(matrix)


def factors(count: int, size: int, d: int, rng: np.random.Generator) -> Array:
    """Return the triangular factors of `count` normal groups, drawn in law (Bartlett)."""
    return bartlett(d, size, rng, (count,), upper=True) / sqrt(size)
