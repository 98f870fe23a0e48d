"""LKKO21: how n grows with every public number of its filters, of resilient means and of private ranges.

n is what nine runs of ten need, the largest over clusters at several distances. For a filter a cluster is as
near as it can hide: rows are of covariance I and mean θ, uniform on the cube of side 16 round 0, and a share
ξ of them is moved by `far` times the distance at which a cluster that stays moves the mean by just the error
aimed at. Nearer, it does no harm; farther, it is seen with fewer rows. One cluster along (1, .., 1) is the
worst of those tried at d = 8, ξ = .05, (1, 1e-6)-DP: along (1, .., 1) 40,000 rows for mean/prime and 43,000
for mean/filter, along an axis or a random direction as many within 10 %, two clusters on two axes 32,000 and
38,000, eight on eight 23,000 for both. Nearer than the nearest of `FAR` n falls: for mean/prime at d = 8,
ε = 2, 21,000 at .9, 14,000 at .85, 9,000 at .8, beside 24,000 at .95 and 21,000 at 1.

Every distance has a scaling of its own, with what distinguishes it in brackets behind the key. What is
decided is about the largest n at every value; the detail says whose it is. A term stands out where the others
are small: the noise at ε up to 4, sampling at ε = 300. Its share is that of the n at which the filter's
public threshold sees the cluster.

Chosen after a result was seen: the d and the runs of Proposition 2.1. At d = 4 .. 64 and 200 runs its
exponent was .65 [.53, .77], open. At ε = 8, ξ = .1, d = 6 .. 48 that of Theorem 9 is 1.18 [.76, 1.60]; at
ε = 1, δ = 1e-16, d = 1 .. 3 Theorem 7's is known to 1 only, at three of the distances. Neither is decided
there, and both rows are as they were.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import exp, inf, isfinite, nan, pi, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator
from pandas import DataFrame

from workbench.bounds import lkko21, smallest
from workbench.bounds.resilience import margin_rate, rows_to_pass
from workbench.chapters.robust_and_private import planted, tables
from workbench.chapters.robust_and_private.adversaries import (
    CORRUPTION,
    DELTA,
    DUEL_D,
    DUEL_EPSILON,
    PLACES,
    RADIUS,
    heavy_rows,
)
from workbench.chapters.scalings import LINEAR, SINGLE, TO_16, grow, halved, in_delta, in_epsilon, row
from workbench.estimators.base import Abstention
from workbench.estimators.histograms import BallRange, BoxRange
from workbench.estimators.prime import FilterMean, PrimeHeavyMean, PrimeMean
from workbench.estimators.references import MEAN, FilterNonprivateMean
from workbench.estimators.shared.budgets import step_budgets
from workbench.estimators.tukey import ResilientHeavyMean, ResilientMean, TukeyMean
from workbench.populations.corruption import SHIFT
from workbench.privacy import ApproxDP, Budget, GaussianDP, PureDP
from workbench.special import ndtri
from workbench.study.rules import CHECK_LEVEL, Checks, Claim, Status, Verdict
from workbench.study.scaling import (
    SEARCHED,
    SEEN,
    TOLERANCE,
    Growth,
    Least,
    Move,
    Named,
    Public,
    Scaling,
    Setting,
    Statement,
    bounded,
    grows,
    slope,
    standard_errors,
    within,
)
from workbench.study.sweeps import Row, answered, distance_of, each_trial, value_of

# The worst cluster: a row of a table is one for every place of the cluster, and decided together


def around(name: str, places: Iterable[float], moves: Iterable[Move]) -> tuple[Move, ...]:
    return tuple(
        move._replace(beside={**move.beside, name: place}, said=f"[{move.term}, cluster at {place:g}]")
        for move in moves
        for place in places
    )


def families(growths: Iterable[Growth]) -> Iterable[list[Growth]]:
    """Return the scalings that differ in the adversary alone."""
    found = defaultdict[tuple[str, ...], list[Growth]](list)
    for one, leasts in growths:
        found[one.statement.id, one.move.variable, one.move.term, _key(one)].append((one, leasts))
    return found.values()


def worst(family: Sequence[Growth]) -> tuple[Scaling, list[Least], list[str]]:
    """Return one scaling for the family, the largest n at every value, and whose it is.

    A search without an upper end counts where it began to succeed.
    """
    largest, whose = [], []
    for leasts in zip(*(leasts for _, leasts in family), strict=True):
        place = max(range(len(leasts)), key=lambda one: (leasts[one].n, one))
        largest.append(leasts[place])
        whose.append(family[place][0].key.partition("[")[2].rstrip("]"))
    first = family[0][0]
    alike = Scaling(replace(first.statement, key=_key(first)), first.move._replace(said=""))
    return alike, largest, whose


def follow_worst(*growths: Growth) -> Checks:
    """Return a check for every family: how the largest n grows."""
    for scaling, largest, whose in map(worst, families(growths)):
        found = grows(scaling, largest)
        yield replace(found, id=f"{found.id}, {scaling.move.term}", detail={**found.detail, "worst": whose})


def _key(scaling: Scaling) -> str:
    return scaling.key.partition(" [")[0]


FAR = (0.95, 1.0, 1.15, 1.4, 2.0)  # times the distance at which a cluster that stays does just harm


@dataclass(frozen=True)
class Mean:
    """A mean that meets a cluster: `make(ξ, ...)` builds it, `error(ξ)` is the error aimed at.

    The cluster is at `places`: of a mean on a net standard deviations, or over 1/√ξ for heavy tails.
    """

    make: Callable[..., Any]
    error: Callable[[float], float]
    places: tuple[float, ...] = FAR
    heavy: bool = False

    def draw(self, n: int, d: int, data: Generator) -> Any:
        return heavy_rows("student", n, d, data) if self.heavy else data.standard_normal((n, d))


# Filters: Proposition 2.1, Theorems 5, 6 and 9


FINE = 200  # steps of an e-fold in the search for n
WITHOUT_NOISE = GaussianDP(1e6)
PLAIN, MATRIX = "mean/filter-nonprivate", "mean/prime"


def _filter(kind: Any, **known: float) -> Named:
    return lambda share, passes: kind(radius=RADIUS, corruption=share, passes=passes or None, **known)


def sub_gaussian(corruption: float, level: float = 1.0) -> float:
    """Return 1.2 √C ξ √(ln 1/ξ): a filter ends at the excess C ξ ln(1/ξ)."""
    return 1.2 * sqrt(level) * lkko21.sub_gaussian_error(corruption)


def heavy(corruption: float) -> float:
    return 1.5 * lkko21.bounded_covariance_error(corruption)


FILTERS = {
    PLAIN: Mean(
        lambda share, _: FilterNonprivateMean(corruption=share, calibration="paper", sigma=1.0),
        lambda corruption: sub_gaussian(corruption, MEAN),
    ),
    "mean/filter": Mean(_filter(FilterMean, sigma=1.0), sub_gaussian),
    MATRIX: Mean(_filter(PrimeMean, sigma=1.0), sub_gaussian),
    "mean/prime-heavy": Mean(_filter(PrimeHeavyMean, upper=1.0), heavy, heavy=True),
}


@each_trial
def errors(
    key: str, d: int, n: int, corruption: float, far: float, *, epsilon: float = 1.0, delta: float = 1e-6,
    passes: int = 0, data: Generator, noise: Generator,
) -> Row:  # fmt: skip
    """Measure the error of one filter, with one cluster at `far` times its distance."""
    chosen = FILTERS[key]
    x = chosen.draw(n, d, data)
    x[: int(corruption * n)] += far * chosen.error(corruption) / corruption / sqrt(d)
    theta, budget = data.uniform(-PLACES, PLACES, d), None if key == PLAIN else ApproxDP(epsilon, delta)
    return answered(distance_of(chosen.make(corruption, passes), x + theta, theta, budget, noise))


@cache
def rows_to_see(
    key: str, d: int, corruption: float, budget: Budget, passes: int = 0, reach: float = 0.0
) -> float:
    """Return the n from which the public threshold of a private filter is below what a cluster does to it.

    The cluster is at `reach`, or as near as it does harm. A run whose noise is large is not yet right there,
    one whose noise is small is right before.
    """
    chosen = FILTERS[key]
    reach = reach or chosen.error(corruption) / corruption
    # of the second moment, above what is not looked at
    seen = corruption * (1 - corruption) * reach**2 + (1 - corruption if chosen.heavy else 0.0)
    estimator = chosen.make(corruption, passes)

    def rows(step: int) -> int:
        return 20 + round(exp(step / FINE))

    def enough(step: int) -> bool:
        steps = estimator.steps(rows(step), d)
        return bool(steps.threshold(step_budgets(budget, steps.shares)[2]) <= seen)

    return float(rows(smallest(enough, FINE)))


def term_share(
    part: str, key: str, d: int, corruption: float, epsilon: float, delta: float, passes: int
) -> float:
    """Return the share of the noise in it, or that of sampling."""
    budget = ApproxDP(epsilon, delta)
    n, quiet = (rows_to_see(key, d, corruption, one, passes) for one in (budget, WITHOUT_NOISE))
    noise = 1 - quiet / n
    return noise if part == "noise" else 1 - noise


def filtered(id: str, key: str, shape: Named, *moves: Move) -> Statement:
    """Return a theorem about a private filter: `shape(d, ξ, ε, δ)` is its n."""
    return Statement(
        id,
        key,
        {"key": key, "d": 2, "corruption": 0.05, "epsilon": 1.0, "delta": 1e-6, "doubled": False},
        lambda part, d, corruption, epsilon, delta: getattr(shape(d, corruption, epsilon, delta), part),
        around("far", FAR, moves),
        errors,
        alpha=FILTERS[key].error,
        predicted=lambda d, corruption, epsilon, delta, passes: rows_to_see(
            key, d, corruption, ApproxDP(epsilon, delta), passes
        ),
        isolated=term_share,
        fewest=lambda: 20,
        also=lambda d, doubled: {"passes": 2 * d if doubled else 0},
        caps={"full": 60},
    )


LOUD: Public = {"epsilon": 2.0}  # n is smaller
QUIET: Public = {"epsilon": 300.0, "part": "sampling"}  # there is hardly any noise
SHARES = (0.01, 0.02, 0.04, 0.08)
IN_D, SQUARE, SAMPLED = "d^1.5 ln(1/δ)/(εα)", "d² ln(1/δ)/(εα)", "d/α²"


def noisy(term: str) -> tuple[Move, ...]:
    return (
        in_epsilon(4.0, term),
        in_delta(term, 1, {"ln² 1/δ": 2.0}, **LOUD),
        row("corruption", SHARES, -1, {"1/α²": -2.0}, term),
    )


NONPRIVATE = Statement(
    "LKKO21/Prop2.1",
    PLAIN,
    {"key": PLAIN, "d": 2, "corruption": 0.05},
    lambda d, corruption: lkko21.filter_nonprivate_shape(d, corruption).sampling,
    around(
        "far",
        FAR,
        (
            row("d", (2, 4, 8, 16, 32), 1, LINEAR, SAMPLED, caps={"full": 800}),
            row("corruption", (0.0125, 0.025, 0.05, 0.1), -2, {"1/α": -1.0}, SAMPLED, d=4),
        ),
    ),
    errors,
    alpha=FILTERS[PLAIN].error,
    caps={"full": 200},
)
FILTER = filtered(
    "LKKO21/Thm5",
    "mean/filter",
    lkko21.filter_shape,
    row("d", TO_16, 2, {"d": 1.0}, SQUARE, doubled=True, **LOUD),
    *noisy(SQUARE),
)
PRIME = filtered(
    "LKKO21/Thm6",
    MATRIX,
    lkko21.prime_shape,
    row("d", TO_16, 1.5, {"d²": 2.0}, IN_D, **LOUD),
    *noisy(IN_D),
    row("d", TO_16, 1, LINEAR, SAMPLED, **QUIET),
    row("corruption", SHARES, -2, {"1/α": -1.0}, SAMPLED, **QUIET),
)
HEAVY_PRIME = filtered(
    "LKKO21/Thm9",
    "mean/prime-heavy",
    lkko21.prime_heavy_shape,
    row("d", TO_16, 1.5, {"d²": 2.0}, IN_D, **LOUD),
    *noisy(IN_D),
)


def in_dimension(statement: Statement) -> Iterator[Scaling]:
    for move in statement.moves[: len(FAR)]:
        yield Scaling(statement, move._replace(values=tuple(value for value in move.values if value > 2)))


# Means of exponential time, and ranges: Theorems 7, 8 and 12, Lemmas D.2 and K.1
#
# A failure probability ζ is measured without rare events: a run is `runs` releases on fresh rows, and its
# error is the largest of theirs. Half of such runs are good where ζ = 1 - 2^(-1/runs).


HALF, FEW = 0.5, {"full": 100}
RUNS_OF = {1 - HALF ** (1 / runs): runs for runs in (1, 4, 16, 32)}  # ζ -> releases of a run
ELSEWHERE = 20.0  # where corrupted rows are for a range: in no bin of clean ones
DEPTH = "mean/tukey"
NETS = {
    "mean/resilient": Mean(
        lambda share, **net: ResilientMean(corruption=share, **net),
        lambda corruption: 2 * lkko21.sub_gaussian_error(corruption),
        (1.5, 2.0, 3.0, 6.0, 20.0),
    ),
    "mean/resilient-heavy": Mean(
        lambda share, **net: ResilientHeavyMean(corruption=share, **net),
        heavy,
        (0.5, 1.0, 2.0, 4.0, 8.0),
        True,
    ),
    # a median asks on which side rows are: at 1, 1.5, 3, 6 and 20 the same runs are good
    DEPTH: Mean(lambda share, **net: TukeyMean(**net), lambda corruption: 2 * corruption, (6.0,)),
}


@each_trial
def net_errors(
    key: str, d: int, n: int, corruption: float, place: float, epsilon: float, delta: float,
    radius: float, step: float, runs: int, *, data: Generator, noise: Generator,
) -> Row:  # fmt: skip
    """Measure the largest error of so many releases; `delta` = 0 for a pure budget."""
    net, budget = NETS[key], ApproxDP(epsilon, delta) if delta else PureDP(epsilon)
    one = net.make(corruption, radius=radius, step=step, sigma=1.0)
    found = []
    for _ in range(runs):
        theta = data.uniform(-radius / 2, radius / 2, d)
        x = net.draw(n, d, data)
        x[: int(corruption * n)] = place / sqrt(d) / (sqrt(corruption) if net.heavy else 1.0)
        found.append(distance_of(one, x + theta, theta, budget, noise))
    return answered(max(found))


@each_trial
def ranges(
    key: str, d: int, n: int, corruption: float, epsilon: float, delta: float, runs: int, *,
    data: Generator, noise: Generator,
) -> Row:  # fmt: skip
    """Measure by how much too many clean rows lie outside, in the worst of so many releases; 0 if none do.

    The means are on an edge of a bin in every coordinate. A box has to hold all clean rows, a ball all but a
    share `corruption` of them.
    """
    tails = key == "range/ball"
    one = BallRange(corruption=corruption, upper=1.0) if tails else BoxRange(calibration="paper", sigma=1.0)
    allowed, bad, most = corruption if tails else 0.0, int(corruption * n), 0.0
    for _ in range(runs):
        x = heavy_rows("student", n, d, data) if tails else data.standard_normal((n, d))
        x[:bad] = ELSEWHERE
        region = value_of(one, x, ApproxDP(epsilon, delta), noise)
        lost = inf if isinstance(region, Abstention) else 1 - float(region.contains(x[bad:]).mean())
        most = max(most, lost - allowed)
    return answered(most)


def passing_rows(radius: float, corruption: float, epsilon: float, delta: float) -> float:
    """Return the rows at which half of the tests pass, on the line."""
    one = ResilientMean(radius=radius, corruption=corruption, sigma=1.0)
    rate = margin_rate(corruption, one.width)
    return rows_to_pass(rate, one.check * epsilon, delta) if rate else inf


def of_several(
    id: str, key: str, usual: Public, places: Iterable[float], *moves: Move, **more: Any
) -> Statement:
    return Statement(
        id,
        key,
        {"key": key, **usual, "beta": 1 - 0.9},
        moves=around("place", places, moves),
        also=lambda beta: {"runs": RUNS_OF.get(beta, 1)},
        caps=FEW,
        **more,
    )


def on_a_net(id: str, key: str, usual: Public, shape: Named, *moves: Move, **more: Any) -> Statement:
    def fewest(corruption: float) -> int:
        return 2 if key == DEPTH else smallest(lambda n: n - 2 * -(-3 * corruption * n // 1) >= 1, 30)

    def start(stated: float, predicted: float, fewest: int) -> int:
        return max(round(predicted if key != DEPTH and isfinite(predicted) else stated), fewest)

    return of_several(
        id, key, {"d": 1, "corruption": 0.05, "delta": 1e-6, **usual}, NETS[key].places, *moves, shape=shape,
        block=net_errors, alpha=NETS[key].error, fewest=fewest, start=start,
        **more,
    )  # fmt: skip


def located(id: str, key: str, term: str, *moves: Move) -> Statement:
    return of_several(
        id,
        key,
        {"d": 1, "corruption": 0.05, "epsilon": 0.8, "delta": 1e-6},
        (ELSEWHERE,),
        row("d", (1, 4, 16, 64), 0.5, {"d": 1.0}, term),
        in_epsilon(0.8, term),
        in_delta(term, 1.5),
        row("beta", ZETAS, 1, {"free of ζ": 0.6}, term, logarithm=True, share=HALF, delta=0.1),
        *moves,
        shape=lambda part, d, corruption, epsilon, delta, beta: (
            1 / corruption if part == "tails" else lkko21.range_shape(d, epsilon, delta, beta)
        ),
        block=ranges,
        alpha=lambda: 1e-9,  # rows a range may lose beyond those allowed: rounding
        fewest=lambda: 2,
        start=lambda stated: stated,
    )


def tested(d: int, corruption: float, epsilon: float, delta: float) -> float:
    return lkko21.resilient_shape(d, corruption, epsilon, delta).noise


TESTED, ZETAS = "√d ln(1/δ)/(εα)", tuple(RUNS_OF)
ACCURATE: Public = {"epsilon": 10.0, "part": "sampling"}
IN_SPACE: Public = {"corruption": 0.1, "radius": 0.9, "step": 0.1, "epsilon": 0.2, "delta": 0.01}
IN_EPSILON = in_epsilon(0.4, TESTED)
IN_SHARE = row("corruption", (0.003, 0.01, 0.03, 0.1), -1, SINGLE, TESTED)
RESILIENT = on_a_net(
    "LKKO21/Thm7",
    "mean/resilient",
    {"epsilon": 0.1, "radius": 1.0, "step": 0.01},
    tested,
    IN_EPSILON,
    in_delta(TESTED),
    IN_SHARE,
    row("d", (1, 2, 3), 1, {"d²": 2.0}, "d/(εα)", **IN_SPACE),
    predicted=passing_rows,
)
HEAVY_RESILIENT = on_a_net(
    "LKKO21/Thm8",
    "mean/resilient-heavy",
    {"epsilon": 0.1, "radius": 2.0, "step": 0.01},
    tested,
    IN_EPSILON,
    in_delta(TESTED, values=(1e-8, 1e-16, 1e-32, 1e-64)),
    IN_SHARE,
    row("d", (1, 2, 3), 1, {"d²": 2.0}, "d/(εα)", **{**IN_SPACE, "radius": 1.8, "step": 0.2}),
)


def median_rows(corruption: float, epsilon: float, beta: float) -> float:
    """Return the n from which a median errs by more than 2ξ with probability β, on the line, without noise.

    Corrupted rows lie above. The median is then where (1 - ξ) Φ = 1/2; of what is allowed its bias leaves
    little, and a run fails on that side alone. So n grows as the square of a normal quantile, which is 0 at
    β = 1/2 and only far out as ln 1/β.
    """
    if epsilon < ACCURATE["epsilon"] or beta >= HALF:
        return nan
    clean, half = 1 - corruption, 0.5 / (1 - corruption)
    bias = float(ndtri(half))
    density = clean * exp(-(bias**2) / 2) / sqrt(2 * pi)
    spread = sqrt(clean * half * (1 - half)) / density
    return float((-ndtri(beta) * spread / (NETS[DEPTH].error(corruption) - bias)) ** 2)


DRAWN, SAMPLED_TUKEY = "d ln(dR/(ζα))/(εα)", "(d + ln(1/ζ))/α²"
TUKEY = on_a_net(
    "LKKO21/Thm12",
    DEPTH,
    {"corruption": 0.1, "epsilon": 0.02, "delta": 0.0, "radius": 10.0, "step": 0.1},
    lambda part, d, corruption, epsilon, radius, beta: getattr(
        lkko21.tukey_shape(d, corruption, epsilon, radius, beta), part
    ),
    in_epsilon(0.04, DRAWN),
    row("corruption", (0.025, 0.05, 0.1, 0.2), -2, {"1/α": -1.0}, SAMPLED_TUKEY, **ACCURATE),
    row("corruption", (0.05, 0.08, 0.125, 0.2), -1, {"1/α²": -2.0}, DRAWN),
    row("radius", (5.0, 25.0, 1e3, 1e6), 1, {"ln² R": 2.0}, DRAWN, logarithm=True),
    row("beta", ZETAS, 1, {"ln² 1/ζ": 2.0}, SAMPLED_TUKEY, logarithm=True, share=HALF, **ACCURATE),
    predicted=median_rows,
)
BOX, TAIL_SHARES = "√(d ln(1/δ)) ln(d/(ζδ))/ε", (0.001, 0.002, 0.004, 0.008)
IN_A_BOX = located("LKKO21/LemD.2", "range/box", BOX)
IN_A_BALL = located(
    "LKKO21/LemK.1",
    "range/ball",
    f"{BOX}, one part",
    row("corruption", TAIL_SHARES, -1, {"1/√α": -0.5}, "1/α, one part", part="tails", epsilon=10.0),
)


# Figure 2: the n from which a filter pays; Tables 1 and 2 against the worst cluster


def crossing_rows(corruption: float, epsilon: float) -> float:
    """Return the n from which the threshold of PRIME's filter is below what the planted cluster adds."""
    budget, reach = ApproxDP(epsilon, DELTA), SHIFT * DUEL_D**0.5
    return rows_to_see(MATRIX, DUEL_D, corruption, budget, reach=reach)


