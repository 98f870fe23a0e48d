"""Votes of robust groups of rows, when rows are corrupted.  AL22 Algorithms 4 and 5, Theorems 6.3 and 7.4.

Rows x of shape (n, d), normal, of which a share ξ = `corruption`, at most .1, may be anything. Neighbours:
replace one row. Whatever the rows are, a group's point is a function of its own rows and of public constants,
so that a replaced row changes one point.

    (1) rows are shuffled and cut into k groups of s; each has a robust factor R_i of its second moment, or a
        robust mean m_i
    (2) groups vote on whether most of them are close: no answer if they are not
    (3) out = a masked average of the groups that are close to most                         `votes`

    entry                       rows                                                 mask
    PopulousRobustCovariance    of mean 0 if `centred`, otherwise paired first, and  Thompson-Laplace, centred
                                2ξ of the pairs may be anything; d ≤ 4               as in `populous`, over
                                                                                     the scale of clean groups
    PopulousRobustMean          of covariance sigma² I, d ≤ 5 or 8                   normal noise
    PopulousRobustGaussian      any mean and covariance, d ≤ 4: the covariance of    both
                                the first ¾ of the shuffled rows, paired; the mean
                                of the others in its frame, Σ̂^-½ x, mapped back,
                                their covariance taken to be at most 1.2² I: what
                                the first may err by, about (Corollary 7.5)

Each stage of the last has the whole budget, since a replaced row lies in one of them. Distributions without a
density are left out, as in the source (Remark 7.6). The error is of the order ξ ln 1/ξ for |Σ^-½ out Σ^-½ -
I| in Frobenius norm, σ ξ √(ln 1/ξ) for a mean, with probability 1 - β for the attacks of a public table, its
`error_bound`: measured, not proved.

Huber's M-estimators. Location: a group of s rows x of covariance I has the m that solves Σ w (x - m) = 0, w =
min(1, c/|x - m|), c² the ½ quantile of χ²_d: every row pulls by at most c, and half of a group may be
anything. Steps m ← Σ w x/Σ w from the median in every coordinate; the fixed point does not depend on where
they start. All groups take the same 50 steps. Scatter: rows of mean 0 have the A that solves

    A = (1/(sb)) Σ w x xᵀ,   w = min(1, c/|y|²),   |y|² = xᵀA⁻¹x

with c the ¾ quantile of χ²_d and b = E min(χ²_d, c)/d (Maronna 1976). Normal groups get Σ but for sampling; a
row, however far, adds at most c/(sb) in the group's own frame. A group of which more than 1/(d + 1) is on one
side is lost: the vote is for that. Groups are worked on together, but each stops on its own when no weight
moves by more than 1 %, after 50 steps at most: its factor is a function of its rows alone, bit for bit.

Designs, as in `votes` (D1) to (D4), with the groups of a public table, simulated once, in the place of
normal ones: Q₀ = 1 - p - 6σ/√k - .01 - A - (S/ε_t) ln(1/β). p is the share of pairs that are no friends at
the worst of several attacks, σ the deviation of a group's share of friends: the share of friendly pairs, a
U-statistic, has deviation 2σ/√k. A hundredth is for other attacks.

Departures: groups are as small as the vote allows instead of d²/ξ² or d/α² rows, and their oracle is an
M-estimator instead of a filter: the average over groups does the rest. Noise is calibrated exactly. Proof:
`proofs/populous.md`, section 8.
"""

import json
from abc import abstractmethod
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from math import ceil, isfinite, sqrt
from typing import ClassVar

import numpy as np

