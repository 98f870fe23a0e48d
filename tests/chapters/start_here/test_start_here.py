"""The pictures of a real column: every estimator that applies has a row, and a ledger its bars."""

from dataclasses import replace

import numpy as np
import pytest

from tests.chapters.pictures import require_complete
from workbench.catalog import CATALOG
from workbench.chapters import start_here
from workbench.chapters.start_here import applicable, bars, costs
from workbench.errors import ArgumentError
from workbench.privacy import ZCDP, ApproxDP, Ledger, PureDP
from workbench.study.run import Run


@pytest.fixture
def _few_runs(monkeypatch):
    monkeypatch.setattr(applicable, "RUNS", {"quick": 8})


def ledger(*epsilons):
    made = Ledger(ApproxDP(1.0, 1e-6))
    for number, epsilon in enumerate(epsilons):
        made.charge(PureDP(epsilon), f"release {number}")
    return made


@pytest.mark.daily
@pytest.mark.usefixtures("_few_runs")
@pytest.mark.parametrize("chart", [start_here.side_by_side, start_here.price, start_here.spending])
def test_a_chart_says_what_it_shows_and_can_be_drawn(chart):
    made = chart(Run("quick", 1))
    require_complete(made, made.name)
    assert made.how_to_read.count(".") >= 2
    assert all(panel.xlabel and panel.ylabel for panel in made.panels)


def test_every_private_estimator_of_a_mean_has_a_row():
    means = {key for key, entry in CATALOG.items() if entry.estimand == "mean"}
    found = applicable.candidates(442, 1.0)
    assert means - {one.key for one in found} == {"mean/empirical", "mean/filter-nonprivate"}
    assert all(one.budget is not None or one.reason for one in found)


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 5.0])
@pytest.mark.parametrize("n", [50, 442])
def test_whoever_has_a_budget_runs_at_it_and_it_is_within_the_one_budget(n, epsilon):
    x, rng = applicable.column()[:n], np.random.default_rng(1)
    for one in applicable.candidates(n, epsilon):
        if one.budget is not None:
            delivered = one.estimator(x, budget=one.budget, rng=rng).guarantee.budget
            assert getattr(delivered, "epsilon", epsilon) <= epsilon
            assert getattr(delivered, "delta", 0.0) <= applicable.DELTA


@pytest.mark.usefixtures("_few_runs")
def test_a_row_stays_as_it_is_when_others_come_and_go(monkeypatch):
    def rows():
        panel = start_here.side_by_side(Run("quick", 1)).panels[0]
        shown = [series for series in panel.series if series.role == "estimate"]
        return {panel.names[int(bar.x[0]) - 1]: (bar.low, bar.y, bar.high) for bar in shown}

    before = rows()
    monkeypatch.setattr(applicable, "keys", lambda: ("mean/coinpress", "univariate/median"))
    assert rows() == {name: before[name] for name in ("CoinPress", "median")}


@pytest.mark.daily
def test_silence_is_said():
    (panel,) = start_here.side_by_side(Run("quick", 17, most=8), epsilon=0.05, n=50).panels
    assert "mean without a range" not in panel.names
    assert "clipped mean" in panel.names
    said = panel.note.partition("They abstain on these rows: ")[2]
    assert "mean without a range" in said
    assert "clipped mean" not in said


def test_a_bar_that_leaves_the_picture_says_how_far_it_reaches_away_from_its_marker():
    spread = {"mean/median-of-means": np.linspace(-108.0, 154.0, 201) - 20.0, "univariate/median": np.ones(9)}
    told = replace(applicable.BMI, shown=(0.0, 10.0))
    panel = bars.marked(bars.strip(applicable.column(), spread, told), spread)
    (mark,) = panel.marks
    assert (mark.text, mark.y) == ("−115 to 121", 2)
    assert mark.x > 5
    higher = {"mean/median-of-means": spread["mean/median-of-means"] + 6.0}
    (mark,) = bars.marked(bars.strip(applicable.column(), higher, told), higher).marks
    assert mark.x < 5


def test_the_remark_on_medians_stands_between_their_rows():
    (panel,) = start_here.side_by_side(Run("quick", 17, most=8)).panels
    (mark,) = [mark for mark in panel.marks if "medians" in mark.text]
    rows = {panel.names[round(mark.y + side) - 1] for side in (-0.5, 0.5)}
    assert rows == {"median", "Tukey median"}


def test_bars_of_a_ledger_lie_end_to_end():
    panel = costs.spent(ledger(0.5, 0.2)).panels[0]
    assert panel.names == ("release 0: 0.5", "release 1: 0.2", "left: 0.3")
    ends = [pair for series in panel.series if series.low for pair in zip(series.low, series.y, strict=True)]
    assert np.allclose(ends, [(0, 0.5), (0.5, 0.7), (0.7, 1.0)])


def test_a_refused_release_crosses_the_line_from_where_the_ledger_ends():
    panel = start_here.spending(Run("quick", 1)).panels[0]
    assert panel.names == ("interval for bmi: 0.5", "mean of bp: 0.3", "mean of s1: 0.4", "left: 0.2")
    (refused,) = (series for series in panel.series if series.label == "refused")
    assert (*refused.x, *refused.low, *refused.y) == pytest.approx((3, 0.8, 1.2))
    assert panel.ylim[1] > 1.2


def test_an_empty_ledger_is_all_left_and_another_currency_is_refused():
    panel = costs.spent(ledger()).panels[0]
    assert panel.names == ("left: 1",)
    with pytest.raises(ArgumentError, match="budgets of ε"):
        costs.spent(Ledger(ZCDP(1.0)))


@pytest.mark.usefixtures("_few_runs")
def test_the_price_falls_with_epsilon():
    for curve in start_here.price(Run("quick", 1)).panels[0].series[1:]:
        assert curve.y[0] > curve.y[-1]
        assert all(
            low <= middle <= high for low, middle, high in zip(curve.low, curve.y, curve.high, strict=True)
        )
