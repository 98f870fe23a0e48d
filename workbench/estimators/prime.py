"""A private mean that corrupted rows cannot move far: filters.  LKKO21 Algorithms 1, 3, 6 to 13, 15 to 17.

Rows x of shape (n, d), mean within `radius` of `centre` in every coordinate; a share a = `corruption` of them
is anything. Neighbours: replace one row. Corrupted rows that move the mean widen the rows in some direction:
rows are scored by how far they lie in wide directions, and the highest scores are removed. A row y of the
data is (y - centre)/unit in standard units, and there the clean rows are

    entry          clean rows                 U                              rows that may go    λ may be
    FilterMean     Σ = sigma² I, light tails  the top eigenvector            2 a n a pass        C a ln 1/a
    PrimeMean      Σ = sigma² I, light tails  exp(b F/λ)/trace: all wide     2 a n a pass        C a ln 1/a
    PrimeHeavyMean Σ ≤ upper I                directions at once             all                 C

b = max(4, 2 ln(d + 1)). "tight", ours: one release answers all questions of a pass, every step is Gaussian,
and what is not spent goes to the mean.

    (1) c = centres of the fullest bins of a noisy histogram of every coordinate            sensitivity √(2d)
    (2) c = c + the noisy mean of the rows within r₀ of c                                              2 r₀/n
    (3) y = x - c shrunk to the ball of radius r, in whole numbers of a step; S = all rows that are there
    (4) N, s, A = count, sum and second moment of S with noise (`weighted_moments`); m = s/N,
        F = A/N - m mᵀ, less I for light tails; λ = λ_max(F)
    (5) λ at most its level, or N < n/2: S is what it will be, go to (8)
    (6) τ_i = (y_i - m)ᵀ U (y_i - m), Ψ = ⟨F, U⟩, T = the rows of S of largest τ that may go; ties: larger
        first coordinate, then larger second, ..., then number
    (7) h_j = how many τ_i of T lie in [2^{j-3}, 2^{j-2}), smaller and larger ones at the ends, with noise;
        one row of T gives way to another: sensitivity √2. ρ = 2^{l-3} for the largest l with
        Σ_{j ≥ l} (2^{j-3} - 2^{l-3}) h_j/n ≥ .31 Ψ; 1/4 if there is none. S = S without {i in T : τ_i ≥ ρ};
        to (4)
    (8) every step of a pass that is not taken any more, and the last one: N, s of S with noise
    (9) out = c + s/max(N, n/10), in the ball, from all N and s of the last S

Radii, for q that holds clean rows round their mean (β the chance that one is beyond it):

    light tails     bins of 2, q = tail(d, β/n), r₀ = q + .6 √d, r = q + a r₀
    bounded Σ       bins of 4, q = √(d/a),       r₀ = q + 1.5 √d, r = q

λ may also be what noise and sampling make of a clean one, ν = 1.1 (2√d + 3) √(1/n + (g/n)²) + d/n with g the
sd of the entries of A: (5) asks for max(C a ln 1/a, ν), or C + ν. C = 1 (1.1 for bounded Σ) is chosen here: a
cluster that stays below it moves the mean by at most a √(ln 1/a)/√(1 - a). Shares of μ²: 5 % for (1), 5 % for
(2), 80 % for the passes, a tenth of it for scores, 10 % for (8). ρ is not shrunk at random, Z = 1.

Neighbours stay neighbours: if their sets S differ in at most one row on either side, so do the sets that are
left (LKKO21 Lemmas 2.2 and F.1). That needs one total order and one threshold for all rows. The constants of
(7) (Algorithm 11, Lemma E.1) are recalled.

"paper": the source's queries one by one (Algorithms 8, 10 and 16), constants as far as they are recalled. D =
the diameter of a box (light tails) or ball (bounded Σ) round a private centre, to which rows are clipped; M =
(1/n) Σ_S (y - ȳ)(y - ȳ)ᵀ, λ = |M - base I|. T₁ = ⌊ln D⌋ epochs of T₂ = `passes` rounds, ⌊ln d⌋ if None:

    (P1) for s = 1 .. T₁: λ_s and |S| with noise; |S| ≤ 3n/4: no answer; λ_s at most the level: S is final
    (P2)     for t = 1 .. T₂: λ_t with noise, at most λ_s/2: next s
    (P3)         Σ_t = M with noise, U = exp(η Σ_{r ≤ t} (Σ_r - base I))/trace, η = 1/(100 (.1/C + 1.01) λ_s)
    (P4)         Ψ = ⟨M - base I, U⟩ with noise, at most λ_t/5.5: next t
    (P5)         m = the mean of S with noise, inside the set; τ_i = (y_i - m)ᵀ U (y_i - m)
    (P6)         ρ as in (7), of (1/n) Σ_S (τ_i - base) with noise in place of Ψ, Z uniform on [0, 1];
                 S = S without {i in T : τ_i ≥ ρ Z}
    (P7) out = the mean of S with noise

By one direction (Algorithm 8): |S|, m, λ and M with noise for t = 1 .. T, τ_i = ⟨v, y_i - m⟩² for the top
eigenvector v, and S = S without {i in T : τ_i ≥ D² Z}. A query that the run does not need any more is drawn
on zeros, so that which noise is drawn does not depend on the rows. Where the epochs end without an answer,
the source gives none; the mean of (P7) is paid for, and is given.

1 % of (ε, δ) is for the range; of the rest, (P1) and (P7) cost ε/(2(2T₁ + 1)) and δ/2 each, the T₁T₂ rounds
ε₂ = min(.9, ε)/(4√(10 T₁T₂ ln 4/δ)) and δ/(20 T₁T₂), by directions min(.9, ε)/(2√(8T ln 2/δ)) and δ/(8T).
Departures, because what is recalled of the source would not be private: one access more for the last mean;
sums round a fixed centre, with a noisy size, in place of means; every Gaussian noise is the analytic one;
the centre of a ball is that of a "tight" `BallRange`, of all rows at once, not of parts of them.

`splits` = k: on k disjoint parts of the rows, part p being p, p + k, .., each at the whole budget; out = the
answer of least median distance to all (LKKO21 Remark 1). Proof: `proofs/prime.md`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, inf, log, log2, sqrt

import numpy as np
from numpy.typing import NDArray

from workbench.errors import ArgumentError, few, in_range, integer_at_least, positive
from workbench.estimators.base import Abstention, OfUnit, in_columns, record, standardised
from workbench.estimators.histograms import BALL_WIDTH, BOX_WIDTH, StableCentres, ball_reach, box_reach
from workbench.estimators.shared.budgets import step_budgets, steps_plan
from workbench.estimators.shared.noisy_means import better_than, clean_error
from workbench.estimators.shared.rows import (
    NEAREST,
    blocks,
    in_ball,
    in_box,
    mean_in_ball,
    mean_sensitivity,
    only_present,
    present,
)
from workbench.estimators.weighted_moments import (
    MEAN,
    Costs,
    Sums,
    WholeSums,
    costs,
    counted_sums,
    grid,
    length,
    merged,
    moments_charge,
    release,
    released,
)
from workbench.linalg import norms, symmetrised, tail
from workbench.privacy import (
    ApproxDP,
    Budget,
    Charge,
    Converted,
    Interleaved,
    NoiseSource,
    Parallel,
    Plan,
    PureDP,
    Sequential,
)
from workbench.privacy.grid import OnGrid, rounded, step_of
from workbench.privacy.mechanisms import additive, gaussian, gaussian_mu, symmetric_gaussian
from workbench.privacy.plan import renamed
from workbench.special import ndtr
from workbench.types import Array, Calibration, Floats, Mask, PerColumn, frozen, public

RANGE, CENTRE, PASSES, SCORES, MEAN_SHARE = 0.05, 0.05, 0.8, 0.1, 0.1  # of μ²
PRICES = costs(0.1, 1.0)  # of N, s and A in (4)
MOST_PASSES = 1000  # each has two charges
FEWEST = 0.1  # of n: no mean is divided by less
WIDEST = 1e4  # radius in standard units: a finite histogram has as many bins for every coordinate
COUNTS_MOVE = sqrt(2)  # the sensitivity of (7)
REMOVED, LOWEST = 0.31, 0.25  # of Ψ; the first edge of (7)
PAPER_RANGE, PAPER_CAP, PAPER_COUNTS = 0.01, 0.9, 2.0
PAPER_ENOUGH = 0.75  # of n: with fewer rows left there is no answer
BITS = 30  # of D², of a score, and of an entry of U


@frozen
class Score:
    """τ_i = |Bᵀ(g y_i - m)|² for a centre m of shape (d,) and a root B of shape (d, q) of U = B Bᵀ.

    The rows y are of whole numbers, in steps of g.
    """

    centre: Array
    root: Array
    step: float = 1.0

    def of(self, y: Array) -> Array:
        """Return τ of every row, whether it is left or not: no row's bits depend on which others are."""
        tau, shift, root = np.empty(len(y)), self.centre @ self.root, self.step * self.root
        for block in blocks(*y.shape):
            along = y[block] @ root
            along -= shift
            tau[block] = np.einsum("ij,ij->i", along, along)
        return tau


