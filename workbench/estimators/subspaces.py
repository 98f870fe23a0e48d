"""Eigenvalues and subspaces of a covariance, by blocks of rows.  M21/UG Algorithms 1 and 2, AL22 Algorithm 2.

Rows x of shape (n, d). Neighbours: replace one row. The rows have mean 0 if `centred`; otherwise they are
paired first, ⌊n/2⌋ rows (x_1 - x_2)/√2, of mean 0 and the same covariance. They are cut into t blocks of m
consecutive rows: one replaced row changes one block, and what a block says depends on its own rows alone.

    entry                (1) block j says                           (2) released                       cost
    Eigenvalues          the eigenvalues λ_1^j ≥ … ≥ λ_d^j of its   for every i, what most of          δ of
                         second moment                              λ_i^1 .. λ_i^t say; sorted         "paper"
    SubspaceAggregate    Π_j, the projection on its first k right   the first k eigenvectors of the    δ
                         singular vectors                           friendly mean of Π_1 .. Π_t
    SubspaceExact        a name of what its rows span; rows are     the most frequent name if it is    (ε, δ)
                         shuffled first                             far enough ahead, else no answer

A block is never squared before it is decomposed. Whatever goes wrong inside a block becomes a fixed value
inside that block. Proofs: `proofs/aggregation.md`; of exact subspaces `proofs/populous.md`, section 5.

Eigenvalues. For normal rows λ_i^j/λ_i lies between (1 - x)² and (1 + x)², x = √(d/m) + √(2 ln(2t/β)/m), in
all blocks with probability 1 - β, however the eigenvalues differ. An eigenvalue is 0 where those of most
blocks are.

    tight    the window median of y_j = ln λ_i^j on [-700, 475], windows of 1.5 on both sides: the median of
             λ_i^j to a few per cent (y = -600 where λ = 0 or the block cannot be decomposed; below -500 the
             answer is 0)                                                                               ρ/d
    paper    the fullest bin [2^(e-1), 2^e) of a stability-based histogram, √2 2^(e-1) (0 has a bin of its
             own, and so have blocks that cannot be decomposed; no bin: no answer)                  ρ/d, δ/d

The friendly mean of points y_1 .. y_t, matrices with entries in [-1, 1] in whole numbers of 2^-48, at a
distance τ that is public or released:

    (F1) N_j = #{l : |y_l - y_j| ≤ τ}, the friends of y_j, itself among them
    (F2) w_j = clip((2 N_j - t - 1)/(t - 1), 0, 1), Q = Σ w_j                          |Q - Q'| ≤ 3
    (F3) L = Q + N(0, s²) - s Φ⁻¹(1 - δ): a lower bound on Q; no answer if L < 12
    (F4) out = Σ w_j y_j/Q, rounded once, + symmetric noise     moves by at most c(L) τ/L and rounding

A replaced point moves the mean by at most 5τ/max(Q, Q'); where most points have weight, c is smaller
(`FriendlyMean.move`). The noise of (F4) is drawn for the mean in units of (c + .1) τ/L, in which its
sensitivity is 1, rounding included; where L < 12 it is drawn all the same, for a mean of 0. Weights are
integers over t - 1, (F3) is drawn for their integer sum, and Σ w_j y_j/Q is a quotient of integers. "paper"
is the first version of this proof: w_j = clip((N_j - t/2 - 1)/(t/4), 0, 1), |Q - Q'| ≤ 5, 12 τ/max(Q, Q'), no
answer if L < t/4, t ≥ 21. τ decides about accuracy only. With γ² = λ_{k+1}/λ_k, projections of blocks of m
rows differ by about γ √(k(d - k)/m), so that τ is γ times a public number:

    tight    1.3 times the 98 % quantile of |Π_j - Π_l| over simulated pairs of normal blocks with flat
             spectra on both sides of a tiny gap, in units of the ratio of their own block eigenvalues
    paper    4.8 √2 (√(k(d - k)) + √(2 ln 40t)/2)/√m, twice a Davis-Kahan radius

Exact subspaces. A name is the projection P on what a block spans, rounded down to a grid of width g = 1e-5
with public random offsets u: (r, ⌊(P_ij + u_ij)/g⌋ for i ≤ j), r the rank; -1 where rows cannot be
decomposed. Equality of names is an equivalence, closeness of floats is not. The subspace is read from the
released name: the first r eigenvectors of the cell's centre. Where rows have a density on a subspace, every
block of d rows spans all of it, and 2.5 ln(1/δ)/ε blocks or so suffice; "paper" has some 15 times as many.

Departures: bins of factor 2 and numbers of blocks are chosen here; one joint histogram over the d lists. A
friendly mean of the projections takes the place of GoodCenter on projected reference points, for a proof with
constants. Mode release takes the place of AL22's vote, weights and mask, for the same output.
"""

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from math import ceil, inf, log, log2, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.errors import ArgumentError, finite, integer_at_least
from workbench.estimators.base import LARGEST, Abstention, Estimator, mapped, own_stream, sanitised
from workbench.estimators.shared.budgets import concentrated, delivered, halved, least_groups, require_events
from workbench.estimators.shared.rows import centred_count, centred_rows, evened, in_blocks
from workbench.estimators.shared.window_median import WindowMedian, selection_epsilon
from workbench.estimators.votes import within
from workbench.linalg import symmetrised
from workbench.privacy import ZCDP, ApproxDP, Budget, Charge, NoiseSource, Plan
from workbench.privacy.budgets import zcdp_within_approx
from workbench.privacy.grid import OnGrid, rounded
from workbench.privacy.histograms import (
    keys_for_mode,
    mode_charge,
    release_mode,
    stability_charge,
    stability_threshold,
    stable_mode,
)
from workbench.privacy.mechanisms import lower_bound, symmetric_gaussian
from workbench.special import ndtri
from workbench.types import Array, Calibration, Counts, Mask, frozen, public, remembered

