"""The explorer about means in d dimensions: all methods against d, predicted and simulated."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.random import Generator

from workbench.chapters.many_dimensions.box_and_ball import (
    BOX,
    DIMENSION,
    METHODS,
    distances,
    estimators,
    look,
    predicted,
)
from workbench.chapters.many_dimensions.coinpress import words
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.words import number
from workbench.privacy import ApproxDP
from workbench.study.grids import Role, stream
from workbench.study.run import Run

GRID, SIMULATED = (1, 2, 4, 8, 16, 32, 64), (2, 8, 32)
SPOKEN = 3  # the place in GRID of the caption
WORK, OVERHEAD = 60_000, 3000  # entries of rows in a frame; what a run costs besides, in entries
ROUNDS = 3
CHEAP, LATER = (BOX, "mean/clipped-heavy", "mean/coinpress"), "mean/coinpress:proved"
DEAR, PARTS = "mean/coordinatewise", (4, 7)  # predicted at so many d between two rounds
ALT = "Errors of five private means against the dimension, predicted and simulated"
Errors = dict[tuple[str, int], list[float]]


@dataclass(frozen=True)
class _Position:
    """Where the controls stand."""

    budget: ApproxDP
    alpha: float
    n: int
    half_width: float

    def line(self, method: str, grid: Sequence[int] = GRID) -> Series:
        """Return the predicted median errors of a method."""
        parts = (
            predicted(method, estimators(d, self.half_width)[method], self.n, d, self.budget) for d in grid
        )
        return Series("", grid, [one.quantile(0.5) for one in parts], role="theory", **look(method))

    def simulate(self, errors: Errors, d: int, data: Generator, noise: Generator) -> None:
        """Add runs of all methods at one dimension."""
        methods = estimators(d, self.half_width)
        for _ in range(max(1, min(10, WORK // (self.n * d + OVERHEAD * d)))):
            theta = data.uniform(-self.half_width, self.half_width, d)
            x = theta + data.standard_normal((self.n, d))
            found = distances(methods, x, theta, self.budget, noise)
            for method in methods:
                errors.setdefault((method, d), []).append(float(found[method]))

    def chart(self, lines: Mapping[str, Series], errors: Errors) -> Chart:
        """Return the picture."""
        plain, blind = (
            [size * sqrt(d) for d in GRID] for size in (1 / sqrt(self.n), self.half_width / sqrt(3))
        )
        series = [
            Series("naming the centre", GRID, blind, role="reference"),
            Series("sample mean", GRID, plain, role="reference", colour_key="non-private"),
            Series("target α", (GRID[0], GRID[-1]), (self.alpha,) * 2, role="reference"),
            *lines.values(),
            *(_points(method, errors) for method in METHODS),
        ]  # fmt: skip
        panel = Panel("", DIMENSION, "median error (σ)", tuple(series), xlim=(0.9, 72), ylim=(3e-3, 3e3))
        budget = words(self.budget.epsilon, self.budget.delta)
        title = f"{budget}, n = {number(self.n)}, every coordinate in ±{number(self.half_width)} σ"
        return Chart("means_view", title, (panel,), alt=ALT, caption=self.caption(lines, errors))

    def caption(self, lines: Mapping[str, Series], errors: Errors) -> str:
        """Return the readout: predicted errors at one dimension, and how far each method keeps to α."""
        plain, runs = sqrt(GRID[SPOKEN] / self.n), len(errors.get((BOX, SIMULATED[-1]), ()))
        said = ", ".join(f"{METHODS[name]} {tuple(one.y)[SPOKEN] / plain:.3g}" for name, one in lines.items())
        inside = {name: [d for d, y in zip(one.x, one.y, strict=True) if y <= self.alpha]
                  for name, one in lines.items()}  # fmt: skip
        far = ", ".join(f"{max(found):g} ({METHODS[name]})" for name, found in inside.items() if found)
        spoken = f"d = {GRID[SPOKEN]}, predicted, over √(d/n): {said}."
        reach = f"Half of the runs err by at most α = {self.alpha:g} up to d = {far}." if far else (
            f"None errs by at most α = {self.alpha:g} in half of the runs.")  # fmt: skip
        counted = f" Bands: the middle half of {runs} runs or more." * bool(runs)
        return f"{spoken} {reach}{counted}"


def means_view(
    run: Run, *, epsilon: float, delta: float, alpha: float, n: int, radius: float
) -> Iterator[Chart]:
    """Yield the view of all methods: what is cheap to predict, then runs at three d, then the rest."""
    here, lines = _Position(ApproxDP(epsilon, delta), alpha, n, radius), {}
    errors: Errors = {}
    data, noise = (stream(run.seed, role, "many-dimensions-view", n, 0) for role in (Role.DATA, Role.NOISE))
    for method in CHEAP:
        lines[method] = here.line(method)
    yield here.chart(lines, errors)
    lines[LATER] = here.line(LATER)
    for round_ in range(ROUNDS):
        for d in SIMULATED:
            here.simulate(errors, d, data, noise)
            yield here.chart(lines, errors)
        if round_ < len(PARTS):
            lines[DEAR] = here.line(DEAR, GRID[: PARTS[round_]])
            yield here.chart(lines, errors)


def _points(method: str, errors: Errors) -> Series:
    found = {d: np.array(errors[method, d]) for d in SIMULATED if (method, d) in errors}
    low, middle, high = (
        [float(np.quantile(one, q, method="nearest")) for one in found.values()] for q in (0.25, 0.5, 0.75)
    )
    return Series(METHODS[method], found, middle, low, high, **look(method))
