"""Where rows are, by noisy histograms of standardised rows.  L17 section 2, LKKO21 Algorithms 5 and 15.

Neighbours: replace one row. Rows are standardised, z = (x - centre)/unit, capped at ±1e15. What is released
is the centre of the bin with the largest noisy count; one replaced row moves two counts by 1.

One column on a known range, mean within R units of `centre`, `HistogramLocation` (L17 Theorem 1.1 and
Corollary 2.4), and anywhere on the line, `StableLocation` (L17 Theorem 1.2); unit = sigma:

    (1) counts of z in bins of width 1: ⌈2R⌉ from -R on, the end bins open; or all [j, j + 1)
    (2) the bin with the largest noisy count; on the line, if it reaches a threshold that a lone row passes
        with probability at most δ, else no answer
    (3) out = centre + sigma (centre of the bin)                            within 2.5 sigma of the mean

                         "paper"                              "tight"
    a range, ε           Laplace noise 2/ε on all counts      exponential noise of mean 2/ε: the winner alone
    a range, ρ           Gaussian noise on all counts         exponential mechanism
    the line, ε and δ    the threshold 1 + (2/ε) ln(2/δ)      the least integer that discrete noise allows

On the line noise is drawn for populated bins alone: discrete Laplace noise of scale 2/ε; under zCDP Gaussian
noise with its exact threshold. Departures: the source's list of bins skips one and has no bins at the ends.

Rows x of shape (n, d): a box that holds all sub-Gaussian rows, `BoxRange` (LKKO21 Algorithm 5, Lemma D.2),
and a ball that holds most rows of bounded moments, `BallRange` (Algorithm 15, Lemma K.1). The ball has
E⟨v, x - μ⟩^{2k} ≤ C upper^k for unit v: k = `moments`, C = `hypercontractivity`; k = 1, C = 1 asks for the
covariance alone. a = `corruption`, β = `beta`:

                 unit      bins               out, with the centre unit · c
    BoxRange     sigma     [2i, 2i + 2)       half-width sigma b in every coordinate
    BallRange    √upper    [4i, 4i + 4)       radius √upper √d (6 + (C/a)^{1/2k})

    (1) c_j = centre of the largest bin of coordinate j, as on the line; below the threshold: no answer
    (2) out

Box: b = 4 √(ln(dn/β)) for "paper", 3 + √(2 ln(2nd/β)) for "tight": |c_j - mean_j| ≤ 3 sigma once n suffices,
and then all n normal rows lie in the box with probability 1 - β. Ball: |c_j - μ_j| ≤ 6 √upper once n
suffices, also if a share a of the rows is corrupted, and then a clean row lies outside with probability at
most a. "paper": (1) on ⌈200 ln(2d/β)⌉ parts of the rows, and the median of their answers; "tight": on all
rows at once, which a direct bound shows to be enough: as many rows as one part needs. A part is the rows p,
p + parts, p + 2 parts ...: fixed by their numbers, not drawn, so that a replaced row lies in one of them. The
budget is divided over the coordinates:

    ZCDP       ρ/d and δ/d each
    ApproxDP   "tight": (ε/d, δ/d) each, or the zCDP that (ε, δ/2 more) allows, whichever drops less;
               "paper": ε₀ = min(ε, .9)/√(8d ln(2/δ)), δ₀ = δ/(2d) each (LKKO21 Lemma G.13)

Widths of bins and the constants of the radius are chosen here. Proofs: `proofs/univariate.md`, section 2;
`proofs/heavy_tails.md`, section 7.
"""

from abc import abstractmethod
from dataclasses import replace
from math import ceil, inf, log, sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from workbench.distributions import Ball, Box
from workbench.errors import ArgumentError, few, probability
from workbench.estimators.base import (
    MOST_CHARGED,
    Abstention,
    Located,
    OfUnit,
    T,
    require_matrix,
    standardised,
)
from workbench.estimators.shared.budgets import concentrated, converted, require_selection
from workbench.estimators.shared.rows import only_present, row_blocks
from workbench.privacy import ZCDP, ApproxDP, Budget, Charge, NoiseSource, Parallel, Plan, PureDP, Sequential
from workbench.privacy.budgets import bounded_range_epsilon
from workbench.privacy.histograms import (
    COUNTS_L1,
    COUNTS_L2,
    largest_noise,
    stability_charge,
    stability_threshold,
    stability_threshold_stated,
    stable_mode,
)
from workbench.privacy.mechanisms import additive, exponential, noisy_max
from workbench.privacy.plan import Rule
from workbench.types import Array, Calibration, Counts, frozen, public

if TYPE_CHECKING:
    from workbench.estimators.heavy_tailed import Moments

