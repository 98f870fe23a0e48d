"""Proved or practical: the bounds of both modes, promised and kept, and what they cost."""

from typing import Any

import numpy as np
import pandas as pd

from workbench.chapters.many_dimensions.claims import checks
from workbench.chapters.many_dimensions.figures.costs import NAMES, ratio_band
from workbench.chapters.many_dimensions.figures.looks import COVARIANCE, LONG, MEAN, PLAIN, SHORT, shade
from workbench.chapters.many_dimensions.figures.steps import at_numbers
from workbench.chapters.many_dimensions.runs import coinpress as runs
from workbench.chapters.many_dimensions.runs.frames import BOUNDS, steps_taken
from workbench.chapters.many_dimensions.runs.means import HALF_WIDTH
from workbench.chapters.many_dimensions.runs.prices import Price, covariance_price, mean_price
from workbench.charts.bands import measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.limits import covering
from workbench.charts.words import number
from workbench.privacy import ZCDP
from workbench.study.grids import Point
from workbench.study.measures import by
from workbench.study.run import Run

TALL = 3.0  # ratios beyond which an axis is logarithmic
ROUNDER = 100  # the condition number of the bounds, over that of the errors


def two_modes(
    run: Run,
    *,
    rho: float = runs.RHO,
    d: int = runs.D,
    radius: float = HALF_WIDTH,
    condition: float = runs.CONDITION,
) -> Chart:
    """Return errors in both modes over the plain estimate's, against n (a mean, then a covariance)."""
    fewer = max(1, round(d * runs.COVARIANCE_DIMENSION / runs.D))
    mean = mean_price(rho, runs.MEAN_ALPHA, d, radius)
    covariance = covariance_price(rho, runs.COVARIANCE_ALPHA, fewer, condition)
    return Chart(
        "two_modes",
        "Both modes have the same privacy; proved bounds cost more rows",
        (
            _over_plain(run, mean, f"mean, d = {d}, ρ = {number(rho)}", MEAN),
            _over_plain(run, covariance, f"covariance, d = {fewer}, ρ = {number(rho)}", COVARIANCE),
        ),
        alt="The error over that of the plain estimate falls to 1 with n in both modes, proved later.",
        how_to_read="At 1 the private estimate is as good as the plain one. Both modes have the same privacy,"
        " which never depends on whether a bound is true; what a proof costs is the gap.",
    )


def bounds_kept(
    run: Run, *, rho: float = runs.RHO, d: int = runs.D, condition: float = runs.CONDITION
) -> Chart:
    """Return the public bounds on the frame in both modes, and what was inside them."""
    bounds = at_numbers(BOUNDS, rho, d, 1.5, condition=[ROUNDER * condition])
    frame, (point,) = run.table(bounds), bounds.points
    usual = (rho, d, condition) == (runs.RHO, runs.D, runs.CONDITION)
    crossed = "in many runs" if usual else "in some runs"
    return Chart(
        "bounds_kept",
        "Proved bounds hold in every run; practical ones are round sooner",
        tuple(_bounds(frame, point, mode) for mode in reversed(runs.MODES)),
        alt="The largest and the smallest eigenvalue of A Σ Aᵀ before every step: in mode proved within the"
        " public bounds in every run, in mode practical the frame is round sooner and the upper bound fails"
        f" {crossed}.",
        how_to_read="Longest and shortest axis of the ellipsoid that a step sees, squared; bands hold all"
        f" runs. In mode proved no band crosses a public bound. Mode practical crosses the upper one"
        f" {crossed}, which a later step repairs.",
    )


def _bounds(frame: pd.DataFrame, point: Point, mode: str) -> Panel:
    n, d, condition = point["n"], point["d"], point["condition"]
    places = range(steps_taken(**point)[mode])
    curves = []
    for end, label, rank in (("high", "longest axis", LONG), ("low", "shortest axis", SHORT)):
        values = [checks.column(frame, f"{mode} {end} {place}") for place in places if len(frame)]
        xs, low, high = range(1, len(values) + 1), map(min, values), map(max, values)
        middle = map(np.median, values)
        look: dict[str, Any] = {"colour_key": COVARIANCE, "rank": rank}
        curves.append(Series(label, xs, middle, **look))
        curves.append(Series("", xs, curves[-1].y, low, high, role="reference", **look))
    design = runs.covariance_of(condition, mode=mode).design(n, d, ZCDP(point["rho"]))
    steps = [place + 1 for place in places]
    curves += [
        Series("public bounds", steps, design.lower, role="reference", colour_key="idea/public"),
        Series("", (1, len(places)), (1, 1), role="reference", colour_key="idea/public"),
    ]
    said = f"{mode} (d = {d}, {number(n)} rows)" if mode == "proved" else mode
    note = f"Condition number {number(condition)}. Bands: all runs." if mode == "proved" else ""
    return Panel(
        said, "before step number", "variance along an axis, after rescaling", tuple(curves), "linear",
        note=note, ylim=(0.5 / condition, 10), xlim=(0.5, len(places) + 0.5),
    )  # fmt: skip


def _over_plain(run: Run, price: Price, title: str, owner: str) -> Panel:
    sweep, curves = price.along("n"), []
    groups, points = by(run.table(sweep), "n"), {point["n"]: point for point in sweep.points}
    for mode in reversed(runs.MODES):
        found = {
            int(n): ratio_band(rows[f"error {mode}"].to_numpy(), rows["reference"].to_numpy())
            for n, rows in groups.items()
        }
        parts = {n: price.predict(mode, **point) for n, point in points.items()}
        foreseen = {n: one.total / one.sampling for n, one in parts.items()}
        curves.append(measured(NAMES[mode], found, owner, [foreseen[n] for n in found], **shade(mode)))
        line = Series("", foreseen, foreseen.values(), role="theory", colour_key=owner, **shade(mode))
        curves.append(line)
    ends = min(points), max(points)
    curves.append(Series("no privacy", ends, (1, 1), role="reference", colour_key=PLAIN))
    low, high = covering((0.95, 1.9), curves)
    return Panel(
        title, "rows n", "error / plain error", tuple(curves), yscale="log" if high > TALL else "linear",
        ylim=(low, high),
    )  # fmt: skip
