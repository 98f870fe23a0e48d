"""Robust private means in one to three dimensions, chosen from a net.  LKKO21 Algorithms 2 and 14.

Rows x of shape (n, d), d = 1, 2 or 3, every coordinate of the mean within `radius` of `centre`; a fraction of
the rows may be corrupted. Neighbours: replace one row. Public nets are fixed before any row is seen, so that
the privacy of what uses them does not depend on how fine they are; a coarse net costs accuracy only.
Directions v are 1 on the line, 64 equal angles of the half-circle, 150 Fibonacci points of the half-sphere;
candidates t are the points of a grid on a box round 0, at most `step` apart. z = x - centre, cut to the box:
a fixed map of every row.

`TukeyMean`, the private Tukey median (Algorithm 14):

    (1) u(t) = min_v #{i : ⟨v, z_i⟩ ≥ ⟨v, t⟩}, the Tukey depth of t                   sensitivity 1
    (2) t = a draw with probability ∝ e^{ε u(t)/2} on [-2 radius, 2 radius)^d
    (3) out = centre + t

On the line the depth is constant between rows and the draw is exact: u = n/2 - m with the m of
`shared.window_median` without a window, the distribution of `univariate/median` in its "paper"
calibration. Departure from the source, which draws from the density itself: the grid and the directions.

`ResilientMean` and `ResilientHeavyMean` (Algorithm 2; Theorems 7 and 8): k = ⌈3 α n⌉ rows are trimmed on
either side of every direction, α = `corruption` < 1/6. No α-tail of a clean direction is wider than

    ResilientMean        w = 2 sigma Φ⁻¹(1 - α)          at most the spread of normal rows of sd sigma
    ResilientHeavyMean   w = 2 sigma √((1 - α)/α)        covariance at most sigma² I (Cantelli)

With y_1 ≤ … ≤ y_n, the sorted ⟨v, z_i⟩, entries of z cut to ±(radius + w), rounded to a public grid, m = 0 ..
k-1:

    (1) W_m = max_v max(y_{n-k+1+m} - y_{k+1-m}, y_{n-k+m} - y_{k-m})
    (2) g = the largest m with W_m ≤ w, or -1                                             sensitivity 1
    (3) go on if g + noise - margin > -1, otherwise no answer                 passes at g = -1: probability δ
    (4) q(t) = -max_v |⟨v, t⟩ - (y_{k+1} + … + y_{n-k})/(n - 2k)|, ⟨v, t⟩ rounded, too
                                                                                  w/(n - 2k) if W_0 ≤ w
    (5) out = centre + t, t with probability ∝ e^{ε q(t) (n-2k)/(2w)}

Propose-test-release: g is how many rows have to be replaced, less one, before the trimmed means may move by
more than w/(n - 2k); the private test of step (3) fails to notice it with probability δ. `check` is the share
of ε or ρ that the test takes. No answer comes from rows that are wider than w, and from too few of them: with
ε₁ the share of the test, g ε₁ has to exceed ln(1/(2δ)), and g is about .07 n where α = .05 of the rows sit on
one side. Departures from the source: it tests R, the resilience of the best (1-2α) n rows, which bounds these
widths by its Lemma H.1 and takes C(n, 2αn) subsets; here the widths themselves are tested, which is all that
the sensitivity needs. The range is public, where the source finds it by its DPrange.

Errors are foreseen from public numbers: scores are those of the population round a place that sampling moves,
and the mean lies in the middle between candidates, where a grid errs most, at least step √d/2. Proof:
`proofs/resilience.md`.
"""

from dataclasses import replace
from functools import lru_cache
from math import ceil, inf, pi, sqrt
from typing import Any

import numpy as np

from workbench.errors import ArgumentError, in_range, positive, probability
from workbench.estimators.base import Abstention, Estimator, in_columns, record, standard_radius
from workbench.estimators.shared.budgets import composed, divided, require_selection
from workbench.estimators.shared.noisy_means import better_than, chosen, weighted_median
from workbench.estimators.shared.rows import on_both_sides, only_present
from workbench.estimators.shared.window_median import EVERYTHING, WindowMedian, located_median
from workbench.linalg import half_sphere
from workbench.privacy import ZCDP, ApproxDP, Budget, Charge, NoiseSource, Plan
from workbench.privacy.grid import Integers, OnGrid, step_of, widest
from workbench.privacy.mechanisms import exponential, lower_bound, lower_bound_offset, selection_scale
from workbench.special import ndtr, ndtri
from workbench.types import Array, PerColumn, RowMap, public

