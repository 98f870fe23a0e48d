"""CoinPress in the plane, step by step: balls that shrink round a mean, ellipses that become round."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from workbench.chapters.many_dimensions.figures.costs import COVARIANCE, MEAN
from workbench.chapters.many_dimensions.figures.means import DELTA
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.ellipses import circle, ellipse, plane
from workbench.charts.ticks import tick_labels
from workbench.estimators.base import Trace
from workbench.estimators.covariance.coinpress import CoinPressCovariance
from workbench.estimators.mean.coinpress import CoinPressMean
from workbench.privacy import ApproxDP
from workbench.privacy.mechanisms import gaussian_scale
from workbench.study.sweeps.streams import Role, stream
from workbench.types import Array

N, EPSILON, RADIUS = 1000, 1.0, 1000.0
SHOWN = 300  # rows drawn
ROWS_SHOWN = "rows"
SHARE, NOISE = "share of μ²", "noise, sd (σ)"
STEPS = 4  # in the pictures; the default number is chosen for the error and not for the page
CONDITION, COVARIANCE_N, TURN = 400.0, 40_000, 0.6  # of the ellipse: its axes and its tilt


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


def mean_run(seed: int, n: int, epsilon: float, radius: float, d: int = 2) -> MeanRun:
    """Return one run of CoinPress, its mean halfway to the boundary of the public ball."""
    data, noise = (stream(seed, role, "many-dimensions-mean", n, 0) for role in (Role.DATA, Role.NOISE))
    direction = data.standard_normal(d)
    truth = radius / 2 * direction / np.linalg.norm(direction)
    rows, budget = truth + data.standard_normal((n, d)), ApproxDP(epsilon, DELTA)
    estimator, trace = CoinPressMean(radius=radius, steps=STEPS), Trace()
    value: Any = estimator(rows, budget=budget, rng=noise, trace=trace).value
    design = estimator.design(n, d, budget)
    sds = [gaussian_scale(charge) for charge in estimator.plan(n, d, budget).charges()]
    centres = [*trace.records["centre"], value]
    return MeanRun(rows, truth, centres, design.radii, design.clips, design.weights, sds)


def shrinking_balls(profile: str, seed: int) -> Chart:
    """Return the steps of one run in the plane: ball, clipping radius, rows, next centre."""
    run = mean_run(seed, N, EPSILON, RADIUS)
    return Chart(
        "shrinking_balls",
        f"A ball that shrinks: four steps (n = {N}, ε = {EPSILON:g}, δ = 10⁻⁶)",
        tuple(_ball(run, step) for step in range(len(run.weights))),
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


def budget_of_steps(profile: str, seed: int) -> Chart:
    """Return the public plan of a mean: radius, noise and share of the budget at every step, by range."""
    budget, d = ApproxDP(EPSILON, DELTA), 10
    radii, noise, shares = [], [], []
    for reach, colour in ((10.0, "0"), (100.0, "2"), (10_000.0, "3")):
        estimator = CoinPressMean(radius=reach * sqrt(d))
        design = estimator.design(4 * N, d, budget)
        sds = [gaussian_scale(charge) for charge in estimator.plan(4 * N, d, budget).charges()]
        label, places = f"R = {reach:g}√d", range(1, len(sds) + 1)
        radii.append(Series(label, range(len(design.radii)), design.radii, colour_key=colour))
        noise.append(Series("", places, sds, colour_key=colour))
        shares.append(Series("", places, design.weights, colour_key=colour))
    level = Series("error of the sample mean, √(d/n)", (0, max(max(s.x) for s in radii)),
                   (sqrt(d / (4 * N)),) * 2, role="reference", colour_key="non-private")  # fmt: skip
    return Chart(
        "budget_of_steps",
        f"The plan, before any row is read (d = 10, ε = {EPSILON:g}, δ = 10⁻⁶)",
        (
            Panel(
                f"mean, n = {4 * N}: radius of the ball",
                "after step",
                "radius (σ)",
                (*radii, level),
                "linear",
            ),
            Panel(f"mean, n = {4 * N}: noise", "step", NOISE, tuple(noise), "linear"),
            Panel(f"mean, n = {4 * N}: share of the budget", "step", SHARE, tuple(shares), "linear"),
            _lower_bounds(budget, d),
        ),
        alt="The radius of the ball falls by large factors in the first steps and ends near the error of the"
        " sample mean. A wider range takes a step or two more. The last step has nearly all of the budget and"
        " the least noise. For a covariance the lower bound rises to nearly 1 in a few steps.",
        how_to_read="Nothing here depends on data. A ball R times wider than the cloud shrinks by about the"
        " factor n√ρ/√d in a step, so a range ten thousand times as wide costs a few more steps of a percent"
        " of the budget, where one single step would cost noise ten thousand times as large. When the ball"
        " is as small as the cloud, further steps gain nothing, and the rest is spent at once.",
    )


def _lower_bounds(budget: ApproxDP, d: int) -> Panel:
    series = []
    for condition, colour in ((1e2, "0:"), (1e4, "2:"), (1e6, "3:")):
        estimator = CoinPressCovariance(upper=condition, centred=True)
        lower = estimator.design(COVARIANCE_N, d, budget).lower
        label = f"condition number {tick_labels([condition, 1e9])[0]}"
        series.append(Series(label, range(len(lower)), lower, colour_key=f"{colour}covariance"))
    title = f"covariance, n = {COVARIANCE_N}: shortest axis, squared"
    return Panel(title, "after step", "public lower bound ℓ", tuple(series), "linear", xlim=(-0.4, 9.6))


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


def covariance_run(seed: int, n: int, epsilon: float, condition: float, **more: Any) -> CovarianceRun:
    """Return one run of CoinPress; `more` are parameters of the estimator."""
    data, noise = (stream(seed, role, "many-dimensions-ellipse", n, 0) for role in (Role.DATA, Role.NOISE))
    sigma, budget = tilted(condition), ApproxDP(epsilon, DELTA)
    rows = data.standard_normal((n, 2)) @ np.linalg.cholesky(sigma).T
    estimator = CoinPressCovariance(upper=condition, centred=True, **more)
    trace = Trace()
    value: Any = estimator(rows, budget=budget, rng=noise, trace=trace).value
    weights = estimator.design(n, 2, budget).weights
    return CovarianceRun(sigma, rows, trace.records["preconditioner"], trace.records["lower"], weights, value)


def ellipses(profile: str, seed: int) -> Chart:
    """Return the frames of one run for a covariance in the plane, before every step."""
    run = covariance_run(seed, COVARIANCE_N, EPSILON, CONDITION, steps=STEPS, mode="proved")
    return Chart(
        "ellipses",
        f"A covariance becomes round: four steps (n = {COVARIANCE_N}, ε = {EPSILON:g})",
        tuple(frame(run, step) for step in range(len(run.frames))),
        alt="One panel for each step of one run in the plane. The true covariance is a thin tilted ellipse in"
        " the unit circle at first, fatter in every panel, and in the last nearly the unit circle itself.",
        how_to_read=f"Axes 1 to {sqrt(CONDITION):g} long. The black ellipse is the true covariance as the"
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


def sides(profile: str, seed: int) -> Chart:
    """Return the last frame of a run with rows on the right and on the wrong side."""
    run = covariance_run(seed, COVARIANCE_N, EPSILON, CONDITION)
    a = run.frames[-1]
    return Chart(
        "sides",
        "On which side? A is a product, and products are not symmetric",
        (
            _side(run, a, "x Aᵀ: the covariance of the rows is A Σ Aᵀ"),
            _side(run, a.T, "x A: the covariance of the rows is Aᵀ Σ A"),
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
