"""What public numbers say of an error is true above the cliff, and below it they say that nothing is.

A median is compared by counts: if it is at most b, runs with an error above b have at most the law of
Binomial(runs, 1/2).
"""

from functools import cache
from math import inf, isfinite

import numpy as np

from tests.contracts.foreseen_table import CLIFFS, Cliff
from workbench.catalog import CATALOG
from workbench.contracts.accuracy import refused
from workbench.errors import ArgumentError
from workbench.estimators import Abstention
from workbench.estimators.release import Asked, ErrorStatement
from workbench.study.search import fewest_rows

BAND = 1.15  # of a prediction
ROUNDING = 1 + 1e-9  # a lattice of candidates has exact errors


def stated(estimator, n, d, budget) -> ErrorStatement | None:
    return Asked(estimator, n, d, budget).error()


@cache
def errors(key: str, below: bool = False, runs: int = 0) -> np.ndarray:
    row = CLIFFS[key]
    estimator, n = (
        (row.loose or row.estimator, row.below or row.above) if below else (row.estimator, row.above)
    )
    return np.array([error_of(key, row, estimator, n, seed) for seed in range(runs or row.runs)])


def error_of(key: str, row: Cliff, estimator, n: int, seed: int) -> float:
    rows, truth = row.rows(np.random.default_rng((seed, n)), n, row.d, estimator)
    value = estimator(rows, budget=row.budget, rng=np.random.default_rng((seed, n, 1))).value
    if isinstance(value, Abstention):
        return inf
    entry = CATALOG[key]
    return value.width / 2 if entry.estimand == "interval" else float(entry.loss(value, truth))


def more_than_half(found: np.ndarray, limit: float, above: bool) -> bool:
    count = int((found > limit * ROUNDING).sum() if above else (found < limit / ROUNDING).sum())
    return count >= refused(len(found), 0.5)


def the_statement_is_true_above_the_cliff(key: str, said: ErrorStatement | None, found: np.ndarray) -> None:
    row = CLIFFS[key]
    if row.kind == "answers":
        assert not more_than_half(found, row.good, above=True)
        return
    assert said is not None
    assert isfinite(said.value)
    band = BAND if row.kind == "predicted" else 1.0
    assert not more_than_half(found, said.value * band, above=True), (said, np.median(found))
    least = {"predicted": 1 / BAND, "cautious": row.least}.get(row.kind, 0.0)
    assert not more_than_half(found, said.value * least, above=False), (said, np.median(found))


def nothing_is_promised_below_the_cliff(key: str, row: Cliff | None = None, prediction=stated) -> None:
    row = row or CLIFFS[key]
    if row.below is None and row.loose is None:
        assert refuses(row)
        return
    if row.kind == "answers":
        assert np.isinf(errors(key, below=True)).all()
        return
    said = prediction(row.loose or row.estimator, row.below or row.above, row.d, row.budget)
    assert said is not None
    if row.kind == "proved" and said.informative:
        assert not more_than_half(errors(key, below=True), said.value, above=True)
    else:
        assert not said.informative, said


def refuses(row: Cliff) -> bool:
    fewest = fewest_rows(row.estimator, row.d, row.budget)
    if fewest <= 4:
        return row.kind == "proved"
    try:
        row.estimator.plan(fewest - 1, row.d, row.budget)
    except ArgumentError:
        return True
    return False
