"""The explorer of sample sizes: the rows for an accuracy, with a range and, for δ, without one."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import inf, isfinite, sqrt
from typing import Any

import numpy as np

from workbench.chapters.one_mean import lower_bounds as costs
from workbench.chapters.one_mean import theory
from workbench.chapters.one_mean.costs import KEYS, NAMES
from workbench.chapters.one_mean.lower_bounds import forbidden
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.words import number
from workbench.estimators.intervals import UnboundedMean
from workbench.estimators.two_step import TwoStepMean
from workbench.privacy import ApproxDP, Budget, PureDP
from workbench.study.grids import Role, resampler, stream
from workbench.study.intervals import crossing
from workbench.study.measures import Measure
from workbench.study.run import Run

BETA = costs.BETA  # of the runs, that may err by more
GRID = tuple(int(n) for n in np.geomspace(25, 400_000, 15).round())
REFINED = 2  # points of a curve between the two nearest powers of 2
AXIS = (0.02, 1.0)
FACTORS = (0.6, 0.8, 1.0, 1.25, 1.6)  # n of the runs over the predicted n
ROUNDS, FEWEST, MOST = 6, 4, 40  # frames of runs, and the runs of a frame at one n
WORK = 40.0  # milliseconds of runs in a frame for one method, roughly, on a slow machine
LARGEST = 200_000  # rows of a run that is simulated
ABREAST = 3  # points of a curve that are predicted between two frames
Curve = dict[int, float]  # n -> predicted error that nine of ten runs stay within
Curves = dict[str, Curve]
Runs = dict[str, dict[int, list[bool]]]  # method -> n -> whether runs were near enough
METHODS = {"paper": KEYS["paper"], "tight": KEYS["tight"], "line": "univariate/unbounded-mean"}


@dataclass(frozen=True)
class Setting:
    """The public numbers that the picture is about."""

    alpha: float
    epsilon: float
    delta: float
    radius: float

    def budget(self, method: str) -> Budget:
        """Return what a method may spend: δ takes the place of the range."""
        return ApproxDP(self.epsilon, self.delta) if method == "line" else PureDP(self.epsilon)

    def estimator(self, method: str) -> Any:
        """Return the mean of a method."""
        if method == "line":
            return UnboundedMean(sigma=1.0)
        return TwoStepMean(radius=self.radius, calibration=method, sigma=1.0)  # type: ignore[arg-type]

    def accuracy(self, method: str, n: int) -> float:
        """Return the error that nine of ten runs stay within, by prediction."""
        radius = None if method == "line" else self.radius
        calibration = "paper" if method == "paper" else "tight"
        return theory.accuracy(n, radius, self.budget(method), calibration, BETA)

    def least(self, alpha: float) -> float:
        """Return the rows that nothing that spends ε alone does without."""
        return max(costs.lower_bounds(alpha, self.epsilon, BETA, self.radius).values())

    def name(self, method: str) -> str:
        """Return a method in words."""
        return f"no range, δ = {number(self.delta)}" if method == "line" else NAMES[method]


def rows_against_accuracy_view(
    run: Run, *, alpha: float, epsilon: float, delta: float, radius: float
) -> Iterator[Chart]:
    """Yield the n that 90 % of the runs need against α: what is impossible, then methods one by one."""
    setting = Setting(alpha, epsilon, delta, radius)
    curves: Curves = {"paper": {n: setting.accuracy("paper", n) for n in GRID[::2]}}
    found: dict[str, dict[int, list[bool]]] = {}
    yield _chart(setting, curves, found)
    for method in METHODS:
        curve = curves.setdefault(method, {})
        n = solved(partial(setting.accuracy, method), setting.least(alpha), alpha, curve)
        _simulate(found, setting, method, n, run.seed, 0)
        yield _chart(setting, curves, found)
    for block in range(1, ROUNDS):
        for method in METHODS:
            _simulate(found, setting, method, rows_for(alpha, curves[method]), run.seed, block)
        ns = GRID[ABREAST * (block - 1) : ABREAST * block]
        for method in ("tight", "line"):
            curves[method] |= {n: setting.accuracy(method, n) for n in ns}
        yield _chart(setting, curves, found)


def solved(accuracy: Callable[[int], float], least: float, alpha: float, curve: Curve) -> float:
    """Return the n with this accuracy, and enter the points of the curve that were looked at."""
    low, high = round(least), round(2 * least)
    curve.setdefault(low, inf)  # nothing is nearer with so few
    while curve.setdefault(high, accuracy(high)) > alpha and high < LARGEST:
        low, high = high, 2 * high
    for _ in range(REFINED):
        between = round(rows_for(alpha, curve)) if isfinite(curve[low]) else round(sqrt(low * high))
        curve[between] = accuracy(between)
        low, high = (between, high) if curve[between] > alpha else (low, between)
    return rows_for(alpha, curve)


def rows_for(alpha: float, curve: Curve) -> float:
    """Return the n of an accuracy on a predicted curve, between its points on logarithmic scales.

    >>> round(rows_for(0.1, {800: 0.05, 100: inf, 200: 0.2}))
    400
    """
    reached = sorted((n, error) for n, error in curve.items() if isfinite(error))
    if not reached or reached[-1][1] > alpha:
        return inf
    ns, errors = np.log(reached).T
    return float(np.exp(np.interp(-np.log(alpha), -errors, ns)))


def _simulate(found: Runs, setting: Setting, method: str, n: float, seed: int, block: int) -> None:
    """Add runs round the n of the prediction: whether they are near enough."""
    if n > LARGEST:
        return
    estimator, budget = setting.estimator(method), setting.budget(method)
    data, noise = (
        stream(seed, role, f"rows-against-accuracy-view {method}", round(n), block)
        for role in (Role.DATA, Role.NOISE)
    )
    hits = found.setdefault(method, {max(2, round(factor * n)): [] for factor in FACTORS})
    trials = int(min(MOST, max(FEWEST, WORK / len(FACTORS) / (0.5 + 9e-5 * n))))
    for size in hits:
        for mean in data.uniform(-setting.radius, setting.radius, trials):
            value = estimator(mean + data.standard_normal(size), budget=budget, rng=noise).value
            hits[size].append(isinstance(value, float) and abs(value - mean) <= setting.alpha)


def _measured(method: str, hits: dict[int, list[bool]]) -> Measure:
    """Return the n at which nine of ten runs are near enough."""
    sizes = sorted(hits)
    totals = [len(hits[n]) for n in sizes]
    found = crossing(
        [float(n) for n in sizes], [sum(hits[n]) for n in sizes], totals, 1 - BETA, level=LEVEL,
        rng=resampler(0, f"rows-against-accuracy-view {method}"), resamples=99,
    )  # fmt: skip
    return Measure(found.estimate, found.interval, min(totals))


def _chart(setting: Setting, curves: Curves, found: Runs) -> Chart:
    low, high = min(AXIS[0], setting.alpha), max(AXIS[1], setting.alpha)
    alphas = np.geomspace(low, high, 31)
    wall = [costs.lower_bounds(one, setting.epsilon, BETA, setting.radius) for one in alphas]
    sizes = {method: _measured(method, hits) for method, hits in found.items()}
    series = [forbidden("impossible", alphas, wall)]
    for method, key in METHODS.items():
        here = {setting.alpha: sizes[method]} if method in sizes else {}
        curve = sorted((n, error) for n, error in curves.get(method, {}).items() if isfinite(error))
        series.append(measured(setting.name(method), here, key, kind="count"))
        ns, errors = zip(*curve, strict=True) if curve else ((), ())
        series.append(Series("", errors, ns, role="theory", colour_key=key))
    panel = Panel(
        "", "target accuracy α (σ)", "rows n", tuple(series),
        xlim=(0.9 * low, 1.1 * high), ylim=(10, 1e6),
        note="Markers: measured at the chosen α.",
    )  # fmt: skip
    return Chart(
        "rows_against_accuracy_view",
        f"Rows for α = {number(setting.alpha)} in 9 of 10 runs,"
        f" ε = {number(setting.epsilon)}, R = {number(setting.radius)}",
        (panel,),
        alt="The rows that private means need against the target accuracy, predicted and simulated, above"
        " what no estimator under ε alone can do without.",
        how_to_read="Go up from your α: the shaded region is impossible for anything that spends ε alone,"
        " each line is what one mean is predicted to need, and its marker what it needed in runs.",
        caption=_sentence(setting, curves, sizes),
    )


def _sentence(setting: Setting, curves: Curves, sizes: dict[str, Measure]) -> str:
    said = [
        f"{setting.name(method)}: {_rows(rows_for(setting.alpha, curve))}{_beside(sizes.get(method))}"
        for method, curve in curves.items()
    ]
    least = setting.least(setting.alpha)
    return f"Nothing that spends ε alone does it with {least:,.0f} rows; predicted for {'; '.join(said)}."


def _rows(n: float) -> str:
    return f"{float(f'{n:.3g}'):,.0f} rows" if isfinite(n) else f"more than {GRID[-1]:,} rows"


def _beside(size: Measure | None) -> str:
    if size is None or not isfinite(size.estimate):
        return ""
    low, high = size.interval
    return f" (measured {low:,.0f} to {high:,.0f})"
