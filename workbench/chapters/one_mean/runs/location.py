"""The sweeps behind the claims and pictures about locating a mean (L17 section 2).

Unit variance throughout, and rows are normal. On a range [-R, R] the mean is uniform, so that its position
within a bin is. Grids of n are placed by the predictions of `runs.theory`, the same under every
profile: nothing is chosen by looking.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.bounds.l17 import packing_bound
from workbench.chapters.one_mean.runs import theory
from workbench.estimators.clipped import ClippedMean
from workbench.estimators.histograms import REACH, HistogramLocation, StableLocation
from workbench.estimators.intervals import UnboundedMean
from workbench.estimators.two_step import TwoStepMean, WindowMean
from workbench.privacy import ApproxDP, PureDP, noise_source
from workbench.study.grids import Point, Role, Sweep, grid, point_id, stream
from workbench.study.measures import Measure, at, rows_needed
from workbench.study.profiles import PROFILES, blocks
from workbench.types import Columns

N, EPSILON, DELTA = 2000, 0.5, 1e-6
RADII = (10.0, 1e2, 1e3, 1e4)
WIDEST = 1e5  # its histogram has 2e5 bins: too dear for a quick look
SMALL_EPSILON = 0.1
DELTAS = (1e-3, 1e-6, 1e-9, 1e-12)
MEANS = (0.0, 1e3, 1e9)
BETA = 0.1  # of missing the mean by more than 2.5
FACTORS = (0.55, 0.7, 0.8, 0.88, 0.95, 1.02, 1.1, 1.2, 1.35, 1.7)  # n over the predicted n
CALIBRATIONS = ("paper", "tight")
METHODS = (*CALIBRATIONS, "window")  # the histogram's two calibrations, and the window median
SLOW = tuple(name for name in PROFILES if name not in ("quick", "ci"))


def on_range(
    kind: Any, n: int, epsilon: float, radius: float, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Measure the errors of a mean on a range, and of the plain mean, on the same rows."""
    budget = PureDP(epsilon)
    estimators = [kind(radius=radius, sigma=1.0, calibration=calibration) for calibration in CALIBRATIONS]
    rows = []
    for mean in data.uniform(-radius, radius, trials):
        x = mean + data.standard_normal(n)
        released: list[Any] = [estimator(x, budget=budget, rng=noise).value for estimator in estimators]
        rows.append(np.array([x.mean(), *released], np.float64) - mean)
    return dict(zip(("sampling", *CALIBRATIONS), np.array(rows).T, strict=True))


clipped, two_step = partial(on_range, ClippedMean), partial(on_range, TwoStepMean)


