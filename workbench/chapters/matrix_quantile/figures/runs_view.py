"""The explorer of whole runs in the plane: the test, and what is released."""

from collections.abc import Iterator
from math import log
from typing import Any

import numpy as np

from workbench.chapters.covariance.worlds import geometric, tilted
from workbench.chapters.matrix_quantile.counting import needed, recipe, slopes
from workbench.chapters.matrix_quantile.outliers import spoilt
from workbench.chapters.matrix_quantile.quantiles import OURS, PLAIN
from workbench.chapters.matrix_quantile.rows import BETA, distances, seen
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.ellipses import circle, ellipse, plane
from workbench.charts.words import number
from workbench.estimators.base import Trace
from workbench.estimators.matrix_quantile import Design, MatrixQuantile, MatrixQuantileCovariance
from workbench.populations.rotated import Rotated
from workbench.privacy import ApproxDP
from workbench.study.grids import Role, stream
from workbench.study.run import Run
from workbench.types import Array

NAME = "mq-runs-view"
D, UPPER, ROUNDS, CHECKED, DRAWN = 2, 1e4, 12, 6, 6


def runs_view(
    run: Run, *, epsilon: float, delta: float, alpha: float, n: int, d: int, corruption: float
) -> Iterator[Chart]:
    """Yield what the test asks for, then one run after another.

    Parameters
    ----------
    run
        Has the seed.
    epsilon, delta
        Budget.
    alpha
        A Frobenius error that counts as near.
    n, d
        Rows and columns; the plane of the first two is shown.
    corruption
        The share of the rows that are far away.
    """
    budget = ApproxDP(epsilon, delta)
    made, law = MatrixQuantile(n, d, budget, BETA).design, _law(d)
    counts = sorted({int(t) for t in np.linspace(1, made.test.most, CHECKED)})
    runs: list[tuple[int, Array, list[float]]] = []
    yield _chart(made, counts, corruption, runs, alpha)
    recipe(n, d, budget)  # refuses too few rows for an accurate release, which takes simulated masks to know
    data, noise = (stream(run.seed, role, NAME, n, 0) for role in (Role.DATA, Role.NOISE))
    estimator = MatrixQuantileCovariance(centred=True, beta=BETA)
    for _ in range(ROUNDS):
        x, trace = spoilt(law, n, corruption, 0.0, data), Trace()
        found = estimator(x, budget=budget, rng=noise, trace=trace).value
        h: Any = trace.records["h"]
        runs.append((h, _white(found, law), slopes(made.test, x, counts)))
        yield _chart(made, counts, corruption, runs, alpha)


def _law(d: int) -> Rotated:
    """Return normal rows of this condition number: a tilted ellipse, or equal ratios along the axes."""
    return tilted(UPPER) if d == D else Rotated(np.eye(d), geometric(d, UPPER))


def _white(found: Any, law: Rotated) -> Array:
    """Return the release in units of Σ; nan for no answer."""
    if np.isnan(seen(found, law)).any():
        return np.full((len(law.values),) * 2, np.nan)
    return law.in_units(found)


def _chart(
    made: Design, counts: list[int], far: float, runs: list[tuple[int, Array, list[float]]], alpha: float
) -> Chart:
    test, epsilon = made.test, made.budget.epsilon
    return Chart(
        "matrix_quantile_runs_view",
        f"n = {number(test.n)}, d = {test.d}, ε = {number(epsilon)}, δ = {number(made.budget.delta)},"
        f" α = {number(alpha)}, {number(100 * far)} % far away",
        (_test(made, counts, runs), _releases([one for _, one, _ in runs])),
        alt="Left, the slope that rows have for every count t, beside what the test asks for. Right,"
        " releases as thin ellipses round a circle, which stands for Σ.",
        how_to_read="Left, h is where the rows' strength meets what is asked for. Area: all runs.",
        caption=_caption(made, runs, alpha),
    )


def _test(made: Design, counts: list[int], runs: list[tuple[int, Array, list[float]]]) -> Panel:
    line = [needed(made.test, t) for t in counts]
    series = [Series("asked for", counts, line, role="theory", colour_key=PLAIN)]
    if runs:
        values = np.nan_to_num(np.array([one for _, _, one in runs]))
        low, middle, high = np.quantile(values, [0.0, 0.5, 1.0], axis=0)
        series.append(Series("", counts, high, low, high, role="area", colour_key=OURS))
        series.append(Series("strength of the rows", counts, middle, colour_key=OURS))
    return Panel(
        "the test", "replaced rows t that are asked about", "smallest slope", tuple(series), "linear",
        "linear", ylim=(0.0, 2.2 * max(line)),
    )  # fmt: skip


def _releases(found: list[Array]) -> Panel:
    answered = [one for one in found if not np.isnan(one).any()][:DRAWN]
    lines = [ellipse("", one[:2, :2], role="release", colour_key=OURS) for one in answered]
    truth = circle("", 1.0, role="truth", colour_key=PLAIN)
    return plane("releases, in units of Σ (black)", (*lines, truth), reach=2.2)


def _caption(made: Design, runs: list[tuple[int, Array, list[float]]], alpha: float) -> str:
    test = made.test
    said = (
        f"T = {test.most}, level u = {test.level:.0f}, G = {test.strength:.1f}: a row moves Pᵤ by"
        f" {100 * test.change:.2f} % at most."
    )
    if not runs:
        return said
    found = [distances(np.asarray(np.linalg.eigvalsh(one))) for _, one, _ in runs if not np.isnan(one).any()]
    distance, errors = zip(*found, strict=True) if found else ((), ())
    good, near = sum(one <= log(2) for one in distance), sum(one <= alpha for one in errors)
    median = f"; median distance {np.median(distance):.2g}, {good} within ln 2" if distance else ""
    median += f", {near} with a Frobenius error of at most α = {alpha:g}" * bool(distance)
    h = np.median([h for h, _, _ in runs])
    return f"{said} {len(runs)} runs: median h {h:g}, {len(distance)} answers{median}."