CROSSOVER = Statement(
    "LKKO21/Fig2",
    "mean/prime [over mean/coinpress]",
    {"corruption": CORRUPTION, "epsilon": DUEL_EPSILON},
    crossing_rows,
    (
        row("epsilon", halved(2.0), -1, {"1/√ε": -0.5, "1/ε²": -2.0}, "1/(εξ)"),
        row("corruption", SHARES, -1, {"1/√ξ": -0.5, "1/ξ²": -2.0}, "1/(εξ)"),
    ),
    planted.over_coinpress,
    alpha=lambda: 1.0,
    predicted=crossing_rows,
    fewest=lambda: 20,
    bound="equal",
    share=HALF,
    caps=FEW,
)


def table_rows(table: str) -> Callable[..., Checks]:
    def checks(frame: DataFrame, *growths: Growth, seed: int) -> Checks:
        return [*tables.private_rows(table, frame, seed), *below_formula(growths)]

    return checks


def below_formula(growths: Iterable[Growth]) -> Checks:
    return [_below(*worst(family)[:2]) for family in families(growths)]


def hidden_cluster(*growths: Growth) -> Checks:
    scaling, found, _ = worst(growths)
    return [_below(scaling, [one for one in found if one.value == tables.USUAL.epsilon])]


def _below(scaling: Scaling, found: Sequence[Least]) -> Verdict:
    name = _key(scaling)

    def most(setting: Setting) -> float:
        point = {**vars(tables.USUAL), **setting.point}
        terms = tables.Terms(*(point[one] for one in ("corruption", "epsilon", "delta")))
        return tables.UPPER * tables.SETTINGS[name].formula(int(point["d"]), terms)

    check = within(scaling, found, most)
    return check.about(f"n over ten times the formula: {name}, in {scaling.move.variable}", "at most 1")


