"""The attacks on the entries in d dimensions: every step of every example, and the whole.

The pairs are alike for all: one row that goes far away, turns by a right angle or goes to the other side,
among rows at one place, typical rows, or two crowds that the middle rows decide between.
"""

from collections.abc import Iterator
from math import ceil, sqrt
from typing import Any

import numpy as np

from workbench.bounds import smallest
from workbench.catalog import CATALOG, Entry
from workbench.estimators.base import Estimator
from workbench.estimators.shared.rows import centred_rows
from workbench.privacy import ZCDP, ApproxDP, Budget, Charge, GaussianDP, NonPrivate, Plan, PureDP
from workbench.privacy.histograms import stability_threshold
from workbench.study.audit import Pair
from workbench.study.pairs.replayed import Case, Setting, outvoted, pair, replayed
from workbench.study.search import fewest_rows
from workbench.types import Array

FAR = 1e6
ROWS = (24, 200, 1000)  # or as many as the estimator needs
SLOW = {"window_median", "stability_histogram", "exponential"}
SPARSE = {f"covariance/{name}" for name in ("adaptive", "perturbed", "thresholded", "local-thresholded")}
COUNTED = {"covariance/matrix-quantile", "mean/affine", "gaussian/lifted"}  # a pair at the border of a count
LOCATED = {"mean/affine"}  # a row moves it most from an edge of the ellipsoid to the other, among many rows
FAINT = {*LOCATED, "gaussian/lifted"}  # the last step shows little of a row: all of a preset's runs
TIPPED = {f"{family}/populous-robust" for family in ("mean", "covariance", "gaussian")}  # groups stand much
PRICED = {"mean/populous", "mean/median-of-means"}  # a pair of two counts of one vote
NET = 2.0  # times the budget, where a run is one choice among many
BLOCKS = 3.0  # and where only blocks decide, or no pair attains: of more, few runs do not see half the noise
BESIDE = 16  # rows: beyond the block of the row that turns
DEAR = 0.01  # the share of a preset's runs where a run has much to do: few runs, of few pairs
MANY = 5000  # entries of a data set: a run is attacked as a whole on typical rows alone
CHEAP = 2000  # entries times steps of a run that is attacked as a whole with many repetitions


def attacks(key: str) -> Iterator[Case]:
    for setting in settings(key):
        pairs = neighbours(setting)
        if key in SPARSE:
            pairs += orthogonal(setting.n, setting.d)
        if key in COUNTED:
            x = setting.typical()
            middle = np.median(x, axis=0)
            far = pair("typical rows, one from far away", x, middle + 30 * x.std(axis=0), middle, 0)
            pairs += (borderline(setting), far)
        if key in LOCATED:
            pairs += (across(setting),)
        if key in PRICED | TIPPED:
            pairs += (outvoted(setting),)
        yield from replayed(setting, pairs, share=1.0 if key in FAINT else 0.2)
        share = whole_share(setting)
        if setting.n * setting.d > MANY:
            pairs = tuple(pair for pair in pairs if pair.name.startswith("typical"))
        yield setting.whole(pairs if share > DEAR else pairs[::3], share)


def settings(key: str) -> Iterator[Setting]:
    """Yield the examples of an entry at few rows of its population's dimension, or one user's row.

    Where runs are cheap in one column only, the first is attacked there, too.
    """
    entry = CATALOG[key]
    whole = entry.population.d or 1
    tried = [(example.estimator, example.budget, whole) for example in entry.examples]
    if key in COUNTED:
        tried.append((*tried[0][:2], 1))
    for estimator, given, d in tried:
        budget = loud(given)
        n = enough_rows(estimator, d, budget)
        charges = attained(estimator.plan(n, d, budget), entry)
        choice = {charge.mechanism for charge in charges} == {"exponential"}
        least = NET if choice else BLOCKS if all(map(faint, charges)) else 1.0
        quiet = n == 1 or key in COUNTED | TIPPED | PRICED  # their masks tell, at an ε that samples reach
        least = 1.0 if quiet else least  # one user's row attains what an average of many does not
        budget = loud(given, max(least, steps(estimator, n, d, budget) / 2))
        rows = max(enough_rows(estimator, d, budget), ROWS[-1] if key in LOCATED else 1)
        yield Setting(key, estimator, budget, rows, d)


def enough_rows(estimator: Estimator[Any], d: int, budget: Budget) -> int:
    """Return few rows at which a run takes as many steps as it does with many; one for a single user.

    Every histogram shows a bin that holds half of them.
    """
    fewest = fewest_rows(estimator, d, budget)
    charges = estimator.plan(fewest, d, budget).charges()
    histograms = (charge.cost for charge in charges if charge.mechanism == "stability_histogram")
    fewest = max(fewest, *(2 * ceil(stability_threshold(cost)) for cost in histograms), 1)
    tried = [max(rows, fewest) for rows in ROWS]
    most = max(steps(estimator, n, d, budget) for n in tried)
    return 1 if fewest == 1 else next(n for n in tried if steps(estimator, n, d, budget) == most)


def attained(plan: Plan, entry: Entry) -> list[Charge]:
    """Return the charges of which some pair moves the statistic by all of its sensitivity."""
    return [charge for charge in plan.charges() if charge.step not in entry.bounded_steps]


def faint(charge: Charge) -> bool:
    """Return whether a step looks at blocks: a window median, or a lower bound on how many of them agree."""
    counted = charge.mechanism == "lower_bound" and charge.step.endswith(", count")
    return counted or charge.mechanism == "window_median"