CHECK, STEP = "check", "mean"
MOST = 30_000  # candidates
LOOKED = 10_000  # numbers of rows that are tried for the fewest
ANGLES, POINTS = 64, 150
SHIFTS, SEED = 32, 14  # of places that sampling moves: fixed and public
DEEPEST = 1.3  # n times the variance of the deepest point of normal rows, per coordinate
FINE, LARGEST = 30, 60  # bits of w in units of the grid, and of a sum of n rows


@lru_cache(maxsize=4)
def directions(d: int) -> Array:
    """Return unit vectors of which v stands for -v too, shape (count, d)."""
    if d == 1:
        return np.ones((1, 1))
    if d == 3:
        return half_sphere(POINTS)
    angles = pi * np.arange(ANGLES) / ANGLES
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def projected(x: Array, direction: Array) -> Array:
    """Return ⟨x_i, v⟩ for every row: a function of the row alone, to the last bit."""
    total = x[:, 0] * direction[0]
    for column, weight in zip(x.T[1:], direction[1:], strict=True):
        total += column * weight
    return total


def grid_size(d: int, reach: float, step: float) -> int:
    side = 2 * ceil(min(reach / step, MOST)) + 1
    if (size := int(side**d)) <= MOST:
        return size
    least = reach / ((int(MOST ** (1 / d)) - 1) // 2) * 1.001  # four digits of it are enough
    raise ArgumentError("step", step, f"at least {least:.4g}, for a grid of at most {MOST} candidates")


@lru_cache(maxsize=8)
def grid(d: int, reach: float, step: float) -> Array:
    """Return the points of a grid on [-reach, reach]^d at most `step` apart, 0 among them; (count, d)."""
    grid_size(d, reach, step)
    line = np.linspace(-reach, reach, 2 * ceil(reach / step) + 1)
    return np.stack(np.meshgrid(*[line] * d, indexing="ij"), axis=-1).reshape(-1, d)


def require_few_columns(d: int) -> None:
    if d > 3:
        raise ArgumentError("d", d, "1, 2 or 3: a net has exp(d) candidates")


def median_on_grid(d: int, reach: float, step: float, spread: float, weigh: RowMap) -> float:
    """Return the median distance of the chosen point from the mean, all in one unit.

    `spread` is the sd of a coordinate of the best place, `weigh` the log of a weight at distances from it.
    """
    points = grid(d, reach, step)
    spacing = 2 * reach / (round(len(points) ** (1 / d)) - 1)
    places = points - spacing / 2
    shifts = np.random.default_rng(SEED).standard_normal((SHIFTS, d)) * spread
    chances = [chosen(weigh(np.linalg.norm(places - shift, axis=1))) for shift in shifts]
    return weighted_median(np.linalg.norm(places, axis=1), np.mean(chances, axis=0))


def depths(z: Array, points: Array) -> Integers:
    """Return the Tukey depth of every point among the rows z, along the directions of the net."""
    least = np.full(len(points), len(z))
    for v in directions(z.shape[1]):
        rows, places = np.sort(only_present(projected(z, v))), projected(points, v)
        order = np.argsort(places)  # sorted places are found several times as fast
        above = len(rows) - np.searchsorted(rows, places[order], side="left")
        below = np.searchsorted(rows, places[order], side="right")
        least[order] = np.minimum(least[order], np.minimum(above, below))
    return least


def trimmed(z: Array, k: int, unit: float, far: float) -> tuple[Integers, Integers]:
    """Return W_0 .. W_{k-1} and the trimmed sums, k rows off on either side of every direction, in units.

    Absent rows are at either end in turn.
    """
    n, d = z.shape
    widths, sums = np.zeros(k, np.int64), []
    for v in directions(d):
        y = np.sort(whole(on_both_sides(projected(z, v), far), unit))
        np.maximum(widths, y[n - k :] - y[k:0:-1], out=widths)
        np.maximum(widths, y[n - k - 1 : n - 1] - y[k - 1 :: -1], out=widths)
        sums.append(y[k : n - k].sum())
    return widths, np.array(sums)


def distances(points: Array, sums: Integers, left: int, unit: float) -> Integers:
    """Return max_v |(n - 2k)⟨v, t⟩ - trimmed sum| for every point t, in units; n - 2k rows are left."""
    worst = np.zeros(len(points), np.int64)
    for v, total in zip(directions(points.shape[1]), sums, strict=True):
        np.maximum(worst, np.abs(left * whole(projected(points, v), unit) - total), out=worst)
    return worst


def whole(values: Array, unit: float) -> Integers:
    return np.rint(values / unit).astype(np.int64)


@public
class TukeyMean(Estimator[Array]):
    """Private Tukey median in one to three dimensions, robust (LKKO21 Algorithm 14).

    Accurate for rows that are symmetric about a mean with every coordinate within `radius` of `centre`; a
    fraction of them may be anything.
    Guarantee: central model, one replaced row, for every input. Budgets: PureDP, or ZCDP with delta = 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It
    is on no side: depths are those among the others.

    Parameters
    ----------
    radius : float
        Every coordinate of the mean lies within it of `centre`; in the unit of the data.
    centre : float or tuple, default 0.0
        Middle of the range, of every coordinate or a tuple of one for each.
    sigma : float
        Standard deviation of the rows, for the predicted error alone.
    step : float, default 0.1
        Largest spacing of the grid of candidates; unused on the line.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import PureDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=(1000, 2))
    >>> x[:50] = 9.0
    >>> release = TukeyMean(radius=4.0, sigma=1.0)(x, budget=PureDP(1.0), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - 3.0).max() < 0.3)
    True
    """

    radius: float
    centre: PerColumn = 0.0
    sigma: float
    step: float = 0.1

    def _validate(self) -> None:
        standard_radius(self.radius, min(self.sigma, 2.0))

    @property
    def reach(self) -> float:
        return 2 * self.radius

    def locator(self, unit: float = 1.0) -> WindowMedian:
        reach = self.reach / unit
        return WindowMedian(left=EVERYTHING, right=EVERYTHING, low=-reach, high=reach)

    def candidates(self, d: int) -> int:
        return 0 if d == 1 else grid_size(d, self.reach, self.step)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        require_few_columns(d)
        require_selection(budget)
        if d == 1:
            return self.locator().charge(STEP, budget)
        grid_size(d, self.reach, self.step)
        return Charge(STEP, "exponential", 1.0, budget)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array:
        n, d = x.shape
        middle = in_columns(self.centre, d)
        z, charge = np.clip(x - middle, -self.reach, self.reach), self.plan(n, d, budget)[STEP]
        if d == 1:
            position = self.locator().draw(z[:, 0], charge, noise)
            assert position is not None
            return middle + position
        points = grid(d, self.reach, self.step)
        chosen = exponential(depths(z, points), charge, noise)  # (1), (2)
        return middle + points[chosen]  # (3)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean|/sigma for normal rows; infinite from √d radius/sigma on.

        The mean is in the middle between candidates; a place at a distance t from the deepest one, which
        sampling puts next to the mean, has depth n Φ(-t/sigma).
        """
        charge = self.plan(n, d, budget)[STEP]
        trivial = sqrt(d) * self.radius / self.sigma
        if d == 1:
            return better_than(trivial, located_median(self.locator(self.sigma), n, charge.cost))
        scale = selection_scale(charge)
        expected = median_on_grid(
            d,
            self.reach / self.sigma,
            self.step / self.sigma,
            sqrt(DEEPEST / n),
            lambda apart: n * ndtr(-apart) / scale,
        )
        return better_than(trivial, expected)


@public
class ResilientMean(Estimator[Array]):
    """Private mean of partly corrupted sub-Gaussian rows in one to three dimensions (LKKO21 Theorem 7).

    Accurate for clean rows with the spread of a normal distribution of standard deviation `sigma`, or less,
    and every coordinate of the mean within `radius` of `centre`; rows that are wider, or too few, give
    "no answer".
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP with delta above 0, at most
    1/2, or ZCDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place.
    Absent rows lie at either end in turn: `corruption` has to allow for them. All else as of `TukeyMean`.

    Parameters
    ----------
    corruption : float
        Share α of the rows that may be anything, between 0 and 1/6.
    sigma : float
        Standard deviation of the clean rows in any direction, at most.
    check : float, default 1/3
        Share of ε that the test takes.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=(2000, 2))
    >>> x[:100] = 9.0
    >>> estimator = ResilientMean(radius=5.0, corruption=0.05, sigma=1.0)
    >>> release = estimator(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - 3.0).max() < 0.3)
    True
    """

    radius: float
    corruption: float
    centre: PerColumn = 0.0
    sigma: float
    step: float = 0.1
    check: float = 1 / 3

    def _validate(self) -> None:
        in_range(0, 1 / 6, "()", corruption=self.corruption)
        probability(check=self.check)

    @property
    def width(self) -> float:
        """Return w: the width between the α-tails of a clean direction."""
        return 2 * self.sigma * float(-ndtri(self.corruption))

    @property
    def box(self) -> float:
        return self.radius + self.width

    def candidates(self, d: int) -> int:
        return grid_size(d, self.radius, self.step)

    def trim(self, n: int) -> int:
        """Return k, or raise if nothing would be left between the tails."""
        if n - 2 * self._tail(n) < 1:
            enough = ceil(3 / (1 - 6 * self.corruption))  # some fewer may do
            more = next((m for m in range(n, n + LOOKED) if m - 2 * self._tail(m) >= 1), enough)
            raise ArgumentError("n", n, f"at least {more}: the {2 * self._tail(n)} in the tails are trimmed")
        return self._tail(n)

    def _tail(self, n: int) -> int:
        return ceil(3 * self.corruption * n * (1 - 1e-12))

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        positive(width=self.width)  # not earlier: a quantile takes long to load
        require_few_columns(d)
        delta = budget.delta if isinstance(budget, ApproxDP | ZCDP) else 0.0
        if not (delta > 0 and (isinstance(budget, ZCDP) or delta <= 0.5)):
            allowed = "ZCDP with delta > 0, or ApproxDP with delta > 0, at most 1/2"
            raise ArgumentError("budget", budget, allowed)
        grid_size(d, self.radius, self.step)
        check, choice = divided(budget, self.check)
        moved = self.width / (n - 2 * self.trim(n))
        choose = Charge(STEP, "exponential", moved, choice)
        return composed(budget, Charge(CHECK, "lower_bound", 1.0, check), choose)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array | Abstention:
        n, d = x.shape
        plan, left = self.plan(n, d, budget), n - 2 * self.trim(n)
        middle, far = in_columns(self.centre, d), sqrt(d) * self.box
        unit = max(step_of(self.width, FINE), step_of(n * far, LARGEST))  # sums of n rows have 64 bits
        widths, sums = trimmed(np.clip(x - middle, -self.box, self.box), self.trim(n), unit, far)  # (1)
        margin = int(np.searchsorted(widths, widest(self.width, unit), side="right")) - 1  # (2)
        record(margin=margin)
        if not lower_bound(margin, plan[CHECK], noise) > -1:  # (3)
            return Abstention(CHECK)
        points = grid(d, self.radius, self.step)
        scores = OnGrid(-distances(points, sums, left, unit), unit / left)
        return middle + points[exponential(scores, plan[STEP], noise)]  # (4), (5)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean|/sigma for clean normal rows; infinite from √d radius/sigma on.

        Infinite, too, where more than one run in ten gives no answer: most have a margin of k - m - √m rows,
        or √m fewer where d > 1, for m = n Φ(-w/(2 sigma)). Corrupted rows come on top.
        """
        plan = self.plan(n, d, budget)
        cost: Any = plan[CHECK].cost
        beyond = n * float(ndtr(-self.width / (2 * self.sigma)))
        margin = self.trim(n) - max(1.0, beyond + min(d, 2) * sqrt(beyond))
        tenth = lower_bound_offset(replace(plan[CHECK], cost=replace(cost, delta=0.1)))  # of the noise
        if not margin + tenth + lower_bound_offset(plan[CHECK]) > -1:
            return inf
        scale, unit = selection_scale(plan[STEP]), 1 / self.sigma
        expected = median_on_grid(
            d, unit * self.radius, unit * self.step, 1 / sqrt(n), lambda apart: -self.sigma * apart / scale
        )
        return better_than(sqrt(d) * self.radius / self.sigma, expected)


@public
class ResilientHeavyMean(ResilientMean):
    """Private mean of partly corrupted heavy-tailed rows in one to three dimensions (LKKO21 Theorem 8).

    Accurate for clean rows of covariance at most sigma² I with every coordinate of the mean within `radius`
    of `centre`; rows that are wider, or too few, give "no answer". All else as of `ResilientMean`.
    """

    @property
    def width(self) -> float:
        """Return w: no α-tail of a clean direction is further out."""
        return 2 * self.sigma * sqrt((1 - self.corruption) / self.corruption)
