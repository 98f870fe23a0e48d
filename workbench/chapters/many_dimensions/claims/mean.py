"""CoinPress for means: what privacy adds to the sample mean of the same rows, and how many steps it takes."""

from collections.abc import Sequence
from math import inf, sqrt

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.bounds.m21 import coinpress_mean_shape
from workbench.chapters.many_dimensions.claims import checks
from workbench.chapters.many_dimensions.runs import coinpress as runs
from workbench.chapters.many_dimensions.runs import steps, theory
from workbench.privacy import ZCDP
from workbench.study.claim import Claim
from workbench.study.grids import Sweep, resampler
from workbench.study.intervals import bootstrap_interval
from workbench.study.measures import Measure, at, between
from workbench.study.profiles import claim_level
from workbench.study.rules import Verdict

SAME, WORSE = 1.15, 2.0  # error of 2 to 4 steps, and of one over that of two
RATIO = 1.1  # to the sample mean, 1000 rows in ten dimensions
FORMULAS = (
    "χ²_d,.9 (1/n + s²) = α²: P(error ≤ α) = .9, s the noise of the last step",
    "d/α² + d/(α√ρ) + √d ln R/√ρ, constants 1",
)


def predicted(mode: str, *, n: int, d: int, rho: float, reach: float) -> theory.Parts:
    """Return the prediction at a point, with every constant."""
    return theory.mean_parts(runs.mean_of(d, reach, mode=mode), n, d, ZCDP(rho))


def excess(*frames: pd.DataFrame, seed: int) -> list[Verdict]:
    """Return the checks of many-dimensions/mean-excess."""
    axes = ((runs.MEAN_N, "n"), (runs.MEAN_RHO, "rho"), (runs.MEAN_D, "d"))
    tables = [(*axis, frame) for axis, frame in zip(axes, frames[:3], strict=True)]
    sizes = pd.concat(frames[3:], ignore_index=True)
    count = sum(3 * len(sweep.points) + len(runs.MODES) for sweep, _, _ in tables)
    level = claim_level(parts=count + len(runs.MODES) * len(runs.MEAN_ROWS))
    rng = resampler(seed, "m21-mean-excess")
    found = [check for one in tables for check in along_axis(*one, predicted, level, rng)]
    return [*found, *rows_needed(sizes, level, rng)]


def along_axis(
    sweep: Sweep, along: str, frame: pd.DataFrame, predict: checks.Predict, level: float, rng: Generator
) -> list[Verdict]:
    """Return the checks of one axis: both parts at every point, and the slopes of the private one."""
    found = []
    for point in sweep.points:
        rows, where, n = at(frame, **{along: point[along]}), f"{along} = {point[along]:g}", point["n"]
        for mode in runs.MODES:
            values, expected = checks.column(rows, f"apart {mode}"), predict(mode, **point).privacy
            found.append(checks.part(f"privacy, {mode}, {where}", values, expected, level, rng, n=n))
        plain, sampling = checks.column(rows, "reference"), predict("practical", **point).sampling
        found.append(checks.part(f"sampling, {where}", plain, sampling, level, rng, n=n))
    xs = [float(point[along]) for point in sweep.points]
    for mode in runs.MODES:
        samples = checks.columns(frame, f"apart {mode}", along)
        expectations = [predict(mode, **point).privacy for point in sweep.points]
        found.append(checks.slope(f"slope in {along}, {mode}", xs, samples, expectations, level, rng))
    return found


def rows_needed(frame: pd.DataFrame, level: float, rng: Generator) -> list[Verdict]:
    """Return the checks of the n at which the error is at most alpha in 90 % of runs."""
    found = []
    for d, alpha in runs.MEAN_ROWS:
        for mode in runs.MODES:
            rows = at(frame, d=d, alpha=alpha, mode=mode)
            needed = checks.needed(rows, alpha, 1 - runs.BETA, level, rng)
            shape = coinpress_mean_shape(d, alpha, runs.RHO, runs.REACH * sqrt(d))
            name, expected = f"rows, {mode}, d = {d}, α = {alpha:g}", runs.mean_rows(d, alpha, mode)
            found.append(checks.rows(name, needed, expected, shape, FORMULAS, level, len(rows)))
    return found


