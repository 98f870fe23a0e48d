"""A private mean of rows of which a fraction is corrupted, by a filter that looks at one row at a time.

Rows x of shape (n, d), every coordinate of the mean within `radius` of `centre`; an adversary replaces up to
`corruption` n rows as it likes. Neighbours: replace one row. In units of sigma, or of √upper, clean rows are

    RobustMean        normal, N(m, I)
    RobustHeavyMean   of covariance at most I and nothing else

A filter is a centre c, orthonormal columns V (d, q) and a cut ρ, functions of former releases. A row becomes
y, its offset from c shrunk to the ball of radius r, in whole numbers of a step; τ = |Vᵀy|²; it passes if
τ ≤ ρ. An absent row does not pass, and its score is not counted. No row's weight depends on another row,
where LKKO21's filter (`mean/prime`) remembers which rows it removed and needs a lemma. Every step is a
Gaussian mechanism whose cost is fixed beforehand:

    (1) c = centres of the fullest bins of every coordinate                    "range", sensitivity √(2d)
    (2) c += noisy mean of the rows shrunk to the ball of radius r₀ round c    "recentre", if it is of use
    (3) for each pass: count, sum and second moment N, s, A of the rows that pass          "moments i"
        nothing suspect and no V: to (5). N < .3 n: V is dropped, to (5)
        c += offset; V = its span with the suspect directions
    (4) counts of the scores of all rows in V; ρ is where the bad ones begin               "scores i"
        nothing suspect, or the last pass: to (5)
    (5) every step that is left asks for (N, s), the last one always; their mean, weighted with μ²
        out = c + offset of s/max(N, n/10)

A step that a run does not need asks for the mean instead, at the same cost and with as many numbers: neither
the draws nor the plan depend on the rows.

Releases are compared with clean rows; κ is the moment of normal rows kept within the cut (1 if nothing is
cut), k the clipped moment of the whole ball, m̄ = s/N, s_A the sd of the noise of an entry of A:

               RobustMean                                             RobustHeavyMean
    offset     m̄ + V Vᵀ m̄ (1/κ - 1): the cut shrinks it by κ          m̄
    suspect    eigenvectors of A/N - m̄ m̄ᵀ - k (I - (1 - κ) V Vᵀ)      of A/N - m̄ m̄ᵀ with a value above
               with a value above th(N) + (1 - κ)/4                   C + e, C = 1.1
               th(N) = 1.1 (2√d + 3) √(1/N + (s_A/N)²) + d/N          e = 2.2 √d s_A/n
    edges      quantiles of chi² with q degrees of freedom            q times 0, 1, 1.25, 1.25², .. up to r²
    cut        with E_l = (rows at or above edge l, less the n t_l    the largest edge below which the mean
               that are clean)/(1 - t_l), the bad rows there: the     score is at most C q, raised until at
               largest edge with E_l ≥ min(best E - 2 sd, α n), the   most 2 α n rows go; none if that is the
               search from outside ending where E reaches α n or      last one
               falls to less than half of a clear maximum

α n is the most that may be explained as bad: without this cap rows with lighter tails than the normal ones
are cut too deep. The shares of m = μ² are public, α the corruption, N₀(r) = 4r²d/(n²m) the squared error that
the noise of the sum costs with all of m:

    bins       of width 2; share so large that the fullest one        of width 4; it leads by .25 n
               is next to the mean if it leads by .43 n
    r, r₀      one clean row of n lies outside; r₀ = r + .6 √d        √(d/a), a = max(α, 2d/(nμ)) ≤ 1;
                                                                      r₀ = r + 1.5 √d
    recentre   so much that its noise is .1 in every direction,       .2, none where it would be .9
               none where it would be .45
    sum        .03                                                    .04
    scores     so much that the noise of a count is .03 α n; T = 2 passes if that is dear, 3 if not
    moment     what leaves .2 for the mean, .25 at most, and clean    what leaves .2 for the mean, .25 at most
               rows 8 % worse at most
    in use     where α r > .1 e₀ and th(n) ≤ .6 α r²,                 where e < .6 α r² and α n ≥ 1
               e₀² = d/n + N₀(r)/rest

Where the filter is not worth its price the whole budget goes to the plain mean: `filters` tells. No theorem
on its error is claimed; what keeps the covariance as it is cannot be seen. Proof: `proofs/robust_mean.md`.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import ceil, inf, log, sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from workbench.errors import ArgumentError, in_range
from workbench.estimators.base import OfUnit, in_columns, standard_radius
from workbench.estimators.shared.budgets import gaussian_total, step_budgets, steps_plan
from workbench.estimators.shared.moments import clipped_moment, kept_moment, radius_within
from workbench.estimators.shared.noisy_means import better_than, clean_error
from workbench.estimators.shared.rows import (
    added,
    blocks,
    in_ball,
    mean_sensitivity,
    only_present,
    present,
    total,
)
from workbench.estimators.weighted_moments import (
    MEAN,
    Costs,
    Sums,
    WholeSums,
    costs,
    grid,
    length,
    merged,
    moments_charge,
    release,
    released,
    summed,
)
from workbench.privacy import Budget, Charge, NoiseSource, Plan
from workbench.privacy.grid import Integers, OnGrid
from workbench.privacy.mechanisms import gaussian, gaussian_mu
from workbench.special import chdtri, ndtr
from workbench.types import Array, Counts, PerColumn, frozen, public, remembered

MOST_BINS = 5_000_000  # in all coordinates
LEAST_MEAN, MOST_MOMENT, DEARER = 0.2, 0.25, 1.08  # shares of μ²; of the error on clean rows
GAIN, SEEN = 0.1, 0.6  # the bias that counts, in units of e₀; the share of the largest excess that is seen
EMPTY, LEAST = 0.3, 0.1  # of n: below the first V is dropped; the least divisor
NEW = 0.3  # the least part of a suspect direction outside V that makes V larger
TAILS = (0.6, 0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01,
         5e-3, 2e-3, 1e-3, 1e-4, 1e-5, 1e-7)  # fmt: skip
SLACK = 0.25  # of the threshold where a cut is in force: rows that are not normal are cut otherwise
CLEAR = 3.0  # sd above 0 that a maximum needs to end the search
BOUND, RATIO, LEAST_COUNTED = 1.1, 1.25, 0.3  # C; of edges; of n, the least divisor of a mean score


@frozen
class Rows:
    """The rows x in a frame: (x - origin)/unit is what filters see."""

    x: Array
    origin: float | Array
    unit: float

    def whole(self, block: slice, centre: Array, radius: float) -> Array:
        """Return rows round a centre, shrunk to a ball: whole numbers, in steps of `grid`."""
        apart = self.x[block] - (self.origin + self.unit * centre)
        if self.unit != 1:
            apart /= self.unit
        return in_ball(apart, radius, grid(radius))


@frozen
class RowFilter:
    """A centre, a basis and a cut; every row that is there passes where the basis has no columns."""

    centre: Array
    basis: Array
    cut: float = inf

    @property
    def rank(self) -> int:  # q
        return int(self.basis.shape[1])

    def scores(self, whole: Array, radius: float) -> Array:  # τ of rows of whole numbers
        seen = whole @ (grid(radius) * self.basis)
        return np.einsum("ij,ij->i", seen, seen)

    def sums(self, rows: Rows, radius: float, square: bool) -> WholeSums:
        """Return count, sum and, if wanted, second moment of the rows that pass."""

        def members(block: slice) -> tuple[Array, int]:
            whole = rows.whole(block, self.centre, radius)
            passes = present(rows.x[block])
            if self.rank:
                passes &= self.scores(whole, radius) <= self.cut
            whole[~passes] = 0.0  # a row that does not count is a zero row, and keeps its place in the sum
            return whole, int(passes.sum())

        n, d = rows.x.shape
        return summed(n, d, members, grid(radius), square)

    def histogram(self, rows: Rows, radius: float, edges: Array) -> Counts:
        """Return how many scores lie in [e_l, e_{l+1}), the last one open; those below e_0 in none."""

        def part(block: slice) -> NDArray[np.intp]:
            scores = self.scores(rows.whole(block, self.centre, radius), radius)
            places = np.searchsorted(edges, scores[present(rows.x[block])], side="right")
            return np.bincount(places, minlength=len(edges) + 1)

        n, d = rows.x.shape
        return total(n, d, part)[1:]


def coordinate_counts(x: Array, centre: float | Array, width: float, bins: int) -> Integers:
    """Return the counts of step (1), shape (d, bins): bins symmetric about the centre, the end ones open."""
    d = x.shape[1]
    low, found, first = centre - width * bins / 2, np.zeros(d * bins, np.intp), bins * np.arange(d)
    for block in blocks(*x.shape):
        place = (only_present(x[block]) - low) / width
        np.clip(place, 0, bins - 1, out=place)
        keys = place.astype(np.intp)
        keys += first
        found += np.bincount(keys.ravel(), minlength=len(found))
    return found.reshape(d, bins)


@frozen
class Shares:
    """Shares of μ²: range, recentring, and for every pass sum, moment and scores; the rest is the mean's."""

    range: float
    recentre: float
    sum: float = 0.0
    moment: float = 0.0
    scores: float = 0.0
    passes: int = 0

    @property
    def weights(self) -> dict[str, float]:  # of every step, in the order of the run
        found = {"range": self.range, "recentre": self.recentre} if self.recentre else {"range": self.range}
        for number in range(1, self.passes + 1):
            found |= {f"moments {number}": self.sum + self.moment, f"scores {number}": self.scores}
        return found | {"mean": 1 - sum(found.values())}


