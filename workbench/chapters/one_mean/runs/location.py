"""The sweeps behind the claims and pictures about locating a mean (L17 section 2).

Unit variance throughout, and rows are normal. On a range [-R, R] the mean is uniform, so that its position
within a bin is. Grids of n are placed by the predictions of `l17_location_theory`, the same under every
profile: nothing is chosen by looking.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.bounds.l17 import packing_bound
from workbench.chapters.one_mean.runs import theory
from workbench.estimators.parts.locate.unit_histogram import REACH
from workbench.estimators.univariate.clipped_mean import ClippedMean
from workbench.estimators.univariate.histogram_location import HistogramLocation
from workbench.estimators.univariate.stable_location import StableLocation
from workbench.estimators.univariate.two_step_mean import TwoStepMean
from workbench.estimators.univariate.unbounded_mean import UnboundedMean
from workbench.privacy import ApproxDP, PureDP, noise_source
from workbench.study.intervals import crossing
from workbench.study.measures import Measure, at
from workbench.study.profiles import PROFILES, blocks
from workbench.study.sweeps.schema import Point
from workbench.study.sweeps.streams import Role, point_id, stream
from workbench.study.sweeps.sweep import Sweep, grid, run
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


def clipped(point: Point, trials: int, data: Generator, noise: Generator) -> Columns:
    """Measure the errors of the clipped mean and of the plain mean on the same rows."""
    return _on_range(ClippedMean, point, trials, data, noise)


def two_step(point: Point, trials: int, data: Generator, noise: Generator) -> Columns:
    """Measure the errors of the two-step mean and of the plain mean on the same rows."""
    return _on_range(TwoStepMean, point, trials, data, noise)


def _on_range(kind: Any, point: Point, trials: int, data: Generator, noise: Generator) -> Columns:
    radius, n, budget = float(point["radius"]), int(point["n"]), PureDP(float(point["epsilon"]))
    estimators = [kind(radius=radius, calibration=calibration) for calibration in CALIBRATIONS]
    rows = []
    for mean in data.uniform(-radius, radius, trials):
        x = mean + data.standard_normal(n)
        released: list[Any] = [estimator(x, budget=budget, rng=noise).value for estimator in estimators]
        rows.append(np.array([x.mean(), *released], np.float64) - mean)
    return dict(zip(("sampling", *CALIBRATIONS), np.array(rows).T, strict=True))


def unbounded(point: Point, trials: int, data: Generator, noise: Generator) -> Columns:
    """Measure the error of the unbounded mean; no answer counts as an infinite one."""
    estimators = [UnboundedMean(calibration=calibration) for calibration in CALIBRATIONS]  # type: ignore[arg-type]
    budget, mean = ApproxDP(float(point["epsilon"]), float(point["delta"])), float(point["mean"])
    errors = np.full((len(estimators), trials), np.inf)
    for trial in range(trials):
        x = mean + data.standard_normal(int(point["n"]))
        for place, estimator in enumerate(estimators):
            value = estimator(x, budget=budget, rng=noise).value
            errors[place, trial] = abs(value - mean) if isinstance(value, float) else np.inf
    return dict(zip(CALIBRATIONS, errors, strict=True))


def locate(point: Point, trials: int, data: Generator, noise: Generator) -> Columns:
    """Record whether a location is within 2.5 of the mean."""
    reach = float(point.get("radius", 1e3))
    draw, found = locator(point), np.zeros(trials, bool)
    for trial, mean in enumerate(data.uniform(-reach, reach, trials)):
        place = draw(mean + data.standard_normal(int(point["n"])), noise)
        found[trial] = isinstance(place, float) and abs(place - mean) <= REACH
    return {"found": found}


def locator(point: Point) -> Callable[[Any, Generator], object]:
    """Return the location of a point's method: on its range, or on the whole line with its delta."""
    radius, budget = point.get("radius"), _budget(point)
    if point["method"] == "window":
        mechanism = theory.window_locator(None if radius is None else float(radius))
        charge = mechanism.charge("locate", budget)
        return lambda x, rng: mechanism.draw(x, charge, noise_source(rng))
    calibration: Any = point["method"]
    estimator: Any = StableLocation(calibration=calibration)
    if radius is not None:
        estimator = HistogramLocation(radius=float(radius), calibration=calibration)
    return lambda x, rng: estimator(x, budget=budget, rng=rng).value


