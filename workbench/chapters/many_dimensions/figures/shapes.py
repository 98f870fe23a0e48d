"""CoinPress for a mean, step by step: balls that shrink in the plane, and the plan of all steps."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from workbench.chapters.many_dimensions.figures.costs import MEAN
from workbench.chapters.many_dimensions.figures.means import words
from workbench.chapters.many_dimensions.runs import coinpress as runs
from workbench.chapters.many_dimensions.runs.means import DELTA, HALF_WIDTH
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.ellipses import circle, plane
from workbench.charts.ticks import tick_labels
from workbench.estimators.base import Trace
from workbench.estimators.covariance.coinpress import CoinPressCovariance
from workbench.estimators.mean.coinpress import CoinPressMean
from workbench.privacy import ApproxDP
from workbench.privacy.mechanisms import gaussian_scale
from workbench.study.run import Run
from workbench.study.sweeps.streams import Role, stream
from workbench.types import Array

N, EPSILON, RADIUS = 1000, 1.0, 1000.0
PLAN_N, PLAN_D = 4000, 10
REACHES, CONDITIONS = (0.1, 1.0, 100.0), (1.0, 1e2, 1e4)  # of the plan, over those that are told
SHOWN = 300  # rows drawn
ROWS_SHOWN = "rows"
COUNTS = ("", "one step", "two steps", "three steps", "four steps")
SHARE, NOISE = "share of μ²", "noise, sd (σ)"
STEPS = 4  # in the pictures; the default number is chosen for the error and not for the page
COVARIANCE_N = 40_000
MORE = COVARIANCE_N // PLAN_N  # rows of a covariance in the plan, over those of a mean


@dataclass(frozen=True)
class MeanRun:
    """One run for a mean in the plane: centres and public numbers of all steps, and the rows."""

    rows: Array
    truth: Array
    centres: list[Any]
    radii: tuple[float, ...]
    clips: tuple[float, ...]
    weights: tuple[float, ...]
    noise: list[float]


def mean_run(seed: int, n: int, budget: ApproxDP, radius: float, d: int = 2) -> MeanRun:
    """Return one run of CoinPress, its mean halfway to the boundary of the public ball."""
    data, noise = (stream(seed, role, "many-dimensions-mean", n, 0) for role in (Role.DATA, Role.NOISE))
    direction = data.standard_normal(d)
    truth = radius / 2 * direction / np.linalg.norm(direction)
    rows = truth + data.standard_normal((n, d))
    estimator, trace = CoinPressMean(radius=radius, steps=STEPS), Trace()
    value: Any = estimator(rows, budget=budget, rng=noise, trace=trace).value
    design = estimator.design(n, d, budget)
    sds = [gaussian_scale(charge) for charge in estimator.plan(n, d, budget).charges()]
    centres = [*trace.records["centre"], value]
    return MeanRun(rows, truth, centres, design.radii, design.clips, design.weights, sds)


def shrinking_balls(
    run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, n: int = N, radius: float = RADIUS
) -> Chart:
    """Return the steps of one run in the plane: ball, clipping radius, rows, next centre."""
    one = mean_run(run.seed, n, ApproxDP(epsilon, delta), radius)
    return Chart(
        "shrinking_balls",
        f"A ball that shrinks: {COUNTS[len(one.weights)]} (n = {n}, {words(epsilon, delta)})",
        tuple(_ball(one, step) for step in range(len(one.weights))),
        alt="One panel for each step of one run in the plane. In the first the rows are a dot somewhere in a"
        " huge public ball; in every later one the ball is many times smaller, in the last it is about as"
        " large as the cloud of rows, and the final ball is a small disc at the mean.",
        how_to_read="Every panel is a step, drawn in the unit of its own ball: look at the axes. The grey"
        " circle holds the mean by what is public before the step. Rows outside the dashed circle are pulled"
        " back to it: at first none. The average of the rows, plus noise that the dashed circle sets, is the"
        " next centre; the green circle round it is the ball of the next step. Most of the budget (shares of"
        " μ², or ρ) waits for the last step, where the circle, and with it the noise, is smallest.",
    )


def _ball(run: MeanRun, step: int) -> Panel:
    centre, after = run.centres[step], run.centres[step + 1]
    x, y = run.rows[:SHOWN].T
    series = [
        circle("ball before the step", run.radii[step], centre),
        circle("rows outside are pulled back", run.clips[step], centre, role="theory"),
        Series(ROWS_SHOWN, x, y, role="rows", colour_key="5"),
        circle("ball after the step", run.radii[step + 1], after, colour_key=MEAN),
        Series("next centre", after[:1], after[1:], colour_key=MEAN),
    ]
    reach = 1.1 * max(run.clips[step], run.radii[step])
    title = f"step {step + 1}: {100 * run.weights[step]:.3g} % of μ², noise {run.noise[step]:.2g} σ"
    return plane(title, series, reach=reach, centre=(float(centre[0]), float(centre[1])))


def budget_of_steps(
    run: Run,
    *,
    epsilon: float = EPSILON,
    delta: float = DELTA,
    n: int = PLAN_N,
    d: int = PLAN_D,
    radius: float = HALF_WIDTH,
    condition: float = runs.CONDITION,
) -> Chart:
    """Return the public plan of a mean: radius, noise and share of the budget at every step, by range."""
    budget = ApproxDP(epsilon, delta)
    radii, noise, shares = [], [], []
    for reach, colour in zip([radius * one for one in REACHES], ("0", "2", "3"), strict=True):
        estimator = CoinPressMean(radius=reach * sqrt(d))
        design = estimator.design(n, d, budget)
        sds = [gaussian_scale(charge) for charge in estimator.plan(n, d, budget).charges()]
        label, places = f"R = {reach:g}√d", range(1, len(sds) + 1)
        radii.append(Series(label, range(len(design.radii)), design.radii, colour_key=colour))
        noise.append(Series("", places, sds, colour_key=colour))
        shares.append(Series("", places, design.weights, colour_key=colour))
    level = Series("error of the sample mean, √(d/n)", (0, max(max(s.x) for s in radii)),
                   (sqrt(d / n),) * 2, role="reference", colour_key="non-private")  # fmt: skip
    return Chart(
        "budget_of_steps",
        f"The plan, before any row is read (d = {d}, {words(epsilon, delta)})",
        (
            Panel(
                f"mean, n = {n}: radius of the ball", "after step", "radius (σ)", (*radii, level), "linear"
            ),
            Panel(f"mean, n = {n}: noise", "step", NOISE, tuple(noise), "linear"),
            Panel(f"mean, n = {n}: share of the budget", "step", SHARE, tuple(shares), "linear"),
            _lower_bounds(budget, MORE * n, d, condition),
        ),
        alt="The radius of the ball falls by large factors in the first steps and ends near the error of the"
        " sample mean. A wider range takes a step or two more. The last step has nearly all of the budget and"
        " the least noise. For a covariance the lower bound rises to nearly 1 in a few steps.",
        how_to_read="Nothing here depends on data. A ball R times wider than the cloud shrinks by about the"
        " factor n√ρ/√d in a step, so a range ten thousand times as wide costs a few more steps of a percent"
        " of the budget, where one single step would cost noise ten thousand times as large. When the ball"
        " is as small as the cloud, further steps gain nothing, and the rest is spent at once.",
    )


def _lower_bounds(budget: ApproxDP, n: int, d: int, least: float) -> Panel:
    series = []
    for condition, colour in zip([least * one for one in CONDITIONS], ("0:", "2:", "3:"), strict=True):
        estimator = CoinPressCovariance(upper=condition, centred=True)
        lower = estimator.design(n, d, budget).lower
        label = f"condition number {tick_labels([condition, 1e9])[0]}"
        series.append(Series(label, range(len(lower)), lower, colour_key=f"{colour}covariance"))
    last = max(9, *(max(one.x) for one in series))
    title, xlim = f"covariance, n = {n}: shortest axis, squared", (-0.4, last + 0.6)
    return Panel(title, "after step", "public lower bound ℓ", tuple(series), "linear", xlim=xlim)
