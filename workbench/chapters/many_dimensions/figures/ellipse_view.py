"""The explorer about covariances in the plane: the ellipse before any step, and its axes over all steps."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.chapters.many_dimensions.coinpress import COVARIANCE, LONG, SHORT, SHOWN, frames, words
from workbench.chapters.many_dimensions.in_the_plane import AXES, tilted
from workbench.chapters.many_dimensions.steps import authors_orientation
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.ellipses import circle, ellipse, plane
from workbench.charts.words import number
from workbench.estimators.base import Trace
from workbench.estimators.coinpress import CoinPressCovariance
from workbench.losses import mahalanobis_covariance_error
from workbench.privacy import ApproxDP
from workbench.study.grids import Role, stream
from workbench.study.run import Run
from workbench.types import Array

ALT = (
    "The ellipse of a covariance before a step, and both of its axes over all steps, predicted and simulated"
)
WORK, OVERHEAD = 60_000, 3000  # rows in a frame; what a run costs besides, in rows
ROUNDS = 3
RIGHT, WRONG = "x Aᵀ", "x A"  # on which side of the rows A stands


@dataclass
class Picture:
    """What is known so far at one position of the sliders."""

    budget: ApproxDP
    n: int
    condition: float
    step: int
    mode: Any
    side: str
    runs: list[list[Array]] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    rows: Array | None = None

    @property
    def estimator(self) -> CoinPressCovariance:
        """The estimator; on the wrong side with the constants of the authors' program."""
        calibration: Any = "tight" if self.side == RIGHT else "paper"
        return CoinPressCovariance(
            upper=self.condition, centred=True, mode=self.mode, calibration=calibration, lower=1.0
        )

    @property
    def lower(self) -> tuple[float, ...]:
        """The public bounds ℓ before the steps."""
        return self.estimator.design(self.n, 2, self.budget).lower

    @property
    def shown(self) -> int:
        """The position of the step in the picture; the last if there are not so many."""
        return min(self.step, len(self.lower)) - 1

    def simulate(self, data: Generator, noise: Generator) -> None:
        """Add runs."""
        sigma = tilted(self.condition)
        root = np.linalg.cholesky(sigma)
        for _ in range(max(1, min(8, WORK // (self.n + OVERHEAD)))):
            x, trace = data.standard_normal((self.n, 2)) @ root.T, Trace()
            value = self.released(x, noise, trace)
            maps: list[Any] = trace.records["preconditioner"]
            self.runs.append([a @ sigma @ a.T for a in maps])
            self.errors.append(mahalanobis_covariance_error(value, sigma))
            if self.rows is None:
                self.rows = x[:SHOWN] @ maps[self.shown].T

    def released(self, x: Array, noise: Generator, trace: Trace) -> Any:
        """Run the estimator, or what it becomes with rows on the wrong side."""
        if self.side == RIGHT:
            return self.estimator(x, budget=self.budget, rng=noise, trace=trace).value
        return authors_orientation(self.estimator, x, self.budget, noise, trace)

    def chart(self) -> Chart:
        """Return the picture."""
        budget = words(self.budget.epsilon, self.budget.delta)
        here = f"Condition number {number(self.condition)}, n = {number(self.n)}"
        title = f"{here}, {budget}, {self.mode}, {self.side}"
        return Chart("ellipse_view", title, (self._plane(), self._axes()), alt=ALT, caption=self.sentence())

    def _plane(self) -> Panel:
        expected = self._expected()[self.shown]
        turned = tilted(float(expected.max() / expected.min())) * expected.min()
        series = [
            circle("public bounds", 1.0, colour_key="idea/public"),
            circle("", sqrt(self.lower[self.shown]), colour_key="idea/public"),
            *(ellipse("", one[self.shown], role="release", colour_key=COVARIANCE) for one in self.runs[:8]),
            ellipse("predicted", turned, role="theory", colour_key=COVARIANCE),
        ]
        if self.rows is not None:
            x, y = self.rows.T
            series.append(Series("", x, y, role="rows", colour_key="idea/data"))
        last = ", the last" if self.shown == len(self.lower) - 1 else ""
        return plane(f"A Σ Aᵀ before step {self.shown + 1}{last}", series, reach=1.5, names=AXES)

    def _axes(self) -> Panel:
        places = range(1, len(self.lower) + 1)
        expected = self._expected()
        ends = np.array([[np.linalg.eigvalsh(m)[[0, -1]] for m in one] for one in self.runs])
        series = [
            Series(
                "", places, [one.max() for one in expected], role="theory", colour_key=COVARIANCE, rank=LONG
            ),
            Series(
                "", places, [one.min() for one in expected], role="theory", colour_key=COVARIANCE, rank=SHORT
            ),
            Series("public bounds", places, self.lower, role="reference", colour_key="idea/public"),
            Series("", places, [1.0] * len(places), role="reference", colour_key="idea/public"),
            self._measured("longest axis", ends, 1, LONG),
            self._measured("shortest axis", ends, 0, SHORT),
        ]
        return Panel("squared axes, all steps", "before step", "eigenvalue", tuple(series), "linear",
                     xlim=(0, 15), ylim=(0.3 / self.condition, 20))  # fmt: skip

    def _measured(self, label: str, ends: Array, which: int, rank: float) -> Series:
        if not len(ends):
            return Series(label, (), (), colour_key=COVARIANCE, rank=rank)
        values = ends[:, :, which]
        xs: Sequence[int] = range(1, values.shape[1] + 1)
        low, middle, high = values.min(axis=0), np.median(values, axis=0), values.max(axis=0)
        return Series(label, xs, middle, low, high, colour_key=COVARIANCE, rank=rank)

    def _expected(self) -> list[Array]:
        return frames(self.estimator, (1.0, self.condition), self.n, self.budget)

    def sentence(self) -> str:
        """Return the readout: steps and error beside that of the sample covariance."""
        plain = sqrt(6 / self.n)
        said = f"{len(self.lower)} steps; sampling alone errs by {plain:.3g} in the norm of Σ"
        if not self.errors:
            return f"{said}. Predicted."
        found = sqrt(float(np.mean(np.square(self.errors))))
        return f"{said}, the private estimate by {found:.3g} in {len(self.errors)} runs (root mean squares)."


def ellipse_view(
    run: Run, *, epsilon: float, delta: float, n: int, condition: float, step: int, mode: str, side: str
) -> Iterator[Chart]:
    """Yield the view of a covariance in the plane: predicted axes, then more and more runs."""
    picture = Picture(ApproxDP(epsilon, delta), n, condition, step, mode, side)
    yield picture.chart()
    data, noise = (stream(run.seed, role, "ellipse-view", n, 0) for role in (Role.DATA, Role.NOISE))
    for _ in range(ROUNDS):
        picture.simulate(data, noise)
        yield picture.chart()