@frozen
class Steps:
    """The public numbers of a run, in standard units, and the run, where clean rows are N(m, I)."""

    n: int
    d: int
    corruption: float
    mu: float
    modes: int  # bins of a coordinate
    radius: float
    wide: float
    shares: Shares

    WIDTH = 2.0  # of the bins
    MARGIN = 2.0  # of the bins, beyond the radius
    LEAD = 0.43  # of the fullest bin, over n
    OFFSET = 0.6  # of a bin's centre in every coordinate
    AIM = 0.1  # the noise of recentring
    NEVER = 0.45  # the noise with which it is of no use
    SUM = 0.03

    @cached_property
    def bins(self) -> int:
        return len(self.edges(1))

    @cached_property
    def prices(self) -> Costs:
        return costs(self.shares.sum, self.shares.moment)

    @property
    def moment_noise(self) -> float:  # the sd of an entry of A off the diagonal
        mu = sqrt(self.shares.sum + self.shares.moment) * self.mu
        return self.radius**2 / (self.prices.square * mu)

    def plan(self, budget: Budget) -> Plan:
        """Return one charge for each step; those of the loop are whitened, of sensitivity 1."""
        weights = self.shares.weights
        each = dict(zip(weights, step_budgets(budget, tuple(weights.values())), strict=True))
        charges = [Charge("range", "gaussian", sqrt(2 * self.d), each.pop("range"))]
        if "recentre" in each:
            size = mean_sensitivity(self.n, self.wide)
            charges.append(Charge("recentre", "gaussian", size, each.pop("recentre")))
        charges += [moments_charge(step, cost) for step, cost in each.items()]
        return steps_plan(budget, charges)

    def run(self, rows: Rows, plan: Plan, noise: NoiseSource) -> Array:
        first, *charges = plan.charges()
        counts = coordinate_counts(rows.x, rows.origin, rows.unit * self.WIDTH, self.modes)
        fullest = gaussian(counts, first, noise).argmax(axis=1)  # (1)
        centre = self.WIDTH * (fullest + 0.5 - self.modes / 2)
        if self.shares.recentre:
            start = centre
            found = total(self.n, self.d, lambda block: added(rows.whole(block, start, self.wide)))
            centre = start + gaussian(OnGrid(found, grid(self.wide)) / self.n, charges.pop(0), noise)  # (2)
        return self.filtered(rows, centre, charges, noise)

    def filtered(self, rows: Rows, centre: Array, charges: Sequence[Charge], noise: NoiseSource) -> Array:
        """Return steps (3) to (5) from a centre; rotations and shifts of rows and centre move it along."""
        left = list(charges)
        state, copies, exact = self.passed(rows, centre, left, noise)
        alone = (exact or state.sums(rows, self.radius, square=False)).alone
        copies += [(self.released(alone, MEAN, charge, noise), MEAN, charge.cost) for charge in left]  # (5)
        sums = merged(copies)
        return state.centre + self.moved(state, sums if state.rank else replace(sums, count=float(self.n)))

    def passed(
        self, rows: Rows, centre: Array, left: list[Charge], noise: NoiseSource
    ) -> tuple[RowFilter, list[tuple[Sums, Costs, Budget]], WholeSums | None]:
        # the last filter, and the sums of its rows if a pass had them; charges that are used go from `left`
        state = RowFilter(centre, np.zeros((self.d, 0)))
        while len(left) > 1:
            charge = left.pop(0)
            exact = state.sums(rows, self.radius, square=True)
            sums = self.released(exact, self.prices, charge, noise)  # (3)
            if not state.rank:
                sums = replace(sums, count=float(self.n))
            if sums.count < EMPTY * self.n:
                return RowFilter(state.centre, state.basis[:, :0]), [], None
            suspects = self.suspects(state, sums)
            clean = not suspects.shape[1]
            if clean and not state.rank:
                return state, [(sums, self.prices, charge.cost)], exact
            beyond = suspects - state.basis @ (state.basis.T @ suspects)
            found, sizes, _ = np.linalg.svd(beyond, full_matrices=False)
            basis = np.hstack([state.basis, found[:, sizes > NEW]])
            state = RowFilter(state.centre + self.moved(state, sums), basis, state.cut)
            counts = OnGrid(state.histogram(rows, self.radius, self.edges(state.rank)), 1 / sqrt(2))
            drawn = max(self.bins, length(self.d, square=False))
            noisy = released(counts, left.pop(0), noise, drawn) * sqrt(2)  # (4)
            state = replace(state, cut=self.cut(state.rank, noisy))
            if clean:
                break
        return state, [], None

    def released(self, exact: WholeSums, prices: Costs, charge: Charge, noise: NoiseSource) -> Sums:
        # with as many numbers as the step has, whatever it asks
        drawn = length(self.d) if charge.step.startswith("moments") else self.d + 1
        if charge.step.startswith("scores"):
            drawn = max(self.bins, drawn)
        return release(exact, self.radius, prices, charge, noise, drawn)

    def moved(self, state: RowFilter, sums: Sums) -> Array:
        offset = self.offset(state, sums.total / max(sums.count, LEAST * self.n))
        return offset * min(1.0, self.radius / max(float(np.linalg.norm(offset)), 1e-300))

    def predicted_error(self, plan: Plan) -> float:
        recentred = bool(self.shares.recentre)
        counts, *rest = (gaussian_mu(charge.cost) for charge in plan.charges())
        apart = mean_sensitivity(self.n, self.wide) / rest[0] if recentred else self.WIDTH / sqrt(12)
        rest = rest[recentred:]
        rest[0] *= self.prices.total if self.shares.passes else 1.0
        return clean_error(
            n=self.n,
            d=self.d,
            ahead=self.n * float(ndtr(self.WIDTH) - 0.5) * counts / sqrt(2 * self.d),
            bins=self.modes,
            apart=sqrt(self.d) * apart,
            radius=self.radius,
            noise=mean_sensitivity(self.n, self.radius) / sqrt(sum(mu**2 for mu in rest)),
        )

    # What clean rows are

    @staticmethod
    def ball(n: int, d: int, corruption: float, mu: float) -> float:
        return radius_within(d, 1 / n)

    def affordable(self, rest: float) -> float:  # of μ², for a second moment; 0 without a filter
        n, d, sd = self.n, self.d, 2 * self.radius / (self.n * self.mu)
        noise = d * sd * sd
        error = d / n + noise / rest
        if self.corruption * self.radius <= GAIN * sqrt(error):
            return 0.0
        return rest - noise / (DEARER**2 * error - d / n)

    @property
    def sees(self) -> bool:  # whether what may be corrupted stands out of what a pass asks
        return self.threshold(self.n) <= SEEN * self.corruption * self.radius**2

    def threshold(self, count: float) -> float:
        """Return th(N): what the largest eigenvalue of the excess of clean rows stays below."""
        noise = sqrt(1 / count + (self.moment_noise / count) ** 2)
        return 1.1 * (2 * sqrt(self.d) + 3) * noise + self.d / count

    def offset(self, state: RowFilter, mean: Array) -> Array:  # of the centre, from a mean of what passes
        basis, kappa = state.basis, kept_moment(state.rank, state.cut)
        return mean + basis @ (basis.T @ mean) * (1 / kappa - 1)

    def suspects(self, state: RowFilter, sums: Sums) -> Array:  # directions, as columns
        assert sums.square is not None
        basis, kappa = state.basis, kept_moment(state.rank, state.cut)
        mean, clean = sums.total / sums.count, clipped_moment(self.d, self.radius)
        expected = clean * (np.eye(self.d) - (1 - kappa) * basis @ basis.T)
        values, vectors = np.linalg.eigh(sums.square / sums.count - np.outer(mean, mean) - expected)
        return vectors[:, values > self.threshold(sums.count) + SLACK * (1 - kappa)]

    def edges(self, rank: int) -> Array:  # of the scores that are counted, rising
        return chdtri(rank, np.array(TAILS))

    def cut(self, rank: int, counts: Array) -> float:  # from noisy counts between the edges
        n, tails, most = self.n, np.array(TAILS), self.corruption * self.n
        above = counts[::-1].cumsum()[::-1]
        excess = (above - n * tails) / (1 - tails)
        count_noise = sqrt(2 / self.shares.scores) / self.mu
        sd = count_noise * np.sqrt(np.arange(len(tails), 0, -1)) / (1 - tails)
        best = len(excess) - 1
        for place in reversed(range(len(excess))):  # to the outermost peak
            if excess[place] > excess[best]:
                best = place
            clear = excess[best] > CLEAR * sd[best]
            if excess[best] >= most or (clear and excess[place] < excess[best] / 2 - 2 * sd[place]):
                break
        least = min(excess[best] - 2 * sd[best], most)
        return float(self.edges(rank)[np.flatnonzero(excess >= least)[-1]])


