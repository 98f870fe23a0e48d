import subprocess
import sys
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from tests.lab.conftest import environment
from workbench.catalog import CATALOG
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.formats import PAGE, SLIDE
from workbench.charts.layout import Layout
from workbench.charts.layout import key as said_once
from workbench.charts.methods import METHODS
from workbench.charts.ticks import log_ticks, tick_labels
from workbench.lab.pictures.plots import draw, png, slides, svg
from workbench.lab.pictures.style import look

N = np.logspace(2, 5, 5)
ROLES = (
    Series("measured", N, 1 / N, low=0.9 / N, high=1.2 / N, colour_key="mean/coinpress"),
    Series("predicted", N, 1 / N, role="theory", colour_key="mean/coinpress"),
    Series("bound", N, 0.3 / N, role="bound"),
    Series("reference", N, 0.5 / N, role="reference", colour_key="non-private"),
)
PANEL = Panel("Error", "n", "error", ROLES, note="A note.")


def chart(*panels, name="toy"):
    return Chart(name, "Error falls as 1/n & no slower", panels, alt="Everything <falls>.")


def boxes(figure, artists):
    renderer = FigureCanvasAgg(figure).get_renderer()
    return [artist.get_window_extent(renderer) for artist in artists]


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_legend_and_titles_never_touch_the_data_or_leave_the_picture(count):
    figure = draw(chart(*[PANEL] * count))
    png(figure, 100)
    axes = boxes(figure, figure.axes)
    words = boxes(figure, [*figure.legends, *figure.texts])
    assert not any(one.overlaps(two) for one in words for two in axes)
    assert not any(one.overlaps(two) for place, one in enumerate(axes) for two in axes[:place])
    every = [
        *words,
        *(box for ax in figure.axes for box in boxes(figure, [*ax.texts, ax.xaxis.label, ax.yaxis.label])),
    ]
    assert all(
        box.x0 >= 0 and box.y0 >= 0 and box.x1 <= 960 and box.y1 <= figure.bbox.height for box in every
    )


def test_a_figure_drawn_over_keeps_its_axes_and_looks_like_a_new_one():
    other = Panel("Other", "R", "n", ROLES[:2], xscale="linear", xlim=(0, 1e5))
    figure = draw(chart(other))
    axes = figure.axes[0]
    again = draw(chart(PANEL), figure)
    assert again is figure
    assert again.axes[0] is axes
    assert png(again) == png(draw(chart(PANEL)))


def test_hostile_numbers_draw_without_a_warning():
    x, y = (1, 2, 3, 4, 5), (np.inf, np.nan, -1.0, 0.0, 1e308)
    for scale in ("log", "linear"):
        png(draw(chart(Panel("p", "x", "y", (Series("s", x, y, low=y, high=y),), yscale=scale))))
    png(draw(chart(Panel("empty", "x", "y", ()))))


def test_style_does_not_leak_and_user_settings_do_not_leak_in():
    plain = png(draw(chart(PANEL)))
    with mpl.rc_context({"font.size": 30, "axes.grid": False, "lines.linewidth": 9, "font.family": "serif"}):
        before = dict(mpl.rcParams)
        assert png(draw(chart(PANEL))) == plain
        assert dict(mpl.rcParams) == before


@pytest.mark.daily
def test_svg_carries_its_words_and_is_the_same_in_another_process():
    picture = svg(chart(PANEL))
    assert b"<title>Error falls as 1/n &amp; no slower</title>" in picture
    assert b"<desc>Everything &lt;falls&gt;.</desc>" in picture
    code = (
        "import sys; from tests.lab.pictures.test_plots import *; sys.stdout.buffer.write(svg(chart(PANEL)))"
    )
    for salt in ("1", "2"):
        env = {**environment(), "PYTHONHASHSEED": salt}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=env, check=True)
        assert done.stdout == picture


def test_every_catalogued_method_has_a_name_a_hue_and_a_marker_of_its_own_in_its_family():
    assert set(CATALOG) <= set(METHODS)
    for family in {key.partition("/")[0] for key in CATALOG}:
        kin = [
            METHODS[key] for key in CATALOG if key.startswith(f"{family}/") and not key.endswith("empirical")
        ]
        names, looks = {one.name for one in kin}, {(one.hue, one.marker) for one in kin}
        assert len(names) == len(looks) == len(kin), family
    assert look("mean/prime:paper").colour == look("mean/prime").colour


