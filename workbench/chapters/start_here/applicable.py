"""Which estimators of a mean apply to a real column at one budget, and what they release."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from workbench.catalog import CATALOG, Entry
from workbench.chapters.start_here.columns import BMI, Column
from workbench.errors import ArgumentError
from workbench.estimators import Abstention, Estimator
from workbench.privacy import ApproxDP, Budget, NonPrivate, PureDP
from workbench.privacy.budgets import gdp_within_approx, zcdp_within_approx
from workbench.study.grids import Role, stream
from workbench.study.profiles import blocks
from workbench.study.run import Run

EPSILON, DELTA = 1.0, 1e-6
RUNS = {profile: 100 * count for profile, count in blocks(full=10).items()}


@dataclass(frozen=True)
class Candidate:
    """An estimator of the mean with what is publicly known; the budget it takes, or why it takes none."""

    key: str
    estimator: Estimator[Any]
    budget: Budget | None
    reason: str = ""


def candidates(n: int, epsilon: float, delta: float = DELTA, told: Column = BMI) -> tuple[Candidate, ...]:
    """Return every private estimator of a mean in the catalog, as it would run on n rows of one column."""
    return tuple(candidate(key, n, epsilon, delta, told) for key in keys())


def keys() -> tuple[str, ...]:
    """Return the keys of the private estimators of a mean, in the order of the catalog."""
    means = (entry for entry in CATALOG.values() if entry.estimand == "mean")
    return tuple(entry.key for entry in means if _private(entry))


def candidate(key: str, n: int, epsilon: float, delta: float = DELTA, told: Column = BMI) -> Candidate:
    """Return one estimator at (ε, δ), else at a budget that is within it: ε alone, or ρ, or μ."""
    default: Any = CATALOG[key].estimator
    reason = ""
    try:
        known = {field.name for field in fields(default)} & {"centre", "radius", "sigma"}
        default = replace(default, **{field: getattr(told, field) for field in known})
    except ArgumentError as error:
        return Candidate(key, default, None, str(error))
    for budget in _budgets(epsilon, delta):
        try:
            default.plan(n, 1, budget)
        except ArgumentError as error:
            reason = str(error) if not reason or error.argument != "budget" else reason
        else:
            return Candidate(key, default, budget)
    return Candidate(key, default, None, reason)


def _private(entry: Entry) -> bool:
    return not all(isinstance(example.budget, NonPrivate) for example in entry.examples)


def _budgets(epsilon: float, delta: float) -> Iterator[Budget]:
    whole = ApproxDP(epsilon, delta)
    yield from (whole, PureDP(epsilon), zcdp_within_approx(whole), gdp_within_approx(whole))


def released(one: Candidate, x: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
    """Return releases for the same rows over fresh noise; NaN where there is no answer."""
    if one.budget is None:
        return np.full(runs, np.nan)
    values = [one.estimator(x, budget=one.budget, rng=rng).value for _ in range(runs)]
    return np.array([_number(value) for value in values])


def noise(seed: int, one: Candidate, point: int) -> np.random.Generator:
    """Return the noise of one estimator at one point: the same whoever else runs."""
    return stream(seed, Role.NOISE, f"side-by-side {one.key}", point, 0)


def _number(value: Any) -> float:
    return np.nan if isinstance(value, Abstention) else float(np.ravel(value)[0])


def trials(run: Run) -> int:
    """Return how often every estimator is run on the same rows."""
    most = RUNS[run.profile] if run.most is None else min(run.most, RUNS[run.profile])
    return most if run.simulate else 0
