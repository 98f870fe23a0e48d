"""How many rows an accuracy takes, above what nobody can do without: L17 Theorem 2.6 and Lemma 2.7.

The two-step mean with the source's constants and with ours, on a range; |error| ≤ α in 90 % of runs.
"""

from collections.abc import Sequence
from math import ceil, log

import numpy as np
import pandas as pd

from workbench.bounds.l17 import packing_bound, sampling_bound, two_point_bound
from workbench.bounds.search import smallest
from workbench.chapters.one_mean import theory
from workbench.chapters.one_mean.costs import KEYS, RADIUS, two_step
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.curves import LEVEL, measured
from workbench.charts.style import name, number
from workbench.losses import total_variation_of_means
from workbench.privacy import PureDP
from workbench.study.grids import Sweep, grid, multiples, resampler
from workbench.study.measures import Measure, at, success
from workbench.study.profiles import blocks
from workbench.study.run import Run

ALPHA, EPSILON, BETA = 0.1, 0.1, 0.1
ALPHAS = (0.03, 0.05, 0.1, 0.2, 0.5)
STEPS = 8  # sizes per factor 10
SIZE_N = {
    calibration: tuple(
        int(n) for n in np.geomspace(low, high, round(STEPS * np.log10(high / low)) + 1).round()
    )
    for calibration, (low, high) in {"tight": (150, 8000), "paper": (600, 60_000)}.items()
}
RATIO = 1.02  # of neighbouring n that are predicted
SIZES = Sweep(
    "l17-sizes",
    tuple(
        point
        for calibration, ns in SIZE_N.items()
        for point in grid(n=ns, epsilon=EPSILON, radius=RADIUS, calibration=calibration)
    ),
    two_step,
    trials=200,
    blocks=blocks(full=10),
)


def lower_bounds(alpha: float, epsilon: float, beta: float, radius: float = RADIUS) -> dict[str, float]:
    """Return the rows that sampling, packing and two points require for |error| <= alpha but for beta."""
    return {
        "sampling": float(sampling_bound(alpha, beta)),
        "packing": packing_bound(radius, alpha, epsilon, beta, strict=False),
        "two points": float(two_point_bound(total_variation_of_means(2 * alpha), epsilon, beta)),
    }


def foreseen(calibration: str, alpha: float, epsilon: float, radius: float) -> float:
    """Return the n, to one per cent, from which 90 % of the runs are predicted to err by at most alpha."""
    first = max(lower_bounds(alpha, epsilon, BETA, radius).values())

    def enough(place: int) -> bool:
        n, budget = ceil(RATIO**place), PureDP(epsilon)
        return theory.accuracy(n, radius, budget, calibration, BETA) <= alpha

    return float(RATIO ** (smallest(enough, max(1, round(log(max(first, 2), RATIO)))) - 0.5))


def rows_against_accuracy(
    run: Run, *, alpha: float = ALPHA, epsilon: float = EPSILON, radius: float = RADIUS
) -> Chart:
    """Return the n that 90 % of runs need against α, and what nobody can do without."""
    factor = max(lower_bounds(alpha, epsilon, BETA, radius).values()) / max(
        lower_bounds(ALPHA, EPSILON, BETA).values()
    )
    frame = run.table(
        SIZES.moved(
            point
            for calibration, ns in SIZE_N.items()
            for point in grid(
                n=multiples(ns, factor), epsilon=epsilon, radius=radius, calibration=calibration
            )
        )
    )
    low, high, rng = 0.2 * alpha, 7 * alpha, resampler(run.seed, "rows-against-accuracy")
    alphas = np.geomspace(low, high, 41)
    bounds = [lower_bounds(one, epsilon, BETA, radius) for one in alphas]
    series = [forbidden("", alphas, bounds)]
    series += [
        Series("", alphas, [bound[key] for bound in bounds], role="theory", colour_key="idea/limit")
        for key in bounds[0]
    ]
    moved = (alpha, epsilon, radius) != (ALPHA, EPSILON, RADIUS)
    for calibration, key in KEYS.items():
        label, found = (
            name(KEYS["tight"]) if calibration == "tight" else "",
            _rows(frame, calibration, alpha, rng),
        )
        # away from the usual numbers, where nothing is committed, predictions judge
        expected = [foreseen(calibration, one, epsilon, radius) for one in found] if moved else None
        series.append(measured(label, found, key, expected, kind="count"))
    panel = Panel(
        f"ε = {number(epsilon)}, R = {number(radius)}: error at most α in 90 % of runs",
        "target accuracy α (σ)", "rows n", tuple(series),
        xlim=(low, high), ylim=(10 * factor, 1e5 * factor), marks=_marks(alpha, epsilon, radius),
    )  # fmt: skip
    return Chart(
        "rows_against_accuracy",
        "Three lower bounds on n, and how near improved constants come",
        (panel,),
        alt="The rows that two private means need fall with the target accuracy α and stay above the largest"
        " of three lower bounds: sampling for small α, two points in the middle, packing for large α.",
        how_to_read="No ε-private estimator can enter the grey region. Its edge is the largest of three lower"
        " bounds, each named where it is the largest. The lower arrow is what could still be won, the upper"
        " one what the original constants cost.",
    )


def forbidden(label: str, alphas: Sequence[float] | np.ndarray, bounds: Sequence[dict[str, float]]) -> Series:
    """Return the region that the largest of the lower bounds forbids."""
    edge = [max(b.values()) for b in bounds]
    return Series(label, alphas, edge, role="bound", colour_key="idea/limit")


def _marks(alpha: float, epsilon: float, radius: float) -> tuple[Mark, ...]:
    """Return the name of each bound where it is the largest, and both gaps by prediction."""
    named = []
    for key, by in (("sampling", 0.26), ("two points", 1.05), ("packing", 4.5)):
        here = lower_bounds(by * alpha, epsilon, BETA, radius)
        named.append(Mark(key, x=by * alpha, y=0.6 * max(here.values()), colour_key="idea/limit"))
    place = 2 * alpha
    edge = max(lower_bounds(place, epsilon, BETA, radius).values())
    ours, paper = (foreseen(calibration, place, epsilon, radius) for calibration in ("tight", "paper"))
    return (
        *named,
        Mark(f"{number(ours / edge, 2)} times", "arrow", place, edge, place, ours, side="right"),
        Mark(f"{number(paper / ours, 2)} times", "arrow", place, ours, place, paper, side="right"),
    )


def _rows(
    frame: pd.DataFrame, calibration: str, alpha: float, rng: np.random.Generator
) -> dict[float, Measure]:
    """Return the n from which 90 % of the runs err by at most each of several α."""
    of, found = at(frame, calibration=calibration), {}
    for one in [alpha / ALPHA * one for one in ALPHAS] if len(frame) else ():
        size = success(of["error"] <= one, of["n"], 1 - BETA, level=LEVEL, rng=rng)
        found[one] = Measure(size.estimate, size.interval, 0)
    return found
