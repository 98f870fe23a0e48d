"""How many rows a private mean needs for an accuracy, over what no estimator can do without."""

from collections.abc import Sequence
from math import ceil, log

import numpy as np
import pandas as pd

from workbench.bounds.search import smallest
from workbench.chapters.one_mean.claims import costs
from workbench.chapters.one_mean.figures.costs import KEYS, NAMES
from workbench.chapters.one_mean.runs import theory
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.privacy import PureDP
from workbench.study.measures import Measure
from workbench.study.run import Run
from workbench.study.sweeps.streams import resampler
from workbench.study.sweeps.sweep import Sweep, grid, multiples

ALPHA = 0.1
RATIO = 1.02  # of neighbouring n that are predicted
LOWER = {
    "sampling": "sampling alone",
    "two points": "two points (Lemma 2.7)",
    "packing": "packing (Theorem 2.6)",
}


def rows_against_accuracy(
    run: Run,
    *,
    alpha: float = ALPHA,
    epsilon: float = costs.SIZE_EPSILON,
    radius: float = costs.RADIUS,
) -> Chart:
    """Return the n that 90 % of the runs need against α, round this one, over what nobody can do without."""
    frame = run.table(_sized(alpha, epsilon, radius))
    rng = resampler(run.seed, "rows-against-accuracy")
    low, high = 0.2 * alpha, 7 * alpha
    alphas = np.geomspace(low, high, 41)
    bounds = [costs.lower_bounds(one, epsilon, costs.SIZE_BETA, radius) for one in alphas]
    series = [_sizes(frame, calibration, alpha, epsilon, radius, rng) for calibration in KEYS]
    series.append(forbidden(alphas, bounds))
    series += [
        Series(name, alphas, [bound[key] for bound in bounds], role="theory", colour_key=str(place))
        for place, (key, name) in enumerate(LOWER.items(), start=3)
    ]
    factor = _factor(alpha, epsilon, radius)
    panel = Panel(
        "", "wanted accuracy α (standard deviations)", "rows n", tuple(series),
        xlim=(low, high), ylim=(10 * factor, 1e5 * factor),
    )  # fmt: skip
    return Chart(
        "rows_against_accuracy",
        f"Rows needed for accuracy α in 90 % of runs (ε = {epsilon:g}, R = {radius:g})",
        (panel,),
        alt="The rows that two private means need fall with the wanted accuracy α and stay above the largest"
        " of three lower bounds: sampling for small α, two points in the middle, packing for large α.",
        how_to_read="Nothing private can enter the shaded region: its edge is the largest of three lower"
        " bounds, and each of them rules somewhere, sampling on the left, packing on the right. The gap"
        " between our constants (filled) and the edge is what could still be won; the gap to the lecture's"
        " constants (hollow) is what constants alone cost.",
    )


def _factor(alpha: float, epsilon: float, radius: float) -> float:
    """Return the rows that nobody does without, over those at the usual numbers."""
    usual = costs.lower_bounds(ALPHA, costs.SIZE_EPSILON, costs.SIZE_BETA)
    here = costs.lower_bounds(alpha, epsilon, costs.SIZE_BETA, radius)
    return max(here.values()) / max(usual.values())


def _sized(alpha: float, epsilon: float, radius: float) -> Sweep:
    factor = _factor(alpha, epsilon, radius)
    return costs.SIZES.moved(
        point
        for calibration in costs.SIZE_N
        for point in grid(
            n=multiples(costs.sizes(calibration), factor),
            epsilon=epsilon,
            radius=radius,
            calibration=calibration,
        )
    )


def _sizes(
    frame: pd.DataFrame,
    calibration: str,
    alpha: float,
    epsilon: float,
    radius: float,
    rng: np.random.Generator,
) -> Series:
    """Return the measured n; away from the usual numbers, where nothing is committed, predictions judge."""
    alphas = [alpha / ALPHA * one for one in costs.ALPHAS] if len(frame) else []
    found = {one: costs.size_needed(frame, calibration, one, LEVEL, rng) for one in alphas}
    sizes = {one: Measure(size.estimate, size.interval, 0) for one, size in found.items()}
    usual = (alpha, epsilon, radius) == (ALPHA, costs.SIZE_EPSILON, costs.RADIUS)
    expected = None if usual else [foreseen(calibration, one, epsilon, radius) for one in alphas]
    return measured(NAMES[calibration], sizes, KEYS[calibration], expected, kind="count")


def foreseen(calibration: str, alpha: float, epsilon: float, radius: float) -> float:
    """Return the n, to one per cent, from which 90 % of the runs are predicted to err by at most alpha."""
    first = max(costs.lower_bounds(alpha, epsilon, costs.SIZE_BETA, radius).values())

    def enough(place: int) -> bool:
        n, budget = ceil(RATIO**place), PureDP(epsilon)
        return theory.accuracy(n, radius, budget, calibration, costs.SIZE_BETA) <= alpha

    return float(RATIO ** (smallest(enough, max(1, round(log(max(first, 2), RATIO)))) - 0.5))


def forbidden(alphas: Sequence[float] | np.ndarray, bounds: Sequence[dict[str, float]]) -> Series:
    """Return the region that the largest of the lower bounds forbids."""
    return Series("not even with the best estimator", alphas, [max(b.values()) for b in bounds], role="bound")
