"""What every estimator is, and the one way in: an owned, sanitised copy of the rows.

An estimator is a frozen, keyword-only dataclass of PUBLIC parameters. Calling it with rows, a budget and a
source of randomness returns a `Release`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from math import sqrt
from typing import Any, ClassVar, Generic, Literal, TypeVar

import numpy as np

from workbench.errors import (
    ArgumentError,
    Public,
    integer_at_least,
    of_plain_numbers,
    plain,
    positive,
    probability,
    real,
    require_columns,
)
from workbench.estimators.reading import Labels, read
from workbench.estimators.release import Abstention as Abstention
from workbench.estimators.release import Asked
from workbench.estimators.release import Guarantee as Guarantee
from workbench.estimators.release import Release as Release
from workbench.linalg import throughout
from workbench.privacy import (
    Budget,
    NoiseSource,
    NonPrivate,
    Plan,
    SimulatedNoise,
    UnitNoise,
    compose,
    noise_source,
)
from workbench.privacy.budgets import within
from workbench.types import Array, PerColumn

T = TypeVar("T")
R = TypeVar("R")

MOST_ROWS, WIDEST = 2**53, 2**24  # that floats count, and columns
MOST_CHARGED = 10**5  # columns that have a charge each
LARGEST = 1e100  # rows with a larger entry are absent, like rows with a missing one
_BLOCK = 2**15  # entries that are looked at together: what is made of them stays in the cache
PER_COLUMN = {"radius", "centre", "sigma"}  # fields that may have a value for each column
ASKED = {"plan", "error_bound", "interval_reach", "predicted_error", "other_rows"}
FARTHEST = 1e15  # standardised values are capped here: beyond it a float cannot resolve a unit


@dataclass
class Trace:
    """Diagnostics of the RAW data, for study only; a release never holds one."""

    records: dict[str, list[object]] = field(default_factory=dict)


_TRACE: ContextVar[Trace | None] = ContextVar("trace", default=None)


def record(**values: object) -> None:
    """Add diagnostics to the trace that the caller of the estimator passed, if there is one."""
    if (trace := _TRACE.get()) is not None:
        for name, value in values.items():
            trace.records.setdefault(name, []).append(value)


@contextmanager
def recorded(trace: Trace | None) -> Iterator[None]:
    before = _TRACE.set(trace)
    try:
        yield
    finally:
        _TRACE.reset(before)


class Estimator(Public, ABC, Generic[T]):
    """An entry of the catalog; `estimate` is the algorithm on sanitised rows, and a call wraps it.

    An estimator may state its error from public numbers alone, n rows, d columns (1 for one) and a budget:

    * `error_bound(n, d, budget, beta)`, in which every constant is explicit: a number that the error exceeds
      with probability at most `beta`; infinite if n is too small.
    * `predicted_error(n, d, budget)`, on both sides of every cliff: the median error to expect, in the
      catalog's loss, for rows of its own model at the worst parameters within its public bounds. No answer
      is an infinite error; infinite also where it is uninformative, no better than one that looks at no row.
    """

    model: ClassVar[Literal["central", "local"]] = "central"
    least_rows: ClassVar[int] = 2

    def __init_subclass__(cls) -> None:
        """Let the methods that are asked about n rows get plain numbers, all of them checked."""
        for name in ASKED & {*vars(cls)}:
            setattr(cls, name, _asked(vars(cls)[name]))

    def __call__(self, x: object, *, budget: Budget, rng: object, trace: Trace | None = None) -> Release[T]:
        """Estimate from rows `x`: an array, a list, a column or table of pandas, polars or Arrow."""
        return released(self, *self._rows(x), budget, rng, trace)

    def _rows(self, x: object) -> tuple[Array, Labels]:
        """Return rows as an owned (n, d) array; one column may come as (n,)."""
        values, labels = read(x)
        if values.ndim == 1:
            values = values[:, None]
        if values.ndim != 2 or values.shape[1] == 0:
            raise ArgumentError("x", f"array of shape {values.shape}", "rows: shape (n, d), d at least 1")
        return sanitised(values), labels

    @abstractmethod
    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the spending of a run on n rows of dimension d; raise on public grounds only."""

    @abstractmethod
    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> T | Abstention:
        """Return the private value of sanitised rows `x`, absent ones NaN, spending plan(n, d, budget)."""


def _asked(function: Callable[..., R]) -> Callable[..., R]:
    answer = of_plain_numbers(function)

    @wraps(function)
    def call(self: Estimator[Any], n: Any, d: Any, *given: Any, **named: Any) -> R:
        n, d = plain(n), plain(d)
        for name, value, most in (("n", n, MOST_ROWS), ("d", d, WIDEST)):
            if isinstance(value, int | float) and value > most:
                raise ArgumentError(name, value, f"at most {most}")
        if isinstance(self, Univariate):
            require_rows(n, d, self.least_rows)
        else:
            require_matrix(n, d, self.least_rows)
            require_columns(d, **{name: value for name, value in vars(self).items() if name in PER_COLUMN})
        budget = named.get("budget", given[0] if given else NonPrivate())  # a reference needs none
        if not isinstance(budget, Budget):
            raise ArgumentError("budget", budget, "a budget, such as PureDP(1.0)")
        if function.__name__ == "error_bound":
            probability(beta=plain(named.get("beta", given[-1] if given else None)))
        return answer(self, n, d, *given, **named)

    return call


