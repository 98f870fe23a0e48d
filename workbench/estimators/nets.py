"""A covariance under pure differential privacy, chosen from a net.  After M21's conclusion.

Rows x of shape (n, d), d = 1 or 2, `lower` I ≤ Σ ≤ `upper` I, (C, 2k)-hypercontractive: k = `moments`, C =
`hypercontractivity`. Neighbours: replace one row. The rows have mean 0 if `centred`; otherwise they are
paired first, m = ⌊n/2⌋ rows (x_1 - x_2)/√2 with the constants of `heavy_tailed.Moments`. With
w = x/√upper, for every candidate M of a public net of step h = alpha/2 and every direction U of a public set,
|U|_F = 1:

    (1) q(M) = - max_U |(1/m) Σ clip(⟨U, M^{-1/2} w wᵀ M^{-1/2} - I⟩, ±τ)|, terms in whole numbers
                                                                                        sensitivity 2τ/m
    (2) out = upper M, M drawn with probability ∝ e^{ε q(M) m/(4τ)}

τ balances the bias of the clip, σ^k (k-1)^{k-1}/k^k τ^{-(k-1)} with σ = (C^{1/k} + 1) √d, and the loss
(4τ/(mε)) ln(N/β) of the choice among N. For d = 1 a term is at least -1: sensitivity (τ + 1)/m if τ ≥ 1.

Candidates are R_θ diag(e^a, e^b) R_θᵀ with ln(1/ratio) ≤ b ≤ a ≤ 0, ratio = upper/lower, on a grid of step at
most h and ⌈π √2 sinh((a - b)/2)/h⌉ angles: turning by one angle is a step of at most 2h in the norm of the
candidate, because turning by dθ moves it by 2√2 sinh((a - b)/2) dθ. A covariance between I/ratio and I is at
most h/2 from one of them in a, h/2 in b and h in the angle: 1.23 h in all, to first order.

The source omits the algorithm: net, directions and constants are chosen here, after Kamath & Mouzakis.
Proof: `proofs/heavy_tails.md`, section 8.
"""

from functools import cached_property, lru_cache
from itertools import combinations_with_replacement
from math import ceil, exp, log, pi, sinh, sqrt

import numpy as np

from workbench.errors import ArgumentError, integer_at_least, probability
from workbench.estimators.base import Estimator, mapped
from workbench.estimators.heavy_tailed import Moments
from workbench.estimators.shared.budgets import require_selection
from workbench.estimators.shared.noisy_means import better_than, chosen, weighted_median
from workbench.estimators.shared.rows import centred_count, centred_rows, present, within_ball
from workbench.linalg import half_sphere, spectral_map
from workbench.privacy import Budget, Charge, NoiseSource, Plan
from workbench.privacy.grid import OnGrid, step_of, widest
from workbench.privacy.mechanisms import exponential, selection_scale
from workbench.privacy.ramps import narrowed
from workbench.types import Array, frozen, public

MOST = 50_000  # candidates
DIRECTIONS = 24  # in two dimensions
STEP = "candidate"
ROUND = {1: np.ones(1), 2: np.array([1.0, 0.0, 1.0])}  # mean `monomials` of rows of covariance I
FAR = 1e50  # rows are shrunk to this norm, in units of √upper: no form overflows
ROWS, BLOCK = 1024, 240  # terms that are held at a time: they stay in the cache
BITS = 30  # of the largest term: a block of them is exact in floats


@frozen
class Net:
    """The net for covariances between I/ratio and I, at step h = `step`."""

    d: int
    ratio: float
    step: float

    @property
    def logs(self) -> Array:
        reach = log(self.ratio)
        return -np.linspace(0.0, reach, ceil(reach / self.step) + 1) if reach else np.zeros(1)

    def angles(self, a: float, b: float) -> int:
        return max(ceil(pi * sqrt(2) * sinh((a - b) / 2) / self.step), 1)

    @cached_property
    def size(self) -> int:
        logs = self.logs
        if self.d == 1:
            return len(logs)
        return sum(self.angles(a, b) for a, b in combinations_with_replacement(logs, 2))

    @cached_property
    def candidates(self) -> Array:
        logs = self.logs
        if self.d == 1:
            return np.exp(logs)[:, None, None]
        ellipses = []
        for a, b in combinations_with_replacement(logs, 2):
            for angle in pi * np.arange(count := self.angles(a, b)) / count:
                axis = np.array([np.cos(angle), np.sin(angle)])
                ellipses.append(np.exp(b) * np.eye(2) + (np.exp(a) - np.exp(b)) * np.outer(axis, axis))
        return np.array(ellipses)

    @cached_property
    def forms(self) -> Array:
        """The quadratic forms M^{-1/2} U M^{-1/2} as weights of `monomials`, shape (size, directions, ·)."""
        roots = np.array([spectral_map(one, lambda values: values**-0.5) for one in self.candidates])
        forms = np.einsum("nij,mjk,nkl->nmil", roots, directions(self.d), roots)
        if self.d == 1:
            return forms[..., 0]
        return np.stack([forms[..., 0, 0], 2 * forms[..., 0, 1], forms[..., 1, 1]], axis=-1)


@lru_cache(maxsize=8)
def net(d: int, ratio: float, step: float) -> Net:
    if d not in (1, 2):
        raise ArgumentError("d", d, "1 or 2: the net has exp(d²) candidates")
    if not _fits(d, ratio, step):
        _, few = narrowed(lambda fine: not _fits(d, ratio, fine), step, log(ratio) or 1.0)
        raise ArgumentError("alpha", 2 * step, f"at least {2.002 * few:.4g}, for at most {MOST} candidates")
    return Net(d, ratio, step)


