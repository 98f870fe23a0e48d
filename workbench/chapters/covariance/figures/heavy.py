"""Pictures of heavy tails: three errors as layers, the rate of moments, the cost of long ellipsoids."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import nan

import numpy as np
import pandas as pd

from workbench.chapters.covariance.claims import heavy as claims
from workbench.chapters.covariance.runs import heavy as sweeps
from workbench.chapters.covariance.runs.heavy_theory import CutStudent
from workbench.charts.bands import ERROR, LEVEL, measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.study import measures
from workbench.study.measures import summary
from workbench.study.run import Run
from workbench.study.sweeps.sweep import grid, multiples

LAYER_N, LAYER_DEGREES = 10_000, (4.2, 10.2)
MORE_DEGREES = (0.0, 2.0, 6.0)  # of the laws whose rates are shown
LAYERS = {"bias": "0", "noise": "1", "sampling": "2"}
NAIVE, PRECONDITIONED, PLAIN = "covariance/heavy-tailed-naive", "covariance/heavy-tailed", "non-private"
NOTE = "Dashed: predicted, nothing is fitted. Bands: 95 % intervals."
RADIUS = "clipping radius γ (standard deviations)"


def three_layers(
    run: Run,
    *,
    rho: float = sweeps.RHO,
    n: int = LAYER_N,
    d: int = sweeps.D,
    degrees: float = LAYER_DEGREES[0],
) -> Chart:
    """Return bias, noise and sampling error against the clipping radius, for two laws."""
    both = (degrees, degrees + LAYER_DEGREES[1] - LAYER_DEGREES[0])
    frame = run.table(sweeps.LAYERS.moved(grid(degrees=both, n=n, rho=rho, d=d)))
    panels = tuple(_layers(frame, CutStudent(one, d), n, rho, run.seed) for one in both)
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


def _layers(frame: pd.DataFrame, law: CutStudent, n: int, rho: float, seed: int) -> Panel:
    rows, best = measures.at(frame, degrees=law.degrees, n=n), law.best_radius(n, rho)
    radii = best * np.array(sweeps.FACTORS)
    series = []
    for part, key in LAYERS.items():
        values = claims.layer(rows, part)
        found = {
            radius: summary(_mean if part == "bias" else _root_mean_square, values[:, i], seed, part, LEVEL)
            for i, radius in enumerate(radii)
            if len(rows)
        }
        expected = [
            foreseen(law, n, rho)[part](radius) if part != "bias" or n * law.beyond(radius) >= 1 else nan
            for radius in found
        ]
        series.append(measured(part, found, key, expected))
    series += predicted(law, n, rho, np.geomspace(radii[0], radii[-1], 41))
    series.append(minimiser(best))
    title = f"Student rows, ν = {law.degrees:g}"
    note = f"n = {n}, d = {law.d}, ρ = {rho:g}. {NOTE}"
    return Panel(title, RADIUS, ERROR, tuple(series), note=note, ylim=LAYER_LIMITS)


LAYER_LIMITS = (1e-4, 2.0)


def foreseen(law: CutStudent, n: int, rho: float) -> Mapping[str, Callable[[float], float]]:
    """Return the three layers as functions of the radius."""
    return {
        "bias": law.bias,
        "noise": lambda radius: law.noise(radius, n, rho),
        "sampling": lambda radius: law.sampling(radius, n),
    }


def predicted(law: CutStudent, n: int, rho: float, radii: Iterable[float]) -> list[Series]:
    """Return the three layers and the sum of bias and noise, as predicted."""
    xs = tuple(radii)
    layers = foreseen(law, n, rho)
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


def rates(
    run: Run,
    *,
    rho: float = sweeps.RHO,
    n: int = LAYER_N,
    d: int = sweeps.D,
    upper: float = sweeps.UPPERS[1],
    degrees: float = LAYER_DEGREES[0],
) -> Chart:
    """Return the least bias plus noise against n, then errors against the length of the ellipsoid."""
    ns, laws = multiples(sweeps.LAYER_N, n / LAYER_N), [degrees + one for one in MORE_DEGREES]
    layers = run.table(sweeps.LAYERS.moved(grid(degrees=laws, n=ns, rho=rho, d=d)))
    (long,) = multiples([sweeps.SPREAD_N], n / LAYER_N)
    uppers = [upper * one / sweeps.UPPERS[1] for one in sweeps.UPPERS]
    spreads = run.table(sweeps.SPREADS.moved(grid(n=long, upper=uppers, rho=rho, d=d)))
    return Chart(
        "rates",
        "What more moments buy, and what a long ellipsoid costs",
        (_rates(layers, laws, ns, rho, d, run.seed), _lengths(spreads, uppers, long, rho, d)),
        alt="Left: the least sum of bias and noise falls with n, steeper for rows with more moments."
        " Right: the naive error grows in proportion to the length of the ellipsoid, the preconditioned"
        " one is flat and close to the error without privacy.",
        how_to_read="Left, private errors with the best radius; the slopes are close to -(ν - 2)/ν, that is"
        " -(k - 1)/k for the last moment 2k, and to -1 only for rows with all moments. Right, the same"
        " privacy on ellipsoids that are longer and longer: one radius for all directions pays for the"
        " longest in the shortest one. Above the grey line an estimate is worse than the answer 0, which"
        " needs no data.",
    )


def _rates(
    frame: pd.DataFrame, laws: Sequence[float], ns: Sequence[int], rho: float, d: int, seed: int
) -> Panel:
    series, fine = [], np.geomspace(ns[0], ns[-1], 9).round()
    for degrees, key in zip(laws, ("0", "1", "5"), strict=True):
        law = CutStudent(degrees, d)
        found = {float(n): claims.least_measured(frame, degrees, n, seed, LEVEL) for n in ns if len(frame)}
        expected = [law.least(int(n), rho) for n in found]
        series.append(measured(f"ν = {degrees:g}", found, key, expected))
        lines = [law.least(int(n), rho) for n in fine]
        series.append(Series("", fine, lines, role="theory", colour_key=key))
    note = f"d = {d}, ρ = {rho:g}. {NOTE}"
    return Panel("least bias + noise", "rows n", ERROR, tuple(series), note=note)


def _lengths(frame: pd.DataFrame, uppers: Sequence[float], n: int, rho: float, d: int) -> Panel:
    groups = measures.by(frame, "upper")
    curves = (("naive", "naive", NAIVE), ("preconditioned", "error", PRECONDITIONED))
    series = [
        measured(name, {u: measures.median(rows[column], LEVEL) for u, rows in groups.items()}, key)
        for name, column, key in curves
    ]
    noise = [claims.naive_noise(upper, n, rho, d) for upper in uppers]
    plain = [float(rows["reference"].median()) for rows in groups.values()]
    series.append(Series("", uppers, noise, role="theory", colour_key=NAIVE))
    series.append(Series("without privacy", groups, plain, role="reference", colour_key=PLAIN))
    series.append(trivial(uppers, d))
    return Panel(
        "longer and longer ellipsoids", "condition number u", ERROR, tuple(series),
        note=f"Medians; n = {n}, ν = {sweeps.SPREAD_DEGREES:g}. Dashed: the naive noise.",
    )  # fmt: skip


def trivial(xs: Iterable[float], d: int) -> Series:
    """Return the error of the answer 0: √d."""
    places = tuple(xs)
    return Series("the answer 0", places, [d**0.5] * len(places), role="reference")
