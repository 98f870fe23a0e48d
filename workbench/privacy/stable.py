"""Masks of positive definite matrices, and tests of stability at one price with the noise that follows.

A mask (AL22 Definition 3.3, Section 5) takes a root L of a matrix and returns L M Lᵀ, M a random positive
definite matrix whose distribution does not change under rotations, so that any root will do and the noise is
as wide as the matrix in every direction. The distance of matrices is Thompson's, d(A, B) = max |ln λ| over
the eigenvalues λ of A⁻¹B; AL22's semimetric is e^d - 1.

    thompson_laplace   M = U diag(e^λ) Uᵀ, density ∝ e^(-θ d(M, I)); ε-DP with θ = ε/Δ      d ≤ 4
    wishart            M = W/ν, W the second moments of ν normal rows; ν as large as (ε, δ) allows
    square             M = (I + ηG)(I + ηG)ᵀ/c, G of independent N(0, 1): the source's (Lemma 5.1)

A charge's sensitivity is the Thompson distance Δ of two values; the scale is 1/θ, 1/ν or η.

A tested value comes with a count h of how stable it is. Of neighbours, |h - h'| ≤ 1, and where h, h' ≥ 1 the
values are as close as Δ says:

    stable_thompson_laplace           max |ln λ| ≤ Δ, λ the eigenvalues of P⁻¹P' of matrices P, P'
    stable_wishart, tested_wishart    Σ (ln λ)₊ ≤ Δ and Σ (ln λ)₋ ≤ Δ
    located_normal                    |m - m'| ≤ Δ in the norm of some S₀ ≤ S, S', the scatters of locations
                                      m, m', with tr(S₀⁻¹S - I), tr(S₀⁻¹S' - I) ≤ g
    voted_gaussian, voted_laplace     averages Y, Y' at most Δ_h apart in l2, or in l1, where h, h' ≥ h, for
                                      Δ = Δ_1 ≥ Δ_2 ≥ ..

    (1) abstain but with probability p(h)                                               `privacy.ramps`
    (2) L M Lᵀ, of rate θ = ε'/Δ or of ν normal rows; or m + σ R Z, S = R Rᵀ, Z standard normal; or Y + noise,
        normal of sd Δ_1/r, or Laplace of scale Δ_1/r
    (3) `tested_wishart`: steps of normal noise, ρ-zCDP in all whatever (2) is, that see the same rows and (2)

(2) is ε'-DP; or of the hockey stick of two gamma variables of shape ν/2, scales (e^Δ, e^-Δ) against (1, 1),
exactly (for d = 1 of one of them), and with the steps of (3), normal noise all, of that and of normal
distributions √(2ρ) sd apart; or of a Rényi divergence of at most (α/2)(Δ/σ)²/(1 - (α - 1)g) + c_α(g), c_α of
`renyi`, for the orders with (α - 1)(e^g - 1) < 1; or, with t = r Δ_h/Δ_1, of the hockey stick Φ(t/2 - e/t) -
e^e Φ(-t/2 - e/t), exactly, or that of any t-DP pair. ε', ν or r is the largest, σ the least, whose p has p(T)
≥ 1 - `silent`; where steps follow ν is given, and ρ, the `room` that it leaves, is the largest. (ε, δ) are
the cost of all of it: no step has a share of its own. The pair of gamma variables is proved the worst for ν ≥
2; of fewer rows, and of more than 10⁵, whose lower tail floats do not have, Rényi's ν c_α(Δ) + ρα is the
price.

Proofs: `proofs/masks.md`, `proofs/matrix_quantile.md`; `proofs/tested_masks.md`, of votes section 4, and
`proofs/affine_mean.md`, of locations section 4, of (3) section 7.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from math import ceil, exp, expm1, inf, log, log1p, sqrt

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from workbench.errors import ArgumentError
from workbench.privacy.budgets import ZCDP, ApproxDP, delta_of_gdp, gdp_within_approx, within
from workbench.privacy.mechanisms import approximate_cost, pure_cost
from workbench.privacy.noise import NoiseSource
from workbench.privacy.plan import Charge, add, compose
from workbench.privacy.ramps import (
    LARGEST,
    Divergence,
    Pure,
    answering,
    excess,
    falling_ramp,
    from_gammas,
    from_renyi,
    largest,
    narrowed,
    orders,
    ramp,
    replayed,
    rising,
    rising_slowly,
    typical,
)
from workbench.special import brentq, chdtr, chdtrc, chndtr
from workbench.types import Array, Floats, frozen, remembered

MASKS = ("thompson_laplace", "wishart", "square")
LAPLACE, WISHART, LIFTED = "stable_thompson_laplace", "stable_wishart", "tested_wishart"
STABLE = (LAPLACE, WISHART)
LOCATED = "located_normal"
VOTED_NORMAL, VOTED_LAPLACE = "voted_gaussian", "voted_laplace"
VOTED = (VOTED_NORMAL, VOTED_LAPLACE)
SHAPED = {*MASKS, *STABLE, LIFTED, LOCATED}  # mechanisms whose noise has the shape of a root
LARGEST_THOMPSON = 4
LARGEST_SPREAD = 0.5  # of the Δ of a lifted matrix, and of g
LEAST_STEPS, MOST_STEPS = 1e-12, 1e4  # of ρ/ε², between which it is searched
WIDEST, NARROWEST = 1e4, 0.1  # of σ/Δ, between which it is searched
LONGEST, BEYOND = 4.0, 20  # counts of a vote that are looked at: in units of ln(1/2δ)/ε, and so many more
MOST = 5000  # and no more than that
RISE, NEAR, LOUDEST = 1.4, 1.01, 1e6  # steps of a search for r, how well it is known, and where it ends
CELLS = 4000  # of a chi-square variable
LEAST_ROWS, MOST_ROWS = 2.0, 1e5  # whose pair is proved the worst, and whose lower tail floats have
MOST_DEGREES = 1e8  # of all rows of a mask together: more take seconds, and floats lose them
NORMAL = ("gaussian", "symmetric_gaussian")


# Masks


@dataclass(frozen=True, eq=False)
class ChargedRoot:
    """A root as it was computed, whose rounding the charge covers: exact noise is refused for any other."""

    root: Array

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.asarray(self.root, dtype)

    def __len__(self) -> int:
        return len(self.root)


def masked(root: Array | ChargedRoot, charge: Charge, noise: NoiseSource) -> Array:
    """Return LLᵀ, L = `root`, under the mask that `charge` names, at the charge's cost."""
    return _masked(root, charge, noise)


