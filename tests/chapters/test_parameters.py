"""Every figure is a function of the public numbers it declares: each moves it, and nothing else is taken."""

import json
from functools import cache
from importlib import import_module
from inspect import isgeneratorfunction, signature

import pytest

from workbench.chapters.parameters import CHAPTERS
from workbench.charts import canonical_json
from workbench.lab.live import session
from workbench.lab.live.session import Session, defaults
from workbench.study.run import Run

SKETCH = Run("quick", 3, most=4)


def figures():
    """The figures of all chapters, by name."""
    for name in CHAPTERS:
        chapter = import_module(f"workbench.chapters.{name}")
        for word in chapter.__all__:
            made = getattr(chapter, word)
            if callable(made) and "run" in signature(made).parameters and not isgeneratorfunction(made):
                yield name, made


FIGURES = list(figures())
MOVES = [(name, figure, moved) for name, figure in FIGURES for moved in defaults(figure)]


def other(name, parameter, value):
    """An allowed value of a parameter besides its own."""
    declared = CHAPTERS[name][parameter]
    found = [value * by for by in (1.5, 0.6, 2, 0.5)]
    found = [round(one) for one in found] if declared.integer else found
    return next(one for one in found if declared.admits(one) and one != value)


@cache
def usual(figure):
    """What is drawn at the numbers of the committed figure."""
    return plotted(figure(SKETCH))


def plotted(chart):
    """What is drawn, without words."""
    return [
        [(series["x"], series["y"]) for series in panel["series"]] + [panel.get("heat")]
        for panel in chart.to_json()["panels"]
    ]


@pytest.mark.parametrize(
    ("name", "figure", "parameter"), MOVES, ids=lambda one: getattr(one, "__name__", one)
)
def test_a_declared_number_moves_what_is_plotted(name, figure, parameter):
    moved = {parameter: other(name, parameter, defaults(figure)[parameter])}
    assert usual(figure) != plotted(figure(SKETCH, **moved))


@pytest.mark.parametrize(("name", "figure"), FIGURES, ids=lambda one: getattr(one, "__name__", one))
def test_what_is_recorded_is_what_was_used_and_nothing_else_is_taken(name, figure, tmp_path, monkeypatch):
    monkeypatch.setattr(session, "Run", lambda profile, seed: SKETCH)
    lab = Session(name, out=str(tmp_path))
    used = {
        parameter: other(name, parameter, value) for parameter, value in list(defaults(figure).items())[:1]
    }
    lab.show(figure, **used)
    (made,) = tmp_path.glob("*.json")
    recorded = canonical_json.read(made)["parameters"]
    assert recorded == json.loads(json.dumps({"profile": "quick", **defaults(figure), **used}))
    with pytest.raises(TypeError, match="undeclared"):
        figure(SKETCH, undeclared=1)
