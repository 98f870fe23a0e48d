import asyncio
import threading

import pytest

from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.controls import Choice, Slider
from workbench.errors import ArgumentError, positive
from workbench.lab.live import explore
from workbench.lab.live.explore import Explorer
from workbench.lab.pictures import display


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
    assert 12 <= len(stops) <= 130
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