def masked_identity(d: int, charge: Charge, noise: NoiseSource) -> Array:
    """Return the identity under a mask: what a design looks at, no release."""
    return _masked(np.eye(d), charge, noise)


def _masked(root: Array | ChargedRoot, charge: Charge, noise: NoiseSource) -> Array:
    scales = {"thompson_laplace": thompson_laplace_scale, "wishart": wishart_scale, "square": square_scale}
    kind, d = charge.mechanism, len(root)
    if kind not in scales:
        raise ArgumentError("mechanism", kind, "one of " + ", ".join(MASKS))
    return getattr(noise, kind)(root, charge.sensitivity, scales[kind](charge, d))


def thompson_laplace_scale(charge: Charge, d: int) -> float:
    """Return 1/θ = Δ/ε: ε-DP.

    Raises
    ------
    ArgumentError
        If d is above 4, or θ is not above `least_rate`.
    """
    epsilon = pure_cost(charge).epsilon
    if d > LARGEST_THOMPSON:
        raise ArgumentError("d", d, f"at most {LARGEST_THOMPSON} for the Thompson-Laplace mask")
    scale = charge.sensitivity / epsilon
    if scale * least_rate(d) >= 1:
        raise ArgumentError("sensitivity", charge.sensitivity, f"below {epsilon / least_rate(d):g}")
    return scale


