"""The attacks on the univariate entries, stage by stage and, where a run is cheap, as a whole.

Budgets and numbers of rows are small and chosen so that every stage exists and has ε or μ of about 2, where
an attack needs the fewest runs; δ is large enough for sampling to see it.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any

import numpy as np

from workbench.estimators.base import Estimator
from workbench.estimators.bounded import BoundedMean, Count, Histogram
from workbench.estimators.clipped import ClippedMean
from workbench.estimators.histograms import HistogramLocation, StableLocation, UnitHistogram
from workbench.estimators.intervals import (
    CENTRE,
    LOCATION,
    MEAN,
    SCALE,
    Interval,
    IntervalMean,
    IntervalUnknownVariance,
    Tail,
    UnboundedMean,
    count_from,
    mean_square,
    moved_mean,
    scale_and_mean,
    tail_design,
)
from workbench.estimators.quantiles import Median, Quantiles
from workbench.estimators.scale import Scale, log_differences
from workbench.estimators.two_step import HistogramMean, TwoStepMean, WindowMean, clipped_mean
from workbench.privacy import ZCDP, ApproxDP, Budget, Charge, GaussianDP, NoiseSource, PureDP
from workbench.privacy.histograms import stability_histogram
from workbench.study.pairs import rows
from workbench.study.pairs.base import Case, Setting, Step, still
from workbench.types import Array

Cases = Iterator[Case]

PURE, APPROX, CONCENTRATED, CONCENTRATED_DELTA = PureDP(2), ApproxDP(2, 0.05), ZCDP(2), ZCDP(2, 0.05)
REACH = 2.0  # every row of a range this short lies in every window
SHORT, LONG = 1.0, 10.0  # a range of two bins; one in which location takes its share


def one_step(key: str, estimator: Estimator[Any], pairs: rows.Pairs) -> Cases:
    for budget in (PURE, APPROX, CONCENTRATED, GaussianDP(2)):
        yield Setting(key, estimator, budget, len(pairs[0].first)).whole(pairs, 0.4)


HALVES = np.arange(20) % 2  # that the ends do not hide
THIRDS = np.arange(30) % 3 - 1.0
ONE_STEP: dict[str, tuple[Estimator[Any], rows.Pairs]] = {
    "univariate/bounded-mean": (BoundedMean(low=-1.0, high=1.0), rows.ends(4)),
    "univariate/count": (
        Count(),
        (rows.moved("one row more", HALVES, 0.0), rows.moved("absent", HALVES, np.nan)),
    ),
    "univariate/histogram": (
        Histogram(edges=(-0.5, 0.5)),
        (rows.moved("one bin to another", THIRDS, -1.0), rows.moved("absent", THIRDS, np.nan)),
    ),
}


def clipped() -> Cases:
    n = 4
    for budget in (PURE, APPROX, CONCENTRATED, GaussianDP(2)):
        for estimator in (
            ClippedMean(radius=REACH, sigma=1.0),
            ClippedMean(radius=REACH, calibration="paper", sigma=1.0),
        ):
            setting = Setting("univariate/clipped-mean", estimator, budget, n)
            bound = estimator.bound(n, budget)
            far = rows.FAR if estimator.calibration == "tight" else bound * (1 - 1e-12)
            pairs = (*rows.ends(n, far), rows.moved("across the cut", [0.0, 0.0, 0.0, bound], 2 * bound))
            yield setting.noisy("mean", partial(estimator.statistic, bound=bound), pairs)
            yield setting.whole(pairs, 0.2)


def two_step() -> Cases:
    key = "univariate/two-step-mean"
    for budget in (PureDP(4), ZCDP(4)):
        tight = Setting(key, TwoStepMean(radius=LONG, sigma=1.0), budget, 20)
        yield from _window_mean(tight, WindowMean(LONG), budget, rows.depth(2, REACH) + rows.depth(20, REACH))
        yield tight.whole(rows.depth(20, REACH) + rows.ends(20)[:1], 0.15)
        paper = Setting(key, TwoStepMean(radius=SHORT, calibration="paper", sigma=1.0), budget, 6)
        recipe = HistogramMean(SHORT, 0.05)
        yield _counts(paper, "locate", recipe.locator, rows.bins(6))
        yield from _histogram_mean(paper, recipe, rows.bins(6) + rows.bins(2))
        yield paper.whole(rows.bins(6) + rows.ends(6), 0.3)


def unbounded() -> Cases:
    key = "univariate/unbounded-mean"
    for budget in (ApproxDP(4, 0.1), ZCDP(4, 0.1)):
        tight = Setting(key, UnboundedMean(sigma=1.0), budget, 20)
        yield from _window_mean(tight, WindowMean(None), budget, anywhere())
        yield tight.whole(rows.scattered(20)[:2] + rows.ends(20)[:1], 0.15)
        paper = Setting(key, UnboundedMean(calibration="paper", sigma=1.0), budget, 6)
        yield from _histogram_mean(paper, HistogramMean(None, 0.05), _stable())
        yield paper.whole(rows.bins(6) + rows.scattered(6)[:2], 0.3)


def median() -> Cases:
    for budget in (PURE, CONCENTRATED):
        for estimator in (
            Median(radius=REACH, sigma=1.0),
            Median(radius=REACH, calibration="paper", sigma=1.0),
        ):
            setting = Setting("univariate/median", estimator, budget, 20)
            pairs = rows.depth(2, REACH) + rows.depth(20, REACH)
            yield setting.drawn("locate", still(estimator.locator).draw, pairs)
            yield setting.whole(rows.depth(20, REACH), 0.1)


def histogram_location() -> Cases:
    key, pairs = "univariate/histogram-location", rows.bins(2) + rows.bins(6)
    for budget in (PURE, CONCENTRATED):
        yield Setting(key, HistogramLocation(radius=SHORT, sigma=1.0), budget, 6).whole(pairs, 0.4)
        paper = Setting(key, HistogramLocation(radius=SHORT, calibration="paper", sigma=1.0), budget, 6)
        yield _counts(paper, "locate", UnitHistogram(SHORT, "paper"), pairs)
        yield paper.whole(pairs, 0.3)


def stable_location() -> Cases:
    for budget in (APPROX, CONCENTRATED_DELTA):
        for estimator in (StableLocation(sigma=1.0), StableLocation(calibration="paper", sigma=1.0)):
            setting = Setting("univariate/stable-location", estimator, budget, 6)
            yield setting.drawn("locate", _released(estimator.histogram), _crowds(), columns=2)
            yield setting.whole(_stable(), 0.4)


def scale() -> Cases:
    key = "univariate/scale"
    for n, budget in ((40, PureDP(4)), (20, ZCDP(4)), (40, ApproxDP(4, 0.1)), (20, ZCDP(4, 0.1))):
        lower, upper = (None, None) if getattr(budget, "delta", 0.0) else (0.1, 10.0)
        tight = Setting(key, Scale(lower=lower, upper=upper), budget, n)
        yield from _winsorised(tight, Scale(lower=lower, upper=upper), budget)
        yield tight.whole((*rows.scales(n, 1.5)[1:4:2], rows.staircase(n), *rows.typical(n)), 0.1)
    for budget in (PURE, CONCENTRATED, APPROX, CONCENTRATED_DELTA):
        lower, upper = (None, None) if getattr(budget, "delta", 0.0) else (0.5, 1.0)
        paper = Scale(lower=lower, upper=upper, calibration="paper")
        yield Setting(key, paper, budget, 6).whole(_exponents(), 0.4)


def interval() -> Cases:
    """Yield the attacks on `univariate/interval`; as a whole, the paper's answers for many rows only."""
    key, known = "univariate/interval", Interval(level=0.5, sigma=1.0)
    for budget in (ApproxDP(4, 0.1), ZCDP(4, 0.1)):
        tight = Setting(key, known, budget, 20)
        yield from _window_mean(tight, WindowMean(None), budget, anywhere())
        yield tight.whole(rows.scattered(20)[:2] + rows.ends(20)[:1], 0.1)
        paper = Setting(key, replace(known, calibration="paper"), budget, 6)
        yield paper.drawn("locate", LOCATION.draw, _stable())
        yield paper.noisy("mean", partial(clipped_mean, centre=0.0, clip=known.window(6)), rows.ends(6))
        yield replace(paper, n=600).whole(rows.typical(600), 0.1)


