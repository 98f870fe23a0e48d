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
from workbench.estimators import base, scale
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
    @contextmanager
    def fault(example: Example) -> Iterator[None]:
        kind = type(example.estimator)
        with patch.object(kind, name, change(getattr(kind, name))):
            yield

    return fault


def times(cost: Any, factor: float) -> Any:
    name = next(name for name in ("epsilon", "rho", "mu") if hasattr(cost, name))
    return replace(cost, **{name: factor * getattr(cost, name)})


class Unclipped:
    def __getattr__(self, name: str) -> Any:
        return (lambda x, low, high, out=None: np.asarray(x)) if name == "clip" else getattr(np, name)


def plain_clipped_mean(x: np.ndarray, centre: float, clip: float) -> float:
    return float(np.clip(x, centre - clip, centre + clip).mean()) - centre


def twice_as_wide(x: np.ndarray, centre: float, clip: float) -> float:
    return clipped_mean(x, centre, 2 * clip)


def exponents_from_the_smallest(differences: np.ndarray) -> np.ndarray:
    keys = exponents(differences)
    return keys - keys.min()


def overlapping_groups(self: Any, x: np.ndarray, log_s: float) -> float:
    windows = np.lib.stride_tricks.sliding_window_view(x, self.group)
    with np.errstate(all="ignore"):
        ratios = np.exp(2 * (np.log(windows.std(axis=1, ddof=1)) - log_s))
    return float(np.clip(ratios, self.low, self.high).mean()) - self.middle


def sorted_groups(self: Any, x: np.ndarray, log_s: float) -> float:
    return winsorised_statistic(self, np.sort(x), log_s)


winsorised_statistic = scale.Winsor.statistic
scored = WindowMedian.pieces
drawn = WindowMedian.draw
weighed = WindowMedian.bottom
chosen_by = WindowMedian.choices


def twice_the_depth(self: WindowMedian, points: np.ndarray) -> Pieces:
    pieces = scored(self, points)
    middles = pieces.edges[:-1] + np.diff(pieces.edges) / 2
    left = np.searchsorted(np.sort(points), middles)
    return replace(pieces, twice=np.maximum(pieces.twice, 2 * np.abs(len(points) - 2 * left)))


def range_of_the_data(self: WindowMedian, points: np.ndarray) -> Pieces:
    pieces = scored(self, points)
    outside = (pieces.edges[:-1] < points.min()) | (pieces.edges[1:] > points.max())
    return replace(pieces, void=pieces.void | outside)


def scores_of_floats(self: WindowMedian, *arguments: Any) -> Any:
    scores, weights = chosen_by(self, *arguments)
    return np.asarray(scores), weights


def silent_for_sparse_points(self: WindowMedian, points: np.ndarray, charge: Any, noise: Any) -> float | None:
    place = drawn(self, points, charge, noise)
    crowded = np.median(np.abs(points - np.median(points))) < self.right
    return place if crowded or self.low is not None else None


def right_twice(self: WindowMedian, cost: Any) -> int:
    return weighed(replace(self, left=self.right), cost)


def histogram(shown: STEPS, padded: bool = True) -> STEPS:
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
    return threshold(self, cost) / 2


threshold = UnitHistogram.threshold


