import asyncio
import threading
from dataclasses import replace

import pytest

from workbench.charts.chart import Chart, Heat, Panel, Series
from workbench.charts.controls import Choice, Slider
from workbench.charts.kept import Kept
from workbench.charts.parameters import Parameter
from workbench.errors import ArgumentError, positive
from workbench.lab.live import explore
from workbench.lab.live.explore import Explorer
from workbench.lab.pictures import display, plots


class View:
    """Theory, coarse and full frame of a toy; counts what was computed."""

    def __init__(self):
        self.frames = []

    def __call__(self, epsilon, kind="a"):
        positive(epsilon=epsilon - 0.5)
        for stage in ("theory", "coarse", "full"):
            self.frames.append((epsilon, stage))
            series = Series(stage, (1, 10), (1 / epsilon, 0.1))
            panel = Panel("p", "n", "error", (series,), xlim=(1, 10), ylim=(0.01, 10))
            yield Chart("toy", "Toy", (panel,), alt="Toy", caption=f"{stage} at ε = {epsilon:g} & {kind}")


@pytest.fixture
def published(monkeypatch):
    bundles = []
    record = lambda html, text, widget=None: bundles.append((html, text, widget))  # noqa: E731
    monkeypatch.setattr(explore, "publish", record)
    return bundles


@pytest.fixture
def view():
    return View()


def explorer(view, value=1.0):
    return Explorer(view, "A toy's error", {"epsilon": Slider(0.1, 10, value, label="ε")})


def test_one_bundle_has_the_widget_and_a_picture_of_the_full_default_view(view, published):
    explore.explore(view, alt='A "toy"', epsilon=Slider(0.1, 10, 1), kind=Choice(("a", "b"), "b"))
    ((html, text, widget),) = published
    assert '<img src="data:image/png;base64,' in html
    assert 'alt="A &quot;toy&quot;"' in html
    assert "full at ε = 1 &amp; b" in html
    assert text == 'A "toy"'
    assert "application/vnd.jupyter.widget-view+json" in widget


def test_newer_values_cancel_older_ones_and_theory_comes_first(view, monkeypatch):
    monkeypatch.setattr(explore, "DEBOUNCE", 0.01)
    said = []

    async def drag():
        toy = explorer(view)
        toy.sentence.observe(lambda change: said.append(change["new"]), names="value")
        for value in (2.0, 3.0, 4.0):
            toy.widgets["epsilon"].value = value
        while 'data-stage="finished"' not in toy.sentence.value:
            await asyncio.sleep(0.01)

    asyncio.run(drag())
    assert view.frames == [(4.0, "theory"), (4.0, "coarse"), (4.0, "full")]
    assert "theory at ε = 4" in said[0]
    assert all('data-move="3"' in words for words in said)
    assert "full at ε = 4" in said[-1]


def test_a_value_that_another_thread_sets_is_drawn_where_the_explorer_was_made(monkeypatch):
    monkeypatch.setattr(explore, "DEBOUNCE", 0.01)
    threads = []

    def view(epsilon):
        for frame in View()(epsilon):
            threads.append(threading.current_thread())
            yield frame

    async def drag():
        toy = explorer(view)
        for value in (2.0, 3.0):
            await asyncio.to_thread(setattr, toy.widgets["epsilon"], "value", value)
        while "full at ε = 3" not in toy.sentence.value:
            await asyncio.sleep(0.01)

    asyncio.run(drag())
    assert set(threads) == {threading.current_thread()}


def test_colours_come_predicted_first_and_then_of_runs():
    def view(epsilon):
        for value in (1.0, 2.0, 3.0):
            panel = Panel("p", "column", "row", (), heat=Heat(((value, 0.0), (0.0, value)), (-1.0, 1.0)))
            yield Chart("toy", "Toy", (panel,), alt="Toy", caption="toy")

    toy = explorer(view)
    stages = [frame.stage for frame in toy.frames(toy.values)]
    assert stages == ["theory", "simulation", "simulation", "finished"]


def test_a_picture_says_how_far_it_has_come():
    measured = Series("runs", (1, 10), (1, 2))
    predicted = Series("prediction", (1, 10), (1, 2), role="theory")

    def view(epsilon):
        for series in ((predicted,), (predicted, Series("runs", (), ())), (predicted, measured)):
            yield Chart("toy", "Toy", (Panel("p", "n", "error", series),), alt="Toy", caption="toy")

    toy = explorer(view)
    frames = list(toy.frames(toy.values))
    assert [frame.stage for frame in frames] == ["theory", "theory", "simulation", "finished"]
    assert frames[-1].picture == frames[-2].picture
    toy._put(frames[-2])
    assert 'data-stage="simulation" aria-busy="true"' in toy.sentence.value
    toy._put(frames[-1])
    assert 'data-stage="finished" aria-busy="false"' in toy.sentence.value


def test_a_finished_view_is_not_computed_again(view):
    toy = explorer(view)
    first = toy.draw_now()
    assert toy.draw_now() is first
    assert len(view.frames) == 3


