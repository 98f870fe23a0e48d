"""What every estimator of a mean that applies releases for a real column: bars one below the other."""

from collections.abc import Mapping
from dataclasses import replace
from math import isnan, nan, sqrt

import numpy as np

from workbench.chapters.start_here.applicable import (
    BMI,
    DELTA,
    EPSILON,
    ROWS,
    Column,
    candidates,
    column,
    noise,
    released,
    trials,
)
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.style import name, number
from workbench.study.run import Run

READING = (
    "The same rows, fresh noise: a marker is the median release, its bar holds 90 % of them. Between the grey"
    " lines privacy costs less than sampling. A marker off the black line is bias, not noise: a median, or a"
    " mean of clipped rows."
)
BARS = "Bars: 90 % of the releases."
FAMILIES = {  # of the estimators, in the order of the picture: narrower and narrower, and wider again
    "clips at the range": ("mean/clipped-box", "univariate/clipped-mean"),
    "locates the data first": (
        *("mean/affine", "mean/coinpress", "mean/clipped-heavy", "univariate/two-step-mean"),
        *("mean/coordinatewise", "univariate/unbounded-mean", "univariate/median"),
    ),
    "robust": (
        *("mean/tukey", "mean/robust-heavy", "mean/resilient", "mean/robust", "mean/resilient-heavy"),
        *("mean/filter", "mean/prime", "mean/prime-heavy"),
    ),
    "lets groups of rows vote": ("mean/populous", "mean/median-of-means", "mean/populous-robust"),
    "knows bounds of every row": ("univariate/bounded-mean",),
}
MEMBERS = tuple(key for members in FAMILIES.values() for key in members)
NAMES = {"mean/clipped-box": "clipped to a box"}  # where a name of its own is needed beside the others
MEDIANS = ("univariate/median", "mean/tukey")  # neighbours in that order
ASIDE, LEFT = 0.12, 0.21  # where words stand in their row, from an end, and on the left, as shares of it
HUES = ("idea/noise", "idea/good", "mean/robust", "mean/populous", "idea/silent")  # and of all others


def side_by_side(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, n: int = ROWS) -> Chart:
    """Return the chart of the releases of every applicable estimator at one budget, over fresh noise."""
    x, runs = column(n), trials(run)
    found = candidates(len(x), epsilon, delta)
    made = {one.key: released(one, x, runs, noise(run.seed, one, 0)) for one in found}
    spread = {key: values for key, values in made.items() if not silent(values)}
    mute = [name(key) for key, values in made.items() if silent(values)]
    note = f"{BARS} They abstain on these rows: {', '.join(mute)}." if mute else BARS
    return Chart(
        "side_by_side",
        f"At ε = {number(epsilon)} locating the data first beats clipping at the whole range",
        (marked(strip(x, spread, replace(BMI, shown=wide(spread, BMI.shown)), note), spread),),
        alt="Bars one below the other: for every private estimator of a mean that applies, the central"
        f" 90 % of what it releases for the same {n} rows. Those that clip at the whole range spread widest,"
        " those that locate the data first least; the private median lies below the plain mean.",
        how_to_read=READING,
    )


def strip(x: np.ndarray, spread: Mapping[str, np.ndarray], told: Column, note: str = "") -> Panel:
    """Return the panel of the releases for the rows x, a bar for every estimator."""
    mean, error = float(x.mean()), float(x.std() / sqrt(len(x)))
    order = sorted(spread, key=_place)
    ends = (0.5, len(order) + 0.5)
    series = [Series("plain mean", ends, (mean, mean), role="truth")]
    for label, side in (("one standard error away", 1), ("", -1)):
        series.append(Series(label, ends, (mean + side * error,) * 2, role="reference"))
    for place, key in enumerate(order, start=1):
        series += _bar(place, key, spread[key])
    return Panel(
        "", "estimator", f"released {told.words}", tuple(series), xscale="linear", yscale="linear", xlim=ends,
        ylim=told.shown, note=note, names=tuple(NAMES.get(key, name(key)) for key in order),
    )  # fmt: skip


def _place(key: str) -> int:
    return MEMBERS.index(key) if key in MEMBERS else len(MEMBERS)  # others stand last


def _family(key: str) -> tuple[str, str]:
    """Return the family of an estimator, in words and as a hue."""
    families = zip(FAMILIES.items(), HUES, strict=False)
    found = ((words, hue) for (words, members), hue in families if key in members)
    return next(found, ("others", HUES[-1]))


def marked(panel: Panel, spread: Mapping[str, np.ndarray]) -> Panel:
    """Return the panel with words in rows that leave it, and on the medians of a skewed column."""
    low, high = panel.ylim or (0.0, 1.0)
    order = sorted(spread, key=_place)
    ends = {place: _quantiles(spread[key]) for place, key in enumerate(order, start=1)}
    marks = [
        Mark(f"{number(least)} to {number(most)}".replace("-", "−"), x=_aside(middle, low, high), y=place)
        for place, (least, middle, most) in ends.items()
        if least < low or most > high
    ]
    if set(MEDIANS) <= set(order):
        between = order.index(MEDIANS[0]) + 1.5
        marks.append(Mark("medians of a skewed column lie lower", x=low + LEFT * (high - low), y=between))
    return replace(panel, marks=(*panel.marks, *marks))


def _aside(middle: float, low: float, high: float) -> float:
    """Return where words stand in a row whose marker is in its middle: at the end that is farther."""
    share = ASIDE if middle > (low + high) / 2 else 1 - ASIDE
    return low + share * (high - low)


def _quantiles(values: np.ndarray) -> tuple[float, float, float]:
    """Return the ends of a bar and its middle; nan without answers."""
    answers = values[np.isfinite(values)]
    low, middle, high = np.quantile(answers, (0.05, 0.5, 0.95)) if len(answers) else (nan,) * 3
    return float(low), float(middle), float(high)


def _bar(place: int, key: str, values: np.ndarray) -> list[Series]:
    low, middle, high = _quantiles(values)
    if isnan(middle):
        return []
    words, hue = _family(key)
    return [Series(words, (place,), (middle,), (low,), (high,), colour_key=hue)]


def wide(spread: Mapping[str, np.ndarray], shown: tuple[float, float]) -> tuple[float, float]:
    """Return limits in which at least three bars of four end, on either side."""
    answers = [values[np.isfinite(values)] for values in spread.values()]
    ends = np.array([np.quantile(one, (0.05, 0.95)) for one in answers if len(one)]).reshape(-1, 2)
    if not len(ends):
        return shown
    low, high = (float(f"{np.quantile(ends[:, i], q):.3g}") for i, q in enumerate((0.25, 0.75)))
    return min(shown[0], low), max(shown[1], high)


def silent(values: np.ndarray) -> bool:
    """Return whether more than half of the releases are no answer."""
    return bool(2 * np.isnan(values).sum() > len(values))
