"""The fewest rows that an estimator takes, by its own plan."""

from dataclasses import dataclass, replace

import pytest

from workbench.catalog import CATALOG
from workbench.errors import ArgumentError, integer_at_least
from workbench.privacy import ApproxDP, Charge, PureDP
from workbench.study.search import fewest_rows

BUDGET = PureDP(1.0)


@dataclass(frozen=True)
class Needs:
    rows: float

    def plan(self, n, d, budget):
        integer_at_least(1, d=d)
        if n < self.rows:
            raise ArgumentError("n", n, f"at least {self.rows}")
        return Charge("step", "laplace", 1.0, budget)


@pytest.mark.parametrize("rows", [1, 2, 3, 64, 65, 2967, 2968, 10**9 + 7])
def test_the_number_that_the_plan_asks_for_is_found(rows):
    assert fewest_rows(Needs(rows), 2, BUDGET) == rows


def test_other_refusals_and_hopeless_ones_are_passed_on():
    with pytest.raises(ArgumentError, match="d = 0"):
        fewest_rows(Needs(3), 0, BUDGET)
    with pytest.raises(ArgumentError, match="n = "):
        fewest_rows(Needs(float("inf")), 1, BUDGET)


@pytest.mark.parametrize("key", CATALOG)
def test_no_entry_takes_fewer_rows_than_its_catalog_row_says(key):
    entry = CATALOG[key]
    for example in entry.examples:
        assert fewest_rows(example.estimator, entry.population.d or 1, example.budget) >= entry.least_rows


@pytest.mark.parametrize("beta", [0.05, 0.1, 0.01])
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("key", ["mean/populous", "mean/populous-robust", "gaussian/populous-robust"])
def test_the_rows_that_a_refusal_asks_for_are_the_fewest_that_are_taken(key, d, beta):
    """At d = 3 and beta = 1/20 the mean of a vote takes 113 rows; it must not ask for 114."""
    estimator, budget = replace(CATALOG[key].estimator, beta=beta), ApproxDP(1.0, 1e-6)
    fewest = fewest_rows(estimator, d, budget)
    for fewer in (fewest - 1, fewest // 2):
        with pytest.raises(ArgumentError, match=rf"n = {fewer}: expected at least {fewest} for d = {d} "):
            estimator.plan(fewer, d, budget)