@frozen
class BoundedSteps(Steps):
    """Clean rows have a covariance of at most I."""

    WIDTH, MARGIN, LEAD, OFFSET, AIM, NEVER, SUM = 4.0, 4.0, 0.25, 1.5, 0.2, 0.9, 0.04

    @staticmethod
    def ball(n: int, d: int, corruption: float, mu: float) -> float:
        return sqrt(d / min(max(corruption, 2 * d / (n * mu)), 1.0))

    def affordable(self, rest: float) -> float:
        return inf if self.corruption * self.n >= 1 else 0.0

    @property
    def sees(self) -> bool:
        return self.allowance < SEEN * self.corruption * self.radius**2

    @property
    def allowance(self) -> float:  # e
        return 2.2 * sqrt(self.d) * self.moment_noise / self.n

    @cached_property
    def unit_edges(self) -> Array:
        powers = ceil(log(self.radius**2) / log(RATIO)) if self.radius > 1 else 0
        return np.array([0.0, *(RATIO**power for power in range(powers + 1))])

    def offset(self, state: RowFilter, mean: Array) -> Array:
        return mean

    def suspects(self, state: RowFilter, sums: Sums) -> Array:
        assert sums.square is not None
        mean = sums.total / sums.count
        values, vectors = np.linalg.eigh(sums.square / sums.count - np.outer(mean, mean))
        return vectors[:, values > BOUND + self.allowance]

    def edges(self, rank: int) -> Array:
        return rank * self.unit_edges

    def cut(self, rank: int, counts: Array) -> float:
        n, edges = self.n, self.unit_edges
        middles = (edges + np.append(edges[1:], RATIO * edges[-1])) / 2
        below, above = counts.cumsum(), counts.sum() - counts.cumsum()
        bounded = (counts * middles).cumsum() <= BOUND * np.maximum(below, LEAST_COUNTED * n)
        allowed = above <= 2 * self.corruption * n
        last = max(np.flatnonzero(bounded)[-1:].sum(), np.flatnonzero(allowed)[0])
        return rank * float(edges[last + 1]) if last + 1 < len(edges) else inf