def predicted_rows(point: Point) -> int:
    """Return the n at which the method of a point is predicted to succeed with probability .9."""
    radius = point.get("radius")
    return _predicted(str(point["method"]), None if radius is None else float(radius), _budget(point))


@lru_cache(maxsize=1024)
def _predicted(method: Any, radius: float | None, budget: PureDP | ApproxDP) -> int:
    if method == "window":
        window = theory.window_locator(radius)
        return theory.rows_needed(lambda n: theory.window_failure(n, window, budget), BETA)
    if radius is not None:
        return theory.rows_needed(lambda n: theory.range_failure(n, radius, budget.epsilon), BETA)
    threshold = StableLocation(calibration=method).recipe.threshold(budget)
    return theory.rows_needed(lambda n: theory.line_failure(n, threshold, budget.epsilon), BETA)


def _budget(point: Point) -> PureDP | ApproxDP:
    epsilon = float(point["epsilon"])
    return ApproxDP(epsilon, float(point["delta"])) if "delta" in point else PureDP(epsilon)


def _with_rows(points: Sequence[Point], factors: Sequence[float] = FACTORS) -> tuple[Point, ...]:
    return tuple(
        {**point, "n": n}
        for point in points
        for n in sorted({round(factor * predicted_rows(point)) for factor in factors})
    )


CLIPPED = Sweep("l17-clipped", grid(n=N, epsilon=EPSILON, radius=[*RADII, WIDEST]), clipped, 1000, blocks(16))
TWO_STEP = Sweep("l17-two-step", grid(n=N, epsilon=EPSILON, radius=RADII), two_step, 1000, blocks(15))
TWO_STEP_WIDEST = Sweep(
    "l17-two-step-widest",
    grid(n=N, epsilon=EPSILON, radius=WIDEST),
    two_step,
    100,
    {name: blocks(20)[name] for name in SLOW},
)
UNBOUNDED = Sweep(
    "l17-unbounded", grid(n=N, epsilon=EPSILON, delta=DELTA, mean=MEANS), unbounded, 500, blocks(18)
)
PLACED: dict[str, tuple[str, Callable[[], tuple[Point, ...]], int, dict[str, int]]] = {
    "LOCATE_RANGE": (
        "l17-locate-range",
        lambda: _with_rows(
            grid(method=METHODS, epsilon=EPSILON, radius=RADII[:-1])
            + grid(method="paper", epsilon=SMALL_EPSILON, radius=RADII[:-1])
        ),
        200,
        blocks(20),
    ),
    "LOCATE_WIDE": (
        "l17-locate-wide",
        lambda: _with_rows(grid(method=METHODS, epsilon=EPSILON, radius=RADII[-1])),
        200,
        blocks(10),
    ),
    "LOCATE_WIDEST": (
        "l17-locate-widest",
        lambda: _with_rows(grid(method=METHODS, epsilon=EPSILON, radius=WIDEST), FACTORS[2:-1]),
        50,
        {name: blocks(10)[name] for name in SLOW},
    ),
    "LOCATE_LINE": (
        "l17-locate-line",
        lambda: _with_rows(grid(method=METHODS, epsilon=EPSILON, delta=DELTAS)),
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


def measured(*sweeps: Sweep, profile: str, seed: int, jobs: int = 1) -> pd.DataFrame:
    """Return the tables of those sweeps that the profile computes, one below the other."""
    frames = [run(sweep, profile, seed=seed, jobs=jobs) for sweep in sweeps if profile in sweep.blocks]
    return pd.concat(frames, ignore_index=True)


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
    by_n = at(frame, **where).groupby("n")["found"].agg(["sum", "count"])
    rng = stream(seed, Role.BOOTSTRAP, "l17-rows-to-locate", point_id(where), 0)
    found = crossing(
        [float(n) for n in by_n.index], by_n["sum"], by_n["count"], 1 - BETA, level=level, rng=rng
    )
    return Measure(found.estimate, found.interval, int(by_n["count"].min()))
