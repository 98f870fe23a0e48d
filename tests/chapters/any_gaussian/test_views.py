"""The explorers of notebook 05 show what is public first, get richer, and say when a plan refuses."""

from functools import partial

import pytest

from workbench.chapters import any_gaussian as gallery
from workbench.chapters.any_gaussian.votes import THEIRS
from workbench.lab.live.explore import Explorer
from workbench.lab.pictures.plots import svg
from workbench.study.run import Run

VOTED = {"n": 100, "size": 1, "corruption": 0.02, "epsilon": 4.0, "delta": 1e-3, "thresholds": "ours"}


@pytest.mark.daily
@pytest.mark.parametrize(
    ("view", "values"),
    [
        (gallery.vote_view, VOTED),
        (gallery.vote_view, {**VOTED, "size": 4, "n": 400, "thresholds": THEIRS}),
        (gallery.mask_view, {"n": 20_000, "condition": 25.0, "epsilon": 1.0, "delta": 1e-6}),
        (gallery.rows_view, {"d": 4, "alpha": 0.2, "epsilon": 1.0, "delta": 1e-6}),
    ],
)
def test_views_yield_what_is_public_first_and_then_more_draws(view, values):
    frames = list(view(Run("quick", 3), **values))
    assert len(frames) > 3
    assert len({frame.caption for frame in frames}) == len(frames)
    assert {(panel.xlim, panel.ylim) for frame in frames for panel in frame.panels} == {
        (panel.xlim, panel.ylim) for panel in frames[0].panels
    }
    assert frames[-1] == list(view(Run("quick", 3), **values))[-1]
    stages = [frame.stage for frame in Explorer(partial(view, Run("quick", 3)), "A view.", {}).frames(values)]
    assert (stages[0], set(stages[1:-1]), stages[-1]) == ("theory", {"simulation"}, "finished")


def test_a_budget_that_moves_no_threshold_is_in_the_title():
    one, other = (
        next(gallery.vote_view(Run(), **{**VOTED, "epsilon": 4.0, "delta": delta, "n": 150}))
        for delta in (5e-4, 1e-3)
    )
    assert one.panels[1].series == other.panels[1].series
    assert one.title != other.title


@pytest.mark.parametrize(
    ("view", "values"),
    [
        (gallery.vote_view, {**VOTED, "n": 60, "epsilon": 0.5}),
        (gallery.mask_view, {"n": 600, "condition": 25.0, "epsilon": 1.0, "delta": 1e-6}),
    ],
)
def test_views_say_when_a_plan_refuses(view, values):
    (frame,) = view(Run("quick", 3), **values)
    assert frame.caption.endswith("the plan refuses.")
    assert svg(frame)
