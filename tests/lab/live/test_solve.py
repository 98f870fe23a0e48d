import re
from functools import partial

import pytest

from workbench.chapters.trade_offs import STARTS
from workbench.charts.layout import Layout
from workbench.errors import ArgumentError
from workbench.lab.live.solve import solver
from workbench.privacy import ApproxDP
from workbench.study.planner import Question, Scale, factors, plan
from workbench.study.search import MOST

QUICKEST = "covariance/thresholded"


@pytest.fixture
def toy():
    made = solver(QUICKEST, d=50, alpha=0.1)
    made.draw_now()
    return made


def needed(key, d, alpha, epsilon, delta):
    question = Question(
        subject=key, d=d, alpha=alpha, budget=ApproxDP(epsilon, delta), settings={"radius": 1.0}
    )
    (answer,) = plan(question)
    return answer.n


def test_the_rows_are_those_of_the_planner(toy):
    n = needed(QUICKEST, 50, 0.1, 1.0, 1e-6)
    assert toy.widgets["n"].value == n
    assert f"d = 50, α = 0.1 in half of the runs at (1, 1e-6): {n:,} rows." in toy.sentence.value
    assert toy.picture.point == [1.0, n]


def test_moving_epsilon_moves_the_rows_the_handle_and_the_point(toy):
    before = toy.widgets["n"].value
    toy.widgets["epsilon"].value = 0.5
    assert toy.widgets["n"].value == needed(QUICKEST, 50, 0.1, 0.5, 1e-6) > before
    assert toy.picture.point == [0.5, toy.widgets["n"].value]
    assert f"-p n={toy.widgets['n'].value:.0f} " in toy.line.values + " "


@pytest.mark.daily
def test_each_unknown_is_solved_from_the_others_and_its_handle_is_locked(toy):
    n = int(toy.widgets["n"].value)
    for symbol, name, expected in (("ε", "epsilon", 1.0), ("δ", "delta", 1e-6), ("α", "alpha", 0.1)):
        toy._asked(toy.line, "reset", [])
        toy.widgets["unknown"].value = symbol
        assert {one: toy.widgets[one].fixed for one in ("n", "epsilon", "delta", "alpha")} == {
            one: one == name for one in ("n", "epsilon", "delta", "alpha")
        }
        assert toy.values[name] is None
        assert toy.widgets["n"].value == n
        assert toy.widgets[name].value == pytest.approx(expected, rel=0.15 if name == "delta" else 0.02)


@pytest.mark.parametrize(
    ("symbol", "free", "moved"),
    [("n", "x", {"epsilon": 2.0}), ("ε", "y", {"n": 4000}), ("α", "xy", {"epsilon": 2.0, "n": 4000})],
)
def test_the_dragged_point_moves_the_handles_that_are_free(toy, symbol, free, moved):
    toy.widgets["unknown"].value = symbol
    assert toy.picture.free == free
    toy.picture.point = [2.0, 4000.0]
    for name, value in moved.items():
        assert toy.widgets[name].value == value
    assert toy.picture.point == [toy.widgets["epsilon"].value, toy.widgets["n"].value]


def test_the_point_lies_where_it_is_drawn(toy):
    (left, bottom, width, height) = Layout.of(toy.last.chart).rectangle(0)
    assert toy.picture.area == pytest.approx([left, 1 - bottom - height, width, height])
    panel = toy.last.chart.panels[0]
    assert toy.picture.ends == [*panel.xlim, *panel.ylim]
    (point,) = [one for one in panel.series if one.colour_key == "idea/point"]
    assert [*point.x, *point.y] == toy.picture.point


def test_what_nothing_solves_is_said_in_words(toy):
    toy.widgets["unknown"].value = "ε"
    toy.widgets["n"].value = 20
    toy.widgets["alpha"].value = 0.02
    assert "Nothing within reach is enough." in toy.sentence.value


@pytest.mark.daily
def test_the_first_picture_needs_no_map_and_the_last_one_has_regions(toy):
    toy.widgets["delta"].value = 1e-9
    made = solver(QUICKEST, d=50, alpha=0.1)
    charts = [frame.chart for frame in made.frames(made.values)]
    assert "on its way" in charts[0].caption
    (panel,) = charts[-1].panels
    assert {"privacy limits", "sampling limits"} <= {mark.text for mark in panel.marks}
    assert {"α = 0.05", "α = 0.1", "α = 0.2"} <= {series.label for series in panel.series}


def test_an_estimator_of_pure_privacy_has_no_delta():
    made = solver("univariate/two-step-mean", alpha=0.5)
    assert "delta" not in made.widgets
    assert made.controls["unknown"].options == ["n", "ε", "α"]


@pytest.mark.parametrize(
    ("key", "start", "words"),
    [
        ("mean/none", {}, "mean/none"),
        ("mean/prime", {"rho": 1.0}, "start = 'rho': expected one of n, epsilon, delta, alpha"),
        ("mean/filter-nonprivate", {}, "expected an estimator with a predicted error or a proved bound"),
        ("mean/prime", {"epsilon": 0}, "epsilon = 0"),
    ],
)
def test_bad_questions_are_refused_by_name(key, start, words):
    with pytest.raises(ArgumentError, match=re.escape(words)):
        solver(key, **start)


@pytest.mark.slow
@pytest.mark.parametrize("key", STARTS)
def test_every_source_has_an_explorer_whose_number_is_the_planners(key):
    at = STARTS[key]
    made = solver(key)
    trade = made.solution.map.trade
    first = trade.answers_from(at.epsilon, at.delta)
    bound = partial(trade.error, epsilon=at.epsilon, delta=at.delta)
    assert made.widgets["n"].value == Scale(bound, first, MOST, factors).least(at.alpha)
