"""Faults that need a few lines each: wrong statistics, wrong decisions, wrong treatment of rows."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import count
from typing import Any
from unittest.mock import patch

import numpy as np

from workbench.catalog import Example
from workbench.distributions import Interval
from workbench.estimators import base, intervals, scale
from workbench.estimators.histograms import StableCentres, UnitHistogram
from workbench.estimators.prime import PaperFilter
from workbench.estimators.scale import exponents
from workbench.estimators.shared import budgets, rows
from workbench.estimators.shared import rows as integers
from workbench.estimators.shared.window_median import Pieces, WindowMedian
from workbench.estimators.two_step import clipped_mean
from workbench.linalg import second_moment
from workbench.privacy import (
    ZCDP,
    Converted,
    Interleaved,
    Parallel,
    PureDP,
    Sequential,
    SimulatedNoise,
    histograms,
)
from workbench.study.faults import Fault, replaced_everywhere, rewritten

STEPS = Callable[..., Any]


def method(name: str, change: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Fault:
    """A fault that changes a method of the example's own class."""

    @contextmanager
    def fault(example: Example) -> Iterator[None]:
        kind = type(example.estimator)
        with patch.object(kind, name, change(getattr(kind, name))):
            yield

    return fault


def times(cost: Any, factor: float) -> Any:
    """A budget with `factor` times the ε, ρ or μ."""
    name = next(name for name in ("epsilon", "rho", "mu") if hasattr(cost, name))
    return replace(cost, **{name: factor * getattr(cost, name)})


class Unclipped:
    """numpy without its clip."""

    def __getattr__(self, name: str) -> Any:
        return (lambda x, low, high, out=None: np.asarray(x)) if name == "clip" else getattr(np, name)


def plain_clipped_mean(x: np.ndarray, centre: float, clip: float) -> float:
    """The clipped mean without centring: right in real numbers, wrong in floats."""
    return float(np.clip(x, centre - clip, centre + clip).mean()) - centre


def twice_as_wide(x: np.ndarray, centre: float, clip: float) -> float:
    """A clipped mean with another clip than the one that was charged."""
    return clipped_mean(x, centre, 2 * clip)


def exponents_from_the_smallest(differences: np.ndarray) -> np.ndarray:
    """Exponents relative to the smallest one."""
    keys = exponents(differences)
    return keys - keys.min()


def overlapping_groups(self: Any, x: np.ndarray, log_s: float) -> float:
    """Variances of all windows of g rows: one row touches g of them."""
    windows = np.lib.stride_tricks.sliding_window_view(x, self.group)
    with np.errstate(all="ignore"):
        ratios = np.exp(2 * (np.log(windows.std(axis=1, ddof=1)) - log_s))
    return float(np.clip(ratios, self.low, self.high).mean()) - self.middle


def sorted_groups(self: Any, x: np.ndarray, log_s: float) -> float:
    """Variances of groups of rows of similar size."""
    return winsorised_statistic(self, np.sort(x), log_s)


winsorised_statistic = scale.Winsor.statistic
scored = WindowMedian.pieces
drawn = WindowMedian.draw
weighed = WindowMedian.bottom
chosen_by = WindowMedian.choices


def twice_the_depth(self: WindowMedian, points: np.ndarray) -> Pieces:
    """A score with |n - 2L| in the place of |n - 2L|/2: sensitivity 2."""
    pieces = scored(self, points)
    middles = pieces.edges[:-1] + np.diff(pieces.edges) / 2
    left = np.searchsorted(np.sort(points), middles)
    return replace(pieces, twice=np.maximum(pieces.twice, 2 * np.abs(len(points) - 2 * left)))


def range_of_the_data(self: WindowMedian, points: np.ndarray) -> Pieces:
    """Positions between the smallest and the largest point only."""
    pieces = scored(self, points)
    outside = (pieces.edges[:-1] < points.min()) | (pieces.edges[1:] > points.max())
    return replace(pieces, void=pieces.void | outside)


