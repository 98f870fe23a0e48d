"""Private histograms: the accuracy in L17 Theorems 1.1 and 1.2, and the facts of Lemma 2.3."""

from functools import partial
from itertools import chain
from math import ceil, exp, log, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator
from pandas import DataFrame
from scipy.stats import binom

from workbench.bounds import smallest
from workbench.bounds.l17 import (
    UNIT_BIN,
    bin_count_failure,
    discrete_histogram_error,
    histogram_error,
    stable_histogram_error,
)
from workbench.errors import ArgumentError
from workbench.estimators.populous import Populous
from workbench.privacy import ApproxDP, Charge, PureDP, noise_source
from workbench.privacy.histograms import (
    COUNTS_L1,
    finite_histogram,
    histogram_charge,
    stability_charge,
    stability_histogram,
    stability_threshold,
)
from workbench.special import gammaincinv
from workbench.study.measures import at, between, hits, ratio, scaled, seldom
from workbench.study.rules import Checks, Claim, Interval, Verdict, beside, combine, enough
from workbench.study.scaling import Growth, Move, Statement, bounded, measure
from workbench.study.sweeps import (
    Block,
    Row,
    Sweep,
    answered,
    each_trial,
    error_of,
    grid,
    over_grid,
    value_of,
)
from workbench.types import Array, Columns

EPSILON, BETA, STABLE_BETA = 0.5, 0.05, 0.01
BUDGETS = ((EPSILON, 1e-6), (0.1, 1e-3), (2.0, 1e-10))
POPULATED = 5
EDGES = (10, 15)  # n at which the bin of a mean at its edge is too empty at times
ROWS, BINS = 400, (20, 500)
SIZES = (10, 50, 200)
REACH = 20  # bins on either side of 0 that are told apart: the mean lies in bin 0


@each_trial
def finite_errors(epsilon: float, bins: int, *, data: Generator, noise: Generator) -> Row:
    """Measure the largest error over all counts, with continuous and with discrete Laplace noise."""
    cost, source = PureDP(epsilon), noise_source(noise)
    charges = {"laplace": Charge("histogram", "laplace", COUNTS_L1, cost)}
    charges["discrete"] = histogram_charge("histogram", cost)
    keys = data.integers(bins, size=ROWS)
    counts = np.bincount(keys, minlength=bins)
    released = {kind: finite_histogram(keys, bins, charge, source) for kind, charge in charges.items()}
    return {kind: np.abs(found - counts).max() for kind, found in released.items()}


@each_trial
def stable_errors(epsilon: float, delta: float, rows: str, *, data: Generator, noise: Generator) -> Row:
    """Measure the largest error over all bins of the line, those that are not released counting as 0."""
    if rows == "hardest":
        keys = hardest(epsilon, delta)
    else:
        keys = np.floor(data.uniform() + data.standard_normal(ROWS))
    charge = stability_charge("histogram", ApproxDP(epsilon, delta))
    released = stability_histogram(keys, charge, noise_source(noise))
    populated, counts = np.unique(keys, return_counts=True)
    seen = [released.get(key, 0.0) for key in populated.tolist()]
    return {"error": np.abs(np.array(seen) - counts).max()}


def sharp(epsilon: float, delta: float) -> int:
    """Return the integer that the largest error exceeds with probability at most β, given few bins.

    With a = e^(-ε/2), a bin of c rows is dropped if its noise is at most T - 1 - c, with probability
    a^(c-T+1)/(1 + a). Over k bins that is at most β for c ≥ T - 1 + (2/ε) ln(k/((1 + a) β)), and fewer rows
    are a smaller error. A released bin errs as much with a probability smaller by a^(T-1).
    """
    share = POPULATED / ((1 + exp(-epsilon / 2)) * STABLE_BETA)
    return ceil(stability_threshold(ApproxDP(epsilon, delta)) - 1 + 2 / epsilon * log(share)) - 1


def hardest(epsilon: float, delta: float) -> Array:
    """Return rows of which each bin has just too many to be dropped within the bound."""
    return np.repeat(np.arange(POPULATED, dtype=np.float64), sharp(epsilon, delta) + 1)


