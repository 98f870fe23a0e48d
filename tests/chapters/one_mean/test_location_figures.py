"""The pictures about locations are complete, and the explorer's frames get richer."""

from itertools import islice

import numpy as np
import pytest

from tests.chapters.pictures import require_complete, require_one_look_each
from workbench.chapters.one_mean.figures import location as gallery
from workbench.chapters.one_mean.figures.location_view import error_against_radius_view
from workbench.chapters.one_mean.runs import location as sweeps
from workbench.lab.pictures.grammar import faults
from workbench.study.run import Run

MAKERS = (gallery.error_against_radius, gallery.rows_against_radius, gallery.rows_against_delta)


@pytest.fixture
def _small(world):
    names = ("CLIPPED", "TWO_STEP", "LOCATE_RANGE", "LOCATE_WIDE", "LOCATE_LINE")
    world.few(sweeps, dict.fromkeys(names, 10))


@pytest.mark.daily
@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("make", MAKERS)
def test_charts_have_words_predictions_and_one_look_per_estimator(make):
    chart = make(Run("quick", 3))
    require_complete(chart, make.__name__)
    assert faults(chart) == []
    assert {series.role for series in chart.panels[0].series} >= {"estimate", "theory"}
    require_one_look_each(chart.panels[0])


@pytest.mark.usefixtures("_small")
def test_the_packing_bound_lies_below_every_location():
    panel = gallery.rows_against_radius(Run("quick", 3)).panels[0]
    (bound,) = (s for s in panel.series if s.role == "bound")
    for series in panel.series:
        if series.role == "theory":
            assert (np.array(series.y) > np.interp(series.x, bound.x, bound.y)).all()


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
