"""The explorers about means in d dimensions: all methods against d, and CoinPress's ball step by step."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.chapters.many_dimensions.figures.costs import MEAN, key
from workbench.chapters.many_dimensions.figures.means import (
    BOX,
    DELTA,
    DIMENSION,
    METHODS,
    distance,
    estimators,
    predicted,
)
from workbench.chapters.many_dimensions.runs.coinpress import MODES
from workbench.charts.chart import Chart, Panel, Series
from workbench.estimators.base import Trace
from workbench.estimators.mean.coinpress import CoinPressMean
from workbench.privacy import ApproxDP
from workbench.study.sweeps.streams import Role, stream
from workbench.types import Array

GRID, SIMULATED = (1, 2, 4, 8, 16, 32, 64), (2, 8, 32)
SPOKEN = 3  # the place in GRID of the caption
WORK, OVERHEAD = 60_000, 3000  # entries of rows in a frame; what a run costs besides, in entries
BALL_WORK = 4 * WORK  # runs of two methods and not of five, at one dimension and not at three
ROUNDS = 3
CHEAP = ((BOX,), ("mean/clipped-heavy", "mean/coinpress"), ("mean/coinpress:proved",))
DEAR, PARTS = "mean/coordinatewise", (4, 7)  # predicted at so many d between two rounds
ALT = "Errors of five private means against the dimension, predicted and simulated"
BALL_ALT = "Radius of CoinPress's ball after every step, public, and where the centre was in simulated runs"
Errors = dict[tuple[str, int], list[float]]
Distances = dict[str, list[list[float]]]


def means_view(seed: int) -> Callable[..., Iterator[Chart]]:
    """Return the view of all methods: what is cheap to predict, then runs at three d, then the rest."""

    def view(epsilon: float, n: int, half_width: float) -> Iterator[Chart]:
        lines: dict[str, Series] = {}
        errors: Errors = {}
        data, noise = (stream(seed, role, "many-dimensions-view", n, 0) for role in (Role.DATA, Role.NOISE))
        for methods in CHEAP:
            lines |= {method: _line(method, epsilon, n, half_width) for method in methods}
            yield _chart(epsilon, n, half_width, lines, errors)
        for number in range(ROUNDS):
            for d in SIMULATED:
                _simulate(errors, epsilon, n, d, half_width, data, noise)
            yield _chart(epsilon, n, half_width, lines, errors)
            if number < len(PARTS):
                lines[DEAR] = _line(DEAR, epsilon, n, half_width, GRID[: PARTS[number]])
                yield _chart(epsilon, n, half_width, lines, errors)

    return view


def _line(method: str, epsilon: float, n: int, half_width: float, grid: Sequence[int] = GRID) -> Series:
    budget = ApproxDP(epsilon, DELTA)
    parts = (predicted(method, estimators(d, half_width)[method], n, d, budget) for d in grid)
    return Series("", grid, [one.quantile(0.5) for one in parts], role="theory", colour_key=method)


def _simulate(
    errors: Errors, epsilon: float, n: int, d: int, half_width: float, data: Generator, noise: Generator
) -> None:
    budget, methods = ApproxDP(epsilon, DELTA), estimators(d, half_width)
    for _ in range(max(1, min(10, WORK // (n * d + OVERHEAD * d)))):
        theta = data.uniform(-half_width, half_width, d)
        x = theta + data.standard_normal((n, d))
        for method, estimator in methods.items():
            error = distance(estimator(x, budget=budget, rng=noise).value, theta)
            errors.setdefault((method, d), []).append(error)


def _chart(epsilon: float, n: int, half_width: float, lines: Mapping[str, Series], errors: Errors) -> Chart:
    plain, blind = ([size * sqrt(d) for d in GRID] for size in (1 / sqrt(n), half_width / sqrt(3)))
    series = [
        Series("the centre, without a look", GRID, blind, role="reference"),
        Series("sample mean (not private)", GRID, plain, role="reference", colour_key="non-private"),
        *lines.values(),
        *(_points(method, errors) for method in METHODS),
    ]
    panel = Panel("", DIMENSION, "median error (σ)", tuple(series), xlim=(0.9, 72), ylim=(3e-3, 3e3))
    title = f"ε = {epsilon:g}, δ = 10⁻⁶, n = {n}, every coordinate in ±{half_width:g} σ"
    return Chart("means_view", title, (panel,), alt=ALT, caption=_caption(n, lines, errors))


def _points(method: str, errors: Errors) -> Series:
    found = {d: np.array(errors[method, d]) for d in SIMULATED if (method, d) in errors}
    low, middle, high = (
        [float(np.quantile(one, q, method="nearest")) for one in found.values()] for q in (0.25, 0.5, 0.75)
    )
    return Series(METHODS[method], found, middle, low, high, colour_key=method)


def _caption(n: int, lines: Mapping[str, Series], errors: Errors) -> str:
    plain, runs = sqrt(GRID[SPOKEN] / n), len(errors.get((BOX, SIMULATED[-1]), ()))
    said = ", ".join(f"{METHODS[name]} {tuple(one.y)[SPOKEN] / plain:.3g}" for name, one in lines.items())
    words = f"d = {GRID[SPOKEN]}, predicted, over √(d/n): {said}."
    return f"{words} Bands: the middle half of {runs} runs or more." if runs else words


def ball_view(seed: int) -> Callable[..., Iterator[Chart]]:
    """Return the view of the ball of CoinPress: public radii, then how far the centre was in runs."""

    def view(epsilon: float, n: int, d: int, radius: float) -> Iterator[Chart]:
        distances: Distances = {mode: [] for mode in MODES}
        yield _ball_chart(epsilon, n, d, radius, distances)
        data, noise = (stream(seed, role, "many-dimensions-ball", n, d) for role in (Role.DATA, Role.NOISE))
        for _ in range(ROUNDS):
            for _ in range(max(2, min(20, BALL_WORK // (n * d + OVERHEAD)))):
                direction = data.standard_normal(d)
                theta = radius * data.random() * direction / np.linalg.norm(direction)
                x = theta + data.standard_normal((n, d))
                for mode, found in distances.items():
                    found.append(_distances(_coinpress(radius, mode), x, theta, epsilon, noise))
            yield _ball_chart(epsilon, n, d, radius, distances)

    return view


def _coinpress(radius: float, mode: Any) -> CoinPressMean:
    return CoinPressMean(radius=radius, mode=mode)


def _distances(
    estimator: CoinPressMean, x: Array, theta: Array, epsilon: float, noise: Generator
) -> list[float]:
    trace = Trace()
    value: Any = estimator(x, budget=ApproxDP(epsilon, DELTA), rng=noise, trace=trace).value
    centres: list[Any] = [*trace.records["centre"], value]
    return [float(np.linalg.norm(centre - theta)) for centre in centres]


def _ball_chart(epsilon: float, n: int, d: int, radius: float, distances: Distances) -> Chart:
    series, said = [], []
    for mode in reversed(MODES):
        design = _coinpress(radius, mode).design(n, d, ApproxDP(epsilon, DELTA))
        look = key(MEAN, mode)
        series.append(Series("", range(len(design.radii)), design.radii, role="theory", colour_key=look))
        series.append(_spread(f"distance of the centre, {mode}", np.array(distances[mode]), look))
        shares = ", ".join(f"{100 * weight:.3g}" for weight in design.weights)
        ends = [one[-1] for one in distances[mode]]
        lost = f"; outside the last ball in {sum(end > design.radius for end in ends)} of {len(ends)} runs"
        said.append(f"{mode}: {shares} % of the budget{lost if ends else ''}")
    plain = (sqrt(d / n),) * 2
    series.append(Series("sample mean, √(d/n)", (0, 14), plain, role="reference", colour_key="non-private"))
    panel = Panel(
        "dashed: the public radius; bands: the middle 90 % of the runs", "after step",
        "distance from the mean (σ)", tuple(series), "linear", xlim=(-0.3, 14.7), ylim=(3e-3, 3e4),
    )  # fmt: skip
    title = f"The ball at ε = {epsilon:g}, δ = 10⁻⁶, n = {n}, d = {d}, R = {radius:g} σ"
    return Chart("ball_view", title, (panel,), alt=BALL_ALT, caption=". ".join(said) + ".")


def _spread(label: str, found: Array, look: str) -> Series:
    """Return the medians over runs, one row each, after every step, and the middle 90 %."""
    if not len(found):
        return Series(label, (), (), colour_key=look)
    low, middle, high = np.quantile(found, (0.05, 0.5, 0.95), axis=0, method="nearest")
    return Series(label, range(len(middle)), middle, low, high, colour_key=look)