def scores_of_floats(self: WindowMedian, *arguments: Any) -> Any:
    """Scores that are right, but no whole numbers."""
    scores, weights = chosen_by(self, *arguments)
    return np.asarray(scores), weights


def silent_for_sparse_points(self: WindowMedian, points: np.ndarray, charge: Any, noise: Any) -> float | None:
    """An abstention that the points decide, after the draw."""
    place = drawn(self, points, charge, noise)
    crowded = np.median(np.abs(points - np.median(points))) < self.right
    return place if crowded or self.low is not None else None


def right_twice(self: WindowMedian, cost: Any) -> int:
    """The weight of the bottom for a window of twice the right width."""
    return weighed(replace(self, left=self.right), cost)


def histogram(shown: STEPS, padded: bool = True) -> STEPS:
    """A stability histogram with another decision: `shown` maps counts, noisy counts, threshold."""

    def release(keys: np.ndarray, charge: Any, noise: Any, threshold: float | None = None) -> Any:
        unique, counts = np.unique(keys, return_counts=True)
        full = np.append(counts, np.zeros(len(keys) - len(counts))) if padded else counts
        noisy = histograms._noisy(full, charge, noise)[: len(counts)]
        least = histograms.stability_threshold(charge.cost) if threshold is None else threshold
        kept = shown(counts, noisy, least)
        return dict(zip(unique[kept].tolist(), noisy[kept].tolist(), strict=True))

    return release


# which bins show follows from counts without noise; one draw for each populated bin, so that the stream shows
# how many there are; a threshold of the estimator's own, in a histogram that no longer refuses it
decided_by_the_count = histogram(lambda counts, noisy, least: counts >= least)
without_empty_draws = histogram(lambda counts, noisy, least: noisy >= least, padded=False)
with_its_own_threshold = histogram(lambda counts, noisy, least: noisy >= 3.0)


def half_of_the_threshold(self: Any, cost: Any) -> float:
    """A threshold that the histogram refuses."""
    return threshold(self, cost) / 2


threshold = UnitHistogram.threshold


def rows_dropped(values: np.ndarray) -> np.ndarray:
    """Unusable rows removed, where enough others are left."""
    with np.errstate(invalid="ignore"):
        usable = np.abs(values) <= base.LARGEST
    return np.array(values[usable]) if usable.sum() >= 4 else sanitised(values)


sanitised = base.sanitised
read = base.read


def clipped_in_place(reader: STEPS) -> STEPS:
    """The caller's array clipped where it lies, before it is read."""

    def clipped(x: Any) -> Any:
        if isinstance(x, np.ndarray) and x.flags.writeable:
            with np.errstate(invalid="ignore"):
                np.clip(x, -1e3, 1e3, out=x)
        return reader(x)

    return clipped


def twice_the_ball(whole: np.ndarray, radius: float, step: float) -> np.ndarray:
    """Whole numbers within another ball than the one that was charged."""
    return in_ball(whole, 2 * radius, step)


def hardly_any_ball(whole: np.ndarray, radius: float, step: float) -> np.ndarray:
    """Whole numbers of rows as long as their sums can hold."""
    return in_ball(whole, 64 * radius, step)


def twice_the_box(whole: np.ndarray, reach: float, step: float) -> np.ndarray:
    """Whole numbers within another box than the one that was charged."""
    return in_box(whole, 2 * reach, step)


def rounded_alone(x: np.ndarray, radius: float, step: float) -> np.ndarray:
    """Rows clipped as floats and then rounded: as whole numbers some are longer than the radius."""
    return np.rint(within_ball(x, radius) / step)


class Floats(np.ndarray):
    """Floats with the methods that estimators call of whole numbers."""

    def padded(self, by: Any) -> "Floats":
        return np.pad(self, by).view(Floats)


def float_mean(x: np.ndarray, change: STEPS, radius: float) -> Floats:
    """The mean of clipped rows as a sum of floats."""
    return np.asarray(within_ball(change(x), radius).mean(axis=0)).view(Floats)