def test_an_error_stands_in_place_of_the_plot_and_goes_away(view):
    toy = explorer(view, value=0.2)
    toy.draw_now()
    assert "epsilon = -0.3: expected a finite number above 0" in toy.sentence.value
    assert toy.picture.layout.display == "none"
    toy.widgets["epsilon"].value = 2.0  # no loop here: drawn at once
    assert "full at ε = 2" in toy.sentence.value
    assert toy.picture.layout.display == ""


def test_any_other_failure_is_a_line_too():
    def broken(epsilon):
        raise TypeError("no <b>")
        yield

    toy = explorer(broken)
    toy.draw_now()
    assert "the view failed: TypeError: no &lt;b&gt;" in toy.sentence.value


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Slider(0, 1, 0.5), ("low = 0", "above 0")),
        (lambda: Slider(2, 1, 1), ("low = 2", "below high = 1")),
        (lambda: Slider(1, 2, -3), ("value = -3", "above 0")),
        (lambda: Slider(1, 2, float("nan"), log=False), ("value = nan", "a finite number")),
        (lambda: Choice(("a", "b"), "c"), ("value = 'c'", "a, b")),
    ],
)
def test_bad_controls_are_named(make, words):
    with pytest.raises(ArgumentError) as caught:
        make()
    assert all(word in str(caught.value) for word in words)


def test_publish_prints_the_text_in_a_plain_script(capsys):
    display.publish("<b>x</b>", "x", {"application/json": {}})
    assert capsys.readouterr().out == "x\n"


def test_a_handle_has_its_label_its_unit_and_the_start_among_its_stops(view):
    slider = Slider(100, 10_000, 1234, label="n", unit="rows", integer=True)
    handle = Explorer(view, "A toy's error", {"epsilon": slider}).widgets["epsilon"]
    assert (handle.label, handle.unit, handle.whole, handle.value) == ("n", "rows", True, 1234)
    assert {100, 1234, 2000, 10_000} <= set(handle.stops)
    assert handle.stops == sorted(set(handle.stops))


def test_the_picture_is_told_with_the_numbers_that_it_shows(view):
    toy = explorer(view)
    toy.draw_now()
    assert toy.picture.alt == "Toy. Toy ε = 1. full at ε = 1 & a"
    toy.widgets["epsilon"].value = 2.5
    assert toy.picture.alt == "Toy. Toy ε = 2.5. full at ε = 2.5 & a"
    assert "<b>ε = 2.5.</b> full at ε = 2.5" in toy.sentence.value


def test_without_a_front_end_the_picture_says_that_it_stands_still(view, published):
    explore.explore(view, alt="toy", epsilon=Slider(0.1, 10, 1))
    assert "in JupyterLab its controls can be moved" in published[0][0]
    assert "<b>epsilon = 1.</b>" in published[0][0]


@pytest.mark.parametrize(
    "slider",
    [
        Slider(0.05, 5, 1),
        Slider(50, 442, 442, integer=True),
        Slider(10, 1e6, 1000),
        Slider(0, 0.3, 0.07, log=False),
        Slider(1, 50, 10, log=False, integer=True),
        Slider(-3, 3, 0.1234, log=False),
    ],
    ids=str,
)
def test_stops_are_round_numbers_between_the_ends(slider):
    stops = slider.stops
    assert list(stops) == sorted(set(stops))
    assert {slider.low, slider.value, slider.high} <= set(stops)
    assert 10 <= len(stops) <= 80
    own = {slider.low, slider.value, slider.high}
    assert all(float(f"{stop:.3g}") == stop for stop in stops if stop not in own)
    assert all(slider.clean(stop) == stop for stop in stops)


@pytest.mark.parametrize("value", [3, 3000])
def test_a_start_beyond_an_end_becomes_that_end(value):
    slider = Slider(10, 1000, value, integer=True)
    assert (slider.low, slider.high) == (min(value, 10), max(value, 1000))
    assert value in (slider.stops[0], slider.stops[-1])
    assert {10, 1000} <= set(slider.stops)


def test_an_integer_slider_takes_no_fraction():
    with pytest.raises(ArgumentError, match=r"value = 2.5: expected a whole number, like 1 and 9"):
        Slider(1, 9, 2.5, integer=True)


N = Parameter("n", 1000, 1, 10**7, "how many there are", "rows", integer=True, track=(100, 10_000))
ERROR = Parameter("ε", 1.0, 0.01, 20, "privacy", track=(0.1, 10))


def curves(epsilon, n=1000):
    line = Series("runs", (10, 100), (1 / epsilon, 0.1 / epsilon))
    predicted = Series("prediction", (10, 100), (1 / epsilon, 0.1 / epsilon), role="theory")
    panel = Panel(f"ε = {epsilon:g}", "n", "error", (predicted, line), xlim=(1, 1000), ylim=(0.01, 100))
    yield Chart("toy", "Toy", (panel,), alt="Toy", caption="toy")


