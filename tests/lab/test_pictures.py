"""Pictures: what they say goes to JSON and back; what is drawn is on the page, apart, and as it was said."""

import re
import subprocess
import sys
from dataclasses import replace
from itertools import combinations

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from tests.lab.conftest import ROOT, environment
from workbench.catalog import CATALOG
from workbench.charts import canonical_json
from workbench.charts.chart import Chart, Heat, Mark, Panel, Series
from workbench.charts.curves import agreement
from workbench.charts.drawing import RC, draw, png, svg
from workbench.charts.style import METHODS
from workbench.errors import ArgumentError
from workbench.lab.figures import VERDICTS, kept_chart, richest

COMMITTED = [path for path in sorted(ROOT.glob("figures/*/*.json")) if path.name != VERDICTS]
SLACK = 2.0  # pixels at 100 for an inch: what letters leave blank at the ends of their boxes
N = np.logspace(2, 5, 5)
LINES = (
    Series("measured", N, 1 / N, low=0.9 / N, high=1.2 / N, colour_key="mean/coinpress"),
    Series("", N, 1 / N, role="theory", colour_key="mean/coinpress"),
    Series("bound", N, 0.3 / N, role="bound"),
    Series("reference", N, 0.5 / N, role="reference", colour_key="non-private"),
)
PANEL = Panel("Error", "n", "error", LINES, note="A note.")


def chart(*panels):
    return Chart("toy", "Error falls as 1/n & no slower", panels, alt="Everything <falls>.")


def faults(shown):
    """Return the words of a drawn picture that leave the page, and pairs of words that touch."""
    with mpl.rc_context(RC):
        figure = draw(shown)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
        boxes = [(one.get_text(), Text.get_window_extent(one, canvas.get_renderer())) for one in texts]
    page = figure.bbox.padded(SLACK)
    off = [words for words, box in boxes if not (page.contains(*box.min) and page.contains(*box.max))]
    pairs = combinations([(words, box.padded(-SLACK)) for words, box in boxes], 2)
    return off + [(one, other) for (one, a), (other, b) in pairs if Bbox.intersection(a, b) is not None]


@pytest.mark.daily
@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_committed_words_are_on_the_page_and_apart_and_the_picture_is_of_its_numbers(path):
    committed, said = kept_chart(path), re.compile(rb"<!-- (.*?) -->", re.DOTALL)
    assert faults(committed) == []
    assert said.findall(path.with_suffix(".svg").read_bytes()) == said.findall(svg(committed))


@pytest.mark.turns(3)
def test_words_that_touch_are_found_and_equal_ends_are_parted():
    marks = (Mark("here it crosses", x=1e3, y=0.005), Mark("here it does not", x=1.2e3, y=0.005))
    assert faults(chart(replace(PANEL, marks=marks))) == [("here it crosses", "here it does not")]
    equal = [Series(f"a name of some length {k}", N, 1 / N, rank=k / 5) for k in range(5)]
    assert faults(chart(Panel("", "n", "error", equal), Panel("", "n", "other", equal))) == []


def test_json_gives_a_chart_back_keeps_six_digits_and_bad_arguments_are_named():
    for path in COMMITTED:
        form = richest(canonical_json.read(path)["charts"])
        assert kept_chart(path).to_json() == form, path
    third = Series("s", np.array([1 / 3, 2.0]), [np.inf, np.nan]).to_json()
    assert (third["x"], third["y"]) == ([0.333333, 2.0], ["inf", "nan"])
    for argument, make in {
        "y": lambda: Series("s", [1, 2], [1]),
        "x2": lambda: Mark("m", "arrow", x=1, y=1),
        "values": lambda: Heat(((1.0,), (1.0, 2.0)), (0, 1)),
        "alt": lambda: Chart("a", "t", (), alt=" "),
    }.items():
        with pytest.raises(ArgumentError, match=f"^{argument} = "):
            make()


@pytest.mark.turns(4)
def test_hostile_numbers_and_far_marks_draw_without_a_warning():
    marks = (Mark("far away", x=1e9, y=1e-9),)
    far = replace(PANEL, series=(replace(LINES[0], label_at=(1e9, 1e9)),), marks=marks)
    x, y = (1, 2, 3, 4, 5), (np.inf, np.nan, -1.0, 0.0, 1e308)
    hostile = Panel("p", "x", "y", (Series("s", x, y, low=y, high=y),))
    for panel in (
        far,
        replace(hostile, yscale="log"),
        replace(hostile, yscale="linear"),
        Panel("", "", "", ()),
    ):
        png(draw(chart(panel)))


@pytest.mark.turns(2)
def test_style_does_not_leak_and_a_picture_carries_its_words_and_is_the_same_in_another_process():
    plain = svg(chart(PANEL))
    assert b"<title>Error falls as 1/n &amp; no slower</title>" in plain
    with mpl.rc_context({"font.size": 30, "axes.grid": False, "lines.linewidth": 9, "font.family": "serif"}):
        before = dict(mpl.rcParams)
        assert svg(chart(PANEL)) == plain
        assert dict(mpl.rcParams) == before
    code = "import sys; from tests.lab.test_pictures import *; sys.stdout.buffer.write(svg(chart(PANEL)))"
    env = {**environment(), "PYTHONHASHSEED": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=env, check=True)
    assert done.stdout == plain
    edges = np.ravel([axes.get_position(original=True).p0 for axes in draw(chart(PANEL, PANEL)).axes])
    assert np.array_equal(edges, np.round(edges, 6))  # a solver's last bits are not the same on every run


def test_every_catalogued_method_has_a_name_a_hue_and_a_marker_of_its_own_in_its_family():
    assert set(CATALOG) <= set(METHODS)
    for family in {one.partition("/")[0] for one in CATALOG}:
        kin = [
            METHODS[one] for one in CATALOG if one.startswith(f"{family}/") and not one.endswith("empirical")
        ]
        names, looks = {one.name for one in kin}, {(one.hue, one.marker) for one in kin}
        assert len(names) == len(looks) == len(kin), family


def test_a_wrong_prediction_is_seen_and_a_declared_tolerance_allowed():
    y = np.linspace(0.8, 1.2, 12)
    around = Series("a", range(12), y, y - 0.25, y + 0.25, expected=[1.0] * 12)
    for scale, agrees in ((0.6, False), (1.0, True), (1.6, False)):
        found = agreement(chart(replace(PANEL, series=(replace(around, expected=[scale] * 12),))))
        assert bool(found) is agrees
    exact = Series("a", (1.0, 2.0), (10.0, 11.4), expected=(10.0, 10.0), margin=0.15)
    far = replace(exact, y=(10.0, 11.6))
    assert str(agreement(chart(replace(PANEL, series=(exact, far))))) == (
        "measured agrees with predicted at 3 of 4 points; outside: a at 2: 11.6, predicted 10"
    )
    assert agreement(chart(PANEL)).points == 0
    lost = Series("a", (1.0,), (np.inf,), (5.0,), (np.inf,), expected=(1.0,))
    assert not agreement(chart(replace(PANEL, series=(lost,))))
