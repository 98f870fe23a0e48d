"""CoinPress in the plane, step by step: a ball that shrinks, an ellipse that becomes round, and its rows.

The pictures show single runs, with four steps; the default number is chosen for the error and not for the
page.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import sqrt
from typing import Any

import numpy as np

from workbench.chapters.many_dimensions.coinpress import COVARIANCE, DELTA, EPSILON, SHOWN, words
from workbench.charts.chart import Chart, Film, Frame, Panel, Series
from workbench.charts.curves import circle, ellipse, plane
from workbench.charts.style import number
from workbench.estimators.base import Trace
from workbench.estimators.coinpress import CoinPressCovariance, CoinPressMean
from workbench.privacy import ApproxDP
from workbench.privacy.mechanisms import gaussian_scale
from workbench.study.grids import Role, stream
from workbench.study.run import Run
from workbench.types import Array

N, RADIUS, STEPS = 1000, 1000.0, 4
COVARIANCE_N, CONDITION, TURN = 40_000, 400.0, 0.6  # rows; of the ellipse: its eigenvalues and its tilt
AXES = ("mapped $x_1$", "mapped $x_2$")


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


@dataclass(frozen=True)
class CovarianceRun:
    """One run for a covariance in the plane: the frame A and ℓ of every step."""

    sigma: Array
    rows: Array
    frames: list[Any]
    lower: list[Any]
    weights: tuple[float, ...]
    value: Array


def tilted(condition: float) -> Array:
    """Return a covariance in the plane with eigenvalues 1 and `condition`, its long axis tilted."""
    axes = np.array([[np.cos(TURN), -np.sin(TURN)], [np.sin(TURN), np.cos(TURN)]])
    return np.asarray((axes * (condition, 1.0)) @ axes.T)


def covariance_run(seed: int, n: int, budget: ApproxDP, condition: float, **more: Any) -> CovarianceRun:
    """Return one run of CoinPress; `more` are parameters of the estimator."""
    data, noise = (stream(seed, role, "many-dimensions-ellipse", n, 0) for role in (Role.DATA, Role.NOISE))
    sigma = tilted(condition)
    rows = data.standard_normal((n, 2)) @ np.linalg.cholesky(sigma).T
    estimator = CoinPressCovariance(upper=condition, lower=1.0, centred=True, **more)
    trace = Trace()
    value: Any = estimator(rows, budget=budget, rng=noise, trace=trace).value
    weights = estimator.design(n, 2, budget).weights
    return CovarianceRun(sigma, rows, trace.records["preconditioner"], trace.records["lower"], weights, value)


def ellipses(
    run: Run,
    *,
    epsilon: float = EPSILON,
    delta: float = DELTA,
    n: int = COVARIANCE_N,
    condition: float = CONDITION,
) -> Chart:
    """Return the frames of one run for a covariance in the plane, before every step."""
    one = covariance_run(run.seed, n, ApproxDP(epsilon, delta), condition, steps=STEPS, mode="proved")
    return Chart(
        "ellipses",
        f"Measure, rescale, repeat: after {len(one.frames)} steps a thin ellipse is round",
        tuple(_frame(one, step) for step in range(len(one.frames))),
        alt="One panel for each step of one run in the plane. The true covariance is a thin tilted ellipse in"
        " the unit circle at first, fatter in every panel, and in the last nearly the unit circle itself.",
        how_to_read="The truth as each step sees it, A Σ Aᵀ, lies between two public circles. A step finds"
        " the long axis and not the short one; rescaling shrinks what was found."
        f" {number(n)} rows, {words(epsilon, delta)}, axes 1 to {number(sqrt(condition))}.",
    )


def _frame(run: CovarianceRun, step: int) -> Panel:
    a, last = run.frames[step], step == len(run.frames) - 1
    x, y = a @ run.rows[:SHOWN].T
    series = [
        Series("", x, y, role="rows", colour_key="idea/data"),
        circle("public bounds", 1.0, role="reference", colour_key="idea/public"),
        circle("", sqrt(run.lower[step]), role="reference", colour_key="idea/public"),
        ellipse("upper estimate U", upper_estimate(run, step), colour_key=COVARIANCE, role="theory"),
        ellipse("truth", a @ run.sigma @ a.T, role="truth"),
    ]
    share = f"{number(100 * run.weights[step], 2)} % of the budget"
    title = f"step {step + 1}, the last" if last else f"step {step + 1}"
    return plane(title, series, reach=1.35, names=AXES, note=share)


def upper_estimate(run: CovarianceRun, step: int) -> Array:
    """Return the matrix that a step makes round, U; for the last step the estimate, in its frame."""
    a = run.frames[step]
    if step == len(run.frames) - 1:
        return np.asarray(a @ run.value @ a.T)
    half = np.linalg.inv(run.frames[step + 1] @ np.linalg.inv(a))
    return np.asarray(half @ half.T)


def sides(
    run: Run,
    *,
    epsilon: float = EPSILON,
    delta: float = DELTA,
    n: int = COVARIANCE_N,
    condition: float = CONDITION,
) -> Chart:
    """Return the last frame of a run with rows on the right and on the wrong side."""
    one = covariance_run(run.seed, n, ApproxDP(epsilon, delta), condition)
    a = one.frames[-1]
    return Chart(
        "sides",
        "Rows mapped on the wrong side lose what two steps made round",
        (
            _side(one, a, "rows A x: covariance A Σ Aᵀ"),
            _side(one, a.T, "rows Aᵀ x, as in the authors' program"),
        ),
        alt="The rows in the last frame. Mapped by A they form a round cloud that fills the"
        " unit circle; mapped by the transpose of A they form a long thin cloud that leaves it.",
        how_to_read="The same A, the same rows. After two steps A is a product of symmetric matrices, and not"
        " symmetric. On the right the covariance sticks out of the circle at which rows are clipped, and its"
        " short axis drowns in noise.",
    )


def _side(run: CovarianceRun, a: Array, title: str) -> Panel:
    x, y = a @ run.rows[:SHOWN].T
    series = [
        Series("", x, y, role="rows", colour_key="idea/data"),
        circle("public circle", 1.0, colour_key="idea/public"),
        ellipse("covariance of the mapped rows", a @ run.sigma @ a.T, role="truth"),
    ]
    return plane(title, series, reach=4.0, names=AXES)


# CoinPress for a mean frame by frame: every ball is drawn inside the one before.


MEAN, AXIS = "mean/coinpress", "first coordinate (σ)"
ROOM = 1.12  # of a picture, over what is in it


def balls(run: Run, *, frame: int = 1) -> Chart:
    """Return the four steps of one run, three frames each."""
    return _balls(run.seed).chart(frame)


@cache
def _balls(seed: int) -> Film:
    one = mean_run(seed, N, ApproxDP(EPSILON, DELTA), RADIUS)
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
    found = Series("noisy average", after[:1], after[1:], colour_key=MEAN)
    smaller = circle("ball after the step", one.radii[step + 1], after, colour_key=MEAN)
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
