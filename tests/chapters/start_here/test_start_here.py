"""The pictures of a real column: every estimator that applies has a row, and a ledger its bars."""

import numpy as np
import pytest

from workbench.catalog import CATALOG
from workbench.chapters.start_here import applicable


def test_every_private_estimator_of_a_mean_has_a_row():
    means = {key for key, entry in CATALOG.items() if entry.estimand == "mean"}
    found = applicable.candidates(442, 1.0)
    assert means - {one.key for one in found} == {"mean/empirical", "mean/filter-nonprivate"}


@pytest.mark.turns(4)
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 5.0])
@pytest.mark.parametrize("n", [50, 442])
def test_whoever_has_a_budget_runs_at_it_and_it_is_within_the_one_budget(n, epsilon):
    x, rng = applicable.column()[:n], np.random.default_rng(1)
    for one in applicable.candidates(n, epsilon):
        if one.budget is not None:
            delivered = one.estimator(x, budget=one.budget, rng=rng).guarantee.budget
            assert getattr(delivered, "epsilon", epsilon) <= epsilon
            assert getattr(delivered, "delta", 0.0) <= applicable.DELTA


@pytest.mark.parametrize(("shift", "side"), [(0.0, 1), (6.0, -1)])
def test_a_bar_that_leaves_the_picture_says_how_far_it_reaches_away_from_its_marker(monkeypatch, shift, side):
    monkeypatch.setattr(applicable, "_limits", lambda bars: (0.0, 10.0))
    far = np.linspace(-108.0, 154.0, 201) - 20.0 + shift
    spread = {"mean/median-of-means": far, "univariate/median": np.ones(9)}
    (mark,) = applicable.strip(applicable.column(), spread).marks
    low, high = np.quantile(far, (0.05, 0.95))
    assert (mark.text, mark.y) == (f"−{-low:.3g} to {high:.3g}", 2)
    assert (mark.x > 5) == (side > 0)
