"""How many steps: the error against their number, rows on the wrong side, and the bounds of both modes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.chapters.many_dimensions.claims import checks
from workbench.chapters.many_dimensions.figures.costs import (
    BAND,
    COVARIANCE,
    MEAN,
    key,
    ratio_band,
    rms_band,
)
from workbench.chapters.many_dimensions.figures.means import measured
from workbench.chapters.many_dimensions.runs import coinpress as runs
from workbench.chapters.many_dimensions.runs import steps, theory
from workbench.charts.chart import Chart, Panel, Series
from workbench.estimators.base import Trace
from workbench.privacy import ZCDP
from workbench.study.measures import at, median
from workbench.study.profiles import blocks
from workbench.study.sweeps.sweep import Sweep, grid, run
from workbench.types import Columns

SHOWN = {10.0: "0", 100.0: "2", 1000.0: "3"}  # R over √d: colour
ERROR, STEP = "root mean square error", "number of steps t"
NOTE = "Bands: 95 % intervals."


def error_against_steps(profile: str, seed: int) -> Chart:
    """Return the errors against the number of steps, for means and covariances."""
    means = run(steps.MEAN_STEPS, profile, seed=seed)
    return Chart(
        "error_against_steps",
        "How many steps? Enough, and more do no harm",
        (
            _mean_steps(means),
            _one_step(means),
            _covariance_steps(profile, seed),
            _more_steps(run(steps.CONDITIONS, profile, seed=seed)),
        ),
        alt="Means: the error falls to that of the sample mean at two to four steps, depending on the range,"
        " and stays there; that of one step grows in proportion to the range. Covariances: the error falls"
        " with the number of steps to that of the sample covariance and stays; with rows on the wrong side"
        " it rises from the third step on, beyond that of answering zero.",
        how_to_read="A good curve falls to the black line and stays on it: a step that the public numbers say"
        " cannot help is skipped. Hollow, what one run in a hundred exceeds: mode practical trusts balls that"
        " now and then miss the mean. One step adds noise for the whole range (top right, slope 1). Bottom"
        " left, the grey line is the answer 'zero': with rows on the wrong side of the preconditioner, as in"
        " the authors' program, more steps end beyond it. Bottom right, up to three steps more than the"
        " default number, over the error of the sample covariance.",
    )


def _mean_steps(frame: pd.DataFrame) -> Panel:
    curves = []
    for reach, colour in SHOWN.items():
        rows = at(frame, reach=reach)
        values = [checks.column(rows, f"error {t}") for t in steps.STEPS]
        found = [median(one, BAND) for one in values]
        curves.append(measured(f"R = {reach:g}√d", steps.STEPS, found, colour))
    worst = [float(np.quantile(one, 0.99, method="higher")) for one in values]
    label = f"R = {reach:g}√d: one run in 100 is worse"
    curves.append(Series(label, steps.STEPS, worst, colour_key=f"{colour}:worst"))
    plain = float(np.median(checks.column(frame, "reference")))
    curves.append(_level("plain estimate (not private)", plain))
    return Panel(
        "mean, d = 10, n = 1000, ρ = 0.5", STEP, "median error", tuple(curves), "linear", ylim=(0.07, 60)
    )


def _one_step(frame: pd.DataFrame) -> Panel:
    values = {reach: checks.column(frame, "error 1", reach=reach) for reach in steps.REACHES}
    measured = _measured("one step", values, key(MEAN, "practical"))
    expected = [
        theory.mean_parts(runs.mean_of(p["d"], p["reach"], steps=1), p["n"], p["d"], ZCDP(runs.RHO)).total
        for p in steps.MEAN_STEPS.points
    ]
    dashed = Series("predicted", steps.REACHES, expected, role="theory", colour_key=key(MEAN, "practical"))
    plain = float(checks.rms(checks.column(frame, "reference")))
    ends = (steps.REACHES[0], steps.REACHES[-1])
    level = Series("", ends, (plain, plain), role="reference", colour_key="non-private")
    return Panel("mean by one step", "radius R over √d", ERROR, (measured, dashed, level), ylim=(0.07, 60))


def _covariance_steps(profile: str, seed: int) -> Panel:
    frame = run(steps.COVARIANCE_STEPS, profile, seed=seed)
    sides = run(steps.ORIENTATIONS, profile, seed=seed)
    curves = []
    for mode in reversed(runs.MODES):
        values = {t: checks.column(frame, f"{mode} {t}") for t in steps.STEPS}
        curves.append(_measured(f"covariance, {mode}", values, key(COVARIANCE, mode)))
    wrong = {t: checks.column(sides, f"wrong {t}") for t in steps.STEPS}
    curves.append(_measured("covariance, rows on the wrong side", wrong, "4"))
    plain = float(checks.rms(checks.column(frame, "reference")))
    curves += [_level("", plain), _blind("covariance, answering zero", np.sqrt(10.0))]
    title = "covariance, d = 10, n = 20000, condition number 1000"
    return Panel(title, STEP, ERROR, tuple(curves), "linear", note=NOTE, ylim=(0.05, 60))


def _blind(label: str, level: float) -> Series:
    return Series(label, (1, steps.MOST), (level, level), role="reference")


def _more_steps(frame: pd.DataFrame) -> Panel:
    curves = []
    for place, condition in enumerate(dict.fromkeys(frame["condition"])):
        rows = at(frame, condition=condition)
        plain = checks.column(rows, "reference")
        for mode in runs.MODES:
            found = [ratio_band(checks.column(rows, f"{mode} +{more}"), plain) for more in steps.MORE]
            low, high = zip(*(interval for _, interval in found), strict=True)
            xs = [more + 0.06 * (place - 1) for more in steps.MORE]
            curves.append(Series("", xs, [y for y, _ in found], low, high, colour_key=key(COVARIANCE, mode)))
    curves.append(Series("", (0, 3), (1, 1), role="reference", colour_key="non-private"))
    title = "covariance, n = 10⁵, condition numbers 10², 10⁴, 10⁶"
    return Panel(
        title, "steps beyond the default", "error / plain estimate's", tuple(curves), "linear", "linear",
        note=f"Three curves for each mode. {NOTE}", ylim=(0.97, 1.16),
    )  # fmt: skip


def _measured(label: str, values: Mapping[Any, checks.Vector], colour: str) -> Series:
    ends = [rms_band(one) for one in values.values()]
    low, high = zip(*ends, strict=True)
    return Series(label, values, map(checks.rms, values.values()), low, high, colour_key=colour)


def _level(label: str, level: float) -> Series:
    return Series(label, (1, steps.MOST), (level, level), role="reference", colour_key="non-private")


def frame_bounds(
    n: int, d: int, rho: float, condition: float, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Record the extreme eigenvalues of A Σ Aᵀ before every step, both modes."""
    budget, places = ZCDP(rho), steps_taken(n, d, rho, condition)
    names = [f"{mode} {end} {place}" for mode in runs.MODES for end in ("low", "high")
             for place in range(places[mode])]  # fmt: skip
    found = runs.table(trials, *names)
    for trial in range(trials):
        sigma, x = runs.centred_rows(n, d, condition, data)
        for mode in runs.MODES:
            trace = Trace()
            runs.covariance_of(condition, mode=mode)(x, budget=budget, rng=noise, trace=trace)
            for place, a in enumerate(trace.records["preconditioner"]):
                values = np.linalg.eigvalsh(a @ sigma @ a.T)  # type: ignore[attr-defined, operator]
                found[f"{mode} low {place}"][trial], found[f"{mode} high {place}"][trial] = values[[0, -1]]
    return found


