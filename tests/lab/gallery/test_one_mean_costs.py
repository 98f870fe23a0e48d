from dataclasses import replace

import numpy as np
import pytest

from workbench.lab.charts import Chart
from workbench.lab.gallery import one_mean_costs, one_mean_currencies, one_mean_free_view
from workbench.lab.plots import svg
from workbench.privacy import PureDP
from workbench.study.claims import l17_costs, l17_intervals
from workbench.study.sweep import Sweep, grid

CHARTS = (
    one_mean_costs.rows_against_accuracy,
    one_mean_costs.private_for_free,
    one_mean_costs.tight_ratio,
    one_mean_currencies.confidence_intervals,
    one_mean_currencies.currencies,
)


def small(sweep, trials=10):
    return replace(sweep, name=f"test-{sweep.name}", trials=trials, blocks={"quick": 2})


@pytest.fixture
def _few_runs(monkeypatch):
    monkeypatch.setattr(l17_costs, "FREE", small(l17_costs.FREE))
    monkeypatch.setattr(l17_costs, "SIZES", small(l17_costs.SIZES))
    monkeypatch.setattr(one_mean_costs, "CURVES", small(one_mean_costs.CURVES))
    points = tuple(
        point
        for calibration, variance, n in (
            ("tight", "known", (300, 1000)),
            ("tight", "unknown", (300,)),
            ("paper", "known", (1000, 5000)),
            ("paper", "unknown", (1000,)),
        )
        for point in grid(
            calibration=calibration, variance=variance, n=n, sigma=1.0, mean=(0.0, 1e6), pivots=300
        )
    )
    sweep = Sweep("test-intervals-small", points, l17_intervals.intervals, 10, {"quick": 1})
    monkeypatch.setattr(l17_intervals, "sweep_of", lambda _: sweep)


@pytest.mark.usefixtures("_few_runs")
@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.__name__)
def test_a_chart_says_what_it_shows_and_can_be_drawn(chart):
    made = chart("quick", 1)
    assert made.name == chart.__name__
    assert made.how_to_read.count(".") >= 2
    assert len(made.title) <= 80
    assert all(panel.xlabel and panel.ylabel for panel in made.panels)
    assert Chart.from_json(made.to_json()).to_json() == made.to_json()
    assert b"<svg" in svg(made)


@pytest.mark.usefixtures("_few_runs")
def test_the_forbidden_region_is_the_largest_of_the_bounds():
    panel = one_mean_costs.rows_against_accuracy("quick", 1).panels[0]
    (edge,) = [series for series in panel.series if series.role == "bound"]
    parts = np.array([series.y for series in panel.series if series.role == "theory"])
    assert edge.y == tuple(parts.max(axis=0))


def test_the_view_shows_theory_first_and_then_more_and_more_runs(monkeypatch):
    monkeypatch.setattr(one_mean_free_view, "runs_per_frame", lambda n, radius: 5)
    frames = list(one_mean_free_view.private_for_free_view(1)(epsilon=1.0, n=500, radius=10.0))
    assert "Predicted." in frames[0].caption
    assert "Measured in 5 runs" in frames[1].caption
    assert f"Measured in {5 * one_mean_free_view.FRAMES} runs" in frames[-1].caption
    tight = [series for series in frames[-1].panels[0].series if series.role == "theory"][-1]
    assert set(one_mean_free_view.GRID) <= set(tight.x)
    assert len({frame.panels[0].xlim for frame in frames}) == 1


def test_the_view_begins_at_the_defaults_of_its_controls():
    values = {name: control.value for name, control in one_mean_free_view.CONTROLS.items()}
    first = next(one_mean_free_view.private_for_free_view(1)(**values))
    assert first.title == "Is privacy free at ε = 1, n = 1000, R = 100?"


@pytest.mark.parametrize(("n", "radius"), [(100, 1), (30_000, 10_000)])
def test_frames_stay_small(n, radius):
    assert 5 <= one_mean_free_view.runs_per_frame(n, radius) <= 200


@pytest.mark.parametrize(("n", "epsilon"), [(300, 1.0), (1000, 1.0), (3000, 0.3), (1000, 0.1)])
def test_the_predicted_distance_is_the_measured_one(n, epsilon):
    picture = one_mean_free_view.Picture(epsilon, n, 100.0)
    picture.simulate(1000, np.random.default_rng(1), np.random.default_rng(2))
    predicted = one_mean_free_view.tight_distance(n, PureDP(epsilon), 100.0)
    assert np.median(picture.runs["tight"]) == pytest.approx(predicted, rel=0.25)
