"""The explorer 'private for free': where the cost of privacy falls below that of sampling."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import log, sqrt

import numpy as np

from workbench.chapters.one_mean.costs import HALF_NORMAL_MEDIAN, KEYS, NAMES, PLAIN, noise_part
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.words import number
from workbench.estimators.base import Abstention
from workbench.estimators.shared import noisy_means
from workbench.estimators.shared.noisy_means import half_width
from workbench.estimators.two_step import TwoStepMean, WindowMean
from workbench.privacy import PureDP
from workbench.study.grids import Role, stream
from workbench.study.run import Run

ALT = (
    "The distance between private and plain mean against n, predicted and simulated, beside the error of the"
    " plain mean: privacy is free to the right of where they cross."
)
GRID = tuple(int(n) for n in np.geomspace(100, 30_000, 9).round())
FRAMES = 6  # the first batch of runs is the coarse simulation, all together the full one
WORK = 50.0  # milliseconds of runs or of predictions between two frames, at most, roughly


@dataclass
class Picture:
    """What is known so far at one position of the sliders."""

    epsilon: float
    n: int
    radius: float
    predicted: dict[int, float] = field(default_factory=dict)
    runs: dict[str, list[float]] = field(default_factory=lambda: {"paper": [], "tight": []})

    def predict(self, ns: Sequence[int]) -> None:
        """Add the predicted distance of the tight mean from the sample mean at these n."""
        for n in ns:
            self.predicted[n] = tight_distance(n, PureDP(self.epsilon), self.radius)

    def simulate(self, trials: int, data: np.random.Generator, noise: np.random.Generator) -> None:
        """Add distances of both private means from the sample mean of the same rows."""
        budget = PureDP(self.epsilon)
        for _ in range(trials):
            x = data.uniform(-self.radius, self.radius) + data.standard_normal(self.n)
            for name, distances in self.runs.items():
                estimator = TwoStepMean(radius=self.radius, calibration=name, sigma=1.0)  # type: ignore[arg-type]
                value = estimator(x, budget=budget, rng=noise).value
                distances.append(np.inf if isinstance(value, Abstention) else abs(value - x.mean()))

    def chart(self) -> Chart:
        """Return the picture."""
        fine = np.geomspace(100, 30_000, 25)
        paper = [log(2) * noise_part(float(n), self.epsilon) for n in fine]
        tight = sorted(self.predicted)
        series = [
            Series("sampling", fine, HALF_NORMAL_MEDIAN / np.sqrt(fine),
                   role="reference", colour_key=PLAIN),
            Series("", fine, paper, role="theory", colour_key=KEYS["paper"]),
            Series("", tight, [self.predicted[n] for n in tight], role="theory", colour_key=KEYS["tight"]),
            *(self._measured(name) for name in ("paper", "tight")),
        ]  # fmt: skip
        panel = Panel("", "rows n", "median distance (σ)", tuple(series),
                      xlim=(90, 33_000), ylim=(1e-4, 10))  # fmt: skip
        title = (
            f"Is privacy free at ε = {number(self.epsilon)}, n = {number(self.n)}, R = {number(self.radius)}?"
        )
        return Chart("private_for_free_view", title, (panel,), alt=ALT, caption=self.sentence())

    def _measured(self, name: str) -> Series:
        distances = self.runs[name]
        if not distances:
            return Series(NAMES[name], (), (), colour_key=KEYS[name])
        low, middle, high = np.quantile(distances, _around_the_median(len(distances)), method="nearest")
        return Series(NAMES[name], (self.n,), (middle,), (low,), (high,), colour_key=KEYS[name])

    def sentence(self) -> str:
        """Return the readout: the cost of privacy over that of sampling at the chosen n."""
        floor = HALF_NORMAL_MEDIAN / sqrt(self.n)
        paper, tight = (log(2) * noise_part(self.n, self.epsilon), self.predicted[self.n])
        said = (
            f"At n = {self.n} sampling errs by {floor:.3g}; privacy moves the lecture's mean by another"
            f" {paper:.3g} ({paper / floor:.2g} times as much), the tight one by {tight:.3g}"
            f" ({tight / floor:.2g} times)."
        )
        runs = len(self.runs["tight"])
        if not runs:
            return said + " Predicted."
        medians = {name: float(np.median(distances)) for name, distances in self.runs.items()}
        return f"{said} Measured in {runs} runs: {medians['paper']:.3g} and {medians['tight']:.3g}."


def private_for_free_view(run: Run, *, epsilon: float, n: int, radius: float) -> Iterator[Chart]:
    """Yield the distances at n against what sampling errs by: theory, its curve, then more and more runs."""
    picture = Picture(epsilon, n, radius)
    picture.predict([n])
    yield picture.chart()
    data, noise = (stream(run.seed, role, "private-for-free-view", n, 0) for role in (Role.DATA, Role.NOISE))
    for round_ in range(FRAMES):
        picture.simulate(runs_per_frame(n, radius), data, noise)
        yield picture.chart()
        if round_ < len(GRID) // 2 + 1:
            picture.predict(GRID[2 * round_ : 2 * round_ + 2])
            yield picture.chart()


def tight_distance(n: int, budget: PureDP, radius: float) -> float:
    """Return the predicted median distance of the tight mean from the sample mean.

    An equivariant estimate minus the sample mean is independent of the sample mean (Basu), so that its
    variance is what the estimate's exceeds 1/n by. Of the Huber step this is the part that clipping loses;
    the Laplace noise comes on top, and both are divided by the slope of the step.
    """
    recipe = WindowMean(radius)
    design = recipe.design(n, budget)
    if not design.clip:
        return HALF_NORMAL_MEDIAN * sqrt(max(design.rms**2 - 1 / n, 0.0))
    centre = np.zeros(1)
    slope = float(noisy_means.clipped_slope(centre, design.clip)[0])
    lost = float(noisy_means.clipped_variance(centre, design.clip)[0]) / slope**2 - 1
    charge = recipe.plan(n, budget)["mean"]
    return half_width(0.5, sqrt(lost / n), replace(charge, sensitivity=charge.sensitivity / slope))


def runs_per_frame(n: int, radius: float) -> int:
    """Return how many runs fit between two frames, from their cost in milliseconds on a slow machine."""
    return max(5, min(200, int(WORK / (0.35 + 9e-5 * n + 6e-5 * radius))))


def _around_the_median(runs: int) -> tuple[float, float, float]:
    spread = 0.98 / sqrt(runs)  # two standard errors of a share of one half
    return max(0.0, 0.5 - spread), 0.5, min(1.0, 0.5 + spread)
