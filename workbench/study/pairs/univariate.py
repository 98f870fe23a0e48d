"""The attacks on the univariate entries: every step of a run and, where a run is cheap, the whole.

Budgets and numbers of rows are small and chosen so that every step exists and has ε or μ of about 2, where an
attack needs the fewest runs; δ is large enough for sampling to see it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from workbench.estimators.base import Estimator
from workbench.estimators.bounded import BoundedMean, Count, Histogram
from workbench.estimators.clipped import ClippedMean
from workbench.estimators.histograms import HistogramLocation, StableLocation
from workbench.estimators.intervals import Interval, IntervalMean, IntervalUnknownVariance, UnboundedMean
from workbench.estimators.quantiles import Median, Quantiles
from workbench.estimators.scale import Scale
from workbench.estimators.two_step import TwoStepMean
from workbench.privacy import ZCDP, ApproxDP, Budget, GaussianDP, PureDP
from workbench.study.audit import Pair
from workbench.study.faults import ADDITIVE
from workbench.study.pairs.replayed import Case, Setting, replayed
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


def absent_but(n: int, *rows: float) -> Array:
    return np.append(np.full(n - len(rows), np.inf), rows)


def scattered(n: int, gap: float = 100.0) -> Pairs:
    """Return pairs for a location on the line: rows that nobody is near, or two crowds."""
    halves = np.repeat([0.0, gap], [n // 2, n - n // 2])
    return (
        moved("two rows, all others absent", absent_but(n, 0.0, gap), -gap),
        moved("scattered rows", gap * np.arange(n), -gap),
        moved("lone row", [*np.zeros(n - 1), gap], 0.0),
        moved("lone row moves", [*np.zeros(n - 1), gap], -gap),
        moved("between two crowds", halves, 0.0),
    )


def bins(n: int, gap: float = 1.0) -> Pairs:
    """Return pairs for counts in unit bins: a tie, a crowd, and a smallest row that others could follow."""
    low, high, most, apart = 0.5 - gap, 0.5, n // 2 + 1, f"bins {gap:g} apart"
    return (
        moved(f"tie, {apart}", [*np.full(n - most, high), *np.full(most, low)], high),
        moved(f"one leaves the crowd, {apart}", np.full(n, high), low),
        moved(f"smallest row, {apart}", [*np.full(n - 1, high), -0.9], high),
        moved(f"tie turns, {apart}", np.repeat([low, high], [n // 2, n - n // 2]), high, row=0),
    )


def lone_bins(n: int) -> Pairs:
    """Return pairs for a stability-based histogram: rows alone in their bins, one of them in a new one.

    All other rows are absent.
    """
    return (
        moved("singletons", absent_but(n, 0.5, 1.5, 2.5, 3.5, 4.5), 77.5),
        moved("two singletons", absent_but(n, 0.5, 1.5), 0.5),
        moved("lone row", absent_but(n, 0.5, 0.5, 0.5, 5.5), 0.5),
    )


def of_differences(pairs: Sequence[Pair]) -> Pairs:
    """Return pairs of rows of which every two rows, a step of √2 apart, are a row of the given ones."""

    def rows(items: Array) -> Array:
        return np.column_stack([np.zeros(len(items)), np.sqrt(2.0) * items]).ravel()

    return tuple(Pair(pair.name, rows(pair.first), rows(pair.second)) for pair in pairs)


def scales(n: int, reach: float) -> Pairs:
    logs = [Pair(pair.name, np.exp(pair.first), np.exp(pair.second)) for pair in depth(n // 2, reach)]
    apart = moved("equal rows, then one apart", np.zeros(n // 2), 1.0)
    return (*of_differences((*logs, apart)), staircase(n))


def powers(n: int) -> Pairs:
    """Return pairs whose differences are powers of two, in the bins of `lone_bins` and `bins`."""
    keys = lone_bins(n // 2) + bins(n // 2)
    found = [replace(pair, first=2.0**pair.first, second=2.0**pair.second) for pair in keys]
    return (*of_differences(found), staircase(n))


def staircase(n: int) -> Pair:
    """Return equal pairs on a staircase whose first row leaves: in sorted order every pair would change."""
    heights = np.cumsum(np.exp(np.linspace(-0.5, 0.5, n // 2)))
    return moved("staircase", np.repeat(heights, 2), FAR, row=0)


# What is attacked: an estimator at a budget, on pairs, with a share of a preset's runs for the whole.


Attacked = tuple[Estimator[Any], Budget, Pairs, float]

PURE, APPROX, CONCENTRATED, CONCENTRATED_DELTA = PureDP(2), ApproxDP(2, 0.05), ZCDP(2), ZCDP(2, 0.05)
ANY = (PURE, APPROX, CONCENTRATED, GaussianDP(2))
WITH_DELTA = (ApproxDP(4, 0.1), ZCDP(4, 0.1))
REACH = 2.0  # every row of a range this short lies in every window
SHORT, LONG = 1.0, 10.0  # a range of two bins; one in which location takes its share
CALIBRATIONS: tuple[Any, ...] = ("tight", "paper")
NINE = tuple(share / 10 for share in range(1, 10))
HALVES = np.arange(20) % 2  # that the ends do not hide
THIRDS = np.arange(30) % 3 - 1.0
ADDED, SELECTED = 0.5, 0.3  # of a preset's runs: of noise that is added; of a choice among places or bins
ANYWHERE = scattered(20) + depth(20, REACH) + ends(20)


def in_bins(n: int) -> Pairs:
    return lone_bins(n) + bins(n) + bins(n, 5.0) + ends(n)


def over(
    budgets: Sequence[Budget], estimator: Any, pairs: Pairs, share: float, calibrations: Sequence[str] = ()
) -> Iterator[Attacked]:
    for budget in budgets:
        for one in [replace(estimator, calibration=name) for name in calibrations] or [estimator]:
            yield one, budget, pairs, share


def clipped() -> Iterator[Attacked]:
    for budget in ANY:
        for calibration in CALIBRATIONS:
            estimator = ClippedMean(radius=REACH, sigma=1.0, calibration=calibration)
            bound = estimator.bound(4, budget)
            far = FAR if calibration == "tight" else bound * (1 - 1e-12)
            across = moved("across the cut", [0.0, 0.0, 0.0, bound], 2 * bound)
            yield estimator, budget, (*ends(4, far), across), 0.2


def two_step() -> Iterator[Attacked]:
    for budget in (PureDP(4), ZCDP(4)):
        yield TwoStepMean(radius=LONG, sigma=1.0), budget, depth(20, REACH) + ends(20), 0.15
        yield TwoStepMean(radius=SHORT, sigma=1.0, calibration="paper"), budget, bins(6) + ends(6), 0.3


def unbounded() -> Iterator[Attacked]:
    for budget in WITH_DELTA:
        yield UnboundedMean(sigma=1.0), budget, ANYWHERE, 0.15
        yield UnboundedMean(sigma=1.0, calibration="paper"), budget, in_bins(16), 0.3


def quantiles() -> Iterator[Attacked]:
    for n, levels, budget in ((2, (0.5,), PURE), (4, (0.25, 0.5, 0.75), PURE), (4, NINE, CONCENTRATED)):
        pairs = depth(n, REACH) + crossings(n, REACH)
        yield Quantiles(levels=levels, radius=REACH, sigma=1.0), budget, pairs, 0.1
    yield Quantiles(sigma=1.0), PURE, depth(4, REACH), 0.1


def scale() -> Iterator[Attacked]:
    ranged: Any
    for n, loud in ((40, PureDP(4)), (20, ZCDP(4)), (100, PureDP(20))):  # the last in two steps
        for ranged in ({}, {"lower": 0.1, "upper": 10.0}):
            yield Scale(**ranged), loud, scales(n, 0.9) + scales(n, 2.0)[:3] + ends(n) + typical(n), 0.1
    for budget in (PURE, CONCENTRATED, APPROX, CONCENTRATED_DELTA):
        ranged = {} if getattr(budget, "delta", 0.0) else {"lower": 0.5, "upper": 1.0}
        yield Scale(**ranged, calibration="paper"), budget, powers(12), 0.4


def interval() -> Iterator[Attacked]:
    known = Interval(level=0.5, sigma=1.0)
    for budget in WITH_DELTA:
        yield known, budget, ANYWHERE, 0.1
        yield replace(known, calibration="paper"), budget, typical(600) + in_bins(600), 0.1


def interval_unknown_variance() -> Iterator[Attacked]:
    known, many = IntervalUnknownVariance(level=0.5), 1500  # enough rows for answers of the paper's
    for n, budget in ((30, ApproxDP(8, 0.1)), (20, ZCDP(4, 0.1))):
        yield known, budget, typical(n) + scales(n, 0.9) + scattered(n) + depth(n, REACH) + ends(n), 0.05
    for budget in (ApproxDP(8, 0.1), ZCDP(8, 0.1)):
        pairs = typical(many) + powers(many) + in_bins(many)
        yield replace(known, calibration="paper"), budget, pairs, 0.05


def interval_mean() -> Iterator[Attacked]:
    """Yield the attacks on `univariate/interval-mean`: its choices by rank are left to contracts."""
    normal = np.random.default_rng(0).standard_normal(199)
    pairs = (
        *typical(200),
        moved("normal rows, from end to end", [-FAR, *normal], FAR, row=0),
        moved("normal rows, from the middle to an end", [0.0, *normal], FAR, row=0),
        *scattered(200),
        *depth(200, REACH),
        *ends(200),
    )
    for budget in (ApproxDP(8, 0.1), ZCDP(4, 0.1)):
        yield IntervalMean(level=0.5), budget, pairs, 0.05


ENTRIES: dict[str, Callable[[], Iterator[Attacked]]] = {
    "univariate/bounded-mean": partial(over, ANY, BoundedMean(low=-1.0, high=1.0), ends(4), 0.4),
    "univariate/count": partial(
        over, ANY, Count(), (moved("one row more", HALVES, 0.0), moved("absent", HALVES, np.nan)), 0.4
    ),
    "univariate/histogram": partial(
        over,
        ANY,
        Histogram(edges=(-0.5, 0.5)),
        (moved("one bin to another", THIRDS, -1.0), moved("absent", THIRDS, np.nan)),
        0.4,
    ),
    "univariate/clipped-mean": clipped,
    "univariate/two-step-mean": two_step,
    "univariate/unbounded-mean": unbounded,
    "univariate/median": partial(
        over, (PURE, CONCENTRATED), Median(radius=REACH, sigma=1.0), depth(20, REACH), 0.1, CALIBRATIONS
    ),
    "univariate/quantiles": quantiles,
    "univariate/histogram-location": partial(
        over, (PURE, CONCENTRATED), HistogramLocation(radius=SHORT, sigma=1.0), bins(6), 0.4, CALIBRATIONS
    ),
    "univariate/stable-location": partial(
        over, (APPROX, CONCENTRATED_DELTA), StableLocation(sigma=1.0), in_bins(16), 0.4, CALIBRATIONS
    ),
    "univariate/scale": scale,
    "univariate/interval": interval,
    "univariate/interval-unknown-variance": interval_unknown_variance,
    "univariate/interval-mean": interval_mean,
}


def attacks(key: str) -> Iterator[Case]:
    for estimator, budget, pairs, share in ENTRIES[key]():
        setting = Setting(key, estimator, budget, len(pairs[0].first))
        if len(list(setting.plan.charges())) > 1:
            pairs = tuple(apart(pair, 2.0**-20 * number) for number, pair in enumerate(pairs))
        for case in replayed(setting, pairs):
            added = setting.plan[case.stage].mechanism in ADDITIVE
            yield replace(case, share=ADDED if added else SELECTED)
        yield setting.whole(pairs, share)


def apart(pair: Pair, by: float) -> Pair:
    """Return a pair that has no data set of another: a step is replayed by the data set it is given."""
    return replace(pair, first=pair.first + by, second=pair.second + by)
