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
from workbench.charts.chart import Chart, Panel, Series
from workbench.study import measures
from workbench.study.measures import Measure
from workbench.study.run import Run
from workbench.study.sweeps.sweep import Sweep

CURVE = tuple(float(radius) for radius in np.geomspace(10, 1e5, 17))
RADIUS, ERROR = "half-width of the range, R (σ)", "median absolute error (σ)"
ROWS = "rows n needed"
NOTE = "Dashed: predicted. Bands: 95 % intervals."
CLIPPED, TWO_STEP = "univariate/clipped-mean", "univariate/two-step-mean"
HISTOGRAM, STABLE, WINDOW = "univariate/histogram-location", "univariate/stable-location", "univariate/median"

SMALLER = sweeps.SMALL_EPSILON / sweeps.EPSILON  # the second ε of the right panel, over the first

Predict = Callable[[int, float, float, str], float]


def error_against_radius(run: Run, *, epsilon: float = sweeps.EPSILON, n: int = sweeps.N) -> Chart:
    """Return median errors of the clipped and the two-step mean against R, with predictions."""
    clipped = run.table(_over_radii(sweeps.CLIPPED, epsilon, n))
    two_step = run.table(
        *(_over_radii(sweep, epsilon, n) for sweep in (sweeps.TWO_STEP, sweeps.TWO_STEP_WIDEST))
    )
    curves = [
        *_errors("clipped mean", CLIPPED, clipped, theory.clipped_error, epsilon, n),
        *_errors("two-step mean", TWO_STEP, two_step, theory.two_step_error, epsilon, n),
    ]
    plain = {radius: measures.median(rows["sampling"].abs(), LEVEL) for radius, rows in _radii(clipped)}
    reference = Series(
        "without privacy", plain, _estimates(plain), role="reference", colour_key="non-private"
    )
    title = f"n = {n} rows, ε = {epsilon:g}, the mean uniform in [−R, R]"
    note = f"{NOTE} σ: the known standard deviation of a row."
    return Chart(
        "error_against_radius",
        "A wide range ruins the clipped mean, not the two-step mean",
        (Panel(title, RADIUS, ERROR, (*curves, reference), note=note),),
        alt=f"Median absolute error against the half-width R of the range, at {n} rows and ε = {epsilon:g}, "
        "both axes logarithmic. The clipped mean's error grows in proportion to R, the two-step mean's is "
        "flat and, with tight constants, close to that of the mean without privacy.",
        how_to_read="A good curve is flat and lies on the black line, the mean without privacy. The clipped "
        "mean adds noise for the whole range, so ten times the range is ten times the error; the two-step "
        "mean looks for the data first and then adds noise for a few standard deviations only. Dashed lines "
        "are predicted, not fitted; tight and paper are the same algorithm with our constants and with the "
        "lecture's.",
    )


def _over_radii(sweep: Sweep, epsilon: float, n: int) -> Sweep:
    return sweep.moved({**point, "epsilon": epsilon, "n": n} for point in sweep.points)


def rows_against_radius(run: Run, *, epsilon: float = sweeps.EPSILON) -> Chart:
    """Return the n that a location on a range needs against R, and the packing bound."""
    tables = (sweeps.LOCATE_RANGE, sweeps.LOCATE_WIDE, sweeps.LOCATE_WIDEST)
    frame = run.table(*(_located(sweep, epsilon) for sweep in tables))
    left = _needed(frame, run.seed, "radius", "histogram", HISTOGRAM, epsilon)
    bound = [sweeps.packing(radius, epsilon) for radius in CURVE]
    forbidden = Series("impossible: packing bound", CURVE, bound, role="bound")
    smaller = epsilon * SMALLER
    here = f", ε = {smaller:g}"
    products = (
        _products(frame, run.seed, epsilon, "", f"{HISTOGRAM}:paper"),
        _products(frame, run.seed, smaller, here, "0:paper"),
    )
    right = Panel("n times ε is the same for both ε", RADIUS, "n times ε", products, yscale="linear")
    title = f"ε = {epsilon:g}: rows to be within 2.5 σ, probability .9"
    return Chart(
        "rows_against_radius",
        "Finding the mean on a range costs ln(R)/ε rows, and has to",
        (Panel(title, RADIUS, ROWS, (*left, forbidden), yscale="linear", note=NOTE), right),
        alt="Rows needed to locate the mean within 2.5 standard deviations with probability .9, against the "
        "half-width R on a logarithmic axis. All curves are straight lines that rise; the window median's "
        "lies at less than half of the histogram's, both above the packing bound. On the right, n times ε "
        f"of the histogram is the same for ε = {epsilon:g} and ε = {smaller:g}.",
        how_to_read="R is on a logarithmic axis, so a straight line means n grows with ln R. No ε-DP method "
        "can enter the shaded region: the packing bound is a theorem, not a lack of ideas. The histogram "
        "has the right shape at six times the bound; the window median needs less than half of its rows, "
        "since rows far away count twice against a wrong place. Dashed lines are predicted, not fitted.",
    )


def rows_against_delta(run: Run, *, epsilon: float = sweeps.EPSILON) -> Chart:
    """Return the n that a location on the whole line needs against 1/δ."""
    frame = run.table(_located(sweeps.LOCATE_LINE, epsilon))
    series = _needed(frame, run.seed, "delta", "stable histogram", STABLE, epsilon)
    title = f"ε = {epsilon:g}: rows to be within 2.5 σ of any mean with probability .9"
    return Chart(
        "rows_against_delta",
        "Without a range, δ takes its place: ln(1/δ)/ε rows",
        (Panel(title, "1/δ", ROWS, tuple(series), yscale="linear", note=NOTE),),
        alt="Rows needed to locate a mean anywhere on the line within 2.5 standard deviations with "
        "probability .9, against 1/δ on a logarithmic axis. All curves are straight and rise; the window "
        "median needs less than half of the rows of the stability-based histogram.",
        how_to_read="Nothing is known about where the mean is, and its position does not matter. The price "
        "is a threshold that a lone row passes with probability δ: it grows with ln(1/δ), and so do the "
        "rows, by 5.8/ε per factor e for the histogram, whose fullest bin holds only a third of them. "
        "The window median needs 2/ε per factor e. Dashed lines are predicted, not fitted.",
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


def _errors(
    name: str, key: str, frame: pd.DataFrame, predict: Predict, epsilon: float, n: int
) -> list[Series]:
    curves = []
    for calibration in reversed(sweeps.CALIBRATIONS):  # hollow markers last, on top
        colour = key if calibration == "tight" else f"{key}:paper"
        found = {r: measures.median(rows[calibration].abs(), LEVEL) for r, rows in _radii(frame)}
        expected = [predict(n, radius, epsilon, calibration) for radius in found]
        curves.append(measured(f"{name}, {calibration}", found, colour, expected))
        line = [predict(n, radius, epsilon, calibration) for radius in CURVE]
        curves.append(Series("", CURVE, line, role="theory", colour_key=colour))
    return curves


def _needed(frame: pd.DataFrame, seed: int, axis: str, words: str, key: str, epsilon: float) -> list[Series]:
    looks = {
        "tight": (f"{words}, tight", key),
        "paper": (f"{words}, paper", f"{key}:paper"),
        "window": ("window median, tight", WINDOW),
    }
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


def _products(frame: pd.DataFrame, seed: int, epsilon: float, here: str, key: str) -> Series:
    found = _rows_found(frame, seed, "radius", method="paper", epsilon=epsilon)
    products = {radius: measures.scaled(measure, epsilon) for radius, measure in found.items()}
    return measured(f"histogram, paper{here}", products, key)
