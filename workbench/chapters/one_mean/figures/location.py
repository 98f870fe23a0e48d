"""Pictures of what it costs to find a mean: on a range, and anywhere on the line (L17 section 2).

`error_against_radius`, `rows_against_radius` and `rows_against_delta` show the sweeps that the claims on
locations decide from.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from workbench.chapters.one_mean.runs import location as sweeps
from workbench.chapters.one_mean.runs import theory
from workbench.charts.chart import Chart, Panel, Series
from workbench.study import measures
from workbench.study.measures import Measure
from workbench.study.sweeps.sweep import run, run_all

LEVEL = 0.05  # of the bands
CURVE = tuple(float(radius) for radius in np.geomspace(10, 1e5, 17))
RADIUS, ERROR = "half-width of the range, R (σ)", "median absolute error (σ)"
ROWS = "rows n needed"
NOTE = "Dashed: predicted. Bands: 95 % intervals."
CLIPPED, TWO_STEP = "univariate/clipped-mean", "univariate/two-step-mean"
HISTOGRAM, STABLE, WINDOW = "univariate/histogram-location", "univariate/stable-location", "univariate/median"

Predict = Callable[[int, float, float, str], float]


def error_against_radius(profile: str, seed: int) -> Chart:
    """Return median errors of the clipped and the two-step mean against R, with predictions."""
    n, epsilon = sweeps.N, sweeps.EPSILON
    clipped = run(sweeps.CLIPPED, profile, seed=seed)
    two_step = run_all((sweeps.TWO_STEP, sweeps.TWO_STEP_WIDEST), profile, seed=seed)
    curves = [
        *_errors("clipped mean", CLIPPED, clipped, theory.clipped_error),
        *_errors("two-step mean", TWO_STEP, two_step, theory.two_step_error),
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


def rows_against_radius(profile: str, seed: int) -> Chart:
    """Return the n that a location on a range needs against R, and the packing bound."""
    tables = (sweeps.LOCATE_RANGE, sweeps.LOCATE_WIDE, sweeps.LOCATE_WIDEST)
    frame = run_all(tables, profile, seed=seed)
    left = _needed(frame, seed, "radius", "histogram", HISTOGRAM)
    bound = [sweeps.packing(radius, sweeps.EPSILON) for radius in CURVE]
    forbidden = Series("impossible: packing bound", CURVE, bound, role="bound")
    keys = {sweeps.EPSILON: f"{HISTOGRAM}:paper", sweeps.SMALL_EPSILON: "0:paper"}
    products = tuple(_products(frame, seed, epsilon, key) for epsilon, key in keys.items())
    right = Panel("n times ε is the same for both ε", RADIUS, "n times ε", products, yscale="linear")
    title = f"ε = {sweeps.EPSILON:g}: rows to be within 2.5 σ, probability .9"
    return Chart(
        "rows_against_radius",
        "Finding the mean on a range costs ln(R)/ε rows, and has to",
        (Panel(title, RADIUS, ROWS, (*left, forbidden), yscale="linear", note=NOTE), right),
        alt="Rows needed to locate the mean within 2.5 standard deviations with probability .9, against the "
        "half-width R on a logarithmic axis. All curves are straight lines that rise; the window median's "
        "lies at less than half of the histogram's, both above the packing bound. On the right, n times ε "
        "of the histogram is the same for ε = .5 and ε = .1.",
        how_to_read="R is on a logarithmic axis, so a straight line means n grows with ln R. No ε-DP method "
        "can enter the shaded region: the packing bound is a theorem, not a lack of ideas. The histogram "
        "has the right shape at six times the bound; the window median needs less than half of its rows, "
        "since rows far away count twice against a wrong place. Dashed lines are predicted, not fitted.",
    )


def rows_against_delta(profile: str, seed: int) -> Chart:
    """Return the n that a location on the whole line needs against 1/δ."""
    frame = run(sweeps.LOCATE_LINE, profile, seed=seed)
    series = _needed(frame, seed, "delta", "stable histogram", STABLE)
    title = f"ε = {sweeps.EPSILON:g}: rows to be within 2.5 σ of any mean with probability .9"
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


def _radii(frame: pd.DataFrame) -> list[tuple[float, pd.DataFrame]]:
    return list(measures.by(frame, "radius").items())


def _estimates(found: dict[float, Measure]) -> list[float]:
    return [measure.estimate for measure in found.values()]


def _measured(label: str, found: dict[float, Measure], colour: str) -> Series:
    low, high = zip(*(measure.interval for measure in found.values()), strict=True)
    return Series(label, found, _estimates(found), low, high, colour_key=colour)


def _errors(name: str, key: str, frame: pd.DataFrame, predict: Predict) -> list[Series]:
    curves = []
    for calibration in reversed(sweeps.CALIBRATIONS):  # hollow markers last, on top
        colour = key if calibration == "tight" else f"{key}:paper"
        found = {r: measures.median(rows[calibration].abs(), LEVEL) for r, rows in _radii(frame)}
        curves.append(_measured(f"{name}, {calibration}", found, colour))
        curves.append(_theory(sweeps.N, sweeps.EPSILON, predict, calibration, colour, CURVE))
    return curves


def _theory(
    n: int, epsilon: float, predict: Predict, calibration: str, colour: str, radii: Sequence[float]
) -> Series:
    expected = [predict(n, radius, epsilon, calibration) for radius in radii]
    return Series("", radii, expected, role="theory", colour_key=colour)


def _needed(frame: pd.DataFrame, seed: int, axis: str, words: str, key: str) -> list[Series]:
    looks = {
        "tight": (f"{words}, tight", key),
        "paper": (f"{words}, paper", f"{key}:paper"),
        "window": ("window median, tight", WINDOW),
    }
    curves = []
    for method, (label, colour) in looks.items():
        found = _rows_found(frame, seed, axis, method=method, epsilon=sweeps.EPSILON)
        curves.append(_measured(label, found, colour))
        if method != "tight" or axis == "delta":  # on a range the tight histogram has no prediction
            curves.append(_predicted_rows(found, axis, method, colour))
    return [_against_inverse(curve) for curve in curves] if axis == "delta" else curves


def _predicted_rows(found: dict[float, Measure], axis: str, method: str, colour: str) -> Series:
    expected = [sweeps.predicted_rows(method, sweeps.EPSILON, **{axis: value}) for value in found]
    return Series("", found, expected, role="theory", colour_key=colour)


def _rows_found(frame: pd.DataFrame, seed: int, axis: str, **where: float | str) -> dict[float, Measure]:
    rows = measures.at(frame, **where)
    return {
        value: sweeps.rows_to_locate(rows, LEVEL, seed, **where, **{axis: value})
        for value in measures.by(rows, axis)
    }


def _against_inverse(curve: Series) -> Series:
    return replace(curve, x=[1 / x for x in curve.x])


def _products(frame: pd.DataFrame, seed: int, epsilon: float, key: str) -> Series:
    found = _rows_found(frame, seed, "radius", method="paper", epsilon=epsilon)
    products = {radius: measures.scaled(measure, epsilon) for radius, measure in found.items()}
    here = f", ε = {epsilon:g}" if epsilon != sweeps.EPSILON else ""
    return _measured(f"histogram, paper{here}", products, key)