from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.estimators.base import Abstention, Estimator, mapped, shuffled
from workbench.estimators.populous import MASK_SEED, MASKS, OneVote, centring, refused_whole, voted_mean
from workbench.estimators.shared.budgets import require_events
from workbench.estimators.shared.rows import (
    CORRUPT,
    centred_count,
    neutral,
    paired,
    present,
    require_corruption,
)
from workbench.estimators.votes import VOTE, Design, Designer, Groups, covariance_moves, norm_moves, reduced
from workbench.linalg import fewest, tail
from workbench.privacy import ApproxDP, Budget, Charge, NoiseSource, Parallel, Plan, SimulatedNoise
from workbench.privacy.stable import least_rate, masked_identity
from workbench.special import chdtr, chdtri
from workbench.types import Array, Floats, frozen, public, remembered

SCATTER, LOCATION = 0.75, 0.5  # quantiles of χ²_d
STEPS, STILL = 50, 1e-2
DEAD = 1e-12  # a pivot below this share of its column
TABLE = "robust_table.json"
FAR = (0.02, 0.04, 0.06, 0.08, 0.1, 0.125, 0.15)
MIDDLE = 4
LEAST = 200  # groups
SPARE = 0.01  # of all pairs, for other attacks than those of the table
LOSS = 1.5  # of sampling error, times that of the plain moment or mean
SHARE, SPREAD = 0.75, 1.2  # of the rows for a covariance; what the mean takes the sd in its frame for
COVARIANCE, MEAN = "covariance, ", "mean, "


def scatter_factors(blocks: Array) -> Array:
    """Return R of every group of rows, shape (k, s, d) -> (k, d, d); zeros where there is none."""
    d, there = blocks.shape[2], present(blocks)
    cap = chdtri(d, 1 - SCATTER)  # c, and b: E min(χ²_d, c) = d F_{d+2}(c) + c (1 - F_d(c))
    bias = (d * chdtr(d + 2, cap) + cap * (1 - SCATTER)) / d
    blocks, left = neutral(blocks), np.maximum(there.sum(axis=1), 1)

    def weights_of(lengths: Array) -> Array:
        return np.minimum(1.0, cap / np.maximum(lengths, 1e-300))

    # from the frame of the plain second moment, scaled by the median length
    lengths, alive = _lengths(blocks, _factors(blocks, np.ones(there.shape), left))
    scale = _medians(lengths, there)[:, None] / chdtri(d, 0.5)
    weights = weights_of(lengths / np.maximum(scale, 1e-300))
    moving = np.flatnonzero(alive)
    for _ in range(STEPS):
        if not len(moving):
            break
        part = blocks[moving]
        lengths, found = _lengths(part, _factors(part, weights[moving] / bias, left[moving]))
        fresh = np.where(found[:, None], weights_of(lengths), 1.0)
        change = np.abs(np.log(fresh / weights[moving])).max(axis=1)
        weights[moving], alive[moving] = fresh, found
        moving = moving[found & (change > STILL)]
    return np.where(alive[:, None, None], _factors(blocks, weights / bias, left), 0.0)


def _factors(blocks: Array, weights: Array, left: np.ndarray) -> Array:
    # of (1/p) Σ w x xᵀ of every group, p the rows that are there
    return np.asarray(np.linalg.qr(np.sqrt(weights / left[:, None])[:, :, None] * blocks, mode="r"))


def _lengths(blocks: Array, factors: Array) -> tuple[Array, np.ndarray]:
    # |y|² of every row in the frame of its group, and which groups have a frame
    pivots = np.abs(np.diagonal(factors, axis1=1, axis2=2))
    columns = np.sqrt((factors * factors).sum(axis=1))
    found = np.isfinite(factors).all(axis=(1, 2)) & (pivots > DEAD * columns).all(axis=1)
    usable = np.where(found[:, None, None], factors, np.eye(blocks.shape[2]))
    y = blocks @ np.linalg.inv(usable)
    return (y * y).sum(axis=2), found