def _fits(d: int, ratio: float, step: float) -> bool:
    steps = log(ratio) / step
    return max(steps, steps * steps / 2 if d == 2 else 0) <= MOST and Net(d, ratio, step).size <= MOST


def directions(d: int) -> Array:
    """Return symmetric U of Frobenius norm 1: 1 on the line, else 24 Fibonacci points of the half-sphere."""
    if d == 1:
        return np.ones((1, 1, 1))
    # middle = (U₁₁ + U₂₂)/2 ≥ 0, half = (U₁₁ - U₂₂)/2
    off, half, middle = half_sphere(DIRECTIONS).T / sqrt(2)
    rows = np.array([[middle + half, off], [off, middle - half]])
    return rows.transpose(2, 0, 1)


def monomials(x: Array) -> Array:
    """Return x², or (x₁², x₁x₂, x₂²), of every row."""
    return x**2 if x.shape[1] == 1 else np.stack([x[:, 0] ** 2, x[:, 0] * x[:, 1], x[:, 1] ** 2], axis=1)


@public
class PureNetCovariance(Estimator[Array]):
    """Private covariance in one or two dimensions under pure privacy, from a net (M21, conclusion).

    Accurate for rows of covariance between `lower` and `upper` times the identity, with bounded moments of
    order 2 `moments`.
    Guarantee: central model, one replaced row, for every input. Budgets: PureDP, or ZCDP with delta = 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It,
    or its pair, says nothing for or against a candidate. All else as of `HeavyTailedCovariance`.

    Parameters
    ----------
    alpha : float, default 0.5
        Twice the step of the net: a small one has many candidates.
    beta : float, default 0.05
        Failure probability of the choice, which sets where forms are clipped.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import PureDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.5, size=(2000, 2))
    >>> release = PureNetCovariance(upper=4.0, lower=1.0)(x, budget=PureDP(1.0), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - 2.25 * np.eye(2)).max() < 1.0)
    True
    """

    upper: float
    lower: float
    centred: bool = False
    moments: int = 2
    hypercontractivity: float = 3.0
    alpha: float = 0.5
    beta: float = 0.05

    def _validate(self) -> None:
        if not self.lower <= self.upper <= 1e30 * self.lower:
            raise ArgumentError("lower", self.lower, f"at most upper = {self.upper}, at least 1e-30 upper")
        Moments(self.moments, self.hypercontractivity)
        integer_at_least(2, moments=self.moments)  # fourth moments
        probability(alpha=self.alpha)

    def net(self, d: int) -> Net:
        return net(d, self.upper / self.lower, self.alpha / 2)

    def candidates(self, d: int) -> int:
        return self.net(d).size

    def clip(self, n: int, d: int, budget: Budget) -> float:
        m, k = centred_count(n, self.centred), self.moments
        moments = Moments(k, self.hypercontractivity)
        constant = (moments if self.centred else moments.paired()).constant
        scale = selection_scale(Charge(STEP, "exponential", 2 / m, budget))
        loss = scale * log(self.net(d).size / self.beta)
        sigma = (constant ** (1 / k) + 1) * sqrt(d)
        return float(sigma * ((k - 1) ** k / k**k / loss) ** (1 / k))

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        require_selection(budget)
        m, clip = centred_count(n, self.centred), self.clip(n, d, budget)
        span = clip + (min(clip, 1.0) if d == 1 else clip)
        return Charge(STEP, "exponential", span / m, budget)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array:
        n, d = x.shape
        scores = self.scores(centred_rows(x, self.centred), self.clip(n, d, budget))  # (1)
        chosen = exponential(scores, self.plan(n, d, budget)[STEP], noise)
        return self.upper * self.net(d).candidates[chosen]  # (2)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median error in the norm of Σ for Σ between the candidates at `lower` I.

        Of the choice by the scores of a population of light tails; infinite from √d on.
        """
        charge, made = self.plan(n, d, budget)[STEP], self.net(d)
        size = self.lower / self.upper * exp(float(np.ptp(made.logs[-2:])) / 2)
        gaps = size * (made.forms @ ROUND[d]) - np.trace(directions(d), axis1=1, axis2=2)
        scores = -np.minimum(np.abs(gaps), self.clip(n, d, budget)).max(axis=1)
        chances = chosen(scores / selection_scale(charge))
        apart = np.linalg.norm(made.candidates / size - np.eye(d), axis=(1, 2))
        return better_than(sqrt(d), weighted_median(apart, chances))

    def scores(self, rows: Array, clip: float) -> OnGrid:
        d, unit = rows.shape[1], step_of(clip, BITS)
        most, least = widest(clip, unit), widest(min(clip, 1.0) if d == 1 else clip, unit)
        w = within_ball(mapped(rows, np.eye(d) / sqrt(self.upper)), FAR)
        absent = np.flatnonzero(~present(rows))  # in their places, which decide how others are rounded
        forms, traces = self.net(d).forms, np.trace(directions(d), axis1=1, axis2=2)
        weights, offsets = forms.reshape(-1, forms.shape[-1]).T / unit, np.tile(traces, len(forms)) / unit
        sums = np.zeros(len(offsets), np.int64)
        for start in range(0, len(w), ROWS):
            products = monomials(w[start : start + ROWS])
            gone = absent[(absent >= start) & (absent < start + ROWS)] - start
            for first in range(0, len(sums), BLOCK):
                terms = products @ weights[:, first : first + BLOCK] - offsets[first : first + BLOCK]
                np.clip(np.rint(terms, out=terms), -least, most, out=terms)
                terms[gone] = 0.0
                sums[first : first + BLOCK] += terms.sum(axis=0).astype(np.int64)
        worst = np.abs(sums).reshape(len(forms), -1).max(axis=1)
        return OnGrid(-worst, unit / len(rows))
