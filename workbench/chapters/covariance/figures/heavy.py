"""Pictures of heavy tails: three errors as layers, the rate of moments, the cost of long ellipsoids."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import log, nan

import numpy as np
import pandas as pd

from workbench.chapters.covariance.claims import heavy as claims
from workbench.chapters.covariance.runs import heavy as sweeps
from workbench.chapters.covariance.runs.heavy_theory import CutStudent
from workbench.charts.bands import ERROR, LEVEL, measured
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.words import number
from workbench.study import measures
from workbench.study.grids import grid, multiples
from workbench.study.measures import summary
from workbench.study.run import Run

LAYER_N, LAYER_DEGREES = 10_000, (4.2, 10.2)
MORE_DEGREES = (0.0, 2.0, 6.0)  # of the laws whose rates are shown
LAYERS = {"bias": "idea/bias", "noise": "idea/noise", "sampling": "idea/sampling"}
NAIVE, PRECONDITIONED, PLAIN = "covariance/heavy-tailed-naive", "covariance/heavy-tailed", "non-private"
RADIUS = "clipping radius γ (σ)"


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
    laws = [CutStudent(one, d) for one in both]
    best = [law.best_radius(n, rho) for law in laws]
    ends = 0.95 * min(best) * sweeps.FACTORS[0], 1.05 * max(best) * sweeps.FACTORS[-1]
    panels = tuple(replace(_layers(frame, law, n, rho, run.seed), xlim=ends) for law in laws)
    return Chart(
        "three_layers",
        "More moments move the best radius left, and the error down",
        panels,
        alt="Bias falls with the clipping radius, noise grows as its square, the sampling error hardly"
        " changes. Bias and noise cross; their sum is least near the crossing, marked by a vertical"
        " line. With more moments the bias falls faster, and the least sum is smaller.",
        how_to_read="To the right you clip less: the bias falls, and the noise, which has to hide a row as"
        " long as γ, grows as γ². Where they meet, their sum (black) is least. Sampling error is what remains"
        " without privacy.",
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
    marks = (minimiser(best),)
    title = f"Student rows, ν = {law.degrees:g}"
    note = f"n = {number(n)}, d = {law.d}, ρ = {number(rho)}."
    return Panel(title, RADIUS, ERROR, tuple(series), note=note, ylim=LAYER_LIMITS, marks=marks)


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
    return [*lines, Series("bias + noise", xs, both, role="truth")]


def minimiser(radius: float) -> Mark:
    """Return the vertical line at the best radius."""
    return Mark(f"best radius: {number(radius, 2)}", "vertical", x=radius)


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
    degrees: float = LAYER_DEGREES[0],
) -> Chart:
    """Return the least bias plus noise against n, for rows with more and more moments."""
    ns, laws = multiples(sweeps.LAYER_N, n / LAYER_N), [degrees + one for one in MORE_DEGREES]
    frame = run.table(sweeps.LAYERS.moved(grid(degrees=laws, n=ns, rho=rho, d=d)))
    series = [one for place in range(len(laws)) for one in _rate(frame, laws, place, ns, rho, d, run.seed)]
    return Chart(
        "rates",
        "More moments make the private error fall faster",
        (
            Panel(
                f"Bias + noise at the best radius, d = {d}, ρ = {number(rho)}", "rows n", ERROR, tuple(series)
            ),
        ),
        alt="The least sum of bias and noise falls with n, steeper for rows with more moments.",
        how_to_read="Each line has the best radius at every n. Beside it the exponent of n between its ends,"
        " which tends to -(k - 1)/k for rows with 2k moments; only with all moments it is -1.",
    )


def _rate(
    frame: pd.DataFrame,
    laws: Sequence[float],
    place: int,
    ns: Sequence[int],
    rho: float,
    d: int,
    seed: int,
) -> tuple[Series, Series]:
    """Return the measured and the predicted curve of one law; its shade is its place among the laws."""
    degrees, law = laws[place], CutStudent(laws[place], d)
    found = {float(n): claims.least_measured(frame, degrees, n, seed, LEVEL) for n in ns if len(frame)}
    fine = np.geomspace(ns[0], ns[-1], 9).round()
    lines, rank = [law.least(int(n), rho) for n in fine], place / (len(laws) - 1)
    slope = log(lines[-1] / lines[0]) / log(fine[-1] / fine[0])
    label = f"ν = {degrees:g}: as $n^{{{slope:.2f}}}$"
    expected = [law.least(int(n), rho) for n in found]
    shown = measured(label if found else "", found, PRECONDITIONED, expected, rank=rank)
    name = "" if found else label
    return shown, Series(name, fine, lines, role="theory", colour_key=PRECONDITIONED, rank=rank)


def long_ellipsoids(
    run: Run, *, rho: float = sweeps.RHO, n: int = LAYER_N, d: int = sweeps.D, upper: float = sweeps.UPPERS[1]
) -> Chart:
    """Return errors, naive and preconditioned, against the length of the ellipsoid."""
    (rows,) = multiples([sweeps.SPREAD_N], n / LAYER_N)
    uppers = sorted({max(upper * one / sweeps.UPPERS[1], 1.0) for one in sweeps.UPPERS})
    frame = run.table(sweeps.SPREADS.moved(grid(n=rows, upper=uppers, rho=rho, d=d)))
    groups = measures.by(frame, "upper")
    curves = (("one radius", "naive", NAIVE), ("preconditioned", "error", PRECONDITIONED))
    series = [
        measured(label, {u: measures.median(rows[column], LEVEL) for u, rows in groups.items()}, key)
        for label, column, key in curves
    ]
    noise = [claims.naive_noise(one, rows, rho, d) for one in uppers]
    plain = [float(rows["reference"].median()) for rows in groups.values()]
    series.append(Series("", uppers, noise, role="theory", colour_key=NAIVE))
    series.append(Series("no privacy", groups, plain, role="truth", colour_key=PLAIN))
    return Chart(
        "long_ellipsoids",
        "One radius pays for the length of the ellipsoid; preconditioning does not",
        (
            Panel(
                f"n = {number(rows)}, d = {d}, ρ = {number(rho)}, ν = {sweeps.SPREAD_DEGREES:g}",
                "length u of the ellipsoid: largest over smallest eigenvalue",
                ERROR,
                tuple(series),
                marks=(
                    answer_zero(d),
                    Mark(
                        "line: noise before the cut at 0",
                        x=0.12 * uppers[-1],
                        y=3 * noise[-1] / 10**0.5,
                        colour_key=NAIVE,
                    ),
                ),
            ),
        ),
        alt="The naive error grows in proportion to the length of the ellipsoid, the preconditioned"
        " one is flat and close to the error without privacy.",
        how_to_read="The same privacy and rows, on longer and longer ellipsoids. One radius pays for the"
        " longest direction in the shortest one; its noise is predicted before negative eigenvalues are cut"
        " to 0. Above the grey line an estimate is worse than no data.",
    )


def answer_zero(d: int, x: float | None = None) -> Mark:
    """Return the line at the error of the answer 0, √d, with its words at x."""
    return Mark("above: worse than the answer 0", "horizontal", x=x, y=d**0.5)
