"""How many rows a private mean needs for an accuracy, over what no estimator can do without."""

from collections.abc import Sequence
from math import ceil, log

import numpy as np
import pandas as pd

from workbench.bounds.search import smallest
from workbench.chapters.one_mean.claims import costs
from workbench.chapters.one_mean.figures.costs import KEYS
from workbench.chapters.one_mean.runs import theory
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.methods import name
from workbench.charts.words import number
from workbench.privacy import PureDP
from workbench.study.grids import Sweep, grid, multiples, resampler
from workbench.study.measures import Measure
from workbench.study.run import Run

ALPHA = 0.1
RATIO = 1.02  # of neighbouring n that are predicted


def rows_against_accuracy(
    run: Run,
    *,
    alpha: float = ALPHA,
    epsilon: float = costs.SIZE_EPSILON,
    radius: float = costs.RADIUS,
) -> Chart:
    """Return the n that 90 % of runs need against α, and what nobody can do without."""
    frame = run.table(_sized(alpha, epsilon, radius))
    rng = resampler(run.seed, "rows-against-accuracy")
    low, high = 0.2 * alpha, 7 * alpha
    alphas = np.geomspace(low, high, 41)
    bounds = [costs.lower_bounds(one, epsilon, costs.SIZE_BETA, radius) for one in alphas]
    series = [forbidden("", alphas, bounds)]
    series += [
        Series("", alphas, [bound[key] for bound in bounds], role="theory", colour_key="idea/limit")
        for key in bounds[0]
    ]
    series += [_sizes(frame, calibration, alpha, epsilon, radius, rng) for calibration in KEYS]
    factor = _factor(alpha, epsilon, radius)
    panel = Panel(
        f"ε = {number(epsilon)}, R = {number(radius)}: error at most α in nine runs of ten",
        "target accuracy α (σ)", "rows n", tuple(series),
        xlim=(low, high), ylim=(10 * factor, 1e5 * factor), marks=_marks(alpha, epsilon, radius),
    )  # fmt: skip
    return Chart(
        "rows_against_accuracy",
        "Three bounds that nobody beats, and how near our constants come",
        (panel,),
        alt="The rows that two private means need fall with the target accuracy α and stay above the largest"
        " of three lower bounds: sampling for small α, two points in the middle, packing for large α.",
        how_to_read="No ε-private estimator can enter the grey region. Each of three bounds rules somewhere:"
        " its edge is the largest of them. The lower arrow is what could still be won, the upper one what"
        " the lecture's constants cost.",
    )


def _marks(alpha: float, epsilon: float, radius: float) -> tuple[Mark, ...]:
    """Return the name of each bound where it rules, and both gaps."""
    named = []
    for key, by in (("sampling", 0.26), ("two points", 1.05), ("packing", 4.5)):
        here = costs.lower_bounds(by * alpha, epsilon, costs.SIZE_BETA, radius)
        named.append(Mark(key, x=by * alpha, y=0.6 * max(here.values()), colour_key="idea/limit"))
    place = 2 * alpha
    edge, ours, paper = _gaps(place, epsilon, radius)
    return (
        *named,
        Mark(f"{number(ours / edge, 2)} times", "arrow", place, edge, place, ours, side="right"),
        Mark(f"{number(paper / ours, 2)} times", "arrow", place, ours, place, paper, side="right"),
    )


def _gaps(alpha: float, epsilon: float, radius: float) -> tuple[float, float, float]:
    """Return the n of the bounds and of both calibrations at α, by prediction."""
    edge = max(costs.lower_bounds(alpha, epsilon, costs.SIZE_BETA, radius).values())
    ours, paper = (foreseen(calibration, alpha, epsilon, radius) for calibration in ("tight", "paper"))
    return edge, ours, paper


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
    label = name(KEYS["tight"]) if calibration == "tight" else ""
    return measured(label, sizes, KEYS[calibration], expected, kind="count")


def foreseen(calibration: str, alpha: float, epsilon: float, radius: float) -> float:
    """Return the n, to one per cent, from which 90 % of the runs are predicted to err by at most alpha."""
    first = max(costs.lower_bounds(alpha, epsilon, costs.SIZE_BETA, radius).values())

    def enough(place: int) -> bool:
        n, budget = ceil(RATIO**place), PureDP(epsilon)
        return theory.accuracy(n, radius, budget, calibration, costs.SIZE_BETA) <= alpha

    return float(RATIO ** (smallest(enough, max(1, round(log(max(first, 2), RATIO)))) - 0.5))


def forbidden(label: str, alphas: Sequence[float] | np.ndarray, bounds: Sequence[dict[str, float]]) -> Series:
    """Return the region that the largest of the lower bounds forbids."""
    edge = [max(b.values()) for b in bounds]
    return Series(label, alphas, edge, role="bound", colour_key="idea/limit")
