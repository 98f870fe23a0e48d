"""LKKO21's own filters, query by query: Algorithms 8, 10 and 16 with the noise of `parts.filters.paper`.

Rows y of whole numbers, shape (n, d), times a step, in a set of diameter D round 0; S = all that are
there. For s = 1 .. T₁:

    (1) λ_s and |S| with noise; |S| at most 3n/4: no answer; λ_s at most the level: S is what it will be
    (2) for t = 1 .. T₂: λ_t with noise, at most λ_s/2: next s
    (3)     Σ_t with noise, U = exp(a Σ_{r ≤ t} (Σ_r - base I))/trace, a = 1/(100 (.1/C + 1.01) λ_s)
    (4)     Ψ = ⟨M - base I, U⟩ with noise, at most λ_t/5.5: next t
    (5)     m = the mean of S with noise, inside the set; τ_i = (y_i - m)ᵀ U (y_i - m)
    (6)     ρ (`parts.filters.removal`), Z uniform on [0, 1]; S = S without {i in T : τ_i ≥ ρ Z}
    (7) out = the mean of S with noise

By one direction: |S|, m, λ and Σ with noise for t = 1 .. T, τ_i = ⟨v, y_i - m⟩² for the top eigenvector v
of Σ, and S = S without {i in T : τ_i ≥ D² Z}. A query that the run does not need any more is drawn on
zeros, so that which noise is drawn does not depend on the rows. Where the epochs end without an answer, the
source gives none; the mean of (7) is paid for, and is given. Proof: `proofs/prime.md`, section 6.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from workbench.estimators.base import Abstention, Trace
from workbench.estimators.parts.filters.removal import (
    Mask,
    Score,
    left_after,
    score_counts,
    tail_set,
    threshold,
)
from workbench.estimators.parts.filters.weighted_moments import MEAN, WholeSums, counted_sums, release
from workbench.linalg import symmetrised
from workbench.privacy import Charge, NoiseSource
from workbench.privacy.grid import OnGrid, rounded, step_of
from workbench.privacy.mechanisms import additive, gaussian, symmetric_gaussian
from workbench.types import Array

ENOUGH = 0.75  # of n: with fewer rows left there is no answer
BITS = 30  # of D², of a score, and of an entry of U


@dataclass(frozen=True)
class Rules:
    """The public rules of a run: D, g, base, where it stops, how many rows a pass may remove, T₁ and T₂."""

    diameter: float
    step: float
    base: float
    level: float
    constant: float
    tail: int | None
    epochs: int
    rounds: int
    inside: Callable[[Array], Array]


@dataclass(frozen=True)
class Whole:
    """A symmetric matrix of whole numbers, Python's, and its unit.

    M = (1/n) Σ (x - x̄)(x - x̄)ᵀ over N rows is (N A - s sᵀ)/(nN). In units of h/n, h a public power of two of
    which D² is 2^29 to 2^30, every entry is rounded once, in rational arithmetic: what one row moves grows by
    d units at most, where the charges have room for 2^26 and more.
    """

    matrix: OnGrid

    @classmethod
    def of(cls, sums: WholeSums, n: int, diameter: float) -> "Whole":
        """Return M of n rows in a set of this diameter."""
        assert sums.square is not None
        unit, total = step_of(diameter**2, BITS), sums.total.counts.astype(object)
        apart = max(sums.count, 1) * sums.square.counts.astype(object) - np.multiply.outer(total, total)
        share = Fraction(float(sums.square.unit)) / Fraction(unit) / max(sums.count, 1)
        return cls(OnGrid(rounded(apart, share), unit / n))

    def above(self, base: float) -> "Whole":
        """Return the matrix less `base` I, rounded to the unit."""
        matrix, unit = self.matrix, float(self.matrix.unit)
        return Whole(OnGrid(matrix.counts - round(base / unit) * np.eye(len(matrix), dtype=object), unit))

    def norm(self) -> OnGrid:
        """Return the largest size of an eigenvalue."""
        values = np.linalg.eigvalsh(self.matrix.counts.astype(np.float64))
        return OnGrid(np.asarray(round(float(np.abs(values).max())), object), self.matrix.unit)

    def along(self, u: Array) -> OnGrid:
        """Return the inner product with a released matrix U of trace 1."""
        weights = np.rint(u * 2.0**BITS).astype(np.int64).astype(object)
        return OnGrid(np.asarray((self.matrix.counts * weights).sum(), object), self.matrix.unit * 2.0**-BITS)


def whole_scores(tau: Array, kept: np.ndarray, base: float, largest: float) -> OnGrid:
    """Return the sum of τ - base over the rows that are left, each τ rounded to a public unit."""
    unit = step_of(largest, BITS)
    scores = np.rint(tau[kept] / unit).astype(np.int64) - round(base / unit)
    return OnGrid(np.asarray(scores.sum()), unit)


def exponential(exponent: Array) -> Array:
    """Return exp(M)/trace of a symmetric matrix, shifted by its largest eigenvalue: nothing overflows.

    >>> exponential(np.diag([1e4, 0.0])).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    values, basis = np.linalg.eigh(symmetrised(exponent))
    weights = np.exp(values - values[-1])
    return symmetrised((basis * (weights / weights.sum())) @ basis.T)


