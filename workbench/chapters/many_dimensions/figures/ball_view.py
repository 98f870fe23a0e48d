"""The explorer about CoinPress's ball: its public radius step by step, and where its centre was in runs."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from math import sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.chapters.many_dimensions.coinpress import (
    BETA,
    MEAN,
    MODES,
    Parts,
    mean_parts,
    rows_needed,
    shade,
    words,
)
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.words import number
from workbench.estimators.base import Trace
from workbench.estimators.coinpress import CoinPressMean
from workbench.privacy import ApproxDP
from workbench.study.grids import Role, stream
from workbench.study.run import Run
from workbench.types import Array

FREE = "as designed"  # the number of steps
WORK, OVERHEAD = 240_000, 3000  # entries of rows in a frame; what a run costs besides, in entries
ROUNDS = 3
ALT = "Radius of CoinPress's ball after every step, public, and where the centre was in simulated runs"


@dataclass
class _Ball:
    """What is known so far at one position of the controls: distances of the centres from the mean."""

    budget: ApproxDP
    alpha: float
    n: int
    d: int
    radius: float
    steps: int | None
    needed: dict[str, int] = field(default_factory=dict)
    distances: dict[str, list[list[float]]] = field(default_factory=lambda: {mode: [] for mode in MODES})

    def estimator(self, mode: Any) -> CoinPressMean:
        """Return the estimator of a mode."""
        return CoinPressMean(radius=self.radius, mode=mode, steps=self.steps, sigma=1.0)

    def simulate(self, data: Generator, noise: Generator) -> None:
        """Add runs of both modes."""
        for _ in range(max(2, min(20, WORK // (self.n * self.d + OVERHEAD)))):
            direction = data.standard_normal(self.d)
            theta = self.radius * data.random() * direction / np.linalg.norm(direction)
            x = theta + data.standard_normal((self.n, self.d))
            for mode, found in self.distances.items():
                trace = Trace()
                value: Any = self.estimator(mode)(x, budget=self.budget, rng=noise, trace=trace).value
                centres: list[Any] = [*trace.records["centre"], value]
                found.append([float(np.linalg.norm(centre - theta)) for centre in centres])

    def count(self) -> None:
        """Find the rows for the target accuracy, as predicted."""
        for mode in MODES:
            self.needed[mode] = rows_needed(partial(self.foreseen, mode), self.alpha, BETA)

    def foreseen(self, mode: str, n: int) -> Parts:
        """Return what is predicted of a mode at another n."""
        return mean_parts(self.estimator(mode), n, self.d, self.budget)

    def chart(self) -> Chart:
        """Return the picture."""
        series, said, ends = [], [], (0, 14)
        for mode in reversed(MODES):
            design, look = self.estimator(mode).design(self.n, self.d, self.budget), shade(mode)
            radii = Series("", range(len(design.radii)), design.radii, role="theory", colour_key=MEAN, **look)
            series += [
                radii,
                _spread(f"centre, {mode}", np.array(self.distances[mode]), look),
            ]
            said.append(self.sentence(mode, design.weights, design.error))
        plain = (sqrt(self.d / self.n),) * 2
        series += [
            Series("sampling", ends, plain, role="reference", colour_key="non-private"),
            Series("target α", ends, (self.alpha,) * 2, role="reference"),
        ]
        panel = Panel(
            "thin: the public radius; markers: the centre; bands: the middle 90 % of runs", "after step",
            "distance from the mean (σ)", tuple(series), "linear", xlim=(-0.3, 14.7), ylim=(3e-3, 3e4),
        )  # fmt: skip
        where = f"n = {number(self.n)}, d = {self.d}, R = {number(self.radius)} σ"
        title = f"The ball at {words(self.budget.epsilon, self.budget.delta)}, {where}"
        return Chart("ball_view", title, (panel,), alt=ALT, caption=" ".join(said))

    def sentence(self, mode: str, weights: tuple[float, ...], radius: float) -> str:
        """Return the readout of a mode: shares, the rows that α takes, runs outside the last ball."""
        shares = ", ".join(f"{100 * weight:.3g}" for weight in weights)
        words = [f"{mode}: {shares} % of the budget"]
        if mode in self.needed:
            words.append(f"α = {self.alpha:g} in 9 of 10 runs takes {self.needed[mode]:,} rows, predicted")
        if ends := [one[-1] for one in self.distances[mode]]:
            words.append(f"outside the last ball in {sum(end > radius for end in ends)} of {len(ends)} runs")
        return "; ".join(words) + "."


def ball_view(
    run: Run, *, epsilon: float, delta: float, alpha: float, n: int, d: int, radius: float, steps: object
) -> Iterator[Chart]:
    """Yield the view of the ball of CoinPress: public radii, then how far the centre was in runs.

    `steps` is their number, or the words that leave it to the design.
    """
    count = steps if isinstance(steps, int) else None
    ball = _Ball(ApproxDP(epsilon, delta), alpha, n, d, radius, count)
    yield ball.chart()
    data, noise = (stream(run.seed, role, "many-dimensions-ball", n, d) for role in (Role.DATA, Role.NOISE))
    for round_ in range(ROUNDS):
        ball.simulate(data, noise)
        yield ball.chart()
        if not round_:
            ball.count()


def _spread(label: str, found: Array, look: dict[str, Any]) -> Series:
    """Return the medians over runs, one row each, after every step, and the middle 90 %."""
    if not len(found):
        return Series(label, (), (), colour_key=MEAN, **look)
    low, middle, high = np.quantile(found, (0.05, 0.5, 0.95), axis=0, method="nearest")
    return Series(label, range(len(middle)), middle, low, high, colour_key=MEAN, **look)