def share(ratio: float, low: float, high: float) -> float:
    """Return the share of μ² that the part `ratio` of μ is, moved to the nearer end of [low, high]."""
    return min(max(min(ratio, 1.0) ** 2, low), high)


@remembered
def designed(kind: type[Steps], n: int, d: int, corruption: float, reach: float, mu: float) -> Steps:
    bins, radius = ceil(2 * (reach + kind.MARGIN) / kind.WIDTH), kind.ball(n, d, corruption, mu)
    if bins * d > MOST_BINS:
        raise ArgumentError("radius", reach, f"at most {MOST_BINS} bins in all coordinates")
    # a difference of two counts has less noise than LEAD n, but for a probability of 1e-3
    lead = (sqrt(2 * log(bins * d)) + 3) * sqrt(2) * sqrt(2 * d) / (kind.LEAD * n)
    wide = radius + kind.OFFSET * sqrt(d)
    noise = 2 * wide / (n * mu)
    recentre = share(noise / kind.AIM, 0.005, 0.08)
    if noise > kind.NEVER * sqrt(recentre):
        recentre = 0.0
    shares = Shares(share(lead / mu, 0.005, 0.15), recentre)
    plain = kind(n, d, corruption, mu, bins, radius, wide, shares)
    rest = 1 - shares.range - recentre
    if (affordable := plain.affordable(rest)) <= 0:
        return plain
    scores = share(4 / (0.08 * corruption * n * mu), 0.01, 0.12)  # of one pass
    passes = 2 if scores > 0.05 else 3
    moment = min(affordable, (rest - LEAST_MEAN) / passes - kind.SUM - scores, MOST_MOMENT)
    shares = replace(shares, sum=kind.SUM, moment=moment, scores=scores, passes=passes)
    filtering = replace(plain, shares=shares)
    return filtering if moment > 0 and filtering.sees else plain  # where the filter is not worth its price