class Queries:
    """A set S of rows, and noisy answers about it; one charge for each question, in the order of the plan.

    `shrink` yields Z: public, drawn before anything else.
    """

    def __init__(
        self,
        y: Array,
        rules: Rules,
        charges: Iterator[Charge],
        noise: NoiseSource,
        shrink: Iterator[float],
        there: Mask | None = None,
    ) -> None:
        self.y, self.rules, self.charges, self.noise, self.shrink = y, rules, charges, noise, shrink
        self.kept, self.live = np.ones(len(y), bool) if there is None else there, True
        self._summarise()

    def _summarise(self) -> None:
        self.sums = counted_sums(self.y, self.kept, self.rules.step)
        self.moment = Whole.of(self.sums, len(self.y), self.rules.diameter)
        self.above = self.moment.above(self.rules.base)

    def number(self, ask: Callable[[], OnGrid], live: bool = True) -> float:
        """Return a number with Laplace noise, or noise alone where nobody asks any more."""
        value = ask()
        if not (self.live and live):
            value = OnGrid(np.zeros((), np.int64), value.unit)
        return float(additive(value, next(self.charges), self.noise))

    def excess(self, live: bool = True) -> float:
        """Return |M - base I| with noise."""
        return self.number(self.above.norm, live)

    def size(self) -> float:
        """Return |S| with noise."""
        return self.number(lambda: OnGrid(np.asarray(self.sums.count), 1.0))

    def second_moment(self, live: bool = True) -> Array:
        """Return M with noise."""
        moment = self.moment.matrix
        value = moment if self.live and live else OnGrid(np.zeros_like(moment.counts), moment.unit)
        return symmetric_gaussian(value, next(self.charges), self.noise)

    def mean(self, live: bool = True) -> Array:
        """Return the mean of S, from its noisy sum and size, inside the set."""
        d, step = self.y.shape[1], self.rules.step
        sums = self.sums.alone if live else WholeSums(0, OnGrid(np.zeros(d, np.int64), step))
        noisy = release(sums, self.rules.diameter / 2, MEAN, next(self.charges), self.noise)
        return self.rules.inside(noisy.total / max(noisy.count, len(self.y) / 10))

    def remove(self, tau: Array, tail: Mask, cut: float) -> None:
        """Remove rows."""
        self.kept = left_after(tau, self.kept, tail, cut)
        self._summarise()


def by_matrices(queries: Queries, trace: Trace | None = None) -> Array | Abstention:
    """Return the answer of Algorithms 10 and 16."""
    rules, n = queries.rules, len(queries.y)
    for s in range(1, rules.epochs + 1):
        excess, size = queries.excess(), queries.size()  # (1)
        if queries.live and size <= ENOUGH * n:
            return Abstention(f"size {s}")
        if trace is not None and queries.live:
            trace.add(excess=excess, left=queries.sums.count)
        queries.live = queries.live and excess > rules.level
        epoch(queries, excess)
    return queries.mean()  # (7)


def epoch(queries: Queries, start: float) -> None:
    """Run the rounds of one epoch, steps (2) to (6)."""
    rules, live = queries.rules, True
    step = 1 / (100 * (0.1 / rules.constant + 1.01) * max(start, np.finfo(float).tiny))
    exponent = np.zeros(queries.moment.matrix.shape)
    for _ in range(rules.rounds):
        excess = queries.excess(live)
        live = live and excess > start / 2  # (2)
        noisy = queries.second_moment(live)
        if queries.live and live:
            exponent = exponent + step * (noisy - rules.base * np.eye(len(noisy)))
        u = exponential(exponent)  # (3)
        psi = queries.number(lambda u=u: queries.above.along(u), live)  # type: ignore[misc]
        scored(queries, u, live and psi > excess / 5.5)  # (4)


def scored(queries: Queries, u: Array, live: bool) -> None:
    """Ask for mean, total and counts of the scores, and remove rows, steps (5) and (6)."""
    rules, n, live = queries.rules, len(queries.y), queries.live and live
    m, largest = queries.mean(live), rules.diameter**2 * (1 + 1e-9)
    tau, tail = np.zeros(n), np.zeros(n, bool)
    if live:
        tau = np.minimum(Score(m, _root(u), rules.step).of(queries.y), largest)
        tail = tail_set(tau, queries.kept, rules.tail, queries.y)
    total = queries.number(lambda: whole_scores(tau, queries.kept, rules.base, largest) / n, live)
    noisy = gaussian(score_counts(tau, tail, largest), next(queries.charges), queries.noise)
    cut = threshold(noisy, n, total) * next(queries.shrink)
    if live:
        queries.remove(tau, tail, cut)


def _root(u: Array) -> Array:
    values, basis = np.linalg.eigh(u)
    return np.asarray(basis * np.sqrt(np.maximum(values, 0.0)))


def by_directions(queries: Queries, passes: int, trace: Trace | None = None) -> Array | Abstention:
    """Return the answer of Algorithm 8."""
    rules, answer = queries.rules, np.zeros(queries.y.shape[1])
    for t in range(1, passes + 1):
        size = queries.size()
        if queries.live and size < ENOUGH * len(queries.y):
            return Abstention(f"size {t}")
        mean, excess = queries.mean(queries.live), queries.excess()
        direction = np.linalg.eigh(queries.second_moment())[1][:, -1:]
        z = next(queries.shrink)
        if queries.live:
            answer = mean
            if trace is not None:
                trace.add(excess=excess, left=queries.sums.count)
        queries.live = queries.live and excess > rules.level
        if queries.live:
            tau = Score(mean, direction, rules.step).of(queries.y)
            queries.remove(tau, tail_set(tau, queries.kept, rules.tail, queries.y), rules.diameter**2 * z)
    return answer