LEAST = {"paper": 4, "tight": 2}  # rows in a block, in units of d: with fewer, results are absurd
MORE, MOST_BLOCKS = 1.6, 2000  # blocks, in units of what is needed, and of what is needless in pairs
MOST_ROWS = 8  # of a block that votes, in units of d: the noise falls faster with the number of blocks
ROUNDED = 1e-13  # singular values below this share of the largest one of their block are rounding

LOCATOR = WindowMedian(left=1.5, right=1.5, low=-700.0, high=475.0)
NOTHING, NEXT_TO_NOTHING = -600.0, -500.0  # stand for ln 0
ZERO, BAD = -5000.0, -6000.0  # keys below every exponent of a float
MISSED = 1e-3  # the chance that an answer is a random point of the range, at the fewest blocks

ROUNDING = 0.1  # what rounding the mean may add to the displacement, in units of τ/Q
CLOSEST = 1e-10  # τ is at least that: floats tell projections apart to 1e-14 or so
BITS, LIMB = 48, 24  # of an entry, and of the half of it that is added up at a time
FINE = 20  # bits of the mean, in the unit of its noise
PAIRS, SEED, QUANTILE, SLACK = 400, 22, 0.98, 1.3  # of the τ of "tight"

SUBSPACE = "subspace"
GRID = 1e-5  # far above what rounding moves a projection by
RANK = 1e-8  # singular values below this share of the largest one are 0
APART = 0.1  # of the blocks may have no name that others have


