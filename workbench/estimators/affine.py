"""The mean of any Gaussian, or all of it, in its own norm: a stable quantile of lifted rows.  Derived here.

Rows x of shape (n, d), any mean, any positive definite covariance Σ. Neighbours: replace one row. The
quantile of the lifted rows (1, x) and its test are those of `stable_quantile`: P_v holds a location m, a
scatter S and a scale s.

    (1) h = how many rows may be replaced before m and S, or P = P_u, could move far
    (2) a mean: no answer but with probability p(h), else m + σ S^½ Z, or, where it is nearer, the location
        of P under a Wishart mask                                                          `privacy.stable`
    (3) a Gaussian: no answer but with probability p(h), else Q = P under a Wishart mask, its parts m, S
    (4) moments of all rows, clipped round m in the frame of S, in Gaussian steps: the finish of `unbounded`
    (5) no answer if more rows than normal ones are far from (4), in its norm: the share that is longer than
        95 % of normal rows, with noise (sensitivity 1/n), is more than 2.9 sds above what the answer's own
        error lets normal rows have

m and S follow every affine map of the rows and the noise has their shape, so that the error, in the norm of
Σ, depends on neither. All steps see the same n rows; the test and what comes after it have one price.

The design, for n rows; privacy rests on b, g, T, ν and ρ alone, which are public:

    T on a grid of multiples of ln(1/δ)/ε; u = share · n/(d + 1); G and s_min = what normal rows exceed but
    for β/5 each, less what T takes; s_min = 1 for a Gaussian, below which no row has a slope; no answer with
    chance β/5 where h = T
    mean: σ or ν of `privacy.stable`; of all knees, T and both kinds of noise the one of least error √(d (1 +
    excess)/n + σ² tr S), or with d/(ν - 2) for its last term; the widest guard that costs a tenth at most
    Gaussian: ν = a multiple of d + 5; ρ = the room that it leaves, part of it for (5), the rest for (4), from
    the spectrum that inverse Wishart noise leaves; of all knees, T and ν the one of least error where 5 % of
    far rows are seen and the total variation is .2 at most. To first order ρ is what T allows without a mask,
    less ν g²/2: the best by that is priced exactly, then the next

What normal rows do is a table, by 24 draws of n rows of N(0, I) for each d and knee: the slope between the
levels u - ru and u + ru, over n, and s at u + ru (means, and sds times √n), tr S/d at u, and |m - sample
mean|² n/d, independent of the sample mean by Basu's theorem; linear in 1/√n and in r = T/u. Common cells are
kept in `affine_cells.json`, written by `python -m workbench.estimators.affine`; others are simulated when
they are asked for.

The rate is that of Brown, Hopkins & Smith 2023, the lift that of Kent & Tyler 1991. Proof:
`proofs/affine_mean.md`.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from itertools import product
from math import sqrt

import numpy as np

from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.estimators.base import Abstention, Estimator, record
from workbench.estimators.shared.budgets import require_events
from workbench.estimators.shared.moments import ROUND, Frame, SquaredErrors
from workbench.estimators.shared.noisy_means import median_of_mean
from workbench.estimators.shared.rows import present
from workbench.estimators.stable_quantile import (
    AT_ONCE,
    NEAR,
    WIDEST,
    Cell,
    Influence,
    Lifted,
    LiftedStability,
    between,
    carried,
    counts,
    fewest_that,
    kept_cells,
    levels_around,
    means_and_spreads,
    percent,
    rounded,
    write,
)
from workbench.estimators.unbounded import RoundFinish, round_finish
from workbench.linalg import fewest
from workbench.privacy import ZCDP, ApproxDP, Budget, Charge, NoiseSource, Plan
from workbench.privacy.grid import OnGrid
from workbench.privacy.mechanisms import gaussian, gaussian_scale
from workbench.privacy.noise import bartlett
from workbench.privacy.ramps import CLOSE
from workbench.privacy.ramps import require_events as require_enough_delta
from workbench.privacy.stable import (
    LIFTED,
    LOCATED,
    WISHART,
    LiftCharge,
    LocatedCharge,
    StableCharge,
    located_normal,
    located_scale,
    masked_lift,
    normal_room,
    room,
    stable_scale,
    suffices,
)
from workbench.special import chdtrc, chdtri, dtrtri, ndtri
from workbench.types import Array, Floats, frozen, public, remembered

DRAWS, SEED = 24, 61
RATIOS = (0.0, 0.08, 0.16, 0.26, 0.4)
KNEES = (0.5, 1.0)
COMMON, POWERS = range(1, 21), range(4, 8)
FILE = "affine_cells.json"
DIGITS = 6

LOCATION, LIFT, FAR = "location", "lift", "far rows"  # steps
KINDS = (LOCATED, WISHART)  # of the noise of a mean
WORTH = 1.1  # times the error with the least guard: what a mean's wider one may cost
COUNTS = (1.55, 1.65, 1.75, 1.85, 2.0, 2.2, 2.5, 3.0, 3.7)  # T in units of ln(1/δ)/ε
FARTHEST_OFF = 1.0  # a larger predicted error of a mean, in standard deviations, is no answer
SHARE = 0.2  # of β: the slope, the scale, and no answer where h = T

WIDTHS, SPARE = (2.2, 3.5, 7.0, 20.0), 5  # of ν, in units of d + 5
LEAST_LEFT = 0.05  # of what a test leaves without a mask, what others must
GUARDS = (2.0**44, 2.0**38, WIDEST)  # rotated rows of condition about 10^12, 10^10, 10^9
ROUNDED = 1.02  # what rounding may add to g
LARGEST_TV = 0.2  # total variation: more says little
FEW = 64  # rows: powers of 2 from there on are tried, up to `MANY`
TRIED = 8  # of those that may be designed, by their error to first order
SPECTRA, SPECTRUM_SEED = 201, 71
THINNEST = 1e-3  # an eigenvalue of the answer in the frame of S, relative to its largest

OUTSIDE, DEVIATIONS = 0.05, 2.9  # normal rows are above the bound with chance .002
LEAST_COUNT, MOST_COUNT, SEEN = 0.02, 0.5, 170.0  # of ρ, for the count; n times its μ
MARGIN = 0.03  # that 5 % of far rows exceed, by two sds of the count
SMALL = 0.01

UNNOTICED = "what is not noticed, or lies where normal rows may, biases the answer without a word"


@public
class AffineMean(Estimator[Array]):
    """Private mean of any Gaussian, with noise of its covariance's shape: a stable lifted quantile (ours).

    Accurate for normal rows of any mean and any positive definite covariance; these get "no answer" with
    chance `beta` at most. Far rows, up to the share that `other_rows` tells, cannot carry an answer away;
    more of them in one place are taken for the distribution's own, without a word. No answer either beyond a
    condition of some 10^12, rows in units of their columns, or 10^9 where n is large, or hardly enough.
    `plan` refuses more rows than some millions, where rounding would count.
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP with delta of 1e-13 or
    more.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It
    holds nothing up, so that the location is that of the others. Many of them give no answer.

    Parameters
    ----------
    beta : float, default 0.1
        Chance, at most, of no answer for normal rows.

    Examples
    --------
    >>> x = np.random.default_rng(1).standard_normal((3000, 2)) * [1e-6, 1e6] + [1.0, 1e9]
    >>> release = AffineMean()(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> bool((abs((release.value - [1.0, 1e9]) / [1e-6, 1e6]) < 0.2).all())
    True
    """

    beta: float = 0.1

    def fewest(self, d: int, budget: ApproxDP) -> int:
        """Return the fewest rows, to 1 %."""
        return fewest_located(d, budget, self.beta)

    def design(self, n: int, d: int, budget: Budget) -> "LocationDesign":
        """Return the test, its charge and its error for n rows, public; raise where they are too few."""
        return location_design(n, d, require_events(budget), self.beta)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        return self.design(n, d, budget).charge

    def other_rows(self, n: int, d: int, budget: Budget) -> str:
        """Return which share of far rows cannot carry an answer away, in words."""
        return carried(self.design(n, d, budget).test.held)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean| in the norm of Σ for normal rows, given an answer."""
        return median_of_mean(self.design(n, d, budget).error, d)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array | Abstention:
        made = self.design(len(x), x.shape[1], budget)
        lift = made.test.lift(x)  # (1)
        if isinstance(made.charge, LocatedCharge):
            found = located_normal(lift, made.charge, noise)  # (2)
        else:
            masked = masked_lift(lift, made.charge, noise)
            found = None if masked is None else masked[0]
        record(h=lift.count, location=lift.centre + lift.shift, scatter=lift.root @ lift.root.T)
        return Abstention(LOCATION) if found is None else found


@public
class LiftedGaussian(Estimator[Gaussian]):
    """Private mean and covariance of any Gaussian from all rows at once: a stable lifted quantile (ours).

    Accurate for normal rows of any mean and any positive definite covariance; these get "no answer" with
    chance `beta` at most. Far rows, a share from 5 % to `noticed(n, d, budget)`, .14 of two columns, .07 of
    five, none from ten on, are mostly noticed and give no answer. More of them in one place may be taken for
    the distribution's own; fewer, or rows where normal ones may lie, pass and bias the answer.
    `UnboundedGaussian` is for one column, zCDP and smaller delta, `PopulousGaussian` for singular covariances
    and more rows than some millions, `PopulousRobustGaussian` for rows of which some are wrong.
    All else as of `AffineMean`; the release tells the share of the rows that are there.

    Examples
    --------
    >>> x = np.random.default_rng(1).standard_normal((3000, 2)) * [1e-6, 1e6] + [1.0, 1e9]
    >>> law = LiftedGaussian()(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2)).value
    >>> bool((abs((law.mean - [1.0, 1e9]) / [1e-6, 1e6]) < 0.2).all())
    True
    """

    beta: float = 0.1

    def fewest(self, d: int, budget: ApproxDP) -> int:
        return fewest_rows(d, budget, self.beta)

    def noticed(self, n: int, d: int, budget: Budget) -> float:
        """Return the largest share of far rows that cannot pass for usual ones, wherever they lie."""
        return self.design(n, d, budget).test.held

    def other_rows(self, n: int, d: int, budget: Budget) -> str:
        """Return which share of far rows is noticed, in words."""
        most = self.noticed(n, d, budget)
        some = f"a share of {OUTSIDE:.0%} to {percent(most)} is mostly"
        sure = some if most > OUTSIDE else "no share is sure to be"
        return f"far rows: {sure} noticed, from public numbers; {UNNOTICED}"

    def design(self, n: int, d: int, budget: Budget) -> "GaussianDesign":
        """Return the test, its charge and the steps after it for n rows, public; raise where too few."""
        return gaussian_design(n, d, require_events(budget), self.beta)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        return self.design(n, d, budget).plan

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median error to expect of normal rows, of mean and covariance in their own norm."""
        return self.design(n, d, budget).squared_error.gaussian_median

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Gaussian | Abstention:
        made = self.design(len(x), x.shape[1], budget)
        placed = masked_lift(made.test.lift(x), made.plan, noise)  # (3)
        if placed is None:
            return Abstention(LIFT)
        centre, root = placed
        shape, _ = dtrtri(np.tril(root), lower=1)
        frame = Frame(np.eye(len(root)), np.tril(shape) * sqrt(made.scatter))
        record(centre=centre)
        charges, spread = list(made.finish.charges()), np.array(made.spread)
        found = made.finish.round(x, centre, frame, spread, charges, noise)  # (4)
        if not isinstance(found, Abstention) and found.finite and found.mean is not None:
            values, axes = np.linalg.eigh(frame.matrix @ found.covariance @ frame.matrix.T)
            if values[0] > THINNEST * values[-1]:
                white = (axes / np.sqrt(values)).T @ frame.matrix
                if made.far.passes(squared_lengths(x, found.mean, white), noise):  # (5)
                    return Gaussian(found.mean, found.covariance)
        return Abstention(FAR)


def squared_lengths(x: Array, centre: Array, whitened: Array) -> Array:
    # rows keep their places: the bits of a product of matrices depend on where a row stands in it
    lengths = np.empty(len(x))
    for start in range(0, len(x), AT_ONCE):
        rows = x[start : start + AT_ONCE]
        lengths[start : start + AT_ONCE] = (((rows - centre) @ whitened.T) ** 2).sum(axis=1)
    return np.where(present(x), lengths, 0.0)  # an absent row is far from nothing


@frozen
class FarRows:
    """Step (5) for n rows of d columns and an answer of predicted `errors`."""

    n: int
    d: int
    cost: ZCDP
    errors: SquaredErrors

    @property
    def charge(self) -> Charge:
        return Charge(FAR, "gaussian", 1 / self.n, self.cost)

    @property
    def edge(self) -> float:  # the squared length beyond which a row is far
        return float(chdtri(self.d, OUTSIDE))

    @property
    def most(self) -> float:  # the largest noisy share that passes
        d, entry = self.d, 2 * self.errors.covariance / (self.d * (self.d + 1))  # variance of an entry
        edge = self.edge / (1 + entry * (d + 1) / 2 + self.errors.mean / d)  # lengths grow with errors
        expected = float(chdtrc(d, edge))
        slope = (float(chdtrc(d, edge * (1 - SMALL))) - expected) / SMALL
        variance = expected / self.n + gaussian_scale(self.charge) ** 2 + slope**2 * entry / d
        return expected + DEVIATIONS * sqrt(variance)

    def passes(self, lengths: Array, noise: NoiseSource) -> bool:
        """Return whether there is an answer. A length that is no number is far."""
        far = np.array([np.count_nonzero(~(lengths <= self.edge))], np.int64)
        return bool(gaussian(OnGrid(far, 1 / self.n), self.charge, noise)[0] <= self.most)


def level(n: int, d: int) -> float:  # u
    return (0.42 if d <= 5 else 0.54) * n / (d + 1)


@remembered
def cell(d: int, knee: float, power: int) -> Cell:
    return kept_cells(FILE).get(f"{d} {knee:g} {power}") or simulated(d, knee, power)


def simulated(d: int, knee: float, power: int) -> Cell:
    """Return slopes and scales for every ratio, tr S/d, and the excess of the location, of 4^power rows."""
    n, influence = int(4**power), Influence(knee)
    draws = (np.random.default_rng((SEED, d, power, draw)).standard_normal((n, d)) for draw in range(DRAWS))
    slopes, scales, scatter, excess = map(
        np.array, zip(*(_drawn(one, influence) for one in draws), strict=True)
    )
    law: Cell = {}
    for name, values in (("slope", slopes), ("scale", scales)):
        law[f"{name}s"], law[f"{name}_spreads"] = means_and_spreads(values, n, DIGITS)
    return law | {"scatter": rounded(scatter.mean(), DIGITS), "excess": rounded(excess.mean(), DIGITS)}


def _drawn(rows: Array, influence: Influence) -> tuple[Array, Array, float, float]:
    # slopes over n and scales for every ratio, tr S/d, and |m - sample mean|² n/d
    n, d = rows.shape
    lifted = Lifted.around(rows, influence, level(n, d) * (1 - RATIOS[-1]), 1)
    found = levels_around(lifted, influence, level(n, d), RATIOS)
    if found is None:
        return np.zeros(len(RATIOS)), np.zeros(len(RATIOS)), 0.0, 0.0
    factor, lows, slopes = found
    scales = np.array([lifted.scale(low) for low in lows])
    shift, root = lifted.parts(factor)
    apart = lifted.centre + shift - rows.mean(axis=0)
    return slopes, scales, float((root * root).sum() / d), float(apart @ apart * n / d)


@remembered
def interpolated(n: int, d: int, knee: float) -> Cell:
    made = between(n, partial(cell, d, knee), POWERS[0], POWERS[-2])
    return made | {name: max(0.0, made[name]) for name in ("scatter", "excess")}


def lifted_test(
    n: int, d: int, knee: float, beta: float, most: int, widest: float = WIDEST, least: float | None = None
) -> LiftedStability:
    """Return the test for a count of `most`; a least scale that is not given is one of normal rows."""
    law, deviations, influence = interpolated(n, d, knee), float(ndtri(SHARE * beta)), Influence(knee)

    def test(spacing: float) -> LiftedStability:
        ratio = most * spacing / level(n, d)
        if ratio > RATIOS[-1]:
            raise ArgumentError("n", n, "more rows for this count")
        tables = ("slopes", "slope_spreads", "scales", "scale_spreads")
        slope, slope_spread, scale, scale_spread = (float(np.interp(ratio, RATIOS, law[k])) for k in tables)
        strength = (n * slope + deviations * sqrt(n) * slope_spread) * (1 - 1e-3) - influence.most * most
        lowest = (scale + deviations * scale_spread / sqrt(n)) * (1 - 1e-3) if least is None else least
        return LiftedStability(n, d + 1, influence, level(n, d), most, strength, widest, least=lowest)

    return test(test(1.0).spacing)


@frozen
class LocationDesign:
    """The test, its charge, and the root mean square of |out - mean| in units of Σ, given an answer."""

    test: LiftedStability
    charge: LocatedCharge | StableCharge
    error: float


def located_charge(
    test: LiftedStability, budget: ApproxDP, silent: float, kind: str = LOCATED
) -> LocatedCharge | StableCharge:
    sizes = {"most": test.most, "silent": silent}
    if kind == WISHART:
        return StableCharge(LOCATION, WISHART, test.change, budget, d=test.d, **sizes)  # type: ignore[arg-type]
    sizes |= {"spread": test.change, "d": test.d - 1}
    return LocatedCharge(LOCATION, LOCATED, 2 * test.shift, budget, **sizes)  # type: ignore[arg-type]


@remembered
def location_design(n: int, d: int, budget: ApproxDP, beta: float) -> LocationDesign:
    _require_rows(n, fewest_located(d, budget, beta), d, budget)
    best: tuple[LocationDesign, tuple[str, tuple[float, int]]] | None = None
    for each in product(KINDS, _tried(budget)):
        error = best[0].error if best else FARTHEST_OFF
        if one := _nearer(error, n, d, budget, beta, GUARDS[-1], *each):
            best = one, each
    if best:
        error, each = WORTH * best[0].error, best[1]
        return next(one for widest in GUARDS if (one := _nearer(error, n, d, budget, beta, widest, *each)))
    raise ArgumentError("n", n, f"fewer, as rounding grows with n, for d = {d} at {budget}")


def _require_rows(n: int, fewest: int, d: int, budget: ApproxDP) -> None:
    if n < fewest:
        raise ArgumentError("n", n, f"at least {fewest} for d = {d} at {budget}")


def _tried(budget: ApproxDP) -> Iterator[tuple[float, int]]:
    return ((knee, count) for knee in KNEES for count in counts(budget, COUNTS))


def _nearer(
    error: float,
    n: int,
    d: int,
    budget: ApproxDP,
    beta: float,
    widest: float,
    kind: str,
    sizes: tuple[float, int],
) -> LocationDesign | None:
    """Return the design of this kind, guard, knee and count if its error is smaller."""
    (knee, most), masked, law = sizes, kind == WISHART, interpolated(n, d, sizes[0])
    sampling = sqrt(d * (1 + law["excess"]) / n)
    left = error**2 - sampling**2
    with suppress(ArgumentError):
        test = lifted_test(n, d, knee, beta, most, widest, 1.0 if masked else None)
        charge = located_charge(test, budget, SHARE * beta, kind)
        unit = 1 if masked else d * law["scatter"]
        rows = max(2 + d / left, 2.0 * test.d) * CLOSE**2 if left > 0 else 0.0  # a search finds CLOSE of it
        if left > 0 and suffices(charge, 1 / rows if masked else sqrt(left / unit) / CLOSE):
            scale = stable_scale(charge) if isinstance(charge, StableCharge) else located_scale(charge)
            noise = sqrt(d / (1 / scale - 2)) if masked else scale * sqrt(unit)
            return LocationDesign(test, charge, sqrt(noise**2 + sampling**2))
    return None


@remembered
def fewest_located(d: int, budget: ApproxDP, beta: float) -> int:
    """Return the fewest rows, to 1 %, that a mean has a design for."""
    require_enough_delta(budget)
    tried, first = [*product(KINDS, _tried(budget))], (d, budget, beta, GUARDS[-1])
    return fewest_that(
        lambda n: any(_nearer(FARTHEST_OFF, n, *first, *each) for each in tried), 16, _refused(d, budget)
    )


def _refused(d: int, budget: ApproxDP) -> ArgumentError:
    return ArgumentError("budget", budget, f"one that some number of rows allows for d = {d}")


@frozen
class GaussianDesign:
    """The test, its charge, and what comes after it; `scatter` is S/Σ of normal rows."""

    test: LiftedStability
    charge: LiftCharge
    scatter: float

    @property
    def spread(self) -> Floats:  # of normal rows in the frame of the released scatter
        return frame_spectrum(self.test.d - 1, self.charge.degrees)

    @cached_property
    def finish(self) -> RoundFinish:  # (4)
        narrow = tuple(one / self.spread[0] for one in self.spread)
        return round_finish(self.test.n, self.test.d - 1, self._costs[0], narrow, placed=True)

    @cached_property
    def far(self) -> FarRows:  # (5)
        return FarRows(self.test.n, self.test.d - 1, self._costs[1], self.squared_error)

    @cached_property
    def _costs(self) -> tuple[ZCDP, ...]:
        # of the finish and of the count, whose noise is 1/170, or less where n is large
        whole = self.charge.room
        share = min(MOST_COUNT, max(LEAST_COUNT, (SEEN / self.test.n) ** 2 / (2 * whole.rho)))
        return whole.split(1 - share, share)

    @property
    def plan(self) -> LiftCharge:
        return replace(self.charge, rest=(*self.finish.charges(), self.far.charge))

    @cached_property
    def squared_error(self) -> SquaredErrors:
        return self.finish.squared_error(self.finish.stretch)

    @property
    def error(self) -> float:  # the root mean square of mean and covariance together
        return sqrt(self.squared_error.mean + self.squared_error.covariance)

    @property
    def informative(self) -> bool:
        """Whether the finish is narrow, the total variation small, and 5 % of far rows are seen."""
        finish, d = self.finish, self.test.d - 1
        narrow = finish.excess(np.ones(d), finish.costs[-1]) <= ROUND
        small = narrow and self.squared_error.total_variation <= LARGEST_TV
        return small and self.far.most <= OUTSIDE + MARGIN


@remembered
def gaussian_design(n: int, d: int, budget: ApproxDP, beta: float) -> GaussianDesign:
    _require_rows(n, fewest_rows(d, budget, beta), d, budget)
    if (made := _designed(n, d, budget, beta)) is None:
        raise ArgumentError("n", n, f"at most {most_rows(d, budget, beta)} for d = {d} at {budget}")
    return made


@remembered
def _designed(n: int, d: int, budget: ApproxDP, beta: float) -> GaussianDesign | None:
    # the first of the rough ones that is informative with the room that it has
    for rough in _rough(n, d, budget, beta):
        charge = rough.charge
        with suppress(ArgumentError):
            left = room(budget, charge.sensitivity, charge.degrees, charge.most, charge.silent)
            made = replace(rough, charge=replace(charge, room=left))
            if made.informative:
                return made
    return None


def _rough(n: int, d: int, budget: ApproxDP, beta: float) -> list[GaussianDesign]:
    # the informative designs, priced to first order, of least error
    found, silent = list[GaussianDesign](), SHARE * beta
    for knee, most in _tried(budget):
        try:
            test, whole = _guarded(n, d, knee, beta, most), normal_room(budget, most, silent)
        except ArgumentError:
            continue
        for degrees in (width * (d + SPARE) for width in WIDTHS):
            left = whole - degrees * test.change**2 / 2
            if left > LEAST_LEFT * whole:
                sizes = {"most": most, "d": d + 1, "silent": silent, "degrees": degrees}
                charge = LiftCharge(LIFT, LIFTED, test.change, budget, room=ZCDP(left), **sizes)  # type: ignore[arg-type]
                made = GaussianDesign(test, charge, interpolated(n, d, knee)["scatter"])
                if made.informative:
                    found.append(made)
    return sorted(found, key=lambda one: one.error)[:TRIED]


def _guarded(n: int, d: int, knee: float, beta: float, most: int) -> LiftedStability:
    """Return the test with the widest guard whose rounding hardly counts."""
    for widest in GUARDS:
        try:
            test = lifted_test(n, d, knee, beta, most, widest, 1.0)
        except ArgumentError:
            continue
        if test.change * (test.strength - 1) <= ROUNDED or widest == GUARDS[-1]:
            return test
    raise ArgumentError("n", n, "more rows for this count")


@remembered
def frame_spectrum(d: int, degrees: float) -> Floats:
    """Return the medians of the eigenvalues of M⁻¹, M the mask of S: Wishart of ν - 1 degrees, over ν."""
    rng, rows = np.random.default_rng((SPECTRUM_SEED, d)), 1 / (1 / (degrees - 1))
    factors = np.array([bartlett(d, rows, rng) for _ in range(SPECTRA)])
    values = np.linalg.eigvalsh(factors @ factors.transpose(0, 2, 1) / rows) * (degrees - 1) / degrees
    return tuple(float(one) for one in np.median(1 / values, axis=0))


@remembered
def fewest_rows(d: int, budget: ApproxDP, beta: float) -> int:
    """Return the fewest rows, to 1 %, that a Gaussian has a design for."""
    require_enough_delta(budget)
    return fewest_that(lambda n: _designed(n, d, budget, beta) is not None, 2 * FEW, _refused(d, budget))


@remembered
def most_rows(d: int, budget: ApproxDP, beta: float) -> int:
    """Return the most rows, to 1 %, that a Gaussian has a design for: rounding grows with n."""
    low = fewest_rows(d, budget, beta)
    over = fewest(lambda n: _designed(n, d, budget, beta) is None or None, 2 * low, NEAR)
    return int((over - 1) / NEAR)


if __name__ == "__main__":  # all common cells
    write(FILE, {f"{d} {q:g} {p}": simulated(d, q, p) for d in COMMON for q in KNEES for p in POWERS})
