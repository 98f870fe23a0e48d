"""Composition: the law of the privacy loss, and the ε of many uses."""

from math import nan, sqrt

import numpy as np

from workbench.chapters.what_epsilon_means.runs.composition import LEAST, laplace_losses, normal_epsilon
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.words import number
from workbench.privacy import ApproxDP
from workbench.privacy.budgets import optimal_composition
from workbench.special import ndtr
from workbench.study.run import Run

SHOWN = (1, 4, 16)
LABELS = ((-1.9, 0.3), (-1.1, 0.42), (-0.35, 0.8))  # where the names of these stand
USES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
STANDARD = tuple(float(z) for z in np.linspace(-3.2, 3.2, 161))


def composition(_run: Run, *, epsilon: float = 0.5, delta: float = 1e-4) -> Chart:
    """Return the law of the sum of k privacy losses, and the ε of k uses."""
    return Chart(
        "composition",
        "Many small privacy losses make one normal loss",
        (_laws(epsilon), _totals(epsilon, delta)),
        alt="Left, distribution functions of the standardised loss: with two jumps for one use, on the"
        " normal curve for sixteen. Right, ε over the sum of all ε against the number of uses: 1 for few,"
        " then falling, for Laplace noise down to the normal law.",
        how_to_read="Left, the loss of k uses of Laplace noise in units of its own spread. Right, the ε of"
        " all uses over their sum: for few uses the sum is needed, for many it is far too much.",
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
            Series(
                f"{k} use{'s' * (k > 1)}",
                STANDARD,
                heights,
                role="reference",
                rank=key / (len(SHOWN) - 1),
                label_at=LABELS[key],
            )
        )
    series.append(
        Series(
            "normal law",
            STANDARD,
            ndtr(STANDARD),
            role="reference",
            colour_key="idea/total",
            label_at=(2.2, 0.82),
        )
    )
    return Panel(
        f"Laplace noise, ε = {number(epsilon)} a use", "privacy loss, standardised",
        "probability of at most that",
        tuple(series), "linear", "linear", ylim=(0.0, 1.02),
    )  # fmt: skip


def _totals(epsilon: float, delta: float) -> Panel:
    one = laplace_losses(epsilon)
    best = [optimal_composition(ApproxDP(epsilon, 0.0), k, delta).epsilon for k in USES]
    exact = [one.times(k).epsilon(delta) if delta >= LEAST else nan for k in USES]
    totals = {"any mechanism, at best": best, "Laplace noise, exactly": exact}
    normal = [normal_epsilon(k * one.mean, sqrt(k) * one.sd, delta) for k in USES]
    series = [Series("sum of all ε", (USES[0], USES[-1]), (1, 1), role="reference")]
    for key, (label, found) in zip(("idea/public", "idea/laplace"), totals.items(), strict=True):
        series.append(Series(label, USES, _over_sum(found, epsilon), role="reference", colour_key=key))
    series.append(
        Series("normal law", USES, _over_sum(normal, epsilon), role="reference", colour_key="idea/total")
    )
    return Panel(
        f"all uses together, δ = {number(delta)}", "uses k", "ε of k uses / kε", tuple(series),
        yscale="linear", ylim=(0.0, 1.1),
    )  # fmt: skip


def _over_sum(found: list[float], epsilon: float) -> list[float]:
    return [total / (k * epsilon) for total, k in zip(found, USES, strict=True)]
