"""Preconditioning frame by frame: a long ellipse becomes round."""

from functools import cache
from math import sqrt

import numpy as np

from workbench.chapters.covariance.one_radius import RHO, SHOWN, STEPS_N
from workbench.chapters.covariance.worlds import DEGREES, Steps, followed, pair, tilted
from workbench.charts.chart import Chart, Film, Frame, Series
from workbench.charts.curves import circle, ellipse, plane
from workbench.charts.style import number
from workbench.populations.rotated import Rotated
from workbench.study.grids import Role, stream
from workbench.study.run import Run
from workbench.types import Array

UPPER, FRAMES = 1e4, 12  # condition number; steps that are shown
NEARLY = 1.3  # of both axes, where an ellipse looks round
KEY, AXIS, REACH = "covariance/heavy-tailed", "first coordinate, rescaled", 1.15


def rounding(run: Run, *, frame: int = 1) -> Chart:
    """Return the rows and their covariance as each step sees them."""
    return _rounding(run.seed).chart(frame)


@cache
def _rounding(seed: int) -> Film:
    law = tilted(UPPER, DEGREES)
    data, noise = (stream(seed, role, "covariance-film", 0, 0) for role in (Role.DATA, Role.NOISE))
    x = law.sample(STEPS_N, rng=data)
    steps = followed(pair(UPPER)[1], x, noise, RHO)
    return Film(
        "ellipse",
        "Twelve steps make an ellipse of condition number 10 000 round",
        tuple(_frame(law, steps, place, x) for place in range(min(FRAMES, len(steps.maps)))),
        alt="An ellipse as thin as a line, tilted, among its rows. Before every further step it is wider, in"
        " the end it is nearly a circle; a public circle inside it grows with it.",
        how_to_read="Every picture shows the rows as the step sees them, x ↦ Ax. The ellipse of AΣAᵀ lies"
        " between two public circles: of radius 1, and of radius √ℓ, which grows.",
    )


def _frame(law: Rotated, steps: Steps, place: int, x: Array) -> Frame:
    a, lower = steps.maps[place], steps.lowers[place]
    seen = a @ law.covariance @ a.T
    short, long = np.sqrt(np.linalg.eigvalsh(seen))
    first, second = (x[:SHOWN] @ a.T).T
    series = (
        Series("rows, x ↦ Ax", first, second, role="rows", colour_key="idea/data"),
        circle("upper bound, radius 1", 1.0, role="reference", colour_key="idea/public"),
        circle("lower bound, radius √ℓ", sqrt(lower), role="kept", colour_key="idea/public"),
        ellipse("covariance, AΣAᵀ", seen, role="truth"),
    )
    ratio = float(long / short)
    panel = plane("", series, reach=REACH, names=(AXIS, ""))
    return Frame(f"Before step {place + 1}: ℓ = {number(lower, 2)}. {_words(place, ratio)}", panel)


def _words(place: int, ratio: float) -> str:
    if ratio < NEARLY:
        return "The ellipse is nearly round, and noise of one size does the same harm in all directions."
    size = f"The long axis is {number(ratio, 3 if ratio > 10 else 2)} times as long as the short one."
    if place == 0:
        return size + " Noise is the same in all directions, and hides the short one."
    return size + " The step before has measured what is long, with noise, and shortened it."
