"""What is written on the committed pictures is on the page, and not on other words."""

from itertools import combinations
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from workbench.charts import canonical_json
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.lab.pictures.figures import VERDICTS, richest
from workbench.lab.pictures.plots import draw
from workbench.lab.pictures.style import RC

FIGURES = Path(__file__).parents[3] / "figures"
COMMITTED = sorted(
    path for path in FIGURES.glob("*/**/*.json") if path.name != VERDICTS and path.parent.name != "films"
)
SLACK = 2.0  # pixels at 100 for an inch: what letters leave blank at the ends of their boxes


def written(chart):
    """Return the words of a drawn picture with their boxes, and the size of the page."""
    with mpl.rc_context(RC):
        figure = draw(chart)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
        boxes = [(one.get_text(), Text.get_window_extent(one, canvas.get_renderer())) for one in texts]
        return boxes, figure.bbox


def faults(chart):
    """Return the words that leave the page, and pairs of words that touch."""
    boxes, page = written(chart)
    inside = Bbox.from_extents(page.x0 - SLACK, page.y0 - SLACK, page.x1 + SLACK, page.y1 + SLACK)
    off = [words for words, box in boxes if not (inside.contains(*box.min) and inside.contains(*box.max))]
    pairs = combinations([(words, box.padded(-SLACK)) for words, box in boxes], 2)
    touching = [(one, other) for (one, a), (other, b) in pairs if _overlap(a, b)]
    return off + touching


def _overlap(a, b):
    both = Bbox.intersection(a, b)
    return both is not None and both.width > 0 and both.height > 0


@pytest.mark.daily
@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: str(path.relative_to(FIGURES)))
def test_words_are_on_the_page_and_apart(path):
    assert faults(Chart.from_json(richest(canonical_json.read(path)["charts"]))) == []


def test_words_that_touch_or_leave_are_found():
    line = Series("", (1, 10), (1, 2), colour_key="mean/coinpress")
    marks = (Mark("here it crosses", x=3, y=1.5), Mark("here it does not", x=3.2, y=1.5))
    panel = Panel("n = 100", "rows n", "error (σ)", (line,), marks=marks)
    chart = Chart("touching", "The error falls", (panel,), alt="A line.")
    assert faults(chart) == [("here it crosses", "here it does not")]
    far = Mark("a remark that is too long by far", x=10, y=1.5)
    chart = Chart("leaving", "The error falls", (Panel("", "n", "error", (line,), marks=(far,)),), alt="A.")
    assert faults(chart) == []
    chart = Chart("leaving", "The error falls", (Panel("", "n", "error", (line,), xlim=(1, 9.0), marks=(
        Mark("a remark that is", x=10.5, y=1.5),)),), alt="A line.")  # fmt: skip
    assert faults(chart) == ["a remark that is"]
