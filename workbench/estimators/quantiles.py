"""Private quantiles of a column: the median on a range, and many quantiles at once.  LKKO21; many are ours.

Rows x of shape (n,). Neighbours: replace one row. A row with an entry that is missing is on no side, in no
gap, and does not count: the answers are the quantiles of the others. z = (x - centre)/sigma, capped at ±1e15.

`Median`, the exponential mechanism (LKKO21 Algorithm 14 at d = 1), for a median within `radius` of `centre`:

    (1) t = a draw from the density ∝ e^(-ε m(t)/2) on [-radius/sigma, radius/sigma]     m has sensitivity 1
    (2) out = centre + sigma t

"paper": m(t) = |n - 2 #{z_i < t}|/2, the depth. "tight", ours: the larger of that and the number of rows
outside [t - 4, t + 4] (`shared.window_median`), which finds the data in a long range with half the rows.

`Quantiles`, on a range or without one, ours of two known parts:

    (1) y = z on [-radius/sigma, radius/sigma]; without a radius, y = asinh(z) on ±asinh(1e15)
    (2) with a grid, z is rounded to it and moved by up to half its step, at random
    (3) knots are drawn, min(m, max(3, ⌈c (n e)^0.4⌉)) of the m levels, evenly by number; e = ε and c = 1, or
        √(8ρ) and 1.5; without a radius max(3, n e/50) at most, with a grid all m where n e ≥ 1000; in a tree:
        at most M - 1 knots of a node at once, the others in the gaps between them, for M of 2 .. 12 with the
        least predicted variance
    (4) level by level of the tree, a level with one charge, the knots of a node are drawn (`privacy.cuts`)
        from its points, those with left < y ≤ right between two places that are drawn already, all at the
        ends; a place is the float next to the point of a public lattice that was drawn
    (5) the other levels between them in proportion; out = centre + sigma z(y), rounded to the grid

Every point lies in one node of a level, by its value alone. A node draws its knots together by the
exponential mechanism (JointExp of Gillenwater, Joseph & Kulesza 2021); nodes in the gaps that former draws
leave are those of Kaplan, Schnapp & Stemmer (2022), at any fan-out and with shares of all points, so that a
level costs its ε once under replace-one. Knots and tree are functions of n, the levels and the budget alone.

Proof, and what is predicted and bounded: `proofs/quantiles.md`; of the median `proofs/univariate.md`,
section 1.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import asinh, ceil, inf, lgamma, log, sqrt
from typing import Any, NamedTuple

import numpy as np

from workbench.errors import ArgumentError, positive
from workbench.estimators.base import FARTHEST, Located, own_stream
from workbench.estimators.histograms import Location
from workbench.estimators.shared.budgets import composed, require_selection
from workbench.estimators.shared.noisy_means import better_than, uniform_deviation
from workbench.estimators.shared.window_median import (
    EVERYTHING,
    Lengths,
    WindowMedian,
    located_median,
    located_within,
    numbers,
    place,
    rounded,
    selection_epsilon,
    step_for,
)
from workbench.estimators.two_step import WINDOW
from workbench.privacy import ZCDP, Budget, Charge, NoiseSource, Plan, PureDP
from workbench.privacy.cuts import BITS, Level, Node, placed
from workbench.privacy.mechanisms import cuts
from workbench.special import ndtr, ndtri
from workbench.types import Array, Calibration, Floats, frozen, public, remembered

MOST = 1000  # levels
LARGEST_FAN, FEWEST = 12, 3
DENSE = 1000.0  # nε from which every level of rows on a grid is drawn
SPARSE = 50.0  # nε for each knot where there is no range
RUNS, SEED = 4000, 22
WIDTH = 0.05  # of the data near a quantile, in standard deviations, as an escape sees it
FARTHEST_MEAN = 1e6  # of rows anywhere, in standard deviations from the centre
SLACKS = np.geomspace(1.0, 1e6, 61)  # h that are tried


@public
class Median(Location):
    """Private median of one column on a known range (LKKO21 Algorithm 14 at d = 1).

    Accurate for any rows whose density is not small near the median, which lies within `radius` of `centre`;
    the error bound is for normal rows. Where all rows are equal there is none, and "tight" releases any
    number within 4 sigma of them (use `Quantiles(grid=)`).
    Guarantee: central model, one replaced row, for every input. Budgets: PureDP, or ZCDP with delta = 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It
    is on no side: the answer is that of the other rows.

    Parameters
    ----------
    radius : float
        The median lies within it of `centre`; in the unit of the data, like `centre` and `sigma`.
    centre : float, default 0.0
        Middle of the range.
    sigma : float
        Unit of the window of "tight" alone: about the standard deviation of most rows.
    calibration : {"paper", "tight"}, default "tight"
        "paper" draws by depth, "tight" by depth and a window, which finds the data with fewer rows.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=1000)
    >>> release = Median(radius=1e6, sigma=1.0)(x, budget=PureDP(1.0), rng=np.random.default_rng(2))
    >>> abs(release.value - 3.0) < 0.2
    True
    """

    radius: float
    centre: float = 0.0
    sigma: float
    calibration: Calibration = "tight"

    @property
    def locator(self) -> WindowMedian:
        window = WINDOW if self.calibration == "tight" else EVERYTHING
        return WindowMedian(left=window, right=window, low=-self.reach, high=self.reach)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - median| for normal rows; infinite from `radius` on."""
        cost = self.plan(n, d, budget)["locate"].cost
        return better_than(self.radius, self.sigma * located_median(self.locator, n, cost))

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a proved bound for normal rows: DKW and the draw take beta/2 each."""
        cost, deviation = self.plan(n, d, budget)["locate"].cost, uniform_deviation(n, beta / 2)
        return self.sigma * located_within(self.locator, n, cost, beta / 2, ndtr, deviation)

    def other_rows(self, n: int, d: int, budget: Budget) -> str:
        """Return what the answer is for other rows, in words."""
        apart = WINDOW * self.sigma if self.calibration == "tight" else 2 * self.radius
        return (
            "other distributions: near their median, which is not their mean; where all rows are equal, "
            f"or none are near it, up to {apart:.3g} from it"
        )


class Segment(NamedTuple):
    """Knots first, .., last - 1, and those of them that are drawn at once."""

    first: int
    last: int
    chosen: tuple[int, ...]


Tree = tuple[tuple[Segment, ...], ...]  # level by level


@remembered
def knots(levels: Floats, count: int, pure: bool) -> tuple[tuple[int, ...], Tree]:
    # the numbers of the levels that are drawn, and the tree
    numbers = tuple(np.round(np.linspace(0, len(levels) - 1, count)).astype(int).tolist())
    drawn = tuple(levels[number] for number in numbers)
    trees = [tree(count, fan) for fan in range(2, min(count + 1, LARGEST_FAN) + 1)]
    return numbers, min(trees, key=lambda one: float(variances(drawn, one, pure).mean()))


def tree(count: int, fan: int) -> Tree:
    # the segments of `count` knots, with at most `fan` gaps in each
    levels, open_ = list[tuple[Segment, ...]](), [(0, count)]
    while open_:
        level, gaps = list[Segment](), list[tuple[int, int]]()
        for first, last in open_:
            size, chosen = last - first, tuple(range(first, last))
            if size >= fan:
                chosen = tuple(first + round(i * (size + 1) / fan) - 1 for i in range(1, fan))
            level.append(Segment(first, last, chosen))
            ends = pairwise((first - 1, *chosen, last))
            gaps += [(low + 1, high) for low, high in ends if low + 1 < high]
        levels.append(tuple(level))
        open_ = gaps
    return tuple(levels)


def variances(levels: Floats, branches: Tree, pure: bool) -> Array:
    # of the ranks of all knots, at e = 1
    own = len(branches) ** 2 if pure else len(branches)
    places = np.array([0.0, *levels, 1.0])
    found = np.zeros(len(places))
    for segment in (one for level in branches for one in level):
        low, high, fan = segment.first, segment.last + 1, len(segment.chosen) + 1
        left, right = found[low], found[high]
        for k, knot in enumerate(segment.chosen, start=1):
            t = (places[knot + 1] - places[low]) / (places[high] - places[low])
            drawn = 32 * own * k * (fan - k) * (fan - 0.5) / (fan * (fan + 1))
            across = t * (1 - t)
            inherited = (1 - t) ** 2 * left + t**2 * right + across * sqrt(left * right)
            found[knot + 1] = drawn + (inherited + across * (left + right) / 6)
    return found[1:-1]


@lru_cache(maxsize=64)
def noise_factor(levels: Floats, branches: Tree) -> Array:
    # A with A Aᵀ the predicted covariance of the ranks of the knots at ε = 1 for each level
    count = len(levels)
    places, found = np.array([0.0, *levels, 1.0]), np.zeros((count + 2, 2 * count))
    for segment in (one for level in branches for one in level):
        low, high, chosen = segment.first, segment.last + 1, np.array(segment.chosen)
        order, fan = np.arange(1, len(chosen) + 1), len(chosen) + 1
        size: Any = 32 * (fan - 0.5) / (fan * (fan + 1))
        own = size * np.minimum.outer(order, order) * (fan - np.maximum.outer(order, order))
        found[np.ix_(chosen + 1, chosen)] = np.linalg.cholesky(own)
        t = ((places[chosen + 1] - places[low]) / (places[high] - places[low]))[:, None]
        flat = (found[[low, high]] ** 2).sum() / 6 * t * (1 - t)
        found[chosen + 1] += (1 - t) * found[low] + t * found[high]
        found[chosen + 1, count + chosen] = np.sqrt(flat[:, 0])
    return found[1:-1]


@frozen
class Cutting:
    """Step (4) on [low, high] for the shares `levels` of the points, drawn along a tree."""

    low: float
    high: float
    levels: Floats
    tree: Tree

    @property
    def step(self) -> float:
        return step_for(self.high - self.low)

    @property
    def ends(self) -> tuple[float, float]:
        low, high = rounded(np.array([self.low, self.high]), self.step)
        return float(low), float(high)

    def prepared(self, points: Array) -> Array:
        low, high = self.ends
        present = rounded(points[~np.isnan(points)], self.step)
        return np.sort(np.clip(present, low, high))

    def draw(self, points: Array, charges: Sequence[Charge], noise: NoiseSource) -> Array:
        y, (low, high) = self.prepared(points), self.ends
        found = np.array([low, *np.full(len(self.levels), np.nan), high])
        for segments, charge in zip(self.tree, charges, strict=True):
            drawn = cut(self.level(y, found, segments), charge, noise)
            for segment, places in zip(segments, drawn, strict=True):
                found[np.array(segment.chosen) + 1] = places
        return found[1:-1]

    def level(self, y: Array, found: Array, segments: tuple[Segment, ...]) -> Level:
        # the points between two places that are there, and their shares
        ranks, nodes = (0, *(round(level * 2**BITS) for level in self.levels), 2**BITS), list[Node]()
        for first, last, chosen in segments:
            left, right = found[first], found[last + 1]
            start = 0 if first == 0 else int(np.searchsorted(y, left, side="right"))
            stop = max(start, int(np.searchsorted(y, right, side="right")))
            edges = np.concatenate([[left], y[start:stop], [right]])
            ends = [ranks[knot + 1] for knot in (first - 1, *chosen, last)]
            shares = tuple(high - low for low, high in pairwise(ends))
            lengths = Lengths(edges, np.zeros(len(edges) - 1, bool), self.step)
            nodes.append(Node(lengths, shares, len(y)))
        return Level(tuple(nodes))

    def rank_bound(self, n: int, epsilons: Sequence[float], beta: float, longest: float) -> float:
        # E; places are up to `longest` times closer in y than in standard deviations of the rows
        deviation, error = uniform_deviation(n, beta / 2), 0.0
        room = log(2 * sum(map(len, self.tree)) / beta)
        places = np.array([0.0, *self.levels, 1.0])
        for segments, epsilon in zip(self.tree, epsilons, strict=True):
            above, error = error, -inf
            for segment in segments:
                at, count = places[np.array(segment.chosen) + 1], len(segment.chosen)
                ends = (places[segment.first] + above / n, places[segment.last + 1] - above / n)
                least = np.diff([ends[0], *at, ends[1]])
                free = n * min(least[0], least[-1], *(least[1:-1] / 2))
                slack = SLACKS[(free > SLACKS) & (n * deviation < SLACKS)]
                if not len(slack):
                    return inf
                reach = slack[:, None] / n - deviation
                lengths = (ndtri(at + reach) - ndtri(at - reach)) / longest
                cost = count * log(self.high - self.low) - np.log(lengths).sum(axis=1)
                total = count * slack + 2 / epsilon * (cost - lgamma(count + 1) + room)
                error = max(error, float(3 * above + total.min()))
        return error


def cut(level: Level, charge: Charge, noise: NoiseSource) -> list[list[float]]:
    chosen, found = cuts(level, charge, noise), list[list[float]]()
    for node, pieces in zip(level.nodes, chosen, strict=True):
        lengths: Any = node.lengths
        edges, step = lengths.edges, lengths.unit
        if node.empty:
            found.append([float(edges[0])] * len(pieces))
            continue
        ends = {piece: numbers(edges[piece : piece + 2], step) for piece in pieces}
        offsets = placed({piece: last - first for piece, (first, last) in ends.items()}, pieces, noise.below)
        found.append([place(ends[piece][0] + by, step) for piece, by in zip(pieces, offsets, strict=True)])
    return found


@public
class Quantiles(Located[Array]):
    """Private quantiles of one column, many at once, on a known range or anywhere (ours).

    Accurate in rank for any rows: the share of rows below an answer is near its level. The error bound is
    for normal rows, without a radius with a mean within 1e6 sigma of `centre`. All else as of `Median`.

    Parameters
    ----------
    levels : tuple of float, default (0.25, 0.5, 0.75)
        Increasing, between 0 and 1: 0.5 is the median.
    radius : float or None, default None
        The rows lie within it of `centre`, others count as the nearer end. None: anywhere on the line.
    centre : float, default 0.0
        Middle of the range; without a radius, where the rows are to within orders of magnitude.
    sigma : float
        Without a radius, the spread of the rows to within orders of magnitude; with one, a unit.
    grid : float or None, default None
        The rows are whole numbers of this step, counted from centre - radius; so are the answers.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=2000)
    >>> release = Quantiles(sigma=1.0)(x, budget=PureDP(1.0), rng=np.random.default_rng(2))
    >>> [bool(abs(value - wanted) < 0.2) for value, wanted in zip(release.value, (2.33, 3.0, 3.67))]
    [True, True, True]
    """

    levels: Floats = (0.25, 0.5, 0.75)
    radius: float | None = None
    centre: float = 0.0
    sigma: float
    grid: float | None = None

    def _validate(self) -> None:
        inside = all(0 < level < 1 for level in self.levels)
        if not (0 < len(self.levels) <= MOST and inside and all(a < b for a, b in pairwise(self.levels))):
            raise ArgumentError("levels", self.levels, f"1 to {MOST} increasing numbers between 0 and 1")
        super()._validate()
        if self.grid is not None:
            positive(grid=self.grid)
            if self.radius is None or not self.radius / 2**40 <= self.grid <= self.radius:
                raise ArgumentError("grid", self.grid, "a step from 1e-12 of the radius to the radius")

    @property
    def reach(self) -> float:  # half the length of what is cut, without half a step of the grid
        return asinh(FARTHEST) if self.radius is None else float(super().reach)

    @property
    def step(self) -> float:
        return 0.0 if self.grid is None else self.grid / self.sigma

    def cutting(self, n: int, budget: Budget) -> Cutting:
        require_selection(budget)
        assert isinstance(budget, PureDP | ZCDP)
        pure = isinstance(budget, PureDP)
        size = n * (budget.epsilon if isinstance(budget, PureDP) else sqrt(8 * budget.rho))
        most = max(FEWEST, ceil((1.0 if pure else 1.5) * size**0.4))
        if self.grid is not None and size >= DENSE:
            most = len(self.levels)
        if self.radius is None:
            most = min(most, max(FEWEST, int(size / SPARSE)))
        numbers, branches = knots(self.levels, min(len(self.levels), most), pure)  # (3)
        reach = self.reach + self.step / 2
        return Cutting(-reach, reach, tuple(self.levels[one] for one in numbers), branches)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        depth = len(self.cutting(n, budget).tree)
        costs: tuple[Budget, ...] = budget.split(*[1.0] * depth)
        charges = (Charge(f"level {one}", "cuts", 1.0, cost) for one, cost in enumerate(costs, start=1))
        return composed(budget, *charges)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array:
        cutting, charges = self.cutting(len(x), budget), list(self.plan(len(x), 1, budget).charges())
        z = self.standard(x)
        if self.radius is None:
            y = np.arcsinh(z)  # (1)
        elif not self.step:
            y = np.clip(z, -self.reach, self.reach)
        else:
            y = self.on_grid(z) + self.step * (own_stream(noise).random(len(z)) - 0.5)  # (2)
        drawn = cutting.draw(y, charges, noise)  # (4)
        y = np.maximum.accumulate(np.interp(self.levels, cutting.levels, drawn))  # (5)
        z = np.sinh(y) if self.radius is None else self.on_grid(y) if self.step else y
        return self.centre + self.sigma * z

    def on_grid(self, z: Array) -> Array:
        last = (2 * self.reach) // self.step
        return np.clip(np.rint((z + self.reach) / self.step), 0, last) * self.step - self.reach

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of the largest |out - quantile| over the levels for normal rows."""
        cutting, wanted = self.cutting(n, budget), ndtri(np.array(self.levels))
        epsilon = selection_epsilon(self.plan(n, 1, budget)["level 1"].cost)
        levels, room = np.array(cutting.levels), log((cutting.high - cutting.low) / WIDTH)
        least = n * min(cutting.levels[0], 1 - cutting.levels[-1])
        together = (n - least) * epsilon / 2 < len(cutting.tree[0][0].chosen) * room
        if together or least * epsilon / 2 < room + log(20):
            return inf  # a place may well be drawn far from the data
        rows = np.linalg.cholesky(np.minimum.outer(levels, levels) - np.outer(levels, levels))
        both = np.hstack([noise_factor(cutting.levels, cutting.tree) / epsilon, sqrt(n) * rows])
        errors = np.random.default_rng(SEED).standard_normal((RUNS, both.shape[1])) @ both.T
        ranks = levels + errors / n
        z = ndtri(np.where((ranks > 0) & (ranks < 1), ranks, np.nan))
        places = np.arcsinh(z) if self.radius is None else z
        between = np.array([np.interp(self.levels, cutting.levels, one) for one in places])
        found = np.sinh(between) if self.radius is None else between
        largest = np.abs(found - wanted).max(axis=1)
        predicted = float(np.median(np.where(np.isnan(largest), inf, largest)))
        return self.sigma * (predicted + 1.5 * self.step)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a proved bound on the largest |out - quantile| for normal rows."""
        cutting, anywhere = self.cutting(n, budget), self.radius is None
        epsilons = [selection_epsilon(charge.cost) for charge in self.plan(n, 1, budget).charges()]
        error = cutting.rank_bound(n, epsilons, beta, FARTHEST_MEAN + 10 if anywhere else 1.0)
        off, levels = error / n + uniform_deviation(n, beta / 2), np.array(cutting.levels)
        if not (levels[0] > off and levels[-1] < 1 - off):
            return inf
        drawn, wanted = ndtri(levels), ndtri(np.array(self.levels))
        if anywhere and len(drawn) < len(wanted):
            return inf  # what lies between knots depends on where the rows are
        moved = np.maximum(ndtri(levels + off) - drawn, drawn - ndtri(levels - off)).max()
        between = np.abs(np.interp(self.levels, levels, drawn) - wanted).max()
        return self.sigma * (float(moved + between) + 1.5 * self.step)