def tail_set(tau: Array, kept: Mask, k: int | None, y: Array) -> Mask:
    """Return which rows are in T of (6); all that are left for k = None or where no more than k are."""
    left = np.flatnonzero(kept)
    if k is None or len(left) <= k:
        return kept.copy()
    tail = np.zeros(len(tau), bool)
    if k == 0:
        return tail
    scores = tau[left]
    level = np.partition(scores, len(scores) - k)[len(scores) - k]
    above, tied = left[scores > level], left[scores == level]
    if len(tied) > 1:
        tied = tied[np.lexsort(-y[tied].T[::-1])]
    tail[above] = tail[tied[: k - len(above)]] = True
    return tail


def left_after(tau: Array, kept: Mask, tail: Mask, threshold: float) -> Mask:
    return kept & ~(tail & (tau >= threshold))


def edges(largest: float) -> Array:
    """Return the lower edges of the bins, 1/4, 1/2, 1, .. for scores up to `largest`."""
    return np.asarray(LOWEST * 2.0 ** np.arange(max(1, 2 + ceil(log2(largest)))))


def score_counts(tau: Array, members: Mask, largest: float) -> NDArray[np.intp]:
    lower = edges(largest)
    bins = np.searchsorted(lower, tau[members], side="right") - 1
    return np.bincount(np.maximum(bins, 0), minlength=len(lower))


