"""The covariance of any Gaussian from a few thousand rows: a stable matrix quantile.  Derived here.

Rows x of shape (n, d), any mean, any positive definite covariance Σ: nothing about either is assumed.
Neighbours: replace one row. The rows have mean 0 if `centred`; otherwise they are paired first, ⌊n/2⌋ rows
(x_1 - x_2)/√2.

    (1) P_v = the largest P with P ≤ (1/v) Σ ω(xᵀP⁻¹x) x xᵀ: a row counts once at most; this and (2)
        are of `estimators/stable_quantile.py`
    (2) h = how many rows may be replaced before f = P_u could move far
    (3) no answer but with probability p(h), p(0) = 0, else c · mask(f), by one mechanism that has all of
        (ε, δ): Thompson-Laplace noise for d ≤ 4, Wishart above, or as `mask` says       `privacy.stable`

A run without an answer draws the mask too, of the identity. Accuracy is for normal rows. α says how accurate:
None for a condition of at most 4 after whitening (every |ln λ| of out⁻¹Σ at most ln 2), else |Σ^-½ out Σ^-½ -
I|_F ≤ α, with probability 1 - β, no answer being a failure. With `degenerate` a subspace comes first, by
`spectral/subspace-exact`, on rows of its own.

The design, for n rows; privacy rests on g and T alone:

    T on a grid of multiples of ln(1/δ)/ε; u = n E ψ(χ²_d/p)/d for a scale p; G = the slope that normal rows
    exceed but for 3β/10, less eT and a little; no answer with chance β/5 where h = T
    of all T and p the one whose mask is narrowest; the error of f under that mask, by simulation; the fewest
    rows are those at which its quantile 1 - β/2 is α

What normal rows do is a table, from 40 draws for each d, n and p: the slope of the test between the levels u
- ru and u + ru, over n, its mean and sd; and of ln P_u its mean over ln p, the variance of its trace and that
of the rest of it, times n; linear in 1/√n and in T/u. Common cells are kept in `matrix_quantile_cells.json`,
written by `python -m workbench.estimators.matrix_quantile`; others are simulated when they are asked for.

Beside AL22's Algorithm 3: its masking step (Definition 3.3) stays, its vote of groups does not. Proof:
`proofs/matrix_quantile.md`.
"""

from contextlib import suppress
from functools import cached_property
from math import log, log1p, sqrt
from typing import Literal

import numpy as np

from workbench.errors import ArgumentError, one_of, positive
from workbench.estimators.base import Abstention, Estimator, shuffled
from workbench.estimators.shared.budgets import require_events
from workbench.estimators.shared.rows import centred_rows, neutral
from workbench.estimators.stable_quantile import (
    WIDEST,
    Cell,
    Influence,
    Scaled,
    Stability,
    between,
    carried,
    counts,
    fewest_that,
    kept_cells,
    levels_around,
    means_and_spreads,
    normal_level,
    rounded,
    write,
)
from workbench.estimators.subspaces import SubspaceExact, completed
from workbench.linalg import symmetrised
from workbench.privacy import ApproxDP, Budget, NoiseSource, Parallel, Plan, SimulatedNoise
from workbench.privacy.stable import (
    LAPLACE,
    LARGEST_THOMPSON,
    WISHART,
    ChargedRoot,
    Stable,
    StableCharge,
    rough_scale,
    stable_identity,
    stable_mask,
    stable_scale,
)
from workbench.special import ndtri
from workbench.types import Array, Floats, frozen, public, remembered

DRAWS, SEED = 40, 47
RATIOS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4)
FACTORS = (0.8, 1.0, 1.25)
COMMON = (1, 2, 3, 4, 5, 6, 8, 10, 20)
FILE = "matrix_quantile_cells.json"
DIGITS = 7

TEST = "stability"
COUNTS = (1.45, 1.5, 1.55, 1.6, 1.65, 1.7, 1.8, 1.9, 2.0, 2.2, 2.5, 3.0)  # T in units of ln(1/δ)/ε
SILENT, STEEP = 0.2, 0.3  # of β: no answer where h = T, and a smaller slope
HIGHEST = 7  # cells beyond n = 4⁷ are extended from the last two
RELEASES, RELEASE_SEED = 600, 53
Target = Literal["thompson", "frobenius"]
Mask = Literal["auto", "wishart"]


