"""The centre of heavy-tailed rows, anywhere in space, by a vote of medians of means.  AL22 Algorithm 1.

Rows x of shape (n, d), symmetric round their mean, of standard deviation sigma in every direction, with tails
as heavy as that allows. Neighbours: replace one row.

    (1) the rows over sigma, shuffled, are cut into k groups of s = bm; Y_i = the median in every coordinate
        of the means of its b `blocks` of m rows
    (2) groups vote on whether most of them are close: no answer if they are not
    (3) out = sigma times a masked average of the groups that are close to most     `parts.votes.vote`

(2) and (3) have one price (`privacy.voted`): normal noise of sd Δ/r in every coordinate, Δ = 2ρC/k. Friends
are within ρ, a quantile of the distance of two groups of normal rows, simulated once from a fixed seed.
Medians of rows with heavier tails and the same standard deviation are closer to each other than those of
normal ones; single far rows move none of them far, where the groups of `mean/populous`, most often single
rows, fall apart.

An instance of `estimators.populous`, which has any estimator in the place of (1). No range is needed; where
there is one `mean/coinpress` errs less on rows of three degrees of freedom, by a factor of about 1.8 at d =
3, n = 20,000, ε = 1, and by more of fewer rows. Proof: `proofs/populous.md`, section 9.
"""

from dataclasses import dataclass
from functools import lru_cache, partial
from math import sqrt

import numpy as np

from workbench.errors import ArgumentError, integer_at_least, probability
from workbench.estimators.base import Abstention, Estimator, Trace, require_matrix, sanitised
from workbench.estimators.parts.budgets import require_events
from workbench.estimators.parts.rows import group_means, present
from workbench.estimators.parts.votes.design import FAR, Designer, fewest, norm_moves
from workbench.estimators.parts.votes.means import SIZES, Points
from workbench.estimators.parts.votes.vote import VOTE, Design, reduced
from workbench.privacy import ApproxDP, Budget, NoiseSource, Plan
from workbench.special import chdtri, ndtri
from workbench.types import Array

PAIRS, SEED = 10_000, 47


@dataclass(frozen=True, kw_only=True)
class MedianOfMeansMean(Estimator[Array]):
    """Private mean of heavy-tailed rows anywhere in space, by a vote of medians of means (AL22 Algorithm 1).

    Accurate for rows that are symmetric round their mean, of standard deviation sigma in every direction,
    with tails normal or heavier; where groups do not agree the release is "no answer".
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. Its
    group says what its other rows say; many of them make no answer likelier.

    Parameters
    ----------
    sigma : float
        Standard deviation of the rows in every direction, known.
    blocks : int, default 5
        Blocks of a group, an odd number, the median of whose means is its point: more of them stand more far
        rows, and need more rows.
    beta : float, default 0.1
        Chance, at most, that the answer is off by more than the design allows, or that there is none.

    Examples
    --------
    >>> from workbench.privacy import ApproxDP
    >>> x = 1e4 + np.random.default_rng(1).standard_t(3, (10_000, 2)) / sqrt(3)
    >>> release = MedianOfMeansMean(sigma=1.0)(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - 1e4).max() < 0.2)
    True
    """

    sigma: float
    blocks: int = 5
    beta: float = 0.1

    def _validate(self) -> None:
        integer_at_least(1, blocks=self.blocks)
        if self.blocks % 2 == 0:
            raise ArgumentError("blocks", self.blocks, "an odd number")

    def design(self, n: int, d: int, budget: Budget) -> Design:
        """Return group size, thresholds and charges, for sigma = 1; public."""
        require_matrix(n, d)
        return designed(n, d, self.blocks, require_events(budget), self.beta / 3)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return what vote and mask cost; raise where n rows are too few, with the number."""
        return self.design(n, d, budget).plan

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Array | Abstention:
        """Return the mean of sanitised rows."""
        n, d = x.shape
        made = self.design(n, d, budget)
        with np.errstate(over="ignore", under="ignore"):
            rows = sanitised(x / self.sigma)
        oracle = partial(medians_of_means, blocks=self.blocks)
        found = reduced(rows, oracle, partial(Points, limit=made.limit), made, noise)  # (1) (2)
        return Abstention(VOTE) if found is None else self.sigma * found  # (3)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on the distance from the mean, true with probability 1 - beta.

        For normal rows, given an answer: the average of as many groups as have all the weight at least, and
        noise.
        """
        probability(beta=beta)
        return self._length(n, d, budget, beta, self.design(n, d, budget).vote.least_weight) * self.sigma

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean|/sigma for normal rows, all of whose groups have their weight."""
        return self._length(n, d, budget, 0.5, 1.0)

    def _length(self, n: int, d: int, budget: Budget, beta: float, weight: float) -> float:
        made = self.design(n, d, budget)
        sampling = distances(d, self.blocks)[1] / (made.rows // self.blocks * weight)
        return sqrt(float(chdtri(d, beta)) * (made.noise_sd**2 + self.blocks * sampling))


def medians_of_means(groups: Array, blocks: int) -> Array:
    """Return the median, in every coordinate, of the means of the blocks of groups, (k, s, d) -> (k, d).

    Blocks without rows are left out; a group without any is NaN.
    """
    count, size, d = groups.shape
    means = group_means(groups.reshape(-1, size // blocks, d)).reshape(count, blocks, d)
    there, ordered = present(means).sum(axis=1)[:, None, None], np.sort(means, axis=1)
    middle = np.concatenate([np.maximum(there - 1, 0) // 2, np.minimum(there // 2, blocks - 1)], axis=1)
    return np.asarray(np.take_along_axis(ordered, middle, axis=1).mean(axis=1))


@lru_cache(maxsize=256)
def distances(d: int, blocks: int) -> tuple[tuple[float, ...], float]:
    """Return quantiles of the distance of two medians of normal rows, one a block, and their variance."""
    half = (blocks + 1) / 2  # the median of an odd number of uniform numbers has a beta law
    first, second = ndtri(np.random.default_rng((SEED, d, blocks)).beta(half, half, (2, PAIRS, d)))
    found = np.quantile(np.linalg.norm(first - second, axis=1), [1 - far for far in FAR])
    return tuple(found.tolist()), float((first**2).mean() + (second**2).mean()) / 2


@lru_cache(maxsize=4096)
def designed(n: int, d: int, blocks: int, budget: ApproxDP, beta: float) -> Design:
    """Return the best design for n rows of unit scale; raise where they are too few for any."""
    best = _designer(d, blocks).best(n, budget, beta)
    if best is None:
        raise ArgumentError("n", n, f"at least {_fewest(d, blocks, budget, beta)} for d = {d} at {budget}")
    return best


@lru_cache(maxsize=256)
def _fewest(d: int, blocks: int, budget: ApproxDP, beta: float) -> int:
    designer = _designer(d, blocks)
    return fewest(lambda n: designer.enough(n, budget, beta), 32 * blocks)


def _designer(d: int, blocks: int) -> Designer:
    sizes = tuple(blocks * rows for rows in SIZES)

    def limits(size: int) -> tuple[float, ...]:
        return tuple(one / sqrt(size // blocks) for one in distances(d, blocks)[0])

    return Designer("gaussian", norm_moves, limits, sizes, joint=True)