def bin_facts(n: int, *, trials: int, data: Generator, noise: Generator) -> Columns:
    """Record in which samples one of the three facts of Lemma 2.3 fails; bin j is [j, j + 1)."""
    mean = data.uniform(size=trials)
    places = np.clip(np.floor(mean[:, None] + data.standard_normal((trials, n))), -REACH, REACH)
    bins = np.arange(-REACH, REACH + 1)
    counts = np.stack([(places == one).sum(axis=1) for one in bins], axis=1)
    far = np.abs(mean[:, None] - bins) > 5
    low = counts.max(axis=1) < n / 10
    crowded = (np.where(far, counts, 0) >= n / 50).any(axis=1)
    return {"failed": low | crowded | far[np.arange(trials), counts.argmax(axis=1)]}


def edge_counts(n: int, *, trials: int, data: Generator, noise: Generator) -> Columns:
    """Record in which samples the unit bin of a mean at its lower edge holds fewer than n/10 rows."""
    own = np.floor(data.standard_normal((trials, n))) == 0
    return {"failed": own.sum(axis=1) < n / 10}


FINITE = over_grid("l17-finite-histogram", finite_errors, 1500, epsilon=EPSILON, bins=BINS)
STABLE = Sweep(
    "l17-stable-histogram",
    tuple(
        point
        for epsilon, delta in BUDGETS
        for point in grid(epsilon=epsilon, delta=delta, rows=("normal", "hardest"))
    ),
    stable_errors,
    2000,
    {"quick": 1, "full": 180},
)
FACTS = over_grid("l17-bin-facts", bin_facts, 10000, 30, n=SIZES)
EDGE = over_grid("l17-bin-edge", edge_counts, 10000, 30, n=EDGES)


def finite_is_accurate(frame: DataFrame) -> Verdict:
    checks = []
    for bins in BINS:
        rows, given = at(frame, bins=bins), (bins, EPSILON, BETA)
        reached = rows["laplace"] >= histogram_error(*given)
        beyond = rows["discrete"] > discrete_histogram_error(*given)
        checks.append(seldom(f"Laplace, {bins} bins", reached, BETA, n=ROWS))
        checks.append(seldom(f"discrete Laplace, {bins} bins", beyond, BETA, n=ROWS))
    return combine(checks)


def stable_is_accurate(frame: DataFrame) -> Verdict:
    checks = []
    for epsilon, delta in BUDGETS:
        where, most = f"ε = {epsilon:g}, δ = {delta:g}", sharp(epsilon, delta)
        for kind, n in (("normal", ROWS), ("hardest", len(hardest(epsilon, delta)))):
            errors = at(frame, epsilon=epsilon, delta=delta, rows=kind)["error"]
            beyond = errors > stable_histogram_error(n, epsilon, delta, STABLE_BETA)
            checks.append(seldom(f"{kind} rows, theorem bound, {where}", beyond, STABLE_BETA, n=n))
        failed = errors > most
        checks.append(seldom(f"hardest rows, sharp bound, {where}", failed, STABLE_BETA, n=n))
        a, least = exp(-epsilon / 2), stability_threshold(ApproxDP(epsilon, delta))
        exact = 1 - (1 - a ** (most + 2 - least) / (1 + a)) ** POPULATED
        name = f"failures over their exact chance, hardest rows, {where}"
        checks.append(_as_exact(name, failed, exact, (0.85, 1.15)))
    return combine(checks)


def _as_exact(name: str, failed: Any, exact: float, limits: Interval) -> Verdict:
    return between(name, scaled(hits(failed), 1 / exact), *limits)


def facts_hold(frame: DataFrame, edges: DataFrame) -> Verdict:
    """Return the checks: how often a fact fails, against the exact binomial bound, .003 at least.

    The bound's first term is exact for the bin of the mean alone, where that is at its edge.
    """
    checks = []
    for n in SIZES:
        check = seldom(f"n = {n}", at(frame, n=n)["failed"], max(bin_count_failure(n), 0.003), n=n)
        checks.append(enough(check, "L17/Lem2.3", "P(Bin(n, .341) < n/10) + P(Bin(n, 6e-5) ≥ n/50) ≤ β"))
    for n in EDGES:
        exact = float(binom.cdf(ceil(n / 10) - 1, n, UNIT_BIN))
        name = f"own bin below n/10 over its exact chance, mean at its edge, n = {n}"
        checks.append(_as_exact(name, at(edges, n=n)["failed"], exact, (0.85, 1.2)))
    return combine(checks)