@public
class MatrixQuantileCovariance(Estimator[Array]):
    """Private covariance of any Gaussian from a few thousand rows: a stable matrix quantile (ours).

    Accurate for normal rows of any mean and any positive definite covariance; rows that are not normal, or
    too few, mostly get "no answer". Far rows, up to the share that `other_rows` tells, cannot carry an answer
    away, however far they lie; more of them in one place are taken for the distribution's own, without a
    word. No answer either beyond a condition of some 10^9, rows in units of their columns: `LiftedGaussian`
    has one up to 10^12. All else as of `PopulousCovariance`; an absent row, or its pair, counts nowhere, and
    the quantile shrinks with their share: one row in fifty that is absent may mean no answer, one in ten
    does.

    Parameters
    ----------
    alpha : float or None, default None
        Wanted error in the norm of Σ; None for a condition of at most 4 after whitening.
    degenerate : bool, default False
        Whether the subspace that the rows vary in is found first, on rows of its own.
    mask : {"auto", "wishart"}, default "auto"
        Noise of the release: "wishart", which takes more rows where there is a choice, or "auto" for Laplace
        in Thompson's metric for d ≤ 4 and "wishart" above.

    Examples
    --------
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).standard_normal((3000, 2)) * [1e-6, 1e6] + 1e3
    >>> release = MatrixQuantileCovariance()(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> bool((abs(release.value.diagonal() / [1e-12, 1e12] - 1) < 0.5).all())
    True
    """

    alpha: float | None = None
    centred: bool = False
    degenerate: bool = False
    beta: float = 0.1
    mask: Mask = "auto"

    def _validate(self) -> None:
        one_of(("auto", "wishart"), mask=self.mask)
        if self.alpha is not None:
            positive(alpha=self.alpha)

    charged_roots = True  # the root that is masked is charged for as computed: section 4.6 of the proof

    @property
    def subspace(self) -> SubspaceExact:
        return SubspaceExact(centred=self.centred, beta=self.beta / 10)

    def fewest(self, d: int, budget: ApproxDP) -> int:
        target: Target = "thompson" if self.alpha is None else "frobenius"
        alpha = log(2) if self.alpha is None else self.alpha
        rows = fewest_rows(d, budget, self._share, target, alpha, self.mask)
        return self._first(d, budget) + (1 if self.centred else 2) * rows

    def _first(self, d: int, budget: ApproxDP) -> int:
        return self.subspace.fewest(d, budget) if self.degenerate else 0

    @property
    def _share(self) -> float:
        return 0.9 * self.beta if self.degenerate else self.beta  # of β, beside the subspace

    def recipe(self, n: int, d: int, budget: Budget) -> "tuple[int, MatrixQuantile]":
        """Return how many rows the subspace has, and steps (1) to (3) for the others, paired or not."""
        events = require_events(budget)
        fewest = self.fewest(d, events)
        if n < fewest:
            raise ArgumentError("n", n, f"at least {fewest} for d = {d}, alpha = {self.alpha} at {budget}")
        first = self._first(d, events)
        rows = (n - first) // (1 if self.centred else 2)
        return first, MatrixQuantile(rows, d, events, self._share, self.mask)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        first, recipe = self.recipe(n, d, budget)
        if not self.degenerate:
            return recipe.design.plan
        return Parallel((self.subspace.plan(first, d, budget), recipe.design.plan))

    def other_rows(self, n: int, d: int, budget: Budget) -> str:
        """Return which share of far rows cannot carry an answer away, in words; nothing of a subspace."""
        _, recipe = self.recipe(n, d, budget)
        return "" if self.degenerate else carried(recipe.design.test.level / n)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array | Abstention:
        first, recipe = self.recipe(len(x), x.shape[1], budget)
        if not self.degenerate:
            found = recipe.draw(centred_rows(x, self.centred), noise)
            return Abstention(TEST) if found is None else found
        x = shuffled(x, noise)
        basis = self.subspace.basis(x[:first], recipe.budget, noise)
        if isinstance(basis, Abstention):
            return basis
        inside = recipe.draw(completed(centred_rows(x[first:], self.centred), basis, noise), noise)
        rank = basis.shape[1]
        return Abstention(TEST) if inside is None else symmetrised(basis @ inside[:rank, :rank] @ basis.T)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on the Thompson distance from Σ, all |ln λ| of out⁻¹Σ, true with probability 1 - β.

        For normal rows of full rank, given an answer, by simulation.
        """
        return self.recipe(n, d, budget)[1].design.error("thompson", beta / 2)


@frozen
class MatrixQuantile:
    """Steps (1) to (3) for n rows of mean 0 and dimension d."""

    n: int
    d: int
    budget: ApproxDP
    beta: float
    mask: Mask = "auto"
    widest: float = WIDEST

    @property
    def design(self) -> "Design":
        return _design(self)

    @property
    def stretch(self) -> float:  # the root mean square of tr(out)/d for normal rows of covariance I
        traces = np.trace(self.design.released, axis1=1, axis2=2) * self.design.centring / self.d
        return float(np.sqrt(np.mean(traces**2)))

    def draw(self, rows: Array, noise: NoiseSource) -> Array | None:
        """Return the masked centre, positive definite, or None for no answer."""
        made = self.design
        h, root = made.test.measure(neutral(rows))  # (1) (2)
        released = stable_mask(Stable(h, ChargedRoot(root)), made.charge, noise)  # (3)
        return None if released is None else released * made.centring


def influence_for(d: int) -> Influence:
    return Influence(0.3 if d <= 2 else 0.5 if d <= 7 else 0.7)


def scales(d: int) -> Floats:
    """Return the scales p for d dimensions: P_u is about p times the covariance."""
    return tuple(factor * d * (1 + 2.2 / d**0.4) for factor in FACTORS)


@remembered
def cells(d: int, power: int) -> list[Cell]:  # of every scale
    return kept_cells(FILE).get(f"{d} {power}") or simulated(d, power)


def simulated(d: int, power: int) -> list[Cell]:
    n = int(4**power)
    draws = [np.random.default_rng((SEED, d, power, draw)).standard_normal((n, d)) for draw in range(DRAWS)]
    return [_cell(np.array([_drawn(x, influence_for(d), scale) for x in draws]), n) for scale in scales(d)]


def _drawn(rows: Array, influence: Influence, scale: float) -> Array:
    # the slopes over n, then ln P_u: trace and length of the rest
    n, d = rows.shape
    level = n * normal_level(influence, d, scale)
    scaled = Scaled.of(rows, influence, level * (1 - RATIOS[-1]))
    found = levels_around(scaled, influence, level, RATIOS)
    if found is None:
        return np.zeros(len(RATIOS) + 2)
    factor, _, slopes = found
    logs = 2 * np.log(np.linalg.svd(scaled.root(factor), compute_uv=False)) - log(scale)
    return np.array([*slopes, logs.sum(), np.linalg.norm(logs - logs.mean())])


def _cell(drawn: Array, n: int) -> Cell:
    trace, rest = drawn[:, -2], drawn[:, -1]
    slopes, spreads = means_and_spreads(drawn[:, :-2], n, DIGITS)
    numbers = {"shift": trace.mean(), "trace": trace.var(ddof=1) * n, "rest": (rest**2).mean() * n}
    return {"slopes": slopes, "spreads": spreads, **{k: rounded(v, DIGITS) for k, v in numbers.items()}}


def powers(d: int) -> range:
    """Return the powers of 4 that are kept for a common d; fewer rows have hardly a design."""
    return range(2 if d == 1 else 3 if d <= 3 else 4, 8)


@frozen
class Design:
    """The test, what it and its mask together cost, and what normal rows do."""

    test: Stability
    budget: ApproxDP
    silent: float
    mask: Mask
    scale: float
    law: tuple[float, float, float]  # of ln f: mean trace, variance of the trace, mean square of the rest

    @property
    def charge(self) -> StableCharge:
        return stable_charge(self.test, self.budget, self.silent, self.mask)

    plan = charge

    @cached_property
    def released(self) -> Array:
        """Simulated releases for the covariance I, before they are centred, shape (draws, d, d)."""
        d, rng = self.test.d, np.random.default_rng((RELEASE_SEED, self.test.d))
        noise = SimulatedNoise(rng)
        charge = self.charge
        masks = np.array([stable_identity(charge, noise) for _ in range(RELEASES)])
        mean, variance, rest = self.law
        free = rng.standard_normal((RELEASES, d, d))
        free = (free + free.transpose(0, 2, 1)) / 2
        free -= np.trace(free, axis1=1, axis2=2)[:, None, None] / d * np.eye(d)
        size = sqrt(rest / (d * (d + 1) / 2 - 1)) if d > 1 else 0.0
        trace = (mean + sqrt(variance) * rng.standard_normal(RELEASES)) / d
        values, axes = np.linalg.eigh(free * size)
        halves = np.exp((values + trace[:, None]) / 2) * sqrt(self.scale)
        root = axes * halves[:, None, :] @ axes.transpose(0, 2, 1)
        return root @ masks @ root

    @cached_property
    def centring(self) -> float:  # c: the release times c is centred on the covariance
        values = np.linalg.eigvalsh(self.released)
        return float(np.exp(-np.median(np.log(values[:, 0] * values[:, -1])) / 2))

    def error(self, target: Target, beta: float) -> float:
        """Return the upper β-quantile of the error for normal rows, given an answer."""
        found = self.released * self.centring
        if target == "thompson":
            errors = np.abs(np.log(np.linalg.eigvalsh(found))).max(axis=1)
        else:
            errors = np.linalg.norm(found - np.eye(self.test.d), axis=(1, 2))
        return float(np.quantile(errors, 1 - beta))


@remembered
def _design(recipe: MatrixQuantile) -> Design:
    # whose mask is narrowest; raises where there is none
    tried = ((most, index) for most in counts(recipe.budget, COUNTS) for index in range(len(FACTORS)))
    found = [one for each in tried if (one := _designed(recipe, *each))]
    made = min(found, key=lambda one: rough_scale(one.charge), default=None)
    with suppress(ArgumentError):
        if made is not None and stable_scale(made.charge) > 0:
            return made
    raise ArgumentError("n", recipe.n, f"more rows for d = {recipe.d} at {recipe.budget}")


def _designed(recipe: MatrixQuantile, most: int, index: int) -> Design | None:
    # the design with this count and scale, or None if there is none
    n, d, beta = recipe.n, recipe.d, recipe.beta
    influence, scale, law = influence_for(d), scales(d)[index], interpolated(n, d, index)
    level = n * normal_level(influence, d, scale)

    def test(spacing: float) -> Stability:
        ratio = most * spacing / level
        mean, spread = (np.interp(ratio, RATIOS, law[one], right=0.0) for one in ("slopes", "spreads"))
        slope = n * mean + float(ndtri(STEEP * beta)) * sqrt(n) * spread
        strength = float(slope * (1 - 1e-3) - influence.most * most)
        return Stability(n, d, influence, level, most, strength, recipe.widest)

    with suppress(ArgumentError):
        made, normal = test(test(1.0).spacing), (law["shift"], law["trace"] / n, law["rest"] / n)
        return Design(made, recipe.budget, SILENT * beta, recipe.mask, scale, normal)
    return None


def stable_charge(test: Stability, budget: ApproxDP, silent: float, mask: Mask = "auto") -> StableCharge:
    thin = mask == "auto" and test.d <= LARGEST_THOMPSON
    kind, distance = (LAPLACE, log1p(test.change)) if thin else (WISHART, test.change)
    return StableCharge(TEST, kind, distance, budget, most=test.most, d=test.d, silent=silent)


@remembered
def interpolated(n: int, d: int, index: int) -> Cell:
    made = between(n, lambda power: cells(d, power)[index], powers(d).start, HIGHEST - 1)
    return made | {name: max(0.0, made[name]) for name in ("trace", "rest")}


@remembered
def fewest_rows(
    d: int,
    budget: ApproxDP,
    beta: float,
    target: Target,
    alpha: float,
    mask: Mask = "auto",
    widest: float = WIDEST,
) -> int:
    """Return the fewest rows, to 1 %, whose error is at most α with probability 1 - β/2, given an answer."""

    def accurate(n: int) -> bool:
        with suppress(ArgumentError):
            recipe = MatrixQuantile(n, d, budget, beta, mask, widest)
            return recipe.design.error(target, beta / 2) <= alpha
        return False

    return fewest_that(accurate, 32, ArgumentError("alpha", alpha, f"more for d = {d} at {budget}"))


if __name__ == "__main__":  # all common cells
    write(FILE, {f"{d} {p}": simulated(d, p) for d in COMMON for p in powers(d)})
