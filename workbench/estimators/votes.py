"""The private populous mean of points: a vote on whether they agree, and a masked average.  AL22 Algorithm 1.

Rows are shuffled by the run's own randomness and cut into k groups of s, and an oracle makes a point of each
(`reduced`). Point i has N_i friends, itself among them; all thresholds are whole numbers of friends.

    (1) M = Σ N_i; go on iff M - Q₀k² + Z > A, Z truncated Laplace on [-A, A]           (ε_t, δ_t)
        one replaced point moves M, a whole number, by at most S = 2(k - 1)
    (2) w_i = clip((N_i - a)/(b - a), 0, 1)
    (3) Y = Σ w_i Y_i/Σ w_i
    (4) out = Y under a mask (`privacy.stable`)                                         (ε_m, δ_m)

Or (1) and (4) are one mechanism that has all of (ε, δ), by the count h = ⌈(M - Q₀k²)/S⌉ from 0 to T, which
moves by at most 1 (`PricedDesign`). A replaced row changes one point, in any way; an unusable one is its own
friend only. A run that ends at (1) draws the mask too, of a fixed value, so that what is drawn is public.

If two neighbouring data sets both have M ≥ Q₀k², their averages differ in total variation of the weights by
τ ≤ C/k, and with friends at L = 1 + dist the averages of covariances satisfy 1 + dist(Y, Y') ≤ 1 + CE/k, in a
norm with friends at distance ρ, |Y - Y'| ≤ 2ρ C/k:

    C = max((f₁/(b - a) + 1)/(1 - f₁), f₂/(b - a) + 1),   f₁ = (1 - Q₀)/(1 - a),  f₂ = (1 - Q₀)/(1 - b - 1/k)
    E = min(L² - 1, L/ω) where ω = 1 - (1 - a + 1/k)(1 - a)/(Q₀ - 2/k - a) lies in (0, 1], else L² - 1

(a, b as shares of k). If only one of them has M ≥ Q₀k², it goes on with probability at most δ_t. Proof:
`proofs/populous.md`, sections 2 to 4.

Points. Whether two are friends depends on these two alone (`proofs/populous.md`, sections 1, 6 and 9).

    Points     vectors, |Y_i - Y_j|₂ ≤ ρ. A point longer than 1e8 ρ is nobody's friend but its own: an average
               of such points is not known to a small share of ρ.
    L1Points   vectors, |Y_i - Y_j|₁ ≤ ρ, for a Laplace mask (Remark 3.4)
    Groups     A_i = R_iᵀR_i, by a triangular factor R_i: singular values of R_i are known to 1e-16,
               eigenvalues of a product only to their squares. Friends if every eigenvalue of A_i⁻¹A_j lies in
               [1/L, L]. A factor is not usable that has an entry that is no number or out of range, or a
               scaled condition above 1e5. One column: by sorting; two: by trace t and determinant D of
               A_i⁻¹A_j, L² - tL + D ≥ 0, 1 - tL + DL² ≥ 0, 2/L ≤ t ≤ 2L.

Of more columns most pairs are settled in the frame of one group: for L^d ≥ det M, λ_max(M) ≤ L whenever tr M
≤ L + (d - 1)(det M/L)^(1/(d - 1)), two products for all pairs at once; λ_max(A_i⁻¹A_j) ≤ L iff LA_i - A_j is
positive semidefinite, pivots of many such matrices at once. Both leave a margin that is wide enough that no
verdict differs from that of the eigenvalues of R_jR_i⁻¹(R_jR_i⁻¹)ᵀ, which settle the rest.

Designs (`Designer`): group size, thresholds, and the split of (ε, δ), from public numbers. For n rows in
groups of s, k = ⌊n/s⌋, and a vote that passes with probability 1 - β when the rows are what they should be:

    (D1) L = a quantile 1 - p of the distance of two groups, p = .002 .. .02: the caller's
    (D2) Q₀ = 1 - p - 2z √(p/k) - A - (S/ε_t) ln(1/β), z = 3: the share of friends exceeds it but for β
         joint: 1 - p - 2z √(p/k) - (T - 1) S: then h = T, which answers but for β
    (D3) a, b on a grid, for the least Δ, the most that one row moves the average
    (D4) of all s, p and shares ε_t/ε the one whose mask is narrowest: the largest ε_m/Δ (Laplace,
         Thompson-Laplace; all of δ is the vote's), or μ(ε_m, δ/2)/Δ (Wishart, Gaussian); joint: r/Δ
    (D5) joint: of that design with up to half as many counts again, and Δ_h that fall, the largest r

Privacy rests on Δ alone, and Δ on k, a, b, Q₀ and L, with an allowance for rounding.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import takewhile
from math import ceil, inf, log, sqrt
from typing import TypeAlias

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.base import shuffled
from workbench.estimators.shared.rows import evened, of_groups
from workbench.linalg import fewest, norms
from workbench.privacy import ApproxDP, Charge, NoiseSource, Plan, PureDP, Sequential
from workbench.privacy.budgets import gdp_within_approx
from workbench.privacy.grid import OnGrid, step_of
from workbench.privacy.mechanisms import additive, exceeds_bound, gaussian_scale, truncated_laplace_bound
from workbench.privacy.ramps import LEAST_DELTA
from workbench.privacy.stable import (
    Voted,
    VotedCharge,
    counts,
    largest_ratio,
    least_rate,
    masked,
    square_scale,
    voted,
    voted_scale,
    wishart_delta,
)
from workbench.types import Array, Counts, Floats, Mask, RowMap, frozen, public, remembered

VOTE, MASK = "vote", "mask"
FINE = 40  # bits of the distance of friends, on the grid of an average
PAIRS_AT_ONCE, IN_CACHE = 2**20, 2**19  # pairs, entries of matrices

FARTHEST = 1e8  # the largest length of a usable point, in units of ρ
SMALLEST, LARGEST, CONDITION = 1e-70, 1e70, 1e5  # of a usable factor
MATRIX_MARGIN = 1e-3  # of verdicts without eigenvalues
PRUNED = 1e6  # the largest condition in the frame of the reference at which they are given

SHARES = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
RATIOS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.68, 0.75, 0.8, 0.85, 0.89, 0.92, 0.95, 0.97, 0.985)  # of r alone
LONGER, LOW = (1.5, 1.2, 1.0), 0.7  # times T, and Q₀ that it is not to take below this
FAR = (0.002, 0.005, 0.01, 0.02)
JOINT = {"gaussian": "voted_gaussian", "laplace": "voted_laplace"}  # mask: the mechanism with its vote in it
PURE_MASKS = "thompson_laplace", "laplace"  # without a δ
ROUNDING, NORM_ROUNDING = 1 + 1e-6, 1 + 1e-3
FEWEST, MOST = 20, 20_000  # groups
WIDEST = 100.0  # the largest L at which floats tell friends from others

Moves: TypeAlias = Callable[[int, Array, Array, float | Array, float], Array]  # Δ from k, a, b, Q₀ and L
Limits: TypeAlias = Callable[[int], Floats]  # L from s, for each p


@frozen
class Vote:
    """The thresholds of a vote of k points: `nobody` = ak, `everybody` = bk, `quorum` = ⌈Q₀k²⌉."""

    k: int
    nobody: int
    everybody: int
    quorum: int

    def __post_init__(self) -> None:
        k, a, b, quorum = self.k, self.nobody, self.everybody, self.quorum
        if not (k >= 8 and 2 * a >= k + 1 and a < b and (b + 1) * k <= quorum < k * k):
            raise ArgumentError("vote", (k, a, b, quorum), "k/2 < a < b < quorum/k < k")

    @classmethod
    def of(cls, k: int, a: float, b: float, quorum: float) -> "Vote":  # from shares
        return cls(k, ceil(a * k), ceil(b * k), ceil(quorum * k * k))

    def charge(self, step: str, cost: ApproxDP) -> Charge:  # of (1)
        return Charge(step, "truncated_laplace", self.moved, cost)

    def passes(self, friends: Counts, charge: Charge, noise: NoiseSource) -> bool:  # (1)
        return exceeds_bound(friends.sum() - self.quorum, charge, noise)

    def weights(self, friends: Counts) -> Array:  # (2)
        return np.clip((friends - self.nobody) / (self.everybody - self.nobody), 0.0, 1.0)

    def count(self, friends: Counts, most: int) -> int:  # h, at most T
        return min(most, max(0, -((self.quorum - int(friends.sum())) // self.moved)))

    @property
    def moved(self) -> int:  # S
        return 2 * (self.k - 1)

    @property
    def least_weight(self) -> float:  # the least mean of the weights where the vote may pass
        share = self.nobody / self.k
        return (self.quorum / self.k**2 - share) / (1 - share)

    @property
    def change(self) -> float:  # C
        k = self.k
        return float(change(k, np.array(self.nobody / k), np.array(self.everybody / k), self.quorum / k**2))

    def spread(self, limit: float) -> float:  # E
        return float(spread(self.k, np.array(self.nobody / self.k), self.quorum / self.k**2, limit))


@frozen
class Points:
    """Vectors that vote, shape (k, d); `limit` says how large they may be."""

    values: Array
    limit: float
    METRIC = "sqeuclidean"

    @property
    def usable(self) -> Mask:
        return norms(self.values) <= FARTHEST * self.limit

    @property
    def nothing(self) -> Array:  # what is masked where there is no answer
        return np.zeros(self.values.shape[1])

    def friends(self, limit: float) -> Counts:
        """Return N at ρ = `limit`."""
        usable, found = self.usable, np.ones(len(self.values), np.int64)
        values = self.values[usable]
        if values.shape[1] == 1:
            found[usable] = _between(values[:, 0], values[:, 0] - limit, values[:, 0] + limit)
        elif len(values):
            found[usable] = within(values, limit**2 if self.METRIC == "sqeuclidean" else limit, self.METRIC)
        return found

    def average(self, weights: Array) -> Array:
        """Return Y of (3), shape (d,); weights are 0 where a point is not usable."""
        taken = weights > 0
        values = self.values[taken]
        return values[0] + weights[taken] @ (values - values[0]) / weights.sum()


@frozen
class L1Points(Points):
    METRIC = "cityblock"

    @property
    def usable(self) -> Mask:
        return np.abs(self.values).sum(axis=1) <= FARTHEST * self.limit


@frozen
class Groups:
    """Covariances that vote, by their factors, shape (k, d, d); unusable ones are the identity."""

    factors: Array
    usable: Mask

    @classmethod
    def of(cls, factors: Array) -> "Groups":
        with np.errstate(over="ignore", invalid="ignore"):
            lengths = np.sqrt((factors**2).sum(axis=1))  # of columns: roots of the diagonal of A
            known = ((lengths >= SMALLEST) & (lengths <= LARGEST)).all(axis=1)
        scaled = np.where(known[:, None, None], factors, np.eye(factors.shape[1]))
        scaled = scaled / np.where(known[:, None], lengths, 1.0)[:, None, :]
        values = np.linalg.svd(scaled, compute_uv=False)
        usable = known & (values[:, -1] * CONDITION >= values[:, 0])
        return cls(np.where(usable[:, None, None], factors, np.eye(factors.shape[1])), usable)

    @property
    def nothing(self) -> Array:
        return np.eye(self.factors.shape[1])

    def friends(self, limit: float) -> Counts:
        """Return N at L = `limit`."""
        found, factors = np.ones(len(self.factors), np.int64), self.factors[self.usable]
        if not len(factors):
            return found
        d = factors.shape[1]
        if d == 1:
            lengths, reach = np.abs(factors[:, 0, 0]), np.sqrt(limit)
            found[self.usable] = _between(lengths, lengths / reach, lengths * reach)
        else:
            found[self.usable] = counted(len(factors), (_planar if d == 2 else _framed)(factors, limit))
        return found

    def average(self, weights: Array) -> Array:
        """Return a root of Y of (3), shape (d, d); weights are 0 where a group is not usable."""
        shares = np.sqrt(weights / weights.sum())
        stacked = (shares[:, None, None] * self.factors)[weights > 0]
        return np.asarray(np.linalg.qr(stacked.reshape(-1, self.factors.shape[2]), mode="r")).T


def moment_factors(blocks: Array) -> Array:
    """Return the triangular factor of the second moment of every group of rows, (k, s, d) -> (k, d, d)."""
    return np.linalg.qr(evened(blocks), mode="r") / np.sqrt(blocks.shape[1])


def counted(count: int, close: Callable[[slice], Mask]) -> Counts:
    """Return N; `close(rows)` tells which of all from rows.start on each of `rows` is close to.

    Verdicts are taken from one triangle and hold for both.
    """
    found = np.ones(count, np.int64)
    step = max(1, PAIRS_AT_ONCE // count)
    for start in range(0, count, step):
        pairs = np.triu(close(slice(start, min(start + step, count))), 1)
        found[start : start + step] += pairs.sum(axis=1)
        found[start:] += pairs.sum(axis=0)
    return found


def within(points: Array, most: float, metric: str) -> Counts:
    """Return how many of these points are within a distance of each, itself among them."""
    from scipy.spatial.distance import cdist  # slow to load

    return counted(len(points), lambda rows: cdist(points[rows], points[rows.start :], metric) <= most)


def _between(values: Array, low: Array, high: Array) -> Counts:
    ordered = np.sort(values)
    below = np.searchsorted(ordered, low, side="left")
    return np.searchsorted(ordered, high, side="right") - below


def _planar(factors: Array, limit: float) -> Callable[[slice], Mask]:
    corners, sides, ends = factors[:, 0, 0], factors[:, 0, 1], factors[:, 1, 1]

    def close(rows: slice) -> Mask:
        later = slice(rows.start, None)
        corner = corners[later] / corners[rows, None]
        end = ends[later] / ends[rows, None]
        side = (sides[later] - corner * sides[rows, None]) / ends[rows, None]
        trace, determinant = corner**2 + side**2 + end**2, (corner * end) ** 2
        between = (trace <= 2 * limit) & (trace * limit >= 2)
        largest = limit * (limit - trace) + determinant >= 0
        smallest = 1 - trace * limit + determinant * limit**2 >= 0
        return between & largest & smallest

    return close


def _framed(factors: Array, limit: float) -> Callable[[slice], Mask]:
    d = factors.shape[1]
    sizes = np.log(np.abs(np.diagonal(factors, axis1=1, axis2=2))).sum(axis=1)
    reference = np.linalg.inv(factors[np.argsort(sizes, kind="stable")[len(sizes) // 2]])
    framed = factors @ reference
    moments = np.swapaxes(framed, 1, 2) @ framed
    values = np.linalg.eigvalsh(moments)
    sound = values[:, 0] * PRUNED >= values[:, -1]
    precisions = np.linalg.inv(np.where(sound[:, None, None], moments, np.eye(d)))
    powers = np.exp(2 * (sizes - np.median(sizes)) / (d - 1))  # det^(1/(d - 1))
    columns = np.ascontiguousarray(np.moveaxis(moments, 0, 2))
    # inner products of `first` at i, `second` at j are tr M - (1 - margin)(d - 1)(det M/L)^(1/(d - 1)), for
    # M = A_i⁻¹A_j; NaN where unsafe. Upper triangles have √2 off the diagonal
    above = np.triu_indices(d)
    share, twice = (1 - MATRIX_MARGIN) * (d - 1) * limit ** (-1 / (d - 1)), np.where(np.eye(d), 1, sqrt(2))
    first, second = (
        np.ascontiguousarray((one * twice)[:, *above]) * np.where(sound, 1.0, np.nan)[:, None]
        for one in (precisions, moments)
    )
    first, second = np.c_[first, -share / powers], np.c_[second, powers]
    most = (1 - MATRIX_MARGIN) * limit
    largest = most ** (d / (d - 1))

    def parts(asked: Mask, entries: int) -> Iterator[Counts]:
        pairs, step = np.flatnonzero(asked), max(1, entries // (d * d))
        return (pairs[start : start + step] for start in range(0, len(pairs), step))

    def positive(i: Counts, j: Counts, known: Mask, asked: Mask, most: float) -> Mask:
        # which pairs are known, or asked for and have a positive definite LA_i - A_j
        found = known.copy()
        for part in parts(asked & ~known, IN_CACHE):
            found[part] = _definite(most * np.take(columns, i[part], 2) - np.take(columns, j[part], 2))
        return found

    def close(rows: slice) -> Mask:
        later = slice(rows.start, None)
        ahead, behind = first[rows] @ second[later].T <= most, second[rows] @ first[later].T <= most
        if powers.max() > largest * powers.min():
            ratio = powers[later] / powers[rows, None]
            ahead &= ratio <= largest
            behind &= ratio * largest >= 1
        sure = ahead & behind
        places = np.nonzero(np.triu(~sure, 1))
        (i, j), ahead, behind = np.add(places, rows.start), ahead[places], behind[places]
        safe = sound[i] & sound[j]
        ahead, behind = positive(i, j, ahead, safe, most), positive(j, i, behind, safe, most)
        settled, more = ahead & behind, (1 + MATRIX_MARGIN) * limit
        left = safe & ~settled
        doubtful = positive(i, j, ahead, left, more) & positive(j, i, behind, left, more)
        for part in parts(~settled & (doubtful | ~safe), PAIRS_AT_ONCE):
            product = factors[j[part]] @ np.linalg.inv(factors[i[part]])
            values = np.linalg.eigvalsh(product @ np.swapaxes(product, 1, 2))
            settled[part] = (values[:, -1] <= limit) & (values[:, 0] * limit >= 1)
        sure[places] = settled
        return sure

    return close


def _definite(matrices: Array) -> Mask:
    # which symmetric matrices, shape (d, d, m), overwritten, have positive pivots
    positive = np.ones(matrices.shape[2], bool)
    for j in range(len(matrices)):
        sound = matrices[j, j] > 0
        positive &= sound
        scale = 1 / np.where(sound, matrices[j, j], np.inf)
        for i in range(j + 1, len(matrices)):  # the lower triangle
            matrices[i, j + 1 : i + 1] -= (matrices[i, j] * scale) * matrices[j + 1 : i + 1, j]
    return positive


def vote_and_mask(budget: ApproxDP, share: float, kind: str) -> tuple[ApproxDP, PureDP | ApproxDP]:
    """Return the costs of a vote, which has `share` of ε, and of its mask, whose mechanism is `kind`."""
    rest = (1 - share) * budget.epsilon
    if kind in PURE_MASKS:
        return ApproxDP(share * budget.epsilon, budget.delta), PureDP(rest)
    return ApproxDP(share * budget.epsilon, budget.delta / 2), ApproxDP(rest, budget.delta / 2)


@frozen
class Design:
    size: int  # s, the rows of a group
    limit: float  # L, the distance of friends
    vote: Vote
    distance: float  # Δ, the sensitivity of the masked average
    kind: str  # the mechanism of the mask
    budget: ApproxDP  # what vote and mask cost together
    share: float  # ε_t/ε; 1 where they are one mechanism
    stage: str = ""  # what the names of its steps begin with

    @property
    def rows(self) -> int:  # that vote; what is left over is unused
        return self.vote.k * self.size

    @property
    def charges(self) -> tuple[Charge, ...]:
        vote, mask = vote_and_mask(self.budget, self.share, self.kind)
        first, second = self.stage + VOTE, self.stage + MASK
        return self.vote.charge(first, vote), Charge(second, self.kind, self.distance, mask)

    @property
    def plan(self) -> Plan:
        return Sequential("basic", self.charges)

    @property
    def narrowness(self) -> float:  # the inverse width of the mask, which the best design has largest
        cost = vote_and_mask(self.budget, self.share, self.kind)[1]
        return (cost.epsilon if isinstance(cost, PureDP) else gdp_within_approx(cost).mu) / self.distance

    @property
    def noise_sd(self) -> float:
        return gaussian_scale(self.charges[1])

    def released(self, points: Points | Groups, noise: NoiseSource) -> Array | None:
        """Return the masked average, or None for no answer."""
        voting, masking = self.charges
        friends = points.friends(self.limit)  # N
        agreed = self.vote.passes(friends, voting, noise)  # (1)
        average = points.average(self.vote.weights(friends)) if agreed else points.nothing  # (2) (3)
        if masking.mechanism in JOINT:  # (4)
            released = additive(self.whole(average), masking, noise)
        else:
            released = masked(average, masking, noise)
        return released if agreed else None

    def whole(self, average: Array) -> OnGrid:
        """Return an average, rounded: a step is far below the thousandth that is added to Δ."""
        step = step_of(self.limit, FINE)
        return OnGrid(np.array([int(entry) for entry in np.rint(average / step)], object), step)


@public
class PricedDesign(Design):
    """The public numbers of a vote of vectors and its noise, as one mechanism: neither has a share of (ε, δ).

    Two neighbouring data sets with a count of h or more have M > Q₀k² + (h - 1)S: their averages are at most
    Δ_h apart. `distance` Δ_1, `ratio` r, `falls` Δ_h/Δ_1, `silent` 1 - p(`usual`). Proof:
    `proofs/tested_masks.md` 4.
    """

    ratio: float
    falls: Floats
    usual: int
    silent: float

    @property
    def most(self) -> int:  # T: where all pairs are friends
        return len(self.falls)

    @property
    def plan(self) -> VotedCharge:
        common = self.stage + VOTE, JOINT[self.kind], self.distance, self.budget
        return VotedCharge(*common, self.ratio, self.falls, self.usual, self.silent)

    @property
    def charges(self) -> tuple[VotedCharge]:
        return (self.plan,)

    @property
    def narrowness(self) -> float:
        return self.ratio / self.distance

    @property
    def noise_sd(self) -> float:
        return voted_scale(self.plan)

    def released(self, points: Points | Groups, noise: NoiseSource) -> Array | None:
        friends = points.friends(self.limit)
        h = self.vote.count(friends, self.most)  # (1)
        average = points.average(self.vote.weights(friends)) if h else points.nothing
        return voted(Voted(h, self.whole(average)), self.plan, noise)  # (2)


def reduced(
    rows: Array,
    oracle: RowMap,
    points: Callable[[Array], Points | Groups],
    design: Design,
    noise: NoiseSource,
) -> Array | None:
    """Return the masked average of what an oracle says of groups, (m, s, d) at a time, or None."""
    chosen = shuffled(rows, noise)[: design.rows]
    return design.released(points(of_groups(chosen, design.size, oracle)), noise)


def change(k: int, a: Array, b: Array, quorum: float | Array) -> Array:
    # C for shares a, b and Q₀
    first = (1 - quorum) / (1 - a)
    second = np.minimum(1.0, (1 - quorum) / np.maximum(1 - b - 1 / k, 1e-300))
    return np.maximum((first / (b - a) + 1) / (1 - first), second / (b - a) + 1)


def spread(k: int, a: Array, quorum: float | Array, limit: float) -> Array:
    # E for shares a and Q₀
    free = quorum - 2 / k - a
    mass = np.where(free > 0, 1 - (1 - a + 1 / k) * (1 - a) / np.where(free > 0, free, 1.0), 0.0)
    known = (mass > 0) & (mass <= 1)
    return np.where(known, np.minimum(limit**2 - 1, limit / np.where(known, mass, 1.0)), limit**2 - 1)


def covariance_moves(k: int, a: Array, b: Array, quorum: float | Array, limit: float) -> Array:
    # the Thompson distance of averages, E at L (1 + 1e-6), for rounding (`proofs/populous.md`, section 6)
    return np.log1p(change(k, a, b, quorum) * spread(k, a, quorum, limit * ROUNDING) / k)


def norm_moves(k: int, a: Array, b: Array, quorum: float | Array, limit: float) -> Array:
    # a thousandth more than it is: points may be 1e8 `limit` away from the origin, where sums are rounded
    return change(k, a, b, quorum) * 2 * limit / k * NORM_ROUNDING


def has_mask(made: Design, d: int) -> bool:
    """Return whether the mask of matrices of a design exists: θ large enough for draws, ν ≥ d, a γ."""
    cost = made.charges[1].cost
    if made.kind == "square":
        try:
            return square_scale(made.charges[1], d) > 0
        except ArgumentError:
            return False
    if isinstance(cost, ApproxDP):
        return wishart_delta(made.distance, d, d, cost.epsilon) <= cost.delta
    return made.narrowness > least_rate(d)


@frozen
class Designer:
    """The designs with one kind of mask, one bound on a row's effect, and one distribution of groups."""

    kind: str
    moves: Moves
    limits: Limits = lambda _: ()
    sizes: tuple[int, ...] = ()
    far: Floats = FAR
    joint: bool = False  # vote and mask are one mechanism, if δ has one
    side: int = 0  # of matrices, whose masks may not exist
    start: int = 32  # of the search for the fewest rows, to a factor `within`
    within: float = 1.0

    def best(self, n: int, budget: ApproxDP, beta: float) -> Design | None:
        """Return the design of step (D4) for n rows, or None if there is none."""
        best = max(self._tried(n, budget, beta), key=lambda one: one.narrowness, default=None)
        if isinstance(best, PricedDesign):
            return self._falling(best)
        return best if best is None or not self.side or has_mask(best, self.side) else None

    def enough(self, n: int, budget: ApproxDP, beta: float) -> object:
        return self.best(n, budget, beta) if self.side else next(self._tried(n, budget, beta), None)

    def _tried(self, n: int, budget: ApproxDP, beta: float) -> Iterator[Design]:
        # sizes that make few groups enough to be compared with each other
        sizes = [s for s in self.sizes if FEWEST <= n // s <= MOST]
        if not sizes and n // self.sizes[-1] > MOST:
            sizes = [self.sizes[-1]]
            while n // sizes[0] > MOST:
                sizes[0] *= 2
        for s in sizes:
            for far, limit in zip(self.far, self.limits(s), strict=True):
                if limit <= WIDEST:
                    k = n // s
                    yield from self.of(k, s, 1 - far - 6 * sqrt(far / k), limit, budget, beta)  # of (D2)

    def of(
        self, k: int, size: int, friends: float, limit: float, budget: ApproxDP, beta: float
    ) -> Iterator[Design]:
        """Yield designs that answer where a share `friends` of pairs are, but for β."""
        if self.joint and budget.delta >= LEAST_DELTA:
            yield from self._priced(k, size, friends, limit, budget, beta)
            return
        for share in SHARES:
            cost = vote_and_mask(budget, share, self.kind)[0]
            charge = Charge(VOTE, "truncated_laplace", 2.0 * (k - 1), cost)
            noise = truncated_laplace_bound(charge) + charge.sensitivity / cost.epsilon * log(1 / beta)
            ((vote, moved),) = self.thresholds(k, [ceil(friends * k * k - noise)], limit)  # (D2) (D3)
            if vote:
                yield Design(size, limit, Vote(*vote), moved, self.kind, budget, share)

    def _priced(
        self, k: int, size: int, friends: float, limit: float, budget: ApproxDP, beta: float
    ) -> Iterator[Design]:
        ramps = (counts(budget, JOINT[self.kind], share, beta) for share in RATIOS)
        tried = list(takewhile(lambda one: one[1], ramps))  # nor is there a T for less noise
        quorums = [ceil(friends * k * k) - 1 - 2 * (k - 1) * (most - 1) for _, most in tried]  # (D2)
        voted = zip(tried, self.thresholds(k, quorums, limit), strict=True)
        (ratio, most), (vote, moved) = max(voted, key=lambda one: one[0][0] / one[1][1], default=NONE)
        if vote:
            made = size, limit, Vote(*vote), moved, self.kind, budget, 1.0
            yield PricedDesign(*made, ratio=ratio, falls=(1.0,) * most, usual=most, silent=beta)

    def _falling(self, made: PricedDesign) -> PricedDesign:
        """Return step (D5): more counts, down to a lower quorum, and less noise."""
        k, limit, moved = made.vote.k, made.limit, made.vote.moved
        full = made.vote.quorum + (made.usual - 1) * moved
        tried = (ceil(longer * made.usual) for longer in LONGER)
        usual = next((one for one in tried if full - (one - 1) * moved >= LOW * k * k), made.usual)
        ((lower, apart),) = self.thresholds(k, [full - (usual - 1) * moved], limit)
        vote, distance = (Vote(*lower), apart) if lower else (made.vote, made.distance)
        levels = np.arange(vote.quorum, k * k, moved) / k**2
        distances = self.moves(k, np.array(vote.nobody / k), np.array(vote.everybody / k), levels, limit)
        falls = tuple((distances / distances[0]).tolist())
        start = made.narrowness * distance
        ratio = largest_ratio(made.budget, made.plan.mechanism, falls[:usual], made.silent, start)
        falling = replace(made, vote=vote, distance=distance, falls=falls, usual=usual, ratio=ratio)
        return max(falling, made, key=lambda one: one.narrowness)

    def thresholds(self, k: int, quorums: list[int], limit: float) -> Iterator[tuple[tuple[int, ...], float]]:
        """Yield the numbers and Δ of votes with each quorum: no numbers and infinity where there are none."""
        if not quorums:
            return
        quorums = [max(quorum, 0) for quorum in quorums]  # a tiny ε asks for numbers beyond 64 bits
        lowest, levels = k // 2 + 1, np.array([[quorum / k**2] for quorum in quorums])
        highest = np.array([[quorum // k - 1 if quorum < k * k else lowest] for quorum in quorums])
        ends = (lowest + np.arange(PARTS + 1) * ((highest - lowest) / PARTS)).astype(int)
        ends[:, -1:] = highest
        a, b = ends[:, LEFT], ends[:, RIGHT]
        with np.errstate(all="ignore"):  # of ends that are the same
            moved = np.where(a < b, self.moves(k, a / k, b / k, levels, limit), inf)  # (D3)
        best = np.arange(len(quorums)), np.argmin(moved, axis=1)
        numbers = zip(a[best].tolist(), b[best].tolist(), quorums, moved[best].tolist(), strict=True)
        for nobody, everybody, quorum, least in numbers:
            yield (k, nobody, everybody, quorum) if least < inf else (), least


NONE = ((0.0, 0), ((), inf))
PARTS = 29  # between the ends that are tried
LEFT, RIGHT = np.triu_indices(PARTS + 1, 1)


@remembered
def designed(designer: Designer, n: int, budget: ApproxDP, beta: float) -> Design:
    best = designer.best(n, budget, beta)
    if best is None:
        raise ArgumentError("n", n, f"at least {fewest_designed(designer, budget, beta)} at {budget}")
    return best


@remembered
def fewest_designed(designer: Designer, budget: ApproxDP, beta: float) -> int:
    return fewest(lambda n: designer.enough(n, budget, beta), designer.start, designer.within)