@public
class _Robust(OfUnit[Array]):
    radius: float
    corruption: float = 0.05
    centre: PerColumn = 0.0

    KIND: ClassVar[type[Steps]]
    MOST: ClassVar[float]  # of the rows: beyond it the fullest bin may be the adversary's

    def _validate(self) -> None:
        standard_radius(self.radius, self.unit)
        in_range(0, self.MOST, corruption=self.corruption)
        in_range(0, 1e300, sigma=self.unit)  # cells are several units wide

    def steps(self, n: int, d: int, budget: Budget) -> Steps:
        reach = self.radius / self.unit
        return designed(self.KIND, n, d, self.corruption, reach, gaussian_total(budget))  # type: ignore[arg-type]

    def filters(self, n: int, d: int, budget: Budget) -> bool:
        """Return whether the filter is in use, or not worth its price; public."""
        return self.steps(n, d, budget).shares.passes > 0

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        return self.steps(n, d, budget).plan(budget)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array:
        n, d = x.shape
        middle = in_columns(self.centre, d)
        steps, rows = self.steps(n, d, budget), Rows(x, middle, self.unit)
        return middle + self.unit * steps.run(rows, self.plan(n, d, budget), noise)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean|/unit for clean normal rows; infinite from √d radius/unit on.

        Corrupted rows come on top.
        """
        expected = self.steps(n, d, budget).predicted_error(self.plan(n, d, budget))
        return better_than(sqrt(d) * self.radius / self.unit, expected)


@public
class RobustMean(_Robust):
    """Private mean of partly corrupted normal rows, by a filter of single rows (ours, beyond LKKO21).

    Accurate for normal rows of standard deviation `sigma` in every direction with every coordinate of the
    mean within `radius` of `centre`, a share `corruption` of them anything.
    All else as of `PrimeMean`; an absent row passes no filter, and where none is needed the mean shrinks by
    the share that is absent towards a private place near it.

    Parameters
    ----------
    corruption : float, default 0.05
        Share of the rows that may be anything. At most 0.2.

    Examples
    --------
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=(5000, 4))
    >>> x[:250] += 3.0
    >>> estimator = RobustMean(radius=10.0, sigma=1.0)
    >>> release = estimator(x, budget=ApproxDP(2.0, 1e-6), rng=np.random.default_rng(2))
    >>> bool(np.linalg.norm(release.value - 3.0) < 0.1 < np.linalg.norm(x.mean(axis=0) - 3.0))
    True
    """

    sigma: float
    KIND = Steps
    MOST = 0.2


@public
class RobustHeavyMean(_Robust):
    """Private mean of partly corrupted heavy-tailed rows, by a filter of single rows (ours, beyond LKKO21).

    Accurate for rows of covariance at most `upper` times the identity with every coordinate of the mean
    within `radius` of `centre`, a share `corruption` of them, at most 0.125, anything. All else as of
    `RobustMean`.

    Parameters
    ----------
    upper : float
        The covariance is at most this times the identity, in the square of the data's unit.
    """

    upper: float
    KIND = BoundedSteps
    MOST = 0.125
