"""The pictures of notebook 05 are complete, say what they show, and their explorers get richer."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from tests.chapters.pictures import require_complete, require_one_look_each
from workbench.chapters import any_gaussian as gallery
from workbench.chapters.any_gaussian.figures import rows
from workbench.chapters.any_gaussian.figures.vote import (
    THEIRS,
    VOTE_DELTA,
    VOTE_EPSILON,
    Vote,
    masked_releases,
    scattered,
)
from workbench.chapters.any_gaussian.runs import laws, votes
from workbench.charts.agreement import agreement
from workbench.lab.live.explore import Explorer
from workbench.lab.pictures.plots import svg
from workbench.privacy import ApproxDP
from workbench.study import sweeps as sweep
from workbench.study.run import Run

VOTED = {"n": 100, "size": 1, "corruption": 0.02, "epsilon": 4.0, "delta": 1e-3, "thresholds": "ours"}
MAKERS = (
    "the_vote",
    "masks",
    "flat",
    "subspace_cliff",
    "subspace_rows",
    "whole_law",
    "two_learners",
    "attacked",
    "ten_attacks",
)


PLANNED = ("rows_against_d", "rows_of_covariances")


def imagined(*columns):
    def block(*, trials, data, noise, epsilon=1.0, delta=1e-6, **point):
        return {name: 0.02 * (1 + data.random(trials)) for name in columns} | {
            "abstained": np.zeros(trials, bool)
        }

    return block


@pytest.fixture
def _small(monkeypatch):
    """Errors are imagined where runs would take long: what is drawn of them is what is tested."""
    blocks = {
        "FRAMES": imagined("error"),
        "COVARIANCES": imagined("error", "unbounded"),
    }
    for name, block in blocks.items():
        monkeypatch.setattr(votes, name, replace(getattr(votes, name), block=block, trials=3))
    monkeypatch.setattr(votes, "SUBSPACES", replace(votes.SUBSPACES, trials=2))
    for name, columns in (("LAW_SIZES", ("error",)), ("ORACLES", ("error", "paper", "plain", "remains"))):
        one = getattr(laws, name)
        monkeypatch.setattr(laws, name, replace(one, block=imagined(*columns), trials=3))
    yield
    sweep.forget()


def drawn(chart, name):
    require_complete(chart, name)
    for panel in chart.panels:
        require_one_look_each(panel)


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("name", MAKERS)
def test_charts_have_words_and_can_be_drawn(name):
    drawn(getattr(gallery, name)(Run("quick", 3)), name)


def test_rows_against_d_shows_plans_and_what_lies_below(monkeypatch):
    monkeypatch.setattr(rows, "DIMENSIONS", (1, 2))
    charts = [getattr(gallery, name)(Run("quick", 3)) for name in PLANNED]
    for chart, name in zip(charts, PLANNED, strict=True):
        drawn(chart, name)
    paper, tight, *_ = charts[0].panels[0].series
    assert tight.y == (votes.FRAME_ROWS[1], votes.FRAME_ROWS[2])
    assert all(10_000 * few < many for few, many in zip(tight.y, paper.y, strict=True))
    for chart in charts:
        (panel,) = chart.panels
        least = min(min(one.y) for one in panel.series if one.role == "estimate")
        (bound,) = (one for one in panel.series if one.role == "bound")
        assert bound.y[0] <= least


def test_far_groups_have_weight_zero_and_others_do_not():
    budget = ApproxDP(VOTE_EPSILON, VOTE_DELTA)
    found = Vote.of(scattered(150, 0.04, np.random.default_rng(3)), budget)
    assert (found.weights[:6] == 0).all()
    assert (found.weights[6:] > 0).mean() > 0.95
    assert found.design.vote.nobody * 2 > 150


def test_masks_are_the_same_in_units_of_the_covariance():
    root = np.diag([1e-3, 1e3])
    long, round_ = (
        masked_releases(one, 9000, votes.BUDGET, 3, np.random.default_rng(4)) for one in (root, np.eye(2))
    )
    for first, second in zip(long, round_, strict=True):
        assert first == pytest.approx(root @ second @ root)


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


@pytest.mark.daily
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2.0])
@pytest.mark.parametrize("name", ["subspace_cliff", "flat", "whole_law", "two_learners"])
def test_predictions_stand_where_nothing_is_run(name, epsilon):
    chart = getattr(gallery, name)(Run(simulate=False), epsilon=epsilon)
    drawn(chart, name)
    assert any(one.role == "theory" and tuple(one.x) for panel in chart.panels for one in panel.series)


def test_too_few_groups_are_as_many_as_can_vote():
    chart = gallery.the_vote(Run(), epsilon=0.2, n=100)
    drawn(chart, "the_vote")
    where, _ = chart.panels
    assert where.title == "314 groups, as points"
    assert where.note.endswith("; 100 are too few.")


@pytest.mark.daily
def test_a_subspace_is_found_as_often_as_predicted():
    chart = gallery.subspace_cliff(Run("quick", 5), epsilon=2.0, delta=1e-9)
    found = agreement(chart)
    assert found.points == 20
    assert found, str(found)
