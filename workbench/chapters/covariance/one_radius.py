"""One clipping radius loses the short axis of an ellipse; preconditioning makes it round, step by step.

M21/HT Algorithms 1 to 3 in the plane. The pictures show single runs: releases as ellipses, and the covariance
as each step sees it between its public bounds.
"""

from collections.abc import Callable
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.curves import circle, ellipse, plane
from workbench.charts.style import number
from workbench.errors import ArgumentError
from workbench.estimators.base import Abstention, Trace
from workbench.estimators.heavy_tailed import HeavyTailedCovariance, HeavyTailedNaiveCovariance
from workbench.linalg import second_moment
from workbench.populations.laws import student_hypercontractivity
from workbench.populations.rotated import Rotated, rotated
from workbench.privacy import ZCDP
from workbench.study.grids import Role, stream
from workbench.study.run import Run
from workbench.types import Array

# What the topics on covariances share: distributions in the plane, errors in units of Σ, one run.


NAIVE, PRECONDITIONED, PLAIN = "covariance/heavy-tailed-naive", "covariance/heavy-tailed", "non-private"
DEGREES, MOMENTS, TILT = 10.0, 3, 0.5


def error_of(law: Rotated, estimate: object) -> float:
    """Return |S - Σ|_Σ, infinite for no answer."""
    return inf if isinstance(estimate, Abstention) else law.error(np.asarray(estimate))


def geometric(d: int, condition: float) -> Array:
    return np.geomspace(1.0, condition, d)


def without_privacy(rows: Array) -> Array:
    return second_moment(rows)


def tilted(upper: float, degrees: float = inf) -> Rotated:
    cos, sin = np.cos(TILT), np.sin(TILT)
    return Rotated(np.array([[-sin, cos], [cos, sin]]), np.array([1.0, upper]), degrees=degrees)


def pair(upper: float) -> tuple[HeavyTailedNaiveCovariance, HeavyTailedCovariance]:
    known: dict[str, Any] = {
        "upper": upper,
        "lower": 1.0,
        "centred": True,
        "moments": MOMENTS,
        "hypercontractivity": student_hypercontractivity(DEGREES, MOMENTS),
    }
    return HeavyTailedNaiveCovariance(**known), HeavyTailedCovariance(**known)


def estimate_zero(d: int, x: float | None = None) -> Mark:
    return Mark("above: worse than the estimate 0", "horizontal", x=x, y=d**0.5)


N, STEPS_N, RHO, UPPER = 1000, 4000, 0.1, 100.0
DRAWN, SHOWN = 6, 300  # releases, rows in the pictures
ROUND, COUNTS = 0.5, ("One panel", "Two panels", "Three panels", "Four panels")  # ℓ of a round ellipse
TOLD = 0.3  # the least ℓ that is written inside its circle


def one_radius(run: Run, *, rho: float = RHO, n: int = N, upper: float = UPPER) -> Chart:
    """Return releases on one set of rows, naive and preconditioned, as ellipses."""
    law = tilted(upper, DEGREES)
    data, noise = (stream(run.seed, role, "covariance-one-radius", 0, 0) for role in (Role.DATA, Role.NOISE))
    x = law.sample(n, rng=data)
    naive, preconditioned = pair(upper)
    radius, panels = naive.cut_radius(n, 2, ZCDP(rho)), list[Panel]()
    for title, key, estimator in (
        ("One clipping radius", NAIVE, naive),
        ("After preconditioning", PRECONDITIONED, preconditioned),
    ):
        said = f"n = {number(n)}, ρ = {number(rho)}; rows are clipped at {number(radius, 2)}." * (not panels)
        released: list[Any] = [estimator(x, budget=ZCDP(rho), rng=noise).value for _ in range(DRAWN)]
        panels.append(_released(title, key, law, x, released, said))
    return Chart(
        "one_radius",
        "One radius loses the short axis in noise; preconditioning recovers it",
        tuple(panels),
        alt="A long tilted ellipse among rows. Left, releases with one clipping radius agree along the"
        " long axis and are far too fat or flat across it. Right, preconditioned releases lie on the"
        " ellipse in both directions.",
        how_to_read="Black: Σ, one standard deviation in every direction. Coloured: six releases, on the same"
        " rows and with the same privacy. One radius adds noise of one size in all directions: little for the"
        " long axis, more than the short one is long.",
    )


def _released(title: str, key: str, law: Rotated, x: Array, released: list[Any], note: str) -> Panel:
    long = sqrt(law.values[-1])
    first, second = x[:SHOWN].T
    rows = Series("", first, second, role="rows", colour_key="idea/data")
    lines = [ellipse("", value, role="release", colour_key=key) for value in released]
    error = number(float(np.median([law.error(value) for value in released])), 2)
    marks = (
        Mark(f"median error {error}", x=-0.52 * long, y=0.78 * long, colour_key=key),
        Mark("black: the truth Σ", x=0.55 * long, y=-0.45 * long, colour_key=PLAIN),
    )
    truth = ellipse("", law.covariance, role="truth")
    return plane(title, (rows, *lines, truth), reach=0.95 * long, note=note, marks=marks)