def steps(estimator: Estimator[Any], n: int, d: int, budget: Budget) -> int:
    return len(list(estimator.plan(n, d, budget).charges()))


def loud(budget: Budget, factor: float = 1.0) -> Budget:
    """Return a budget of the same kind at which few thousand runs of one of its steps show a factor of 2."""
    match budget:
        case PureDP():
            return PureDP(2.0 * factor)
        case ApproxDP():
            return ApproxDP(4.0 * factor, 0.05)
        case ZCDP(_, delta):
            return ZCDP(2.0 * factor, 0.05 if delta else 0.0)
    return GaussianDP(2.0 * factor**0.5)


def neighbours(setting: Setting) -> tuple[Pair, ...]:
    """Return pairs of n rows of which one is replaced: the first, the last, or the one in the middle."""
    n, d, entry = setting.n, setting.d, CATALOG[setting.key]
    first, second = np.eye(d)[0], np.eye(d)[-1] if d > 1 else -np.eye(1)[0]
    zeros, typical = np.zeros((n, d)), setting.typical()
    upper, corner = np.arange(n)[:, None] >= n // 2, np.ones(d)
    crowds, sides = np.where(upper, 1e3, 1.0) * typical, np.where(upper, 50.0, -50.0) * corner
    moves = (
        ("from side to side", first, -first),
        ("by a right angle", first, second),
        ("to the middle", first, 0 * first),
        ("from corner to corner", corner, -corner),
    )
    leaving = pair("typical rows, one leaves", typical, typical[0], 2 * FAR * first, 0)  # no other's data set
    return (
        *((leaving,) if {"vote", "mask"} & entry.bounded_steps else ()),  # a vote sees who has no friends
        *(blockwise(n, d) if entry.estimand == "eigenvalues" else ()),
        *(pair(f"zeros, one {how}", zeros, FAR * start, FAR * end, 0) for how, start, end in moves),
        *(pair(f"typical rows, one {how}", typical, FAR * start, FAR * end, 0) for how, start, end in moves),
        pair("two crowds, the middle turns", crowds, FAR * first, FAR * second, n // 2),
        pair("two sides, one far away", sides, FAR * corner, -FAR * corner, n - 1),
        pair("two sides, one joins the other", sides, 50.0 * corner, -50.0 * corner, n - 1),
    )


def orthogonal(n: int, d: int) -> tuple[Pair, ...]:
    """Return the worst pairs of a second moment, orthogonal clipped rows, seen on and off its diagonal."""
    zeros, (first, second) = np.zeros((n, d)), FAR * np.eye(d)[:2]
    plus, minus = (first + second) / sqrt(2), (first - second) / sqrt(2)
    return (
        pair("zeros and e1, or e2", zeros, first, second, 0),
        pair("zeros and (1, 1)/√2, or (1, -1)/√2", zeros, plus, minus, 0),
    )


def across(setting: Setting) -> Pair:
    """Return typical rows of which one goes from an edge of the ellipsoid that they fill to the other."""
    estimator: Any = setting.estimator
    x = setting.typical()
    found = estimator.design(setting.n, setting.d, setting.budget).test.lift(x)
    middle, edge = found.centre + found.shift, found.root[:, 0]
    return pair("typical rows, one goes across", x, middle + edge, middle - edge, 0)


def borderline(setting: Setting) -> Pair:
    """Return typical rows, so many of them zero that one zero row more changes how stable they are."""
    estimator: Any = setting.estimator
    asked = setting.n, setting.d, setting.budget
    first, recipe = estimator.recipe(*asked) if hasattr(estimator, "recipe") else (0, None)
    test = recipe.design.test if recipe else estimator.design(*asked).test
    typical = setting.typical()
    each = (setting.n - first) // test.n  # rows of a pair

    def without(pairs: int) -> Array:
        rows = typical.copy()
        rows[: each * pairs] = 0.0
        return rows

    def stable(pairs: int) -> bool:
        rows = centred_rows(without(pairs)[: each * test.n], each == 1)
        return bool(test.count(rows)[0])

    most = smallest(lambda pairs: pairs >= test.n or not stable(pairs)) - 1
    last, rows = each * most, without(most)
    return pair(
        "as stable as can be, one row less", rows, rows[last], rows[last + each - 1] * (each - 1), last
    )


def blockwise(n: int, d: int) -> Iterator[Pair]:
    """Yield differences on a line for about half of the rows, on both axes later; one turns between."""
    first, second = np.eye(d)[0], np.eye(d)[-1]
    for row in range(n // 4 * 2 - 2 * BESIDE, n // 4 * 2 + BESIDE, 8):
        x = np.outer(np.arange(n) % 2 == 0, first)
        x[row + BESIDE :: 4] = second
        yield pair("a line and a plane, one turns", x, first, second, row)


def whole_share(setting: Setting) -> float:
    """Return the share of a preset's runs for end-to-end attacks, less where a run has much to do."""
    charges = list(setting.plan.charges())
    if SLOW & {charge.mechanism for charge in charges} or setting.key in COUNTED:
        return DEAR
    return 0.06 if setting.n * setting.d * len(charges) <= CHEAP else DEAR


KEYS = [
    key
    for key, entry in CATALOG.items()
    if entry.population.d is not None and not isinstance(entry.examples[0].budget, NonPrivate)
]
