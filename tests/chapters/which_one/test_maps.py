"""The maps show what the planner says."""

import numpy as np
import pytest

from tests.chapters.pictures import require_complete
from workbench.chapters import which_one
from workbench.chapters.which_one import choice, maps
from workbench.errors import ArgumentError
from workbench.privacy import ApproxDP, PureDP
from workbench.study.planner import Question, plan
from workbench.study.run import Run

PUBLIC = (1.0, 1e-6)


@pytest.mark.daily
def test_the_fewest_rows_are_those_of_the_planner():
    question = Question(subject="mean", d=3, alpha=0.2, budget=ApproxDP(*PUBLIC), settings={"radius": 10.0})
    wanted = {one.key: one.n for one in plan(question) if one.key in ("mean/coinpress", "mean/clipped-box")}
    found = {key: choice.trade(key, 3, 10.0).rows(0.2, *PUBLIC) for key in wanted}
    assert found == wanted
    assert choice.fewest(0.2, 3, *PUBLIC, 10.0) == (278, "mean/coordinatewise")


def test_whoever_is_named_for_fewest_rows_errs_least_there():
    n, key = choice.fewest(0.2, 3, *PUBLIC, 10.0)
    assert choice.ranked(n, 3, *PUBLIC, 10.0)[0][1] == key
    assert choice.error(key, n, 3, *PUBLIC, 10.0) <= 0.2 < choice.error(key, n - 1, 3, *PUBLIC, 10.0)


def test_an_accuracy_that_none_reaches_is_refused(monkeypatch):
    monkeypatch.setattr(choice, "keys", lambda d: ())
    with pytest.raises(ArgumentError, match="alpha"):
        choice.fewest(0.2, 3, *PUBLIC, 10.0)


def test_a_budget_is_one_that_is_taken_and_none_where_there_is_no_answer():
    assert choice.budget("univariate/two-step-mean", 500, 1, *PUBLIC, 10.0) == PureDP(1.0)
    assert choice.budget("mean/coinpress", 500, 3, *PUBLIC, 10.0) == ApproxDP(*PUBLIC)
    assert choice.budget("mean/coordinatewise", 5, 3, 0.1, 1e-6, 10.0) is None


def test_the_map_has_the_quotient_of_the_errors_and_ends_where_one_is_silent():
    chart = which_one.best_map(Run("quick", 1))
    require_complete(chart, "best_map")
    values = np.array(chart.panels[0].heat.values)
    one, other = (
        choice.error(key, 800, 3, maps.ACROSS[3], 1e-6, 10.0) for key in (maps.COLUMNWISE, maps.BALL)
    )
    assert values[maps.SIZES[::-1].index(800), 3] == pytest.approx(one / other)
    silent = choice.error(maps.COLUMNWISE, 200, 3, maps.ACROSS[1], 1e-6, 10.0)
    assert np.isinf(silent)
    assert np.isnan(values[maps.SIZES[::-1].index(200), 1])
    assert np.nanmax(values) <= maps.REACH
    assert np.nanmin(values) < 0.9


def test_clipping_at_the_range_pays_for_it_and_looking_first_does_not():
    chart = which_one.fewest_rows(Run("quick", 1))
    require_complete(chart, "fewest_rows")
    rows = {one.label: one.y for one in chart.panels[1].series}
    assert rows["clipped to a box"][-1] > 50 * rows["clipped to a box"][0]
    assert rows["CoinPress"][-1] < 2 * rows["CoinPress"][0]
    assert rows["column by column"][-1] == rows["column by column"][0]


@pytest.mark.daily
def test_the_title_says_where_column_by_column_wins_and_that_it_does_not_in_ten_columns():
    assert which_one.best_map(Run("quick", 1)).title.startswith("Column by column errs less at small ε")
    assert which_one.best_map(Run("quick", 1), d=10).title.startswith("CoinPress errs as little")


@pytest.mark.daily
def test_the_note_names_whoever_errs_less_than_both():
    assert "No other estimator" in which_one.best_map(Run("quick", 1), radius=10.0).panels[0].note
    assert "vote of groups" in which_one.best_map(Run("quick", 1), radius=0.1).panels[0].note
