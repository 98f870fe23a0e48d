"""The pictures of a real column: every estimator that applies has a row, and a ledger its bars."""

import numpy as np
import pytest

from workbench.catalog import CATALOG
from workbench.chapters import start_here
from workbench.chapters.start_here import applicable
from workbench.study.sweeps import Run


def test_every_private_estimator_of_a_mean_has_a_row():
    means = {key for key, entry in CATALOG.items() if entry.estimand == "mean"}
    found = applicable.candidates(442, 1.0)
    assert means - {one.key for one in found} == {"mean/empirical", "mean/filter-nonprivate"}


@pytest.mark.turns(4)
@pytest.mark.parametrize(("n", "epsilon"), [(50, 5.0), (442, 0.05), (442, 1.0)])
def test_whoever_has_a_budget_runs_at_it_and_it_is_within_the_one_budget(n, epsilon):
    x, rng = applicable.column()[:n], np.random.default_rng(1)
    for one in applicable.candidates(n, epsilon):
        if one.budget is not None:
            delivered = one.estimator(x, budget=one.budget, rng=rng).guarantee.budget
            assert getattr(delivered, "epsilon", epsilon) <= epsilon
            assert getattr(delivered, "delta", 0.0) <= applicable.DELTA


@pytest.mark.parametrize("n", [1, 2])
def test_too_few_rows_for_a_release_are_said(n):
    (panel,) = start_here.ten_releases(Run("quick", 5, most=4), n=n).panels
    assert ("No release" in panel.note) == (n == 1)
