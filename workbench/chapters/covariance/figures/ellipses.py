"""Ellipses: what one clipping radius does to a long one, and how preconditioning makes it round."""

from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np

from workbench.chapters.covariance.figures.heavy import NAIVE, PLAIN, PRECONDITIONED
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.ellipses import circle, ellipse, plane
from workbench.estimators.base import Trace
from workbench.estimators.covariance.heavy_tailed import HeavyTailedCovariance
from workbench.estimators.covariance.heavy_tailed_naive import HeavyTailedNaiveCovariance
from workbench.populations.heavy_tailed import student_hypercontractivity
from workbench.populations.rotated import Rotated
from workbench.privacy import ZCDP
from workbench.study.run import Run
from workbench.study.sweeps.streams import Role, stream
from workbench.types import Array

N, STEPS_N, RHO, UPPER, DEGREES, MOMENTS, TILT = 1000, 4000, 0.1, 100.0, 10.0, 3, 0.5
DRAWN, SHOWN = 6, 300  # releases, rows in the pictures


def tilted(upper: float, degrees: float = inf) -> Rotated:
    """Return a law in the plane with eigenvalues 1 and `upper`, its long axis tilted."""
    cos, sin = np.cos(TILT), np.sin(TILT)
    return Rotated(np.array([[-sin, cos], [cos, sin]]), np.array([1.0, upper]), degrees=degrees)


def pair(upper: float) -> tuple[HeavyTailedNaiveCovariance, HeavyTailedCovariance]:
    """Return the naive and the preconditioned estimator that know the bound."""
    known: dict[str, Any] = {
        "upper": upper,
        "centred": True,
        "moments": MOMENTS,
        "hypercontractivity": student_hypercontractivity(DEGREES, MOMENTS),
    }
    return HeavyTailedNaiveCovariance(**known), HeavyTailedCovariance(**known)


def one_radius(run: Run, *, rho: float = RHO, n: int = N, upper: float = UPPER) -> Chart:
    """Return releases of the naive and of the preconditioned covariance as ellipses, on one set of rows."""
    law = tilted(upper, DEGREES)
    data, noise = (stream(run.seed, role, "covariance-one-radius", 0, 0) for role in (Role.DATA, Role.NOISE))
    x = law.sample(n, rng=data)
    naive, preconditioned = pair(upper)
    radius = naive.cut_radius(n, 2, ZCDP(rho))
    panels = []
    for title, key, estimator in (
        ("one radius", NAIVE, naive),
        ("preconditioned", PRECONDITIONED, preconditioned),
    ):
        released: list[Any] = [estimator(x, budget=ZCDP(rho), rng=noise).value for _ in range(DRAWN)]
        lines = [
            ellipse(
                "released with one radius" if not i and key == NAIVE else "",
                value,
                role="theory",
                colour_key=key,
            )
            for i, value in enumerate(released)
        ]
        if key != NAIVE:
            lines[0] = ellipse("released after preconditioning", released[0], role="theory", colour_key=key)
        first, second = x[:SHOWN].T
        rows = Series("rows", first, second, role="rows")
        truth = ellipse("Σ", law.covariance, colour_key=PLAIN)
        reach, note = 0.9 * sqrt(upper), f"n = {n}, ρ = {rho:g}"
        panels.append(plane(title, (rows, *lines, truth), reach=reach, note=note))
    return Chart(
        "one_radius",
        f"The same rows, the same privacy: {DRAWN} releases each",
        tuple(panels),
        alt="A long tilted ellipse among rows. Left, releases with one clipping radius agree along the"
        " long axis and are far too fat or flat across it. Right, preconditioned releases lie on the"
        " ellipse in both directions.",
        how_to_read="The black ellipse is the covariance, one standard deviation in every direction; each"
        f" dashed one is a release. With one radius (here {radius:.0f}, for a long axis of"
        f" {sqrt(upper):.0f}) noise of one size is added in all directions: little for the long"
        " axis, more than the short one is long. After preconditioning noise is added where the"
        " ellipse is round, so that every axis gets its own share.",
    )


@dataclass(frozen=True)
class Steps:
    """What happened in one run: the maps A of every step and the public bounds ℓ."""

    maps: tuple[Array, ...]
    lowers: tuple[float, ...]
    value: Array


def followed(estimator: HeavyTailedCovariance, x: Array, noise: np.random.Generator, rho: float) -> Steps:
    """Run the preconditioned estimator and keep its frames."""
    trace = Trace()
    value: Any = estimator(x, budget=ZCDP(rho), rng=noise, trace=trace).value
    maps: Any = trace.records["preconditioner"]
    lowers: Any = trace.records["lower"]
    return Steps(tuple(maps), tuple(lowers), value)


def step_by_step(run: Run, *, rho: float = RHO, n: int = STEPS_N, upper: float = UPPER) -> Chart:
    """Return the ellipse of A Σ Aᵀ before the first steps and before the last, between its public bounds."""
    law = tilted(upper, DEGREES)
    data, noise = (
        stream(run.seed, role, "covariance-step-by-step", 0, 0) for role in (Role.DATA, Role.NOISE)
    )
    steps = followed(pair(upper)[1], law.sample(n, rng=data), noise, rho)
    last = len(steps.maps) - 1
    shown = sorted({0, 1, 2, last})
    panels = [_frame(law, steps, place, last) for place in shown]
    return Chart(
        "step_by_step",
        f"Preconditioning makes the ellipse round (n = {n}, ρ = {rho:g})",
        tuple(panels),
        alt="Four panels: the covariance as the next step sees it, an ellipse between an outer circle of"
        " radius 1 and an inner circle that grows from step to step, until the ellipse is nearly a"
        " circle.",
        how_to_read="Every panel shows the rows as the next step sees them, x ↦ Ax, in units of the public"
        " bound. The ellipse of A Σ Aᵀ lies between two circles that anyone may know: I above"
        " (radius 1) and ℓI below (radius √ℓ). A step stretches the directions that look short"
        " and leaves I an upper bound: the inner circle grows, by a number that is computed"
        " before any row is read. All steps see the same rows here, and the margin is a quarter of the"
        " proved one: the circles hold in practice, and in mode proved with certainty 1 - β.",
    )


def _frame(law: Rotated, steps: Steps, place: int, last: int) -> Panel:
    a, lower = steps.maps[place], steps.lowers[place]
    seen = a @ law.covariance @ a.T
    title = f"before step {place + 1}" if place < last else f"before the last step, {place + 1}"
    lines = (
        ellipse("A Σ Aᵀ", seen, colour_key=PRECONDITIONED),
        circle("upper bound: I", 1.0, colour_key=PLAIN),
        circle("lower bound: ℓI", sqrt(lower), role="theory", colour_key="0"),
    )
    return plane(title, lines, reach=1.15, note=f"ℓ = {lower:.3g}, public", panels=4)
