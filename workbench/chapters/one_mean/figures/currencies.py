"""What a privacy budget means in another currency, and what uses of one add up to."""

from collections.abc import Mapping, Sequence

import numpy as np

from workbench.chapters.one_mean.claims import accounting
from workbench.chapters.one_mean.runs.costs import DELTA
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.ticks import tick_labels
from workbench.privacy import ApproxDP
from workbench.study.run import Run

EPSILON = 0.1  # of one use
TENTHS = " by 10 to 40 %"  # by how much it does at the usual numbers


def currencies(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA) -> Chart:
    """Return the chart of ρ in units of ε, and of k uses of a budget; nothing is run."""
    usual = (epsilon, delta) == (EPSILON, DELTA)
    return Chart(
        "currencies",
        "One privacy, many numbers: what a better theorem is worth",
        (*_conversions(delta), *_compositions(epsilon, delta)),
        alt="Above: ε against ρ by three theorems, the slides' lemma above Canonne, Kamath and Steinke's,"
        f" above the exact value. Below: ε of k uses of ε = {epsilon:g}; adding up is best for small k,"
        f" advanced composition better {'from about 30 uses on' if usual else 'for many'}, the"
        " optimal theorem never worse than either.",
        how_to_read="Lower is better: the mechanism is the same, only the theorem that counts its privacy"
        f" changes. Above, a Gaussian mechanism of budget ρ: the slides' lemma overstates its ε"
        f"{TENTHS * usual}. Below, k uses of ε = {epsilon:g}: advanced composition beats adding up only after"
        f" {'some thirty' if usual else 'many'} uses, and the optimal theorem follows the better of the two,"
        " and then wins.",
    )


CONVERSIONS = {"stated": "slides' lemma", "tight": "Canonne-Kamath-Steinke", "exact": "exact (Gaussian)"}
COMPOSITIONS = {"basic": "basic composition", "advanced": "advanced composition", "optimal": "optimal"}


def _conversions(delta: float) -> tuple[Panel, Panel]:
    title = f"ρ-zCDP as (ε, {tick_labels([delta])[0]})-DP"
    rhos = [float(rho) for rho in np.geomspace(1e-3, 3, 40)]
    meanings = [accounting.meaning(rho, delta)._asdict() for rho in rhos]
    curves = {key: [one[key] for one in meanings] for key in CONVERSIONS}
    return (
        Panel(title, "ρ", "ε", _curves(rhos, curves, CONVERSIONS, 0)),
        Panel("the same, over the exact ε", "ρ", "ε / exact ε",
              _curves(rhos, _over(curves, "exact"), CONVERSIONS, 0), yscale="linear"),
    )  # fmt: skip


def _compositions(epsilon: float, delta: float) -> tuple[Panel, Panel]:
    times = [1, 2, 3, 5, 8, 12, 16, 20, 25, 30, 35, 40, 50, 65, 80, 100, 150, 200]
    uses = f"k uses of ε = {epsilon:g}, δ = {tick_labels([delta])[0]}"
    sums = [accounting.composed(ApproxDP(epsilon, 0.0), k, delta) for k in times]
    curves = {key: [one[key] for one in sums] for key in COMPOSITIONS}
    return (
        Panel(uses, "uses k", "ε", _curves(times, curves, COMPOSITIONS, 3)),
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
