"""What explorers of one mean show first, and what then."""

from functools import partial
from itertools import islice

import numpy as np
import pytest

from tests.chapters.pictures import has_estimates
from workbench.chapters.one_mean.figures import accuracy_view, free_view, intervals_view
from workbench.chapters.one_mean.figures.location_view import error_against_radius_view
from workbench.chapters.one_mean.figures.quantiles_view import AT_ONCE, ROUNDS, quantiles_view
from workbench.privacy import PureDP
from workbench.study.run import Run


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


@pytest.mark.daily
def test_the_view_yields_theory_first_and_then_more_trials():
    frames = list(error_against_radius_view(Run(), epsilon=0.5, n=5000, radius=1e3))
    roles = [{s.role for s in frame.panels[0].series} for frame in frames]
    assert ["estimate" in role for role in roles] == [False, False] + [True] * (len(roles) - 2)
    assert len({(frame.panels[0].xlim, frame.panels[0].ylim) for frame in frames}) == 1
    assert "two-step mean" in frames[-1].caption
    assert frames[-1] == list(error_against_radius_view(Run(), epsilon=0.5, n=5000, radius=1e3))[-1]


def test_the_view_shows_a_location_that_fails():
    third = list(islice(error_against_radius_view(Run(), epsilon=0.05, n=20, radius=1e4), 3))[-1]
    (line,) = (s for s in third.panels[0].series if s.label == "two-step mean" and s.role == "theory")
    assert max(line.y) > 1000


@pytest.mark.parametrize(("m", "parts"), [(9, 1), (99, 3)])
def test_the_view_shows_what_is_predicted_first_and_draws_many_medians_in_parts(m, parts):
    made = list(quantiles_view(Run("quick", 1), epsilon=1.0, m=m, n=150))
    assert len(made) == 1 + parts * ROUNDS
    assert parts == -(-m // AT_ONCE)
    assert [has_estimates(frame) for frame in made] == [False] + [True] * (len(made) - 1)
    assert f"Measured in {ROUNDS} runs" in made[-1].caption
    assert len({tuple(panel.ylim for panel in frame.panels) for frame in made}) == 1
    assert (f"Drawn: {AT_ONCE} of {m}" in made[1].caption) == (parts > 1)
