"""The pictures about locations are complete, and the explorer's frames get richer."""

import json
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from workbench.chapters.one_mean.figures import location as gallery
from workbench.chapters.one_mean.figures.location_view import error_against_radius_view
from workbench.chapters.one_mean.runs import location as sweeps
from workbench.lab.pictures.plots import svg
from workbench.study.run import Run
from workbench.study.sweeps import sweep

MAKERS = (gallery.error_against_radius, gallery.rows_against_radius, gallery.rows_against_delta)


@pytest.fixture
def _small(monkeypatch):
    for name in ("CLIPPED", "TWO_STEP", "LOCATE_RANGE", "LOCATE_WIDE", "LOCATE_LINE"):
        monkeypatch.setattr(sweeps, name, replace(getattr(sweeps, name), trials=10))
    yield
    sweep.forget()


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("make", MAKERS)
def test_charts_have_words_predictions_and_one_look_per_estimator(make):
    chart = make(Run("quick", 3))
    assert chart.how_to_read
    assert json.dumps(chart.to_json(), default=float)
    series = chart.panels[0].series
    assert {s.role for s in series} >= {"estimate", "theory"}
    looks = [s.colour_key for s in series if s.role == "estimate"]
    assert len(looks) == len(set(looks))
    assert svg(chart).startswith(b"<?xml")


@pytest.mark.usefixtures("_small")
def test_the_packing_bound_lies_below_every_location():
    panel = gallery.rows_against_radius(Run("quick", 3)).panels[0]
    (bound,) = (s for s in panel.series if s.role == "bound")
    for series in panel.series:
        if series.role == "theory":
            assert (np.array(series.y) > np.interp(series.x, bound.x, bound.y)).all()


def test_the_view_yields_theory_first_and_then_more_trials():
    frames = list(error_against_radius_view(Run(), epsilon=0.5, n=5000))
    roles = [{s.role for s in frame.panels[0].series} for frame in frames]
    assert ["estimate" in role for role in roles] == [False, False] + [True] * (len(roles) - 2)
    assert len({(frame.panels[0].xlim, frame.panels[0].ylim) for frame in frames}) == 1
    assert "two-step mean" in frames[-1].caption
    assert frames[-1] == list(error_against_radius_view(Run(), epsilon=0.5, n=5000))[-1]


def test_the_view_shows_a_location_that_fails():
    third = list(islice(error_against_radius_view(Run(), epsilon=0.05, n=20), 3))[-1]
    (line,) = (s for s in third.panels[0].series if s.label == "two-step mean" and s.role == "theory")
    assert max(line.y) > 1000