def test_a_ramp_goes_from_light_to_dark_in_one_hue():
    shades = [look("mean/prime", rank / 10).colour for rank in range(11)]
    sums = [sum(int(one[k : k + 2], 16) for k in (1, 3, 5)) for one in shades]
    assert sums == sorted(sums, reverse=True)
    assert shades[5] == look("mean/prime").colour.lower()


@pytest.mark.parametrize("count", [1, 2, 5, 6])
def test_names_stand_at_the_ends_of_their_lines_or_in_a_legend(count):
    lines = [Series(f"line {k}", N, (k + 1) / N, rank=k / 6) for k in range(count)]
    figure = draw(chart(Panel("", "n", "error", lines)))
    (axes,) = figure.axes
    written = {text.get_text() for text in axes.texts} & {one.label for one in lines}
    assert len(written) == (count if count <= 5 else 0)
    assert len(figure.legends) == (count > 5)


def test_names_at_equal_ends_do_not_touch_and_stay_in_the_picture():
    lines = [Series(f"a name of some length {k}", N, 1 / N, rank=k / 5) for k in range(5)]
    figure = draw(chart(Panel("", "n", "error", lines), Panel("", "n", "other", lines)))
    png(figure, 100)
    for axes in figure.axes:
        places = boxes(figure, [text for text in axes.texts if text.get_text().startswith("a name")])
        assert all(box.x1 <= 960 for box in places)
        assert not any(one.overlaps(two) for place, one in enumerate(places) for two in places[:place])


def test_beside_its_prediction_a_measured_curve_is_markers_and_the_prediction_pale():
    measured, predicted = draw(chart(PANEL)).axes[0].lines[:2]
    assert (measured.get_linestyle(), measured.get_marker()) == ("None", "o")
    assert predicted.get_alpha() < 0.6
    alone = draw(chart(replace(PANEL, series=ROLES[1:2]))).axes[0].lines[0]
    assert alone.get_alpha() > 0.9


@pytest.mark.parametrize("form", [PAGE, SLIDE])
def test_marks_of_every_kind_are_drawn(form):
    marks = (
        Mark("crossing", "point", x=1e3, y=1e-3),
        Mark("sampling wins here", x=2e4, y=5e-3),
        Mark("n = 300", "vertical", x=300),
        Mark("target", "horizontal", y=1e-4),
        Mark("no answer", "span", x=100, x2=200),
        Mark("ten times fewer rows", "arrow", x=1e3, y=1e-4, x2=1e4, y2=1e-4),
    )
    figure = draw(chart(replace(PANEL, marks=marks)), form=form)
    png(figure, 100)
    words = " ".join(text.get_text().replace("\n", " ") for text in figure.axes[0].texts)
    assert all(mark.text in words for mark in marks)


def test_a_slide_has_one_panel_and_no_text_below_sixteen_pixels():
    two = chart(PANEL, replace(PANEL, title="Second", ylabel="other"))
    assert [len(one.panels) for one in slides(two)] == [1, 1]
    figure = draw(slides(two)[1], form=SLIDE)
    texts = [
        *figure.texts,
        *figure.axes[0].texts,
        *figure.axes[0].get_xticklabels(),
        figure.axes[0].yaxis.label,
    ]
    assert min(text.get_fontsize() for text in texts if text.get_text()) * 100 / 72 >= 16
    assert figure.get_size_inches()[0] == 12.4
    assert svg(two, SLIDE, panel=1) != svg(two, SLIDE, panel=0)


@pytest.mark.parametrize("low", [1e-9, 0.03, 0.7, 2.0, 300.0])
@pytest.mark.parametrize("ratio", [4.1, 7, 30, 200, 1e4, 1e12])
def test_log_ticks_are_few_and_inside(low, ratio):
    ticks = log_ticks(low, low * ratio)
    assert 2 <= len(ticks) <= 8
    assert all(low * 0.999 <= tick <= low * ratio * 1.001 for tick in ticks)
    assert len(set(tick_labels(ticks))) == len(ticks)


def test_a_long_title_stays_inside_the_picture():
    title = "What a private mean costs: " + "the WIDEST words of a long title " * 4
    figure = draw(Chart("wide", title, (Panel("", "x", "y", ()),), alt="A title"))
    (head,) = [text for text in figure.texts if text.get_text().startswith("What")]
    assert head.get_window_extent().x1 <= figure.bbox.width


