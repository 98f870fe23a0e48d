"""CoinPress for a mean in the plane, frame by frame: every ball is drawn inside the one before.

One run with four steps; the default number is chosen for the error and not for the page.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from workbench.chapters.many_dimensions.coinpress import DELTA, EPSILON, Means
from workbench.charts.chart import Chart, Film, Frame, Series
from workbench.charts.curves import circle, plane
from workbench.charts.style import number
from workbench.estimators.base import Trace
from workbench.estimators.coinpress import CoinPressMean
from workbench.privacy import ApproxDP
from workbench.privacy.mechanisms import gaussian_scale
from workbench.study.grids import Role, stream
from workbench.study.run import Run
from workbench.types import Array

N, RADIUS, STEPS = 1000, 1000.0, 4
SHOWN = 300  # rows
AXIS = "first coordinate (σ)"
ROOM = 1.12  # of a picture, over what is in it


class MeanRun(NamedTuple):
    """One run: rows, the centres before every step and at the end, and public numbers of all steps."""

    rows: Array
    centres: list[Any]
    radii: tuple[float, ...]
    clips: tuple[float, ...]
    weights: tuple[float, ...]
    noise: list[float]


def mean_run(seed: int) -> MeanRun:
    """Return one run of CoinPress, its mean halfway to the boundary of the public ball."""
    data, noise = (stream(seed, role, "many-dimensions-mean", N, 0) for role in (Role.DATA, Role.NOISE))
    direction = data.standard_normal(2)
    rows = RADIUS / 2 * direction / np.linalg.norm(direction) + data.standard_normal((N, 2))
    estimator, trace = CoinPressMean(radius=RADIUS, steps=STEPS, sigma=1.0), Trace()
    budget = ApproxDP(EPSILON, DELTA)
    value: Any = estimator(rows, budget=budget, rng=noise, trace=trace).value
    design = estimator.design(N, 2, budget)
    sds = [gaussian_scale(charge) for charge in estimator.plan(N, 2, budget).charges()]
    return MeanRun(rows, [*trace.records["centre"], value], design.radii, design.clips, design.weights, sds)


def balls(run: Run, *, frame: int = 1) -> Chart:
    """Return the four steps of one run, three frames each."""
    return _balls(run.seed).chart(frame)


@cache
def _balls(seed: int) -> Film:
    one = mean_run(seed)
    x, y = one.rows[:SHOWN].T
    shrink = float(f"{one.radii[0] / one.radii[-1]:.1g}")
    return Film(
        "balls",
        f"In four steps the ball becomes about {number(shrink)} times smaller",
        tuple(frame for step in range(len(one.weights)) for frame in _step(one, step)),
        alt="A ball of radius 1000 with the rows as a dot in it. Step by step the rows are averaged with"
        " noise, a smaller ball is drawn round the result, and the picture zooms into it, until the ball is"
        " smaller than the cloud of rows.",
        how_to_read="Each step has three pictures: the ball that holds the mean, the noisy average, and the"
        " next ball. The grey square is the next step's picture; look at the numbers on the axes.",
        shared=(Series("rows", x, y, role="rows", colour_key="idea/data"),),
    )


def _step(one: MeanRun, step: int) -> Iterator[Frame]:
    centre, after = one.centres[step], one.centres[step + 1]
    ball = circle("ball before the step", one.radii[step], centre, role="reference", colour_key="idea/public")
    clip = circle("rows are cut here", one.clips[step], centre, role="kept", colour_key="idea/public")
    found = Series("noisy average", after[:1], after[1:], colour_key=Means.key)
    smaller = circle("ball after the step", one.radii[step + 1], after, colour_key=Means.key)
    size, share = number(one.radii[step], 2), number(100 * one.weights[step], 2)
    told = f"Step {step + 1}. The mean lies in a ball of radius {size} σ; "
    told += "that much is public." if step == 0 else "the step before has found it."
    noise, rest = number(one.noise[step], 2), number(one.radii[step + 1], 2)
    cut = "Rows beyond the outer circle are pulled back to it. The average gets noise of"
    cut += f" {noise} σ, for {share} % of the budget."
    left = f"Noise and sampling are of known size, so that a ball of radius {rest} σ is left."
    parts = ((told, (ball,)), (cut, (ball, clip, found)), (left, (ball, found, smaller, *_next(one, step))))
    reach = ROOM * max(one.clips[step], one.radii[step])
    middle = (float(centre[0]), float(centre[1]))
    for said, series in parts:
        yield Frame(said, plane("", series, reach=reach, centre=middle, names=(AXIS, "")))


def _next(one: MeanRun, step: int) -> tuple[Series, ...]:
    if step + 1 == len(one.weights):
        return ()
    x, y = one.centres[step + 1]
    side = ROOM * max(one.clips[step + 1], one.radii[step + 1])
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))
    return (
        Series(
            "the next picture",
            [x + side * across for across, _ in corners],
            [y + side * up for _, up in corners],
            role="reference",
        ),
    )