# The general reduction in the l1 norm: shares of bins by a vote of groups, beside noise on the counts.
#
# Groups are of one row each, and any two of their shares are within 2 of each other: all groups are friends,
# whatever the rows, so that what is released beside the shares of the rows is the mask alone, or an
# abstention.


STATEMENT, COUNTED = "AL22/Rem3.4", "L17/Thm1.1"
INVERSE = {"1/x²": -2.0, "1/√x": -0.5}
MOVES = (
    Move("alpha", (0.4, 0.2, 0.1, 0.05), -1, INVERSE, "k/(αε)"),
    Move("epsilon", (4.0, 2.0, 1.0, 0.5), -1, INVERSE, "(ln(1/δ) + k/α)/ε", {"alpha": 0.2}),
    Move("bins", (2.0, 4.0, 8.0, 16.0), 1, {"k²": 2.0, "√k": 0.5}, "k/(αε)"),
)
DELTA, SHARE = 1e-6, 0.9  # of the runs that succeed
APART = 2.0  # in l1, of the shares of any two groups at most
NEVER = 1e-6  # in the place of the share of pairs of groups that are farther apart: there are none
SILENT, BEYOND = 0.001, 0.099  # chances of an abstention, and of a mask beyond its bound


def shares(rows: Array, bins: int) -> Array:
    return np.bincount(rows[:, 0].astype(np.int64), minlength=bins) / len(rows)


def vote(bins: int) -> Populous:
    oracle = partial(shares, bins=bins)
    return Populous(oracle=oracle, size=1, space="l1", limit=APART, dimension=bins, far=NEVER, beta=SILENT)


@each_trial
def votes(bins: int, n: int, epsilon: float, *, data: Generator, noise: Generator) -> Row:
    """Measure the l1 distance from the shares of the rows, infinite for an abstention."""
    rows = data.integers(bins, size=(n, 1)).astype(float)
    value = value_of(vote(bins), rows, ApproxDP(epsilon, DELTA), noise)
    return answered(error_of(value, lambda found: np.abs(found - shares(rows, bins)).sum()))


@each_trial
def counts(bins: int, n: int, epsilon: float, *, data: Generator, noise: Generator) -> Row:
    charge = Charge("counts", "laplace", COUNTS_L1, PureDP(epsilon))  # not whole: errors are then smooth in n
    keys = data.integers(bins, size=n)
    released = finite_histogram(keys, bins, charge, noise_source(noise))
    return {"error": np.abs(released - np.bincount(keys, minlength=bins)).sum() / n}


def promised(bins: int, epsilon: float, alpha: float) -> int:
    """Return the n from which the reduction is promised to be within α in 9 of 10 runs.

    Its mask has the scale b of the plan and an l1 norm of at most b (k + √(2k l) + l), l = ln 1/β, with
    probability 1 - β, β = .099 (`proofs/populous.md`, section 9); it abstains with probability .001.
    """
    level = log(1 / BEYOND)
    return _rows(bins + sqrt(2 * bins * level) + level, bins, epsilon, alpha)


def foreseen(bins: int, epsilon: float, alpha: float) -> int:
    """Return the same if it never abstains: the l1 norm over b is a Gamma variable of shape k."""
    return _rows(float(gammaincinv(bins, SHARE)), bins, epsilon, alpha)


def counted(bins: int, epsilon: float, alpha: float) -> float:
    """Return the n from which counts with Laplace noise of scale 2/ε are within α in 9 of 10 runs."""
    return float(2 * gammaincinv(bins, SHARE) / (epsilon * alpha))


def _rows(reach: float, bins: int, epsilon: float, alpha: float) -> int:
    def enough(n: int) -> bool:
        try:
            made = vote(bins).design(n, 1, ApproxDP(epsilon, DELTA))
        except ArgumentError:
            return False
        return APART / made.narrowness * reach <= alpha

    return smallest(enough, start=20)