def step_by_step(run: Run, *, rho: float = RHO, n: int = STEPS_N, upper: float = UPPER) -> Chart:
    """Return the ellipse of A Σ Aᵀ between its public bounds (before the first steps and before the last)."""
    law = tilted(upper, DEGREES)
    data, noise = (
        stream(run.seed, role, "covariance-step-by-step", 0, 0) for role in (Role.DATA, Role.NOISE)
    )
    trace = Trace()
    pair(upper)[1](law.sample(n, rng=data), budget=ZCDP(rho), rng=noise, trace=trace)
    maps: list[Any] = trace.records["preconditioner"]
    lowers: list[Any] = trace.records["lower"]
    last = len(maps) - 1
    shown = sorted({0, 1, 2, last} & {*range(last + 1)})
    panels = [_frame(law, maps[place], lowers[place], place, last) for place in shown]
    title, end = "Every step widens the public inner circle", ""
    if not last:
        title = "No step before the last one would help"
    elif lowers[-1] >= ROUND:
        title, end = f"{title}, until the ellipse is round", ", until the ellipse is nearly a circle"
    return Chart(
        "step_by_step",
        title,
        tuple(panels),
        alt=f"{COUNTS[len(panels) - 1]}: the covariance as the next step sees it, an ellipse between an outer"
        f" circle of radius 1 and an inner circle{' that grows from step to step' * (last > 0)}{end}.",
        how_to_read="Each panel shows the covariance of Ax, between two circles that anyone may know: radius"
        " 1 outside, √ℓ inside. A step stretches the directions that look short; by how much the inner"
        " circle grows is computed before any row is read.",
    )


def _frame(law: Rotated, a: Array, lower: float, place: int, last: int) -> Panel:
    seen = a @ law.covariance @ a.T
    title = f"Before step {place + 1}" if place < last else f"Before step {place + 1} (last)"
    lines = (
        ellipse("", seen, role="truth"),
        circle("", 1.0, colour_key="idea/public"),
        circle("", sqrt(lower), colour_key="idea/public"),
    )
    inside = 0.0 if lower > TOLD else -0.72
    marks = [Mark(f"ℓ = {number(lower, 2)}", x=0.0, y=inside, colour_key="idea/public")]
    if not place:
        marks.append(Mark("AΣAᵀ", x=-0.33, y=0.45))
    names = ("first coordinate of Ax", "second coordinate of Ax")
    return plane(title, lines, reach=1.12, names=names, marks=marks)


# The worlds that an exercise of notebook 04 hides: a reader's covariance is run on laws that only they know.
#
# A world is a normal law in the plane with eigenvalues 1 and u, its axes turned at random. The reader's
# function sees rows, ρ and a generator; what it returns is measured in the norm of Σ, beside the package's
# naive and preconditioned estimators on the same rows.


WORLDS, ROWS, EXERCISE_RHO, EXERCISE_UPPER, WITHIN = 12, 5000, 0.5, 900.0, 0.2
Mine = Callable[[Array, float, np.random.Generator], Any]


class Judged(NamedTuple):
    mine: Array
    naive: Array
    preconditioned: Array

    @property
    def good(self) -> int:
        return int((self.mine <= WITHIN).sum())

    def __str__(self) -> str:
        yours, naive, known = (float(np.median(one)) for one in (self.mine, self.naive, self.preconditioned))
        return (
            f"median error {yours:.2g}, at most {WITHIN} in {self.good} of {len(self.mine)} worlds;"
            f" the package's naive {naive:.2g}, preconditioned {known:.2g}"
        )


def judge(mine: Mine, *, seed: int = 17) -> Judged:
    """Run `mine(x, rho, rng)` in every world and return its errors beside the package's.

    It is told what the package is told: n = 5000 rows of mean 0, ρ = 0.5, I ≤ Σ ≤ 900 I.
    """
    return Judged(*np.array([_world(mine, seed, place) for place in range(WORLDS)]).T)


def _world(mine: Mine, seed: int, place: int) -> tuple[float, float, float]:
    data, yours, noise = (
        stream(seed, role, "covariance-exercise", place, block)
        for role, block in ((Role.DATA, 0), (Role.NOISE, 0), (Role.NOISE, 1))
    )
    law = rotated([1.0, EXERCISE_UPPER], data)
    x = law.sample(ROWS, rng=data)
    naive, preconditioned = pair(EXERCISE_UPPER)
    found = np.asarray(mine(x.copy(), EXERCISE_RHO, yours), np.float64)
    if found.shape != (2, 2):
        raise ArgumentError("mine", f"an array of shape {found.shape}", "a function that returns 2 by 2")
    values: list[Any] = [
        one(x, budget=ZCDP(EXERCISE_RHO), rng=noise).value for one in (naive, preconditioned)
    ]
    first, second, third = (law.error(one) for one in (found, *values))
    return first, second, third