MOST_BINS = 5_000_000
REACH = 2.5  # a centre found with bins of width 1 is within this of the mean
BOX_WIDTH, BALL_WIDTH = 2.0, 4.0  # of a bin
PARTS = 200  # LKKO21 Algorithm 15, as recalled

# Of normal rows, for bins of width 1 and 2: the least mass of the fullest bin, Φ(w) - Φ(0), where the mean
# lies at its edge; and P(|Z| > 2), no less than the mass of all bins whose centres are further than 1.5 bins,
# or 2.5 for width 1. Of bounded covariance, by Chebyshev: μ's bin and its neighbours hold 15/16 of the mass.
BEST, FAR_MASS = 0.3413447460685429, 0.0455002638963584
BOX_BEST = 0.4772498680518208
BALL_BEST, BALL_FAR = 0.3125, 0.0625


def suffice(n: int, best: float, far: float, beta: float, noise: float, ahead: float, least: float) -> bool:
    # whether no far bin is chosen, if a bin has mass at least `best`, all far ones at most `far`; `noise`
    # bounds that of every count, `ahead` by how much a smaller count may win. Hoeffding takes beta/2
    deviation = sqrt(n * log(4 / beta) / 2)
    return (best - far) * n - 2 * deviation > ahead and best * n - deviation - noise >= least


@frozen
class UnitHistogram:
    """The steps for rows of standard deviation 1 and mean within ±`radius` (None: anywhere)."""

    radius: float | None
    calibration: Calibration = "tight"

    @property
    def bins(self) -> int:
        assert self.radius is not None
        return ceil(2 * self.radius)

    def charge(self, step: str, cost: Budget) -> Charge:
        if self.radius is None:
            return stability_charge(step, cost)
        if self.bins > MOST_BINS:
            raise ArgumentError("radius", self.radius, f"at most {MOST_BINS // 2} standard deviations")
        require_selection(cost)
        pure = isinstance(cost, PureDP)
        if self.calibration == "tight":
            return Charge(step, "noisy_max" if pure else "exponential", 1.0, cost)
        return Charge(step, "laplace", COUNTS_L1, cost) if pure else Charge(step, "gaussian", COUNTS_L2, cost)

    def keys(self, z: Array) -> Array:  # NaN for an absent row: no bin
        if self.radius is None:
            return np.floor(z)
        return np.clip(np.floor(z + self.radius), 0, self.bins - 1)

    def counts(self, z: Array) -> Counts:
        bins = (only_present(self.keys(rows)).astype(np.int64) for rows in row_blocks(z))
        return np.asarray(sum(np.bincount(one, minlength=self.bins) for one in bins))

    def threshold(self, cost: Budget) -> float:
        if self.calibration == "paper" and isinstance(cost, ApproxDP):
            return max(stability_threshold_stated(cost), stability_threshold(cost))
        return stability_threshold(cost)

    def draw(self, z: Array, charge: Charge, noise: NoiseSource) -> float | Abstention:
        if self.radius is None:
            mode = stable_mode(self.keys(z), charge, noise, self.threshold(charge.cost))
            return mode + 0.5 if isinstance(mode, float) else Abstention(charge.step)
        counts = self.counts(z)  # (1)
        match charge.mechanism:  # (2)
            case "noisy_max":
                chosen = noisy_max(counts, charge, noise)
            case "exponential":
                chosen = exponential(counts, charge, noise)
            case _:
                chosen = int(np.argmax(additive(counts, charge, noise)))
        return chosen + 0.5 - self.radius

    def error_bound(self, n: int, cost: Budget, beta: float) -> float:
        error = self.count_error(n, cost, beta / 2)
        line = self.radius is None
        one_sided = self.calibration == "tight" and not line  # noise, or the exponential mechanism's utility
        least = self.threshold(cost) if line else -inf
        enough = suffice(n, BEST, FAR_MASS, beta, error, error if one_sided else 2 * error, least)
        return REACH if enough else inf

    def count_error(self, n: int, cost: Budget, beta: float) -> float:  # of all counts at once
        bins = n if self.radius is None else self.bins
        match cost:
            case PureDP(epsilon):
                return 2 / epsilon * log(bins / beta)
            case ZCDP(rho, delta) if self.calibration == "tight" and not delta:
                return 2 / bounded_range_epsilon(rho) * log(bins / beta)
        return largest_noise(bins, cost, beta)


