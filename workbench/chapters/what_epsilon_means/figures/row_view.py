"""The explorer of the definition: one row of twelve is moved, and two densities follow."""

from collections.abc import Iterator

import numpy as np

from workbench.chapters.what_epsilon_means.attacks import most_advantage
from workbench.chapters.what_epsilon_means.densities import BOUND, GAUSSIAN, MEDIAN, Densities, Law, law
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.controls import Slider
from workbench.charts.parameters import brief
from workbench.study.grids import Role, stream
from workbench.study.run import Run
from workbench.types import Array

OTHERS = (-3.4, -2.6, -2.1, -1.5, -1.1, -0.7, -0.2, 0.3, 0.9, 1.6, 2.4)
STAYS = -BOUND  # the twelfth row of X
ROW = Slider(-10, 10, BOUND, log=False, label="last row", drag=True)  # of X′
REACH, BINS, POINTS = 10.5, 42, 421
ROUNDS = 5
DRAWS = {MEDIAN: 250}  # in a round; one by one
MANY, FEW = 1500, 8  # draws of a round, and in a bin that is shown
FIRST, SECOND = "idea/first", "idea/second"
KEPT, ROUNDING = 1 + 1e-4, 1e-9  # of sums over cells


def one_row_view(run: Run, *, row: float, epsilon: float, delta: float, mechanism: str) -> Iterator[Chart]:
    """Yield both densities, then more and more releases.

    Parameters
    ----------
    run
        Has the seed.
    row
        The twelfth row of the second data set.
    epsilon, delta
        Budget; δ is that of Gaussian noise alone.
    mechanism
        One of `laws.MECHANISMS`.
    """
    sets = tuple(np.array([*OTHERS, last]) for last in (STAYS, row))
    made = law(mechanism, len(sets[0]), epsilon, delta)
    picture = _Picture(made, sets[0], sets[1], epsilon, delta, mechanism)
    counts = np.zeros((2, BINS))
    yield picture.chart(counts, 0)
    noise = stream(run.seed, Role.NOISE, "what-epsilon-means-row", 0, 0)
    draws = DRAWS.get(mechanism, MANY)
    for done in range(1, ROUNDS + 1):
        counts += [np.histogram(made.draw(x, draws, noise), BINS, (-REACH, REACH))[0] for x in sets]
        yield picture.chart(counts, done * draws)


class _Picture:
    """What stays while releases are drawn."""

    def __init__(
        self, made: Law, first: Array, second: Array, epsilon: float, delta: float, mechanism: str
    ) -> None:
        self.sets, self.epsilon, self.delta, self.mechanism = (first, second), epsilon, delta, mechanism
        self.at = np.linspace(-REACH, REACH, POINTS)
        self.shown = Densities.of(made, first, second, self.at)
        scale = getattr(made, "scale", 1.0)
        reach = REACH + float(np.abs(second).max()) + 25 * scale
        self.laws = Densities.of(made, first, second, np.linspace(-reach, reach, 40_001))
        with np.errstate(divide="ignore", invalid="ignore"):
            self.loss = np.log(self.shown.second) - np.log(self.shown.first)

    def chart(self, counts: Array, draws: int) -> Chart:
        """Return the chart of so many releases about either data set."""
        return Chart(
            "one_row_view",
            f"One row of twelve moves: {self.mechanism}, ε = {brief(self.epsilon)}, δ = {brief(self.delta)}",
            (self._densities(counts, draws), self._losses(counts)),
            alt="Left, two densities of what is released, and sticks where the last row of either data set"
            " is. Right, the log of their ratio against what is released, in a band of ±ε.",
            how_to_read="Lines: exact. Markers: releases by the package. Sticks: where the last row is.",
            caption=self._caption(draws),
        )

    def _densities(self, counts: Array, draws: int) -> Panel:
        top = 1.35 * float(np.nanmax(self.shown.first))
        middles, width = _middles()
        others = Series("eleven rows that stay", OTHERS, [0.02 * top] * len(OTHERS), role="rows")
        series = [others]
        for x, curve, seen, key, name in zip(
            self.sets,
            (self.shown.first, self.shown.second),
            counts,
            (FIRST, SECOND),
            ("X", "X′"),
            strict=True,
        ):
            stick = (0.0, 0.12 * top)
            series.append(Series("", (x[-1], x[-1]), stick, role="reference", colour_key=key))
            label = f"released about {name}"
            series.append(Series("" if draws else label, self.at, curve, role="theory", colour_key=key))
            if draws:
                met = seen > 0
                series.append(Series(label, middles[met], seen[met] / draws / width, colour_key=key))
        return Panel(
            "what is released", "number", "density", tuple(series), "linear", "linear",
            xlim=(-REACH, REACH), ylim=(0.0, top),
        )  # fmt: skip

    def _losses(self, counts: Array) -> Panel:
        finite = np.isfinite(self.loss)
        ends, zero = (-REACH, REACH), (0.0, 0.0)
        low, high = (-self.epsilon,) * 2, (self.epsilon,) * 2
        series = [
            Series("from -ε to ε", ends, zero, low, high, role="reference", colour_key="idea/data"),
            Series("", self.at[finite], self.loss[finite], role="theory", colour_key="non-private"),
        ]
        enough = counts.min(axis=0) >= FEW
        if enough.any():
            middles, _ = _middles()
            first, second = counts[:, enough]
            measured, spread = np.log(second / first), 2 * np.sqrt(1 / first + 1 / second)
            ends_of = measured - spread, measured + spread
            series.append(
                Series("of releases", middles[enough], measured, *ends_of, colour_key="idea/laplace")
            )
        top = 2.6 * self.epsilon
        return Panel(
            "privacy loss", "released number", "ln of density X′ over X", tuple(series), "linear", "linear",
            xlim=ends, ylim=(-top, top),
        )  # fmt: skip

    def _caption(self, draws: int) -> str:
        finite = np.isfinite(self.loss)
        largest = float(np.abs(self.loss[finite]).max()) / self.epsilon
        excess = max(0.0, self.laws.excess(self.epsilon) - ROUNDING)
        allowed = self.delta if self.mechanism == GAUSSIAN else 0.0
        kept = excess <= allowed * KEPT
        won = 50 + 50 * min(self.laws.advantage, 1.0)
        most = 50 + 50 * most_advantage(self.epsilon, allowed)
        word = "kept" if kept else "BROKEN"
        said = (
            f"The loss reaches {largest:.3g} times ε on these axes; what lies beyond ε has an area of"
            f" {excess:.2g}, {brief(allowed)} is allowed: the promise is {word}. The best attacker"
            f" wins {won:.1f} of 100 rounds; a kept promise leaves {most:.1f} at most."
        )
        return f"{said} {draws} releases about each." if draws else said


def _middles() -> tuple[Array, float]:
    edges = np.linspace(-REACH, REACH, BINS + 1)
    return (edges[1:] + edges[:-1]) / 2, float(edges[1] - edges[0])
