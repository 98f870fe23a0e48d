"""Tables 1 and 2 of LKKO21: the rows that were needed, beside the formulas with every constant 1.

A setting is a row of a table, the estimator that stands for it, and d. Rows are needed until two of three
runs err by at most 1.2 α √(ln 1/α), or 1.5 √α for rows of bounded covariance; α = .05 is the share of
corrupted rows where there are any. The clusters of these runs are at 1.5 √d or 1/√α: what is
claimed of robust estimators (`tables`) is about the worst of the clusters of `runs.clusters` instead.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.bounds import lkko21
from workbench.chapters.robust_and_private.runs.prime import ATTACKS, PLACES, RADIUS, heavy_rows
from workbench.estimators.coinpress import CoinPressMean
from workbench.estimators.heavy_tailed import ClippedHeavyMean
from workbench.estimators.prime import PrimeHeavyMean, PrimeMean
from workbench.estimators.references import FilterNonprivateMean
from workbench.estimators.robust import RobustHeavyMean, RobustMean
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.grids import Point, Sweep, resampler
from workbench.study.measures import Measure
from workbench.study.profiles import blocks, claim_level
from workbench.study.rules import Verdict, beside
from workbench.study.run import Row, answered, each_trial, error_of

ALPHA, BUDGET, SHARE = 0.05, ApproxDP(1.0, 1e-6), 2 / 3
HALVINGS = 6
TIMES = {"1": 1.2, "2": 1.5}  # the error aimed at, over that of the theorem
LOWER, UPPER = 1 / 10, 10.0
STATEMENTS = {"1": ("LKKO21/Table1", "LKKO21/Thm6"), "2": ("LKKO21/Table2", "LKKO21/Thm9")}


@dataclass(frozen=True)
class Terms:
    """The public numbers of both tables: the corrupted share, and the budget."""

    corruption: float = ALPHA
    epsilon: float = BUDGET.epsilon
    delta: float = BUDGET.delta

    def rows(self, table: str, d: int) -> dict[str, lkko21.Row]:
        """Return the rows of a table at d."""
        return (lkko21.table_1 if table == "1" else lkko21.table_2)(
            d, self.corruption, self.epsilon, self.delta
        )

    def most(self, table: str) -> float:
        """Return the error aimed at."""
        error = lkko21.sub_gaussian_error if table == "1" else lkko21.bounded_covariance_error
        return TIMES[table] * error(self.corruption)


USUAL = Terms()


@dataclass(frozen=True)
class Setting:
    """An estimator and the row of the table that it stands for.

    `table` is 1 or 2, `make` builds it for d dimensions and a corrupted share, `top` is the largest n that is
    tried, over the formula, by d.
    """

    table: str
    row: str
    attack: str
    make: Callable[[int, float], Any]
    top: Mapping[int, float]

    def formula(self, d: int, terms: Terms = USUAL) -> float:
        """Return the sufficient n in polynomial time, every constant 1."""
        return terms.rows(self.table, d)[self.row].polynomial.total

    def grid(self, d: int, terms: Terms = USUAL) -> list[int]:
        """Return the n that are tried."""
        top = self.formula(d, terms) * self.top[d]
        return [max(30, round(top / 2**k)) for k in reversed(range(HALVINGS))]


SETTINGS = {
    "mean/coinpress": Setting(
        "1",
        "private",
        "none",
        lambda d, _: CoinPressMean(radius=RADIUS * sqrt(d), sigma=1.0),
        {2: 2, 8: 1, 32: 1}
    ),
    "mean/filter-nonprivate": Setting(
        "1", "robust", "shift-ones", lambda d, share: FilterNonprivateMean(corruption=share, sigma=1.0),
        {2: 8, 8: 2, 32: 1},
    ),
    "mean/prime": Setting(
        "1", "both", "shift-ones", lambda d, share: PrimeMean(radius=RADIUS, corruption=share, sigma=1.0),
        {2: 32, 8: 2, 32: 0.5},
    ),
    "mean/robust": Setting(
        "1", "both", "shift-ones", lambda d, share: RobustMean(radius=RADIUS, corruption=share, sigma=1.0),
        {2: 8, 8: 2, 32: 0.5},
    ),
    "mean/clipped-heavy": Setting(
        "2",
        "private",
        "none",
        lambda d, _: ClippedHeavyMean(radius=RADIUS * sqrt(d), upper=1.0),
        {2: 4, 8: 2, 32: 2}
    ),
    "mean/prime-heavy": Setting(
        "2", "both", "root-1", lambda d, share: PrimeHeavyMean(radius=RADIUS, corruption=share, upper=1.0),
        {2: 4, 8: 1, 32: 0.25},
    ),
    "mean/robust-heavy": Setting(
        "2", "both", "root-1", lambda d, share: RobustHeavyMean(radius=RADIUS, corruption=share, upper=1.0),
        {2: 4, 8: 1, 32: 0.25},
    ),
}  # fmt: skip


@each_trial
def hits(
    setting: str,
    d: int,
    n: int,
    *,
    corruption: float = USUAL.corruption,
    epsilon: float = USUAL.epsilon,
    delta: float = USUAL.delta,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure the error of one setting at one n."""
    chosen = SETTINGS[setting]
    x = data.standard_normal((n, d)) if chosen.table == "1" else heavy_rows("student", n, d, data)
    if chosen.attack != "none":
        x = ATTACKS[chosen.attack].corrupt(x, corruption, rng=data)
    theta, one = data.uniform(-PLACES, PLACES, d), chosen.make(d, corruption)
    private = setting != "mean/filter-nonprivate"
    budget = ApproxDP(epsilon, delta)
    found = (one(x + theta, budget=budget, rng=noise) if private else one(x + theta)).value
    return answered(error_of(found, lambda mean: np.linalg.norm(mean - theta)))


def points(terms: Terms) -> tuple[Point, ...]:
    """Return every setting with the n that are tried."""
    return tuple(
        {"setting": name, "d": d, "n": n}
        for name, setting in SETTINGS.items()
        for d in setting.top
        for n in dict.fromkeys(setting.grid(d, terms))
    )


SIZES = Sweep("lkko21-tables", points(USUAL), hits, 5, blocks(8))


def needed(frame: pd.DataFrame, name: str, d: int, seed: int, level: float, terms: Terms = USUAL) -> Measure:
    """Return the n from which two runs of three err little enough."""
    rows = measures.at(frame, setting=name, d=d)
    good, rng = rows["error"] <= terms.most(SETTINGS[name].table), resampler(seed, f"{SIZES.name} {name} {d}")
    return measures.rows_needed(good, rows["n"], SHARE, level, rng)


def beside_formula(frame: pd.DataFrame, name: str, d: int, seed: int) -> Verdict:
    """Return the check that a setting needs the rows of its formula within the factor, from both sides."""
    setting = SETTINGS[name]
    formula, found = setting.formula(d), needed(frame, name, d, seed, claim_level())
    over = measures.scaled(found, 1 / formula)
    check = measures.between(f"n over the formula, {name}, d = {d}", over, LOWER, UPPER, bound=UPPER)
    statement = STATEMENTS[setting.table][setting.row == "both"]
    return beside(check, statement, f"{setting.row}, {name}", formula, found)
