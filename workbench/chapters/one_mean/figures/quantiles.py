"""Many quantiles of a skewed column: what is released, and how much less it errs than one by one."""

import numpy as np

from workbench.chapters.one_mean.runs import quantiles as runs
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.methods import name
from workbench.charts.words import number
from workbench.study.grids import Role, grid, resampler, stream
from workbench.study.intervals import median_ratio_interval
from workbench.study.measures import Measure, by
from workbench.study.run import Run

TOGETHER, APART, PLAIN = "univariate/quantiles", "univariate/median", "non-private"
NAMES = {TOGETHER: name(TOGETHER), APART: "a median each"}
SHOWN, SAMPLE, RELEASES = 19, 0.1, 40  # levels; rows, of those of the factor; of one sample
MOST = 20_000  # rows of that sample
ENDS = (0.025, 0.975)  # of the releases
COUNTED = (2, 3, 5, 9, 15, 21, 33, 45, 66, 99)  # m of the predicted line
TOLD, MARGIN = 33, 0.2  # the m of the title; what the prediction leaves out


def many_quantiles(run: Run, *, epsilon: float = runs.EPSILON, n: int = runs.N) -> Chart:
    """Return quantiles of a sample drawn together, and the factor over a median each."""
    factor = _factor(run, epsilon, n)
    together, apart = runs.largest(TOLD, n, epsilon)
    return Chart(
        "many_quantiles",
        f"Drawn together, {TOLD} quantiles err {number(apart / together, 2)} times less than one by one",
        (_released(run, epsilon, min(MOST, max(20, round(SAMPLE * n)))), factor),
        alt="Left, the quantile function of a skewed sample with bands of private releases, narrow for many"
        " quantiles at once and wide for a median each. Right, the ratio of their largest errors, which"
        " grows with the number of quantiles.",
        how_to_read="Left, bands hold 95 % of the releases: a median each, with ε/m, leaves the data at the"
        " upper end. Right, the largest error in ranks, one by one over together: the line was predicted"
        " before any run.",
    )


def _released(run: Run, epsilon: float, n: int) -> Panel:
    data, noise = (stream(run.seed, role, "many-quantiles", n, 0) for role in (Role.DATA, Role.NOISE))
    x, some = runs.sample(n, data), runs.levels(SHOWN)
    fine = np.linspace(0.005, 0.995, 199)
    series = [Series("the sample", fine, np.quantile(x, fine), role="truth", colour_key=PLAIN)]
    for key in (APART, TOGETHER) if run.simulate else ():
        drawn = runs.apart if key == APART else runs.together
        found = np.array([drawn(x, SHOWN, epsilon, noise) for _ in range(RELEASES)])
        low, high = np.quantile(found, ENDS, axis=0)
        series.append(Series(NAMES[key], some, np.median(found, axis=0), low, high, colour_key=key))
    return Panel(
        f"{SHOWN} quantiles of a log-normal sample, {number(n)} rows, ε = {number(epsilon)}",
        "level", "quantile", tuple(series), xscale="linear", xlim=(0, 1), ylim=(0.05, 2.2 * runs.MIDDLE),
        note="Public range: 0 to 100.",
    )  # fmt: skip


def _factor(run: Run, epsilon: float, n: int) -> Panel:
    numbers = {"n": n, "epsilon": epsilon}
    sides = (runs.FEW, runs.COUNTS[:2]), (runs.MANY, runs.COUNTS[2:])
    frame = run.table(*(sweep.moved(grid(m=some, **numbers)) for sweep, some in sides))
    rng, found = resampler(run.seed, "many-quantiles"), {}
    for m, rows in by(frame, "m").items():
        top, bottom = (rows[column].to_numpy() for column in ("apart", "together"))
        estimate = float(np.median(top) / np.median(bottom))
        found[m] = Measure(estimate, median_ratio_interval(top, bottom, LEVEL, rng), len(rows))
    series = (
        Series("as large", (2, 120), (1, 1), role="reference", colour_key=PLAIN),
        Series("", COUNTED, [predicted(m, n, epsilon) for m in COUNTED], role="theory", colour_key=TOGETHER),
        measured("", found, TOGETHER, [predicted(int(m), n, epsilon) for m in found], MARGIN),
    )
    return Panel(
        f"{number(n)} rows, ε = {number(epsilon)}",
        "quantiles m", "largest error, a median each / together", series,
        xlim=(1.8, 120), ylim=(0.7, 60),
    )  # fmt: skip


def predicted(m: int, n: int, epsilon: float) -> float:
    """Return the predicted ratio of the medians of the largest errors."""
    together, apart = runs.largest(m, n, epsilon)
    return apart / together