def interval_unknown_variance() -> Cases:
    """Yield the attacks on `univariate/interval-unknown-variance`; as a whole, as for `interval`."""
    key, known = "univariate/interval-unknown-variance", IntervalUnknownVariance(level=0.5)
    for n, budget in ((30, ApproxDP(8, 0.1)), (20, ZCDP(4, 0.1))):
        tight = Setting(key, known, budget, n)
        first, second = scale_and_mean(n, budget)
        yield from _winsorised(tight, SCALE, first)
        yield from _window_mean(tight, MEAN, second, anywhere())
        yield tight.whole(rows.typical(n), 0.05)
    for budget in (ApproxDP(8, 0.1), ZCDP(8, 0.1)):
        paper = Setting(key, replace(known, calibration="paper"), budget, 6)
        yield from _karwa_vadhan(paper, replace(known, calibration="paper"))
        yield replace(paper, n=1500).whole(rows.typical(1500), 0.05)


NINE = tuple(share / 10 for share in range(1, 10))


def quantiles() -> Cases:
    """Yield the attacks on `univariate/quantiles`: its levels one by one, given others, and all of it."""
    key, three = "univariate/quantiles", (0.25, 0.5, 0.75)
    for n, levels, budget in ((2, (0.5,), PURE), (4, three, PURE), (4, NINE, CONCENTRATED)):
        setting = Setting(key, Quantiles(levels=levels, radius=REACH, sigma=1.0), budget, n)
        pairs = rows.depth(n, REACH) + rows.crossings(n, REACH)
        for number in range(1, len(list(setting.plan.charges())) + 1):
            yield setting.drawn(f"level {number}", _level(setting, number), pairs, 0.3, len(levels))
        yield setting.whole(pairs, 0.1)
    anywhere = Setting(key, Quantiles(sigma=1.0), PURE, 4)
    yield anywhere.whole(rows.depth(4, REACH), 0.1)


