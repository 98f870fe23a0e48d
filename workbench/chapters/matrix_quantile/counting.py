"""A count says how many rows may be replaced before the quantile could move far; a release hangs on it."""

from functools import lru_cache
from math import nan

import numpy as np

from workbench.chapters.covariance.worlds import tilted
from workbench.chapters.matrix_quantile.outliers import spoilt
from workbench.chapters.matrix_quantile.quantiles import OURS
from workbench.chapters.matrix_quantile.rows import BETA, DELTA, EPSILON, planned
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.style import number
from workbench.estimators.matrix_quantile import Design, MatrixQuantile, MatrixQuantileCovariance
from workbench.estimators.stable_quantile import Scaled, Stability
from workbench.privacy import ApproxDP
from workbench.privacy.stable import chances as stable_chances
from workbench.study.grids import Role, stream
from workbench.study.run import Run
from workbench.types import Array

D, UPPER, SHARE = 2, 100.0, 0.1


@lru_cache(maxsize=64)
def recipe(n: int, d: int, budget: ApproxDP) -> MatrixQuantile:
    """Return the recipe for n rows of mean 0: public."""
    return MatrixQuantileCovariance(centred=True, beta=BETA).recipe(n, d, budget)[1]


def slopes(test: Stability, x: Array, counts: list[int]) -> list[float]:
    """Return the slopes that C_t compares with its threshold; nan where a level is not found."""
    return [_slope(test, x, t) for t in counts]


def _slope(test: Stability, x: Array, t: int) -> float:
    scaled = Scaled.of(x, test.influence, test.low(t))
    high = test.solver.descend(scaled, scaled.start(), test.low(t))
    low = None if high is None else test.solver.descend(scaled, high, test.high(t))
    return nan if high is None or low is None else test.slope(scaled, low, high)


def needed(test: Stability, t: int) -> float:
    """Return the threshold of C_t."""
    return test.strength + (test.influence.most + test.margin) * t


def stability(
    run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, corruption: float = SHARE
) -> Chart:
    """Return the chart of the counts of three sets of rows, and of the chance of a release at each."""
    budget = ApproxDP(epsilon, delta)
    made = recipe(planned(D, None, budget), D, budget).design
    counts = {name: made.test.measure(x)[0] for name, x in _sets(made, run.seed, corruption).items()}
    return Chart(
        "stability",
        "The count says how many rows may change before the estimator abstains",
        (_counts(made, counts), _passing(made, counts)),
        alt="Left, bars of how many rows may change: many for normal rows, fewer for heavy tails and for rows"
        " some of which are far away. Right, the chance of a release rises from δ at a count of 1 to nearly 1"
        " at the last.",
        how_to_read=f"Rows in {D} columns, as many as the plan asks for: {number(made.test.n)}. A count leads"
        " to a release with the chance on the right: never at 0, almost never at 1, almost always at T.",
    )


def even(made: Design) -> float:
    """Return the count at which half of the runs release, between whole numbers."""
    chances = stable_chances(made.charge)
    return float(np.interp(0.5, chances, range(len(chances))))


def _sets(made: Design, seed: int, share: float) -> dict[str, Array]:
    law, n = tilted(UPPER), made.test.n
    rng = stream(seed, Role.DATA, "mq-stability", 0, 0)
    return {
        "normal rows": law.sample(n, rng=rng),
        "heavy tails": tilted(UPPER, 3.0).sample(n, rng=rng),
        f"{number(100 * share)} % far away": spoilt(law, n, share, 0.0, rng),
    }


def _counts(made: Design, counts: dict[str, int]) -> Panel:
    bars = Series("", range(1, len(counts) + 1), counts.values(), role="bars", colour_key=OURS, kind="count")
    half = Mark("half the runs release", "vertical", x=even(made), y=2.5, side="right")
    return Panel(
        "Rows that may change", "three sets of rows", "count h (rows)", (bars,), "linear", "linear",
        names=tuple(counts), ylim=(0.0, 1.85 * made.test.most), marks=(half,),
    )  # fmt: skip


def _passing(made: Design, found: dict[str, int]) -> Panel:
    ramp, half = stable_chances(made.charge), even(made)
    counts, chances = range(1, made.test.most + 1), ramp[1:]
    marks = [
        Mark(name if h < half else "", "point", x=h, y=max(ramp[h], 4e-7), side="left", colour_key=OURS)
        for name, h in found.items()
    ]
    likely = {name: h for name, h in found.items() if h >= half}
    marks += [Mark(name, x=h + 1.0, y=0.12 * ramp[h], colour_key=OURS) for name, h in likely.items()]
    marks.append(Mark("the chance is δ", "point", x=1, y=chances[0], side="right"))
    return Panel(
        "The chance of a release", "count h (rows)",
        "probability", (Series("", counts, chances, role="theory", colour_key=OURS),), xscale="linear",
        ylim=(3e-7, 3.0), xlim=(0.0, 1.25 * made.test.most), marks=tuple(marks),
    )  # fmt: skip
