"""The definition as a picture: two output densities, the factor between them, and the sliver."""

import numpy as np

from workbench.chapters.what_epsilon_means.runs.laws import GAUSSIAN, KEYS, LAPLACE, Additive, Densities, law
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.parameters import brief
from workbench.study.run import Run

POINTS = 481
SLIVER = "3"
NEAR, FAR = np.array([-1.0]), np.array([1.0])  # one row in [-1, 1], which moves from end to end


def two_outputs(_run: Run, *, epsilon: float = 1.0, delta: float = 0.05) -> Chart:
    """Return the densities of a release on two neighbours, with Laplace and with Gaussian noise."""
    return Chart(
        "two_outputs",
        "What is released about two neighbours hardly differs",
        (_panel(LAPLACE, epsilon, delta), _panel(GAUSSIAN, epsilon, delta)),
        alt="Two pairs of densities. Left, two tents; the second stays inside a band round the first. Right,"
        " two bells; far out on one side the second is higher than the band, by a thin sliver.",
        how_to_read="The band is the blue density, from 1/eᵋ times to eᵋ times. Left, the red one never"
        " leaves it. Right, it does, far out: the area of the sliver is δ.",
    )


def _panel(mechanism: str, epsilon: float, delta: float) -> Panel:
    made = law(mechanism, 1, epsilon, delta, bound=1.0)
    assert isinstance(made, Additive)
    reach = 1 + 3.2 * made.scale
    at = np.linspace(-reach, reach, POINTS)
    both = Densities.of(made, NEAR, FAR, at)
    given = (
        f"(ε, δ) = ({brief(epsilon)}, {brief(delta)})" if mechanism == GAUSSIAN else f"ε = {brief(epsilon)}"
    )
    return Panel(
        f"{mechanism} noise, {given}", "released number y", "density", tuple(_series(both, at, epsilon)),
        "linear", "linear", xlim=(-reach, reach), ylim=(0.0, 1.2 * float(both.first.max())),
    )  # fmt: skip


def _series(both: Densities, at: np.ndarray, epsilon: float) -> list[Series]:
    low, high = np.exp(-epsilon) * both.first, np.exp(epsilon) * both.first
    series = [
        Series(
            "data set X, and eᵋ times more or less",
            at,
            both.first,
            low,
            high,
            role="reference",
            colour_key=KEYS[LAPLACE],
        ),
        Series("its neighbour X′", at, both.second, role="reference", colour_key=KEYS[GAUSSIAN]),
    ]
    out = both.second > high * (1 + 1e-9)
    if out.any():
        sliver = at[out], both.second[out], high[out], both.second[out]
        series.append(Series("beyond the band: δ", *sliver, role="reference", colour_key=SLIVER))
    return series