def least_rate(d: int) -> int:
    """Return the lower bound on θ: 2⌊d²/4⌋, and 1.

    At ⌊d²/4⌋ the density is not integrable, and close to that a draw is rejected many thousand times.

    >>> [least_rate(d) for d in (1, 2, 3, 4)]
    [1, 2, 4, 8]
    """
    return max(1, 2 * (d * d // 4))


def wishart_scale(charge: Charge, d: int) -> float:
    """Return 1/ν for the fewest rows ν, a real number, that hold (ε, δ) at Thompson distance Δ."""
    return 1 / _most_rows(approximate_cost(charge), charge.sensitivity, d)


@remembered
def _most_rows(cost: ApproxDP, distance: float, d: int) -> float:
    def over(log_rows: float, moved: float = distance) -> float:
        found = wishart_delta(moved, exp(log_rows), d, cost.epsilon)
        return log(max(found, 1e-300)) - log(cost.delta)

    least = log(d - 1 + 1e-3)
    if over(least) > 0:
        low, _ = narrowed(lambda moved: over(least, moved) <= 0, 1e-9 * distance, distance)
        raise ArgumentError("sensitivity", distance, f"at most {low:.3g}, for {d} dimensions at {cost}")
    most = min(log(1e6 + (d / distance) ** 2), max(log(MOST_DEGREES / d), least))
    if over(most) <= 0:  # noise that is of no account, and more than is needed
        return exp(most)
    found = brentq(over, least, most, xtol=1e-7)
    while over(found) > 0:
        found -= 1e-6
    return exp(found)


def square_scale(charge: Charge, d: int) -> float:
    """Return η of the source's mask: the least for which Lemma 5.1 allows γ = e^Δ - 1 (constants recalled).

    γ² ≤ ε/(2d(d + 1/η²)), γ ≤ ε/(8d √l), γ ≤ ε/(8l), γ ≤ εη/(12 √(dl)), with l = ln(2/δ), and γ ≤ 1.
    """
    cost, gamma = approximate_cost(charge), expm1(charge.sensitivity)
    epsilon, level = cost.epsilon, log(2 / cost.delta)
    rest = epsilon - 2 * (d * gamma) ** 2
    if gamma > 1 or rest <= 0 or 8 * gamma * max(d * sqrt(level), level) > epsilon:
        most = log1p(min(1.0, sqrt(epsilon / 2) / d, epsilon / (8 * max(d * sqrt(level), level))))
        raise ArgumentError("sensitivity", charge.sensitivity, f"below {most:.3g}, for Lemma 5.1 at any η")
    return max(gamma * sqrt(2 * d / rest), 12 * gamma * sqrt(d * level) / epsilon)


# What a mask loses: hockey-stick divergences of differences of chi-square variables, and Rényi's

Chi = tuple[float, float]  # degrees of freedom and noncentrality of a chi-square variable


def wishart_delta(distance: float, degrees: float, d: int, epsilon: float) -> float:
    """Return the δ of ν rows at a Thompson distance: the largest hockey-stick divergence of any pair.

    It is attained where j eigenvalues of the ratio are e^Δ and d - j are e^-Δ; the loss is there a difference
    of two chi-square variables.
    """
    up, down = expm1(distance) / 2, -expm1(-distance) / 2

    def delta(j: int) -> float:
        first, second = (j * degrees, 0.0), ((d - j) * degrees, 0.0)
        threshold = epsilon + distance / 2 * (first[0] - second[0])
        return _hockey_stick(epsilon, threshold, (up, first, down, second), (down, first, up, second))

    return float(np.max([delta(j) for j in range(d + 1)]))  # NaN where one is: from 5e10 degrees on


def square_delta(distance: float, eta: float, d: int, epsilon: float) -> float:
    """Return the δ of the source's mask at a Thompson distance, as `wishart_delta` (Lemma 5.1, exactly)."""
    up, down = exp(distance), exp(-distance)

    def constant(ratio: float) -> float:
        return d / 2 * log(ratio) + (sqrt(ratio) - 1) / (2 * eta**2 * (sqrt(ratio) + 1))

    def chi(rows: int, ratio: float, scale: float) -> Chi:
        return rows * d, rows * scale / (eta * (sqrt(ratio) + 1)) ** 2

    def delta(j: int) -> float:
        m = d - j
        threshold = epsilon + j * constant(up) + m * constant(down)
        p = (up - 1) / 2, chi(j, up, up), (1 - down) / 2, chi(m, down, down)
        q = (1 - down) / 2, chi(j, up, 1.0), (up - 1) / 2, chi(m, down, 1.0)
        return _hockey_stick(epsilon, threshold, p, q)

    return float(np.max([delta(j) for j in range(d + 1)]))


def _hockey_stick(
    epsilon: float, threshold: float, p: tuple[float, Chi, float, Chi], q: tuple[float, Chi, float, Chi]
) -> float:
    """Return an upper bound on P(aX - bY > v) - e^ε Q(a'X' - b'Y' > v) that is close to it.

    `p` and `q` hold a, X, b, Y. Each probability is a sum over cells of Y, its factor taken at one end of the
    cell: too large for P, too small for Q.
    """
    least = exp(min(epsilon, 700.0))  # a smaller factor leaves more
    return _difference_tail(*p, threshold, 0) - least * _difference_tail(*q, threshold, 1)


def _difference_tail(a: float, first: Chi, b: float, second: Chi, threshold: float, end: int) -> float:
    if not first[0]:
        return float(_below(second, np.array(-threshold / b)))
    if not second[0]:
        return float(_above(first, np.array(threshold / a)))
    ends, masses = _cells(second)
    above, counted = np.zeros_like(masses), masses != 0
    above[counted] = _above(first, (threshold + b * ends[end : end + len(masses)][counted]) / a)
    return float(masses @ above)


@lru_cache(maxsize=1)  # both probabilities of a Wishart mask have the same second variable
def _cells(chi: Chi) -> tuple[Array, Array]:
    centre, spread = sum(chi), sqrt(2 * (chi[0] + 2 * chi[1]))
    reach = max(0.0, centre - 10 * spread), centre + 14 * spread
    ends = np.concatenate([[0.0], np.linspace(*reach, CELLS + 1), [inf]])
    return ends, np.diff(_below(chi, ends))


def _below(chi: Chi, values: Array) -> Array:
    finite = np.clip(values, 0.0, 1e300)
    exact = chi[1] or chi[0] > MOST_ROWS  # where `chdtr` loses the lower tail, from 10^6 degrees on
    return chndtr(finite, *chi) if exact else chdtr(chi[0], finite)


def _above(chi: Chi, values: Array) -> Array:
    finite = np.clip(values, 0.0, 1e300)
    return 1 - chndtr(finite, *chi) if chi[1] else chdtrc(chi[0], finite)


def renyi(distance: float, orders: Array, d: int) -> Array:
    """Return c_α: the largest Rényi divergence for each of ν rows."""

    def divergence(v: float) -> Array:
        return (-np.log1p(-(orders - 1) * expm1(v)) / (orders - 1) - v) / 2

    up, down = divergence(distance), divergence(-distance)
    return up + down if d > 1 else np.maximum(up, down)


# Tested matrices


@frozen
class StableCharge(Charge):
    """The charge: `sensitivity` is Δ, `most` T, `d` columns; no answer with chance `silent` at h = T."""

    most: int
    d: int
    silent: float


@frozen
class LiftCharge(StableCharge):
    """The charge of (1) to (3), with `degrees` ν and `rest`, the steps."""

    degrees: float
    room: ZCDP
    rest: tuple[Charge, ...] = ()

    def _validate(self) -> None:
        super()._validate()
        if not self.degrees > self.d - 1:
            raise ArgumentError("degrees", self.degrees, f"above {self.d - 1}")
        for part in self.rest:
            if part.mechanism not in NORMAL:
                raise ArgumentError("rest", part.mechanism, "normal noise: " + ", ".join(NORMAL))
        spent = add([compose(part) for part in self.rest], "zcdp") if self.rest else self.room
        if not within(spent, self.room):
            raise ArgumentError("rest", spent, f"at most {self.room}")

    def charges(self) -> Iterator[Charge]:
        """Yield its own, whose (ε, δ) are those of the whole, and those of the steps."""
        yield self
        yield from self.rest


@frozen
class Stable:
    """What is masked: the count h, and a root of the matrix."""

    count: int
    root: Array | ChargedRoot


@frozen
class Lift:
    """What is masked: the count h, and a root [[r, 0], [l, R]] of P as r, R, and a location centre + l/r.

    Of a location, m = centre + shift, and a root R of its scatter.
    """

    count: int
    centre: Array
    shift: Array
    root: Array
    height: float


def stable_scale(charge: StableCharge) -> float:
    """Return 1/θ or 1/ν.

    Raises
    ------
    ArgumentError
        If no mask, or hardly one, reaches the wanted chance of an answer: Δ or T is too far from (ε, δ).
    """
    if isinstance(charge, LiftCharge):
        return 1 / charge.degrees
    laplace, distance, d = charge.mechanism == LAPLACE, charge.sensitivity, charge.d
    if laplace and d > LARGEST_THOMPSON:
        raise ArgumentError("d", d, f"at most {LARGEST_THOMPSON} for the Thompson-Laplace mask")
    found, least = _rate(charge, _degrees), least_rate(d) if laplace else 2 * d
    if not found > least:
        most = f"below {found * distance / least:.3g}" if laplace else "smaller"
        allowed = f"{most}, for a count of {charge.most} and d = {d} at {charge.cost}"
        raise ArgumentError("sensitivity", distance, allowed)
    return 1 / found


def rough_scale(charge: StableCharge) -> float:
    """Return about `stable_scale`, sooner, or infinity: which of many designs is best, not what is drawn."""
    found = _rate(charge, _rough)
    return 1 / found if found else inf


def _rate(charge: StableCharge, rows: Callable[..., float]) -> float:
    cost = _priced(approximate_cost(charge))
    if charge.mechanism == LAPLACE:
        return pure_room(cost, charge.most, charge.silent) / charge.sensitivity
    return rows(cost, charge.sensitivity, charge.most, charge.silent, charge.d == 1)


def stable_mask(found: Stable, charge: StableCharge, noise: NoiseSource) -> Array | None:
    """Return the matrix under a mask of its own shape, or None for no answer: (ε, δ)-DP.

    The mask is drawn in any case, of the identity where there is no answer: what is drawn is public.
    """
    answers = noise.uniform(0.0, 1.0) < chances(charge)[found.count]  # (1)
    released = _drawn(found.root if answers else ChargedRoot(np.eye(charge.d)), charge, noise)  # (2)
    return released if answers else None


def masked_lift(lift: Lift, charge: StableCharge, noise: NoiseSource) -> tuple[Array, Array] | None:
    """Return m and a root of S of (2), or None for no answer, after which no row may be looked at.

    With M = [[a, bᵀ], [b, C]], m = centre + (l/r + R b/(a r)) and S = R (C - b bᵀ/a) Rᵀ. The mask is drawn in
    any case.
    """
    answers = noise.uniform(0.0, 1.0) < chances(charge)[lift.count]  # (1)
    drawn = stable_identity(charge, noise)  # (2)
    if not answers:
        return None
    along = drawn[1:, 0] / drawn[0, 0]
    across = np.asarray(np.linalg.cholesky(drawn[1:, 1:] - np.outer(along, drawn[1:, 0])), np.float64)
    return lift.centre + (lift.shift + lift.root @ along / lift.height), lift.root @ across


def stable_identity(charge: StableCharge, noise: NoiseSource) -> Array:
    """Return the identity under the mask: what a design looks at, no release."""
    return _drawn(np.eye(charge.d), charge, noise)


def _drawn(root: Array | ChargedRoot, charge: StableCharge, noise: NoiseSource) -> Array:
    draw = noise.thompson_laplace if charge.mechanism == LAPLACE else noise.wishart
    return draw(root, charge.sensitivity, stable_scale(charge))


@remembered
def pure_room(cost: ApproxDP, most: int, silent: float) -> float:
    """Return the largest ε' of a mask that is ε'-DP, to a thousandth and from below, or 0."""
    return largest(answering(Pure, cost, most, silent), cost.epsilon / 2, "pure")


@remembered
def normal_room(cost: ApproxDP, most: int, silent: float) -> float:
    """Return the same for ρ of a normal mask, or 0."""
    cost = _priced(cost)
    over = answering(lambda rho: Shifted(sqrt(2 * rho)), cost, most, silent)
    return largest(over, _about(cost), "normal")


@remembered
def room(budget: ApproxDP, spread: float, degrees: float, most: int, silent: float) -> ZCDP:  # of (3)
    """Return the same for ρ of steps after the mask of a lifted matrix.

    Raises
    ------
    ArgumentError
        If the mask alone is too much for the wanted chance of an answer.
    """
    budget = _priced(budget)
    over = answering(lambda rho: _of_rows(degrees, spread, False, budget, rho), budget, most, silent)
    low, high = (bound * budget.epsilon**2 for bound in (LEAST_STEPS, MOST_STEPS))
    if not (spread <= LARGEST_SPREAD and over(low) >= 0):
        raise ArgumentError("degrees", degrees, f"fewer, for a count of {most} at {budget}")
    found = replayed(lambda answers: narrowed(answers, low, high), over, _about(budget), "room", rises=False)
    return ZCDP(found[0])


def _priced(cost: ApproxDP) -> ApproxDP:
    """Return the cost with an ε that floats have the exponential of; less than what is spent is safe."""
    return cost if cost.epsilon <= LARGEST else ApproxDP(LARGEST, cost.delta)


def _about(cost: ApproxDP) -> float:
    return cost.epsilon**2 / (4 * log(1 / cost.delta) + 4 * cost.epsilon)


@remembered
def _degrees(cost: ApproxDP, distance: float, most: int, silent: float, line: bool) -> float:
    """Return the most rows ν, or 0."""
    over = answering(lambda rows: _of_rows(rows, distance, line, cost), cost, most, silent)
    return largest(over, _rough(cost, distance, most, silent, line), "rows")


def _rough(cost: ApproxDP, distance: float, most: int, silent: float, line: bool) -> float:
    """Return about that: where one order, near the best, has what a normal mask may have."""
    if distance > 1:
        return 0.0
    order = 1 + min(typical(cost), 0.8 / expm1(distance))
    divergence = float(renyi(distance, np.array([order]), 1 if line else 2)[0])
    return normal_room(cost, most, silent) * order / divergence


def _of_rows(rows: float, distance: float, line: bool, cost: ApproxDP, rho: float = 0.0) -> Divergence:
    """Return the hockey stick of ν normal rows at Δ and of steps; by Rényi's where it is not known."""
    if LEAST_ROWS <= rows <= MOST_ROWS:
        return from_gammas(distance, rows, line, rho, cost)
    tried, one = _orders(distance, line, cost)
    return from_renyi(tried, rows * one + rho * tried, cost.epsilon)


@lru_cache(maxsize=128)
def _orders(distance: float, line: bool, cost: ApproxDP) -> tuple[Array, Array]:
    tried = orders(cost, (1 - 1e-9) / expm1(distance))
    return tried, renyi(distance, tried, 1 if line else 2)


# Tested locations


@frozen
class LocatedCharge(Charge):
    """The charge: `sensitivity` is Δ, `spread` g, `most` T; no answer with chance `silent` at h = T."""

    spread: float
    most: int
    d: int
    silent: float


def located_scale(charge: LocatedCharge) -> float:
    """Return σ.

    Raises
    ------
    ArgumentError
        If no noise reaches the wanted chance of an answer: g or T is too far from what (ε, δ) allows.
    """
    cost = _priced(approximate_cost(charge))
    return charge.sensitivity * _ratio(cost, charge.spread, charge.most, charge.d == 1, charge.silent)


def located_normal(found: Lift, charge: LocatedCharge, noise: NoiseSource) -> Array | None:
    """Return the location with noise of its own shape, or None for no answer: (ε, δ)-DP.

    The noise is drawn in any case: what is drawn is public. It is added to the shift before the centre is: a
    location that was rounded first would show through noise that is below its rounding.
    """
    answers = noise.uniform(0.0, 1.0) < chances(charge)[found.count]  # (1)
    drawn = noise.gaussian(np.zeros(charge.d, int), charge.sensitivity, located_scale(charge))  # (2)
    return found.centre + (found.shift + found.root @ drawn) if answers else None


def suffices(charge: LocatedCharge | StableCharge, scale: float) -> bool:
    """Tell whether a σ, or 1/ν, gives the wanted chance of an answer."""
    cost, spread = _priced(approximate_cost(charge)), getattr(charge, "spread", charge.sensitivity)
    if spread > LARGEST_SPREAD:
        return False
    over = answering(lambda scale: _stick(charge, scale, cost), cost, charge.most, charge.silent)
    return over(scale) >= 0


def _stick(charge: LocatedCharge | StableCharge, scale: float, cost: ApproxDP) -> Divergence:
    if isinstance(charge, LocatedCharge):
        return _of_location(scale / charge.sensitivity, charge.spread, charge.d == 1, cost)
    return _of_rows(1 / scale, charge.sensitivity, charge.d == 1, cost)


@remembered
def _ratio(budget: ApproxDP, spread: float, most: int, line: bool, silent: float) -> float:
    """Return the least σ/Δ, to a thousandth and from above."""
    over = answering(lambda ratio: _of_location(ratio, spread, line, budget), budget, most, silent)
    start = 1.4 * sqrt(2 * log(1 / budget.delta)) / budget.epsilon  # rather more than without a test
    some, like, found = spread <= LARGEST_SPREAD, (budget, most, line, silent), WIDEST
    if some:
        found = replayed(
            lambda ask: narrowed(lambda ratio: not ask(ratio), NARROWEST, WIDEST), over, start, like, True
        )[1]
    if found == WIDEST and not (some and over(WIDEST) >= 0):
        allowed = "smaller" if some else f"at most {LARGEST_SPREAD:g}"
        raise ArgumentError("spread", spread, f"{allowed}, for a count of {most} at {budget}")
    return found


def _of_location(ratio: float, spread: float, line: bool, budget: ApproxDP) -> Divergence:
    """Return the hockey stick of (2) at σ/Δ = ratio."""
    tried, shape = _orders(spread, line, budget)
    shift = tried / 2 / ratio**2 / (1 - (tried - 1) * spread)
    return from_renyi(tried, shift + shape, budget.epsilon)


# Tested averages: votes


@frozen
class VotedCharge(Charge):
    """The charge: `sensitivity` Δ_1, `ratio` r, `falls` Δ_h/Δ_1; no answer at `usual` with `silent`."""

    ratio: float
    falls: Floats = field(repr=False)
    usual: int
    silent: float

    @property
    def most(self) -> int:
        return len(self.falls)


@frozen
class Voted:
    """What noise is added to: the count h and the average, 0 where h = 0."""

    count: int
    value: ArrayLike


@frozen
class Shifted:
    """The hockey stick of normal distributions that are a ratio of their sd apart."""

    ratio: float

    def __call__(self, e: float) -> float:
        """Return it at e; below 0 by that of the exchanged pair, which is the same."""
        if e >= 0:
            return delta_of_gdp(self.ratio, e)
        return min(1.0, -expm1(e) + exp(e) * delta_of_gdp(self.ratio, -e))


def voted_scale(charge: VotedCharge) -> float:
    return charge.sensitivity / charge.ratio


def voted(found: Voted, charge: VotedCharge, noise: NoiseSource) -> Array | None:
    """Return the noisy average, or None for no answer: (ε, δ)-DP.

    The noise is drawn in any case: what is drawn is public.
    """
    answers = noise.uniform(0.0, 1.0) < chances(charge)[found.count]  # (1)
    draw = noise.laplace if charge.mechanism == VOTED_LAPLACE else noise.gaussian
    released = draw(found.value, charge.sensitivity, voted_scale(charge))  # (2)
    return released if answers else None


@remembered
def counts(cost: ApproxDP, kind: str, share: float, silent: float) -> tuple[float, int]:
    """Return r, a share of that without a vote, and the fewest counts T for it, or 0, where no Δ falls."""
    ratio = share * (cost.epsilon if kind == VOTED_LAPLACE else gdp_within_approx(cost).mu)
    least = max(0.0, log(1 / (2 * cost.delta)) / cost.epsilon)  # chances grow by at most e^ε a count
    if least > MOST:
        return ratio, 0
    rises = islice(rising(_of_average(kind, ratio), cost), min(ceil(LONGEST * least) + BEYOND, MOST) + 1)
    return ratio, next((h for h, p in enumerate(rises) if p >= 1 - silent), 0)


@remembered
def largest_ratio(cost: ApproxDP, kind: str, falls: Floats, silent: float, start: float) -> float:
    """Return the largest r with p(T) ≥ 1 - `silent`, to a hundredth, from below; 0 if `start` is more."""

    def over(ratio: float) -> float:
        sticks = (_of_average(kind, ratio * fall) for fall in falls)
        return excess(rising_slowly(sticks, cost), len(falls), silent)

    def search(answers: Callable[[float], bool]) -> tuple[float, float]:
        low, high = 0.0, start
        while answers(high) and high < LOUDEST * start:
            low, high = high, RISE * high
        while low and high > NEAR * low:
            middle = (low * high) ** 0.5
            low, high = (middle, high) if answers(middle) else (low, middle)
        return low, high

    return replayed(search, over, start, (cost, kind, len(falls)), rises=False)[0]


def _of_average(kind: str, ratio: float) -> Pure | Shifted:
    return Pure(ratio) if kind == VOTED_LAPLACE else Shifted(ratio)


# The chances of an answer


@remembered
def chances(charge: StableCharge | LocatedCharge | VotedCharge) -> Floats:
    """Return p(0), .., p(T)."""
    cost, most = _priced(approximate_cost(charge)), charge.most
    stick: Divergence
    match charge:
        case VotedCharge():
            sticks = [_of_average(charge.mechanism, charge.ratio * fall) for fall in charge.falls]
            return falling_ramp(sticks, cost)
        case LocatedCharge():
            stick = _stick(charge, located_scale(charge), cost)
        case LiftCharge():
            stick = _of_rows(charge.degrees, charge.sensitivity, False, cost, charge.room.rho)
        case _:
            scale, laplace = stable_scale(charge), charge.mechanism == LAPLACE
            stick = Pure(pure_room(cost, most, charge.silent)) if laplace else _stick(charge, scale, cost)
    found = ramp(stick, cost, most)
    if not found:
        raise ArgumentError("charge", charge, "one that (ε, δ) allows")
    return found