def threshold(counts: Array, n: int, psi: float) -> float:
    """Return ρ of (7), from noisy counts and a noisy Ψ."""
    lower = LOWEST * 2.0 ** np.arange(len(counts))
    mass, moment = np.cumsum(counts[::-1])[::-1], np.cumsum((counts * lower)[::-1])[::-1]
    enough = np.flatnonzero((moment - lower * mass) / n >= REMOVED * psi)
    return float(lower[enough[-1]]) if len(enough) else LOWEST


@frozen
class Filter:
    """Steps (1) to (9) of an entry for n rows of dimension d."""

    of: "Filtered"
    n: int
    d: int

    @cached_property
    def width(self) -> float:
        return 4.0 if self.of.heavy else 2.0

    @cached_property
    def bins(self) -> int:
        return 2 * ceil(self.of.radius / self.of.unit / self.width + 1)

    @cached_property
    def radii(self) -> tuple[float, float]:  # r₀ and r
        a, root = self.of.corruption, sqrt(self.d)
        if self.of.heavy:
            q = sqrt(self.d / a)
            return q + 1.5 * root, q
        q = tail(self.d, self.of.beta / self.n)
        return q + 0.6 * root, q + a * (q + 0.6 * root)

    @cached_property
    def most(self) -> int | None:  # rows that a pass may remove; None: any number
        return None if self.of.heavy else ceil(2 * self.of.corruption * self.n)

    @cached_property
    def largest(self) -> float:  # score: centre and row are in the ball
        return 4 * self.radii[1] ** 2 * (1 + 1e-9)

    @property
    def shares(self) -> Floats:
        passes = self.of.passes or 8
        one = PASSES / passes
        return (RANGE, CENTRE, *((1 - SCORES) * one, SCORES * one) * passes, MEAN_SHARE)

    def threshold(self, cost: Budget) -> float:  # the λ of (5), if (4) has this cost
        sd = self.radii[1] ** 2 / (PRICES.square * gaussian_mu(cost))
        noise = 1.1 * (2 * sqrt(self.d) + 3) * sqrt(1 / self.n + (sd / self.n) ** 2) + self.d / self.n
        return self.of.allowed + noise if self.of.heavy else max(self.of.allowed, noise)

    def plan(self, budget: Budget) -> Plan:
        first, second, *passes, last = step_budgets(budget, self.shares)
        charges = [
            Charge("range", "gaussian", sqrt(2 * self.d), first),
            Charge("recentre", "gaussian", mean_sensitivity(self.n, self.radii[0]), second),
        ]
        for t, (look, cut) in enumerate(zip(passes[::2], passes[1::2], strict=True), start=1):
            charges += moments_charge(f"moments {t}", look), Charge(f"scores {t}", "gaussian", 1.0, cut)
        return steps_plan(budget, [*charges, moments_charge("mean", last)])

    def run(self, x: Array, plan: Plan, noise: NoiseSource) -> Array:
        charges = list(plan.charges())
        c: Array = self.coarse_centre(x, charges[0], noise)  # (1)
        c = c + gaussian(mean_in_ball(x, lambda rows: rows - c, self.radii[0]), charges[1], noise)  # (2)
        y = self.rows_within(x, c)  # (3)
        releases = list(self.passed(y, present(x), charges[2:], noise))
        return c + self.mean_of(merged(releases))  # (9)

    def coarse_centre(self, x: Array, charge: Charge, noise: NoiseSource) -> Array:
        half, counts = self.bins // 2, np.zeros((self.d, self.bins), np.int64)
        for block in blocks(*x.shape):
            places = np.clip(np.floor(only_present(x[block]) / self.width), -half, half - 1).astype(np.int64)
            places += half + np.arange(self.d) * self.bins
            counts += np.bincount(places.ravel(), minlength=counts.size).reshape(counts.shape)
        return (np.argmax(gaussian(counts, charge, noise), axis=1) - half + 0.5) * self.width

    def rows_within(self, x: Array, c: Array) -> Array:
        y = np.empty_like(x)
        for block in blocks(*x.shape):
            y[block] = in_ball(x[block] - c, self.radii[1], grid(self.radii[1]))
        return y

    def passed(
        self, y: Array, kept: Mask, charges: Sequence[Charge], noise: NoiseSource
    ) -> Iterator[tuple[Sums, Costs, Budget]]:
        """Yield all N and s of the rows that are left in the end, with their prices and costs."""
        n, r, done = self.n, self.radii[1], self.most == 0
        drawn = length(self.d), self.counts_drawn  # of (4) and (7)
        sums = counted_sums(y, kept, grid(r))
        for turn, charge in enumerate(charges):
            last, looks = turn == len(charges) - 1, turn % 2 == 0
            if done or last:
                size = 0 if last else drawn[turn % 2]
                yield release(sums.alone, r, MEAN, charge, noise, size), MEAN, charge.cost  # (8)
            elif looks:
                noisy = release(sums, r, PRICES, charge, noise)  # (4)
                score, psi, top = self.judged(noisy)  # (6)
                done = noisy.count < n / 2 or top <= self.threshold(charge.cost)  # (5)
                if done:
                    yield noisy, PRICES, charge.cost
                record(excess=top, left=int(kept.sum()), score=score)
            else:
                tau, members, _, cut = self.removal(y, kept, score, psi, charge, noise)  # (7)
                kept = left_after(tau, kept, members, cut)
                record(kept=kept)
                sums = counted_sums(y, kept, grid(r))

    @cached_property
    def counts_drawn(self) -> int:
        # of (7), as many at least as a sum in its place draws
        return max(len(edges(self.largest)), length(self.d, square=False))

    def removal(
        self, y: Array, kept: Mask, score: Score, psi: float, charge: Charge, noise: NoiseSource
    ) -> tuple[Array, Mask, Array, float]:
        """Return τ of all rows, T, its noisy counts and ρ."""
        tau = score.of(y)
        members = tail_set(tau, kept, self.most, y)
        counts = OnGrid(score_counts(tau, members, self.largest), 1 / COUNTS_MOVE)
        noisy = released(counts, charge, noise, self.counts_drawn) * COUNTS_MOVE
        return tau, members, noisy, threshold(noisy, self.n, psi)

    def judged(self, sums: Sums) -> tuple[Score, float, float]:  # τ, Ψ and λ, of what was released
        m, square = self.mean_of(sums), np.zeros((self.d, self.d)) if sums.square is None else sums.square
        f = square / max(sums.count, FEWEST * self.n) - np.multiply.outer(m, m)
        values, basis = np.linalg.eigh(f - (0.0 if self.of.heavy else 1.0) * np.eye(self.d))
        weights = weighed(values, inf if self.of.top else max(4.0, 2 * log(self.d + 1)))
        score = Score(m, basis * np.sqrt(weights), grid(self.radii[1]))
        return score, float(weights @ values), float(values[-1])

    def mean_of(self, sums: Sums) -> Array:  # in the ball
        mean = sums.total / max(sums.count, FEWEST * self.n)
        length = max(float(norms(mean[None])[0]), np.finfo(float).tiny)
        return mean * min(1.0, self.radii[1] / length)

    def predicted_error(self, plan: Plan) -> float:
        counts, centre, first, *rest = (gaussian_mu(charge.cost) for charge in plan.charges())
        first *= PRICES.total if self.most != 0 else 1.0
        return clean_error(
            n=self.n,
            d=self.d,
            ahead=self.n * float(ndtr(self.width) - 0.5) * counts / sqrt(2 * self.d),
            bins=self.bins,
            apart=sqrt(self.d) * mean_sensitivity(self.n, self.radii[0]) / centre,
            radius=self.radii[1],
            noise=mean_sensitivity(self.n, self.radii[1]) / sqrt(first**2 + sum(mu**2 for mu in rest)),
        )