def price_of_dimension(single: Growth, matrix: Growth) -> Checks:
    """Decide whether the exponents of two n differ by 1/2, as those of Theorems 5 and 6 in d.

    HOLDS if the interval at 5 % meets 1/2 within `TOLERANCE` and excludes 0, REFUTED if it certainly misses.
    """
    pairs = [pair for pair in zip(single[1], matrix[1], strict=True) if pair[0].bounded and pair[1].bounded]
    intervals = ([least.interval for least in side] for side in zip(*pairs, strict=True))
    errors = np.hypot(*(standard_errors(ones, SEARCHED) for ones in intervals))
    values, over = [a.value for a, _ in pairs], [a.n / b.n for a, b in pairs]
    line = slope(values, over, errors)
    low, high = line.interval(SEEN)
    least, most = line.interval(CHECK_LEVEL)
    seen = low <= HALF + TOLERANCE and high >= HALF - TOLERANCE and low > 0
    missed = least > HALF + TOLERANCE or most < HALF - TOLERANCE
    verdict = Verdict(
        status=Status.REFUTED if missed else Status.HOLDS if seen else Status.UNDECIDED,
        test="slope of the ratio of searched n",
        level=CHECK_LEVEL,
        trials=sum(a.runs + b.runs for a, b in pairs),
        estimate=line.estimate,
        interval=(low, high),
        bound=HALF,
        id="exponent in d of the n of mean/filter, less that of mean/prime",
        detail={"d": values, "over": over},
    )
    return [verdict]