def unbounded(
    n: int, epsilon: float, delta: float, mean: float, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Measure the error of the unbounded mean; no answer counts as an infinite one."""
    estimators = [UnboundedMean(calibration=calibration, sigma=1.0) for calibration in CALIBRATIONS]  # type: ignore[arg-type]
    budget = ApproxDP(epsilon, delta)
    errors = np.full((len(estimators), trials), np.inf)
    for trial in range(trials):
        x = mean + data.standard_normal(n)
        for place, estimator in enumerate(estimators):
            value = estimator(x, budget=budget, rng=noise).value
            errors[place, trial] = abs(value - mean) if isinstance(value, float) else np.inf
    return dict(zip(CALIBRATIONS, errors, strict=True))


def locate(
    method: str,
    epsilon: float,
    n: int,
    *,
    radius: float | None = None,
    delta: float | None = None,
    trials: int,
    data: Generator,
    noise: Generator,
) -> Columns:
    """Record whether a location is within 2.5 of the mean."""
    reach = 1e3 if radius is None else radius
    draw, found = locator(method, epsilon, radius, delta), np.zeros(trials, bool)
    for trial, mean in enumerate(data.uniform(-reach, reach, trials)):
        place = draw(mean + data.standard_normal(n), noise)
        found[trial] = isinstance(place, float) and abs(place - mean) <= REACH
    return {"found": found}


def locator(
    method: Any, epsilon: float, radius: float | None = None, delta: float | None = None
) -> Callable[[Any, Generator], object]:
    """Return the location of a method: on its range, or on the whole line with its delta."""
    budget = budget_of(epsilon, delta)
    if method == "window":
        mechanism = WindowMean(radius).locator
        charge = mechanism.charge("locate", budget)
        return lambda x, rng: mechanism.draw(x, charge, noise_source(rng))
    estimator: Any = StableLocation(calibration=method, sigma=1.0)
    if radius is not None:
        estimator = HistogramLocation(radius=radius, calibration=method, sigma=1.0)
    return lambda x, rng: estimator(x, budget=budget, rng=rng).value


@lru_cache(maxsize=1024)
def predicted_rows(
    method: Any, epsilon: float, radius: float | None = None, delta: float | None = None
) -> int:
    """Return the n at which a method is predicted to succeed with probability .9."""
    budget = budget_of(epsilon, delta)
    if method == "window":
        window = WindowMean(radius).locator
        return theory.rows_needed(lambda n: theory.window_failure(n, window, budget), BETA)
    if radius is not None:
        return theory.rows_needed(lambda n: theory.range_failure(n, radius, budget.epsilon), BETA)
    threshold = StableLocation(calibration=method, sigma=1.0).histogram.threshold(budget)
    return theory.rows_needed(lambda n: theory.line_failure(n, threshold, budget.epsilon), BETA)


def budget_of(epsilon: float, delta: float | None) -> PureDP | ApproxDP:
    """Return pure privacy where there is no delta."""
    return PureDP(epsilon) if delta is None else ApproxDP(epsilon, delta)


def with_rows(points: Sequence[Point], factors: Sequence[float] = FACTORS) -> tuple[Point, ...]:
    """Return points at several n each, as multiples of the n at which they are predicted to succeed."""
    return tuple(
        {**point, "n": n}
        for point in points
        for n in sorted({round(factor * predicted_rows(**point)) for factor in factors})
    )


CLIPPED = Sweep(
    "l17-clipped",
    grid(n=N, epsilon=EPSILON, radius=[*RADII, WIDEST]),
    partial(on_range, ClippedMean),
    1000,
    blocks(16),
)
TWO_STEP = Sweep("l17-two-step", grid(n=N, epsilon=EPSILON, radius=RADII), two_step, 1000, blocks(15))
TWO_STEP_WIDEST = Sweep(
    "l17-two-step-widest",
    grid(n=N, epsilon=EPSILON, radius=WIDEST),
    partial(on_range, TwoStepMean),
    100,
    {name: blocks(20)[name] for name in SLOW},
)
UNBOUNDED = Sweep(
    "l17-unbounded", grid(n=N, epsilon=EPSILON, delta=DELTA, mean=MEANS), unbounded, 500, blocks(18)
)
PLACED: dict[str, tuple[str, Callable[[], tuple[Point, ...]], int, dict[str, int]]] = {
    "LOCATE_RANGE": (
        "l17-locate-range",
        lambda: with_rows(
            grid(method=METHODS, epsilon=EPSILON, radius=RADII[:-1])
            + grid(method="paper", epsilon=SMALL_EPSILON, radius=RADII[:-1])
        ),
        200,
        blocks(20),
    ),
    "LOCATE_WIDE": (
        "l17-locate-wide",
        lambda: with_rows(grid(method=METHODS, epsilon=EPSILON, radius=RADII[-1])),
        200,
        blocks(10),
    ),
    "LOCATE_WIDEST": (
        "l17-locate-widest",
        lambda: with_rows(grid(method=METHODS, epsilon=EPSILON, radius=WIDEST), FACTORS[2:-1]),
        50,
        {name: blocks(10)[name] for name in SLOW},
    ),
    "LOCATE_LINE": (
        "l17-locate-line",
        lambda: with_rows(grid(method=METHODS, epsilon=EPSILON, delta=DELTAS)),
        200,
        blocks(10),
    ),
}


def __getattr__(constant: str) -> Sweep:
    """Return a sweep of locations: its grid is placed when it is first asked for, not at the import."""
    if constant not in PLACED:
        raise AttributeError(f"module {__name__!r} has no attribute {constant!r}")
    name, points, trials, counts = PLACED[constant]
    sweep = globals()[constant] = Sweep(name, points(), locate, trials, counts)
    return sweep


def packing(radius: float, epsilon: float) -> float:
    """Return the n below which no pure-DP location is within 2.5 with probability .9 over a uniform mean.

    A uniform mean is a uniform shift of R/2.5 centres 5 apart, and the packing argument needs the success
    probability only on average over the centres: sum e^{-εn} p_j <= 1 - p_i over i.
    """
    return packing_bound(radius, REACH, epsilon, BETA, strict=False)


def rows_to_locate(frame: pd.DataFrame, level: float, seed: int, **where: Any) -> Measure:
    """Return the n at which the location succeeds with probability .9, from the rows with these parameters.

    `trials` counts those of one n.
    """
    rows, rng = at(frame, **where), stream(seed, Role.BOOTSTRAP, "l17-rows-to-locate", point_id(where), 0)
    return rows_needed(rows["found"], rows["n"], 1 - BETA, level, rng)
