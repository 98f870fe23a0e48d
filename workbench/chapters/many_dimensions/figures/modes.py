"""Proved or practical: the bounds of both modes, promised and kept, and what they cost."""

import numpy as np
import pandas as pd

from workbench.chapters.many_dimensions.claims import checks
from workbench.chapters.many_dimensions.figures.costs import COVARIANCE, MEAN, key, ratio_band
from workbench.chapters.many_dimensions.figures.steps import NOTE, at_numbers
from workbench.chapters.many_dimensions.runs import coinpress as runs
from workbench.chapters.many_dimensions.runs.frames import BOUNDS, steps_taken
from workbench.chapters.many_dimensions.runs.means import HALF_WIDTH
from workbench.chapters.many_dimensions.runs.prices import Price, covariance_price, mean_price
from workbench.charts.bands import measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.limits import covering
from workbench.charts.ticks import tick_labels
from workbench.privacy import ZCDP
from workbench.study.measures import by
from workbench.study.run import Run
from workbench.study.sweeps.schema import Point

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
    """Return the chart of the bounds on the frame in both modes, promised and kept, and of their costs."""
    bounds = at_numbers(BOUNDS, rho, d, 1.5, condition=[ROUNDER * condition])
    fewer = max(1, round(d * runs.COVARIANCE_DIMENSION / runs.D))
    mean = mean_price(rho, runs.MEAN_ALPHA, d, radius)
    covariance = covariance_price(rho, runs.COVARIANCE_ALPHA, fewer, condition)
    frame, (point,) = run.table(bounds), bounds.points
    usual = (rho, d, radius, condition) == (runs.RHO, runs.D, HALF_WIDTH, runs.CONDITION)
    sooner, meet = ("in fewer steps", "meet") if usual else ("sooner", "come nearer")
    crossed = "in many runs" if usual else "in some runs"
    return Chart(
        "two_modes",
        "Proved or practical: the same privacy, bounds or fewer rows",
        (
            *(_bounds(frame, point, mode) for mode in reversed(runs.MODES)),
            _over_plain(run, mean, f"mean, d = {d}", MEAN),
            _over_plain(run, covariance, f"covariance, d = {fewer}", COVARIANCE),
        ),
        alt="Above, the largest and the smallest eigenvalue of A Σ Aᵀ before every step: in mode proved"
        f" within the public bounds in every run, in mode practical the frame is round {sooner} and the"
        " upper bound fails in some. Below, the error over that of the plain estimate falls to 1 with n in"
        " both modes, in mode proved later.",
        how_to_read="Above, the ellipsoid becomes round: its longest axis (filled) starts at 1, its shortest"
        f" (hollow) far below, and they {meet}. The bands hold all runs. Dashed: the public bounds 1"
        " and ℓ. In mode proved no band may cross them. Mode practical takes a third of the caution: its"
        f" frame is round {sooner}, and its upper bound is crossed {crossed}, which a later step repairs."
        " Privacy does not depend on either. Below, what the proof costs.",
    )


def _bounds(frame: pd.DataFrame, point: Point, mode: str) -> Panel:
    n, d, condition = point["n"], point["d"], point["condition"]
    places = range(steps_taken(**point)[mode])
    curves = []
    for end, label, look in (("high", "longest axis", "0"), ("low", "shortest axis", "0:low")):
        values = [checks.column(frame, f"{mode} {end} {place}") for place in places if len(frame)]
        xs = range(1, len(values) + 1)
        curves.append(
            Series(label, xs, map(np.median, values), map(min, values), map(max, values), colour_key=look)
        )
    design = runs.covariance_of(condition, mode=mode).design(n, d, ZCDP(point["rho"]))
    curves += [
        Series("public bounds", [place + 1 for place in places], design.lower, role="theory"),
        Series("", (1, len(places)), (1, 1), role="theory"),
    ]
    (long,) = tick_labels([condition])
    return Panel(
        f"{mode}: eigenvalues of A Σ Aᵀ", "before step", "eigenvalue", tuple(curves), "linear",
        ylim=(0.5 / condition, 200), note=f"d = {d}, n = {n}, condition number {long}.",
    )  # fmt: skip


def _over_plain(run: Run, price: Price, title: str, owner: str) -> Panel:
    sweep, curves = price.along("n"), []
    groups, points = by(run.table(sweep), "n"), {point["n"]: point for point in sweep.points}
    for mode in reversed(runs.MODES):
        found = {
            int(n): ratio_band(rows[f"error {mode}"].to_numpy(), rows["reference"].to_numpy())
            for n, rows in groups.items()
        }
        foreseen = {n: price.predict(mode, **point) for n, point in points.items()}
        expected = [foreseen[n].total / foreseen[n].sampling for n in found]
        curves.append(measured(mode, found, key(owner, mode), expected))
    ends = min(points), max(points)
    curves.append(Series("plain estimate", ends, (1, 1), role="reference", colour_key="non-private"))
    low, high = covering((0.95, 1.9), curves)
    return Panel(
        title, "rows n", "error / plain estimate's", tuple(curves), yscale="log" if high > TALL else "linear",
        ylim=(low, high), note=f"ρ = {price.rho:g}. {NOTE}",
    )  # fmt: skip
