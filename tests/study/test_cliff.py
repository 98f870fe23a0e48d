"""The fewest rows that an estimator takes, by its own plan."""

from dataclasses import dataclass

import pytest

from workbench.catalog import CATALOG
from workbench.errors import ArgumentError, integer_at_least
from workbench.privacy import Charge, PureDP
from workbench.study.cliff import fewest_rows

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
