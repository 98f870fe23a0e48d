"""An idea of one's own beside what is known: the errors of several methods on the same rows.

Every method sees the same rows at the same n, whatever else is compared: their seeds are told by n and the
number of the block alone. A block that is stored is found again by the method's code, its budget and the law
of the rows, so that changing one method computes that one anew, and more trials go on from those there are.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from workbench.errors import ArgumentError, integer_at_least
from workbench.populations import Population
from workbench.privacy import Budget
from workbench.study.comparing.code import digest
from workbench.study.comparing.contest import Contest, measured
from workbench.study.comparing.judge import Judge, Loss, judge
from workbench.study.comparing.own_function import OwnFunction
from workbench.study.quantiles import quantile, quantile_interval
from workbench.study.sweeps.database import caches
from workbench.study.sweeps.resources import lending, resources
from workbench.study.sweeps.store import Store
from workbench.study.sweeps.sweep import Place, Sweep, grid, run

NAME, PROFILE, LEVEL = "compare", "full", 0.05
MOST_TRIALS = 25  # of a block: what an interrupted comparison loses at most
COLUMNS = ("method", "budget", "n", "trial", "error", "abstained")
SUMMARY = ("method", "budget", "n", "median", "low", "high", "no_answer", "predicted")


@dataclass(frozen=True)
class Comparison:
    """What was measured.

    Parameters
    ----------
    frame : DataFrame
        One row per trial: method, budget, n, trial, error, abstained (no answer: the error is infinite).
    summary : DataFrame
        One row per method, budget and n: the median error with its exact 95 % interval, the share of runs
        with no answer, and the median error that the method itself predicts, infinite where it states none.
    methods : mapping
        What is compared, by name.
    budgets : tuple of Budget
        In order; None for methods without privacy.
    """

    frame: pd.DataFrame = field(repr=False)
    summary: pd.DataFrame
    methods: Mapping[str, Any]
    budgets: tuple[Budget | None, ...]

    def _repr_html_(self) -> str:
        return self.summary.to_html(index=False, float_format="{:.3g}".format)


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
    store: Place = None,
    cached: bool = True,
    progress: bool = False,
) -> Comparison:
    """Measure the errors of several methods on the same rows.

    Parameters
    ----------
    methods : mapping
        Name -> an estimator, or a function `f(rows, rng)` or `f(rows, rng, budget)` that returns an answer
        (None for no answer).
    population : Population
        The law of the rows, whose truth is known.
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
    store : path, optional
        Where finished blocks are kept; by default that of the run, or a file in the user's cache folder.
    cached : bool
        False keeps nothing, and takes functions that refer to what has no content to tell them by.
    progress : bool
        Whether to show what is left on stderr.

    Raises
    ------
    ArgumentError
        Before anything is drawn: a method that is neither, a budget that an estimator refuses, or a function
        whose code cannot be told from what it refers to.

    Examples
    --------
    >>> from workbench import PureDP, TwoStepMean
    >>> from workbench.populations import UnivariateGaussian
    >>> def mine(rows, rng, budget):
    ...     return rows.clip(-9, 9).mean() + rng.laplace(scale=18 / len(rows) / budget.epsilon)
    >>> methods = {"two-step": TwoStepMean(radius=9, sigma=1.0), "mine": mine}
    >>> found = compare(methods, population=UnivariateGaussian(3.0), n=500, budget=PureDP(1), cached=False)
    >>> bool((found.summary["median"] < 0.2).all())
    True
    """
    integer_at_least(1, trials=trials)
    sizes, budgets = _listed("n", n), _listed("budget", budget)
    functions = [OwnFunction(name, method) for name, method in methods.items()]
    judged = judge(methods.values(), population, loss, truth)
    known = partial(_known, population=population, judged=judged, cached=cached)
    contests = {
        (one.name, spent): Contest(known(one, spent), one, population, spent, judged)
        for one in functions
        for spent in budgets
    }
    for contest in contests.values():
        _require_accepted(contest, sizes)
    with _opened(store, cached) as kept, lending(replace(resources(), store=None)):
        frames = [
            _tidy(run(sweep, PROFILE, seed=seed, jobs=jobs, store=kept, progress=progress), *key)
            for key, sweep in ((key, _sweep(one, sizes, trials)) for key, one in contests.items())
        ]
    frame = pd.concat(frames, ignore_index=True)
    return Comparison(frame, _summary(frame, contests), dict(methods), tuple(budgets))


def _listed(name: str, given: Any) -> list[Any]:
    several = isinstance(given, Iterable) and not isinstance(given, str)
    found = list(given) if several else [given]
    if not found or (name == "n" and len(set(found)) < len(found)):
        raise ArgumentError(name, given, "one, or several that differ")
    if name == "n":
        integer_at_least(1, **{f"n[{place}]": value for place, value in enumerate(found)})
    return found


def _known(one: OwnFunction, budget: Any, *, population: Population, judged: Judge, cached: bool) -> str:
    """Return the digest of all that a block's numbers depend on; a name where nothing is kept."""
    if not cached:
        return f"{one.name} at {budget}"
    return digest((one.method, population, budget, judged), one.name)


def _require_accepted(contest: Contest, sizes: Sequence[int]) -> None:
    """Raise what an estimator's plan says, unless it takes some of the sizes."""
    if not any(list(map(contest.accepts, sizes))):
        contest.function.method.plan(max(sizes), contest.population.d or 1, contest.budget)


def _opened(store: Place, cached: bool) -> Any:
    """Return the store to keep blocks in, opened once."""
    if not cached:
        return nullcontext(None)
    chosen = store or resources().store or caches() / "compare.sqlite"
    return nullcontext(chosen) if isinstance(chosen, Store) else Store(chosen)


def _sweep(contest: Contest, sizes: Sequence[int], trials: int) -> Sweep:
    size = max(k for k in range(1, MOST_TRIALS + 1) if trials % k == 0)
    return Sweep(NAME, grid(n=sizes), partial(measured, contest), size, {PROFILE: trials // size})


def _tidy(table: pd.DataFrame, method: str, budget: Budget | None) -> pd.DataFrame:
    trial = table.groupby("n", sort=False).cumcount()
    return table.assign(method=method, budget=str(budget or "none"), trial=trial)[list(COLUMNS)]


def _summary(frame: pd.DataFrame, contests: Mapping[Any, Contest]) -> pd.DataFrame:
    found = []
    for (method, budget), contest in contests.items():
        mine = frame[(frame["method"] == method) & (frame["budget"] == str(budget or "none"))]
        for n, errors in mine.groupby("n", sort=False)["error"]:
            low, high = quantile_interval(errors, 0.5, LEVEL)
            values = (quantile(errors, 0.5), low, high, float(np.isinf(errors).mean()), contest.predicted(n))
            found.append((method, str(budget or "none"), n, *values))
    return pd.DataFrame(found, columns=list(SUMMARY))
