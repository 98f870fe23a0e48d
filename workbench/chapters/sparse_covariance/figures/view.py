"""The explorer of Figure 1: error against n for any p, s and ε, with the six references."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import log, sqrt

import numpy as np

from workbench.bounds.wx19 import plain_noise, threshold
from workbench.chapters.sparse_covariance.designs import (
    Model,
    diagonal,
    estimates,
    off_diagonal_sd,
    released,
    share_of,
    spectral,
    spread,
)
from workbench.chapters.sparse_covariance.figures_1_to_4 import DEFAULT, LOOKS, NAMED, PAPER
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.words import number
from workbench.estimators.sparse import LASSO
from workbench.privacy import ApproxDP
from workbench.study.grids import Role, stream
from workbench.study.run import Run
from workbench.types import Array

ROWS: dict[Model, tuple[int, ...]] = {
    "central": tuple(round(n) for n in np.geomspace(3e3, 3e6, 7)),
    "local": tuple(round(n) for n in np.geomspace(1e5, 1e11, 7)),
}
RULES = {"default": ("default rule", DEFAULT), "algorithm": ("equation (9)", PAPER)}
RUNS = 6
WORK = 4e5  # entries of matrices that are worked on between two frames
SPOKEN = 3  # place of the n that is read out
ALT = (
    "Relative error against n for the chosen numbers: both rules fall from the diagonal's error, the"
    " default one earlier, beside lines for the six references."
)


@dataclass
class Picture:
    """What is known so far at one position of the sliders."""

    p: int
    degree: float
    budget: ApproxDP
    alpha: float
    model: Model
    truth: Array
    lines: list[Series] = field(default_factory=list)
    found: dict[int, list[dict[str, float]]] = field(default_factory=dict)

    @property
    def rows(self) -> tuple[int, ...]:
        """The grid of n."""
        return ROWS[self.model]

    def predict(self) -> None:
        """Draw what is known without a run: two references, the plain release, what thresholds lose."""
        rows, size = self.rows, spectral(self.truth)
        flat = spectral(self.truth - diagonal(self.truth)) / size
        self.lines = [
            Series(
                "target accuracy α", rows, [self.alpha] * len(rows), role="reference", colour_key="idea/right"
            ),
            self._level("zero", 1.0),
            self._level("oracle diagonal", flat),
            self._theory([self.plain(n) / size for n in rows], LOOKS["plain"]),
            *(self._theory([self.lost(n, name) / size for n in rows], RULES[name][1]) for name in RULES),
        ]

    def _theory(self, values: list[float], look: str) -> Series:
        return Series("", self.rows, values, role="theory", colour_key=look)

    def _level(self, name: str, value: float) -> Series:
        values = [value] * len(self.rows)
        return Series("", self.rows, values, role="reference", colour_key=LOOKS[name])

    def sd(self, n: int) -> float:
        """Return the sd of the noise off the diagonal."""
        return off_diagonal_sd(self.p, n, self.budget, self.model, "tight")

    def plain(self, n: int) -> float:
        """Return the predicted error of the plain release: its noise, and that of sampling."""
        sampling = spectral(self.truth) * 2 * sqrt(np.trace(self.truth) / spectral(self.truth) / n)
        return float(np.hypot(plain_noise(self.p, self.sd(n)), sampling))

    def lost(self, n: int, rule: str) -> float:
        """Return the error of the truth itself, thresholded where a rule does it: no noise is left."""
        variance = float(np.diag(self.truth).max())
        t = threshold(self.p, n, self.sd(n), variance)
        if rule == "default":
            t = LASSO * sqrt(log(self.p)) * float(np.hypot(self.sd(n), variance / sqrt(n)))
        small = (np.abs(self.truth) <= t) & ~np.eye(self.p, dtype=bool)
        return max(spectral(np.where(small, self.truth, 0.0)), 1e-9)

    def simulate(self, n: int, data: np.random.Generator, noise: np.random.Generator) -> None:
        """Add one run at n."""
        epsilon, delta = self.budget.epsilon, self.budget.delta
        one = released(self.truth, n, epsilon, data, noise, delta=delta, model=self.model)
        size = spectral(self.truth)
        errors = {name: spectral(matrix - one.truth) / size for name, matrix in estimates(one, noise).items()}
        self.found.setdefault(n, []).append(errors)

    def mean(self, n: int, name: str) -> float:
        """Return the geometric mean error at n so far."""
        return float(np.exp(np.mean([log(max(run[name], 1e-9)) for run in self.found[n]])))

    def chart(self) -> Chart:
        """Return the picture."""
        ns = sorted(self.found)
        series = [
            Series(label, ns, [self.mean(n, name) for n in ns], colour_key=look)
            for name, (label, look) in RULES.items()
        ]
        series += [
            Series("", ns, [self.mean(n, name) for n in ns], role="reference", colour_key=look)
            for name, look in LOOKS.items()
            if name not in ("zero", "oracle diagonal")
        ]
        panel = Panel(
            "", "rows n" if self.model == "central" else "users n", "relative spectral error",
            (*series, *self.lines), xlim=(0.8 * self.rows[0], 1.25 * self.rows[-1]), ylim=(1e-3, 30),
            note="Predicted: the noise of the plain release; the truth without its small entries, no noise.",
            marks=self._marks(),
        )  # fmt: skip
        public = f"ε = {number(self.budget.epsilon)}, δ = {number(self.budget.delta)}, {self.model}"
        title = f"Who sees the support at p = {self.p}, s = {number(self.degree)}, {public}?"
        return Chart("sparse_covariance_view", title, (panel,), alt=ALT, caption=self.sentence())

    def _marks(self) -> tuple[Mark, ...]:
        """Return the names of the references, on the plot."""
        last, size = self.rows[-2], spectral(self.truth)
        flat = spectral(self.truth - diagonal(self.truth)) / size
        return (
            Mark(NAMED["zero"], x=last, y=1.25),
            Mark(NAMED["oracle diagonal"], x=last, y=1.25 * flat),
            Mark(
                NAMED["plain"],
                x=self.rows[1],
                y=1.6 * self.plain(self.rows[1]) / size,
                colour_key=LOOKS["plain"],
            ),
        )

    def sentence(self) -> str:
        """Return the readout at one n."""
        n, size = self.rows[SPOKEN], spectral(self.truth)
        said = (
            f"At n = {n}: the plain release is predicted to err by {self.plain(n) / size:.2g} of"
            f" the truth, and thresholds lose {self.lost(n, 'default') / size:.2g} (default) and"
            f" {self.lost(n, 'algorithm') / size:.2g} (equation (9))."
        )
        if n not in self.found:
            return said
        found = {name: self.mean(n, name) for name in ("plain", "default", "algorithm")}
        runs = len(self.found[n])
        return (
            f"{said} Simulated, {runs} run{'s' * (runs > 1)}: plain {found['plain']:.2g}, default"
            f" {found['default']:.2g}, equation (9) {found['algorithm']:.2g}."
        )


def error_against_rows_view(
    run: Run, *, epsilon: float, delta: float, alpha: float, p: int, degree: int, model: Model
) -> Iterator[Chart]:
    """Yield predictions, then one run at every n, then more runs."""
    data, noise = (stream(run.seed, role, "wx19-view", p, 0) for role in (Role.DATA, Role.NOISE))
    rows = ROWS[model]
    truth = spread(p, min(1.0, share_of(p, degree)), rows[-1], data)
    picture = Picture(p, degree, ApproxDP(epsilon, delta), alpha, model, truth)
    picture.predict()
    yield picture.chart()
    work = 0.0
    for n in rows * RUNS:
        picture.simulate(n, data, noise)
        work += p**2 * (1 + p / 100)
        if work > WORK or n == rows[-1]:
            work = 0.0
            yield picture.chart()
