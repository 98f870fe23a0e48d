"""Coverage and width of private confidence intervals, against n and over the usual ones."""

from collections.abc import Mapping
from functools import lru_cache
from math import isfinite, nan, sqrt
from typing import Any

import pandas as pd

from workbench.bounds.search import smallest
from workbench.chapters.one_mean.claims import intervals as study
from workbench.chapters.one_mean.runs import theory
from workbench.chapters.one_mean.runs.costs import DELTA
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.methods import name
from workbench.charts.words import number
from workbench.estimators.intervals import SCALE, Interval, scale_and_mean
from workbench.privacy import ApproxDP, Budget
from workbench.special import ndtri
from workbench.study.grids import Sweep, multiples
from workbench.study.measures import BAND, Measure, at, share
from workbench.study.run import Run

KEYS = {"known": "univariate/interval", "unknown": "univariate/interval-unknown-variance"}
Kind = tuple[str, str]
NAMES: dict[Kind, str] = {
    ("tight", "known"): "σ known",
    ("tight", "unknown"): "nothing known",
    ("paper", "known"): "σ known, the lecture's",
    ("paper", "unknown"): "nothing known, the lecture's",
}
BESIDE: dict[Kind, tuple[float, float]] = {  # where a name stands, times the first point of its curve
    ("tight", "known"): (1.0, 1.06),
    ("tight", "unknown"): (1.0, 1.06),
    ("paper", "known"): (2.1, 1.07),
    ("paper", "unknown"): (0.86, 1.07),
}
PREDICTED = tuple(method for method in NAMES if method != ("paper", "unknown"))
NS = (100.0, 50_000.0)
COLUMN = {"epsilon": study.EPSILON, "delta": DELTA, "level": study.LEVEL}


def confidence_intervals(
    run: Run,
    *,
    epsilon: float = study.EPSILON,
    delta: float = DELTA,
    level: float = study.LEVEL,
) -> Chart:
    """Return the width of private confidence intervals over that of the usual one, against n."""
    sweep = _moved(study.SWEEP, epsilon, delta, level)
    frame = run.table(sweep)
    ends = NS if sweep.usual == () else _ends(sweep)
    return Chart(
        "confidence_intervals",
        "With tight constants private intervals are hardly wider from 1000 rows on",
        (_width(frame, sweep, ends, ApproxDP(epsilon, delta), level),),
        alt="The width of private intervals over that of the usual interval falls towards 1 as n grows; with"
        " the lecture's recipe it is infinite for small n.",
        how_to_read="The price: the median width over that of the interval you would use without privacy."
        " Where the lecture's recipe can prove nothing it answers with the whole real line, which is honest."
        " Our critical values are simulated.",
    )


def interval_coverage(
    run: Run,
    *,
    epsilon: float = study.EPSILON,
    delta: float = DELTA,
    level: float = study.LEVEL,
) -> Chart:
    """Return the share of private confidence intervals that hold the mean (a row for each method and n)."""
    sweep = _moved(study.SWEEP, epsilon, delta, level)
    return Chart(
        "interval_coverage",
        f"No private interval is seen to miss its {_percents(level)}",
        (_coverage(run.table(sweep), sweep, epsilon, delta, level),),
        alt=f"All intervals cover the mean in about {_percents(level)} of runs or more.",
        how_to_read="The share of intervals that hold the true mean, over means 0 and 10⁶ and σ from 10⁻³ to"
        " 10³. No band may lie wholly left of the line."
        " An interval that is the whole real line always covers.",
    )


def _percents(level: float) -> str:
    return f"{100 * (1 - level):.4g} %"


def _moved(sweep: Sweep, epsilon: float, delta: float, level: float) -> Sweep:
    """Return the experiment at other public numbers, its n placed by where the source's recipe can prove."""
    here = {"epsilon": epsilon, "delta": delta, "level": level}
    if here == COLUMN:
        return sweep
    factor = first_finite(**here) / first_finite(**COLUMN)
    return sweep.moved(
        {**point, **here, "n": multiples([int(point["n"])], factor)[0]} for point in sweep.points
    )


@lru_cache(maxsize=64)
def first_finite(epsilon: float, delta: float, level: float) -> int:
    """Return the n from which the source's interval for a known σ is no longer the whole line."""
    interval, budget = Interval(level=level, calibration="paper", sigma=1.0), ApproxDP(epsilon, delta)
    return smallest(lambda n: isfinite(interval.half_width(n, budget)), start=2)


def _ends(sweep: Sweep) -> tuple[float, float]:
    ns = [float(point["n"]) for point in sweep.points]
    return min(ns) / 3, 2.5 * max(ns)


