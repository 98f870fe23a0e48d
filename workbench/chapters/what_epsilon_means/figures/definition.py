"""The definition as a picture: two output densities, the factor between them, and the sliver."""

import numpy as np

from workbench.chapters.what_epsilon_means.runs.laws import GAUSSIAN, LAPLACE, Additive, Densities, law
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.words import number
from workbench.study.run import Run

POINTS = 481
FIRST, SECOND, BAND = "idea/first", "idea/second", "idea/data"
NAMED, BESIDE = (
    0.8,
    (0.12, 0.2),
)  # where a name stands: of the tallest density, and of the axis beside a flank
NEAR, FAR = np.array([-1.0]), np.array([1.0])  # one row in [-1, 1], which moves from end to end


def two_outputs(_run: Run, *, epsilon: float = 1.0, delta: float = 0.05) -> Chart:
    """Return the densities of a release on two neighbours, with Laplace and with Gaussian noise."""
    return Chart(
        "two_outputs",
        "Neighbours' densities differ by at most a factor eᵋ, but for an area δ",
        (_panel(LAPLACE, epsilon, delta), _panel(GAUSSIAN, epsilon, delta)),
        alt="Two pairs of densities. Left, two tents; the second stays inside a band round the first. Right,"
        " two bells; far out on one side the second is higher than the band, by a thin sliver.",
        how_to_read="Grey: the blue density, from 1/eᵋ times to eᵋ times. Left, the orange one never leaves"
        " that band. Right, it does, far out: the area of the sliver is δ.",
    )


def _panel(mechanism: str, epsilon: float, delta: float) -> Panel:
    made = law(mechanism, 1, epsilon, delta, bound=1.0)
    assert isinstance(made, Additive)
    reach = 1 + 3.2 * made.scale
    at = np.linspace(-reach, reach, POINTS)
    both = Densities.of(made, NEAR, FAR, at)
    given = f", δ = {number(delta)}" if mechanism == GAUSSIAN else ""
    tall = float(both.first.max())
    series, sliver = _series(both, at, epsilon, tall)
    return Panel(
        f"{mechanism} noise, ε = {number(epsilon)}{given}", "released number y", "density", series,
        "linear", "linear", xlim=(-reach, reach), ylim=(0.0, 1.2 * tall), marks=sliver,
        note="" if given else "Grey: from 1/eᵋ to eᵋ times the density on X.",
    )  # fmt: skip


def _series(
    both: Densities, at: np.ndarray, epsilon: float, tall: float
) -> tuple[tuple[Series, ...], tuple[Mark, ...]]:
    low, high = np.exp(-epsilon) * both.first, np.exp(epsilon) * both.first
    reach, out = at[-1], both.second > high * (1 + 1e-9)
    height = NAMED * tall
    left, right = at[both.first >= height][0], at[both.second >= height][-1]
    series = [
        Series("", at, high, low, role="area", colour_key=BAND),
        Series("", at, low, role="reference", colour_key=BAND),
        _density("on X", at, both.first, FIRST, (left - BESIDE[0] * reach, height)),
        _density("on X′", at, both.second, SECOND, (right + BESIDE[1] * reach, height)),
    ]
    if not out.any():
        return tuple(series), ()
    area = at[out], both.second[out], high[out]
    series.append(Series("", *area, role="area", colour_key=SECOND))
    mark = Mark("area δ", x=0.8 * reach, y=0.3 * tall, colour_key=SECOND)
    return tuple(series), (mark,)


def _density(label: str, at: np.ndarray, y: np.ndarray, key: str, place: tuple[float, float]) -> Series:
    """Return a density on top of the band, whose edge it may be."""
    return Series(label, at, y, role="theory", colour_key=key, label_at=place)