def location_means(blocks: Array) -> Array:
    """Return the robust mean of every group, shape (k, s, d) -> (k, d)."""
    cap = sqrt(chdtri(blocks.shape[2], 1 - LOCATION))
    there = present(blocks)
    middle = _medians(blocks, there)
    for _ in range(STEPS):
        away = neutral(blocks - middle[:, None, :])
        lengths = np.sqrt((away * away).sum(axis=2))
        weights = np.minimum(1.0, cap / np.maximum(lengths, 1e-300)) * there
        middle = middle + (weights[:, :, None] * away).sum(axis=1) / weights.sum(axis=1, keepdims=True)
    return middle


def _medians(values: Array, there: np.ndarray) -> Array:
    # of the rows that are there, shape (k, s, ..) -> (k, ..); NaN without any
    if there.all():
        return np.median(values, axis=1)
    mask, left = there.reshape(*there.shape, *(1,) * (values.ndim - 2)), there.sum(axis=1)
    ordered, groups = np.sort(np.where(mask, values, np.nan), axis=1), np.arange(len(values))
    return (ordered[groups, np.maximum(left - 1, 0) // 2] + ordered[groups, left // 2]) / 2


@frozen
class Row:
    """A row of the table, which `python -m tests.estimators.test_robust` makes: groups of `size` rows."""

    of: str
    d: int
    size: int
    corruption: float  # share of all rows that is attacked
    limits: Floats  # 1 + dist within which all pairs but a share FAR stay, at the worst
    deviation: float  # of a group's share of friends at the middle limit
    scale: float  # of the average of clean groups, in units of Σ
    error: float  # of the weighted average at the worst, in Frobenius norm relative to Σ

    def spread(self, far: float) -> float:
        """Return the deviation of a group's share of friends where a share `far` of pairs is none."""
        middle = FAR[MIDDLE]
        return self.deviation * float((far * (1 - far) / (middle * (1 - middle))) ** 0.5)


@lru_cache(maxsize=1)
def table() -> tuple[Row, ...]:
    text = files("workbench").joinpath("estimators", TABLE).read_text("utf-8")
    return tuple(Row(**{**row, "limits": tuple(row["limits"])}) for row in json.loads(text))


@remembered
def rows_for(d: int, corruption: float, of: str = "covariance") -> tuple[Row, ...]:
    """Return the rows for d and the least share that is not below `corruption`."""
    here = [row for row in table() if row.d == d and row.of == of]
    if not here:
        raise ArgumentError("d", d, f"one of {sorted({row.d for row in table() if row.of == of})}")
    above = [row.corruption for row in here if row.corruption >= corruption * (1 - 1e-9)]
    if not above:
        raise ArgumentError("corruption", corruption, f"at most {max(row.corruption for row in here)}")
    return tuple(row for row in here if row.corruption == min(above))


@frozen
class RobustVote:
    """One vote on n rows of dimension d, a share `corruption` of which may be anything."""

    n: int
    d: int
    corruption: float
    budget: ApproxDP
    beta: float
    stage: str = ""
    of: ClassVar[str]
    designer: ClassVar[Designer]  # without limits and sizes, which are those of the table

    @property
    def narrowest(self) -> float:  # what the narrowness of a mask has to exceed
        return 0.0

    @property
    def chosen(self) -> tuple[Row, Design]:
        """The row of the table and the design whose mask is narrowest; raises where n rows are too few."""
        found = _designs(replace(self, stage=""))
        if found is None:
            raise ArgumentError("n", self.n, f"at least {self.fewest} for d = {self.d} at {self.budget}")
        return found

    @property
    def design(self) -> Design:
        return replace(self.chosen[1], stage=self.stage)

    @property
    def fewest(self) -> int:
        return _fewest(replace(self, n=0, stage=""))

    @abstractmethod
    def draw(self, rows: Array, noise: NoiseSource) -> Array | None: ...


@remembered
def _designs(vote: RobustVote) -> tuple[Row, Design] | None:
    found = []
    for row in rows_for(vote.d, vote.corruption, vote.of):
        k = vote.n // row.size
        for far, limit in zip(FAR, row.limits, strict=True):
            if k >= LEAST and isfinite(limit):
                friends = 1 - far - 6 * row.spread(far) / sqrt(k) - SPARE
                made = vote.designer.of(k, row.size, friends, limit, vote.budget, vote.beta / 3)
                found += [(row, one) for one in made if one.narrowness > vote.narrowest]
    return max(found, key=lambda one: one[1].narrowness, default=None)


@remembered
def _fewest(vote: RobustVote) -> int:
    return fewest(lambda n: _designs(replace(vote, n=n)), LEAST)


@frozen
class CovarianceVote(RobustVote):
    """The vote on rows of mean 0."""

    of = "covariance"
    designer = Designer("thompson_laplace", covariance_moves)

    @property
    def narrowest(self) -> float:
        return least_rate(self.d)

    def draw(self, rows: Array, noise: NoiseSource) -> Array | None:
        row, made = self.chosen[0], self.design
        found = reduced(rows, scatter_factors, Groups.of, made, noise)  # (1) (2)
        return None if found is None else found * (centring(made.charges[1], self.d)[0] / row.scale)  # (3)

    def error_bound(self) -> float:
        # |B^½MB^½ - I| ≤ |B - I| + |B||M - I|, M the mask, B the average, whose worst error was simulated
        row, made = self.chosen[0], self.design
        moments = self.d * (self.d + 1) // 2
        off = row.error + LOSS * sqrt(2 / self.n) * tail(moments, self.beta / 3)
        return off + (1 + off) * mask_error(made.charges[1], self.d, self.beta / 3)


@frozen
class MeanVote(RobustVote):
    """The vote on rows of covariance about `spread`² I."""

    spread: float = 1.0
    of = "mean"
    designer = Designer("gaussian", norm_moves)

    def draw(self, rows: Array, noise: NoiseSource) -> Array | None:
        return voted_mean(rows, self.spread, location_means, self.design, noise)  # (1) to (3)

    def error_bound(self) -> float:
        row, made = self.chosen[0], self.design
        sd = sqrt(made.noise_sd**2 + LOSS**2 / self.n)
        return self.spread * (row.error + sd * tail(self.d, self.beta / 3))


@remembered
def mask_error(charge: Charge, d: int, beta: float) -> float:
    # an upper β-quantile of |M - I| of the centred mask, in Frobenius norm
    noise = SimulatedNoise(np.random.default_rng((MASK_SEED, d, 1)))
    centre, _ = centring(charge, d)
    draws = [centre * masked_identity(d, charge, noise) - np.eye(d) for _ in range(MASKS)]
    return float(np.quantile(np.linalg.norm(np.array(draws), axis=(1, 2)), 1 - beta))


@public
class PopulousRobustCovariance(OneVote):
    """Private covariance of partly corrupted rows, by a vote of robust groups (AL22 Theorem 6.3).

    Accurate for normal rows of any positive definite covariance, d at most 4, a share `corruption` of them
    anything; where groups do not agree the release is "no answer". All else as of `PopulousCovariance`; a
    group without rows has no vote, and one row in ten that is absent keeps few from agreeing.

    Parameters
    ----------
    corruption : float
        Share of the rows that may be anything. At most 0.1, and 0.05 unless `centred`.

    Examples
    --------
    >>> from workbench.privacy import ApproxDP
    >>> x = 1e-6 * np.random.default_rng(1).standard_normal((20_000, 1))
    >>> x[::25] = 1e6
    >>> release = PopulousRobustCovariance(corruption=0.05, centred=True)(
    ...     x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2)
    ... )
    >>> bool(abs(release.value[0, 0] / 1e-12 - 1) < 0.5)
    True
    """

    corruption: float
    centred: bool = False
    beta: float = 0.1

    def _validate(self) -> None:
        require_corruption(self.corruption)
        if self._share > CORRUPT:
            raise ArgumentError("corruption", self.corruption, f"at most {CORRUPT / 2} unless centred")

    @property
    def _share(self) -> float:
        return self.corruption * (1 if self.centred else 2)  # of the rows or pairs

    def recipe(self, n: int, d: int, budget: Budget) -> CovarianceVote:
        m = centred_count(n, self.centred)
        return CovarianceVote(m, d, self._share, require_events(budget), self.beta)


@public
class PopulousRobustMean(OneVote):
    """Private mean of partly corrupted rows, by a vote of robust groups (AL22 Theorem 7.4).

    Accurate for normal rows of covariance sigma² I, anywhere in space, in few dimensions, a share
    `corruption` of them, at most 0.1, anything; where groups do not agree the release is "no answer". All
    else as of `PopulousRobustCovariance`.

    Parameters
    ----------
    sigma : float
        Standard deviation of the rows in every direction, known.

    Examples
    --------
    >>> from workbench.privacy import ApproxDP
    >>> x = 1e4 + np.random.default_rng(1).standard_normal((10_000, 1))
    >>> x[::25] = -1e6
    >>> release = PopulousRobustMean(corruption=0.05, sigma=1.0)(
    ...     x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2)
    ... )
    >>> bool(abs(release.value[0] - 1e4) < 0.5)
    True
    """

    corruption: float
    sigma: float
    beta: float = 0.1

    def _validate(self) -> None:
        require_corruption(self.corruption)

    def recipe(self, n: int, d: int, budget: Budget) -> MeanVote:
        return MeanVote(n, d, self.corruption, require_events(budget), self.beta, spread=self.sigma)


@public
class PopulousRobustGaussian(Estimator[Gaussian]):
    """Private mean and covariance of a Gaussian, rows partly corrupted, by two votes (AL22 Corollary 7.5).

    Accurate for normal rows of any mean and any positive definite covariance, d at most 4, a share
    `corruption` of them, at most 0.05, anything; where groups do not agree the release is "no answer". All
    else as of `PopulousRobustCovariance`.

    Examples
    --------
    >>> from workbench.privacy import ApproxDP
    >>> x = 1e4 + np.random.default_rng(1).standard_normal((60_000, 1)) * 1e-3
    >>> x[::25] = 1e6
    >>> release = PopulousRobustGaussian(corruption=0.05)(
    ...     x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2)
    ... )
    >>> bool(abs(release.value.mean[0] - 1e4) < 1e-3)
    True
    """

    corruption: float
    beta: float = 0.1

    def _validate(self) -> None:
        require_corruption(self.corruption)
        if 2 * self.corruption > CORRUPT:
            raise ArgumentError("corruption", self.corruption, f"at most {CORRUPT / 2}")

    def recipes(self, n: int, d: int, budget: Budget) -> tuple[CovarianceVote, MeanVote]:
        events, pairs = require_events(budget), int(SHARE * n) // 2
        shape = CovarianceVote(pairs, d, 2 * self.corruption, events, self.beta / 2, COVARIANCE)
        return shape, MeanVote(n - 2 * pairs, d, self.corruption, events, self.beta / 2, MEAN, SPREAD)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        shape, place = self.recipes(n, d, budget)
        with refused_whole(
            n, lambda: ceil(max(2 * shape.fewest / SHARE, place.fewest / (1 - SHARE))), d, shape.budget
        ):
            return Parallel((shape.design.plan, place.design.plan))

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Gaussian | Abstention:
        n, d = x.shape
        shape, place = self.recipes(n, d, budget)
        x = shuffled(x, noise)
        covariance = shape.draw(paired(x[: 2 * shape.n]), noise)
        if covariance is None:
            return Abstention(VOTE)
        root = np.linalg.cholesky(covariance)
        mean = place.draw(mapped(x[2 * shape.n :], np.linalg.inv(root)), noise)
        return Abstention(VOTE) if mean is None else Gaussian(root @ mean, covariance)
