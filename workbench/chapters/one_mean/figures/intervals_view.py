"""The explorer of confidence intervals: the price of privacy in width, and how many hold the mean."""

from collections.abc import Iterator
from math import isfinite
from typing import Any

import numpy as np

from workbench.chapters.one_mean.intervals import KEYS, NAMES, predicted_ratio
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.words import number
from workbench.estimators.intervals import Interval, UnboundedMean
from workbench.privacy import ApproxDP
from workbench.special import ndtri
from workbench.study.grids import Role, stream
from workbench.study.measures import share
from workbench.study.run import Run

GRID = tuple(int(n) for n in np.geomspace(100, 100_000, 13).round())
ENDS = (90.0, 110_000.0)
ABREAST, ROUNDS = 2, 8  # points of the tight curve, and rounds of runs
WORK = 30.0  # milliseconds of runs between two frames for one method, roughly, on a slow machine
COLOURS = {"tight": KEYS["known"], "paper": f"{KEYS['known']}:paper"}
Ratios = dict[str, dict[int, float]]


def confidence_intervals_view(
    run: Run, *, epsilon: float, delta: float, n: int, level: float
) -> Iterator[Chart]:
    """Yield widths against n with σ known, then the share of runs at n that hold the mean."""
    budget = ApproxDP(epsilon, delta)

    def ratios(calibration: str, *ns: int) -> dict[int, float]:
        return {at: predicted_ratio(calibration, "known", at, budget, level) for at in ns}

    curves = {"paper": ratios("paper", *GRID, n), "tight": ratios("tight", n)}
    held: dict[str, list[bool]] = {"tight": [], "paper": []}
    yield _chart(n, budget, level, curves, held)
    data, noise = (stream(run.seed, role, "intervals-view", n, 0) for role in (Role.DATA, Role.NOISE))
    reach = curves["tight"][n] * float(-ndtri(level / 2)) / np.sqrt(n)
    for block in range(ROUNDS):
        for _ in range(max(4, round(WORK / (0.5 + 9e-5 * n)))):
            x = data.standard_normal(n)
            value = UnboundedMean(sigma=1.0)(x, budget=budget, rng=noise).value
            held["tight"].append(not isinstance(value, float) or abs(value) <= reach)
            interval: Any = Interval(level=level, calibration="paper", sigma=1.0)(
                x, budget=budget, rng=noise
            ).value
            held["paper"].append(interval.contains(0.0))
        curves["tight"] |= ratios("tight", *GRID[ABREAST * block : ABREAST * (block + 1)])
        yield _chart(n, budget, level, curves, held)


def _chart(n: int, budget: ApproxDP, level: float, curves: Ratios, held: dict[str, list[bool]]) -> Chart:
    ends = (min(ENDS[0], 0.9 * n), max(ENDS[1], 1.1 * n))
    panels = (_coverage(n, level, held, ends), _widths(n, curves, ends))
    return Chart(
        "confidence_intervals_view",
        f"Intervals at ε = {number(budget.epsilon)}, δ = {number(budget.delta)},"
        f" n = {number(n)}, level {number(level)}",
        panels,
        alt="Left: the share of simulated intervals that hold the mean, at the chosen n. Right: predicted"
        " widths over that of the usual interval, against n.",
        how_to_read="The recipe of KV18 proves its interval from some n on, and is the whole line before it.",
        caption=_sentence(n, curves, held),
    )


def _coverage(n: int, level: float, held: dict[str, list[bool]], ends: tuple[float, float]) -> Panel:
    series = [
        measured(
            NAMES[name, "known"],
            {n: share(sum(hits), len(hits), LEVEL)} if hits else {},
            COLOURS[name],
            kind="fraction",
        )
        for name, hits in held.items()
    ]
    series.append(Series("nominal", ends, (1 - level, 1 - level), role="reference", colour_key="non-private"))
    return Panel(
        "share of intervals that hold the mean", "rows n", "coverage", tuple(series), yscale="linear",
        xlim=ends, ylim=(1 - 4 * level, 1 + level / 5),
    )  # fmt: skip


def _widths(n: int, curves: Ratios, ends: tuple[float, float]) -> Panel:
    series = [Series("no privacy", ends, (1, 1), role="reference", colour_key="non-private")]
    for name, ratios in curves.items():
        found = sorted((at, ratio) for at, ratio in ratios.items() if isfinite(ratio))
        ns, ys = zip(*found, strict=True) if found else ((), ())
        series.append(Series("", ns, ys, role="theory", colour_key=COLOURS[name]))
    series.append(Series("", (n, n), (0.9, 20), role="reference"))
    return Panel(
        "width / that of the usual interval", "rows n", "ratio of widths", tuple(series), xlim=ends,
        ylim=(0.9, 20), note="Lines are predicted from public numbers. Grey: the chosen n.",
    )  # fmt: skip


def _sentence(n: int, curves: Ratios, held: dict[str, list[bool]]) -> str:
    said = []
    for name, hits in held.items():
        ratio = curves[name][n]
        width = f"{ratio:.3g} times the usual width" if isfinite(ratio) else "the whole line"
        count = f", {sum(hits)} of {len(hits)} hold the mean" if hits else ""
        said.append(f"{NAMES[name, 'known']}: {width}{count}")
    return f"{'; '.join(said)}."
