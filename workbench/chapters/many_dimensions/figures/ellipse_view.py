"""The explorer about covariances in the plane: the ellipse before any step, and its axes over all steps."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.chapters.many_dimensions.figures.costs import COVARIANCE
from workbench.chapters.many_dimensions.figures.means import DELTA
from workbench.chapters.many_dimensions.figures.shapes import ROWS_SHOWN, SHOWN, tilted
from workbench.chapters.many_dimensions.runs.theory import frames
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.ellipses import circle, ellipse, plane
from workbench.estimators.base import Trace
from workbench.estimators.covariance.coinpress import CoinPressCovariance
from workbench.losses import mahalanobis_covariance_error
from workbench.privacy import ApproxDP
from workbench.study.sweeps.streams import Role, stream
from workbench.types import Array

ALT = (
    "The ellipse of a covariance before a step, and both of its axes over all steps, predicted and simulated"
)
WORK, OVERHEAD = 60_000, 3000  # rows in a frame; what a run costs besides, in rows
ROUNDS = 3


@dataclass
class Picture:
    """What is known so far at one position of the sliders."""

    epsilon: float
    n: int
    condition: float
    step: int
    runs: list[list[Array]] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    rows: Array | None = None

    @property
    def budget(self) -> ApproxDP:
        """The budget of a run."""
        return ApproxDP(self.epsilon, DELTA)

    @property
    def estimator(self) -> CoinPressCovariance:
        """The estimator, mode "practical"."""
        return CoinPressCovariance(upper=self.condition, centred=True)

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
            value: Any = self.estimator(x, budget=self.budget, rng=noise, trace=trace).value
            maps: list[Any] = trace.records["preconditioner"]
            self.runs.append([a @ sigma @ a.T for a in maps])
            self.errors.append(mahalanobis_covariance_error(value, sigma))
            if self.rows is None:
                self.rows = x[:SHOWN] @ maps[self.shown].T

    def chart(self) -> Chart:
        """Return the picture."""
        title = f"Condition number {self.condition:g}, n = {self.n}, ε = {self.epsilon:g}, step {self.step}"
        return Chart("ellipse_view", title, (self._plane(), self._axes()), alt=ALT, caption=self.sentence())

    def _plane(self) -> Panel:
        expected = self._expected()[self.shown]
        turned = tilted(float(expected.max() / expected.min())) * expected.min()
        series = [
            circle("public bounds, 1 and √ℓ", 1.0),
            circle("", sqrt(self.lower[self.shown])),
            *(ellipse("", one[self.shown], colour_key=COVARIANCE) for one in self.runs[:8]),
            ellipse("predicted", turned, role="theory", colour_key=COVARIANCE),
        ]
        if self.rows is not None:
            x, y = self.rows.T
            series.append(Series(ROWS_SHOWN, x, y, role="rows", colour_key="5"))
        last = ", the last" if self.shown == len(self.lower) - 1 else ""
        return plane(f"A Σ Aᵀ before step {self.shown + 1}{last}", series, reach=1.5, names=("", ""))

    def _axes(self) -> Panel:
        places = range(1, len(self.lower) + 1)
        expected = self._expected()
        ends = np.array([[np.linalg.eigvalsh(m)[[0, -1]] for m in one] for one in self.runs])
        series = [
            Series("", places, [one.max() for one in expected], role="theory", colour_key=COVARIANCE),
            Series("", places, [one.min() for one in expected], role="theory", colour_key=COVARIANCE),
            Series("", places, self.lower, role="reference"),
            Series("", places, [1.0] * len(places), role="reference"),
            self._measured("longest axis", ends, 1, COVARIANCE),
            self._measured("shortest axis", ends, 0, f"{COVARIANCE}:short"),
        ]
        return Panel("squared axes, all steps", "before step", "eigenvalue", tuple(series), "linear",
                     xlim=(0, 15), ylim=(0.3 / self.condition, 20))  # fmt: skip

    def _measured(self, label: str, ends: Array, which: int, look: str) -> Series:
        if not len(ends):
            return Series(label, (), (), colour_key=look)
        values = ends[:, :, which]
        xs: Sequence[int] = range(1, values.shape[1] + 1)
        return Series(
            label, xs, np.median(values, axis=0), values.min(axis=0), values.max(axis=0), colour_key=look
        )

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


def ellipse_view(seed: int) -> Callable[..., Iterator[Chart]]:
    """Return the view of `explore` for a seed: predicted axes, then more and more runs."""

    def view(epsilon: float, n: int, condition: float, step: int) -> Iterator[Chart]:
        picture = Picture(epsilon, n, condition, step)
        yield picture.chart()
        data, noise = (stream(seed, role, "ellipse-view", n, 0) for role in (Role.DATA, Role.NOISE))
        for _ in range(ROUNDS):
            picture.simulate(data, noise)
            yield picture.chart()

    return view