NAMED = Panel(
    "", "who", "value", names=("first", "a much longer name", "third"), yscale="linear", ylim=(0, 10),
    series=(
        Series("middle", (0.5, 3.5), (5, 5), role="reference", colour_key="non-private"),
        Series("", (1,), (4,), (3,), (6,), colour_key="mean/coinpress"),
        Series("", (2,), (12,), (8,), (14,), colour_key="mean/prime"),
        Series("", (3,), (float("nan"),), colour_key="mean/robust"),
    ),
)  # fmt: skip


def test_a_panel_with_names_lies_on_its_side():
    figure = draw(chart(NAMED))
    png(figure, 100)
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == list(NAMED.names)
    assert axes.get_ylim() == (3.5, 0.5)
    assert axes.get_xlim() == (0, 10)
    assert axes.get_xlabel() == "value"
    names = boxes(figure, axes.get_yticklabels())
    assert all(box.x0 >= 0 and box.x1 <= axes.bbox.x0 for box in names)
    assert not any(one.overlaps(two) for place, one in enumerate(names) for two in names[:place])


def test_a_named_row_shows_its_number_its_bar_and_an_arrow_beyond_the_edge():
    axes = draw(chart(NAMED)).axes[0]
    bars = [band.get_paths()[0].get_extents().bounds for band in axes.collections]
    assert np.allclose(bars, [(3, 0.7, 3, 0.6), (8, 1.7, 2, 0.6)])
    points = {(tuple(line.get_xdata()), tuple(line.get_ydata()), line.get_marker()) for line in axes.lines}
    assert ((4.0,), (1.0,), "o") in points
    assert ((0.985,), (2.0,), ">") in points
    assert ((5.0, 5.0), (0.5, 3.5), "None") in points


def test_a_bar_beyond_an_edge_has_an_arrow_there():
    wide = Series("", (1,), (5,), (-3,), (11,), colour_key="mean/prime")
    axes = draw(chart(replace(NAMED, series=(wide,)))).axes[0]
    points = {(line.get_xdata()[0], line.get_marker()) for line in axes.lines}
    assert points == {(5.0, "P"), (0.015, "<"), (0.985, ">")}


def test_ticks_have_a_true_minus():
    line = Series("", (-7.0, 7.5), (1.0, 2.0), role="theory")
    axes = draw(chart(Panel("p", "x", "y", (line,), "linear", "linear"))).axes[0]
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert any(label.startswith("−") for label in labels)
    assert not any("-" in label for label in labels)


@pytest.mark.parametrize(("aside", "whole"), [(0.0, True), (0.25, True), (0.4, False)])
def test_what_counts_has_ticks_at_whole_numbers(aside, whole):
    dots = Series("", (0 - aside, 1, 2 + aside, 3), (1, 2, 1, 2), joined=False)
    line = Series("", (-0.5, 3.5), (1, 1), role="reference")
    panel = Panel("p", "x", "y", (dots, line), "linear", "linear", xlim=(-0.5, 3.5))
    ticks = draw(chart(panel)).axes[0].get_xticks()
    assert all(tick == round(tick) for tick in ticks) == whole
    assert len(ticks) >= 4


@pytest.mark.parametrize(
    ("label", "said"), [("", True), ("half the rows", True), ("paper's constants", False)]
)
def test_the_key_says_what_hollow_is_unless_a_name_does(label, said):
    hollow = Series(label, N, 1 / N, colour_key="mean/prime:paper")
    assert ("hollow" in said_once(chart(replace(PANEL, series=(hollow,)))).lower()) == said


def test_a_figure_turns_from_rows_to_curves_and_back():
    figure = draw(chart(NAMED))
    assert png(draw(chart(PANEL), figure)) == png(draw(chart(PANEL)))
    assert png(draw(chart(NAMED), figure)) == png(draw(chart(NAMED)))


@pytest.mark.parametrize("names", [("a", "b"), ("round", "the worst that a search found")])
def test_names_of_rows_stand_beside_the_panel_before_theirs(names):
    curves = Panel("", "x", "y", (Series("", (1.0, 2.0), (1.0, 2.0)),))
    rows = Panel("", "spectrum", "y", (Series("", (1.0, 2.0), (1.0, 2.0)),), names=names)
    left, second = (
        Layout.of(Chart("two", "", (curves, rows), alt="Two.")).rectangle(place) for place in (0, 1)
    )
    taken = PAGE.character(PAGE.tick) * max(map(len, names)) / PAGE.width
    assert left[0] + left[2] < second[0] - taken
    assert left[3] == second[3]
    assert second[0] + second[2] < 1