@frozen
class StableCentres:
    """The steps for every coordinate of rows in standard units, bins [wj, w(j + 1)) of `width` w."""

    width: float
    calibration: Calibration = "tight"
    parts: int = 1

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        require_matrix(n, d, least=max(2, self.parts))
        rule, cost = self.coordinate_cost(d, budget)

        def charged(name: str) -> Plan:
            if self.parts == 1:
                return stability_charge(name, cost)
            parts = range(1, self.parts + 1)
            return Parallel(tuple(stability_charge(f"{name}, part {p}", cost) for p in parts))

        total = Sequential(rule, tuple(charged(f"coordinate {j}") for j in range(1, d + 1)))
        return converted(total, budget) if rule == "zcdp" else total

    def coordinate_cost(self, d: int, budget: Budget) -> tuple[Rule, ApproxDP | ZCDP]:
        few(MOST_CHARGED, d=d)
        match budget:
            case ZCDP(rho, delta) if 0 < delta < 0.5:
                return "zcdp", ZCDP(rho / d, delta / d)
            case ApproxDP(epsilon, delta) if 0 < delta < 0.5 and self.calibration == "paper":
                return "zcdp", ApproxDP(min(epsilon, 0.9) / sqrt(8 * d * log(2 / delta)), delta / (2 * d))
            case ApproxDP(epsilon, delta) if 0 < delta < 0.5:
                basic = ApproxDP(epsilon / d, delta / d)
                joint = ZCDP(concentrated(budget).rho / d, delta / (2 * d))
                better = stability_threshold(basic) <= stability_threshold(joint)
                return ("basic", basic) if better else ("zcdp", joint)
        raise ArgumentError("budget", budget, "ApproxDP or ZCDP with 0 < delta < 1/2")

    def draw(self, z: Array, plan: Plan, noise: NoiseSource) -> Array | Abstention:
        charges, centres = iter(plan.charges()), []
        for keys in np.floor(z / self.width).T:
            modes = [stable_mode(keys[p :: self.parts], next(charges), noise) for p in range(self.parts)]
            found = [self.width * (mode + 0.5) for mode in modes if isinstance(mode, float)]
            centres.append(float(np.median(found)) if found else None)
        if None in centres:
            return Abstention(f"coordinate {centres.index(None) + 1}")
        return np.array(centres, np.float64)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float, best: float, far: float) -> float:
        _, cost = self.coordinate_cost(d, budget)
        error = largest_noise(n, cost, beta / (2 * d))
        enough = suffice(n, best, far, beta / d, error, 2 * error, stability_threshold(cost))
        return 1.5 * self.width * sqrt(d) if enough and self.parts == 1 else inf


def box_reach(n: int, d: int, beta: float) -> float:  # LKKO21 Algorithm 5
    return 4 * sqrt(log(d * n / beta))


def ball_reach(d: int, inner: float) -> float:  # that holds the ball `inner` round the mean
    return 1.5 * BALL_WIDTH * sqrt(d) + inner


class Location(Located[float]):
    """Both locations of one column, and its median: one draw."""

    calibration: Calibration

    @property
    def locator(self) -> Any:
        return UnitHistogram(self.reach, self.calibration)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        return self.locator.charge("locate", budget)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> float | Abstention:
        charge = self.plan(len(x), 1, budget)["locate"]
        found = self.locator.draw(self.standard(x), charge, noise)  # (1) (2); of a median (1)
        return found if isinstance(found, Abstention) else self.centre + self.sigma * found  # (3); (2)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return 2.5 sigma where n suffices for normal rows, else infinity."""
        return self.sigma * self.locator.error_bound(n, self.plan(n, d, budget)["locate"].cost, beta)


@public
class HistogramLocation(Location):
    """Private location of one column on a known range, within 2.5 sigma (L17 Corollary 2.4).

    Accurate for normal rows of standard deviation `sigma` with the mean within `radius` of `centre`; other
    parameters as of `TwoStepMean`.
    Guarantee: central model, one replaced row, for every input. Budgets: PureDP, or ZCDP with delta = 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It
    is in no bin.

    Parameters
    ----------
    calibration : {"paper", "tight"}, default "tight"
        Laplace noise on all counts ("paper"), or exponential noise of which only the winner is seen.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=1000)
    >>> estimator = HistogramLocation(radius=1e4, sigma=1.0)
    >>> release = estimator(x, budget=PureDP(1.0), rng=np.random.default_rng(2))
    >>> abs(release.value - 3.0) <= 2.5
    True
    """

    radius: float
    centre: float = 0.0
    sigma: float
    calibration: Calibration = "tight"

    in_passes = True


@public
class StableLocation(Location):
    """Private location of one column anywhere on the line, within 2.5 sigma (L17 Theorem 1.2).

    Accurate for normal rows of standard deviation `sigma`; with too few of them the release is "no answer".
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP, or ZCDP, with 0 < delta <
    1/2.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It
    is in no bin.

    Parameters
    ----------
    sigma : float
        Standard deviation of the rows, known; in the unit of the data.
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the constants of the source, "tight" ours: the same guarantee, less noise.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=1000)
    >>> release = StableLocation(sigma=1.0)(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> abs(release.value - 3.0) <= 2.5
    True
    """

    radius = None
    sigma: float
    calibration: Calibration = "tight"