def _coverage(frame: pd.DataFrame, sweep: Sweep, epsilon: float, delta: float, level: float) -> Panel:
    cells = sorted({(_kind(point), int(point["n"])) for point in sweep.points})
    cells.sort(key=lambda cell: (list(NAMES).index(cell[0]), cell[1]))
    names = [f"{NAMES[kind]}, n = {number(n)}" for kind, n in cells]
    found: dict[Kind, dict[int, Measure]] = {kind: {} for kind in NAMES}
    for place, (kind, n) in enumerate(cells, 1):
        of = at(frame, calibration=kind[0], variance=kind[1], n=n)["covered"]
        if len(of):
            found[kind][place] = share(int(of.sum()), len(of), LEVEL)
    series = [measured("", rows, _key(*kind), kind="fraction") for kind, rows in found.items()]
    nominal = Series(
        "", (0.5, len(cells) + 0.5), (1 - level,) * 2, role="reference", colour_key="non-private"
    )
    return Panel(
        f"ε = {number(epsilon)}, δ = {number(delta)}, promised: {_percents(level)}",
        "", "share that holds the mean", (*series, nominal), yscale="linear",
        ylim=(1 - 2 * level, 1 + level / 10), names=tuple(names),
    )  # fmt: skip


def _kind(point: Mapping[str, Any]) -> Kind:
    return point["calibration"], point["variance"]


def _width(
    frame: pd.DataFrame, sweep: Sweep, ends: tuple[float, float], budget: ApproxDP, level: float
) -> Panel:
    curves = [_widths(frame, *method, budget, level) for method in NAMES]
    lines = [_line(sweep, *method, budget, level) for method in PREDICTED]
    one = Series(name("non-private"), ends, (1, 1), role="reference", colour_key="non-private")
    silent = first_finite(budget.epsilon, budget.delta, level)
    return Panel(
        f"{_percents(level)} intervals, ε = {number(budget.epsilon)}, δ = {number(budget.delta)}",
        "rows n",
        "median width / usual width",
        (*curves, *lines, one),
        xlim=ends,
        ylim=(0.9, 3),
        marks=(
            Mark("the lecture's recipe, σ known, proves nothing", "span", ends[0], x2=silent),
            Mark("△ the whole real line", x=3 * silent, y=2.6),
        ),
    )


def _widths(frame: pd.DataFrame, calibration: str, variance: str, budget: ApproxDP, level: float) -> Series:
    of = at(frame, calibration=calibration, variance=variance)
    ns = sorted({int(n) for n in of["n"]})
    ratios = [(at(of, n=n)["width"] / at(of, n=n)["reference"]).median() for n in ns]
    expected = [predicted_ratio(calibration, variance, n, budget, level) for n in ns]
    kind = calibration, variance
    finite = [(n, ratio) for n, ratio in zip(ns, ratios, strict=True) if isfinite(ratio)]
    aside = BESIDE[kind]
    place = (aside[0] * finite[0][0], aside[1] * finite[0][1]) if finite else None
    return Series(
        NAMES[kind], ns, ratios, colour_key=_key(*kind), expected=expected, margin=BAND, label_at=place
    )


def _line(sweep: Sweep, calibration: str, variance: str, budget: ApproxDP, level: float) -> Series:
    """Return the predicted widths, which are drawn beside measured ones away from the usual numbers."""
    kind = {"calibration": calibration, "variance": variance}
    ns = sorted({int(point["n"]) for point in sweep.points if kind.items() <= point.items()})
    expected = [predicted_ratio(calibration, variance, n, budget, level) for n in ns]
    return Series("", ns, expected, role="theory", colour_key=_key(calibration, variance))


def predicted_ratio(calibration: str, variance: str, n: int, budget: ApproxDP, level: float) -> float:
    """Return the predicted width over the usual one; nan for the source's recipe with σ unknown.

    The source's width for a known σ is public. Ours is the quantile of the predicted error; an estimated σ
    with relative error r stretches it by 1 + (z² + 1) r²/2, as Student's t.
    """
    usual = float(-ndtri(level / 2)) / sqrt(n)
    if calibration == "paper":
        width = Interval(level=level, calibration="paper", sigma=1.0).half_width(n, budget) / usual
        return width if variance == "known" and isfinite(width) else nan
    stretch: float = 1.0
    spent: Budget = budget
    if variance == "unknown":
        scale, spent = scale_and_mean(n, budget)
        design = SCALE.design(n, scale)
        stretch = 1 + (ndtri(level / 2) ** 2 + 1) * design.rms**2 / 2
    return stretch * theory.accuracy(n, None, spent, "tight", level) / usual


def _key(calibration: str, variance: str) -> str:
    return KEYS[variance] + (":paper" if calibration == "paper" else "")
