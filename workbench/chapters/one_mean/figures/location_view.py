"""The explorer about locating a mean: error against the range for any n and ε."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.chapters.one_mean import theory
from workbench.chapters.one_mean import wide_range as sweeps
from workbench.chapters.one_mean.wide_range import CLIPPED_MEAN as CLIPPED
from workbench.chapters.one_mean.wide_range import CURVE, ERROR, RADIUS
from workbench.chapters.one_mean.wide_range import TWO_STEP_MEAN as TWO_STEP
from workbench.charts.bands import LEVEL
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.words import number
from workbench.study import measures
from workbench.study.grids import Role, point_id, stream
from workbench.study.run import Run

Errors = dict[str, list[NDArray[np.float64]]]

NAME = "one-mean-error-against-radius-view"
WORK, OVERHEAD = 40_000, 700  # rows per frame and radius; what a release costs besides, in rows
ROUNDS = 16
CURVES = (
    ("clipped mean", CLIPPED, sweeps.clipped, theory.clipped_error),
    ("two-step mean", TWO_STEP, sweeps.two_step, theory.two_step_error),
)
NORMAL_MEDIAN = 0.6744897501960817  # of |z|
XLIM, YLIM = (7.0, 1.4e5), (2e-3, 2e5)


@dataclass(frozen=True)
class Setting:
    """The public numbers that the picture is about."""

    epsilon: float
    n: int
    radius: float
    calibration: str

    def line(self, which: int, radii: Iterable[float]) -> Series:
        """Return the predicted errors of one of the means."""
        name, key, _, predict = CURVES[which]
        owned = tuple(radii)
        expected = [predict(self.n, radius, self.epsilon, self.calibration) for radius in owned]
        return Series(name, owned, expected, role="theory", colour_key=self.colour(key))

    def colour(self, key: str) -> str:
        """Return the colour of a mean: the source's constants have their own."""
        return key if self.calibration == "tight" else f"{key}:paper"


def error_against_radius_view(
    run: Run, *, epsilon: float, n: int, radius: float, calibration: str = "tight"
) -> Iterator[Chart]:
    """Yield the errors of both means against R: predictions, then ever more trials.

    Parameters
    ----------
    run
        Has the seed of the simulation.
    epsilon
        Budget of one release.
    n
        Rows.
    radius
        The R that the sentence below the picture is about.
    calibration
        Whose constants: `tight` or `paper`.

    Yields
    ------
    Chart
        The first after the cheap predictions, the second after the costly one of the chosen radius, the
        third after those of the others and the first trials.
    """
    setting = Setting(epsilon, n, radius, calibration)
    lines = [_reference(n), setting.line(0, sorted({*CURVE, radius}))]
    yield _chart(setting, lines, {})
    yield _chart(setting, [*lines, setting.line(1, [radius])], {})
    lines.append(setting.line(1, sorted({*sweeps.RADII, radius})))
    errors: dict[str, Errors] = {}
    for block in range(ROUNDS):
        _simulate(errors, setting, run.seed, block)
        yield _chart(setting, lines, errors)


def _reference(n: int) -> Series:
    level = NORMAL_MEDIAN / np.sqrt(n)
    return Series("no privacy", XLIM, (level, level), role="reference", colour_key="non-private")


def _simulate(errors: dict[str, Errors], setting: Setting, seed: int, block: int) -> None:
    trials = max(2, WORK // (setting.n + OVERHEAD))
    for name, _, measure, _ in CURVES:
        for radius in sweeps.RADII:
            point: dict[str, Any] = {"n": setting.n, "epsilon": setting.epsilon, "radius": radius}
            data, noise = (
                stream(seed, role, f"{NAME} {name}", point_id(point), block)
                for role in (Role.DATA, Role.NOISE)
            )
            found = np.abs(measure(**point, trials=trials, data=data, noise=noise)[setting.calibration])
            errors.setdefault(name, {}).setdefault(f"{radius:g}", []).append(found)


def _points(name: str, key: str, errors: Errors) -> Series:
    found = [measures.median(np.concatenate(blocks), LEVEL) for blocks in errors.values()]
    low, high = zip(*(measure.interval for measure in found), strict=True)
    return Series(name, map(float, errors), [m.estimate for m in found], low, high, colour_key=key)


def _chart(setting: Setting, lines: list[Series], errors: dict[str, Errors]) -> Chart:
    points = [
        _points(name, setting.colour(key), errors[name]) for name, key, _, _ in CURVES if name in errors
    ]
    chosen = Series("", (setting.radius,) * 2, YLIM, role="reference")
    xlim = (min(XLIM[0], setting.radius), max(XLIM[1], setting.radius))
    panel = Panel(
        f"n = {number(setting.n)}, ε = {number(setting.epsilon)}, {setting.calibration} constants",
        RADIUS, ERROR, (*points, *lines, chosen), note="Grey: the chosen R.", xlim=xlim, ylim=YLIM,
    )  # fmt: skip
    return Chart(
        "one_mean_error_against_radius_view",
        "What the range costs",
        (panel,),
        alt="Median absolute error of the clipped and of the two-step mean against the half-width of the "
        "range, for the chosen n and ε.",
        how_to_read="Lines are predicted, points simulated. The clipped mean's line has slope 1; the "
        "two-step mean stays near the black line until nε is too small to find the data: then it jumps.",
        caption=_caption(setting, lines, errors),
    )


def _caption(setting: Setting, lines: list[Series], errors: dict[str, Errors]) -> str:
    trials = sum(len(block) for block in next(iter(errors["two-step mean"].values()))) if errors else 0
    values = {
        line.label: dict(zip(line.x, line.y, strict=True)).get(setting.radius)
        for line in lines
        if line.role == "theory"
    }
    said = ", ".join(f"{name} {value:.3g} σ" for name, value in values.items())
    where = f"n = {setting.n}, ε = {setting.epsilon:g}, R = {setting.radius:g}"
    return f"{where}: predicted error {said}; {trials} trials simulated."