def searched(statement: str, key: str, block: Block, stated: Any, predicted: Any, **more: Any) -> Statement:
    """Return a statement about the rows of shares; `stated` and `predicted` are functions of k, ε and α."""
    return Statement(
        statement,
        key,
        {"bins": 4, "epsilon": 2.0, "alpha": 0.1},
        stated,
        block=block,
        predicted=predicted,
        start=lambda stated: stated,
        share=SHARE,
        **more,
    )


VOTED = searched(
    STATEMENT,
    "any oracle [shares in l1]",
    votes,
    foreseen,
    promised,
    caps={"full": 150},
    moves=(
        *MOVES[:2],
        MOVES[2]._replace(caps={"full": 300}),
    ),  # the promise is nearest where there are many bins
)
DIRECT = searched(COUNTED, "counts [shares in l1]", counts, counted, counted, caps={"full": 400}, moves=MOVES)


def counts_need_fewer(*growths: Growth) -> Checks:
    """Return the rows of the counts over those of the vote, at every setting."""
    half = len(growths) // 2
    formula = "2/(αε) times the .9-quantile of a Gamma variable of shape k: noise on counts alone"
    for (scaling, of_votes), (_, of_counts) in zip(growths[:half], growths[half:], strict=True):
        for one, other in zip(of_votes, of_counts, strict=True):
            found = measure(other)
            name = f"rows of the counts over those of the vote, {scaling.move.variable} = {one.value:g}"
            check = between(name, ratio(found, measure(one)), 0.0, 1 / 3)
            yield beside(check, COUNTED, formula, other.setting.predicted, found)


CLAIMS = (
    Claim(
        "one-mean/finite-histogram-error",
        "L1.1",
        ("L17/Thm1.1",),
        "The largest error of a finite histogram with Laplace noise reaches (2/ε) ln(k/β) with probability "
        "at most β = .05, for k = 20 and 500 bins at ε = .5; discrete noise stays within its own bound.",
        finite_is_accurate,
        lambda: [FINITE],
    ),
    Claim(
        "one-mean/stable-histogram-error",
        "L1.2",
        ("L17/Thm1.2",),
        "Over infinitely many bins the largest error of the stability-based histogram exceeds "
        "1 + (2/ε)(ln(1/(2δ)) + ln(n/β)) with probability at most β = .01, at (.5, 1e-6), (.1, 1e-3) and "
        "(2, 1e-10); with k bins populated, T - 2 + (2/ε) ln(k/((1 + e^(-ε/2))β)), rounded up, is enough, "
        "and the hardest rows break it as often as is exact, within 15 %.",
        stable_is_accurate,
        lambda: [STABLE],
    ),
    Claim(
        "one-mean/bin-facts",
        "L2.3",
        ("L17/Lem2.3",),
        "The fullest unit bin is within 5 of the mean and holds n/10 rows, bins further away hold fewer than "
        "n/50: all but with the binomial probability of .016 at n = 10, .0032 at 50, and .003 at 200. The "
        "bin of a mean at its edge has mass .3413: it holds fewer than n/10 as often as is exact, within "
        "20 %.",
        facts_hold,
        lambda: (FACTS, EDGE),
    ),
    Claim(
        "one-mean/votes-on-shares-suffice",
        "N91",
        (STATEMENT, "AL22/Lem3.6"),
        "Searched n with which the general reduction, its oracle the shares of k bins and its space l1, is"
        " within α of the shares of the rows in 90 % of runs are at most the one that its vote and the"
        " Laplace mask promise with all constants, and grow as that: α = .4 .. .05, ε = 4 .. .5, k = 2 .."
        " 16, δ = 1e-6.",
        bounded(),
        scalings=VOTED.scalings,
        kind="ours",
    ),
    Claim(
        "one-mean/counts-beat-votes",
        "N92",
        (STATEMENT, COUNTED),
        "At each of these settings Laplace noise on counts, under ε alone, needs at most a third of"
        " the rows that the general reduction needs for the same shares: the price of an oracle of which"
        " nothing is known.",
        counts_need_fewer,
        scalings=lambda: chain(VOTED.scalings(), DIRECT.scalings()),
        kind="ours",
    ),
)