def weighed(values: Array, sharpness: float) -> Array:
    """Return the eigenvalues of U: exp(β λ_j/λ) scaled to sum 1, all of it on the last for β = ∞ or λ ≤ 0."""
    if not (np.isfinite(sharpness) and values[-1] > 0):
        return np.eye(len(values))[-1]
    powers = np.exp(sharpness * (values / values[-1] - 1))
    return powers / powers.sum()


def central(answers: Sequence[Array]) -> Array:
    points = np.array(answers)
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    return points[np.argmin(np.median(apart, axis=1))]


@frozen
class PaperFilter:
    """Steps (P1) to (P7), or those by one direction, of an entry for n rows of dimension d."""

    of: "Filtered"
    n: int
    d: int

    @cached_property
    def centres(self) -> StableCentres:
        return StableCentres(BALL_WIDTH, "tight") if self.of.heavy else StableCentres(BOX_WIDTH, "paper")

    @cached_property
    def reach(self) -> float:  # the radius of the ball, or half the side of the box
        if self.of.heavy:
            return ball_reach(self.d, sqrt(self.d) * float((1 / self.of.corruption) ** 0.5))
        return box_reach(self.n, self.d, self.of.beta)

    @cached_property
    def diameter(self) -> float:  # D, up to its own rounding
        return 2 * self.reach * (1.0 if self.of.heavy else sqrt(self.d)) * (1 + 1e-12)

    @cached_property
    def turns(self) -> tuple[int, int]:
        """T₁ and T₂; 1 and T = ⌈D²/ln(1/a)⌉ for single directions."""
        if self.of.top:
            return 1, self.of.passes or ceil(self.diameter**2 / log(1 / self.of.corruption))
        return max(1, int(log(self.diameter))), self.of.passes or max(1, int(log(self.d)))

    def plan(self, budget: Budget) -> Plan:
        if not isinstance(budget, ApproxDP) or not 0 < budget.delta < 0.5:
            raise ArgumentError("budget", budget, 'ApproxDP with 0 < delta < 1/2 for calibration "paper"')
        first = ApproxDP(PAPER_RANGE * budget.epsilon, PAPER_RANGE * budget.delta)
        rest = ApproxDP(budget.epsilon - first.epsilon, budget.delta - first.delta)
        queries = (self._directions if self.of.top else self._rounds)(rest)
        return Sequential("basic", (self.centres.plan(self.n, self.d, first), queries))

    def _directions(self, budget: ApproxDP) -> Plan:
        (_, passes), one = self.turns, self.diameter**2 / self.n
        epsilon = min(PAPER_CAP, budget.epsilon) / (2 * sqrt(8 * passes * log(2 / budget.delta)))
        cost, pure = ApproxDP(epsilon, budget.delta / (8 * passes)), PureDP(epsilon)
        integer_at_least(ceil(4 / cost.epsilon * log(1 / (2 * cost.delta))), n=self.n)
        charges = list[Charge]()
        for t in range(1, passes + 1):
            charges += [
                Charge(f"size {t}", "laplace", 1.0, pure),
                moments_charge(f"mean {t}", cost),
                Charge(f"excess {t}", "laplace", 2 * one, pure),
                Charge(f"moment {t}", "symmetric_gaussian", sqrt(2) * one, cost),
            ]
        return Converted(Sequential("zcdp", tuple(charges)), budget)

    def _rounds(self, budget: ApproxDP) -> Plan:
        (epochs, rounds), one = self.turns, self.diameter**2 / self.n
        epsilon, delta = budget.epsilon, budget.delta
        outer = ApproxDP(epsilon / (2 * (2 * epochs + 1)), delta / 2)
        fewest = ceil(4 / outer.epsilon * log(1 / (2 * (delta / (2 * (epochs + 1))))))  # (4/ε₁) ln(1/2δ₁)
        integer_at_least(fewest, n=self.n)
        accesses = epochs * rounds
        cost = ApproxDP(
            min(PAPER_CAP, epsilon) / (4 * sqrt(10 * accesses * log(4 / delta))), delta / (20 * accesses)
        )
        pure, half, size = PureDP(cost.epsilon), PureDP(cost.epsilon / 2), PureDP(outer.epsilon)
        charges = list[Charge]()
        for s in range(1, epochs + 1):
            charges += [
                Charge(f"excess {s}", "laplace", 2 * one, size),
                Charge(f"size {s}", "laplace", 1.0, size),
            ]
            for st in (f"{s}.{t}" for t in range(1, rounds + 1)):
                charges += [
                    Charge(f"excess {st}", "laplace", 2 * one, pure),
                    Charge(f"moment {st}", "symmetric_gaussian", sqrt(2) * 4 * one, cost),
                    Charge(f"score {st}", "laplace", 2 * one, pure),
                    moments_charge(f"mean {st}", cost),
                    Charge(f"total {st}", "laplace", 2 * one, half),
                    Charge(f"scores {st}", "gaussian", PAPER_COUNTS, ApproxDP(cost.epsilon / 2, cost.delta)),
                ]
        charges.append(moments_charge("mean", outer))
        inside, outside = (
            tuple(each for each in charges if ("." in each.step) == fine) for fine in (True, False)
        )
        converted = Converted(Sequential("zcdp", inside), ApproxDP(epsilon / 2, delta / 2))
        return Interleaved(Sequential("basic", (*outside, converted)), tuple(each.step for each in charges))

    def run(self, z: Array, plan: Plan, noise: NoiseSource) -> Array | Abstention:
        assert isinstance(plan, Sequential)
        epochs, rounds = self.turns
        shrink = iter([noise.uniform(0.0, 1.0) for _ in range(epochs * rounds)])  # Z: public
        centre = self.centres.draw(z, plan.parts[0], noise)
        if isinstance(centre, Abstention):
            return centre
        y = (in_ball if self.of.heavy else in_box)(z - centre, self.reach, grid(self.reach))
        queries = Queries(self, y, present(z), plan.parts[1].charges(), noise, shrink)
        found = queries.by_directions() if self.of.top else queries.by_matrices()
        return found if isinstance(found, Abstention) else centre + found