def float_moment(x: np.ndarray, change: STEPS, radius: float) -> Floats:
    """The second moment of clipped rows as a sum of floats."""
    return second_moment(within_ball(change(x), radius)).view(Floats)


within_ball = rows.within_ball
in_ball, in_box = integers.in_ball, integers.in_box


def nameless(x: object) -> Any:
    """Names of columns forgotten."""
    return read(x)[0], None


def text_read_as_zeros(x: Any) -> Any:
    """Columns of text read as rows of zero."""
    try:
        return read(x)
    except ValueError:
        return np.zeros(len(x)), None


def overspent_shares(budget: Any, share: float) -> tuple[Any, Any]:
    """The mean gets the whole ε or ρ, whatever the location took."""
    location, mean = divided(budget, share)
    whole = budget.rho if hasattr(budget, "rho") else budget.epsilon
    return location, (replace(mean, rho=whole) if hasattr(mean, "rho") else PureDP(whole))


divided = budgets.divided


def whole_steps(budget: Any, weights: Any) -> Any:
    """Every Gaussian step gets the whole budget."""
    return step_budgets(budget, (1.0,)) * len(weights)


step_budgets = budgets.step_budgets


@contextmanager
def every_share_is_the_whole(example: Example) -> Iterator[None]:
    """Budgets that are handed out in full to each step."""

    def parts(budget: Any) -> tuple[Any, ...]:
        return tuple(times(part, 2.0) for part in kv_parts(budget))

    with ExitStack() as stack:
        stack.enter_context(replaced_everywhere((budgets.divided, overspent_shares)))
        stack.enter_context(replaced_everywhere((budgets.step_budgets, whole_steps)))
        stack.enter_context(patch.object(intervals, "_halving_delta", lambda budget, share: (budget, budget)))
        stack.enter_context(patch.object(intervals, "_parts", parts))
        stack.enter_context(patch.object(StableCentres, "coordinate_cost", twice_a_coordinate))
        stack.enter_context(replaced_everywhere((budgets.vote_and_mask, whole_vote)))
        stack.enter_context(rewritten(PaperFilter, "_rounds", OUTER, "outer = budget")())
        stack.enter_context(rewritten(PaperFilter, "_directions", ONE, "cost, pure = budget,")())
        for kind in (ZCDP, PureDP):
            stack.enter_context(patch.object(kind, "split", lambda cost, *weights: (cost,) * len(weights)))
        yield


def whole_vote(budget: Any, share: float, kind: str) -> tuple[Any, Any]:
    """The mask gets the whole ε, whatever the vote took."""
    vote, mask = votes(budget, share, kind)
    return vote, replace(mask, epsilon=budget.epsilon)


votes = budgets.vote_and_mask
OUTER = "outer = ApproxDP(epsilon / (2 * (2 * epochs + 1)), delta / 2)"
ONE = "cost, pure = ApproxDP(epsilon, budget.delta / (8 * passes)),"
kv_parts = intervals._parts
coordinate_cost = StableCentres.coordinate_cost


def twice_a_coordinate(self: StableCentres, d: int, budget: Any) -> tuple[str, Any]:
    """Every coordinate gets twice its share."""
    rule, cost = coordinate_cost(self, d, budget)
    return rule, times(cost, 2.0)


def twice_the_cost(step: str, name: str, size: float, cost: Any) -> tuple[str, str, float, Any]:
    """A charge at twice its price."""
    return step, name, size, times(cost, 2)


def with_charges(plan: Any, change: STEPS) -> Any:
    """The same plan with every charge changed."""
    match plan:
        case Converted():
            return replace(plan, part=with_charges(plan.part, change))
        case Interleaved():
            return replace(plan, whole=with_charges(plan.whole, change))
        case Sequential() | Parallel():
            return replace(plan, parts=tuple(with_charges(part, change) for part in plan.parts))
    return change(plan)


def cheaper(plan: Any) -> Any:
    """The same plan at half the price."""
    return with_charges(plan, lambda charge: replace(charge, cost=times(charge.cost, 0.5)))


