"""One clipping radius loses the short axis of an ellipse; preconditioning makes it round, step by step.

M21/HT Algorithms 1 to 3 in the plane. The pictures show single runs: releases as ellipses, and the covariance
as each step sees it between its public bounds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.charts.curves import Chart, Mark, Panel, circle, ellipse, number, plane, styled, text_at
from workbench.errors import ArgumentError
from workbench.estimators.base import Abstention, Trace
from workbench.estimators.heavy_tailed import HeavyTailedCovariance, HeavyTailedNaiveCovariance
from workbench.populations.laws import student_hypercontractivity
from workbench.populations.rotated import Rotated, rotated
from workbench.privacy import ZCDP
from workbench.study.sweeps import Role, Run, stream, streams, value_of
from workbench.types import Array

# What the topics on covariances share: distributions in the plane, errors in units of Σ, one run.


NAIVE, PRECONDITIONED = "covariance/heavy-tailed-naive", "covariance/heavy-tailed"
DEGREES, MOMENTS, TILT = 10.0, 3, 0.5


def error_of(law: Rotated, estimate: object) -> float:
    """Return |S - Σ|_Σ, infinite for no answer."""
    return inf if isinstance(estimate, Abstention) else law.error(np.asarray(estimate))


def geometric(d: int, condition: float) -> Array:
    return np.geomspace(1.0, condition, d)


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
    return Mark("above: worse than the estimate 0", "horizontal", x, d**0.5)


N, RHO, UPPER = 1000, 0.1, 100.0
DRAWN, SHOWN = 6, 300  # releases, rows in the pictures
ROUND, COUNTS = 0.5, ("One panel", "Two panels", "Three panels", "Four panels")  # ℓ of a round ellipse
TOLD = 0.3  # the least ℓ that is written inside its circle


def _rows(name: str, seed: int, n: int, upper: float) -> tuple[Rotated, Generator, Array]:
    data, noise = streams(seed, name)
    law = tilted(upper, DEGREES)
    return law, noise, law.sample(n, rng=data)


def one_radius(run: Run, *, rho: float = RHO, n: int = N, upper: float = UPPER) -> Chart:
    """Return releases on one set of rows, naive and preconditioned, as ellipses."""
    law, noise, x = _rows("covariance-one-radius", run.seed, n, upper)
    naive, preconditioned = pair(upper)
    clip, long, panels = naive.cut_radius(n, 2, ZCDP(rho)), sqrt(law.values[-1]), list[Panel]()
    first, second = x[:SHOWN].T
    rows = styled("rows", "", first, second, "idea/data")
    truth = ellipse("", law.covariance, role="truth")
    for title, key, estimator in (
        ("One clipping radius", NAIVE, naive),
        ("After preconditioning", PRECONDITIONED, preconditioned),
    ):
        released: list[Any] = [value_of(estimator, x, ZCDP(rho), noise) for _ in range(DRAWN)]
        lines = [ellipse("", value, role="release", colour_key=key) for value in released]
        error = number(float(np.median([law.error(value) for value in released])), 2)
        marks = (
            text_at(f"median error {error}", -0.52 * long, 0.78 * long, key),
            text_at("black: the truth Σ", 0.55 * long, -0.45 * long, "non-private"),
        )
        note = f"n = {number(n)}, ρ = {number(rho)}; rows are clipped at {number(clip, 2)}." * (not panels)
        panels.append(plane(title, (rows, *lines, truth), reach=0.95 * long, note=note, marks=marks))
    return Chart(
        "one_radius",
        "One radius loses the short axis in noise; preconditioning recovers it",
        panels,
        alt="A long tilted ellipse among rows. Left, releases with one clipping radius agree along the"
        " long axis and are far too fat or flat across it. Right, preconditioned releases lie on the"
        " ellipse in both directions.",
        how_to_read="Black: Σ, one standard deviation in every direction. Coloured: six releases, on the same"
        " rows and with the same privacy. One radius adds noise of one size in all directions: little for the"
        " long axis, more than the short one is long.",
    )


def step_by_step(run: Run, *, rho: float = RHO, n: int = 4000, upper: float = UPPER) -> Chart:
    """Return the ellipse of A Σ Aᵀ between its public bounds (before the first steps and before the last)."""
    (law, noise, x), trace = _rows("covariance-step-by-step", run.seed, n, upper), Trace()
    pair(upper)[1](x, budget=ZCDP(rho), rng=noise, trace=trace)
    maps: list[Any] = trace.records["preconditioner"]
    lowers: list[Any] = trace.records["lower"]
    last, panels = len(maps) - 1, []
    for place in sorted({0, 1, 2, last} & {*range(last + 1)}):
        a, lower = maps[place], lowers[place]
        lines = (
            ellipse("", a @ law.covariance @ a.T, role="truth"),
            *(circle("", size, colour_key="idea/public") for size in (1.0, sqrt(lower))),
        )
        marks = [text_at(f"ℓ = {number(lower, 2)}", 0.0, 0.0 if lower > TOLD else -0.72, "idea/public")]
        if not place:
            marks.append(text_at("AΣAᵀ", -0.33, 0.45))
        head = f"Before step {place + 1}{' (last)' * (place == last)}"
        names = ("first coordinate of Ax", "second coordinate of Ax")
        panels.append(plane(head, lines, reach=1.12, names=names, marks=marks))
    title, end = "Every step widens the public inner circle", ""
    if not last:
        title = "No step before the last one would help"
    elif lowers[-1] >= ROUND:
        title, end = f"{title}, until the ellipse is round", ", until the ellipse is nearly a circle"
    return Chart(
        "step_by_step",
        title,
        panels,
        alt=f"{COUNTS[len(panels) - 1]}: the covariance as the next step sees it, an ellipse between an outer"
        f" circle of radius 1 and an inner circle{' that grows from step to step' * (last > 0)}{end}.",
        how_to_read="Each panel shows the covariance of Ax, between two circles that anyone may know: radius"
        " 1 outside, √ℓ inside. A step stretches the directions that look short; by how much the inner"
        " circle grows is computed before any row is read.",
    )


# The worlds that an exercise of notebook 04 hides: a reader's covariance is run on laws that only they know.
#
# A world is a normal law in the plane with eigenvalues 1 and u, its axes turned at random. The reader's
# function sees rows, ρ and a generator; what it returns is measured in the norm of Σ, beside the package's
# naive and preconditioned estimators on the same rows.


ROWS, EXERCISE_RHO, EXERCISE_UPPER, WITHIN = 5000, 0.5, 900.0, 0.2


@dataclass(frozen=True)
class Judged:
    """The errors in every world: of the reader's function, and of the package's two estimators."""

    mine: Array
    naive: Array
    preconditioned: Array

    @property
    def good(self) -> int:
        return int((self.mine <= WITHIN).sum())

    def __str__(self) -> str:
        yours, naive, known = map(np.median, (self.mine, self.naive, self.preconditioned))
        return (
            f"median error {yours:.2g}, at most {WITHIN} in {self.good} of {len(self.mine)} worlds;"
            f" the package's naive {naive:.2g}, preconditioned {known:.2g}"
        )


def judge(mine: Callable[[Array, float, Generator], Any], *, seed: int = 17) -> Judged:
    """Run `mine(x, rho, rng)` in every world and return its errors beside the package's.

    It is told what the package is told: n = 5000 rows of mean 0, ρ = 0.5, I ≤ Σ ≤ 900 I.
    """
    errors = []
    for world in range(12):
        data, yours = streams(seed, "covariance-exercise", world)
        noise = stream(seed, Role.NOISE, "covariance-exercise", world, 1)
        law = rotated([1.0, EXERCISE_UPPER], data)
        x = law.sample(ROWS, rng=data)
        found = np.asarray(mine(x.copy(), EXERCISE_RHO, yours), np.float64)
        if found.shape != (2, 2):
            raise ArgumentError("mine", f"an array of shape {found.shape}", "a function that returns 2 by 2")
        ours = (value_of(one, x, ZCDP(EXERCISE_RHO), noise) for one in pair(EXERCISE_UPPER))
        errors.append([law.error(np.asarray(one)) for one in (found, *ours)])
    return Judged(*np.array(errors).T)
