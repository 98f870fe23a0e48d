"""CoinPress in the plane, step by step: ellipses that become round, and the side of the rows."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from workbench.chapters.many_dimensions.figures.costs import COVARIANCE
from workbench.chapters.many_dimensions.figures.means import words
from workbench.chapters.many_dimensions.figures.shapes import (
    COUNTS,
    COVARIANCE_N,
    EPSILON,
    ROWS_SHOWN,
    SHOWN,
    STEPS,
)
from workbench.chapters.many_dimensions.runs.means import DELTA
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.ellipses import circle, ellipse, plane
from workbench.estimators.base import Trace
from workbench.estimators.covariance.coinpress import CoinPressCovariance
from workbench.privacy import ApproxDP
from workbench.study.run import Run
from workbench.study.sweeps.streams import Role, stream
from workbench.types import Array

CONDITION, TURN = 400.0, 0.6  # of the ellipse: its axes and its tilt


@dataclass(frozen=True)
class CovarianceRun:
    """One run for a covariance in the plane: the frame A, ℓ and the upper estimate U of every step."""

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
    estimator = CoinPressCovariance(upper=condition, centred=True, **more)
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
        f"A covariance becomes round: {COUNTS[len(one.frames)]} (n = {n}, {words(epsilon, delta)})",
        tuple(frame(one, step) for step in range(len(one.frames))),
        alt="One panel for each step of one run in the plane. The true covariance is a thin tilted ellipse in"
        " the unit circle at first, fatter in every panel, and in the last nearly the unit circle itself.",
        how_to_read=f"Axes 1 to {sqrt(condition):.3g} long. The black ellipse is the true covariance as the"
        " step sees it, A Σ Aᵀ, with rows x Aᵀ. Before every step it lies between two public circles, dashed,"
        " of radius 1 and √ℓ. Each step measures it with an error in proportion to the unit circle: enough to"
        " learn the long axis, not the short one. The orange ellipse is the measurement plus its error, which"
        " holds the truth; making the orange one round shrinks the long axis and hardly the short one. In the"
        " last frame both axes are of the circle's size, and the last step's error is small beside them.",
    )


def frame(run: CovarianceRun, step: int) -> Panel:
    """Return one step: the truth in its frame, the public bounds, what the step found, and rows."""
    a, last = run.frames[step], step == len(run.frames) - 1
    x, y = a @ run.rows[:SHOWN].T
    series = [
        circle("public bounds, 1 and √ℓ", 1.0, role="theory"),
        circle("", sqrt(run.lower[step]), role="theory"),
        Series(ROWS_SHOWN, x, y, role="rows", colour_key="5"),
        ellipse("truth in this frame, A Σ Aᵀ", a @ run.sigma @ a.T, colour_key="non-private"),
        ellipse("measured, plus its error", found(run, step), colour_key=COVARIANCE),
    ]
    share = f"{100 * run.weights[step]:.3g} % of the budget"
    title = f"step {step + 1}, the last: {share}" if last else f"step {step + 1}: {share}"
    return plane(title, series, reach=1.5, names=("", ""))


def found(run: CovarianceRun, step: int) -> Array:
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
        "On which side? A is a product, and products are not symmetric",
        (
            _side(one, a, "x Aᵀ: the covariance of the rows is A Σ Aᵀ"),
            _side(one, a.T, "x A: the covariance of the rows is Aᵀ Σ A"),
        ),
        alt="The rows in the last frame. Mapped by the transpose of A they form a round cloud that fills the"
        " unit circle; mapped by A itself they form a long thin cloud that leaves it.",
        how_to_read="The same A, the same rows. After one step A is symmetric and the side does not matter;"
        " after two it is the product of two symmetric matrices with different axes. The steps made A Σ Aᵀ"
        " round; whoever then measures Aᵀ Σ A measures something that nobody has prepared: it sticks out of"
        " the circle at which rows are cut, so it is cut, and its short axis drowns in the noise.",
    )


def _side(run: CovarianceRun, a: Array, title: str) -> Panel:
    x, y = a @ run.rows[:SHOWN].T
    series = [
        circle("unit circle", 1.0),
        Series(ROWS_SHOWN, x, y, role="rows", colour_key="5"),
        ellipse("covariance of the mapped rows", a @ run.sigma @ a.T, colour_key="non-private"),
    ]
    return plane(title, series, reach=4.0, names=("", ""))
