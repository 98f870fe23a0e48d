"""A reader's own idea: its errors beside those of other methods, and in worlds that it has not seen.

Every method that is compared sees the same rows at the same n, whatever else is: their seeds are told
by n and the number of the block alone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from math import inf, isnan
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import ArrayLike

from workbench.catalog import KNOWN, Entry
from workbench.errors import ArgumentError, integer_at_least, positive
from workbench.estimators import Abstention
from workbench.losses import IntervalLoss, absolute_error
from workbench.populations import Population
from workbench.privacy import Budget
from workbench.study.audit import Mechanism, OwnFunction, is_estimator
from workbench.study.measures import quantile, quantile_interval
from workbench.study.profiles import AUDIT_LEVEL
from workbench.study.rules import refuted_from
from workbench.study.search import accepts
from workbench.study.sweeps import Role, Sweep, grid, lending, run, stream
from workbench.types import Array, Columns, frozen

LEVEL = 0.05
MOST_TRIALS = 25  # of a block
COLUMNS = ["method", "budget", "n", "trial", "error", "abstained"]
SUMMARY = ["method", "budget", "n", "median", "low", "high", "no_answer", "predicted"]
Loss = Callable[[Any, Any], Any]


def distance(answer: Any, truth: Any) -> float:
    return float(np.linalg.norm(np.ravel(answer) - np.ravel(truth)))


def entry_like(method: object) -> Entry | None:
    """Return the entry of the catalog whose estimator a method is, with parameters of its own."""
    return next((one for one in KNOWN.values() if type(one.estimator) is type(method)), None)


def judge(
    methods: Iterable[object], population: Population, loss: Loss | None, truth: Any
) -> tuple[Loss, Any, bool]:
    """Return the loss and the truth with which all answers are compared, and whether predictions are of it.

    They are those of the methods' entries, or of a mean where there is none.
    """
    entries = [entry for method in methods if (entry := entry_like(method))]
    estimands = sorted({entry.estimand for entry in entries})
    if loss is None and len(estimands) > 1:
        raise ArgumentError("methods", estimands, "estimators of one thing, or `loss` and `truth`")
    if loss is None and len({entry.loss for entry in entries}) > 1:
        raise ArgumentError("loss", None, "the one to compare by: these estimators have several")
    if entries:
        clean = getattr(population, "clean", population)  # outliers do not move what is asked for
        known = replace(entries[0], population=clean).truth if truth is None else truth
        return loss or entries[0].loss, known, loss is None and truth is None
    known = population.mean if truth is None else truth
    return loss or (absolute_error if np.ndim(known) == 0 else distance), known, False


@frozen
class Contest:
    """One method at one budget on rows of one distribution."""

    function: OwnFunction
    population: Population
    budget: Budget | None
    loss: Loss
    truth: Any

    def accepts(self, n: int) -> bool:
        method, budget = self.function.method, self.budget
        return not is_estimator(method) or not budget or accepts(method, n, self.population.d or 1, budget)

    def predicted(self, n: int) -> float:
        """Return the median error that the method states for n rows, infinite where it states none."""
        method = self.function.method
        if not (hasattr(method, "predicted_error") and self.budget and self.accepts(n)):
            return inf
        with np.errstate(all="ignore"):
            return float(method.predicted_error(n, self.population.d or 1, self.budget))

    def error(self, answer: Any) -> float:
        if answer is None or isinstance(answer, Abstention):
            return inf
        found = self.loss(answer, self.truth)
        error = found.width / 2 if isinstance(found, IntervalLoss) else float(found)
        return inf if isnan(error) else error

    def measured(self, n: int, *, trials: int, data: Generator, noise: Generator) -> Columns:
        errors = np.full(trials, inf)
        for trial in range(trials if self.accepts(n) else 0):
            answer = self.function.answer(self.population.sample(n, rng=data), noise, self.budget)
            errors[trial] = self.error(answer)
        return {"error": errors, "abstained": np.isinf(errors)}


@frozen
class Comparison:
    """What was measured."""

    # one row per trial: method, budget, n, trial, error, abstained (no answer: the error is infinite)
    frame: pd.DataFrame = field(repr=False)
    # one row per method, budget and n: the median error with its exact 95 % interval, the share of runs with
    # no answer, and the median error that the method itself predicts, infinite where it states none
    summary: pd.DataFrame
    methods: Mapping[str, Any]  # what is compared, by name
    budgets: tuple[Budget | None, ...]  # in order; None for methods without privacy


def compare(
    methods: Mapping[str, Any],
    *,
    population: Population,
    n: int | Iterable[int],
    budget: Budget | Sequence[Budget] | None,
    trials: int = 200,
    loss: Loss | None = None,
    truth: Any = None,
    seed: int = 1,
    jobs: int | None = None,
) -> Comparison:
    """Measure the errors of several methods on the same rows.

    Parameters
    ----------
    methods : mapping
        Name -> an estimator, or a function `f(rows, rng)` or `f(rows, rng, budget)` that returns an answer
        (None for no answer).
    population : Population
        The distribution of the rows, whose truth is known.
    n : int or several
        Rows.
    budget : Budget or several
        What every method may spend; None where none is private.
    trials : int
        Runs of every method at every n and budget, in blocks of at most 25.
    loss, truth : optional
        `loss(answer, truth)`; by default those of the estimators' entry, or the distance from the mean.
    seed : int
        Of rows and noise.
    jobs : int, optional
        Blocks computed at a time; the numbers are the same.

    Raises
    ------
    ArgumentError
        Before anything is drawn: a method that is neither, or a budget that an estimator refuses.

    Examples
    --------
    >>> from workbench import PureDP, TwoStepMean
    >>> from workbench.populations import UnivariateGaussian
    >>> def mine(rows, rng, budget):
    ...     return rows.clip(-9, 9).mean() + rng.laplace(scale=18 / len(rows) / budget.epsilon)
    >>> methods = {"two-step": TwoStepMean(radius=9, sigma=1.0), "mine": mine}
    >>> found = compare(methods, population=UnivariateGaussian(3.0), n=500, budget=PureDP(1))
    >>> bool((found.summary["median"] < 0.2).all())
    True
    """
    integer_at_least(1, trials=trials)
    sizes, budgets = _listed("n", n), _listed("budget", budget)
    integer_at_least(1, **{f"n[{place}]": value for place, value in enumerate(sizes)})
    if len(set(sizes)) < len(sizes):
        raise ArgumentError("n", n, "one, or several that differ")
    functions = [OwnFunction(name, method) for name, method in methods.items()]
    *judged, stated = judge(methods.values(), population, loss, truth)
    contests = [Contest(one, population, spent, *judged) for one in functions for spent in budgets]
    for contest in contests:
        accepted = [contest.accepts(size) for size in sizes]
        if not any(accepted):
            contest.function.method.plan(max(sizes), population.d or 1, contest.budget)
    block = max(k for k in range(1, MOST_TRIALS + 1) if trials % k == 0)
    frames = []
    rows: list[tuple[Any, ...]] = []
    own = {} if jobs is None else {"jobs": jobs}
    with lending(store=None, **own):  # what code a function has is not known
        for contest in contests:
            sweep = Sweep("compare", grid(n=sizes), contest.measured, block, {"full": trials // block})
            table = run(sweep, "full", seed=seed)
            key = contest.function.name, str(contest.budget or "none")
            groups: Any = table.groupby("n", sort=False)
            frames.append(table.assign(method=key[0], budget=key[1], trial=groups.cumcount())[COLUMNS])
            for size, errors in groups["error"]:
                known = quantile(errors, 0.5), *quantile_interval(errors, 0.5, LEVEL)
                predicted = contest.predicted(size) if stated else inf
                rows.append((*key, size, *known, float(np.isinf(errors).mean()), predicted))
    summary = pd.DataFrame(rows, columns=SUMMARY)
    return Comparison(pd.concat(frames, ignore_index=True), summary, dict(methods), tuple(budgets))


def _listed(name: str, given: Any) -> list[Any]:
    found = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    if not found:
        raise ArgumentError(name, given, "one, or several that differ")
    return found


# Hidden worlds: whether somebody's function is accurate on data that it has not seen.
#
# A *world* draws a data set and the truth behind it. An audit judges what a function betrays, the worlds
# whether it is of any use: noise alone passes the one, the plain mean passes the other.

World = Callable[[Generator], tuple[Array, ArrayLike]]
WORLDS, SHARE = 200, 0.9


@frozen
class Judged:
    """In how many worlds a function was near enough, and whether these are too few; true if they are not."""

    within: float
    good: int

    def __bool__(self) -> bool:
        return WORLDS - self.good < refuted_from(WORLDS, 1 - SHARE, AUDIT_LEVEL)

    def __str__(self) -> str:
        passed = "PASSED" if self else "FAILED"
        return (
            f"within {self.within:g} of the truth in {self.good} of {WORLDS} hidden worlds,"
            f" {100 * SHARE:g} % required: {passed}"
        )


def hidden_worlds(mechanism: Mechanism, world: World, *, within: float, seed: int = 0) -> Judged:
    """Run a function once in each of many worlds, and count where it is within a distance of the truth.

    The function is what an audit attacks, of a data set, a number of trials and a generator; a world draws a
    data set and its truth, a number or an array. The distance is Euclidean. A function that is near enough
    with probability `SHARE` fails by chance with probability `AUDIT_LEVEL` at most.

    >>> def known(rng):
    ...     return rng.normal(3.0, 1.0, size=400), 3.0
    >>> print(hidden_worlds(lambda x, trials, rng: x.mean(), known, within=0.5))
    within 0.5 of the truth in 200 of 200 hidden worlds, 90 % required: PASSED
    >>> bool(hidden_worlds(lambda x, trials, rng: 0.0, known, within=0.5))
    False
    """
    positive(within=within)
    good = 0
    for block in range(WORLDS):
        data, noise = (stream(seed, role, "hidden worlds", 0, block) for role in (Role.DATA, Role.NOISE))
        x, truth = world(data)
        good += bool(distance(mechanism(x, 1, noise), truth) <= within)
    return Judged(within, good)
