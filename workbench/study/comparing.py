"""A reader's own idea beside what is known: how it is called, what code it is, one table of errors."""

import hashlib
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import partial
from math import inf, isnan
from operator import itemgetter
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator, RandomState, mtrand

from workbench.catalog import KNOWN, Entry
from workbench.errors import ArgumentError, integer_at_least
from workbench.estimators import Abstention
from workbench.losses import IntervalLoss, absolute_error
from workbench.populations import Population
from workbench.privacy import Budget
from workbench.study.audit import OwnFunction, is_estimator
from workbench.study.grids import Sweep, grid
from workbench.study.intervals import quantile, quantile_interval
from workbench.study.search import accepts
from workbench.study.sweeps import Place, Store, caches, lending, resources, run
from workbench.types import Array, Columns

# What a function is, as a digest: its code, what it refers to, and nothing of where it was written.
#
# A function of a notebook has no file, and the cell that defines it may run again. Its stored results are
# found by what it computes: byte code, constants, defaults, closures and, in turn, the functions, numbers
# and arrays that it names. Installed packages count by name and version, other modules by their file.


PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), np.generic)
INSTALLED = tuple(sysconfig.get_path(name) for name in ("purelib", "platlib", "stdlib"))
ALLOWED = "numbers, arrays, functions and objects made of them (`cached=False` runs it without a store)"
STREAM = "no stream of its own: the `rng` that it is given"


def digest(value: object, name: str) -> str:
    """Return the digest of a function or an object; equal code has equal digests in every process.

    Raises
    ------
    ArgumentError
        If it refers to something whose content cannot be told, or to a random stream; names `name`.
    """
    found = hashlib.sha256()
    for word in _words(value, name, {}):
        found.update(f"{len(word)} {word}".encode())
    return found.hexdigest()


def _words(value: Any, name: str, seen: dict[int, tuple[int, Any]]) -> Iterator[str]:
    if isinstance(value, PLAIN):
        yield f"{type(value).__name__} {value!r}"
        return
    if id(value) in seen:
        yield f"again {seen[id(value)][0]}"
        return
    seen[id(value)] = len(seen), value  # held, so that no other value has its id
    yield type(value).__name__
    for part in _parts(value, name):
        yield from _words(part, name, seen)


def _parts(value: Any, name: str) -> Iterator[Any]:
    match value:
        case np.ndarray() if value.dtype != object:
            yield from (str(value.dtype), str(value.shape), value.tobytes())
        case tuple() | list():
            yield from value
        case set() | frozenset():
            yield from sorted(value, key=repr)
        case Mapping():
            yield from (part for pair in value.items() for part in pair)
        case partial():
            yield from (value.func, value.args, value.keywords)
        case MethodType():
            yield from (value.__func__, value.__self__)
        case staticmethod() | classmethod():
            yield value.__func__
        case property():
            yield value.fget
        case CodeType():
            yield from (getattr(value, f"co_{one}") for one in CODE)
        case ModuleType():
            known, path = _release(value), getattr(value, "__file__", None)
            own = hashlib.sha256(Path(path).read_bytes()).hexdigest() if path and not known else ""
            yield from (value.__name__, known or own)
        case np.ufunc() | BuiltinFunctionType():
            yield from (str(getattr(value, "__module__", "")), value.__name__)
        case FunctionType() | type() if known := _release(sys.modules.get(value.__module__)):
            yield from (value.__module__, value.__qualname__, known)
        case FunctionType():
            yield from (value.__code__, value.__defaults__, value.__kwdefaults__)
            yield from (cell.cell_contents for cell in value.__closure__ or ())
            space = value.__globals__
            yield from ((one, space[one]) for one in sorted(set(_names(value.__code__))) if one in space)
        case type():
            yield from (value.__name__, *value.__bases__)
            parts = sorted(vars(value).items(), key=itemgetter(0))
            yield from ((one, part) for one, part in parts if isinstance(part, KINDS) and one not in _FREE)
        case RandomState() if value is mtrand._rand:  # scipy's laws hold it
            yield "numpy.random"
        case Generator() | RandomState():
            raise ArgumentError(name, f"a function that refers to {type(value).__name__}", STREAM)
        case _:  # what Python computes of an object's fields is not looked at
            yield type(value)
            if is_dataclass(value):
                yield from ((one.name, getattr(value, one.name)) for one in fields(value))
            elif hasattr(value, "__dict__"):
                yield vars(value)
            else:
                raise ArgumentError(name, f"a function that refers to {type(value).__name__}", ALLOWED)


CODE = (
    "code", "consts", "names", "varnames", "freevars", "cellvars", "flags", "argcount", "kwonlyargcount",
    "exceptiontable",
)  # fmt: skip
KINDS = (FunctionType, staticmethod, classmethod, property, *PLAIN, tuple)  # of what a class holds
_FREE = {
    "__module__", "__doc__", "__qualname__", "__firstlineno__", "__static_attributes__", "__annotations__",
}  # fmt: skip


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _release(module: ModuleType | None) -> str:
    if module is None:
        return ""
    top = sys.modules.get(module.__name__.partition(".")[0], module)
    path = getattr(top, "__file__", None)
    standard = top.__name__ in sys.stdlib_module_names and top.__name__ != "__main__"
    if standard or top.__name__ == "workbench" or (path or "").startswith(INSTALLED):
        return str(getattr(top, "__version__", "installed"))
    return ""


