"""Composition: the law of the privacy loss, and the ε of many uses."""

from math import nan, sqrt

import numpy as np
from scipy.special import ndtr

from workbench.chapters.what_epsilon_means.runs.composition import LEAST, laplace_losses, normal_epsilon
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.parameters import brief, short
from workbench.privacy import ApproxDP
from workbench.privacy.conversions import optimal_composition
from workbench.study.run import Run

SHOWN = (1, 4, 16)
USES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
STANDARD = tuple(float(z) for z in np.linspace(-3.2, 3.2, 161))


def composition(_run: Run, *, epsilon: float = 0.5, delta: float = 1e-4) -> Chart:
    """Return the law of the sum of k privacy losses, and the ε of k uses."""
    return Chart(
        "composition",
        "Many small privacy losses make one normal loss",
        (_laws(epsilon), _totals(epsilon, delta)),
        alt="Left, distribution functions of the standardised loss: with two jumps for one use, on the dashed"
        " normal curve for sixteen. Right, ε over the sum of all ε against the number of uses: 1 for few,"
        " then falling, for Laplace noise down to the dashed normal law.",
        how_to_read="Left, the loss of k uses of Laplace noise in units of its own spread. Right, the ε of"
        " all uses over their sum: for few uses the sum is all there is, for many it is far too much."
        " Dashed: the normal law.",
    )


def _laws(epsilon: float) -> Panel:
    one = laplace_losses(epsilon)
    series = []
    for key, k in enumerate(SHOWN):
        total = one.times(k)
        places = total.mean + total.sd * np.array(STANDARD)
        heights = np.append(0.0, np.cumsum(total.mass))[
            np.searchsorted(total.values, places + total.step / 2, side="right")
        ]
        series.append(
            Series(f"{k} use{'s' * (k > 1)}", STANDARD, heights, role="reference", colour_key=str(key))
        )
    series.append(Series("normal law", STANDARD, ndtr(STANDARD), role="theory", colour_key="non-private"))
    return Panel(
        f"Laplace noise, ε = {brief(epsilon)} a use", "(loss - mean)/sd", "probability of at most that",
        tuple(series), "linear", "linear", ylim=(0.0, 1.02),
    )  # fmt: skip


def _totals(epsilon: float, delta: float) -> Panel:
    one = laplace_losses(epsilon)
    best = [optimal_composition(ApproxDP(epsilon, 0.0), k, delta).epsilon for k in USES]
    exact = [one.times(k).epsilon(delta) if delta >= LEAST else nan for k in USES]
    totals = {"any mechanism, at best": best, "Laplace noise, exactly": exact}
    normal = [normal_epsilon(k * one.mean, sqrt(k) * one.sd, delta) for k in USES]
    series = [Series("sum of all ε", (USES[0], USES[-1]), (1, 1), role="reference", colour_key="non-private")]
    for key, (label, found) in zip("35", totals.items(), strict=True):
        series.append(Series(label, USES, _over_sum(found, epsilon), role="reference", colour_key=key))
    series.append(Series("", USES, _over_sum(normal, epsilon), role="theory", colour_key="non-private"))
    return Panel(
        f"k uses together, δ = {short(delta)}", "uses k", "ε of all, over the sum k ε", tuple(series),
        yscale="linear", ylim=(0.0, 1.1),
    )  # fmt: skip


def _over_sum(found: list[float], epsilon: float) -> list[float]:
    return [total / (k * epsilon) for total, k in zip(found, USES, strict=True)]
