"""Confidence intervals for one mean, and what a privacy budget means in another currency."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from workbench.chapters.one_mean.claims import accounting
from workbench.chapters.one_mean.claims import intervals as study
from workbench.charts.chart import Chart, Panel, Series
from workbench.privacy import ApproxDP
from workbench.study.intervals import clopper_pearson
from workbench.study.measures import at
from workbench.study.sweeps.sweep import run

BAND = 0.05
KEYS = {"known": "univariate/interval", "unknown": "univariate/interval-unknown-variance"}
NAMES = {
    ("tight", "known"): "σ known, tight",
    ("tight", "unknown"): "σ unknown, tight",
    ("paper", "known"): "σ known, KV18",
    ("paper", "unknown"): "σ unknown, KV18",
}
DELTA = 1e-6
NS = (100.0, 50_000.0)


def confidence_intervals(profile: str, seed: int) -> Chart:
    """Return coverage and width of private confidence intervals against n."""
    frame = run(study.sweep_of(profile), profile, seed=seed)
    return Chart(
        "confidence_intervals",
        "Private 95 % intervals at ε = 1, δ = 10⁻⁶: coverage and price",
        (_coverage(frame), _width(frame)),
        alt="Left: all intervals cover the mean in about 95 % of runs or more. Right: their width over that"
        " of the usual interval falls towards 1 as n grows; with KV18's recipe it is infinite for small n.",
        how_to_read="Left, the share of intervals that hold the true mean, over means 0 and 10⁶ and σ from"
        " 10⁻³ to 10³: no band may lie below the dashed line. Right, the price: the width over that of the"
        " interval you would use without privacy. An arrow at the top is the whole line, the honest answer of"
        " a recipe that can prove nothing at this n; it always covers.",
    )


def _coverage(frame: pd.DataFrame) -> Panel:
    series = [_covered(frame, *method) for method in NAMES]
    ns = sorted(set(frame["n"]))
    series.append(Series("nominal", (ns[0], ns[-1]), (0.95, 0.95), role="theory"))
    return Panel("share of intervals that hold the mean", "rows n", "coverage", tuple(series),
                 yscale="linear", xlim=NS, ylim=(0.9, 1.005))  # fmt: skip


def _covered(frame: pd.DataFrame, calibration: str, variance: str) -> Series:
    of = at(frame, calibration=calibration, variance=variance)
    counts = of["covered"].groupby(of["n"]).agg(["sum", "count"])
    ends = [
        clopper_pearson(int(k), int(m), BAND) for k, m in zip(counts["sum"], counts["count"], strict=True)
    ]
    low, high = zip(*ends, strict=True)
    return Series(
        NAMES[calibration, variance], counts.index, counts["sum"] / counts["count"], low, high,
        colour_key=_key(calibration, variance), kind="fraction",
    )  # fmt: skip


def _width(frame: pd.DataFrame) -> Panel:
    return Panel(
        "median width / that of the usual interval",
        "rows n",
        "ratio of widths",
        (*(_widths(frame, *method) for method in NAMES), _one(sorted(set(frame["n"])))),
        xlim=NS,
        ylim=(0.95, 3),
        note=f"Tight: critical values from {int(frame['pivots'].iloc[0])} simulated runs.",
    )


def _one(ns: Sequence[int]) -> Series:
    return Series("without privacy", (ns[0], ns[-1]), (1, 1), role="reference", colour_key="non-private")


def _widths(frame: pd.DataFrame, calibration: str, variance: str) -> Series:
    of = at(frame, calibration=calibration, variance=variance)
    ns = sorted(set(of["n"]))
    ratios = [(at(of, n=n)["width"] / at(of, n=n)["reference"]).median() for n in ns]
    return Series("", ns, ratios, colour_key=_key(calibration, variance))


def _key(calibration: str, variance: str) -> str:
    return KEYS[variance] + (":paper" if calibration == "paper" else "")


def currencies(profile: str, seed: int) -> Chart:
    """Return the chart of ρ in units of ε, and of k uses of a budget; profile and seed change nothing."""
    return Chart(
        "currencies",
        "One privacy, many numbers: what a better theorem is worth",
        (*_conversions(), *_compositions()),
        alt="Above: ε against ρ by three theorems, the slides' lemma above Canonne, Kamath and Steinke's,"
        " above the exact value. Below: ε of k uses of ε = 0.1; adding up is best for small k, advanced"
        " composition better from about 30 uses on, the optimal theorem never worse than either.",
        how_to_read="Lower is better: the mechanism is the same, only the theorem that counts its privacy"
        " changes. Above, a Gaussian mechanism of budget ρ: the slides' lemma overstates its ε by 10 to 40 %."
        " Below, k uses of ε = 0.1: advanced composition beats adding up only after some thirty uses, and"
        " the optimal theorem follows the better of the two, and then wins.",
    )


CONVERSIONS = {"stated": "slides' lemma", "tight": "Canonne-Kamath-Steinke", "exact": "exact (Gaussian)"}
COMPOSITIONS = {"basic": "basic composition", "advanced": "advanced composition", "optimal": "optimal"}


def _conversions() -> tuple[Panel, Panel]:
    rhos = [float(rho) for rho in np.geomspace(1e-3, 3, 40)]
    meanings = [accounting.meaning(rho, DELTA)._asdict() for rho in rhos]
    curves = {key: [one[key] for one in meanings] for key in CONVERSIONS}
    return (
        Panel("ρ-zCDP as (ε, 10⁻⁶)-DP", "ρ", "ε", _curves(rhos, curves, CONVERSIONS, 0)),
        Panel("the same, over the exact ε", "ρ", "ε / exact ε",
              _curves(rhos, _over(curves, "exact"), CONVERSIONS, 0), yscale="linear"),
    )  # fmt: skip


def _compositions() -> tuple[Panel, Panel]:
    times = [1, 2, 3, 5, 8, 12, 16, 20, 25, 30, 35, 40, 50, 65, 80, 100, 150, 200]
    sums = [accounting.composed(ApproxDP(0.1, 0.0), k) for k in times]
    curves = {key: [one[key] for one in sums] for key in COMPOSITIONS}
    return (
        Panel("k uses of ε = 0.1, δ = 10⁻⁶", "uses k", "ε", _curves(times, curves, COMPOSITIONS, 3)),
        Panel("the same, over the optimal ε", "uses k", "ε / optimal ε",
              _curves(times, _over(curves, "optimal"), COMPOSITIONS, 3), ylim=(0.9, 8)),
    )  # fmt: skip


def _over(curves: Mapping[str, Sequence[float]], least: str) -> dict[str, list[float]]:
    return {key: [y / base for y, base in zip(ys, curves[least], strict=True)] for key, ys in curves.items()}


def _curves(
    xs: Sequence[float], curves: Mapping[str, Sequence[float]], names: Mapping[str, str], first: int
) -> tuple[Series, ...]:
    """Return the curves in the colours from `first` on."""
    return tuple(
        Series(name, xs, curves[key], role="reference", colour_key=str(place))
        for place, (key, name) in enumerate(names.items(), first)
    )
