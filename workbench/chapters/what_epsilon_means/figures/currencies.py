"""What a privacy budget means in another currency, and what uses of one add up to."""

from collections.abc import Mapping, Sequence

import numpy as np

from workbench.chapters.what_epsilon_means.claims.currencies import composed, meaning
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.words import number
from workbench.privacy import ApproxDP
from workbench.study.run import Run

EPSILON = 0.1  # of one use
DELTA = 1e-6
MOST = 200  # uses
TENTHS = " by 10 to 40 %"  # by how much it does at the usual numbers


def currencies(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA) -> Chart:
    """Return the chart of ρ in units of ε, and of k uses of a budget; nothing is run."""
    usual = (epsilon, delta) == (EPSILON, DELTA)
    composition, later = _composition(epsilon, delta)
    from_there = "later" if later is None else f"from {later} uses on"
    return Chart(
        "currencies",
        "A better theorem alone makes ε smaller"
        if later is None
        else f"Advanced composition beats adding up only from {later} uses on",
        (_conversion(delta), composition),
        alt="Left: ε of a Gaussian mechanism by two theorems, over the exact value, the lecture's lemma above"
        f" that of Canonne, Kamath and Steinke. Right: ε of k uses of ε = {epsilon:g}, over the optimal one;"
        f" adding up is best for small k, advanced composition {from_there}.",
        how_to_read="Lower is better: the mechanism is the same, only the theorem that counts its privacy"
        f" changes. Left, the lecture's lemma overstates ε{TENTHS * usual}. Right, advanced composition"
        " beats adding up only beyond the line, and the optimal theorem beats both.",
    )


CONVERSIONS = {"stated": "the lecture's lemma", "tight": "Canonne, Kamath, Steinke", "exact": "exact"}
COMPOSITIONS = {"basic": "adding up", "advanced": "advanced composition", "optimal": "optimal"}


def _conversion(delta: float) -> Panel:
    rhos = [float(rho) for rho in np.geomspace(1e-3, 3, 40)]
    meanings = [meaning(rho, delta)._asdict() for rho in rhos]
    curves = {key: [one[key] for one in meanings] for key in CONVERSIONS}
    title = f"Gaussian noise of budget ρ, δ = {number(delta)}"
    series = _curves(rhos, _over(curves, "exact"), CONVERSIONS)
    return Panel(title, "ρ", "ε over the exact ε", series, yscale="linear")


def _composition(epsilon: float, delta: float) -> tuple[Panel, int | None]:
    """Return the panel, and the first use from which advanced composition beats adding up."""
    times = range(1, MOST + 1)
    sums = [composed(ApproxDP(epsilon, 0.0), k, delta) for k in times]
    over = _over({key: [one[key] for one in sums] for key in COMPOSITIONS}, "optimal")
    wins = (k for k, one, other in zip(times, over["advanced"], over["basic"], strict=True) if one < other)
    later = next(wins, None)
    words = f"crossing at {later} uses"
    marks = () if later is None else (Mark(words, "vertical", x=later, side="left"),)
    title = f"k uses of ε = {number(epsilon)}, δ = {number(delta)}"
    series = _curves(times, over, COMPOSITIONS)
    note = "Teeth: the optimal theorem's ε moves in steps of two uses."
    return Panel(
        title, "uses k", "ε over the optimal ε", series, note=note, ylim=(0.9, 10), marks=marks
    ), later


def _over(curves: Mapping[str, Sequence[float]], least: str) -> dict[str, list[float]]:
    return {key: [y / base for y, base in zip(ys, curves[least], strict=True)] for key, ys in curves.items()}


def _curves(
    xs: Sequence[float], curves: Mapping[str, Sequence[float]], names: Mapping[str, str]
) -> tuple[Series, ...]:
    """Return the curves on a ramp, the better theorem the darker."""
    return tuple(
        Series(name, xs, curves[key], role="theory", rank=place / (len(names) - 1))
        for place, (key, name) in enumerate(names.items())
    )