def rows_dropped(values: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        usable = np.abs(values) <= base.LARGEST
    return np.array(values[usable]) if usable.sum() >= 4 else sanitised(values)


sanitised = base.sanitised
read = base.read


def clipped_in_place(reader: STEPS) -> STEPS:
    def clipped(x: Any) -> Any:
        if isinstance(x, np.ndarray) and x.flags.writeable:
            with np.errstate(invalid="ignore"):
                np.clip(x, -1e3, 1e3, out=x)
        return reader(x)

    return clipped


def twice_the_ball(whole: np.ndarray, radius: float, step: float) -> np.ndarray:
    return in_ball(whole, 2 * radius, step)


def hardly_any_ball(whole: np.ndarray, radius: float, step: float) -> np.ndarray:
    return in_ball(whole, 64 * radius, step)


def twice_the_box(whole: np.ndarray, reach: float, step: float) -> np.ndarray:
    return in_box(whole, 2 * reach, step)


def rounded_alone(x: np.ndarray, radius: float, step: float) -> np.ndarray:
    return np.rint(within_ball(x, radius) / step)


class Floats(np.ndarray):
    def padded(self, by: Any) -> "Floats":
        return np.pad(self, by).view(Floats)


def float_mean(x: np.ndarray, change: STEPS, radius: float, counted: bool = False) -> Floats:
    return np.asarray(within_ball(change(x), radius).mean(axis=0)).view(Floats)


def float_moment(x: np.ndarray, change: STEPS, radius: float, counted: bool = False) -> Floats:
    return second_moment(within_ball(change(x), radius)).view(Floats)


within_ball = rows.within_ball
in_ball, in_box = integers.in_ball, integers.in_box


def nameless(x: object) -> Any:
    return read(x)[0], None


def text_read_as_zeros(x: Any) -> Any:
    try:
        return read(x)
    except ValueError:
        return np.zeros(len(x)), None


def overspent_shares(budget: Any, *shares: float, **deltas: Any) -> tuple[Any, ...]:
    *first, last = divided(budget, *shares, **deltas)
    name = "rho" if hasattr(budget, "rho") else "epsilon"
    return *first, replace(last, **{name: getattr(budget, name)})


divided = budgets.divided


def whole_steps(budget: Any, weights: Any) -> Any:
    return step_budgets(budget, (1.0,)) * len(weights)


step_budgets = budgets.step_budgets


@contextmanager
def every_share_is_the_whole(example: Example) -> Iterator[None]:
    with ExitStack() as stack:
        stack.enter_context(replaced_everywhere((budgets.divided, overspent_shares)))
        stack.enter_context(replaced_everywhere((budgets.step_budgets, whole_steps)))
        stack.enter_context(patch.object(StableCentres, "coordinate_cost", twice_a_coordinate))
        stack.enter_context(replaced_everywhere((budgets.vote_and_mask, whole_vote)))
        stack.enter_context(rewritten(PaperFilter, "_rounds", OUTER, "outer = budget")())
        stack.enter_context(rewritten(PaperFilter, "_directions", ONE, "cost, pure = budget,")())
        for kind in (ZCDP, PureDP):
            stack.enter_context(patch.object(kind, "split", lambda cost, *weights: (cost,) * len(weights)))
        yield


def whole_vote(budget: Any, share: float, kind: str) -> tuple[Any, Any]:
    vote, mask = votes(budget, share, kind)
    return vote, replace(mask, epsilon=budget.epsilon)


votes = budgets.vote_and_mask
OUTER = "outer = ApproxDP(epsilon / (2 * (2 * epochs + 1)), delta / 2)"
ONE = "cost, pure = ApproxDP(epsilon, budget.delta / (8 * passes)),"
coordinate_cost = StableCentres.coordinate_cost


def twice_a_coordinate(self: StableCentres, d: int, budget: Any) -> tuple[str, Any]:
    rule, cost = coordinate_cost(self, d, budget)
    return rule, times(cost, 2.0)


def twice_the_cost(step: str, name: str, size: float, cost: Any) -> tuple[str, str, float, Any]:
    return step, name, size, times(cost, 2)


def with_charges(plan: Any, change: STEPS) -> Any:
    match plan:
        case Converted():
            return replace(plan, part=with_charges(plan.part, change))
        case Interleaved():
            return replace(plan, whole=with_charges(plan.whole, change))
        case Sequential() | Parallel():
            return replace(plan, parts=tuple(with_charges(part, change) for part in plan.parts))
    return change(plan)


def cheaper(plan: Any) -> Any:
    return with_charges(plan, lambda charge: replace(charge, cost=times(charge.cost, 0.5)))


def shorter(plan: Any) -> Any:
    if isinstance(plan, Converted):
        return replace(plan, part=shorter(plan.part))
    return replace(plan, parts=plan.parts[:-1])


def released_with(change: STEPS) -> Fault:
    @contextmanager
    def fault(example: Example) -> Iterator[None]:
        with patch.object(base, "Release", lambda value, plan, *rest: release(value, change(plan), *rest)):
            yield

    return fault


release = base.Release


def own_stream(seed: int | None) -> STEPS:
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
    return lambda steps: lambda self, x, *rest: steps(self, change(x), *rest)


def raises_if(condition: Callable[[np.ndarray], bool]) -> Callable[[STEPS], STEPS]:
    def raising(x: np.ndarray) -> np.ndarray:
        if condition(x):
            raise ValueError("unexpected rows")
        return x

    return of_rows(raising)


def warned_of(x: np.ndarray) -> np.ndarray:
    if not np.ptp(x):
        warnings.warn("all rows are equal", stacklevel=2)
    return x


warns_for_ties = of_rows(warned_of)
roots_of_rows = of_rows(
    lambda x: np.sign(x) * np.sqrt(np.abs(x))
)  # commutes with no translation and no scale
stretched_with_n = of_rows(lambda x: x * (len(x) / 100))  # in a unit that shrinks as there are more rows


def raw_for_ties(steps: STEPS) -> STEPS:
    def changed(self: Any, x: np.ndarray, *rest: Any) -> Any:
        if np.ptp(x):
            return steps(self, x, *rest)
        if x.ndim == 2:
            return x[0]
        return Interval(x[0], x[0]) if "Interval" in type(self).__name__ else float(x[0])

    return changed


def a_point_for_each_epsilon(steps: STEPS) -> STEPS:
    def changed(self: Any, x: np.ndarray, budget: Any, noise: Any, *rest: Any) -> Any:
        size = next(getattr(budget, name) for name in ("epsilon", "rho", "mu") if hasattr(budget, name))
        for _ in range(int(size)):
            noise.uniform(0.0, 1.0)
        return steps(self, x, budget, noise, *rest)

    return changed


def wider_with_n(steps: STEPS) -> STEPS:
    def changed(self: Any, x: np.ndarray, *rest: Any) -> Any:
        value = steps(self, x, *rest)
        more = len(x) ** 2 if np.isfinite(value.high) else 0.0
        return Interval(value.low - more, value.high + more)

    return changed


def a_fraction(factor: float) -> Callable[[STEPS], STEPS]:
    return lambda bound: lambda self, *arguments: bound(self, *arguments) / factor


def drifting(plan: STEPS) -> STEPS:
    calls = count(1)

    def drift(charge: Any) -> Any:
        return replace(charge, sensitivity=charge.sensitivity * (1 + 1e-9 * next(calls)))

    def changed(self: Any, *public: Any) -> Any:
        return with_charges(plan(self, *public), drift)

    return changed


def anything_goes(n: int, d: int, least: int = 2) -> None:
    """No check of n and d."""


def cut_nothing(self: Any, z: np.ndarray, bound: float) -> float:
    return float(z.mean())
