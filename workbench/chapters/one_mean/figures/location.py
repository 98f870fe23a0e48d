"""Pictures of what it costs to find a mean: on a range, and anywhere on the line (L17 section 2).

`error_against_radius`, `rows_against_radius` and `rows_against_delta` show the sweeps that the claims on
locations decide from.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from workbench.chapters.one_mean.runs import location as sweeps
from workbench.chapters.one_mean.runs import theory
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.methods import name
from workbench.charts.words import number
from workbench.study import measures
from workbench.study.grids import Sweep
from workbench.study.measures import Measure
from workbench.study.run import Run

CURVE = tuple(float(radius) for radius in np.geomspace(10, 1e5, 17))
RADIUS, ERROR = "half-width of the range, R (σ)", "median absolute error (σ)"
ROWS = "rows n needed"
CLIPPED, TWO_STEP = "univariate/clipped-mean", "univariate/two-step-mean"
HISTOGRAM, STABLE, WINDOW = "univariate/histogram-location", "univariate/stable-location", "univariate/median"

APART = 1e4  # where two means, or two locations, are compared
SMALLER = sweeps.SMALL_EPSILON / sweeps.EPSILON  # the second ε of the histogram, over the first

Predict = Callable[[int, float, float, str], float]


def error_against_radius(run: Run, *, epsilon: float = sweeps.EPSILON, n: int = sweeps.N) -> Chart:
    """Return median errors of the clipped and the two-step mean against R, with predictions."""
    clipped = run.table(_over_radii(sweeps.CLIPPED, epsilon, n))
    two_step = run.table(
        *(_over_radii(sweep, epsilon, n) for sweep in (sweeps.TWO_STEP, sweeps.TWO_STEP_WIDEST))
    )
    curves = [
        *_errors(CLIPPED, clipped, theory.clipped_error, epsilon, n),
        *_errors(TWO_STEP, two_step, theory.two_step_error, epsilon, n),
    ]
    plain = {radius: measures.median(rows["sampling"].abs(), LEVEL) for radius, rows in _radii(clipped)}
    reference = Series(
        name("non-private"), plain, _estimates(plain), role="reference", colour_key="non-private"
    )
    steep, flat = (
        predict(n, APART, epsilon, "tight") for predict in (theory.clipped_error, theory.two_step_error)
    )
    times = f"{number(steep / flat)} times the error"
    marks = (
        Mark("ten times the range, ten times the error", x=APART / 60, y=steep / 15, colour_key=CLIPPED),
        Mark(times, "arrow", APART, flat, APART, steep, side="right"),
    )
    return Chart(
        "error_against_radius",
        "A wide range ruins the clipped mean, not the two-step mean",
        (
            Panel(
                f"{number(n)} rows, ε = {number(epsilon)}, the mean anywhere in [−R, R]",
                RADIUS,
                ERROR,
                (*curves, reference),
                marks=marks,
            ),
        ),
        alt=f"Median absolute error against the half-width R of the range, at {n} rows and ε = {epsilon:g}, "
        "both axes logarithmic. The clipped mean's error grows in proportion to R, the two-step mean's is "
        "flat and, with tight constants, close to that of the mean without privacy.",
        how_to_read="A good curve is flat and near the black line. The clipped mean adds noise for the whole "
        "range; the two-step mean looks for the data first, and then adds noise for a few standard "
        "deviations.",
    )


def _over_radii(sweep: Sweep, epsilon: float, n: int) -> Sweep:
    return sweep.moved({**point, "epsilon": epsilon, "n": n} for point in sweep.points)


def rows_against_radius(run: Run, *, epsilon: float = sweeps.EPSILON) -> Chart:
    """Return the n that a location on a range needs against R, and the packing bound."""
    tables = (sweeps.LOCATE_RANGE, sweeps.LOCATE_WIDE, sweeps.LOCATE_WIDEST)
    frame = run.table(*(_located(sweep, epsilon) for sweep in tables))
    curves = _needed(frame, run.seed, "radius", "histogram", HISTOGRAM, epsilon)
    bound = [sweeps.packing(radius, epsilon) for radius in CURVE]
    curves.append(Series("", CURVE, bound, role="bound", colour_key="idea/limit"))
    slow, fast = (sweeps.predicted_rows(method, epsilon, radius=APART) for method in ("paper", "window"))
    marks = (
        Mark("impossible: packing", x=CURVE[10], y=0.45 * bound[10]),
        Mark(f"{number(slow / fast, 2)} times fewer rows", "arrow", APART, fast, APART, slow, side="right"),
    )
    title = f"ε = {number(epsilon)}: within 2.5 σ of the mean in nine runs of ten"
    panel = Panel(
        title, RADIUS, ROWS, tuple(curves), yscale="linear", marks=marks,
        note=_smaller(frame, run.seed, epsilon),
        ylim=(0, 1.08 * sweeps.predicted_rows("paper", epsilon, radius=CURVE[-1])),
    )  # fmt: skip
    return Chart(
        "rows_against_radius",
        "Finding the mean on a range costs ln(R)/ε rows, and has to",
        (panel,),
        alt="Rows needed to locate the mean within 2.5 standard deviations with probability 0.9, against the "
        "half-width R on a logarithmic axis. All curves are straight lines that rise; the window median's "
        "lies at less than half of the histogram's, both above the packing bound.",
        how_to_read="On this axis a straight line says that n grows as ln R. No ε-private method can enter "
        "the grey region: that is a theorem. The window median needs fewer rows than the histogram, since "
        "every far row speaks against a wrong place.",
    )


def _smaller(frame: pd.DataFrame, seed: int, epsilon: float) -> str:
    """Say how many times the rows a smaller ε takes; nothing without runs."""
    smaller = epsilon * SMALLER
    here, there = (
        _rows_found(frame, seed, "radius", method="paper", epsilon=one) for one in (epsilon, smaller)
    )
    times = [there[radius].estimate / here[radius].estimate for radius in there if radius in here]
    if not times:
        return ""
    return (
        f"At ε = {number(smaller)} the histogram needs {number(float(np.median(times)), 2)} times the rows."
    )


def rows_against_delta(run: Run, *, epsilon: float = sweeps.EPSILON) -> Chart:
    """Return the n that a location on the whole line needs against 1/δ."""
    frame = run.table(_located(sweeps.LOCATE_LINE, epsilon))
    curves = _needed(frame, run.seed, "delta", "histogram", STABLE, epsilon)
    slow, fast = (
        sweeps.predicted_rows(method, epsilon, delta=sweeps.DELTAS[2]) for method in ("paper", "window")
    )
    place = 1 / sweeps.DELTAS[2]
    times = f"{number(slow / fast, 2)} times fewer rows"
    return Chart(
        "rows_against_delta",
        "Without a range, δ takes its place: ln(1/δ)/ε rows",
        (
            Panel(
                f"ε = {number(epsilon)}: within 2.5 σ of a mean anywhere, in nine runs of ten",
                "1/δ",
                ROWS,
                tuple(curves),
                yscale="linear",
                ylim=(0, 1.08 * sweeps.predicted_rows("paper", epsilon, delta=sweeps.DELTAS[-1])),
                marks=(Mark(times, "arrow", place, fast, place, slow, side="right"),),
            ),
        ),
        alt="Rows needed to locate a mean anywhere on the line within 2.5 standard deviations with "
        "probability 0.9, against 1/δ on a logarithmic axis. All curves are straight and rise; the window "
        "median needs less than half of the rows of the stability-based histogram.",
        how_to_read="The place of the mean does not matter. The price is a threshold that a lone row passes "
        "with probability δ: rows grow by 5.8/ε for every factor e in 1/δ with the histogram, by 2/ε with "
        "the window median.",
    )


def _located(sweep: Sweep, epsilon: float) -> Sweep:
    """Return the sweep of locations at another ε, its grid of n placed by the predictions there."""
    if epsilon == sweeps.EPSILON:
        return sweep
    places = [{name: point[name] for name in point if name != "n"} for point in sweep.points]
    unique = {
        repr(place): {**place, "epsilon": place["epsilon"] * epsilon / sweeps.EPSILON} for place in places
    }
    counts = len(sweep.points) // len(unique)
    factors = sweeps.FACTORS if counts == len(sweeps.FACTORS) else sweeps.FACTORS[2:-1]
    return sweep.moved(sweeps.with_rows(list(unique.values()), factors))


def _radii(frame: pd.DataFrame) -> list[tuple[float, pd.DataFrame]]:
    return list(measures.by(frame, "radius").items())


def _estimates(found: dict[float, Measure]) -> list[float]:
    return [measure.estimate for measure in found.values()]


def _errors(key: str, frame: pd.DataFrame, predict: Predict, epsilon: float, n: int) -> list[Series]:
    curves = []
    for calibration in reversed(sweeps.CALIBRATIONS):  # hollow markers last, on top
        colour = key if calibration == "tight" else f"{key}:paper"
        found = {r: measures.median(rows[calibration].abs(), LEVEL) for r, rows in _radii(frame)}
        expected = [predict(n, radius, epsilon, calibration) for radius in found]
        label = name(key) if calibration == "tight" else ""
        curves.append(measured(label, found, colour, expected))
        line = [predict(n, radius, epsilon, calibration) for radius in CURVE]
        curves.append(Series("", CURVE, line, role="theory", colour_key=colour))
    return curves


def _needed(frame: pd.DataFrame, seed: int, axis: str, words: str, key: str, epsilon: float) -> list[Series]:
    looks = {"tight": (words, key), "paper": ("", f"{key}:paper"), "window": ("window median", WINDOW)}
    curves = []
    for method, (label, colour) in looks.items():
        found = _rows_found(frame, seed, axis, method=method, epsilon=epsilon)
        if method == "tight" and axis == "radius":  # on a range the tight histogram has no prediction
            curves.append(measured(label, found, colour))
            continue
        expected = [sweeps.predicted_rows(method, epsilon, **{axis: value}) for value in found]
        curves.append(measured(label, found, colour, expected))
        curves.append(Series("", found, expected, role="theory", colour_key=colour))
    return [_against_inverse(curve) for curve in curves] if axis == "delta" else curves


def _rows_found(frame: pd.DataFrame, seed: int, axis: str, **where: float | str) -> dict[float, Measure]:
    rows = measures.at(frame, **where)
    return {
        value: sweeps.rows_to_locate(rows, LEVEL, seed, **where, **{axis: value})
        for value in measures.by(rows, axis)
    }


def _against_inverse(curve: Series) -> Series:
    return replace(curve, x=[1 / x for x in curve.x])
