"""Finding a mean costs ln(R)/ε rows on a range and ln(1/δ)/ε rows without one: L17 Cor. 2.4 to Thm 2.8.

Normal rows of variance 1; on a range the mean is uniform. A location is right within 2.5 of the mean. Grids
of n are placed by predictions, the same under every profile.

How many rows a location needs.  The histogram's winner near the mean has about n p rows, p between
Φ(1) - Φ(0) = .3413 (the mean at an edge of its bin) and Φ(1/2) - Φ(-1/2) = .3829 (in the middle). Against
the largest noise (2/ε) ln R of the empty bins, or the threshold (2/ε) ln(1/δ), that needs nε of 2/p = 5.2 to
5.9 per unit of the logarithm; the spread of the count adds up to a tenth to that at ε = .5. The window median
needs 2, since the far score is εn/2.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, lru_cache, partial
from math import ceil, inf, isfinite, log, pi, sqrt
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator
from pandas import DataFrame, concat
from scipy.optimize import brentq

from workbench.bounds import smallest
from workbench.bounds.l17 import packing_bound
from workbench.charts.curves import (
    LEVEL,
    Chart,
    Mark,
    Panel,
    Series,
    along,
    measured,
    name,
    number,
    styled,
    text_at,
)
from workbench.estimators.clipped import ClippedMean
from workbench.estimators.histograms import REACH, HistogramLocation, StableLocation, UnitHistogram
from workbench.estimators.intervals import UnboundedMean
from workbench.estimators.shared.budgets import divided, mean_charge
from workbench.estimators.shared.noisy_means import FAR, half_width
from workbench.estimators.shared.window_median import location_law
from workbench.estimators.two_step import (
    SHARE,
    HistogramMean,
    TwoStepMean,
    WindowMean,
    clipped_slope,
    clipped_variance,
    sensitivity,
)
from workbench.privacy import ApproxDP, Budget, PureDP, noise_source
from workbench.privacy.mechanisms import laplace_scale
from workbench.special import log_ndtr, ndtr
from workbench.study import measures
from workbench.study.measures import Measure, at, between, local_slope, median, scaled
from workbench.study.rules import (
    CHECK_LEVEL,
    Checks,
    Claim,
    Interval,
    Verdict,
    beside,
    claim_level,
    combine,
    enough,
    in_proportion,
)
from workbench.study.sweeps import (
    Point,
    Row,
    Run,
    Sweep,
    blocks,
    each_trial,
    error_of,
    grid,
    over_grid,
    point_id,
    resampler,
    value_of,
)
from workbench.types import Array, Columns

# A wide range ruins the clipped mean, not the two-step mean: L17 Lemma 2.2 and Theorem 2.5 on the same rows.
#
# n normal rows of variance 1, their mean uniform on [-R, R], ε-DP. One sweep for each mean; the claims decide
# from them what the picture shows.


N, EPSILON = 2000, 0.5
RADII = (10.0, 1e2, 1e3, 1e4)
WIDEST = 1e5  # its histogram has 2e5 bins: too many for a quick run
CURVE = tuple(np.geomspace(10, 1e5, 17).tolist())
CALIBRATIONS = ("paper", "tight")
CLIPPED_MEAN = "univariate/clipped-mean"
RADIUS = "half-width of the range, R (σ)"
APART = 1e4  # the R at which two means are compared
EXPONENT = 0.05  # tolerance of the slope in R


# What is run


def on_range(
    kind: Any, n: int, epsilon: float, radius: float, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    budget, rows = PureDP(epsilon), []
    estimators = [kind(radius=radius, sigma=1.0, calibration=calibration) for calibration in CALIBRATIONS]
    for mean in data.uniform(-radius, radius, trials):
        x = mean + data.standard_normal(n)
        released: list[Any] = [value_of(estimator, x, budget, noise) for estimator in estimators]
        rows.append(np.array([x.mean(), *released], np.float64) - mean)
    return dict(zip(("sampling", *CALIBRATIONS), np.array(rows).T, strict=True))


clipped, two_step = partial(on_range, ClippedMean), partial(on_range, TwoStepMean)
CLIPPED = over_grid("l17-clipped", clipped, 1000, 16, n=N, epsilon=EPSILON, radius=[*RADII, WIDEST])
TWO_STEP = over_grid("l17-two-step", two_step, 1000, 15, n=N, epsilon=EPSILON, radius=RADII)
TWO_STEP_WIDEST = Sweep(
    "l17-two-step-widest", grid(n=N, epsilon=EPSILON, radius=WIDEST), two_step, 100, {"full": 20}
)


# What is shown


def error_against_radius(run: Run, *, epsilon: float = EPSILON, n: int = N) -> Chart:
    """Return median errors of the clipped and the two-step mean against R, with predictions."""
    first, *others = (
        sweep.moved({**point, "epsilon": epsilon, "n": n} for point in sweep.points)
        for sweep in (CLIPPED, TWO_STEP, TWO_STEP_WIDEST)
    )
    clipped, stepped = (measures.by(run.table(*sweeps), "radius") for sweeps in ([first], others))
    curves = list[Series]()
    for key, predict, rows in (
        (CLIPPED_MEAN, clipped_error, clipped),
        ("univariate/two-step-mean", two_step_error, stepped),
    ):
        for label, colour, calibration in (  # hollow markers last, on top
            (name(key), key, "tight"),
            ("", f"{key}:paper", "paper"),
        ):
            found = {radius: median(one[calibration].abs(), LEVEL) for radius, one in rows.items()}
            foreseen = partial(predict, n, epsilon=epsilon, calibration=calibration)
            curves += along(found, CURVE, foreseen, colour, label=label)
    plain = [one["sampling"].abs().median() for one in clipped.values()]
    reference = styled("reference", "no privacy", clipped, plain, "non-private")
    steep, flat = (predict(n, APART, epsilon, "tight") for predict in (clipped_error, two_step_error))
    marks = (
        text_at("ten times the range, ten times the error", APART / 60, steep / 15, CLIPPED_MEAN),
        Mark(f"{number(steep / flat)} times the error", "arrow", APART, flat, APART, steep, side="right"),
    )
    title = f"{number(n)} rows, ε = {number(epsilon)}, the mean anywhere in [−R, R]"
    return Chart(
        "error_against_radius",
        "A wide range ruins the clipped mean, not the two-step mean",
        [Panel(title, RADIUS, "median absolute error (σ)", (*curves, reference), marks=marks)],
        alt=f"Median absolute error against the half-width R of the range, at {n} rows and ε = {epsilon:g}, "
        "both axes logarithmic. The clipped mean's error grows in proportion to R, the two-step mean's is "
        "flat and, with improved constants, close to that of the mean without privacy.",
        how_to_read="A good curve is flat and near the black line. The clipped mean adds noise for the whole "
        "range; the two-step mean first locates the data privately, and then adds noise for a few standard "
        "deviations.",
    )


# What is claimed


def clipped_is_linear(frame: DataFrame, seed: int) -> Checks:
    scales, predicted = {}, []
    formula = "2B/(ε b), B = R + √(2 ln(2n/β)): privacy part of mean size b"
    for radius in (*RADII[1:], WIDEST):
        mean, where = ClippedMean(radius=radius, calibration="paper", sigma=1.0), {"radius": radius}
        rows = at(frame, **where)
        part = rows["paper"] - rows["sampling"]
        scales[radius] = measures.mean_size(part, CHECK_LEVEL, CLIPPED.name, seed, where)
        predicted.append(laplace_scale(mean.plan(N, 1, PureDP(EPSILON))["mean"]))
        near = measures.near(f"privacy part at R = {radius:g}", scales[radius], predicted[-1], n=N)
        yield in_proportion(near, "L17/Eq1", formula)
    exponent, found = local_slope([*scales], predicted), measures.growth(scales)
    limits = exponent - EXPONENT, exponent + EXPONENT
    yield between("exponent in R", found, *limits, n=N, bound=exponent)


def two_step_is_flat(*frames: DataFrame) -> Verdict:
    frame = concat(frames, ignore_index=True)
    groups = {radius: rows["paper"].abs() for radius, rows in measures.by(frame, "radius").items()}
    found = flat("largest over smallest median error, all R", groups, 1.3)
    return enough(found, "L17/Thm2.5", "enough for an error that does not change with R")


def flat(name: str, groups: dict[float, pd.Series], allowed: float) -> Verdict:
    each = claim_level(parts=len(groups))
    found = {key: median(errors, each) for key, errors in groups.items()}
    spread = measures.spread(found)
    spread = spread._replace(interval=(max(1.0, spread.interval[0]), spread.interval[1]))
    verdict = between(name, spread, 1.0, allowed, n=N)
    medians = {f"{key:g}": measure.estimate for key, measure in found.items()}
    return replace(verdict, detail={**verdict.detail, **medians})


# What Lecture 17's locations and means typically do: the predictions that measurements are compared with.
#
# Predictions are no guarantees. Counts are taken to be normal and independent, and bins whose centres are
# further than 2.5 from the mean to be empty; the mean is uniform on the range. A wrong location is, too.


OFFSETS = (np.arange(16) + 0.5) / 16  # of the mean in its bin
NEAR = np.arange(-2, 3)  # the bins whose centres are within 2.5 of a mean in bin 0
QUANTILES = (np.arange(200) + 0.5) / 200


def sum_below(t: Array, sd: Array, scale: Array | float) -> Array:
    """Return P(N(0, sd²) + Lap(scale) ≤ t)."""
    ratio = sd / scale
    left = np.exp(ratio**2 / 2 - t / scale + log_ndtr(t / sd - ratio))
    right = np.exp(ratio**2 / 2 + t / scale + log_ndtr(-t / sd - ratio))
    return ndtr(t / sd) - (left - right) / 2


def near_counts_below(levels: Array, n: int, scale: float, below: int = 3) -> Array:
    """Return, for every level, the chance that no noisy count near the mean exceeds it.

    `below` bins of the range lie below the mean's own; the lowest takes all rows further down. Three or more
    are like infinitely many.
    """
    bins = NEAR[-below <= NEAR]
    lower, upper = bins[:, None] - OFFSETS, bins[:, None] + 1 - OFFSETS
    if below < 3:
        lower[0] = -np.inf
    mass = (ndtr(upper) - ndtr(lower))[..., None]
    return sum_below(levels - n * mass, np.sqrt(n * mass * (1 - mass)), scale).prod(axis=0).mean(axis=0)


def range_failure(n: int, radius: float, epsilon: float) -> float:
    """Return the chance that the histogram on [-R, R] with Laplace noise misses by over 2.5."""
    scale, bins = 2 / epsilon, UnitHistogram(radius).bins
    # the chance that one empty bin exceeds a quantile of the largest of all empty ones
    above = -np.expm1(np.log(QUANTILES) / max(bins - len(NEAR), 1))
    upper, lower = np.minimum(2 * above, 1.0), np.maximum(2 * (1 - above), 1e-300)
    highest = np.where(above < 0.5, -scale * np.log(upper), scale * np.log(lower))
    failures = [float(near_counts_below(highest, n, scale, below).mean()) for below in range(4)]
    ends = np.clip(bins - 2 * np.arange(3), 0, 2) / bins  # 0, 1, 2 bins between the mean's own and the end
    return float(np.dot(np.append(ends, 1 - ends.sum()), failures))


def rows_needed(failure: Callable[[int], float], beta: float) -> int:
    return smallest(lambda n: failure(n) <= beta, start=2)


def clipped_error(n: int, radius: float, epsilon: float, calibration: Any) -> float:
    """Return the median absolute error of the clipped mean: a normal plus a Laplace variable."""
    estimator = ClippedMean(radius=radius, calibration=calibration, sigma=1.0)
    return half_width(0.5, 1 / sqrt(n), estimator.plan(n, 1, PureDP(epsilon))["mean"])


def two_step_error(n: int, radius: float, epsilon: float, calibration: str) -> float:
    """Return the median absolute error of the two-step mean, wrong locations included.

    The distance of two uniform points of [-R, R] exceeds t with probability (1 - t/(2R))².
    """
    quantile, failure = two_step_quantile(n, radius, PureDP(epsilon), calibration)
    if failure < 0.499:
        return quantile((0.5 - failure) / (1 - failure))
    return max(quantile(0.002), 2 * radius * (1 - sqrt(min(1.0, 0.5 / failure))))


def two_step_quantile(
    n: int, radius: float | None, budget: Budget, calibration: str
) -> tuple[Callable[[float], float], float]:
    """Return the error exceeded with a probability if the location is right, and the chance that it is not.

    Without a range only the tight mean is foreseen.
    """
    if calibration == "paper" and radius is not None and isinstance(budget, PureDP):
        charge = HistogramMean(radius, 0.05).plan(n, budget)["mean"]
        failure = range_failure(n, radius, SHARE * budget.epsilon)
        return (lambda share: half_width(share, 1 / sqrt(n), charge)), failure
    tail, failure = window_mean_tail(n, radius, budget)
    return (lambda share: float(brentq(lambda t: tail(t) - share, 0.0, 100.0, xtol=1e-6))), failure


def accuracy(n: int, radius: float | None, budget: Budget, calibration: str, beta: float) -> float:
    """Return the error exceeded with probability beta, wrong locations included; infinite where more are."""
    quantile, failure = two_step_quantile(n, radius, budget, calibration)
    return quantile((beta - failure) / (1 - failure)) if failure < 0.99 * beta else inf


def window_mean_tail(n: int, radius: float | None, budget: Budget) -> tuple[Callable[[float], float], float]:
    """Return P(|error| > t) of the tight two-step mean if the location is right, and how often it is not.

    A mixture over the location's offset of a normal and a Laplace variable, both stretched by the slope that
    the last step divides by; the location alone errs by its offset and that of the sample's median.
    """
    recipe = WindowMean(radius)
    design, median_sd = recipe.design(n, budget), sqrt(pi / (2 * n))
    locate, mean = divided(budget, design.share) if design.clip else (budget, budget)
    offsets, weights, failure = location_law(recipe.locator, n, locate, ndtr, FAR)
    if not design.clip:
        return lambda t: float(weights @ (ndtr((offsets - t) / median_sd) * 2)), failure
    apart = np.hypot(offsets, median_sd)
    slope = clipped_slope(apart, design.clip)
    sd = np.sqrt(clipped_variance(apart, design.clip) / n) / slope
    scale = laplace_scale(mean_charge("mean", sensitivity(n, design.clip), mean)) / slope
    return lambda t: float(weights @ (2 * sum_below(np.full_like(sd, -t), sd, scale))), failure


DELTA, SMALL_EPSILON = 1e-6, 0.1
DELTAS, MEANS = (1e-3, 1e-6, 1e-9, 1e-12), (0.0, 1e3, 1e9)
BETA = 0.1  # of missing the mean by more than 2.5
FACTORS = (0.55, 0.7, 0.8, 0.88, 0.95, 1.02, 1.1, 1.2, 1.35, 1.7)  # n over the predicted n
METHODS = (*CALIBRATIONS, "window")  # the histogram's two calibrations, and the window median
ROWS = "rows n needed"


# What is run


@each_trial
def unbounded(n: int, epsilon: float, delta: float, mean: float, *, data: Generator, noise: Generator) -> Row:
    x, budget, found = mean + data.standard_normal(n), ApproxDP(epsilon, delta), {}
    kind: Any = UnboundedMean
    for one in CALIBRATIONS:
        value = value_of(kind(calibration=one, sigma=1.0), x, budget, noise)
        found[one] = error_of(value, lambda place: abs(place - mean))
    return found


def locate(
    method: str, epsilon: float, n: int, *, radius: float | None = None, delta: float | None = None,
    trials: int, data: Generator, noise: Generator,
) -> Columns:  # fmt: skip
    reach, budget = 1e3 if radius is None else radius, _budget(epsilon, delta)
    window, known = WindowMean(radius).locator, {"calibration": method, "sigma": 1.0}

    def place(x: Array) -> object:
        if method == "window":
            return window.draw(x, window.charge("locate", budget), noise_source(noise))
        kind: Any = StableLocation if radius is None else partial(HistogramLocation, radius=radius)
        return value_of(kind(**known), x, budget, noise)

    def located(mean: float) -> bool:
        found = place(mean + data.standard_normal(n))
        return isinstance(found, float) and abs(found - mean) <= REACH

    return {"found": np.array([located(mean) for mean in data.uniform(-reach, reach, trials)])}


def _budget(epsilon: float, delta: float | None) -> PureDP | ApproxDP:
    return PureDP(epsilon) if delta is None else ApproxDP(epsilon, delta)


@lru_cache(maxsize=1024)
def predicted_rows(
    method: Any, epsilon: float, radius: float | None = None, delta: float | None = None
) -> int:
    budget = _budget(epsilon, delta)

    def failure(n: int) -> float:
        """Return the chance of a location that is off by over 2.5, or of none."""
        if method == "window":
            return location_law(WindowMean(radius).locator, n, budget, ndtr, REACH)[2]
        if radius is not None:
            return range_failure(n, radius, epsilon)
        # no bin near the mean reaches the threshold: discrete noise, whole counts
        threshold = UnitHistogram(None, method).threshold(budget)
        return float(near_counts_below(np.array([np.ceil(threshold) - 0.5]), n, 2 / epsilon)[0])

    return rows_needed(failure, BETA)


UNBOUNDED = over_grid("l17-unbounded", unbounded, 500, 18, n=N, epsilon=EPSILON, delta=DELTA, mean=MEANS)
LOCATE: dict[str, Any] = {  # points, n over the predicted n, trials, blocks
    "range": (
        grid(method=METHODS, epsilon=EPSILON, radius=RADII[:-1])
        + grid(method="paper", epsilon=SMALL_EPSILON, radius=RADII[:-1]),
        FACTORS,
        200,
        blocks(20),
    ),
    "wide": (grid(method=METHODS, epsilon=EPSILON, radius=RADII[-1]), FACTORS, 200, blocks(10)),
    "widest": (grid(method=METHODS, epsilon=EPSILON, radius=WIDEST), FACTORS[2:-1], 50, {"full": 10}),
    "line": (grid(method=METHODS, epsilon=EPSILON, delta=DELTAS), FACTORS, 200, blocks(10)),
}


@cache
def located(where: str, epsilon: float = EPSILON) -> Sweep:
    """Return a sweep of locations, at several n round the predicted one for every point."""
    points, factors, trials, counts = LOCATE[where]

    def placed(by: float) -> list[Point]:
        return [
            {**point, "n": n}
            for point in [{**point, "epsilon": point["epsilon"] * by} for point in points]
            for n in sorted({round(factor * predicted_rows(**point)) for factor in factors})
        ]

    usual = Sweep(f"l17-locate-{where}", tuple(placed(1)), locate, trials, counts)
    return usual if epsilon == EPSILON else usual.moved(placed(epsilon / EPSILON))


def rows_to_locate(frame: DataFrame, level: float, seed: int, **where: Any) -> Measure:
    rows = at(frame, **where)
    rng = resampler(seed, "l17-rows-to-locate", point_id(where))
    return measures.rows_needed(rows["found"], rows["n"], 1 - BETA, level, rng)


def packing(radius: float, epsilon: float) -> float:
    """Return the n below which no pure-DP location is within 2.5 with probability .9 over a uniform mean.

    A uniform mean is a uniform shift of R/2.5 centres 5 apart, and the packing argument needs the success
    probability only on average over the centres: sum e^{-εn} p_j <= 1 - p_i over i.
    """
    return packing_bound(radius, REACH, epsilon, BETA, strict=False)


# What is shown


def rows_against_radius(run: Run, *, epsilon: float = EPSILON) -> Chart:
    """Return the n that a location on a range needs against R, and the packing bound."""
    frame = run.table(*(located(where, epsilon) for where in ("range", "wide", "widest")))
    curves = _needed(frame, run.seed, "radius", "univariate/histogram-location", epsilon)
    bound = [packing(radius, epsilon) for radius in CURVE]
    curves.append(styled("bound", "", CURVE, bound, "idea/limit"))
    slow, fast = (predicted_rows(method, epsilon, radius=APART) for method in ("paper", "window"))
    marks = (
        text_at("impossible: packing", CURVE[10], 0.45 * bound[10]),
        Mark(f"{number(slow / fast, 2)} times fewer rows", "arrow", APART, fast, APART, slow, side="right"),
    )
    small = SMALL_EPSILON * epsilon / EPSILON
    here, there = (
        _rows_found(frame, run.seed, "radius", method="paper", epsilon=one) for one in (epsilon, small)
    )
    times = [there[radius].estimate / here[radius].estimate for radius in there if radius in here]
    more = f"{number(np.median(times), 2)} times the rows" if times else ""
    note = f"At ε = {number(small)} the histogram needs {more}." if more else ""
    panel = Panel(
        f"ε = {number(epsilon)}: within 2.5 σ of the mean in 90 % of runs", RADIUS, ROWS, curves,
        yscale="linear", marks=marks, note=note,
        ylim=(0, 1.08 * predicted_rows("paper", epsilon, radius=CURVE[-1])),
    )  # fmt: skip
    return Chart(
        "rows_against_radius",
        "Finding the mean on a range costs ln(R)/ε rows, and has to",
        [panel],
        alt="Rows needed to locate the mean within 2.5 standard deviations with probability 0.9, against the "
        "half-width R on a logarithmic axis. All curves are nearly straight lines that rise; the window "
        "median's lies below the histogram's, on wide ranges at less than half of it, both above the packing "
        "bound.",
        how_to_read="On this axis a straight line says that n grows as ln R. No ε-private method can enter "
        "the grey region: that is a theorem. The window median needs fewer rows than the histogram, since "
        "every far row counts against a wrong location.",
    )


def rows_against_delta(run: Run, *, epsilon: float = EPSILON) -> Chart:
    """Return the n that a location on the whole line needs against 1/δ."""
    found = _needed(
        run.table(located("line", epsilon)), run.seed, "delta", "univariate/stable-location", epsilon
    )
    curves = [replace(curve, x=[1 / x for x in curve.x]) for curve in found]
    slow, fast = (predicted_rows(method, epsilon, delta=DELTAS[2]) for method in ("paper", "window"))
    place, times = 1 / DELTAS[2], f"{number(slow / fast, 2)} times fewer rows"
    panel = Panel(
        f"ε = {number(epsilon)}: within 2.5 σ of a mean anywhere, in 90 % of runs",
        "1/δ", ROWS, curves, yscale="linear",
        marks=[Mark(times, "arrow", place, fast, place, slow, side="right")],
        ylim=(0, 1.08 * predicted_rows("paper", epsilon, delta=DELTAS[-1])),
    )  # fmt: skip
    return Chart(
        "rows_against_delta",
        "Without a range, δ takes its place: ln(1/δ)/ε rows",
        [panel],
        alt="Rows needed to locate a mean anywhere on the line within 2.5 standard deviations with "
        "probability 0.9, against 1/δ on a logarithmic axis. All curves are straight and rise; the window "
        "median needs fewer rows than the stability-based histogram, for small δ less than half as many.",
        how_to_read="Where the mean is does not matter. The price is a threshold that a lone row passes "
        "with probability δ: rows grow by 5.8/ε for every factor e in 1/δ with the histogram, by 2/ε with "
        "the window median.",
    )


def _needed(frame: DataFrame, seed: int, axis: str, key: str, epsilon: float) -> list[Series]:
    curves = []
    for method, label, colour in (
        ("tight", "histogram", key),
        ("paper", "", f"{key}:paper"),
        ("window", "window median", "univariate/median"),
    ):
        found = _rows_found(frame, seed, axis, method=method, epsilon=epsilon)
        if method == "tight" and axis == "radius":  # on a range the tight histogram has no prediction
            curves.append(measured(label, found, colour))
        else:
            foreseen = {value: predicted_rows(method, epsilon, **{axis: value}) for value in found}
            curves += along(found, found, foreseen.__getitem__, colour, label=label)
    return curves


def _rows_found(frame: DataFrame, seed: int, axis: str, **where: float | str) -> dict[float, Measure]:
    rows = at(frame, **where)
    return {
        value: rows_to_locate(rows, LEVEL, seed, **where, **{axis: value})
        for value in measures.by(rows, axis)
    }


# What is claimed


def range_costs_its_logarithm(*frames: DataFrame, seed: int) -> Verdict:
    frame, checks = at(concat(frames, ignore_index=True), method="paper"), []
    words = "P(largest noise of empty bins < count near the mean) = .9, normal counts"
    needed: dict[float, dict[float, Measure]] = {}
    for epsilon, rows in measures.by(frame, "epsilon").items():
        needed[epsilon] = {}
        for radius in measures.by(rows, "radius"):
            found = needed[epsilon][radius] = rows_to_locate(rows, CHECK_LEVEL, seed, radius=radius)
            where, least = f"at R = {radius:g}, ε = {epsilon:g}", packing(radius, epsilon)
            predicted = predicted_rows("paper", epsilon, radius=radius)
            checks.append(_as_predicted(where, found, predicted, "L17/Cor2.4", words))
            above = between(f"rows over the packing bound {where}", scaled(found, 1 / least), 1.0, 8.0)
            checks.append(beside(above, "L17/Thm2.6", "at least ln(9 (⌈R/2.5⌉ - 1))/ε", least, found))
    usual, small = (
        {radius: scaled(one, epsilon) for radius, one in needed[epsilon].items()}
        for epsilon in (EPSILON, SMALL_EPSILON)
    )
    expected = [EPSILON * predicted_rows("paper", EPSILON, radius=radius) for radius in usual]
    checks.append(_per_unit("nε per unit of ln R", np.log([*usual]), usual, expected, (5.0, 7.0)))
    for radius in small:
        logs = [measures.logarithm(one[radius]) for one in (usual, small)]
        excess = measures.slope((log(EPSILON), log(SMALL_EPSILON)), logs)
        checks.append(between(f"1 + exponent in ε at R = {radius:g}", excess, -0.1, 0.1, bound=0.0))
    return combine(checks, len(frame))


def _as_predicted(where: str, rows: Measure, predicted: float, statement: str, words: str) -> Verdict:
    n = ceil(rows.estimate) if isfinite(rows.estimate) else None
    near = measures.near(f"rows {where}", rows, predicted, n=n)
    return beside(near, statement, words, near.bound, rows)


def _per_unit(
    name: str, xs: Any, products: Mapping[float, Measure], expected: list[float], limits: Interval
) -> Verdict:
    """Return the check of nε per unit of a logarithm, beside what is predicted."""
    predicted = float(np.polyfit(xs, expected, 1)[0])
    return between(name, measures.slope(xs, [*products.values()]), *limits, bound=predicted)


def line_costs_log_delta(frame: DataFrame, errors: DataFrame, seed: int) -> Verdict:
    checks, products, expected = [], {}, []
    words = "P(count near the mean > threshold of order ln(1/δ)/ε) = .9, normal counts"
    for delta in DELTAS:
        where: dict[str, float | str] = {"method": "paper", "epsilon": EPSILON, "delta": delta}
        rows = rows_to_locate(frame, CHECK_LEVEL, seed, **where)
        predicted = predicted_rows("paper", EPSILON, delta=delta)
        products[delta] = scaled(rows, EPSILON)
        expected.append(EPSILON * predicted)
        checks.append(_as_predicted(f"at δ = {delta:g}", rows, predicted, "L17/Thm2.8", words))
    logs = [log(1 / delta) for delta in DELTAS]
    checks.append(_per_unit("nε per unit of ln(1/δ)", logs, products, expected, (5.2, 6.2)))
    groups = {mean: rows["paper"] for mean, rows in measures.by(errors, "mean").items()}
    checks.append(flat("largest over smallest median error, all means", groups, 1.2))
    return combine(checks, int((frame["method"] == "paper").sum()) + len(errors))


def window_needs_half(wide: DataFrame, line: DataFrame, seed: int) -> Verdict:
    checks, trials = [], 0
    for frame, where in ((wide, {"radius": RADII[-1]}), (line, {"delta": 1e-9})):
        trials += len(at(frame, epsilon=EPSILON, **where))
        rows = {
            one: rows_to_locate(frame, claim_level(parts=2), seed, method=one, epsilon=EPSILON, **where)
            for one in METHODS
        }
        for calibration in CALIBRATIONS:
            share = measures.ratio(rows["window"], rows[calibration])
            name = f"window median over {calibration} histogram, {frame['sweep'].iloc[0]}"
            words, most = "at most half of the histogram's measured n", 0.5 * rows[calibration].estimate
            half = between(name, share, 0.0, 0.5)
            checks.append(beside(half, "proofs/univariate.md", words, most, rows["window"]))
    return combine(checks, trials)


CLAIMS = (
    Claim(
        "one-mean/rows-per-log-range",
        "G3",
        ("L17/Cor2.4", "L17/Eq2", "L17/Thm2.6"),
        "The rows with which the histogram (paper) locates a mean in [-R, R] within 2.5 with probability .9 "
        "grow by 5 to 7 over ε per unit of ln R, are proportional to 1/ε, within 15 % of the prediction, and "
        "1 to 8 times the packing bound.",
        range_costs_its_logarithm,
        lambda: (located("range"), located("wide"), located("widest")),
    ),
    Claim(
        "one-mean/rows-per-log-delta",
        "G4",
        ("L17/Thm2.8", "L17/Eq6"),
        "The rows with which the stability-based histogram (paper) locates any mean within 2.5 with "
        "probability .9 grow by 5.2 to 6.2 over ε per unit of ln(1/δ) and are within 15 % of the prediction; "
        "the error of the unbounded mean is the same at means of 0, 1e3 and 1e9 (ratio at most 1.2).",
        line_costs_log_delta,
        lambda: (located("line"), UNBOUNDED),
    ),
    Claim(
        "one-mean/window-halves-rows",
        "W1",
        ("proofs/univariate.md",),
        "The window median locates within 2.5 with probability .9 from at most half of the rows of the "
        "histogram, be it paper or tight: on [-1e4, 1e4], and on the whole line at δ = 1e-9; ε = .5.",
        window_needs_half,
        lambda: (located("wide"), located("line")),
        kind="ours",
    ),
    Claim(
        "one-mean/clipping-pays-range",
        "G1",
        ("L17/Lem2.2", "L17/Eq1"),
        "The clipped mean (paper) pays 2B/(nε) with B = R + √(2 ln(2n/β)): the scale of its privacy part is "
        "within 15 % of that at R = 1e2 .. 1e5 and proportional to R, at n = 2000, ε = .5.",
        clipped_is_linear,
        lambda: [CLIPPED],
    ),
    Claim(
        "one-mean/flat-in-radius",
        "G2",
        ("L17/Thm2.5", "L17/Eq2"),
        "The median error of the two-step mean (paper) does not depend on R: largest over smallest is at "
        "most 1.3 for R = 10 .. 1e5, at n = 2000, ε = .5.",
        two_step_is_flat,
        lambda: (TWO_STEP, TWO_STEP_WIDEST),
    ),
)
