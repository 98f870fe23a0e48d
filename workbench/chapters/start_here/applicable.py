"""A real table of 442 patients, what is publicly known of it, and which estimators of a mean apply to it."""

from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from workbench.catalog import CATALOG
from workbench.errors import ArgumentError
from workbench.estimators import Abstention, Estimator
from workbench.estimators.bounded import BoundedMean
from workbench.populations.diabetes import diabetes
from workbench.privacy import ApproxDP, Budget, NonPrivate, PureDP
from workbench.privacy.budgets import gdp_within_approx, zcdp_within_approx
from workbench.study.grids import Role, stream
from workbench.study.profiles import blocks
from workbench.study.run import Run

ROWS = 442


@dataclass(frozen=True)
class Column:
    """A column of the table, and what is publicly known of it before seeing any row.

    The mean is within `radius` of `centre`, `sigma` is a usual standard deviation; `shown` are the ends of an
    axis.
    """

    name: str
    words: str
    centre: float
    radius: float
    sigma: float
    shown: tuple[float, float]

    def rows(self, n: int = ROWS) -> np.ndarray:
        """Return the first entries of the column."""
        return patients()[self.name].to_numpy(np.float64)[:n]


COLUMNS = {
    one.name: one
    for one in (
        Column("bmi", "body-mass index (kg/m²)", 35.0, 25.0, 5.0, (23.0, 30.0)),
        Column("bp", "blood pressure (mmHg)", 100.0, 50.0, 14.0, (84.0, 106.0)),
        Column("s1", "total cholesterol (mg/dl)", 200.0, 150.0, 35.0, (160.0, 220.0)),
    )
}
BMI = COLUMNS["bmi"]


@cache
def patients() -> pd.DataFrame:
    """Return the 442 patients of `workbench.diabetes` as a table."""
    return pd.DataFrame(diabetes())


def column(n: int = ROWS) -> np.ndarray:
    """Return the body-mass index of the first patients."""
    return BMI.rows(n)


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
    return tuple(
        entry.key for entry in means if not all(isinstance(one.budget, NonPrivate) for one in entry.examples)
    )


def candidate(key: str, n: int, epsilon: float, delta: float = DELTA, told: Column = BMI) -> Candidate:
    """Return one estimator at (ε, δ), else at a budget that is within it: ε alone, or ρ, or μ."""
    default: Any = CATALOG[key].estimator
    reason = ""
    try:
        known = {field.name for field in fields(default)} & {"centre", "radius", "sigma"}
        default = replace(default, **{field: getattr(told, field) for field in known})
        if isinstance(default, BoundedMean):
            default = BoundedMean(low=told.centre - told.radius, high=told.centre + told.radius)
    except ArgumentError as error:
        return Candidate(key, default, None, str(error))
    whole = ApproxDP(epsilon, delta)
    for budget in (whole, PureDP(epsilon), zcdp_within_approx(whole), gdp_within_approx(whole)):
        try:
            default.plan(n, 1, budget)
        except ArgumentError as error:
            reason = str(error) if not reason or error.argument != "budget" else reason
        else:
            return Candidate(key, default, budget)
    return Candidate(key, default, None, reason)


def released(one: Candidate, x: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
    """Return releases for the same rows over fresh noise; NaN where they abstain."""
    if one.budget is None:
        return np.full(runs, np.nan)
    values = [one.estimator(x, budget=one.budget, rng=rng).value for _ in range(runs)]
    return np.array(
        [np.nan if isinstance(value, Abstention) else float(np.ravel(value)[0]) for value in values]
    )


def noise(seed: int, one: Candidate, point: int) -> np.random.Generator:
    """Return the noise of one estimator at one point: the same whoever else runs."""
    return stream(seed, Role.NOISE, f"side-by-side {one.key}", point, 0)


def trials(run: Run) -> int:
    """Return how often every estimator is run on the same rows."""
    most = RUNS[run.profile] if run.most is None else min(run.most, RUNS[run.profile])
    return most if run.simulate else 0
