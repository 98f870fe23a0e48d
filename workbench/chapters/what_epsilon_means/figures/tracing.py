"""Who was in the table? What a released mean says about its members."""

from math import sqrt

import numpy as np
import pandas as pd

from workbench.chapters.what_epsilon_means.runs import tracing as traces
from workbench.chapters.what_epsilon_means.runs.tracing import (
    DIMENSIONS,
    TRACED,
    area,
    most_area,
    noise_scale,
)
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.words import number
from workbench.study.grids import Role, stream
from workbench.study.measures import by, share
from workbench.study.run import Run
from workbench.types import Array

FINE = tuple(int(d) for d in np.unique(np.geomspace(5, 2000, 41).round()))
DRAWS = {"quick": 4000, "full": 20_000}
BINS = 41
PLAIN, PRIVATE = "mean/empirical", "idea/gaussian"
MEMBER, STRANGER = "idea/second", "idea/data"


def tracing(run: Run, *, n: int = 100, d: int = 100, epsilon: float = 1.0, delta: float = 0.01) -> Chart:
    """Return scores of members and strangers, and how often a member's is the larger one."""
    points = [{**point, "n": n, "epsilon": epsilon, "delta": delta} for point in TRACED.points]
    frame = run.table(TRACED.moved(points))
    return Chart(
        "tracing",
        "An exact mean of many columns names its members",
        (scores(n, d, _drawn(run, n, d)), areas(frame, n, epsilon, delta)),
        alt="Left, densities of the scores of strangers, round 0, and of members, further right. Right, how"
        " often a member scores above a stranger against the number of columns: it rises from a half to 1"
        " for the exact mean, and stays near a half for the private one, below a bound.",
        how_to_read="Left, members' scores are larger. Right, a half is guessing; no attacker gets above the"
        " line for this budget, however many columns there are. Markers: simulated tables.",
    )


def scores(n: int, d: int, found: Array) -> Panel:
    """Return the panel of scores against an exact mean, shape (2, draws): of members and of strangers."""
    spread, series = sqrt(d / n), []
    edges = np.linspace(-4 * spread, d / n + 4 * spread, BINS + 1)
    middles, width = (edges[1:] + edges[:-1]) / 2, edges[1] - edges[0]
    for label, key, middle, drawn in zip(
        ("members", "strangers"), (MEMBER, STRANGER), (d / n, 0.0), found, strict=True
    ):
        curve = np.exp(-(((middles - middle) / spread) ** 2) / 2) / (spread * sqrt(2 * np.pi))
        if len(drawn):
            heights = np.histogram(drawn, edges)[0] / len(drawn) / width
            band = 2 * np.sqrt(heights / len(drawn) / width)
            ends = np.maximum(heights - band, 0.0), heights + band
            series.append(Series("", middles, heights, *ends, colour_key=key))
        place = middle + spread * (2.0 if middle else -2.3), 0.34 / spread
        series.append(Series(label, middles, curve, role="theory", colour_key=key, label_at=place))
    return Panel(
        f"exact mean, n = {number(n)}, d = {number(d)}", "score of a row", "density", tuple(series),
        "linear", "linear",
        ylim=(0.0, 0.55 / spread),
    )  # fmt: skip


def _drawn(run: Run, n: int, d: int) -> Array:
    if not run.simulate:
        return np.empty((2, 0))
    data = stream(run.seed, Role.DATA, "what-epsilon-means-scores", n, 0)
    draws = min(DRAWS.get(run.profile, 4000), max(200, 2_000_000 // d))
    return traces.scores(n, d, traces.released(n, d, 1.0, 0.01), draws, data, data)[0]


def areas(frame: pd.DataFrame, n: int, epsilon: float, delta: float) -> Panel:
    """Return the panel of how often a member scores above a stranger, against d."""
    most = most_area(epsilon, delta)
    scale = {d: noise_scale(n, d, epsilon, delta) for d in (*DIMENSIONS, *FINE)}
    private = f"private mean, ε = {number(epsilon)}, δ = {number(delta)}"
    series = [
        Series("most for this budget", (FINE[0], FINE[-1]), (most, most), role="reference"),
        Series("", FINE, [area(n, d, 0.0) for d in FINE], role="theory", colour_key=PLAIN),
        Series("", FINE, [area(n, d, scale[d]) for d in FINE], role="theory", colour_key=PRIVATE),
        *(_curve(frame, name, n, key, label) for name, key, label in _curves(private)),
    ]
    return Panel(
        f"n = {number(n)}",
        "columns d",
        "chance that a member's score is larger",
        tuple(series),
        yscale="linear",
        ylim=(0.45, 1.02),
    )


def _curves(private: str) -> tuple[tuple[str, str, str], ...]:
    return ("plain", PLAIN, "exact mean"), ("private", PRIVATE, private)


def _curve(frame: pd.DataFrame, name: str, n: int, key: str, label: str) -> Series:
    hits = {d: share(int(some[name].sum()), len(some), LEVEL) for d, some in by(frame, "d").items()}
    scales = {
        d: 0.0
        if name == "plain"
        else noise_scale(n, int(d), *(float(some[one].iloc[0]) for one in ("epsilon", "delta")))
        for d, some in by(frame, "d").items()
    }
    expected = [area(n, int(d), scales[d]) for d in hits]
    return measured(label, hits, key, expected, 0.02, kind="fraction")