# How far an answer is off: the loss and the truth that all that are compared share.


Loss = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Judge:
    """A loss and the truth with which it compares an answer."""

    loss: Loss
    truth: Any
    stated: bool = False  # whether predictions of the catalog's estimators are of this loss

    def error(self, answer: Any) -> float:
        if answer is None or isinstance(answer, Abstention):
            return inf
        found = self.loss(answer, self.truth)
        error = found.width / 2 if isinstance(found, IntervalLoss) else float(found)
        return inf if isnan(error) else error


def distance(answer: Array, truth: Array) -> float:
    return float(np.linalg.norm(np.ravel(answer) - np.ravel(truth)))


def entry_like(method: object) -> Entry | None:
    """Return the entry of the catalog whose estimator a method is, with parameters of its own."""
    return next((one for one in KNOWN.values() if type(one.estimator) is type(method)), None)


def judge(methods: Iterable[object], population: Population, loss: Loss | None, truth: Any) -> Judge:
    """Return the judge of some methods: the loss of their entries, or of a mean where there is none.

    Raises
    ------
    ArgumentError
        If the entries estimate different things, or differ in their loss, and none is given.
    """
    entries = [entry for method in methods if (entry := entry_like(method))]
    if loss is None and len({entry.estimand for entry in entries}) > 1:
        estimands = sorted({str(entry.estimand) for entry in entries})
        raise ArgumentError("methods", estimands, "estimators of one thing, or `loss` and `truth`")
    if loss is None and len({entry.loss for entry in entries}) > 1:
        raise ArgumentError("loss", None, "the one to compare by: these estimators have several")
    if entries:
        clean = getattr(population, "clean", population)  # outliers do not move what is asked for
        entry = replace(entries[0], population=clean)
        known = entry.truth if truth is None else truth
        return Judge(loss or entry.loss, known, loss is None and truth is None)
    known = population.mean if truth is None else truth
    return Judge(loss or (absolute_error if np.ndim(known) == 0 else distance), known)


# One method at one budget on rows of one law: a block of its errors, and what it says of them itself.


@dataclass(frozen=True)
class Contest:
    """One method at one budget on rows of one law; known by its digest."""

    digest: str
    function: OwnFunction = field(repr=False)
    population: Population = field(repr=False)
    budget: Budget | None = field(repr=False)
    judge: Judge = field(repr=False)

    def accepts(self, n: int) -> bool:
        method = self.function.method
        if not is_estimator(method) or self.budget is None:
            return True
        return accepts(method, n, self.population.d or 1, self.budget)

    def errors(self, n: int, trials: int, data: Generator, noise: Generator) -> Iterator[float]:
        for _ in range(trials):
            rows = self.population.sample(n, rng=data)
            yield self.judge.error(self.function.answer(rows, noise, self.budget))

    def predicted(self, n: int) -> float:
        """Return the median error that the method states for n rows, infinite where it states none."""
        method = self.function.method
        if not (self.judge.stated and hasattr(method, "predicted_error") and self.budget and self.accepts(n)):
            return inf
        with np.errstate(all="ignore"):
            return float(method.predicted_error(n, self.population.d or 1, self.budget))


def measured(contest: Contest, n: int, *, trials: int, data: Generator, noise: Generator) -> Columns:
    if contest.accepts(n):
        errors = np.array(list(contest.errors(n, trials, data, noise)))
    else:
        errors = np.full(trials, inf)
    return {"error": errors, "abstained": np.isinf(errors)}


# An idea of one's own beside what is known: the errors of several methods on the same rows.
#
# Every method sees the same rows at the same n, whatever else is compared: their seeds are told by n and
# the number of the block alone. A block that is stored is found again by the method's code, its budget and
# the law of the rows, so that changing one method computes that one anew, and more trials go on from those
# there are.


NAME, PROFILE, LEVEL = "compare", "full", 0.05
MOST_TRIALS = 25  # of a block: what an interrupted comparison loses at most
COLUMNS = ("method", "budget", "n", "trial", "error", "abstained")
SUMMARY = ("method", "budget", "n", "median", "low", "high", "no_answer", "predicted")


@dataclass(frozen=True)
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
    found = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    if not found or (name == "n" and len(set(found)) < len(found)):
        raise ArgumentError(name, given, "one, or several that differ")
    if name == "n":
        integer_at_least(1, **{f"n[{place}]": value for place, value in enumerate(found)})
    return found


def _known(one: OwnFunction, budget: Any, *, population: Population, judged: Judge, cached: bool) -> str:
    if not cached:
        return f"{one.name} at {budget}"
    return digest((one.method, population, budget, judged), one.name)


def _require_accepted(contest: Contest, sizes: Sequence[int]) -> None:
    if not any(list(map(contest.accepts, sizes))):
        contest.function.method.plan(max(sizes), contest.population.d or 1, contest.budget)


def _opened(store: Place, cached: bool) -> Any:
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
