"""The attacks on the univariate entries, stage by stage and, where a run is cheap, as a whole.

Budgets and numbers of rows are small and chosen so that every stage exists and has ε or μ of about 2, where
an attack needs the fewest runs; δ is large enough for sampling to see it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

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
from workbench.study.audit import Pair
from workbench.study.pairs.base import Case, Setting, Step, still
from workbench.types import Array

# Columns of rows that differ in one, at the places where one row counts most.
#
# Numbers are in standard deviations. Every function returns pairs, worst cases of one kind of step.

Pairs = tuple[Pair, ...]
FAR = 1e6  # beyond every clip and window


def moved(name: str, base: ArrayLike, value: float, row: int = -1) -> Pair:
    first = np.array(base, np.float64)
    second = first.copy()
    second[row] = value
    return Pair(f"{name} (n = {len(first)})", first, second)


def typical(n: int) -> Pairs:
    """Return pairs of normal rows of which one goes far away, or from one side to the other."""
    normal = np.random.default_rng(n).standard_normal(n)
    return (
        moved("normal rows, one far", normal, FAR, row=0),
        moved("normal rows, one moves", [3.0, *normal[1:]], -3.0, row=0),
    )


def ends(n: int, far: float = FAR) -> Pairs:
    """Return pairs for a clipped mean around 0: a row goes from one end to the other, or leaves the rest."""
    zeros = np.zeros(n - 1)
    return (
        moved("from end to end", [far, *zeros], -far, row=0),
        moved("from the middle to an end", [0.0, *zeros], far, row=0),
        moved("all at an end", np.full(n, far), -far, row=0),
    )


def depth(n: int, reach: float) -> Pairs:
    """Return pairs for a median on ±reach: a row crosses most of the range, the others balance.

    With one middle row near an end, the few positions beyond it gain e^ε against all the others.
    """
    balanced = np.repeat([-reach, reach], (n - 2) // 2)
    balanced = np.append(balanced, np.zeros(n % 2))
    return (
        moved("median near an end", [*balanced, 0.6 * reach, reach], -reach),
        moved("median in the middle", [*balanced, 0.0, reach], -reach),
        moved("one leaves the crowd", np.zeros(n), reach),
    )


def crossings(n: int, reach: float) -> Pairs:
    """Return pairs for quantiles on ±reach: a row goes from one end to the other, or disappears.

    With all rows near an end, the few places beyond them gain e^ε against all others.
    """
    spread, rest = np.linspace(-0.9 * reach, 0.9 * reach, n), np.full(n - 1, reach)
    return (
        moved("leaves an end", np.append(-0.9 * rest, -reach), reach),
        moved("leaves a third of the range", np.append(-0.3 * rest, -reach), reach),
        moved("crosses evenly spread rows", spread, -reach),
        moved("all at an end", np.full(n, reach), -reach),
        moved("one is missing", spread, np.nan),
    )


def ranks(n: int, rank: int, ends: tuple[float, float]) -> Pairs:
    """Return pairs for a position that `rank` points lie beyond: a row crosses the range.

    A lone point parts the range in two, of which the cut moves from the short part to the long one.
    """
    low, high = ends
    lone = low + 0.8 * (high - low)
    parted = [high] * (rank - 1) + [lone] + [low] * (n - rank - 1)
    return (
        moved("one more beyond", [*parted, low], high),
        moved("one less beyond", [*parted, high], low),
        moved("one leaves the crowd", np.full(n, low), high),
    )


def scattered(n: int, gap: float = 100.0) -> Pairs:
    """Return pairs for a location on the line: rows that nobody is near, or two crowds."""
    halves = np.repeat([0.0, gap], [n // 2, n - n // 2])
    return (
        moved("scattered rows", gap * np.arange(n), -gap),
        moved("lone row", [*np.zeros(n - 1), gap], 0.0),
        moved("lone row moves", [*np.zeros(n - 1), gap], -gap),
        moved("between two crowds", halves, 0.0),
    )


def bins(n: int, gap: float = 1.0) -> Pairs:
    """Return pairs for counts in unit bins: a tie, a crowd, and a smallest row that others could follow."""
    low, high = 0.5 - gap, 0.5
    most = n // 2 + 1
    return (
        moved("tie", [*np.full(n - most, high), *np.full(most, low)], high),
        moved("one leaves the crowd", np.full(n, high), low),
        moved("smallest row", [*np.full(n - 1, high), -0.9], high),
    )


def lone_bins(gap: float = 1.0) -> Pairs:
    """Return pairs for a stability-based histogram: rows alone in their bins, one of them in a new one."""
    return (
        moved("singletons", 0.5 + gap * np.arange(5), 0.5 + 77 * gap),
        moved("two singletons", [0.5, 0.5 + gap], 0.5),
        moved("lone row", [0.5, 0.5, 0.5, 0.5 + 5 * gap], 0.5),
    )


def paired(differences: ArrayLike) -> Array:
    items = np.asarray(differences, np.float64)
    return np.column_stack([np.zeros(len(items)), np.sqrt(2.0) * items]).ravel()


def pairs_of_differences(pairs: Sequence[Pair]) -> Pairs:
    return tuple(Pair(pair.name, paired(pair.first), paired(pair.second)) for pair in pairs)


def scales(n: int, reach: float) -> Pairs:
    logs = [Pair(pair.name, np.exp(pair.first), np.exp(pair.second)) for pair in depth(n // 2, reach)]
    gone = np.zeros(n // 2)
    return (
        *pairs_of_differences(logs),
        *pairs_of_differences([moved("equal rows, then one apart", gone, 1.0)]),
        staircase(n),
    )


def staircase(n: int) -> Pair:
    """Return equal pairs on a staircase whose first row leaves: in sorted order every pair would change."""
    heights = np.cumsum(np.exp(np.linspace(-0.5, 0.5, n // 2)))
    return moved("staircase", np.repeat(heights, 2), FAR, row=0)


Cases = Iterator[Case]

PURE, APPROX, CONCENTRATED, CONCENTRATED_DELTA = PureDP(2), ApproxDP(2, 0.05), ZCDP(2), ZCDP(2, 0.05)
REACH = 2.0  # every row of a range this short lies in every window
SHORT, LONG = 1.0, 10.0  # a range of two bins; one in which location takes its share


def one_step(key: str, estimator: Estimator[Any], pairs: Pairs) -> Cases:
    for budget in (PURE, APPROX, CONCENTRATED, GaussianDP(2)):
        yield Setting(key, estimator, budget, len(pairs[0].first)).whole(pairs, 0.4)


HALVES = np.arange(20) % 2  # that the ends do not hide
THIRDS = np.arange(30) % 3 - 1.0
ONE_STEP: dict[str, tuple[Estimator[Any], Pairs]] = {
    "univariate/bounded-mean": (BoundedMean(low=-1.0, high=1.0), ends(4)),
    "univariate/count": (
        Count(),
        (moved("one row more", HALVES, 0.0), moved("absent", HALVES, np.nan)),
    ),
    "univariate/histogram": (
        Histogram(edges=(-0.5, 0.5)),
        (moved("one bin to another", THIRDS, -1.0), moved("absent", THIRDS, np.nan)),
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
            far = FAR if estimator.calibration == "tight" else bound * (1 - 1e-12)
            pairs = (*ends(n, far), moved("across the cut", [0.0, 0.0, 0.0, bound], 2 * bound))
            yield setting.noisy("mean", partial(estimator.statistic, bound=bound), pairs)
            yield setting.whole(pairs, 0.2)


def two_step() -> Cases:
    key = "univariate/two-step-mean"
    for budget in (PureDP(4), ZCDP(4)):
        tight = Setting(key, TwoStepMean(radius=LONG, sigma=1.0), budget, 20)
        yield from _window_mean(tight, WindowMean(LONG), budget, depth(2, REACH) + depth(20, REACH))
        yield tight.whole(depth(20, REACH) + ends(20)[:1], 0.15)
        paper = Setting(key, TwoStepMean(radius=SHORT, calibration="paper", sigma=1.0), budget, 6)
        recipe = HistogramMean(SHORT, 0.05)
        yield _counts(paper, "locate", recipe.locator, bins(6))
        yield from _histogram_mean(paper, recipe, bins(6) + bins(2))
        yield paper.whole(bins(6) + ends(6), 0.3)


def unbounded() -> Cases:
    key = "univariate/unbounded-mean"
    for budget in (ApproxDP(4, 0.1), ZCDP(4, 0.1)):
        tight = Setting(key, UnboundedMean(sigma=1.0), budget, 20)
        yield from _window_mean(tight, WindowMean(None), budget, anywhere())
        yield tight.whole(scattered(20)[:2] + ends(20)[:1], 0.15)
        paper = Setting(key, UnboundedMean(calibration="paper", sigma=1.0), budget, 6)
        yield from _histogram_mean(paper, HistogramMean(None, 0.05), _stable())
        yield paper.whole(bins(6) + scattered(6)[:2], 0.3)


def median() -> Cases:
    for budget in (PURE, CONCENTRATED):
        for estimator in (
            Median(radius=REACH, sigma=1.0),
            Median(radius=REACH, calibration="paper", sigma=1.0),
        ):
            setting = Setting("univariate/median", estimator, budget, 20)
            pairs = depth(2, REACH) + depth(20, REACH)
            yield setting.drawn("locate", still(estimator.locator).draw, pairs)
            yield setting.whole(depth(20, REACH), 0.1)


def histogram_location() -> Cases:
    key, pairs = "univariate/histogram-location", bins(2) + bins(6)
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
        yield tight.whole((*scales(n, 1.5)[1:4:2], staircase(n), *typical(n)), 0.1)
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
        yield tight.whole(scattered(20)[:2] + ends(20)[:1], 0.1)
        paper = Setting(key, replace(known, calibration="paper"), budget, 6)
        yield paper.drawn("locate", LOCATION.draw, _stable())
        yield paper.noisy("mean", partial(clipped_mean, centre=0.0, clip=known.window(6)), ends(6))
        yield replace(paper, n=600).whole(typical(600), 0.1)


def interval_unknown_variance() -> Cases:
    """Yield the attacks on `univariate/interval-unknown-variance`; as a whole, as for `interval`."""
    key, known = "univariate/interval-unknown-variance", IntervalUnknownVariance(level=0.5)
    for n, budget in ((30, ApproxDP(8, 0.1)), (20, ZCDP(4, 0.1))):
        tight = Setting(key, known, budget, n)
        first, second = scale_and_mean(n, budget)
        yield from _winsorised(tight, SCALE, first)
        yield from _window_mean(tight, MEAN, second, anywhere())
        yield tight.whole(typical(n), 0.05)
    for budget in (ApproxDP(8, 0.1), ZCDP(8, 0.1)):
        paper = Setting(key, replace(known, calibration="paper"), budget, 6)
        yield from _karwa_vadhan(paper, replace(known, calibration="paper"))
        yield replace(paper, n=1500).whole(typical(1500), 0.05)


NINE = tuple(share / 10 for share in range(1, 10))


def quantiles() -> Cases:
    """Yield the attacks on `univariate/quantiles`: its levels one by one, given others, and all of it."""
    key, three = "univariate/quantiles", (0.25, 0.5, 0.75)
    for n, levels, budget in ((2, (0.5,), PURE), (4, three, PURE), (4, NINE, CONCENTRATED)):
        setting = Setting(key, Quantiles(levels=levels, radius=REACH, sigma=1.0), budget, n)
        pairs = depth(n, REACH) + crossings(n, REACH)
        for number in range(1, len(list(setting.plan.charges())) + 1):
            yield setting.drawn(f"level {number}", _level(setting, number), pairs, 0.3, len(levels))
        yield setting.whole(pairs, 0.1)
    anywhere = Setting(key, Quantiles(sigma=1.0), PURE, 4)
    yield anywhere.whole(depth(4, REACH), 0.1)


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
            yield setting.drawn(step, still(locator).draw, ranks(points, locator.rank, locator.range))
        yield setting.drawn("locate", still(CENTRE).draw, anywhere())
        apart = (moved("one pair more", [-1.0] * (n // 2), 1.0),)
        yield setting.noisy("support", partial(count_from, least=0.0), apart)
        yield setting.noisy("average", partial(moved_mean, tail=unit), ends(n))
        yield setting.noisy("variance", partial(mean_square, tail=unit), ends(n))
        yield setting.whole(typical(n), 0.05)


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


def _window_mean(setting: Setting, recipe: WindowMean, budget: Budget, pairs: Pairs) -> Cases:
    clip = recipe.design(setting.n, budget).clip
    yield setting.drawn("locate", still(recipe.locator).draw, pairs)
    yield setting.noisy("mean", partial(clipped_mean, centre=0.0, clip=clip), ends(setting.n))


def _histogram_mean(setting: Setting, recipe: HistogramMean, pairs: Pairs) -> Cases:
    clip = recipe.design(setting.n, setting.budget).clip
    yield setting.drawn("locate", recipe.locator.draw, pairs)
    yield setting.noisy("mean", partial(clipped_mean, centre=0.0, clip=clip), ends(setting.n))


def _winsorised(setting: Setting, recipe: Scale, budget: Budget) -> Cases:
    winsor, locator = recipe.design(setting.n, budget).winsor, still(recipe.locator)
    assert winsor is not None
    pairs = scales(4, 0.9) + scales(setting.n, 0.9) + scales(setting.n, 2.0)

    def draw(x: Array, charge: Charge, noise: NoiseSource) -> object:
        return locator.draw(log_differences(x), charge, noise)

    yield setting.drawn("log-scale", draw, pairs)
    yield setting.noisy("variance", partial(winsor.statistic, log_s=0.0), ends(setting.n))


def _karwa_vadhan(setting: Setting, recipe: IntervalUnknownVariance) -> Cases:
    yield setting.drawn("exponent", Scale(calibration="paper").exponent, _exponents())
    yield setting.drawn("locate", LOCATION.draw, _stable())
    yield setting.noisy("variance", partial(recipe.mean_square, s=1.0), ends(setting.n))
    yield setting.noisy("mean", lambda x: clipped_mean(x, 0.0, 3.0) / 3.0, ends(setting.n))


def _counts(setting: Setting, step: str, recipe: UnitHistogram, pairs: Pairs) -> Case:

    def counts(x: Array) -> object:
        return np.bincount(recipe.keys(x).astype(np.int64), minlength=recipe.bins)

    return replace(setting.noisy(step, counts, pairs), variant=f"{setting.variant}, all counts")


def _released(recipe: UnitHistogram) -> Step:

    def counts(x: Array, charge: Charge, noise: NoiseSource) -> object:
        released = stability_histogram(recipe.keys(x), charge, noise, recipe.threshold(charge.cost))
        return tuple(released.get(key, 0.0) for key in (-5.0, 0.0))

    return counts


def _crowds() -> Pairs:
    return bins(16, 5.0)[:1]


def anywhere() -> Pairs:
    return scattered(2)[:1] + scattered(20) + depth(20, REACH)


def _stable() -> Pairs:
    return lone_bins() + bins(4, 5.0) + bins(12, 5.0)


def _exponents() -> Pairs:
    keys = lone_bins() + bins(6)
    powers = [replace(pair, first=2.0**pair.first, second=2.0**pair.second) for pair in keys]
    return (*pairs_of_differences(powers), staircase(12))