def moving(**starts):
    return Explorer(curves, "Toy", {"epsilon": ERROR.slider(), "n": N.slider(), **starts})


def test_a_track_grows_to_a_legal_value_beyond_its_end():
    toy = moving()
    handle = toy.widgets["n"]
    assert handle.legal == [1, 10**7]
    assert handle.stops[-1] == 10_000
    handle.value = 250_000
    assert toy.values["n"] == 250_000
    assert {12_000, 200_000, 250_000} <= set(handle.stops)
    assert handle.stops[-1] == 250_000
    assert "n = 250000 rows" in toy.sentence.value


def test_the_line_has_the_parameters_and_not_what_a_notebook_does_not_declare():
    toy = moving(n=N.slider(), width=Slider(1, 9, 3))
    assert toy.line.values == "-p epsilon=1 -p n=1000"
    toy.widgets["epsilon"].value = 0.25
    assert toy.line.values == "-p epsilon=0.25 -p n=1000"


@pytest.mark.daily
def test_reset_puts_every_control_back():
    toy = moving(kind=Choice(("a", "b"), "a"))
    toy.view = lambda epsilon, n, kind: curves(epsilon)
    for name, value in (("epsilon", 2.0), ("n", 10**6), ("kind", "b")):
        toy.widgets[name].value = value
    toy._asked(toy.line, "reset", [])
    assert toy.values == {"epsilon": 1.0, "n": 1000, "kind": "a"}
    assert toy.line.values == "-p epsilon=1 -p n=1000"


def test_a_kept_curve_lies_beneath_the_next_ones_until_it_is_dropped(monkeypatch):
    drawn = []
    monkeypatch.setattr(explore, "draw", lambda chart, figure: drawn.append(chart) or None)
    monkeypatch.setattr(explore, "png", lambda figure: b"png")
    toy = moving()
    toy.draw_now()
    toy._asked(toy.line, "keep", [])
    assert toy.line.kept == "ε = 1, n = 1000 rows"
    toy.widgets["epsilon"].value = 2.0
    kept = drawn[-1].panels[0].series[:2]
    assert {(one.role, one.label, tuple(one.y)) for one in kept} == {
        ("kept", "kept: ε = 1, n = 1000 rows", (1.0, 0.1))
    }
    assert [one.role for one in drawn[-1].panels[0].series[2:]] == ["theory", "estimate"]
    toy._asked(toy.line, "keep", [])
    assert toy.line.kept == ""
    assert [one.role for one in drawn[-1].panels[0].series] == ["theory", "estimate"]


def test_a_picture_on_other_axes_takes_no_kept_curve():
    (chart,) = curves(1.0)
    other = replace(chart, panels=(replace(chart.panels[0], xlabel="d"),))
    assert Kept(chart, "ε = 1").beneath(other) == other
    assert Kept(chart, "ε = 1").beneath(replace(chart, panels=chart.panels * 2)).panels == chart.panels * 2


def test_only_a_picture_with_curves_on_axes_of_numbers_is_kept():
    (chart,) = curves(1.0)
    toy = moving()
    toy.draw_now()
    assert toy.line.keeps
    named = replace(chart.panels[0], names=("a", "b", "c"))
    toy.view = lambda **_: iter((replace(chart, panels=(named,)),))
    toy.widgets["epsilon"].value = 2.0
    assert not toy.line.keeps


def test_a_kept_curve_is_drawn_pale():
    (chart,) = curves(1.0)
    svg = plots.svg(Kept(chart, "ε = 1").beneath(chart)).decode()
    assert "opacity: 0.3" in svg


def along(epsilon):
    """A picture whose first axis is that of the number."""
    line = Series("line", (-10, 10), (0.0, epsilon), role="theory")
    panel = Panel("p", "x", "y", (line,), "linear", "linear", xlim=(-10, 10))
    yield Chart("along", "Along", (panel,), alt="A line", caption=f"At {epsilon:g}.")


def test_a_point_is_where_its_handle_is_and_moves_it():
    toy = Explorer(along, "A line", {"epsilon": Slider(-8, 8, 2, log=False, label="row", drag=True)})
    toy.draw_now()
    picture = toy.picture
    assert (picture.label, picture.free, picture.point[0]) == ("row", "x", 2)
    assert picture.ends[:2] == [-10, 10]
    assert picture.stops[0] == toy.widgets["epsilon"].stops
    left, top, width, height = picture.area
    assert 0 < left < left + width <= 1
    assert 0 < top < top + height <= 1
    picture.point = [-3.0, picture.point[1]]
    assert toy.widgets["epsilon"].value == -3
    assert "At -3." in toy.sentence.value
    toy.widgets["epsilon"].value = 4.0
    assert picture.point[0] == 4


def test_a_picture_without_a_dragged_number_has_no_point(view):
    toy = explorer(view)
    toy.draw_now()
    assert toy.picture.ends == toy.picture.point == []
    with pytest.raises(ArgumentError, match="drag"):
        Slider(1, 10, 2, drag=True)