def block_sizes(
    needed: int, n: int, d: int, centred: bool, calibration: Calibration, most: float = inf
) -> tuple[int, int]:
    """Return t and m for a step that needs so many blocks of n rows, or of their pairs; raise for too few.

    Tight: 1.6 times as many where rows suffice, and so many that a block has at most `most` d rows, up to
    2000. Blocks have 2d rows at least, the paper's 4d.
    """
    rows, least = centred_count(n, centred), LEAST[calibration] * d
    if rows < least * needed:
        fewest = least * needed * (1 if centred else 2)
        raise ArgumentError("n", n, f"at least {fewest} rows for d = {d} at this budget")
    if calibration == "paper":
        return needed, rows // needed
    t = ceil(MORE * needed)
    m = max(least, int(min(most * d, rows // t)), rows // max(t, MOST_BLOCKS) if most < inf else 0)
    return rows // m, m


def spectra(blocks: Array) -> Array:
    """Return the eigenvalues of every block's second moment, descending: (t, m, d) -> (t, d).

    Values below 1e-26 of the largest are 0; a block that cannot be decomposed has the spectrum NaN.
    """
    t, m, d = blocks.shape
    found, (usable, values, _) = np.zeros((t, d)), _decomposed(blocks)
    kept = np.where(values > ROUNDED * values[:, :1], values, 0.0)
    found[:, : kept.shape[1]] = kept**2 / m
    found[np.isnan(values).any(axis=1) | ~usable] = np.nan
    return found


def projections(blocks: Array, k: int) -> Array:
    """Return the projection on every block's first k right singular vectors: (t, m, d) -> (t, d, d).

    A block that cannot be decomposed has the projection 0.
    """
    usable, _, vectors = _decomposed(blocks)
    top = vectors[:, :k]
    found: Array = np.swapaxes(top, 1, 2) @ top
    found[~usable] = 0.0
    return found


def _usable(blocks: Array) -> Mask:
    return np.asarray((np.abs(blocks) <= LARGEST).reshape(len(blocks), -1).all(axis=1))


def _decomposed(blocks: Array) -> tuple[Mask, Array, Array]:
    # singular values and right vectors of a block are those of its triangular factor
    blocks = evened(blocks)
    usable = _usable(blocks)
    factors = np.linalg.qr(np.where(usable[:, None, None], blocks, 0.0), mode="r")
    return usable, *_svd(np.asarray(factors))


def _svd(blocks: Array) -> tuple[Array, Array]:
    try:
        _, values, vectors = np.linalg.svd(blocks, full_matrices=False)
    except np.linalg.LinAlgError:  # of one block: its own values are NaN, the others what they are
        t, m, d = blocks.shape
        values, vectors = np.full((t, min(m, d)), np.nan), np.zeros((t, min(m, d), d))
        for j, block in enumerate(blocks):
            with suppress(np.linalg.LinAlgError):
                _, values[j], vectors[j] = np.linalg.svd(block, full_matrices=False)
    return values, vectors


def eigenvalue_charges(step: str, d: int, cost: ZCDP, calibration: Calibration) -> tuple[Charge, ...]:
    # a row moves one number of each list, each score by 1
    charge = LOCATOR.charge if calibration == "tight" else stability_charge
    return tuple(charge(f"{step} {i}", part) for i, part in enumerate(cost.split(*(1.0,) * d), start=1))


@remembered
def enough_blocks(d: int, cost: ZCDP, calibration: Calibration) -> int:
    """Return a number of blocks that suffices for the answers to be among the block eigenvalues.

    Tight: the exponential mechanism on a range of length 1175, with probability 1 - MISSED. Paper: 4T, so
    that the fuller of two bins that share the blocks holds twice the threshold T.
    """
    if calibration == "paper":
        return ceil(4 * stability_threshold(ZCDP(cost.rho / d, cost.delta / d)))
    epsilon = selection_epsilon(ZCDP(cost.rho / d))
    return ceil(2 / epsilon * (LOCATOR.log_measure(cost) + log(2 * d / MISSED) + 1.5) * 1.04) + 4


def private_eigenvalues(
    spectra: Array, charges: Sequence[Charge], noise: NoiseSource, calibration: Calibration
) -> Array | None:
    answer = _median if calibration == "tight" else _mode
    found = [answer(values, charge, noise) for values, charge in zip(spectra.T, charges, strict=True)]
    return None if None in found else np.sort(np.array(found, np.float64))[::-1]


def _median(values: Array, charge: Charge, noise: NoiseSource) -> float | None:
    logs = np.log(np.where(values > 0, values, 1.0))
    logs = np.where((values > 0) & (logs > NEXT_TO_NOTHING), logs, NOTHING)
    place = LOCATOR.draw(logs, charge, noise)
    return None if place is None else float(np.exp(place)) if place > NEXT_TO_NOTHING else 0.0


def _mode(values: Array, charge: Charge, noise: NoiseSource) -> float | None:
    keys = np.where(values > 0, np.frexp(values)[1], ZERO)  # e with 2^(e-1) ≤ λ < 2^e, from the float itself
    key = stable_mode(np.where(np.isfinite(values), keys, BAD), charge, noise)
    if not isinstance(key, float) or key == BAD:
        return None
    return 0.0 if key == ZERO else float(np.ldexp(sqrt(0.5), int(key)))


class Rule(NamedTuple):
    gap: float  # the most that Q moves
    move: float  # the most that the mean moves, in units of τ/max(Q, Q'), whatever Q is
    share: float  # of the cost that the count takes
    fewest: int  # points


RULES = {"tight": Rule(3.0, 5.0, 0.5, 13), "paper": Rule(5.0, 12.0, 0.3, 21)}


@frozen
class FriendlyMean:
    """Steps (F1) to (F4) for t points."""

    points: int
    calibration: Calibration = "tight"

    @property
    def rule(self) -> Rule:
        return RULES[self.calibration]

    @property
    def whole(self) -> int:  # the score of a point of weight 1
        return self.points - 1 if self.calibration == "tight" else self.points

    def move(self, bound: float) -> float:
        """Return c, the most that the mean moves in units of τ/L, for L of at least 12; it falls with L.

        κ is a share of the other points that surely counts, whichever of the two neighbours the data are.
        """
        if self.calibration == "paper":
            return self.rule.move
        share = min((bound - self.rule.gap - 1) / (self.points - 1), 1.0)
        among_friends, replaced = 1 + 5 / (4 * share), 2 - share + 9 / (8 * share)
        return min(self.rule.move, max(among_friends, replaced) + 2 / (bound - self.rule.gap))

    def charges(self, step: str, cost: ZCDP) -> tuple[Charge, Charge]:
        count, mean = ZCDP(cost.rho).split(self.rule.share, 1 - self.rule.share)
        return (
            Charge(f"{step}, count", "lower_bound", self.rule.gap * self.whole, ZCDP(count.rho, cost.delta)),
            Charge(f"{step}, mean", "symmetric_gaussian", 1.0, mean),
        )

    def scores(self, y: Array, tau: float) -> Counts:
        """Return the weights of (F2) times `whole`, integers, of points in whole numbers."""
        friends, t = friends_of(y, tau), self.points  # (F1)
        ahead = 2 * friends - t - 1 if self.calibration == "tight" else 4 * friends - 2 * t - 4
        return np.clip(ahead, 0, self.whole)

    def draw(self, y: Array, tau: float, charges: tuple[Charge, Charge], noise: NoiseSource) -> Array | None:
        """Return the private mean of symmetric matrices y of shape (t, d, d), or None for no answer."""
        whole = whole_points(y)
        scores = self.scores(whole, tau)  # (F2)
        bound = float(lower_bound(scores.sum(), charges[0], noise)) / self.whole  # (F3)
        agreed = bound >= (12.0 if self.calibration == "tight" else self.points / 4)
        unit = tau * (self.move(bound) + ROUNDING) / bound if agreed else 1.0
        mean = weighted_mean(whole, scores if agreed else 0 * scores, unit)
        noisy = symmetric_gaussian(mean, charges[1], noise)  # (F4)
        return noisy * unit if agreed else None


def whole_points(y: Array) -> Array:
    """Return matrices in whole numbers of 2^-48, as floats; entries beyond 1 are clipped, NaN is 0."""
    return np.rint(np.clip(np.nan_to_num(y), -1.0, 1.0) * 2.0**BITS)


def friends_of(whole: Array, tau: float) -> Counts:
    """Return N of (F1), from the differences themselves; friends are within τ, whatever floats round."""
    points = whole.reshape(len(whole), -1)
    return within(points, (tau * 2.0**BITS) ** 2 * (1 - (points.shape[1] + 4) * 2.0**-52), "sqeuclidean")


def weighted_mean(whole: Array, weights: Counts, unit: float) -> OnGrid:
    """Return Σ w y/Σ w in a unit, 0 where all weights are 0, rounded once to at most 2^-20/d of it.

    Halves of the entries are added up apart, so that no sum overflows.
    """
    entries = whole.reshape(len(whole), -1).astype(np.int64)
    high, scores = entries >> LIMB, weights.astype(np.int64 if len(weights) < 2**18 else object)
    low = entries - (high << LIMB)
    total = ((scores @ high).astype(object) << LIMB) + (scores @ low).astype(object)
    bits = FINE + ceil(log2(whole.shape[-1]))
    share = Fraction(2**bits, max(int(weights.sum()), 1)) / (2**BITS * Fraction(unit))
    return OnGrid(rounded(total.reshape(whole.shape[1:]), share), 2.0**-bits)


def enough_points(cost: ZCDP, calibration: Calibration) -> int:
    """Return a number of points with which a friendly mean is released in all but 1 of 100 runs.

    Tight: nearly all of 93 % of the points count, 12 is exceeded by 2.3 sd of the noise beside the margin of
    δ. Paper: all count, and the bound exceeds t/2.
    """
    rule = RULES[calibration]
    sd, margin = rule.gap / sqrt(2 * rule.share * cost.rho), -float(ndtri(cost.delta))
    if calibration == "paper":
        return max(rule.fewest, ceil(4 * sd * margin) + 16)
    return max(rule.fewest, ceil((12 + sd * (margin + 2.3)) / 0.93))


@public
class SubspaceVote(FriendlyMean):
    """The friendly mean of projections, of as many blocks of m rows as there are points."""

    m: int
    d: int

    def distance(self, k: int, gap: float) -> float:
        """Return τ for a gap γ = √(λ_{k+1}/λ_k); the least that floats resolve for a subspace of all rows."""
        d = self.d
        if gap == 0 or k >= d:
            return CLOSEST
        if self.calibration == "tight":
            return gap * unit_distance(d, k, self.m)
        return 4.8 * sqrt(2 / self.m) * gap * (sqrt(k * (d - k)) + sqrt(2 * log(40 * self.points)) / 2)

    def basis(
        self, planes: Array, k: int, gap: float, charges: tuple[Charge, Charge], noise: NoiseSource
    ) -> Array | None:
        """Return an orthonormal basis of shape (d, k) from projections of shape (t, r, r), or None.

        Those of rows of a subspace, r < d, are enlarged by zeros: what is drawn has the size of d.
        """
        by = (0, self.d - planes.shape[1])
        mean = self.draw(np.pad(planes, ((0, 0), by, by)), self.distance(k, gap), charges, noise)
        return None if mean is None else np.linalg.eigh(symmetrised(mean))[1][:, ::-1][:, :k]


def gap_after(eigenvalues: Array, k: int) -> float:
    """Return γ = √(λ_{k+1}/λ_k) of eigenvalues in descending order, at least what a block can tell from 0."""
    return max(float(np.sqrt(eigenvalues[k] / eigenvalues[k - 1])), ROUNDED)


@remembered
def unit_distance(d: int, k: int, m: int) -> float:
    """Return τ/γ of "tight": public, simulated from one fixed seed, in the limit of a tiny gap.

    A block has rows (y, γ z) with y of k and z of d - k standard normal entries. As γ → 0 its top subspace is
    the graph of γ B, B the regression of z on y; projections differ by γ √2 |B_j - B_l|; and the block's own
    gap is γ √(largest eigenvalue of z less its regression / smallest of y).
    """
    rows = np.random.default_rng((SEED, d, k, m)).standard_normal((2 * PAIRS, m, d))
    q, r = np.linalg.qr(rows[:, :, :k])
    regression = np.swapaxes(q, 1, 2) @ rows[:, :, k:]
    graph = np.linalg.solve(r, regression)
    rest = np.linalg.svd(rows[:, :, k:] - q @ regression, compute_uv=False)[:, 0]
    least = np.linalg.svd(r, compute_uv=False)[:, -1]
    own_gap = np.median(rest) / np.median(least)
    apart = sqrt(2) * np.sqrt(((graph[:PAIRS] - graph[PAIRS:]) ** 2).sum(axis=(1, 2)))
    return float(SLACK * np.quantile(apart, QUANTILE) / own_gap)


@frozen
class Tokens:
    """The names of one run: offsets u in [0, g), shape (d, d), symmetric."""

    offsets: Array

    @classmethod
    def drawn(cls, d: int, stream: np.random.Generator) -> "Tokens":
        upper = np.triu(stream.uniform(0.0, GRID, (d, d)))
        return cls(upper + np.triu(upper, 1).T)

    def of(self, blocks: Array) -> NDArray[np.str_]:
        above, blocks = np.triu_indices(len(self.offsets)), evened(blocks)
        good = _usable(blocks)
        values, vectors = _svd(np.where(good[:, None, None], blocks, 0.0))
        good &= ~np.isnan(values).any(axis=1)
        kept = values > RANK * values[:, :1]
        spanned = vectors * kept[:, :, None]
        planes = np.swapaxes(spanned, 1, 2) @ spanned
        cells = np.floor((planes + self.offsets) / GRID)[:, above[0], above[1]]
        ranks = np.where(good, kept.sum(axis=1), -1)
        found = np.concatenate([ranks[:, None], np.where(good[:, None], cells, 0)], axis=1).astype(np.int64)
        return np.array([row.tobytes().hex() for row in found])

    def basis(self, token: str) -> Array | None:
        """Return an orthonormal basis, shape (d, r), of the subspace of a name; None where r = -1."""
        d = len(self.offsets)
        rank, *cells = np.frombuffer(bytes.fromhex(token), np.int64).tolist()
        if rank < 0:
            return None
        above, matrix = np.triu_indices(d), np.zeros((d, d))
        matrix[above] = (np.array(cells) + 0.5) * GRID - self.offsets[above]
        matrix = matrix + np.triu(matrix, 1).T
        return np.linalg.eigh(matrix)[1][:, ::-1][:, :rank]


def completed(rows: Array, basis: Array, noise: NoiseSource) -> Array:
    """Return the coordinates of rows in a subspace, with further ones of the run's own normal numbers."""
    d, rank = basis.shape
    if rank == d:
        return mapped(rows, basis.T)
    further = own_stream(noise).standard_normal((len(rows), d - rank))
    return sanitised(np.hstack([mapped(rows, basis.T), further]))


@public
class Eigenvalues(Estimator[Array]):
    """Private eigenvalues of a covariance, whatever their size, by blocks of rows (M21/UG Theorem 3.1).

    Accurate for normal rows of any mean and any covariance.
    Guarantee: central model, one replaced row, for every input. Budgets: ZCDP with delta = 0, or ApproxDP
    with delta > 0; for "paper" either, with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. Its
    block says what its other rows say.

    Parameters
    ----------
    centred : bool, default False
        Whether the mean is known to be 0. Otherwise pairs (x_1 - x_2)/√2 take the place of the rows.
    calibration : {"paper", "tight"}, default "tight"
        "paper" finds eigenvalues up to a factor of 2, by a histogram; "tight" to a few per cent, by the
        window-median mechanism.

    Examples
    --------
    >>> from workbench.privacy import ZCDP
    >>> x = np.random.default_rng(1).standard_normal((20_000, 2)) * [1e-6, 1e6]
    >>> release = Eigenvalues()(x, budget=ZCDP(0.1), rng=np.random.default_rng(2))
    >>> bool((abs(release.value / [1e12, 1e-12] - 1) < 0.3).all())
    True
    """

    centred: bool = False
    calibration: Calibration = "tight"

    def cost(self, budget: Budget) -> ZCDP:
        match budget:
            case _ if self.calibration == "paper":
                return concentrated(budget)
            case ZCDP(_, 0.0):
                return budget
            case ApproxDP(_, delta) if delta > 0:  # steps without a δ of their own: all of it converts
                return zcdp_within_approx(budget)
        raise ArgumentError("budget", budget, "ZCDP with delta = 0, or ApproxDP with delta > 0")

    def blocks(self, n: int, d: int, budget: Budget) -> tuple[int, int]:  # t and m
        needed = enough_blocks(d, self.cost(budget), self.calibration)
        return block_sizes(needed, n, d, self.centred, self.calibration)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        self.blocks(n, d, budget)
        return delivered(eigenvalue_charges("eigenvalue", d, self.cost(budget), self.calibration), budget)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array | Abstention:
        n, d = x.shape
        found = spectra(in_blocks(centred_rows(x, self.centred), self.blocks(n, d, budget)[0]))  # (1)
        charges = list(self.plan(n, d, budget).charges())
        values = private_eigenvalues(found, charges, noise, self.calibration)  # (2)
        return Abstention("eigenvalue") if values is None else values


@public
class SubspaceAggregate(Estimator[Array]):
    """Private subspace before a gap of the spectrum, by a vote of blocks of rows (M21/UG Algorithm 2).

    Returns the projection on the subspace, shape (d, d). Accurate for normal rows of any mean whose
    eigenvalues k and k + 1 differ by a factor of 1/gap² or more: the error is in proportion to `gap`, down to
    about 1e-11. Where blocks do not agree the release is "no answer".
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP, or ZCDP, with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. Its
    block says what its other rows say. `centred` is as of `Eigenvalues`.

    Parameters
    ----------
    k : int, default 1
        Dimension of the subspace, from 1 to d - 1.
    gap : float
        Bound on √(λ_{k+1}/λ_k), in [0, 1], M21/UG's γ; 0 for rows in a subspace of dimension k. It decides
        about accuracy alone; `Eigenvalues` finds it, at a budget of its own.
    calibration : {"paper", "tight"}, default "tight"
        Weights, sensitivities and distances of the source ("paper") or ours ("tight").

    Examples
    --------
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).standard_normal((5000, 2)) * [1e4, 1.0]
    >>> estimator, budget = SubspaceAggregate(k=1, gap=1e-4), ApproxDP(1.0, 1e-6)
    >>> projection = estimator(x, budget=budget, rng=np.random.default_rng(2)).value
    >>> bool(abs(projection - [[1, 0], [0, 0]]).max() < 1e-4)
    True
    """

    k: int = 1
    gap: float
    centred: bool = False
    calibration: Calibration = "tight"

    def _validate(self) -> None:
        integer_at_least(1, k=self.k)
        finite(gap=self.gap)
        if not 0 <= self.gap <= 1:
            raise ArgumentError("gap", self.gap, "a number in [0, 1]")

    def vote(self, n: int, d: int, budget: Budget) -> SubspaceVote:
        if self.k >= d:
            raise ArgumentError("k", self.k, f"at most d - 1 = {d - 1}")
        needed = enough_points(concentrated(budget), self.calibration)
        t, m = block_sizes(needed, n, d, self.centred, self.calibration, MOST_ROWS)
        return SubspaceVote(t, self.calibration, m=m, d=d)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        return delivered(self.vote(n, d, budget).charges("vote", concentrated(budget)), budget)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array | Abstention:
        n, d = x.shape
        vote = self.vote(n, d, budget)
        charges = vote.charges("vote", concentrated(budget))
        planes = projections(in_blocks(centred_rows(x, self.centred), vote.points), self.k)  # (1)
        basis = vote.basis(planes, self.k, self.gap, charges, noise)  # (2)
        return Abstention(charges[0].step) if basis is None else basis @ basis.T


@public
class SubspaceExact(Estimator[Array]):
    """Private subspace that a distribution lives on, exact up to a grid of 1e-5 (AL22 Theorem 4.1).

    Returns the projection on the subspace, shape (d, d). Accurate for rows with a density on a subspace;
    where groups of rows span different ones the release is "no answer".
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. Its
    block says what its other rows say. `centred` is as of `Eigenvalues`.

    Parameters
    ----------
    beta : float, default 0.1
        Chance, at most, of no answer.
    calibration : {"paper", "tight"}, default "tight"
        Number of groups of the source ("paper"), or some 15 times fewer ("tight").

    Examples
    --------
    >>> from workbench.privacy import ApproxDP
    >>> line = np.random.default_rng(1).standard_normal((400, 1)) * [3.0, 4.0]
    >>> release = SubspaceExact()(line, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> release.value.round(4).tolist()
    [[0.36, 0.48], [0.48, 0.64]]
    """

    centred: bool = False
    beta: float = 0.1
    calibration: Calibration = "tight"

    def groups(self, budget: Budget) -> int:
        """Return t: an answer with probability 1 - β where all but a tenth of the groups agree."""
        events = require_events(budget)
        if self.calibration == "paper":
            return least_groups(halved(events))
        return keys_for_mode(mode_charge(SUBSPACE, events), APART, self.beta)

    def fewest(self, d: int, budget: Budget) -> int:
        return self.groups(budget) * d * (1 if self.centred else 2)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        fewest = self.fewest(d, budget)
        if n < fewest:
            raise ArgumentError("n", n, f"at least {fewest} for d = {d} at {budget}")
        return mode_charge(SUBSPACE, require_events(budget))

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array | Abstention:
        basis = self.basis(x, budget, noise)
        return basis if isinstance(basis, Abstention) else basis @ basis.T

    def basis(self, x: Array, budget: Budget, noise: NoiseSource) -> Array | Abstention:
        stream = own_stream(noise)
        rows = centred_rows(x, self.centred)[stream.permutation(centred_count(len(x), self.centred))]
        tokens = Tokens.drawn(x.shape[1], stream)
        names = tokens.of(in_blocks(rows, self.groups(budget)))  # (1)
        released = release_mode(names, mode_charge(SUBSPACE, require_events(budget)), noise)  # (2)
        basis = tokens.basis(released) if isinstance(released, str) else None
        return Abstention(SUBSPACE) if basis is None else basis