class Univariate(Estimator[T]):
    """An estimator of one column."""

    def _rows(self, x: object) -> tuple[Array, Labels]:
        """Return one column as an owned (n,) array; shape and type are public, the entries are not."""
        values, labels = read(x)
        if values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        if values.ndim != 1:
            raise ArgumentError("x", f"array of shape {values.shape}", "one column: shape (n,) or (n, 1)")
        return sanitised(values), labels


class Located(Univariate[T]):
    """An estimator of rows in units of `sigma` around `centre`, within `radius` of it or (None) anywhere."""

    radius: float | None
    centre: float = 0.0
    sigma: float

    def _validate(self) -> None:
        _ = self.reach

    @property
    def reach(self) -> Any:
        return None if self.radius is None else standard_radius(self.radius, self.sigma)

    def standard(self, x: Array) -> Array:
        return standardised(x, self.centre, self.sigma)


class OfUnit(Estimator[T]):
    """An estimator of rows in a `unit`: their sd in every direction, `sigma`, or a bound on it, √`upper`."""

    sigma: float
    upper: float

    @property
    def unit(self) -> float:
        return self.sigma if "sigma" in vars(self) else sqrt(self.upper)


class Reference(Estimator[T]):
    """An estimator without privacy: nothing is drawn, any budget but none is refused."""

    def __call__(
        self, x: object, *, budget: Budget | None = None, rng: object = None, trace: Trace | None = None
    ) -> Release[T]:
        """Estimate from rows `x`, as any estimator does."""
        return released(self, *self._rows(x), NonPrivate() if budget is None else budget, UnitNoise(), trace)


def released(
    estimator: Estimator[T], x: Array, labels: Labels, budget: Budget, rng: object, trace: Trace | None
) -> Release[T]:
    """Return the release on sanitised rows: plan, draw, in this order."""
    n, d = len(x), 1 if x.ndim == 1 else x.shape[1]
    with np.errstate(all="ignore"):  # whatever the caller's settings, entries decide no exception
        plan, noise = estimator.plan(n, d, budget), noise_source(rng)
        if not isinstance(noise, (SimulatedNoise, UnitNoise)):
            from workbench.privacy.secure import require_exact  # slow to load

            require_exact(estimator, plan, noise)  # where a source of exact noise has none for a step
        delivered = compose(plan)  # which may refuse: nothing is drawn yet
        try:
            with recorded(trace):
                value = estimator.estimate(x, budget, noise)
        except np.linalg.LinAlgError:  # what was released is singular in floats: a function of it
            value = Abstention("linear algebra")
    requested = None if within(delivered, budget) and within(budget, delivered) else budget
    guarantee = Guarantee(delivered, model=estimator.model, requested=requested)
    return Release(value, plan, guarantee, labels, Asked(estimator, n, d, budget))


def sanitised(values: Array) -> Array:
    """Return a copy in which a row with a non-finite entry, or one above 1e100, is absent: NaN throughout."""
    rows = np.array(values, np.float64, order="C")
    with np.errstate(invalid="ignore"):
        size = max(1, _BLOCK // max(1, rows[:1].size))
        for block in (rows[start : start + size] for start in range(0, len(rows), size)):
            if block.size and block.max() <= LARGEST and block.min() >= -LARGEST:
                continue  # an entry that is missing makes both extremes so
            usable = np.abs(block) <= LARGEST
            block[~(usable if rows.ndim == 1 else throughout(usable))] = np.nan
    return rows


def standardised(x: Array, centre: float | Array, sigma: float) -> Array:
    """Return (x - centre)/sigma, capped at ±1e15: a fixed map of every row."""
    if not isinstance(x, np.ndarray):
        return x.mapped(lambda rows: standardised(rows, centre, sigma))  # rows of `files`
    with np.errstate(over="ignore", under="ignore"):
        z = (x - centre) / sigma
        return np.clip(z, -FARTHEST, FARTHEST, out=z)


def in_columns(value: PerColumn, d: int) -> Array:
    return np.broadcast_to(np.asarray(value, np.float64), (d,)).copy()


def standard_radius(radius: float, sigma: float) -> float:
    """Return radius/sigma, the half-length of a range in standard deviations; at most 1e15."""
    positive(radius=radius, sigma=sigma)
    if radius > FARTHEST * sigma:
        raise ArgumentError("radius", radius, f"at most 1e15 sigma = {FARTHEST * sigma:g}")
    return radius / sigma


def mapped(x: Array, matrix: Array) -> Array:
    """Return x Mᵀ, a fixed linear map of every row; rows that it makes unusable become absent."""
    return sanitised(x @ matrix.T)


def own_stream(noise: NoiseSource) -> np.random.Generator:
    """Return a stream for what a run draws besides noise: an order of rows, a grid."""
    return np.random.default_rng(int(noise.uniform(0.0, 2.0**53)))


def shuffled(rows: Array, noise: NoiseSource) -> Array:
    """Return the rows in an order that has nothing to do with what is in them."""
    return rows[own_stream(noise).permutation(len(rows))]


def require_matrix(n: int, d: int, least: int = 2) -> None:
    integer_at_least(1, d=d)
    integer_at_least(least, n=n)


def require_rows(n: int, d: int, least: int = 2) -> None:
    integer_at_least(least, n=n)
    if not real(d) or d != 1:
        raise ArgumentError("d", d, "1 for a univariate estimator")