@dataclass
class Queries:
    """A set S of rows, and noisy answers about it; one charge for each question, in the order of the plan.

    M is held as whole numbers, Python's, of the unit h/n, h a public power of two of which D² is 2^29 to
    2^30: (N A - s sᵀ)/(nN) is rounded once, in rational arithmetic. What one row moves grows by d units at
    most, where the charges have room for 2^26 and more.
    """

    made: PaperFilter
    y: Array
    kept: Mask
    charges: Iterator[Charge]
    noise: NoiseSource
    shrink: Iterator[float]

    def __post_init__(self) -> None:
        of = self.made.of
        self.step, self.base = grid(self.made.reach), 1.0 - of.heavy
        self.tail = None if of.heavy else ceil(2 * of.corruption * self.made.n)
        self.keep(self.kept)

    def keep(self, kept: Mask) -> None:
        self.kept, self.sums = kept, counted_sums(self.y, kept, self.step)
        square, unit = self.sums.square, step_of(self.made.diameter**2, BITS)
        assert square is not None
        total, count = self.sums.total.counts.astype(object), max(self.sums.count, 1)
        share = Fraction(float(square.unit)) / Fraction(unit) / count
        m = rounded(count * square.counts.astype(object) - np.multiply.outer(total, total), share)
        self.unit = unit / len(self.y)
        self.moment, self.above = m, m - round(self.base / self.unit) * np.eye(len(m), dtype=object)

    def ask(self, value: object, unit: float, live: bool) -> float:
        """Return a whole number of a unit with Laplace noise, or noise alone where nobody asks any more."""
        whole = np.asarray(value) if live else np.zeros((), np.int64)
        return float(additive(OnGrid(whole, unit), next(self.charges), self.noise))

    def excess(self, live: bool) -> float:
        size = round(float(np.abs(np.linalg.eigvalsh(self.above.astype(np.float64))).max()))
        return self.ask(np.asarray(size, object), self.unit, live)

    def second_moment(self, live: bool) -> Array:
        value = self.moment if live else np.zeros_like(self.moment)
        return symmetric_gaussian(OnGrid(value, self.unit), next(self.charges), self.noise)

    def mean(self, live: bool) -> Array:
        nothing = WholeSums(0, OnGrid(np.zeros(self.y.shape[1], np.int64), self.step))
        sums, reach = self.sums.alone if live else nothing, self.made.reach
        noisy = release(sums, self.made.diameter / 2, MEAN, next(self.charges), self.noise)
        mean = noisy.total / max(noisy.count, len(self.y) / 10)
        if not self.made.of.heavy:
            return np.clip(mean, -reach, reach)
        return mean * min(1.0, reach / max(float(np.linalg.norm(mean)), NEAREST))

    def by_matrices(self) -> Array | Abstention:
        """Return the answer of Algorithms 10 and 16."""
        (epochs, rounds), n, of, alive = self.made.turns, len(self.y), self.made.of, True
        largest = self.made.diameter**2 * (1 + 1e-9)
        unit = step_of(largest, BITS)
        for s in range(1, epochs + 1):
            start, size = self.excess(alive), self.ask(self.sums.count, 1.0, alive)  # (P1)
            if alive and size <= PAPER_ENOUGH * n:
                return Abstention(f"size {s}")
            if alive:
                record(excess=start, left=self.sums.count)
            live = alive = alive and start > of.allowed
            rate = 1 / (100 * (0.1 / of.constant + 1.01) * max(start, np.finfo(float).tiny))
            exponent = np.zeros(self.moment.shape)
            for _ in range(rounds):
                excess = self.excess(live)
                live = live and excess > start / 2  # (P2)
                noisy = self.second_moment(live)
                if live:
                    exponent = exponent + rate * (noisy - self.base * np.eye(len(noisy)))
                u = exponential(exponent)  # (P3)
                weights = np.rint(u * 2.0**BITS).astype(np.int64).astype(object)
                inner = np.asarray((self.above * weights).sum(), object)
                psi = self.ask(inner, self.unit * 2.0**-BITS, live)  # whether it is still wanted or not
                wanted = live and psi > excess / 5.5  # (P4)
                m, tau, tail = self.mean(wanted), np.zeros(n), np.zeros(n, bool)
                if wanted:  # (P5)
                    values, basis = np.linalg.eigh(u)
                    root = basis * np.sqrt(np.maximum(values, 0.0))
                    tau = np.minimum(Score(m, root, self.step).of(self.y), largest)
                    tail = tail_set(tau, self.kept, self.tail, self.y)
                scores = np.rint(tau[self.kept] / unit).astype(np.int64) - round(self.base / unit)
                total = self.ask(scores.sum(), unit / n, wanted)
                counts = gaussian(score_counts(tau, tail, largest), next(self.charges), self.noise)
                cut = threshold(counts, n, total) * next(self.shrink)
                if wanted:  # (P6)
                    self.keep(left_after(tau, self.kept, tail, cut))
        return self.mean(True)  # (P7)

    def by_directions(self) -> Array | Abstention:
        """Return the answer of Algorithm 8."""
        answer, n, live = np.zeros(self.y.shape[1]), len(self.y), True
        for t in range(1, self.made.turns[1] + 1):
            size = self.ask(self.sums.count, 1.0, live)
            if live and size < PAPER_ENOUGH * n:
                return Abstention(f"size {t}")
            mean, excess = self.mean(live), self.excess(live)
            direction, z = np.linalg.eigh(self.second_moment(live))[1][:, -1:], next(self.shrink)
            if live:
                answer = mean
                record(excess=excess, left=self.sums.count)
            live = live and excess > self.made.of.allowed
            if live:
                tau = Score(mean, direction, self.step).of(self.y)
                tail = tail_set(tau, self.kept, self.tail, self.y)
                self.keep(left_after(tau, self.kept, tail, self.made.diameter**2 * z))
        return answer


