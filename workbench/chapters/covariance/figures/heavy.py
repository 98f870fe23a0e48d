"""Pictures of heavy tails: three errors as layers, the rate of moments, the cost of long ellipsoids."""

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import pandas as pd

from workbench.chapters.covariance.claims import heavy as claims
from workbench.chapters.covariance.runs import heavy as sweeps
from workbench.chapters.covariance.runs.heavy_theory import CutStudent
from workbench.charts.bands import ERROR, LEVEL, measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.study import measures
from workbench.study.measures import summary
from workbench.study.sweeps.sweep import run

LAYER_N, LAYER_DEGREES = 10_000, (4.2, 10.2)
LAYERS = {"bias": "0", "noise": "1", "sampling": "2"}
NAIVE, PRECONDITIONED, PLAIN = "covariance/heavy-tailed-naive", "covariance/heavy-tailed", "non-private"
NOTE = "Dashed: predicted, nothing is fitted. Bands: 95 % intervals."
RADIUS = "clipping radius γ (standard deviations)"


def three_layers(profile: str, seed: int) -> Chart:
    """Return bias, noise and sampling error against the clipping radius, for two laws."""
    frame = run(sweeps.LAYERS, profile, seed=seed)
    panels = tuple(_layers(frame, degrees, seed) for degrees in LAYER_DEGREES)
    return Chart(
        "three_layers",
        "Three errors of a clipped covariance",
        panels,
        alt="Bias falls with the clipping radius, noise grows as its square, the sampling error hardly"
        " changes. Bias and noise cross; their sum is least near the crossing, marked by a vertical"
        " line. With more moments the bias falls faster, and the least sum is smaller.",
        how_to_read="Move to the right and you clip less: the bias falls, and the noise, which has to hide"
        " a row as long as γ, grows as γ². The vertical line marks the radius where their sum"
        " is least. Sampling is what remains without privacy. The more moments the rows have,"
        " the steeper the bias falls and the farther left, and lower, the line can stand.",
    )


def _layers(frame: pd.DataFrame, degrees: float, seed: int) -> Panel:
    law, rows = CutStudent(degrees, sweeps.D), measures.at(frame, degrees=degrees, n=LAYER_N)
    best = law.best_radius(LAYER_N, sweeps.RHO)
    radii = best * np.array(sweeps.FACTORS)
    series = []
    for part, key in LAYERS.items():
        values = claims.layer(rows, part)
        found = {
            radius: summary(_mean if part == "bias" else _root_mean_square, values[:, i], seed, part, LEVEL)
            for i, radius in enumerate(radii)
        }
        series.append(measured(part, found, key))
    series += predicted(law, LAYER_N, sweeps.RHO, np.geomspace(radii[0], radii[-1], 41))
    series.append(minimiser(best))
    title = f"Student rows, ν = {degrees:g}"
    note = f"n = {LAYER_N}, d = {sweeps.D}, ρ = {sweeps.RHO:g}. {NOTE}"
    return Panel(title, RADIUS, ERROR, tuple(series), note=note, ylim=LAYER_LIMITS)


LAYER_LIMITS = (1e-4, 2.0)


def predicted(law: CutStudent, n: int, rho: float, radii: Iterable[float]) -> list[Series]:
    """Return the three layers and the sum of bias and noise, as predicted."""
    xs = tuple(radii)
    layers: Mapping[str, Callable[[float], float]] = {
        "bias": law.bias,
        "noise": lambda radius: law.noise(radius, n, rho),
        "sampling": lambda radius: law.sampling(radius, n),
    }
    lines = [
        Series("", xs, map(layers[part], xs), role="theory", colour_key=key) for part, key in LAYERS.items()
    ]
    both = [law.private(radius, n, rho) for radius in xs]
    return [*lines, Series("bias + noise", xs, both, role="reference")]


def minimiser(radius: float) -> Series:
    """Return the vertical line at the best radius."""
    return Series("least bias + noise", (radius, radius), LAYER_LIMITS, role="reference", colour_key=PLAIN)


def _mean(values: np.ndarray) -> float:
    return float(values.mean())


def _root_mean_square(values: np.ndarray) -> float:
    return float(np.sqrt((values**2).mean()))


def rates(profile: str, seed: int) -> Chart:
    """Return the least bias plus noise against n, then errors against the length of the ellipsoid."""
    layers = run(sweeps.LAYERS, profile, seed=seed)
    spreads = run(sweeps.SPREADS, profile, seed=seed)
    return Chart(
        "rates",
        "What more moments buy, and what a long ellipsoid costs",
        (_rates(layers, seed), _lengths(spreads)),
        alt="Left: the least sum of bias and noise falls with n, steeper for rows with more moments."
        " Right: the naive error grows in proportion to the length of the ellipsoid, the preconditioned"
        " one is flat and close to the error without privacy.",
        how_to_read="Left, private errors with the best radius; the slopes are close to -(ν - 2)/ν, that is"
        " -(k - 1)/k for the last moment 2k, and to -1 only for rows with all moments. Right, the same"
        " privacy on ellipsoids that are longer and longer: one radius for all directions pays for the"
        " longest in the shortest one. Above the grey line an estimate is worse than the answer 0, which"
        " needs no data.",
    )


def _rates(frame: pd.DataFrame, seed: int) -> Panel:
    series, fine = [], np.geomspace(sweeps.LAYER_N[0], sweeps.LAYER_N[-1], 9).round()
    for degrees, key in zip(sweeps.DEGREES, ("0", "1", "5"), strict=True):
        law = CutStudent(degrees, sweeps.D)
        found = {float(n): claims.least_measured(frame, degrees, n, seed, LEVEL) for n in sweeps.LAYER_N}
        series.append(measured(f"ν = {degrees:g}", found, key))
        lines = [law.least(int(n), sweeps.RHO) for n in fine]
        series.append(Series("", fine, lines, role="theory", colour_key=key))
    note = f"d = {sweeps.D}, ρ = {sweeps.RHO:g}. {NOTE}"
    return Panel("least bias + noise", "rows n", ERROR, tuple(series), note=note)


def _lengths(frame: pd.DataFrame) -> Panel:
    groups = measures.by(frame, "upper")
    curves = (("naive", "naive", NAIVE), ("preconditioned", "error", PRECONDITIONED))
    series = [
        measured(name, {u: measures.median(rows[column], LEVEL) for u, rows in groups.items()}, key)
        for name, column, key in curves
    ]
    noise = [claims.naive_noise(upper) for upper in groups]
    plain = [float(rows["reference"].median()) for rows in groups.values()]
    series.append(Series("", groups, noise, role="theory", colour_key=NAIVE))
    series.append(Series("without privacy", groups, plain, role="reference", colour_key=PLAIN))
    series.append(trivial(groups, sweeps.D))
    return Panel(
        "longer and longer ellipsoids", "condition number u", ERROR, tuple(series),
        note=f"Medians; n = {sweeps.SPREAD_N}, ν = {sweeps.SPREAD_DEGREES:g}. Dashed: the naive noise.",
    )  # fmt: skip


def trivial(xs: Iterable[float], d: int) -> Series:
    """Return the error of the answer 0: √d."""
    places = tuple(xs)
    return Series("the answer 0", places, [d**0.5] * len(places), role="reference")