def steps_taken(n: int, d: int, rho: float, condition: float) -> dict[str, int]:
    """Return the default number of steps of each mode."""
    return {
        mode: len(runs.covariance_of(condition, mode=mode).design(n, d, ZCDP(rho)).weights)
        for mode in runs.MODES
    }


BOUNDS = Sweep(
    "m21-frame-bounds", grid(n=20_000, d=10, rho=runs.RHO, condition=1e4), frame_bounds, 10, blocks(10)
)


def two_modes(profile: str, seed: int) -> Chart:
    """Return the chart of the bounds on the frame in both modes, promised and kept, and of their costs."""
    frame = run(BOUNDS, profile, seed=seed)
    tables = ((runs.MEAN_N, "mean, d = 10", MEAN), (runs.COVARIANCE_N, "covariance, d = 8", COVARIANCE))
    ratios = [_over_plain(run(sweep, profile, seed=seed), title, owner) for sweep, title, owner in tables]
    return Chart(
        "two_modes",
        "Proved or practical: the same privacy, bounds or fewer rows",
        (*(_bounds(frame, mode) for mode in reversed(runs.MODES)), *ratios),
        alt="Above, the largest and the smallest eigenvalue of A Σ Aᵀ before every step: in mode proved"
        " within the public bounds in every run, in mode practical the frame is round in fewer steps and the"
        " upper bound fails in some. Below, the error over that of the plain estimate falls to 1 with n in"
        " both modes, in mode proved later.",
        how_to_read="Above, the ellipsoid becomes round: its longest axis (filled) starts at 1, its shortest"
        " (hollow) far below, and they meet. The bands hold all runs. Dashed: the public bounds 1 and ℓ. In"
        " mode proved no band may cross them. Mode practical takes a third of the caution: it needs fewer"
        " steps, and its upper bound is crossed in many runs, which a later step repairs. Privacy does not"
        " depend on either. Below, what the proof costs.",
    )  # fmt: skip


