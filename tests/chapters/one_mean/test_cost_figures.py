from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from tests.chapters.pictures import require_complete
from workbench.chapters.one_mean.claims import costs as l17_costs
from workbench.chapters.one_mean.claims import intervals
from workbench.chapters.one_mean.figures import (
    accuracy,
    accuracy_view,
    costs,
    free_view,
    intervals_view,
)
from workbench.chapters.one_mean.figures import intervals as interval_figures
from workbench.chapters.one_mean.runs import theory
from workbench.charts.agreement import agreement
from workbench.lab.pictures.grammar import faults
from workbench.privacy import PureDP
from workbench.study.grids import Sweep, grid
from workbench.study.run import Run

CHARTS = (
    accuracy.rows_against_accuracy,
    costs.private_for_free,
    costs.tight_ratio,
    interval_figures.confidence_intervals,
    interval_figures.interval_coverage,
)


def small(sweep, trials=10):
    return replace(sweep, name=f"test-{sweep.name}", trials=trials, blocks={"quick": 2})


@pytest.fixture
def _few_runs(monkeypatch):
    monkeypatch.setattr(l17_costs, "FREE", small(l17_costs.FREE))
    monkeypatch.setattr(l17_costs, "SIZES", small(l17_costs.SIZES))
    monkeypatch.setattr(costs, "CURVES", small(costs.CURVES))
    points = tuple(
        point
        for calibration, variance, n in (
            ("tight", "known", (300, 1000)),
            ("tight", "unknown", (300,)),
            ("paper", "known", (1000, 5000)),
            ("paper", "unknown", (1000,)),
        )
        for point in grid(calibration=calibration, variance=variance, n=n, sigma=1.0, mean=(0.0, 1e6))
    )
    sweep = Sweep("test-intervals-small", points, intervals.intervals, 10, {"quick": 1})
    monkeypatch.setattr(intervals, "SWEEP", sweep)


@pytest.mark.daily
@pytest.mark.usefixtures("_few_runs")
@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.__name__)
def test_a_chart_says_what_it_shows_and_can_be_drawn(chart):
    made = chart(Run("quick", 1))
    require_complete(made, chart.__name__)
    assert made.how_to_read.count(".") >= 2
    assert all((panel.xlabel or panel.names) and panel.ylabel for panel in made.panels)
    assert faults(made) == []


@pytest.mark.usefixtures("_few_runs")
def test_the_forbidden_region_is_the_largest_of_the_bounds():
    panel = accuracy.rows_against_accuracy(Run("quick", 1)).panels[0]
    (edge,) = [series for series in panel.series if series.role == "bound"]
    parts = np.array([series.y for series in panel.series if series.role == "theory"])
    assert edge.y == tuple(parts.max(axis=0))


@pytest.mark.parametrize("calibration", ["paper", "tight"])
def test_the_foreseen_rows_are_the_first_that_are_enough(calibration):
    n = accuracy.foreseen(calibration, 0.2, 0.3, 50.0)
    near = partial(theory.accuracy, radius=50.0, budget=PureDP(0.3), calibration=calibration, beta=0.1)
    assert near(round(1.02 * n)) <= 0.2 < near(round(n / 1.02))


@pytest.mark.daily
def test_predictions_judge_the_rows_where_nothing_is_committed(monkeypatch):
    few = replace(l17_costs.SIZES, trials=100, blocks={"quick": 1})
    monkeypatch.setattr(l17_costs, "SIZES", few)
    moved = {"alpha": 0.2, "epsilon": 0.3, "radius": 50.0}
    chart = accuracy.rows_against_accuracy(Run("quick", 17), **moved)
    judged = agreement(chart)
    assert (judged.points, bool(judged)) == (10, True)
    right = accuracy.foreseen
    monkeypatch.setattr(accuracy, "foreseen", lambda *place: 1.6 * right(*place))
    assert not agreement(accuracy.rows_against_accuracy(Run("quick", 17), **moved))


def test_the_view_shows_theory_first_and_then_more_and_more_runs(monkeypatch):
    monkeypatch.setattr(free_view, "runs_per_frame", lambda n, radius: 5)
    frames = list(free_view.private_for_free_view(Run("quick", 1), epsilon=1.0, n=500, radius=10.0))
    assert "Predicted." in frames[0].caption
    assert "Measured in 5 runs" in frames[1].caption
    assert f"Measured in {5 * free_view.FRAMES} runs" in frames[-1].caption
    tight = [series for series in frames[-1].panels[0].series if series.role == "theory"][-1]
    assert set(free_view.GRID) <= set(tight.x)
    assert len({frame.panels[0].xlim for frame in frames}) == 1


@pytest.mark.parametrize(("n", "radius"), [(100, 1), (30_000, 10_000)])
def test_frames_stay_small(n, radius):
    assert 5 <= free_view.runs_per_frame(n, radius) <= 200


@pytest.mark.daily
def test_the_view_of_intervals_shows_widths_first_and_counts_what_holds():
    chosen = {"epsilon": 2.0, "delta": 1e-6, "n": 3000, "level": 0.1}
    first, *_, last = intervals_view.confidence_intervals_view(Run("quick", 1), **chosen)
    assert "hold the mean" not in first.caption
    for series in last.panels[0].series[:-1]:
        assert series.high[0] > 0.9


@pytest.mark.parametrize("method", accuracy_view.METHODS)
def test_the_rows_of_an_accuracy_are_solved_for(method):
    setting = accuracy_view.Setting(alpha=0.1, epsilon=0.5, delta=1e-6, radius=100.0)
    rows = accuracy_view.solved(partial(setting.accuracy, method), setting.least(0.1), 0.1, {})
    assert setting.accuracy(method, round(rows)) == pytest.approx(0.1, rel=0.05)


@pytest.mark.daily
def test_the_view_of_rows_shows_what_is_impossible_first_and_measures_every_method():
    chosen = {"alpha": 0.2, "epsilon": 1.0, "delta": 1e-6, "radius": 100.0}
    first, *_, last = accuracy_view.rows_against_accuracy_view(Run("quick", 1), **chosen)
    assert first.panels[0].series[0].role == "bound"
    assert not any(series.role == "estimate" and series.x for series in first.panels[0].series)
    assert last.caption.count("measured") == len(accuracy_view.METHODS)


@pytest.mark.parametrize(("n", "epsilon"), [(300, 1.0), (1000, 1.0), (3000, 0.3), (1000, 0.1)])
def test_the_predicted_distance_is_the_measured_one(n, epsilon):
    picture = free_view.Picture(epsilon, n, 100.0)
    picture.simulate(1000, np.random.default_rng(1), np.random.default_rng(2))
    predicted = free_view.tight_distance(n, PureDP(epsilon), 100.0)
    assert np.median(picture.runs["tight"]) == pytest.approx(predicted, rel=0.25)
