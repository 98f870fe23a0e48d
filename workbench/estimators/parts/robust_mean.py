"""One vote of groups on a mean when rows are corrupted.  AL22 Algorithm 5, Theorem 7.4.

Rows of covariance at most `spread`² I, about, of which a share ξ may be anything, shuffled by the run's own
randomness, in k groups of s:

    (1) m_i = the robust mean of group i                                            `parts.m_location`
    (2) N_i = the number of friends of group i: j with |m_i - m_j| ≤ ρ
    (3) the vote: no answer unless most groups are friends of most                  `parts.vote`
    (4) out = Σ w_i m_i/Σ w_i + N(0, σ² I)

Of neighbours that both pass, the averages differ by at most 2ρC/k in Euclidean norm (`proofs/populous.md`,
section 4): that is the sensitivity of (4). Differences are taken entry by entry; a group with an entry above
1e7 ρ is its own friend only, so that what rounding moves is below 1e-6 ρ. All of `design` is public:

    s, ε_t, ρ of those in a public table (`parts.robust_table`) whose noise is narrowest, where
    Q₀ = 1 - p - 6σ/√k - .01 - A - (S/ε_t) ln(1/β), as in `parts.robust_covariance`

Half of δ is the vote's, half the noise's.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, sqrt

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.base import Array
from workbench.estimators.parts.m_location import location_means
from workbench.estimators.parts.robust_covariance import LEAST, MARGIN
from workbench.estimators.parts.robust_table import FAR, Row, rows_for
from workbench.estimators.parts.rows import shuffled
from workbench.estimators.parts.vote import Vote, change
from workbench.estimators.parts.vote_design import MASK, ROUNDING, SHARES, VOTE, allowance, shares
from workbench.linalg import tail
from workbench.privacy import ApproxDP, Charge, NoiseSource, Sequential
from workbench.privacy.mechanisms import gaussian, gaussian_scale

RESOLVED = 1e7  # entries above so many ρ are not
AT_ONCE = 2**20  # entries that are worked on at a time


@dataclass(frozen=True)
class MeanDesign:
    """A vote, group size and distance of friends, and the charges of the vote and the noise."""

    size: int
    distance: float
    error: float
    vote: Vote
    charges: tuple[Charge, Charge]

    @property
    def plan(self) -> Sequential:
        """Return the plan."""
        return Sequential("basic", self.charges)


@dataclass(frozen=True)
class RobustMean:
    """The recipe for n rows of dimension d, a share `corruption` of which may be anything."""

    n: int
    d: int
    corruption: float
    budget: ApproxDP
    beta: float
    spread: float = 1.0

    @property
    def design(self) -> MeanDesign:
        """Return group size, thresholds and charges, for spread 1; raise where n rows are too few."""
        return _design(self.n, self.d, self.corruption, self.budget, self.beta / 3)

    def draw(self, rows: Array, noise: NoiseSource) -> Array | None:
        """Return the noisy average of sanitised rows, or None for no answer."""
        made = self.design
        voting, masking = made.charges
        points = group_means(shuffled(rows, noise) / self.spread, made.size)  # (1)
        friends = friends_within(points, made.distance)  # (2)
        agreed = made.vote.passes(friends, voting, noise)  # (3)
        average = np.zeros(self.d)
        if agreed:
            weights = made.vote.weights(friends)
            average = weights[weights > 0] @ points[weights > 0] / weights.sum()
        released = gaussian(average, masking, noise)  # (4)
        return released * self.spread if agreed else None

    def error_bound(self) -> float:
        """Return what the error exceeds with probability at most β, about.

        For normal rows under the attacks of the table, given an answer: the average's worst error, simulated,
        its sampling error, that of n rows, and the noise.
        """
        made = self.design
        sd = sqrt(gaussian_scale(made.charges[1]) ** 2 + 1.5**2 / self.n)
        return self.spread * (made.error + sd * tail(self.d, self.beta / 3))


def group_means(rows: Array, size: int) -> Array:
    """Return the robust means of groups of `size` consecutive rows, shape (k, d)."""
    n, d = rows.shape
    blocks = rows[: n // size * size].reshape(-1, size, d)
    step = max(1, AT_ONCE // (size * d))
    return np.concatenate(
        [location_means(blocks[start : start + step]) for start in range(0, len(blocks), step)]
    )


def friends_within(points: Array, distance: float) -> np.ndarray:
    """Return for each point how many are within a distance, itself among them."""
    k, d = points.shape
    usable = (np.abs(points) <= RESOLVED * distance).all(axis=1)
    inside = points[usable]
    counts, found = np.ones(k, np.int64), np.empty(len(inside), np.int64)
    step = max(1, AT_ONCE // max(1, len(inside)))
    for start in range(0, len(inside), step):
        part = inside[start : start + step, None, :]
        squares = np.zeros((len(part), len(inside)))
        for axis in range(d):
            squares += (part[:, :, axis] - inside[:, axis]) ** 2
        found[start : start + step] = (squares <= distance**2).sum(axis=1)
    counts[usable] = found
    return counts


@lru_cache(maxsize=1024)
def _design(n: int, d: int, corruption: float, budget: ApproxDP, beta: float) -> MeanDesign:
    found = [
        made
        for row in rows_for(d, corruption, "mean")
        if n // row.size >= LEAST
        for share in SHARES
        for far, distance in zip(FAR, row.limits, strict=True)
        if (made := _thresholds(n // row.size, row, far, distance, budget, share, beta)) is not None
    ]
    if not found:
        raise ArgumentError("n", n, f"more rows for d = {d} at {budget}")
    return min(found, key=lambda made: gaussian_scale(made.charges[1]))


def _thresholds(
    k: int, row: Row, far: float, distance: float, budget: ApproxDP, share: float, beta: float
) -> MeanDesign | None:
    """Return the thresholds with the least sensitivity, or None if there are none."""
    cost = ApproxDP(share * budget.epsilon, budget.delta / 2)
    rest = ApproxDP((1 - share) * budget.epsilon, budget.delta / 2)
    charge = Charge(VOTE, "truncated_laplace", 2 * (k - 1) / k**2, cost)
    friends = 1 - far - 6 * row.spread(far) / sqrt(k) - MARGIN
    quorum = ceil((friends - allowance(charge, beta)) * k * k)
    a, b = shares(k, quorum)
    if not len(a):
        return None
    moves = change(k, a / k, b / k, quorum / k**2) * 2 * distance * ROUNDING
    best = int(np.argmin(moves))
    vote = Vote(k, int(a[best]), int(b[best]), quorum)
    mask = Charge(MASK, "gaussian", float(moves[best]) / k, rest)
    return MeanDesign(row.size, distance, row.error, vote, (charge, mask))
