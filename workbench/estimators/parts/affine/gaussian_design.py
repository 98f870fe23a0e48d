"""The design of a whole Gaussian from one lifted release, for n rows and d columns.

    (1) T on the grid of `parts.affine.design`, u = share · n/(d + 1), G = the slope that normal rows exceed
        but for β/5, less what T takes; s_min = 1, below which no row has a slope
    (2) ν = a multiple of d + 5; ρ = the room that it leaves where h = T gives an answer but for β/5
    (3) of ρ, what `parts.affine.far_rows` takes, the rest for `parts.gaussians.finish`, from the spectrum
        that inverse Wishart noise leaves
    (4) of all knees, T and ν the one whose predicted error is least, where 5 % of far rows are seen,
        and the total variation is .2 at most

To first order ρ is what T allows without a mask, less ν g²/2: the best by that is priced exactly, then the
next. All of it is public, and privacy rests on g, T, ν and ρ alone.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import sqrt

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.parts.affine.cells import KNEES, RATIOS, share
from workbench.estimators.parts.affine.design import SHARE, counts, interpolated, nearly
from workbench.estimators.parts.affine.far_rows import FarRows, counted
from workbench.estimators.parts.affine.stability import LiftedStability
from workbench.estimators.parts.quantile.influence import Influence
from workbench.estimators.parts.quantile.levels import WIDEST
from workbench.estimators.shared.moments import SquaredErrors
from workbench.estimators.unbounded import ROUND, RoundFinish
from workbench.privacy import ZCDP, ApproxDP
from workbench.privacy.mechanisms import approximate_cost
from workbench.privacy.ramps import require_events
from workbench.privacy.stable import LIFTED, LiftCharge, normal_room, room, stable_chances
from workbench.special import ndtri

STEP = "lift"
WIDTHS, SPARE = (2.2, 3.5, 7.0, 20.0), 5  # of ν, in units of d + 5
LEAST_LEFT = 0.05  # of what a test leaves without a mask, what others must
NEARLY = 0.98  # of what a test and a mask leave to first order: mostly less than they leave
GUARDS = (2.0**44, 2.0**38, WIDEST)  # rotated rows of condition about 10^12, 10^10, 10^9
ROUNDED = 1.02  # what rounding may add to g
LARGEST = 0.2  # total variation: more says little
FEW, MANY = 64, 2**40  # rows: between them powers of 2 are tried
TRIED = 8  # of those that may be designed, by their error to first order
DRAWS, SEED = 201, 71


@dataclass(frozen=True)
class GaussianDesign:
    """The test, its charge, and what comes after it; `scatter` is S/Σ of normal rows."""

    test: LiftedStability
    charge: LiftCharge
    scatter: float

    @property
    def d(self) -> int:
        """The number of columns."""
        return self.test.d - 1

    @property
    def spread(self) -> tuple[float, ...]:
        """The spectrum of normal rows in the frame of the released scatter."""
        return frame_spectrum(self.d, self.charge.degrees)

    @cached_property
    def finish(self) -> RoundFinish:
        """The recipe of the finish."""
        return _finish(self.test.n, self.d, self._costs[0], self.spread)

    @cached_property
    def far(self) -> FarRows:
        """The recipe of the count of far rows."""
        return FarRows(self.test.n, self.d, self._costs[1], self.squared_error)

    @cached_property
    def _costs(self) -> tuple[ZCDP, ...]:
        """The costs of the finish and of the count."""
        share = counted(self.test.n, self.charge.room)
        return self.charge.room.split(1 - share, share)

    @property
    def noticed(self) -> float:
        """The share of rows, wherever they lie, that cannot carry the masked matrix away."""
        return self.test.held

    @property
    def plan(self) -> LiftCharge:
        """The plan."""
        return replace(self.charge, rest=(*self.finish.charges(), self.far.charge))

    @cached_property
    def squared_error(self) -> SquaredErrors:
        """The predicted errors."""
        return self.finish.squared_error(self.finish.stretch)

    @property
    def error(self) -> float:
        """The root mean square of the error of mean and covariance together."""
        return sqrt(self.squared_error.mean + self.squared_error.covariance)


@lru_cache(maxsize=1024)
def gaussian_design(n: int, d: int, budget: ApproxDP, beta: float) -> GaussianDesign:
    """Return the design of step (4).

    Raises
    ------
    ArgumentError
        If n rows are too few for any, or δ is too small.
    """
    require_events(budget)
    for one in _rough(n, d, budget, beta):
        made = _priced(one)
        if made is not None and _informative(made):
            return made
    fewest = fewest_rows(d, budget, beta)
    allowed = f"at least {fewest}" if n < fewest else f"at most {most_rows(d, budget, beta)}"
    raise ArgumentError("n", n, f"{allowed} for d = {d} at {budget}")


def _rough(n: int, d: int, budget: ApproxDP, beta: float) -> list[GaussianDesign]:
    """Return those that may be designed, by their error to first order."""
    tests = (_tested(n, d, budget, beta, knee, most) for knee in KNEES for most in counts(budget))
    return sorted((one for found in tests for one in found), key=lambda one: one.error)[:TRIED]


@lru_cache(maxsize=1024)
def _any(n: int, d: int, budget: ApproxDP, beta: float) -> bool:
    """Tell whether there is a design."""
    return any(map(_reaches, _rough(n, d, budget, beta)))


def _reaches(rough: GaussianDesign) -> bool:
    """Tell whether it is a design: if one with hardly less room is none, by its price."""
    charge = replace(rough.charge, room=ZCDP(rough.charge.room.rho * NEARLY))
    lesser = replace(rough, charge=charge)
    with suppress(ArgumentError):
        if _informative(lesser) and stable_chances(charge)[-1] >= 1 - charge.silent:
            return True
    made = _priced(rough)
    return made is not None and _informative(made)


def _tested(
    n: int, d: int, budget: ApproxDP, beta: float, knee: float, most: int
) -> Iterator[GaussianDesign]:
    """Yield the informative designs with a knee and a count, priced to first order."""
    silent = SHARE * beta
    try:
        test = _test(n, d, knee, beta, most)  # (1)
        whole = normal_room(budget, most, silent)
    except ArgumentError:
        return
    for width in WIDTHS:
        degrees = width * (d + SPARE)
        left = whole - degrees * test.change**2 / 2
        if left > LEAST_LEFT * whole:
            sizes = {"most": most, "d": d + 1, "silent": silent, "degrees": degrees}
            charge = LiftCharge(STEP, LIFTED, test.change, budget, room=ZCDP(left), **sizes)  # type: ignore[arg-type]
            made = GaussianDesign(test, charge, interpolated(n, d, knee).scatter)
            if _informative(made):
                yield made


def _priced(rough: GaussianDesign) -> GaussianDesign | None:
    """Return the design with the room that it has."""
    charge, budget = rough.charge, approximate_cost(rough.charge)
    try:
        left = room(budget, charge.sensitivity, charge.degrees, charge.most, charge.silent)  # (2)
    except ArgumentError:
        return None
    return replace(rough, charge=replace(charge, room=left))


def _informative(made: GaussianDesign) -> bool:
    finish = made.finish
    narrow = finish.excess(np.ones(made.d), finish.costs[-1]) <= ROUND
    return narrow and made.squared_error.total_variation <= LARGEST and made.far.sees


def _test(n: int, d: int, knee: float, beta: float, most: int) -> LiftedStability:
    """Return the test with the widest guard whose rounding hardly counts."""
    for widest in GUARDS:
        try:
            rough = _guarded(n, d, knee, beta, most, widest, 1.0)
            test = _guarded(n, d, knee, beta, most, widest, rough.spacing)
        except ArgumentError:
            continue
        if test.change * (test.strength - 1) <= ROUNDED or widest == GUARDS[-1]:
            return test
    raise ArgumentError("n", n, "more rows for this count")


def _guarded(
    n: int, d: int, knee: float, beta: float, most: int, widest: float, spacing: float
) -> LiftedStability:
    level = share(d) * n / (d + 1)
    law, ratio, deviations = interpolated(n, d, knee), most * spacing / level, float(ndtri(SHARE * beta))
    if ratio > RATIOS[-1]:
        raise ArgumentError("n", n, "more rows for this count")
    slope, spread = (float(np.interp(ratio, RATIOS, one)) for one in (law.slopes, law.slope_spreads))
    influence = Influence(knee)
    strength = (n * slope + deviations * sqrt(n) * spread) * (1 - 1e-3) - influence.most * most
    return LiftedStability(n, d + 1, influence, level, most, strength, widest, least=1.0)


@lru_cache(maxsize=4096)
def _finish(n: int, d: int, cost: ZCDP, spread: tuple[float, ...]) -> RoundFinish:
    narrow = tuple(one / spread[0] for one in spread)
    return RoundFinish(n, d, cost, narrow, placed=True)


@lru_cache(maxsize=256)
def frame_spectrum(d: int, degrees: float) -> tuple[float, ...]:
    """Return the medians of the eigenvalues of M⁻¹, M the mask of S: Wishart of ν - 1 degrees, over ν."""
    rng, rows, axes = np.random.default_rng((SEED, d)), 1 / (1 / (degrees - 1)), np.arange(d)
    drawn = [(rng.standard_normal((d, d)), rng.chisquare(rows - axes)) for _ in range(DRAWS)]
    factors = np.tril([normals for normals, _ in drawn])  # as `random_matrices.bartlett`, all at once
    factors[:, axes, axes] = np.sqrt([squares for _, squares in drawn])
    values = np.linalg.eigvalsh(factors @ factors.transpose(0, 2, 1) / rows) * (degrees - 1) / degrees
    return tuple(float(one) for one in np.median(1 / values, axis=0))


def enough(n: int, d: int, budget: ApproxDP, beta: float) -> bool:
    """Tell whether n rows are the fewest or more: sooner where a power of 2 below n has a design."""
    require_events(budget)
    below = min(2 ** (n.bit_length() - 1), MANY)
    return (below > FEW and _any(below, d, budget, beta)) or n >= fewest_rows(d, budget, beta)


@lru_cache(maxsize=256)
def fewest_rows(d: int, budget: ApproxDP, beta: float) -> int:
    """Return the fewest rows, to 1 %, that have a design."""
    require_events(budget)

    low, high = FEW, 2 * FEW
    while not _any(high, d, budget, beta):
        low, high = high, 2 * high
        if high > MANY:
            raise ArgumentError("budget", budget, f"one that some number of rows allows for d = {d}")
    return nearly(lambda n: _any(n, d, budget, beta), low, high)[1]


@lru_cache(maxsize=256)
def most_rows(d: int, budget: ApproxDP, beta: float) -> int:
    """Return the most rows, to 1 %, that have a design: rounding grows with n."""
    low = fewest_rows(d, budget, beta)
    high = 2 * low
    while _any(high, d, budget, beta):
        low, high = high, 2 * high
    return nearly(lambda n: not _any(n, d, budget, beta), low, high)[0]
