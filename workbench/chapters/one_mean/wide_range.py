"""A wide range ruins the clipped mean, not the two-step mean: L17 Lemma 2.2 and Theorem 2.5 on the same rows.

n normal rows of variance 1, their mean uniform on [-R, R], ε-DP. One sweep for each mean; the claims decide
from them what the picture shows.
"""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.chapters.one_mean import theory
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.curves import LEVEL, measured
from workbench.charts.style import name, number
from workbench.estimators.clipped import ClippedMean
from workbench.estimators.two_step import TwoStepMean
from workbench.privacy import PureDP
from workbench.privacy.mechanisms import laplace_scale
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.grids import Sweep, grid
from workbench.study.intervals import local_slope
from workbench.study.profiles import PROFILES, blocks, claim_level
from workbench.study.rules import Verdict, compare, enough, in_proportion
from workbench.study.run import Run
from workbench.types import Columns

N, EPSILON = 2000, 0.5
RADII = (10.0, 1e2, 1e3, 1e4)
WIDEST = 1e5  # its histogram has 2e5 bins: too many for a quick run
CURVE = tuple(float(radius) for radius in np.geomspace(10, 1e5, 17))
CALIBRATIONS = ("paper", "tight")
SLOW = tuple(one for one in PROFILES if one not in ("quick", "ci"))
CLIPPED_MEAN, TWO_STEP_MEAN = "univariate/clipped-mean", "univariate/two-step-mean"
RADIUS, ERROR = "half-width of the range, R (σ)", "median absolute error (σ)"
APART = 1e4  # the R at which two means are compared
FLAT, EXPONENT = 1.3, 0.05  # largest over smallest error; tolerance of the slope in R


# What is run