def shorter(plan: Any) -> Any:
    """The same plan without its last step."""
    if isinstance(plan, Converted):
        return replace(plan, part=shorter(plan.part))
    return replace(plan, parts=plan.parts[:-1])


def released_with(change: STEPS) -> Fault:
    """Releases that carry another plan than the one of the run."""

    @contextmanager
    def fault(example: Example) -> Iterator[None]:
        with patch.object(base, "Release", lambda value, plan, *rest: release(value, change(plan), *rest)):
            yield

    return fault


release = base.Release


def own_stream(seed: int | None) -> STEPS:
    """A source that the estimator seeds itself."""

    def source(rng: object) -> Any:
        return (
            SimulatedNoise(np.random.default_rng(seed))
            if isinstance(rng, np.random.Generator)
            else given(rng)
        )

    return source


given = base.noise_source


# changes of the method `estimate` of an estimator: (self, x, budget, noise, trace)


def of_rows(change: STEPS) -> Callable[[STEPS], STEPS]:
    """Other rows in the place of those that are read."""
    return lambda steps: lambda self, x, *rest: steps(self, change(x), *rest)


def raises_if(condition: Callable[[np.ndarray], bool]) -> Callable[[STEPS], STEPS]:
    """An error that the rows, or how many there are, bring about."""

    def raising(x: np.ndarray) -> np.ndarray:
        if condition(x):
            raise ValueError("unexpected rows")
        return x

    return of_rows(raising)


def warned_of(x: np.ndarray) -> np.ndarray:
    """The rows, after a warning that they bring about."""
    if not np.ptp(x):
        warnings.warn("all rows are equal", stacklevel=2)
    return x


warns_for_ties = of_rows(warned_of)
roots_of_rows = of_rows(
    lambda x: np.sign(x) * np.sqrt(np.abs(x))
)  # commutes with no translation and no scale
stretched_with_n = of_rows(lambda x: x * (len(x) / 100))  # in a unit that shrinks as there are more rows


def raw_for_ties(steps: STEPS) -> STEPS:
    """The statistic itself where the rows are all equal."""

    def changed(self: Any, x: np.ndarray, *rest: Any) -> Any:
        if np.ptp(x):
            return steps(self, x, *rest)
        if x.ndim == 2:
            return x[0]
        return Interval(x[0], x[0]) if "Interval" in type(self).__name__ else float(x[0])

    return changed


def a_point_for_each_epsilon(steps: STEPS) -> STEPS:
    """Work that grows with the budget."""

    def changed(self: Any, x: np.ndarray, budget: Any, noise: Any, *rest: Any) -> Any:
        size = next(getattr(budget, name) for name in ("epsilon", "rho", "mu") if hasattr(budget, name))
        for _ in range(int(size)):
            noise.uniform(0.0, 1.0)
        return steps(self, x, budget, noise, *rest)

    return changed


def wider_with_n(steps: STEPS) -> STEPS:
    """Intervals that grow with the number of rows."""

    def changed(self: Any, x: np.ndarray, *rest: Any) -> Any:
        value = steps(self, x, *rest)
        more = len(x) ** 2 if np.isfinite(value.high) else 0.0
        return Interval(value.low - more, value.high + more)

    return changed


def a_fraction(factor: float) -> Callable[[STEPS], STEPS]:
    """A bound that promises too much."""
    return lambda bound: lambda self, *arguments: bound(self, *arguments) / factor


def drifting(plan: STEPS) -> STEPS:
    """A plan that changes from call to call."""
    calls = count(1)

    def drift(charge: Any) -> Any:
        return replace(charge, sensitivity=charge.sensitivity * (1 + 1e-9 * next(calls)))

    def changed(self: Any, *public: Any) -> Any:
        return with_charges(plan(self, *public), drift)

    return changed


def anything_goes(n: int, d: int, least: int = 2) -> None:
    """No check of n and d."""


def cut_nothing(self: Any, z: np.ndarray, bound: float) -> float:
    """The mean itself."""
    return float(z.mean())
