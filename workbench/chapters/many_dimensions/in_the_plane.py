"""CoinPress for a mean in the plane, frame by frame: every ball is drawn inside the one before.

One run with four steps, the mean halfway to the boundary of the public ball; the default number of steps is
chosen for the error and not for the page.
"""

from functools import cache
from typing import Any

import numpy as np

from workbench.chapters.many_dimensions.coinpress import DELTA, EPSILON, Means
from workbench.charts.curves import Chart, Film, Frame, Series, circle, number, plane, styled
from workbench.estimators.base import Trace
from workbench.estimators.coinpress import CoinPressMean
from workbench.privacy import ApproxDP
from workbench.privacy.mechanisms import gaussian_scale
from workbench.study.run import Role, Run, stream

N, RADIUS, STEPS = 1000, 1000.0, 4
SHOWN = 300  # rows
ROOM = 1.12  # of a picture, over what is in it
SQUARE = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)])


def balls(run: Run, *, frame: int = 1) -> Chart:
    """Return the four steps of one run, three frames each."""
    return _balls(run.seed).chart(frame)


@cache
def _balls(seed: int) -> Film:
    data, noise = (stream(seed, role, "many-dimensions-mean", N, 0) for role in (Role.DATA, Role.NOISE))
    direction = data.standard_normal(2)
    rows = RADIUS / 2 * direction / np.linalg.norm(direction) + data.standard_normal((N, 2))
    estimator, trace = CoinPressMean(radius=RADIUS, steps=STEPS, sigma=1.0), Trace()
    budget = ApproxDP(EPSILON, DELTA)
    value: Any = estimator(rows, budget=budget, rng=noise, trace=trace).value
    centres: list[Any] = [*trace.records["centre"], value]
    design = estimator.design(N, 2, budget)
    sds = [gaussian_scale(charge) for charge in estimator.plan(N, 2, budget).charges()]
    sizes, frames = [number(radius, 2) for radius in design.radii], list[Frame]()
    reaches = [ROOM * max(both) for both in zip(design.clips, design.radii, strict=False)]
    for step, clip in enumerate(design.clips):
        centre, after = centres[step], centres[step + 1]
        ball = circle("ball before the step", design.radii[step], centre, colour_key="idea/public")
        outer = circle("rows are clipped here", clip, centre, role="kept", colour_key="idea/public")
        found = Series("noisy average", after[:1], after[1:], colour_key=Means.key)
        left = [circle("ball after the step", design.radii[step + 1], after, colour_key=Means.key)]
        if step + 1 < len(design.clips):
            corners = after + reaches[step + 1] * SQUARE
            left.append(styled("reference", "the next picture", corners[:, 0], corners[:, 1]))
        known = "the step before has found it." if step else "that much is public."
        share = number(100 * design.weights[step], 2)
        for said, series in (
            (f"Step {step + 1}. The mean lies in a ball of radius {sizes[step]} σ; {known}", (ball,)),
            (
                "Rows beyond the outer circle are pulled back to it. The average gets noise of"
                f" {number(sds[step], 2)} σ, for {share} % of the budget.",
                (ball, outer, found),
            ),
            (
                "Noise and sampling are of known size, so that a ball of radius"
                f" {sizes[step + 1]} σ is left.",
                (ball, found, *left),
            ),
        ):
            names, middle = ("first coordinate (σ)", ""), (float(centre[0]), float(centre[1]))
            frames.append(Frame(said, plane("", series, reach=reaches[step], centre=middle, names=names)))
    shrink = float(f"{design.radii[0] / design.radii[-1]:.1g}")
    x, y = rows[:SHOWN].T
    return Film(
        "balls",
        f"In four steps the ball becomes about {number(shrink)} times smaller",
        tuple(frames),
        alt="A ball of radius 1000 with the rows as a dot in it. Step by step the rows are averaged with"
        " noise, a smaller ball is drawn round the result, and the picture zooms into it, until the ball is"
        " smaller than the cloud of rows.",
        how_to_read="Each step has three pictures: the ball that holds the mean, the noisy average, and the"
        " next ball. The grey square is the next step's picture; look at the numbers on the axes.",
        shared=(styled("rows", "rows", x, y, "idea/data"),),
    )