def on_range(
    kind: Any, n: int, epsilon: float, radius: float, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Measure the errors of a mean on a range, and of the plain mean, on the same rows."""
    budget, rows = PureDP(epsilon), []
    estimators = [kind(radius=radius, sigma=1.0, calibration=calibration) for calibration in CALIBRATIONS]
    for mean in data.uniform(-radius, radius, trials):
        x = mean + data.standard_normal(n)
        released: list[Any] = [estimator(x, budget=budget, rng=noise).value for estimator in estimators]
        rows.append(np.array([x.mean(), *released], np.float64) - mean)
    return dict(zip(("sampling", *CALIBRATIONS), np.array(rows).T, strict=True))


clipped, two_step = partial(on_range, ClippedMean), partial(on_range, TwoStepMean)
CLIPPED = Sweep("l17-clipped", grid(n=N, epsilon=EPSILON, radius=[*RADII, WIDEST]), clipped, 1000, blocks(16))
TWO_STEP = Sweep("l17-two-step", grid(n=N, epsilon=EPSILON, radius=RADII), two_step, 1000, blocks(15))
TWO_STEP_WIDEST = Sweep(
    "l17-two-step-widest",
    grid(n=N, epsilon=EPSILON, radius=WIDEST),
    two_step,
    100,
    {one: blocks(20)[one] for one in SLOW},
)


# What is shown


def error_against_radius(run: Run, *, epsilon: float = EPSILON, n: int = N) -> Chart:
    """Return median errors of the clipped and the two-step mean against R, with predictions."""
    first, *others = (
        sweep.moved({**point, "epsilon": epsilon, "n": n} for point in sweep.points)
        for sweep in (CLIPPED, TWO_STEP, TWO_STEP_WIDEST)
    )
    frames = [measures.by(run.table(*sweeps), "radius") for sweeps in ([first], others)]
    predictions = {CLIPPED_MEAN: theory.clipped_error, TWO_STEP_MEAN: theory.two_step_error}
    curves = []
    for (key, predict), rows in zip(predictions.items(), frames, strict=True):
        for calibration in reversed(CALIBRATIONS):  # hollow markers last, on top
            colour = key if calibration == "tight" else f"{key}:paper"
            found = {radius: measures.median(one[calibration].abs(), LEVEL) for radius, one in rows.items()}
            expected = [predict(n, radius, epsilon, calibration) for radius in found]
            curves.append(measured(name(key) if calibration == "tight" else "", found, colour, expected))
            line = [predict(n, radius, epsilon, calibration) for radius in CURVE]
            curves.append(Series("", CURVE, line, role="theory", colour_key=colour))
    plain = {
        radius: measures.median(one["sampling"].abs(), LEVEL).estimate for radius, one in frames[0].items()
    }
    reference = Series(name("non-private"), plain, plain.values(), role="reference", colour_key="non-private")
    steep, flat = (predict(n, APART, epsilon, "tight") for predict in predictions.values())
    times = f"{number(steep / flat)} times the error"
    marks = (
        Mark("ten times the range, ten times the error", x=APART / 60, y=steep / 15, colour_key=CLIPPED_MEAN),
        Mark(times, "arrow", APART, flat, APART, steep, side="right"),
    )
    title = f"{number(n)} rows, ε = {number(epsilon)}, the mean anywhere in [−R, R]"
    return Chart(
        "error_against_radius",
        "A wide range ruins the clipped mean, not the two-step mean",
        (Panel(title, RADIUS, ERROR, (*curves, reference), marks=marks),),
        alt=f"Median absolute error against the half-width R of the range, at {n} rows and ε = {epsilon:g}, "
        "both axes logarithmic. The clipped mean's error grows in proportion to R, the two-step mean's is "
        "flat and, with improved constants, close to that of the mean without privacy.",
        how_to_read="A good curve is flat and near the black line. The clipped mean adds noise for the whole "
        "range; the two-step mean first locates the data privately, and then adds noise for a few standard "
        "deviations.",
    )


# What is claimed


def laplace_of_clipped(radius: float) -> float:
    """Return 2B/(nε), the Laplace scale of the paper's clipped mean in the sweep."""
    estimator = ClippedMean(radius=radius, calibration="paper", sigma=1.0)
    return laplace_scale(estimator.plan(N, 1, PureDP(EPSILON))["mean"])


def clipped_is_linear(frame: pd.DataFrame, seed: int) -> list[Verdict]:
    """Return the checks: scale of the privacy part at every R from 1e2 on, and its slope in R."""
    radii, scales, checks = (*RADII[1:], WIDEST), [], []
    predicted = [laplace_of_clipped(radius) for radius in radii]
    for radius, expected in zip(radii, predicted, strict=True):
        rows = measures.at(frame, radius=radius)
        part = rows["paper"] - rows["sampling"]
        scale = measures.mean_size(part, claim_level(), CLIPPED.name, seed, {"radius": radius})
        near = measures.near(f"privacy part at R = {radius:g}", scale, expected, n=N)
        formula = "2B/(ε b), B = R + √(2 ln(2n/β)): privacy part of mean size b"
        checks.append(in_proportion(near, "L17/Eq1", formula))
        scales.append(measures.logarithm(scale))
    exponent, found = local_slope(radii, predicted), measures.slope(np.log(radii), scales)
    limits = exponent - EXPONENT, exponent + EXPONENT
    return [*checks, measures.between("exponent in R", found, *limits, n=N, bound=exponent)]


def two_step_is_flat(*frames: pd.DataFrame) -> Verdict:
    """Return the check: the largest over the smallest median error, over all R that the profile computes."""
    frame = pd.concat(frames, ignore_index=True)
    groups = {radius: rows["paper"].abs() for radius, rows in measures.by(frame, "radius").items()}
    found = flat("largest over smallest median error, all R", groups, FLAT)
    return enough(found, "L17/Thm2.5", "enough for an error that does not change with R")


def flat(name: str, groups: dict[float, pd.Series], allowed: float) -> Verdict:
    """Decide whether the largest over the smallest median is at most so much; it is at least 1."""
    each = claim_level(parts=len(groups))
    found = {key: measures.median(errors, each) for key, errors in groups.items()}
    verdict = measures.between(name, measures.spread(found), 1.0, allowed, n=N)
    interval = max(1.0, verdict.interval[0]), verdict.interval[1]
    medians = {f"{key:g}": measure.estimate for key, measure in found.items()}
    return replace(
        verdict,
        status=compare(interval, 1.0, allowed),
        interval=interval,
        detail={**verdict.detail, **medians},
    )


CLAIMS = (
    Claim(
        "one-mean/clipping-pays-range",
        "G1",
        ("L17/Lem2.2", "L17/Eq1"),
        "The clipped mean (paper) pays 2B/(nε) with B = R + √(2 ln(2n/β)): the scale of its privacy part is "
        "within 15 % of that at R = 1e2 .. 1e5 and proportional to R, at n = 2000, ε = .5.",
        sweeps=lambda: (CLIPPED,),
        checks=clipped_is_linear,
    ),
    Claim(
        "one-mean/flat-in-radius",
        "G2",
        ("L17/Thm2.5", "L17/Eq2"),
        "The median error of the two-step mean (paper) does not depend on R: largest over smallest is at "
        "most 1.3 for R = 10 .. 1e5, at n = 2000, ε = .5.",
        sweeps=lambda: (TWO_STEP, TWO_STEP_WIDEST),
        checks=two_step_is_flat,
    ),
)
