"""CoinPress for a mean, step by step: balls that shrink in the plane, and the plan of all steps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np

from workbench.chapters.many_dimensions.figures.looks import MEAN, words
from workbench.chapters.many_dimensions.runs.means import DELTA, HALF_WIDTH
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.ellipses import circle, plane
from workbench.charts.words import number
from workbench.estimators.base import Trace
from workbench.estimators.coinpress import CoinPressMean
from workbench.privacy import ApproxDP
from workbench.privacy.mechanisms import gaussian_scale
from workbench.study.grids import Role, stream
from workbench.study.run import Run
from workbench.types import Array

N, EPSILON, RADIUS = 1000, 1.0, 1000.0
PLAN_N, PLAN_D = 4000, 10
REACHES = (0.1, 1.0, 100.0)  # of the plan, over the one that is told
SHOWN = 300  # rows drawn
ZOOM = 1.15  # of a panel, over its clipping radius
SMALL = 0.3  # squares around which words have room
WORDS = "idea/total"  # black
STEPS = 4  # in the pictures; the default number is chosen for the error and not for the page
COVARIANCE_N = 40_000


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
    estimator, trace = CoinPressMean(radius=radius, steps=STEPS, sigma=1.0), Trace()
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
        "A ball shrinks step by step; the last step has most of the budget",
        tuple(_ball(one, step) for step in range(len(one.weights))),
        alt="One panel for each step of one run in the plane. In the first the rows are a dot somewhere in a"
        " huge public ball; in every later one the ball is many times smaller, in the last it is about as"
        " large as the cloud of rows, and the final ball is a small disc.",
        how_to_read=f"One run: {number(n)} rows, {words(epsilon, delta)}. Each panel is the square of"
        " the one before, enlarged. The public ball holds the mean; rows outside the clipping radius are"
        " pulled back to it, and it sets the next noise.",
    )


def _ball(run: MeanRun, step: int) -> Panel:
    """Return a step in units of its clipping radius, around its centre."""
    centre, unit = np.asarray(run.centres[step]), run.clips[step]
    after = (np.asarray(run.centres[step + 1]) - centre) / unit
    x, y = ((run.rows[:SHOWN] - centre) / unit).T
    last = step == len(run.weights) - 1
    series = [
        Series("", x, y, role="rows", colour_key="idea/data"),
        replace(
            circle("clipping radius" * last, 1.0, role="kept", colour_key="idea/public"), label_at=(0, 1.28)
        ),
        replace(
            circle("public ball" * (not step), run.radii[step] / unit, colour_key="idea/public"),
            label_at=(0, 1.28),
        ),
        replace(
            circle("final ball" * last, run.radii[step + 1] / unit, after, colour_key=MEAN, role="theory"),
            label_at=(0, -1.28),
        ),
    ]
    marks = []
    if not last:
        reach = ZOOM * run.clips[step + 1] / unit
        series.append(_square(after, reach))
        if reach < SMALL:
            marks.append(Mark("next panel", x=float(np.clip(after[0], -0.1, 0.1)), y=after[1] - reach - 0.14))
    title = f"step {step + 1}: {number(float(f'{unit:.2g}'))} σ"
    share = f"{number(100 * run.weights[step], 2)} % of the budget"
    return plane(title, series, reach=ZOOM, names=("in clipping radii",) * 2, note=share, marks=marks)


def _square(centre: Array, reach: float) -> Series:
    """Return the outline of what the next panel shows."""
    x, y = map(float, centre)
    across = [x - reach, x + reach, x + reach, x - reach, x - reach]
    return Series("", across, [y - reach, y - reach, y + reach, y + reach, y - reach], role="reference")


def budget_of_steps(
    run: Run,
    *,
    epsilon: float = EPSILON,
    delta: float = DELTA,
    n: int = PLAN_N,
    d: int = PLAN_D,
    radius: float = HALF_WIDTH,
) -> Chart:
    """Return the public plan of a mean (radius after every step, and how the budget is divided, by range)."""
    budget = ApproxDP(epsilon, delta)
    radii, shares, names = [], [], []
    for place, reach in enumerate(radius * one for one in REACHES):
        design = CoinPressMean(radius=reach * sqrt(d), sigma=1.0).design(n, d, budget)
        look: dict[str, Any] = {"colour_key": MEAN, "rank": place / (len(REACHES) - 1)}
        names.append(f"R = {number(reach)}√d")
        radii.append(Series(names[-1], range(len(design.radii)), design.radii, **look))
        shares.append(design.weights)
    level = Series("sampling", (0, max(max(one.x) for one in radii)), (sqrt(d / n),) * 2, role="reference",
                   colour_key="non-private")  # fmt: skip
    return Chart(
        "budget_of_steps",
        "The last step has nearly all of the budget, whatever the range",
        (
            _stacked(names, shares),
            Panel("radius of the ball", "after step", "radius (σ)", (*radii, level), "linear"),
        ),
        alt="The radius of the ball falls by large factors in the first steps and ends near the error of the"
        " sample mean. A wider range takes a step or two more. The last step has nearly all of the budget.",
        how_to_read=f"The plan for {number(n)} rows, d = {d}, {words(epsilon, delta)}: nothing depends on"
        " data. A range ten times as wide takes about one more step, of one per cent, where a single"
        " step would need ten times the noise.",
    )


def _stacked(names: Sequence[str], shares: Sequence[Sequence[float]]) -> Panel:
    """Return the shares of all steps one after the other, a bar for each range, the last step lightest."""
    bars, marks = [], list[Mark]()
    for place, weights in enumerate(shares, 1):
        ends = 100 * np.cumsum(weights)
        first = len(weights) - 1
        marks += [
            Mark(f"step {first + 1}: {number(100 * weights[-1], 2)} %", x=50, y=place, colour_key=WORDS),
            Mark(f"steps 1 to {first}", x=13, y=place - 0.41, colour_key=WORDS),
        ]
        for step, (end, weight) in enumerate(zip(ends, weights, strict=True)):
            rank = 0.1 if step == first else 0.75 + 0.25 * (step % 2)
            bars.append(
                Series(
                    "",
                    (place,),
                    (end,),
                    (end - 100 * weight,),
                    (end,),
                    role="bars",
                    colour_key=MEAN,
                    rank=rank,
                )
            )
    least = number(100 * min(weights[-1] for weights in shares), 2)
    title = f"budget: {least} % for the last step"
    return Panel(title, "", "per cent, step by step", tuple(bars), "linear", "linear",
                 ylim=(0, 100), names=tuple(names), marks=tuple(marks))  # fmt: skip
