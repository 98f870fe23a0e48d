"""The explorer about locating a mean: error against the range for any n and ε."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.chapters.one_mean.figures.location import (
    CLIPPED,
    CURVE,
    ERROR,
    NOTE,
    RADIUS,
    TWO_STEP,
)
from workbench.chapters.one_mean.runs import location as sweeps
from workbench.chapters.one_mean.runs import theory
from workbench.charts.bands import LEVEL
from workbench.charts.chart import Chart, Panel, Series
from workbench.study import measures
from workbench.study.run import Run
from workbench.study.sweeps.streams import Role, point_id, stream

Errors = dict[str, list[NDArray[np.float64]]]

NAME = "one-mean-error-against-radius-view"
SPOKEN = 1000.0  # the R of the caption
WORK, OVERHEAD = 40_000, 700  # rows per frame and radius; what a release costs besides, in rows
ROUNDS = 16
CURVES = (
    ("clipped mean", CLIPPED, sweeps.clipped, theory.clipped_error),
    ("two-step mean", TWO_STEP, sweeps.two_step, theory.two_step_error),
)
NORMAL_MEDIAN = 0.6744897501960817  # of |z|
XLIM, YLIM = (7.0, 1.4e5), (2e-3, 2e5)


def error_against_radius_view(run: Run, *, epsilon: float, n: int) -> Iterator[Chart]:
    """Yield the errors of the tight means against R: predictions, then ever more trials.

    Parameters
    ----------
    run
        Has the seed of the simulation.
    epsilon
        Budget of one release.
    n
        Rows.

    Yields
    ------
    Chart
        The first after the cheap predictions, the second after the costly ones of two radii, the third
        after those of the others and the first trials.
    """
    lines = [_reference(n), _line(0, n, epsilon, CURVE)]
    yield _chart(epsilon, n, lines, {})
    yield _chart(epsilon, n, [*lines, _line(1, n, epsilon, sweeps.RADII[:2])], {})
    lines.append(_line(1, n, epsilon, sweeps.RADII))
    errors: dict[str, Errors] = {}
    for block in range(ROUNDS):
        _simulate(errors, epsilon, n, run.seed, block)
        yield _chart(epsilon, n, lines, errors)


def _reference(n: int) -> Series:
    level = NORMAL_MEDIAN / np.sqrt(n)
    return Series("without privacy", XLIM, (level, level), role="reference", colour_key="non-private")


def _line(which: int, n: int, epsilon: float, radii: tuple[float, ...]) -> Series:
    name, key, _, predict = CURVES[which]
    expected = [predict(n, radius, epsilon, "tight") for radius in radii]
    return Series(name, radii, expected, role="theory", colour_key=key)


def _simulate(errors: dict[str, Errors], epsilon: float, n: int, seed: int, block: int) -> None:
    trials = max(2, WORK // (n + OVERHEAD))
    for name, _, measure, _ in CURVES:
        for radius in sweeps.RADII:
            point: dict[str, Any] = {"n": n, "epsilon": epsilon, "radius": radius}
            data, noise = (
                stream(seed, role, f"{NAME} {name}", point_id(point), block)
                for role in (Role.DATA, Role.NOISE)
            )
            found = np.abs(
                measure(n=n, epsilon=epsilon, radius=radius, trials=trials, data=data, noise=noise)["tight"]
            )
            errors.setdefault(name, {}).setdefault(f"{radius:g}", []).append(found)


def _points(name: str, key: str, errors: Errors) -> Series:
    found = [measures.median(np.concatenate(blocks), LEVEL) for blocks in errors.values()]
    low, high = zip(*(measure.interval for measure in found), strict=True)
    return Series(name, map(float, errors), [m.estimate for m in found], low, high, colour_key=key)


def _chart(epsilon: float, n: int, lines: list[Series], errors: dict[str, Errors]) -> Chart:
    points = [_points(name, key, errors[name]) for name, key, _, _ in CURVES if name in errors]
    panel = Panel(
        f"n = {n}, ε = {epsilon:g}", RADIUS, ERROR, (*points, *lines), note=NOTE, xlim=XLIM, ylim=YLIM
    )
    return Chart(
        "one_mean_error_against_radius_view",
        "What the range costs",
        (panel,),
        alt="Median absolute error of the clipped and of the two-step mean against the half-width of the "
        "range, for the chosen n and ε.",
        how_to_read="Dashed lines are predicted, points simulated. The clipped mean's line has slope 1; the "
        "two-step mean stays near the black line until nε is too small to find the data: then it jumps.",
        caption=_caption(epsilon, n, lines, errors),
    )


def _caption(epsilon: float, n: int, lines: list[Series], errors: dict[str, Errors]) -> str:
    trials = sum(len(block) for block in next(iter(errors["two-step mean"].values()))) if errors else 0
    values = {
        line.label: float(np.interp(SPOKEN, tuple(line.x), tuple(line.y)))
        for line in lines
        if max(line.x) >= SPOKEN
    }
    said = ", ".join(f"{name} {value:.3g} σ" for name, value in values.items())
    return f"n = {n}, ε = {epsilon:g}, R = {SPOKEN:g}: predicted error {said}; {trials} trials simulated."
