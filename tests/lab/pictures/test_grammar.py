"""One grammar for all committed figures, and a fault of every sort that is found."""

from dataclasses import replace
from pathlib import Path

import pytest

from workbench.charts import canonical_json
from workbench.charts.chart import Chart, Heat, Mark, Panel, Series
from workbench.lab.pictures.figures import VERDICTS
from workbench.lab.pictures.grammar import faults

FIGURES = Path(__file__).parents[3] / "figures"
COMMITTED = sorted(
    path for path in FIGURES.glob("*/**/*.json") if path.name != VERDICTS and path.parent.name != "films"
)
LINE = Series("CoinPress", (1, 10), (1, 2), colour_key="mean/coinpress")
PANEL = Panel("n = 30\u2009000", "rows n", "error (σ)", (LINE,))
GOOD = Chart("good", "The error falls as one over n", (PANEL,), alt="A line.", how_to_read="It falls.")


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: str(path.relative_to(FIGURES)))
def test_a_committed_figure_keeps_the_grammar(path):
    for profile, form in canonical_json.read(path)["charts"].items():
        assert faults(Chart.from_json(form)) == [], profile


def test_there_are_figures_to_hold():
    assert len(COMMITTED) >= 60


def test_a_good_chart_has_no_fault():
    assert faults(GOOD) == []


def panel(**changes):
    return replace(GOOD, panels=(replace(PANEL, **changes),))


def line(**changes):
    return panel(series=(replace(LINE, **changes),))


@pytest.mark.parametrize(
    ("chart", "words"),
    [
        (replace(GOOD, title="Figure 3: error"), "number of a figure"),
        (replace(GOOD, title="word " * 15), "title of 15 words"),
        (replace(GOOD, how_to_read="word " * 46), "how_to_read of 46 words"),
        (panel(note="word " * 26), "note of 26 words"),
        (panel(marks=(Mark("word " * 13, x=1, y=1),)), "mark of 13 words"),
        (panel(xlabel="δ = 1e-6"), "as a computer writes it"),
        (panel(ylabel="P_v"), "underscore"),
        (panel(title="ratio .05"), "without its zero"),
        (panel(title="n = 40000"), "do not stand apart"),
        (panel(title="n = 9,000"), "do not stand apart"),
        (panel(note="Dashed: predicted"), "dashed"),
        (line(label="mean/coinpress"), "catalog's key mean/coinpress"),
        (
            replace(GOOD, panels=[replace(PANEL, xlabel=str(k)) for k in range(3)]),
            "3 panels on different axes",
        ),
        (panel(series=[replace(LINE, label=str(k)) for k in range(9)]), "9 names"),
        (panel(ylabel=""), "no label of its values"),
        (panel(xlabel=""), "no label of x"),
        (line(colour_key="2"), "not in the table of methods"),
        (line(colour_key="mean/coinpress:ours"), "not the paper's"),
        (line(rank=0.5), "a ramp of one shade"),
        (
            panel(series=(LINE, replace(LINE, label="the other", colour_key="covariance/coinpress"))),
            "drawn alike",
        ),
        (panel(heat=Heat(((1.0,),), (0, 1), columns=("1e5",)), series=()), "as a computer writes it"),
    ],
)
def test_every_sort_of_fault_is_found(chart, words):
    assert any(words in fault for fault in faults(chart)), faults(chart)


def test_mathematics_may_have_what_words_may_not():
    assert faults(panel(title=r"between $P_{v+1}$ and $10^{12345}$")) == []
