"""The explorer of matrices: the truth, its noisy release, and what a rule keeps of it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import log, sqrt

import numpy as np

from workbench.bounds.wx19 import threshold
from workbench.chapters.sparse_covariance.designs import Model, f1, released, share_of, spectral, spread
from workbench.chapters.sparse_covariance.designs import Run as Release
from workbench.chapters.sparse_covariance.regimes import matrix_panel
from workbench.charts.chart import Chart
from workbench.charts.words import number
from workbench.estimators.sparse import HARD, LASSO, Rule, thresholded
from workbench.study.grids import Role as Streams
from workbench.study.grids import stream
from workbench.study.run import Run
from workbench.types import Array

WORDS: dict[str, Rule] = {
    "default rule": "adaptive-lasso",
    "equation (9)": "paper",
    "hard": "hard",
    "false discoveries": "bh",
    "thinning": "thinning",
}
ROUNDS = (9, 20, 30)  # further runs between two frames
SIGNAL_N = 500_000  # rows whose unit ball fixes the truth's scale
ALT = "The truth, its noisy release and what a rule keeps of it as colours."


def level(one: Release, rule: Rule) -> float:
    """Return about where a rule cuts, from public numbers and the mean variance."""
    variance, p = float(np.diag(one.truth).mean()), len(one.truth)
    if rule == "paper":
        return threshold(p, one.n, one.noise.off_diagonal, float(np.diag(one.truth).max()))
    kappa = HARD if rule == "hard" else LASSO
    return kappa * sqrt(log(p)) * float(np.hypot(one.noise.off_diagonal, variance / sqrt(one.n)))


def kept(one: Release, rule: Rule, times: float, rng: np.random.Generator) -> Array:
    """Return what a rule keeps that is told so many times the noise: as many times higher a threshold."""
    sds = {"diagonal": times * one.noise.diagonal, "off_diagonal": times * one.noise.off_diagonal}
    return thresholded(one.released, one.noise._replace(**sds, n=round(one.n / times**2)), rule, rng)


@dataclass
class Picture:
    """What is known so far at one position of the controls: one run that is shown, and others like it."""

    public: str
    rule: str
    times: float
    one: Release
    errors: list[tuple[float, float]] = field(default_factory=list)
    f1s: list[float] = field(default_factory=list)

    def predicted(self) -> Chart:
        """Return the picture without a run: the truth, and what of it is above the rule's cut."""
        truth = self.one.truth
        small = (np.abs(truth) <= self.times * level(self.one, WORDS[self.rule])) & ~np.eye(
            len(truth), dtype=bool
        )
        left = np.where(small, 0.0, truth)
        return self._chart(truth, left, f"Predicted: {self.rule} keeps {_pairs(left)} pairs.")

    def add(self, one: Release, rng: np.random.Generator) -> Array:
        """Add a run, and return what the rule keeps of it."""
        left, truth = kept(one, WORDS[self.rule], self.times, rng), one.truth
        size = spectral(truth)
        self.errors.append((spectral(one.released - truth) / size, spectral(left - truth) / size))
        self.f1s.append(f1(left, truth))
        return left

    def simulated(self, left: Array) -> Chart:
        """Return the picture of the first run, and what all runs so far say."""
        return self._chart(self.one.released, left, self._sentence(left))

    def _sentence(self, left: Array) -> str:
        pairs, runs = len(left) * (len(left) - 1) // 2, len(self.f1s)
        plain, ours = np.mean(self.errors, axis=0)
        over = f"over {runs} runs" if runs > 1 else "in this run"
        return (
            f"Of {_pairs(self.one.truth)} correlated pairs among {pairs}, {self.rule} keeps"
            f" {_pairs(left)} here. Means {over}: F1 = {np.mean(self.f1s):.2f}, relative error {ours:.2f},"
            f" without a rule {plain:.2f}."
        )

    def _chart(self, noisy: Array, left: Array, caption: str) -> Chart:
        truth = self.one.truth
        return Chart(
            "sparse_covariance_matrix_view",
            f"What is left at {self.public}?",
            (
                matrix_panel("truth", truth, truth),
                matrix_panel("plain release", noisy, truth),
                matrix_panel(self.rule, left, truth),
            ),
            alt=ALT,
            caption=caption,
        )


def matrices_view(
    run: Run,
    *,
    epsilon: float,
    delta: float,
    n: int,
    p: int,
    degree: int,
    rule: str,
    model: Model,
    times: float = 1.0,
) -> Iterator[Chart]:
    """Yield what is predicted, then one run, then more like it; `times` raises the rule's thresholds."""
    data, noise = (
        stream(run.seed, role, "wx19-matrices-view", n, 0) for role in (Streams.DATA, Streams.NOISE)
    )
    signal = stream(run.seed, Streams.DATA, "wx19-matrices-view", 0, 0)
    truth = spread(p, min(1.0, share_of(p, degree)), SIGNAL_N, signal)
    public = f"n = {number(n)}, p = {p}, s = {degree}, ε = {number(epsilon)}, {model} noise"
    first = released(truth, n, epsilon, data, noise, delta=delta, model=model)
    picture = Picture(public, rule, times, first)
    yield picture.predicted()
    left = picture.add(picture.one, noise)
    yield picture.simulated(left)
    for runs in ROUNDS:
        for _ in range(runs):
            one = released(truth, n, epsilon, data, noise, delta=delta, model=model)
            picture.add(one, noise)
        yield picture.simulated(left)


def _pairs(matrix: Array) -> int:
    return int((matrix != 0).sum() - len(matrix)) // 2