class Range(OfUnit[T]):
    """Regions round a centre that is found coordinate by coordinate, in a unit of their own."""

    width: ClassVar[float]
    masses: tuple[float, float]  # of the fullest bin at least, of all far ones at most
    beta: float
    calibration: Calibration

    def centres(self, d: int) -> StableCentres:
        return StableCentres(self.width, self.calibration)

    @abstractmethod
    def around(self, centre: Array, n: int) -> T: ...

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        return self.centres(d).plan(n, d, budget)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> T | Abstention:
        (n, d), z = x.shape, standardised(x, 0.0, self.unit)
        centre = self.centres(d).draw(z, self.plan(n, d, budget), noise)  # (1)
        return centre if isinstance(centre, Abstention) else self.around(self.unit * centre, n)  # (2)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return 3 sigma √d, or 6 √(d upper), as a bound on |centre - mean|.

        It is exceeded with probability at most beta; infinite for few rows, and for parts.
        """
        return self.unit * self.centres(d).error_bound(n, d, budget, beta, *self.masses)


@public
class BoxRange(Range[Box]):
    """Private box that holds all rows of sub-Gaussian data, its place unknown (LKKO21 Algorithm 5).

    Accurate for rows of standard deviation `sigma` in every coordinate; with too few the release is "no
    answer". All else as of `StableLocation`.

    Parameters
    ----------
    sigma : float
        Standard deviation of every coordinate, known; in the unit of the data.
    beta : float, default 0.05
        Chance, at most, that some normal row lies outside.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(1e6, 1.0, size=(1000, 2))
    >>> box = BoxRange(sigma=1.0)(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2)).value
    >>> bool(box.contains(x).all())
    True
    """

    sigma: float
    beta: float = 0.05
    calibration: Calibration = "tight"

    width, masses = BOX_WIDTH, (BOX_BEST, FAR_MASS)

    def around(self, centre: Array, n: int) -> Box:
        d = len(centre)
        reach = 1.5 * BOX_WIDTH + sqrt(2 * log(2 * n * d / self.beta))
        if self.calibration == "paper":
            reach = box_reach(n, d, self.beta)
        return Box(centre, np.full(d, self.sigma * reach))


@public
class BallRange(Range[Ball]):
    """Private ball that holds most rows of heavy-tailed data, its place unknown (LKKO21 Algorithm 15).

    Accurate for rows of covariance at most `upper` times the identity, a share `corruption` of them anything;
    with too few the release is "no answer". All else as of `StableLocation`.

    Parameters
    ----------
    upper : float
        The covariance is at most this times the identity, in the square of the data's unit.
    corruption : float, default 0.05
        Share of the rows that may be anything, and that may lie outside.
    moments : int, default 1
        Half the order 2k of the moments that are bounded; 1 asks for the covariance alone.
    hypercontractivity : float, default 1.0
        C of the bound E⟨v, x - μ⟩^{2k} ≤ C upper^k for unit v.
    beta : float, default 0.05
        Failure probability that sets the parts of "paper".

    Examples
    --------
    >>> x = 1e6 + np.random.default_rng(1).standard_t(3.0, size=(1000, 2)) / 3**0.5
    >>> ball = BallRange(upper=1.0)(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2)).value
    >>> bool(ball.contains(x).mean() > 0.9)
    True
    """

    upper: float
    corruption: float = 0.05
    moments: int = 1
    hypercontractivity: float = 1.0
    beta: float = 0.05
    calibration: Calibration = "tight"

    width = BALL_WIDTH

    def _validate(self) -> None:
        probability(corruption=self.corruption)
        if self.corruption >= (BALL_BEST - BALL_FAR) / 2:
            raise ArgumentError("corruption", self.corruption, f"below {(BALL_BEST - BALL_FAR) / 2:g}")
        self.bounded  # noqa: B018  (refuses what no law has)

    @property
    def bounded(self) -> "Moments":
        from workbench.estimators.heavy_tailed import Moments  # the slowest import of a mean of one column

        return Moments(self.moments, self.hypercontractivity)

    @property
    def masses(self) -> tuple[float, float]:  # type: ignore[override]
        return BALL_BEST - self.corruption, BALL_FAR + self.corruption

    def centres(self, d: int) -> StableCentres:
        parts = ceil(PARTS * log(2 * d / self.beta)) if self.calibration == "paper" else 1
        return replace(super().centres(d), parts=parts)

    def around(self, centre: Array, n: int) -> Ball:
        inner = self.bounded.outer_radius(len(centre), self.corruption)
        return Ball(centre, self.unit * ball_reach(len(centre), inner))