def step_checks(frame: pd.DataFrame, level: float, rng: Generator) -> list[Verdict]:
    """Return the ratios at the nearest range, then the size of the error of one step, then its slope."""
    nearest = at(frame, reach=steps.REACHES[0])
    errors = [checks.column(nearest, f"error {t}") for t in (2, 3, 4)]
    one, n = checks.column(nearest, "error 1"), int(frame["n"].iloc[0])
    found = [
        spread("2, 3 and 4 steps, largest over smallest", errors, level, rng, n),
        checks.ratio("one step over two", one, errors[0], WORSE, inf, level, rng, n=n),
    ]
    expected = []
    for point in steps.MEAN_STEPS.points:
        estimator = runs.mean_of(point["d"], point["reach"], steps=1)
        expected.append(theory.mean_parts(estimator, n, point["d"], ZCDP(point["rho"])).privacy)
        values = checks.column(frame, "apart 1", reach=point["reach"])
        name = f"privacy of one step, R = {point['reach']:g}√d"
        found.append(checks.part(name, values, expected[-1], level, rng, n=n))
    samples = checks.columns(frame, "apart 1", "reach")
    return [*found, checks.slope("slope of one step in R", steps.REACHES, samples, expected, level, rng)]


def spread(name: str, errors: Sequence[checks.Vector], level: float, rng: Generator, n: int) -> Verdict:
    """Decide whether the largest of several errors on the same rows is at most 1.15 times the smallest."""

    def widest(trials: checks.Vector) -> float:
        sizes = checks.rms(trials, axis=0)
        return float(sizes.max() / sizes.min())

    together = np.column_stack(errors)
    low, high = bootstrap_interval(widest, together, level, rng)
    found = Measure(widest(together), (max(low, 1.0), high), len(together))
    return between(name, found, 1.0, SAME, n=n, level=level, test="largest over smallest, paired")


def place_checks(frame: pd.DataFrame, level: float, rng: Generator) -> list[Verdict]:
    """Return the ratio to the sample mean at every place; that of mode "proved" is reported."""
    found = []
    for place in steps.PLACES:
        rows, n = at(frame, place=place), int(frame["n"].iloc[0])
        plain = checks.column(rows, "reference")
        error = checks.column(rows, "error practical")
        check = checks.ratio(f"over the sample mean, {place}", error, plain, 0.0, RATIO, level, rng, n=n)
        proved = checks.rms(checks.column(rows, "error proved")) / checks.rms(plain)
        found.append(checks.noted(check, proved=float(proved)))
    return found


CLAIMS = (
    Claim(
        "many-dimensions/mean-excess",
        "G7",
        (checks.SOURCE, "M21/sample-covariance"),
        "CoinPress moves the sample mean by √d times the noise of its last step (practical: and by what"
        " clipping takes) and sampling errs by √(d/n), both within 15 %: n = 1000 .. 16000, ρ = .02 .."
        " 2.5, d = 4 .. 64, R = 100√d; local slopes within .1 of the predicted ones; rows for an error of"
        " α in 90 % of runs within 15 % of the prediction.",
        sweeps=lambda: (runs.MEAN_N, runs.MEAN_RHO, runs.MEAN_D, runs.MEAN_SIZES, runs.MEAN_SIZES_FEW),
        checks=excess,
        kind="ours",
    ),
    Claim(
        "many-dimensions/order-of-steps",
        "G8",
        (checks.SOURCE,),
        "d = 10, n = 1000, ρ = .5: at R = 10√d the errors of 2, 3 and 4 steps are within 15 % of each"
        " other and that of one step is at least twice as large; one step pays √d 2B/(n√(2ρ)), within 15 %"
        " and with the predicted slope in R, up to R = 1000√d.",
        sweeps=lambda: (steps.MEAN_STEPS,),
        checks=lambda frame, seed: step_checks(
            frame, claim_level(parts=len(steps.REACHES) + 3), resampler(seed, "m21-mean-steps")
        ),
        kind="ours",
    ),
    Claim(
        "many-dimensions/near-sample-mean",
        "M21.3",
        (checks.SOURCE,),
        "d = 10, n = 1000, ρ = .5, R = 100√d, practical: the error is at most 1.1 times that of the"
        " sample mean, for means at the centre of the ball, on an axis, on the diagonal and on the"
        " boundary.",
        sweeps=lambda: (steps.WHERE,),
        checks=lambda frame, seed: place_checks(
            frame, claim_level(parts=len(steps.PLACES)), resampler(seed, "m21-places")
        ),
        kind="ours",
    ),
)
