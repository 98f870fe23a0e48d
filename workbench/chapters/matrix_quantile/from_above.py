"""The matrix quantile frame by frame: from above down to the ellipse that stands still."""

from functools import cache

import numpy as np

from workbench.chapters.covariance.worlds import tilted
from workbench.chapters.matrix_quantile.quantiles import (
    NESTED_N,
    OURS,
    PRECISE,
    STEPS,
    known,
    level_of,
    rows_of,
)
from workbench.charts.chart import Chart, Film, Frame, Series
from workbench.charts.curves import ellipse, plane
from workbench.charts.style import number
from workbench.estimators.matrix_quantile import influence_for
from workbench.estimators.stable_quantile import Scaled, Solver, distance, inflation
from workbench.study.run import Run
from workbench.types import Array

FRAMES, LEVEL, LONG, NEAR = 12, 0.4, 9.0, 0.1
START, REACH, AXIS = 5.6, 6.0, "first column"


def descent(run: Run, *, frame: int = 1) -> Chart:
    """Return the first steps of Q ← F(Q), from above."""
    return _descent(run.seed).chart(frame)


@cache
def _descent(seed: int) -> Film:
    x, level = (
        tilted(LONG).sample(NESTED_N, rng=rows_of("mq-nested", seed)),
        level_of(LEVEL, NESTED_N),
    )
    final = known(x, level)
    shapes = iterates(x, level, START**2 * np.eye(2))
    first, second = x.T
    rows = Series("rows", first, second, role="rows", colour_key="idea/data")
    return Film(
        "descent",
        "From above, each step shrinks the ellipse until it stands still",
        tuple(_frame(shapes, place, final) for place in range(FRAMES)),
        alt="A circle far larger than the rows shrinks step by step, becomes an ellipse with the tilt of the"
        " rows, and comes to rest on the matrix quantile.",
        how_to_read="Q asks every row how far out it is in units of Q, and the rows, each counted once at"
        " most, answer with the next Q. Where Q and the answer agree, it is the quantile.",
        shared=(rows, ellipse("matrix quantile", final, role="kept", colour_key=OURS)),
    )


def iterates(x: Array, level: float, start: Array) -> list[Array]:
    """Return the start and the steps of Q ← F(Q) after it."""
    n, d = x.shape
    solver = Solver(influence_for(d), inflation(n, d), PRECISE, STEPS)
    scaled = Scaled.of(x, solver.influence, level)
    units = np.ldexp(1.0, scaled.exponents)
    factor = np.linalg.inv(np.linalg.cholesky(start)) * units
    found = [start]
    for _ in range(FRAMES - 1):
        moment = scaled.moment(solver.influence, factor, level)
        factor = solver.step(moment, distance(moment), factor)
        root = scaled.root(factor)
        found.append(root @ root.T)
    return found


def _frame(shapes: list[Array], place: int, final: Array) -> Frame:
    here = shapes[place]
    over = float(np.sqrt(np.linalg.eigvals(np.linalg.solve(final, here)).real.max()))
    series = [ellipse("Q, before this step", shapes[place - 1], role="release")] if place else []
    series.append(ellipse("Q", here, colour_key=OURS))
    panel = plane("", series, reach=REACH, names=(AXIS, ""))
    return Frame(_words(place, over - 1), panel)


def _words(place: int, beyond: float) -> str:
    if place == 0:
        return "Q begins as a circle that is surely too large: few rows are far out in units of it."
    size = f"Step {place}. Q is {number(100 * beyond, 2)} % longer than the quantile, in the worst direction."
    if place == 1:
        return size + " Rows hold it up only where they are, so that it takes their tilt."
    if beyond > NEAR:
        return size + " In units of a smaller Q the rows are farther out, and hold up more."
    return size + " It can only shrink, and never below the quantile."
