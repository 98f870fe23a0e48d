"""The explorer about preconditioning: the public lower bound step by step, and releases as ellipses."""

from collections.abc import Iterator
from math import log10, sqrt
from typing import Any

import numpy as np

from workbench.chapters.covariance.worlds import (
    DEGREES,
    NAIVE,
    PLAIN,
    PRECONDITIONED,
    Steps,
    followed,
    pair,
    tilted,
)
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.ellipses import circle, ellipse, plane
from workbench.charts.words import number
from workbench.estimators.heavy_tailed import HeavyTailedCovariance
from workbench.populations.rotated import Rotated
from workbench.privacy import ZCDP
from workbench.study.grids import Role, stream
from workbench.study.run import Run

NAME = "covariance-steps-view"
ROUNDS, DRAWN = 12, 4  # runs; ellipses of each estimator
STEPS = 16.0  # the right end of the axis of steps


def steps_view(run: Run, *, rho: float, alpha: float, n: int, upper: float) -> Iterator[Chart]:
    """Yield the view of preconditioning: public bounds at once, then one run after another."""
    law, (naive, preconditioned) = tilted(upper, DEGREES), pair(upper)
    runs: list[Steps] = []
    simple: list[Any] = []
    yield _chart(law, preconditioned, n, rho, alpha, runs, simple)
    data, noise = (stream(run.seed, role, NAME, n, 0) for role in (Role.DATA, Role.NOISE))
    for _ in range(ROUNDS):
        x = law.sample(n, rng=data)
        runs.append(followed(preconditioned, x, noise, rho))
        simple.append(naive(x, budget=ZCDP(rho), rng=noise).value)
        yield _chart(law, preconditioned, n, rho, alpha, runs, simple)


def _chart(
    law: Rotated,
    one: HeavyTailedCovariance,
    n: int,
    rho: float,
    alpha: float,
    runs: list[Steps],
    simple: list[Any],
) -> Chart:
    stages = one.stages(n, 2, ZCDP(rho))
    lowers = [stage.lower for stage in stages]
    return Chart(
        "covariance_steps_view",
        f"Preconditioning, u = {number(law.values[-1])}, n = {number(n)}, ρ = {rho:g}, α = {alpha:g}",
        (_ellipses(law, runs, simple), _bounds(law, lowers, runs)),
        alt="Left, releases of the naive and of the preconditioned estimator as ellipses round a circle,"
        " which stands for Σ. Right, the public lower bound before every step, and the smallest"
        " eigenvalue of A Σ Aᵀ, which lies above it.",
        how_to_read="Right, the line is public before a row is read; markers are the smallest eigenvalue that"
        " the next step sees. Left, releases; the circle is Σ, so that a distance from it is an error in the"
        " norm of Σ.",
        caption=_caption(law, lowers, alpha, runs, simple),
    )


def _ellipses(law: Rotated, runs: list[Steps], simple: list[Any]) -> Panel:
    white = law.basis / np.sqrt(law.values)
    releases = ((NAIVE, simple), (PRECONDITIONED, [run.value for run in runs]))
    lines = [
        ellipse("", white.T @ value @ white, role="release", colour_key=key)
        for key, values in releases
        for value in values[:DRAWN]
    ]
    truth = circle("", 1.0, role="truth", colour_key=PLAIN)
    marks = (
        Mark("Σ", x=0.82, y=-0.82, colour_key=PLAIN),
        Mark("one radius", x=-1.3, y=1.8, colour_key=NAIVE),
        Mark("preconditioned", x=1.2, y=1.8, colour_key=PRECONDITIONED),
    )
    return plane(
        "Releases, in units of Σ",
        (*lines, truth),
        reach=2.0,
        names=("along the short axis", "along the long axis"),
        marks=marks,
    )


def _bounds(law: Rotated, lowers: list[float], runs: list[Steps]) -> Panel:
    places = range(1, len(lowers) + 1)
    series = [Series("ℓ, public", places, lowers, role="theory", colour_key="idea/public")]
    if runs:
        seen = np.array([[law.seen_by(a)[0] for a in run.maps] for run in runs])
        low, middle, high = seen.min(axis=0), np.median(seen, axis=0), seen.max(axis=0)
        series.append(
            Series("smallest eigenvalue seen", places, middle, low, high, colour_key=PRECONDITIONED)
        )
    low = 10 ** (-log10(law.values[-1]) - 0.3)
    return Panel(
        "Between public bounds", "before step", "eigenvalue of A Σ Aᵀ", tuple(series),
        xscale="linear", xlim=(0.5, STEPS), ylim=(low, 3.0),
        marks=(Mark("upper bound: 1", "horizontal", y=1.0, colour_key="idea/public"),),
    )  # fmt: skip


def _caption(law: Rotated, lowers: list[float], alpha: float, runs: list[Steps], simple: list[Any]) -> str:
    steps, most = f"{len(lowers)} step{'s' * (len(lowers) > 1)}", 1 / lowers[-1]
    said = f"{steps}; before the last the spread is at most {most:.3g}, from {law.values[-1]:g}."
    if not runs:
        return said
    private, naive = (
        [law.error(value) for value in values] for values in ([run.value for run in runs], simple)
    )
    inside = [sum(error <= alpha for error in errors) for errors in (private, naive)]
    answer = sqrt(len(law.values))
    return (
        f"{said} Median error in {len(runs)} runs: preconditioned {np.median(private):.3g}, naive"
        f" {np.median(naive):.3g}; at most α = {alpha:g} in {inside[0]} and {inside[1]} of them; the answer 0"
        f" would err by {answer:.3g}."
    )
