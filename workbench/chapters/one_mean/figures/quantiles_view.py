"""The explorer of many quantiles: what is released of a sample, and how far every level is off in rank."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from workbench.chapters.one_mean import quantiles as runs
from workbench.chapters.one_mean.quantiles import APART_KEY as APART
from workbench.chapters.one_mean.quantiles import NAMES, PLAIN
from workbench.chapters.one_mean.quantiles import TOGETHER_KEY as TOGETHER
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.words import number
from workbench.study.grids import Role, stream
from workbench.study.run import Run
from workbench.types import Array

NAME, ROUNDS = "quantiles-view", 10
AT_ONCE = 33  # medians between two frames, at most
FINE = np.linspace(0.002, 0.998, 250)


@dataclass
class Picture:
    """One position of the controls: what is predicted, the last release, and the errors of all so far."""

    epsilon: float
    m: int
    n: int
    released: dict[str, Array] = field(default_factory=dict)
    errors: dict[str, list[Array]] = field(default_factory=lambda: {APART: [], TOGETHER: []})

    def run(self, x: Array, noise: np.random.Generator) -> Iterator[int]:
        """Release the quantiles of rows in both ways; yield how many medians are drawn, now and then."""
        self._add(TOGETHER, x, runs.together(x, self.m, self.epsilon, noise))
        found = list[float]()
        for value in runs.one_by_one(x, self.m, self.epsilon, noise):
            found.append(value)
            if len(found) % AT_ONCE == 0 and len(found) < self.m:
                yield len(found)
        self._add(APART, x, np.array(found))
        yield self.m

    def _add(self, key: str, x: Array, released: Array) -> None:
        self.released[key] = released
        self.errors[key].append(runs.rank_errors(x, released, self.m))

    def chart(self, x: Array | None, medians: int = 0) -> Chart:
        """Return the picture."""
        where = f"m = {self.m}, ε = {number(self.epsilon)}, {number(self.n)} rows"
        return Chart(
            "quantiles_view",
            f"Together, or a median each with ε/m: {where}",
            (self._function(x), self._ranks()),
            alt="Left, the quantile function of a skewed sample and two private releases of it. Right, the"
            " error in ranks of every level, predicted and measured, in both ways.",
            caption=self.sentence(medians),
        )

    def _function(self, x: Array | None) -> Panel:
        line = runs.true_quantiles(FINE) if x is None else np.quantile(x, FINE)
        series = [
            Series("the law" if x is None else "the sample", FINE, line, role="truth", colour_key=PLAIN)
        ]
        for key, found in self.released.items():
            series.append(Series(NAMES[key], runs.levels(self.m), found, colour_key=key, joined=False))
        return Panel("what is released", "level", "quantile", tuple(series), xscale="linear",
                     xlim=(0, 1), ylim=(0.03, 2.2 * runs.MIDDLE))  # fmt: skip

    def _ranks(self) -> Panel:
        some, series = runs.levels(self.m), []
        for key, expected in zip((TOGETHER, APART), runs.medians(self.m, self.n, self.epsilon), strict=True):
            series.append(Series(NAMES[key], some, 100 * expected, role="theory", colour_key=key))
            if found := self.errors[key]:
                middle = 100 * np.maximum(np.median(found, axis=0), 1e-5)
                series.append(Series("", some, middle, colour_key=key, joined=False))
        return Panel("how far off, median of the runs", "level", "error in rank (% of n)", tuple(series),
                     xscale="linear", xlim=(0, 1), ylim=(0.005, 100))  # fmt: skip

    def sentence(self, medians: int) -> str:
        """Return the largest errors, predicted and measured."""
        together, apart = runs.largest(self.m, self.n, self.epsilon)
        said = (
            f"Predicted largest error: {100 * together:.2g} % of the ranks together, {100 * apart:.2g} % with"
            f" a median each, {apart / together:.2g} times as much."
        )
        runs_so_far = len(self.errors[APART])
        if runs_so_far:
            found = {
                key: 100 * np.median([one.max() for one in errors]) for key, errors in self.errors.items()
            }
            times = f"{found[APART] / found[TOGETHER]:.2g} times" if found[TOGETHER] > 0 else "more"
            said += (
                f" Measured in {runs_so_far} run{'s' * (runs_so_far > 1)}: {found[TOGETHER]:.2g} % and"
                f" {found[APART]:.2g} %, {times}."
            )
        return said + (f" Drawn: {medians} of {self.m} medians." if 0 < medians < self.m else "")


def quantiles_view(run: Run, *, epsilon: float, m: int, n: int) -> Iterator[Chart]:
    """Yield what is predicted for m levels, then one sample after another, released in both ways.

    Parameters
    ----------
    run
        Has the seed.
    epsilon
        Budget of all levels together.
    m
        Evenly spaced levels.
    n
        Rows, log-normal.
    """
    picture = Picture(epsilon, m, n)
    yield picture.chart(None)
    data, noise = (stream(run.seed, role, NAME, n, m) for role in (Role.DATA, Role.NOISE))
    for _ in range(ROUNDS):
        x = runs.sample(n, data)
        for medians in picture.run(x, noise):
            yield picture.chart(x, medians)