def _bounds(frame: pd.DataFrame, mode: str) -> Panel:
    point = BOUNDS.points[0]
    places = range(steps_taken(**point)[mode])
    curves = []
    for end, label, look in (("high", "longest axis", "0"), ("low", "shortest axis", "0:low")):
        values = [checks.column(frame, f"{mode} {end} {place}") for place in places]
        xs = [place + 1 for place in places]
        curves.append(
            Series(label, xs, map(np.median, values), map(min, values), map(max, values), colour_key=look)
        )
    estimator = runs.covariance_of(point["condition"], mode=mode)
    design = estimator.design(point["n"], point["d"], ZCDP(runs.RHO))
    curves += [
        Series("public bounds", [place + 1 for place in places], design.lower, role="theory"),
        Series("", (1, len(places)), (1, 1), role="theory"),
    ]
    return Panel(
        f"{mode}: eigenvalues of A Σ Aᵀ", "before step", "eigenvalue", tuple(curves), "linear",
        ylim=(5e-5, 200), note="d = 10, n = 20000, condition number 10⁴.",
    )  # fmt: skip


def _over_plain(frame: pd.DataFrame, title: str, owner: str) -> Panel:
    ns = [int(n) for n in dict.fromkeys(frame["n"])]
    curves = []
    for mode in reversed(runs.MODES):
        found = [
            ratio_band(checks.column(frame, f"error {mode}", n=n), checks.column(frame, "reference", n=n))
            for n in ns
        ]
        low, high = zip(*(interval for _, interval in found), strict=True)
        curves.append(Series(mode, ns, [y for y, _ in found], low, high, colour_key=key(owner, mode)))
    curves.append(
        Series("plain estimate", (ns[0], ns[-1]), (1, 1), role="reference", colour_key="non-private")
    )
    return Panel(
        title, "rows n", "error / plain estimate's", tuple(curves), yscale="linear", ylim=(0.95, 1.9),
        note=f"ρ = {runs.RHO:g}. {NOTE}",
    )  # fmt: skip
