"""Releases of many estimators as bars one below the other, those of one family together."""

from collections.abc import Mapping
from dataclasses import replace
from math import sqrt

import numpy as np

from workbench.chapters.start_here.columns import Column
from workbench.charts.chart import Mark, Panel, Series
from workbench.charts.methods import name

FAMILIES = {  # of the estimators, in the order of the picture
    "clips at the range": ("univariate/clipped-mean", "mean/clipped-box"),
    "looks first": (
        *("univariate/two-step-mean", "univariate/unbounded-mean", "univariate/median"),
        *("mean/coordinatewise", "mean/coinpress", "mean/clipped-heavy", "mean/affine"),
    ),
    "robust": (
        *("mean/tukey", "mean/resilient", "mean/resilient-heavy", "mean/filter", "mean/prime"),
        *("mean/prime-heavy", "mean/robust", "mean/robust-heavy"),
    ),
    "lets groups of rows vote": ("mean/populous", "mean/populous-robust"),
}
MEMBERS = tuple(key for members in FAMILIES.values() for key in members)
NAMES = {"mean/clipped-box": "clipped to a box"}  # where a name of its own is needed beside the others
ASIDE = 0.12  # where words stand in their row, as a share of it
HUES = ("idea/noise", "idea/good", "mean/robust", "mean/populous", "idea/silent")  # and of all others


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
    """Return the place of an estimator among the families; others stand last."""
    return MEMBERS.index(key) if key in MEMBERS else len(MEMBERS)


def _family(key: str) -> tuple[str, str]:
    """Return the family of an estimator, in words and as a hue."""
    families = zip(FAMILIES.items(), HUES, strict=False)
    found = ((words, hue) for (words, members), hue in families if key in members)
    return next(found, ("others", HUES[-1]))


def marked(panel: Panel, spread: Mapping[str, np.ndarray]) -> Panel:
    """Return the panel with words in the rows of those that mostly give no answer, or leave it."""
    low, high = panel.ylim or (0.0, 1.0)
    found = [
        (place, _remark(spread[key], low, high))
        for place, key in enumerate(sorted(spread, key=_place), start=1)
    ]
    marks = [Mark(said, x=low + ASIDE * (high - low), y=place) for place, said in found if said]
    return replace(panel, marks=(*panel.marks, *marks))


def _remark(values: np.ndarray, low: float, high: float) -> str:
    """Return what a row has to say that its bar does not."""
    answers = values[np.isfinite(values)]
    if len(values) and silent(values):
        return "no answer"
    if not len(answers):
        return ""
    least, most = np.quantile(answers, (0.05, 0.95))
    return f"from {least:.3g} to {most:.3g}" if least < low or most > high else ""


def _bar(place: int, key: str, values: np.ndarray) -> list[Series]:
    answers = values[np.isfinite(values)]
    if not len(answers):
        return []
    low, middle, high = np.quantile(answers, (0.05, 0.5, 0.95))
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