def exponential(exponent: Array) -> Array:
    """Return exp(M)/trace of a symmetric matrix, shifted by its largest eigenvalue: nothing overflows."""
    values, basis = np.linalg.eigh(symmetrised(exponent))
    weights = np.exp(values - values[-1])
    return symmetrised((basis * (weights / weights.sum())) @ basis.T)


@public
class Filtered(OfUnit[Array]):
    """What the three entries share; `heavy`, `top`, `LEVELS` and `MOST` are what they differ in."""

    radius: float
    centre: PerColumn = 0.0
    corruption: float = 0.05
    level: float | None = None
    passes: int | None = None
    splits: int = 1
    calibration: Calibration = "tight"
    beta: float = 0.05

    heavy = False
    top = False
    LEVELS = 1.0, 2.0  # C of "tight" and of "paper"
    MOST = 0.2  # of the rows: with more, another bin than the mean's may be the fullest

    def _validate(self) -> None:
        if self.radius > WIDEST * self.unit:
            raise ArgumentError("radius", self.radius, f"at most {WIDEST:g} standard deviations")
        in_range(0, self.MOST, "[)", corruption=self.corruption)
        if self.corruption == 0 and (self.heavy or self.calibration == "paper"):
            raise ArgumentError("corruption", self.corruption, 'above 0, but for light tails and "tight"')
        if self.level is not None:
            positive(level=self.level)
        few(MOST_PASSES, passes=1 if self.passes is None else self.passes)
        few(1000, splits=self.splits)

    @property
    def constant(self) -> float:  # C
        return self.LEVELS[self.calibration == "paper"] if self.level is None else self.level

    @property
    def allowed(self) -> float:  # λ of clean rows
        a = self.corruption
        return self.constant if self.heavy else self.constant * a * log(1 / a) if a else 0.0

    def steps(self, n: int, d: int) -> Filter | PaperFilter:
        return Filter(self, n, d) if self.calibration == "tight" else PaperFilter(self, n, d)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        integer_at_least(2 * self.splits, n=n)
        sizes = (len(range(p, n, self.splits)) for p in range(self.splits))
        plans = [self.steps(size, d).plan(budget) for size in sizes]
        if self.splits == 1:
            return plans[0]
        return Parallel(tuple(renamed(plan, f"part {p}: ") for p, plan in enumerate(plans, start=1)))

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array | Abstention:
        (n, d), k = x.shape, self.splits
        middle, plan = in_columns(self.centre, d), self.plan(n, d, budget)
        z, plans = standardised(x, middle, self.unit), plan.parts if isinstance(plan, Parallel) else (plan,)
        parts = [np.ascontiguousarray(z[p::k]) for p in range(k)]
        answers = [
            self.steps(len(rows), d).run(rows, one, noise) for rows, one in zip(parts, plans, strict=True)
        ]
        found = [answer for answer in answers if not isinstance(answer, Abstention)]
        return middle + self.unit * central(found) if found else answers[0]

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean|/unit for clean normal rows; infinite from radius/unit on.

        Infinite for "paper", of which nothing is foreseen. Corrupted rows come on top.
        """
        self.plan(n, d, budget)
        one = self.steps(n // self.splits, d)
        if not isinstance(one, Filter):
            return inf
        return better_than(self.radius / self.unit, one.predicted_error(one.plan(budget)))


@public
class PrimeMean(Filtered):
    """Private mean of partly corrupted rows, filtered in all directions at once: PRIME (LKKO21 Theorem 6).

    Accurate for rows of covariance sigma² I, normal or lighter, with every coordinate of the mean within
    `radius` of `centre`, a share `corruption` of them anything.
    Guarantee: central model, one replaced row, for every input. Budgets: ZCDP with delta = 0, GaussianDP,
    ApproxDP with delta > 0; for "paper" only ApproxDP, with 0 < delta < 1/2.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It
    is not among the rows that are left, whose number is released with the mean.

    Parameters
    ----------
    radius : float
        Every coordinate of the mean lies within it of `centre`; in the unit of the data.
    centre : float or tuple, default 0.0
        Middle of the range, of every coordinate or a tuple of one for each.
    corruption : float, default 0.05
        Share of the rows that may be anything.
    level : float or None, default None
        C of λ ≤ C a ln 1/a, where the filter ends; None for the calibration's own.
    passes : int or None, default None
        Most passes ("tight"), or rounds of an epoch ("paper"); None for the calibration's own.
    splits : int, default 1
        Disjoint parts of the rows, of whose answers the most central is released.
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the constants of the source, "tight" ours: the same guarantee, less noise.
    beta : float, default 0.05
        Chance that a normal row lies beyond the ball or box to which rows are clipped.
    sigma : float
        Standard deviation of the rows in every direction, known.

    Examples
    --------
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=(10_000, 2))
    >>> x[:500] += 5.0
    >>> estimator = PrimeMean(radius=10.0, sigma=1.0)
    >>> release = estimator(x, budget=ApproxDP(5.0, 1e-6), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - 3.0).max() < 0.2)
    True
    """

    sigma: float


@public
class FilterMean(PrimeMean):
    """Private mean of partly corrupted rows, filtered direction by direction (LKKO21 Theorem 5).

    Accurate for the rows of `PrimeMean`. All else as of `PrimeMean`; `passes` of "paper" are hundreds or
    thousands.
    """

    top = True


@public
class PrimeHeavyMean(Filtered):
    """Private mean of partly corrupted heavy-tailed rows: PRIME-ht (LKKO21 Theorem 9).

    Accurate for rows of covariance at most `upper` times the identity. All else as of `PrimeMean`; the filter
    ends where λ is at most `level`, and `beta` is without effect.

    Parameters
    ----------
    upper : float
        The covariance is at most this times the identity, in the square of the data's unit.
    """

    upper: float
    heavy = True
    LEVELS = 1.1, 1.5
    MOST = 0.125