# What is claimed


def claimed(name: str, number: str, table: Statement, said: str, **more: Any) -> Claim:
    id, said = f"robust-and-private/{name}-rows-grow", f"Searched n of {table.key}, {said}"
    return grow(id, number, said, table, checks=follow_worst, **more)


DISTANCES = (
    "the largest over clusters at .95, 1, 1.15, 1.4 and 2 times the distance at which one that stays does"
    " just harm:"
)
CLAIMS = (
    Claim(
        "robust-and-private/table-1-in-shape",
        "TB1",
        ("LKKO21/Table1", "LKKO21/Thm6"),
        "ξ = .05, error 1.2 ξ √ln(1/ξ): without corruption mean/coinpress needs at most three times the rows"
        " of Table 1 with constants 1, (1, 1e-6)-DP, d = 2, 8, 32; against the worst of five distances of a"
        " cluster mean/prime, (2, 1e-6)-DP, d = 4, 8, 16, at most ten times as many.",
        table_rows("1"),
        lambda: [tables.PRIVATE],
        scalings=lambda: in_dimension(PRIME),
    ),
    Claim(
        "robust-and-private/table-2-in-shape",
        "TB2",
        ("LKKO21/Table2", "LKKO21/Thm9"),
        "Student rows with 2.5 degrees of freedom, ξ = .05, error 1.5 √ξ: without corruption"
        " mean/clipped-heavy needs at most three times the rows of Table 2 with constants 1, (1, 1e-6)-DP, d"
        " = 2, 8, 32; against the worst of five distances of a cluster mean/prime-heavy, (2, 1e-6)-DP, d = 4,"
        " 8, 16, at most ten times as many.",
        table_rows("2"),
        lambda: [tables.PRIVATE],
        scalings=lambda: in_dimension(HEAVY_PRIME),
        expected=Status.UNDECIDED,
        reason="That of mean/clipped-heavy holds. The n of mean/prime-heavy are at most half of what may be,"
        " but one interval, at the level of a check, reaches beyond: success rises slowly under heavy tails.",
    ),
    Claim(
        "robust-and-private/table-1-hidden-cluster",
        "TB1.2",
        ("LKKO21/Table1", "LKKO21/Thm6"),
        "ξ = .05, error 1.2 ξ √ln(1/ξ), the worst of five distances of a cluster: mean/prime, (1, 1e-6)-DP,"
        " needs at d = 2 at most ten times the rows of Table 1 with constants 1.",
        hidden_cluster,
        scalings=lambda: replace(PRIME, moves=PRIME.moves[len(FAR) : 2 * len(FAR)]).scalings(),
        expected=Status.UNDECIDED,
        reason="It needs about 15 times as many, within a factor 1.7 at the level of a check: more than 10 in"
        " 95 % of such searches, and not certain enough. Over the formula, constants 1, its n falls with d.",
    ),
    Claim(
        "robust-and-private/price-of-dimension",
        "N82",
        ("LKKO21/Thm5", "LKKO21/Thm6"),
        "What d costs, (2, 1e-6)-DP, ξ = .05, a cluster at the distance at which one that stays does just"
        " harm: from d = 4 to 16 the searched n of mean/filter with 2d passes grows by half a power more,"
        " within 0.1, than that of mean/prime, as d² and d^1.5 do.",
        price_of_dimension,
        scalings=lambda: (Scaling(one, one.moves[FAR.index(1.0)]) for one in (FILTER, PRIME)),
    ),
    claimed(
        "nonprivate-filter",
        "N41",
        NONPRIVATE,
        f"{DISTANCES} error 1.7 ξ √ln(1/ξ), grows at most as d/ξ², in d = 2 .. 32 at ξ = .05 and in ξ = .0125"
        " .. .1 at d = 4.",
        open="In d it certainly grows slower, as d^.61. In ξ an exponent of -1.62 within .31 leaves open"
        " whether it is -2 or half a power less.",
    ),
    claimed(
        "filter",
        "N42",
        FILTER,
        f"{DISTANCES} "
        "error 1.2 ξ √ln(1/ξ), grows at most as d² ln(1/δ)/(εξ): at (2, 1e-6)-DP, ξ = .05, in d = 2 .. 16"
        " with 2d passes, and at d = 2 in ε = 4 .. .5, in δ = 1e-2 .. 1e-16 and, at ε = 1, ξ = .01 .. .08.",
        open=(
            "In d it certainly grows slower, in ε the rate is seen. In δ and ξ it grows slower, too, as"
            " ln(1/δ)^.55 within .26 and ξ^-.71 within .13 in 95 % of such searches; that it does so by"
            " more than 0.1 in the exponent is not certain enough."
        ),
    ),
    claimed(
        "prime",
        "N43",
        PRIME,
        f"{DISTANCES} error 1.2 ξ √ln(1/ξ), grows at most as d^1.5 ln(1/δ)/(εξ): at (2, 1e-6)-DP, ξ = .05, in"
        " d = 2 .. 16, and at d = 2 in ε = 4 .. .5, in δ = 1e-2 .. 1e-16 and, at ε = 1, in ξ = .01 .. .08;"
        " at ε = 300 at most as d/ξ², in d = 2 .. 16 and ξ = .01 .. .08.",
        open="It grows by less in d, in δ and in both at ε = 300, and the rate in ε is seen. In ξ at ε = 1"
        " an exponent of -.76 within .21 leaves open whether it is -1 or half a power less.",
    ),
    claimed(
        "heavy-prime",
        "N44",
        HEAVY_PRIME,
        f"{DISTANCES} Student rows with 2.5 degrees of freedom, error 1.5 √ξ, grows at most as d^1.5"
        " ln(1/δ)/(εξ): at (2, 1e-6)-DP, ξ = .05, in d = 2 .. 16, and at d = 2 in ε = 4 .. .5, in δ = 1e-2"
        " .. 1e-16 and, at ε = 1, in ξ = .01 .. .08.",
        open="In ξ the rate is seen at 5 % for it alone, not where all scalings share this level; in d"
        " and δ half a power more or less is not excluded. In ε it is no line: at ε = 4, where few rows are"
        " enough, a cluster at twice the distance needs more of them than at ε = 2, and for ε at most 2 n"
        " doubles as ε is halved.",
    ),
    claimed(
        "resilient",
        "N45",
        RESILIENT,
        "the largest over clusters at 1.5 .. 20 sd, error 2 ξ √ln(1/ξ), grows at most as (d + √d"
        " ln(1/δ))/(εξ): on the line in ε = .4 .. .05, δ = 1e-2 .. 1e-16, ξ = .003 .. .1, and in d = 1 .. 3"
        " at δ = .01.",
        open="On the line the rates are seen. In d only two of three n have both ends.",
    ),
    claimed(
        "heavy-resilient",
        "N46",
        HEAVY_RESILIENT,
        "Student rows, the largest over clusters at .5 .. 8 times 1/√ξ, error 1.5 √ξ, grows at most as (d +"
        " √d ln(1/δ))/(εξ): on the line in ε = .4 .. .05, δ = 1e-8 .. 1e-64, ξ = .003 .. .1, and at δ = .01"
        " in d = 1 .. 3.",
        open="On the line the rates are seen. In d an exponent of .89 within .31 leaves .61, stated, open.",
    ),
    claimed(
        "tukey",
        "N47",
        TUKEY,
        "a cluster at 6 sd (1 .. 20: the same), error 2 ξ, grows at most as (d + ln(1/ζ))/ξ² + d"
        " ln(dR/(ζξ))/(εξ), on the line: in ε = .04 .. .005 and R = 5 .. 1e6 at ξ = .1, in ξ = .05 .. .2; at"
        " ε = 10 in ξ = .025 .. .2 and failure probability ζ = .5 .. .021.",
        open="The rate 1/ε is seen; at ε = 10 half a power of ξ is not excluded. In R n hardly grows; that"
        " it grows slower than ln R is not certain enough. In ξ at small ε the bias of the cluster takes most"
        " of what is allowed. In ζ n grows as ln(1/ζ)^1.9, as that of a median without noise, where the"
        " formula has .7: beside a bias runs fail on one side, so that n goes as the square of a normal"
        " quantile, which is 0 at ζ = .5 and nears 2 ln(1/ζ) far out.",
    ),
    claimed(
        "box-range",
        "N48",
        IN_A_BOX,
        "calibration paper, 5 % of the rows elsewhere, until the box holds all others, grows at most as √(d"
        " ln(1/δ)) ln(d/(ζδ))/ε: in d = 1 .. 64, ε = .8 .. .1, δ = 1e-2 .. 1e-16, ζ = .5 .. .021.",
    ),
    claimed(
        "ball-range",
        "N49",
        IN_A_BALL,
        "on Student rows, until the ball holds all but a share ξ of the clean ones, grows at most as √(d"
        " ln(1/δ)) ln(d/(ζδ))/ε + 1/ξ, the n of one of the source's parts: in d = 1 .. 64, ε = .8 .. .1, δ ="
        " 1e-2 .. 1e-16, ζ = .5 .. .021, ξ = .001 .. .008.",
        slower="In d, ε and ζ the rates are seen. In δ n grows as ln(1/δ)^.94, less than stated, and with"
        " 1/ξ not at all: that part of the formula is small beside the other.",
    ),
    grow(
        "robust-and-private/prime-pays-from",
        "N81",
        "d = 10, δ = .01, a cluster at 1.5 √d: the n from which mean/prime has a smaller error than"
        " mean/coinpress in half of the runs grows in ε = 2 .. .25 at ξ = .05, and in ξ = .01 .. .08 at ε ="
        " 1, as the n from which the public threshold of its filter is below what the cluster adds to the"
        " second moment, about ξ^-1 and ε^-.8, and is at most twice that.",
        CROSSOVER,
        sources=("LKKO21/Fig2", "LKKO21/Fig1-threshold"),
        checks=bounded(2),
        kind="ours",
    ),
)