def _level(setting: Setting, number: int) -> Step:
    cutting = setting.estimator.cutting(setting.n, setting.budget)  # type: ignore[attr-defined]
    above = [knot for level in cutting.tree[: number - 1] for one in level for knot in one.chosen]
    given = np.full(len(cutting.levels) + 2, np.nan)
    given[[0, -1]] = cutting.ends
    given[np.array(above, int) + 1] = np.interp(np.array(above), (-1, len(cutting.levels)), cutting.ends)

    def draw(x: Array, charge: Charge, noise: NoiseSource) -> object:
        found = cutting.drawn(cutting.prepared(x), given, cutting.tree[number - 1], charge, noise)
        return tuple(np.nan_to_num(found[1:-1]))

    return draw


def interval_mean() -> Cases:
    """Yield the attacks on `univariate/interval-mean`: each choice on points that it is given as they are."""
    unit = Tail(1.0, inf, inf, 1.0)
    for n, budget in ((200, ApproxDP(8, 0.1)), (200, ZCDP(4, 0.1))):
        setting = Setting("univariate/interval-mean", IntervalMean(level=0.5), budget, n)
        chosen = tail_design(n, budget)
        choices = {"log-scale": chosen.scale, "inner-radius": chosen.inner, "outer-radius": chosen.outer(0.0)}
        for step, locator in choices.items():
            points = n // 2 if step == "log-scale" else n
            yield setting.drawn(step, still(locator).draw, rows.ranks(points, locator.rank, locator.range))
        yield setting.drawn("locate", still(CENTRE).draw, anywhere())
        apart = (rows.moved("one pair more", [-1.0] * (n // 2), 1.0),)
        yield setting.noisy("support", partial(count_from, least=0.0), apart)
        yield setting.noisy("average", partial(moved_mean, tail=unit), rows.ends(n))
        yield setting.noisy("variance", partial(mean_square, tail=unit), rows.ends(n))
        yield setting.whole(rows.typical(n), 0.05)


BUILDERS: dict[str, Callable[[], Cases]] = {
    **{key: partial(one_step, key, *given) for key, given in ONE_STEP.items()},
    "univariate/clipped-mean": clipped,
    "univariate/two-step-mean": two_step,
    "univariate/unbounded-mean": unbounded,
    "univariate/median": median,
    "univariate/quantiles": quantiles,
    "univariate/histogram-location": histogram_location,
    "univariate/stable-location": stable_location,
    "univariate/scale": scale,
    "univariate/interval": interval,
    "univariate/interval-unknown-variance": interval_unknown_variance,
    "univariate/interval-mean": interval_mean,
}


def _window_mean(setting: Setting, recipe: WindowMean, budget: Budget, pairs: rows.Pairs) -> Cases:
    clip = recipe.design(setting.n, budget).clip
    yield setting.drawn("locate", still(recipe.locator).draw, pairs)
    yield setting.noisy("mean", partial(clipped_mean, centre=0.0, clip=clip), rows.ends(setting.n))


def _histogram_mean(setting: Setting, recipe: HistogramMean, pairs: rows.Pairs) -> Cases:
    clip = recipe.design(setting.n, setting.budget).clip
    yield setting.drawn("locate", recipe.locator.draw, pairs)
    yield setting.noisy("mean", partial(clipped_mean, centre=0.0, clip=clip), rows.ends(setting.n))


def _winsorised(setting: Setting, recipe: Scale, budget: Budget) -> Cases:
    winsor, locator = recipe.design(setting.n, budget).winsor, still(recipe.locator)
    assert winsor is not None
    pairs = rows.scales(4, 0.9) + rows.scales(setting.n, 0.9) + rows.scales(setting.n, 2.0)

    def draw(x: Array, charge: Charge, noise: NoiseSource) -> object:
        return locator.draw(log_differences(x), charge, noise)

    yield setting.drawn("log-scale", draw, pairs)
    yield setting.noisy("variance", partial(winsor.statistic, log_s=0.0), rows.ends(setting.n))


def _karwa_vadhan(setting: Setting, recipe: IntervalUnknownVariance) -> Cases:
    yield setting.drawn("exponent", Scale(calibration="paper").exponent, _exponents())
    yield setting.drawn("locate", LOCATION.draw, _stable())
    yield setting.noisy("variance", partial(recipe.mean_square, s=1.0), rows.ends(setting.n))
    yield setting.noisy("mean", lambda x: clipped_mean(x, 0.0, 3.0) / 3.0, rows.ends(setting.n))


def _counts(setting: Setting, step: str, recipe: UnitHistogram, pairs: rows.Pairs) -> Case:

    def counts(x: Array) -> object:
        return np.bincount(recipe.keys(x).astype(np.int64), minlength=recipe.bins)

    return replace(setting.noisy(step, counts, pairs), variant=f"{setting.variant}, all counts")


def _released(recipe: UnitHistogram) -> Step:

    def counts(x: Array, charge: Charge, noise: NoiseSource) -> object:
        released = stability_histogram(recipe.keys(x), charge, noise, recipe.threshold(charge.cost))
        return tuple(released.get(key, 0.0) for key in (-5.0, 0.0))

    return counts


def _crowds() -> rows.Pairs:
    return rows.bins(16, 5.0)[:1]


def anywhere() -> rows.Pairs:
    return rows.scattered(2)[:1] + rows.scattered(20) + rows.depth(20, REACH)


def _stable() -> rows.Pairs:
    return rows.lone_bins() + rows.bins(4, 5.0) + rows.bins(12, 5.0)


def _exponents() -> rows.Pairs:
    keys = rows.lone_bins() + rows.bins(6)
    powers = [replace(pair, first=2.0**pair.first, second=2.0**pair.second) for pair in keys]
    return (*rows.pairs_of_differences(powers), rows.staircase(12))
