"""Parameters of notebooks are declared and refused early; every figure is a function of those it declares."""

import json
import re
from functools import cache
from importlib import import_module
from inspect import signature
from math import inf, isfinite
from unittest.mock import patch

import pytest

from tests.lab.conftest import ROOT
from workbench.chapters.parameters import CHAPTERS
from workbench.charts import canonical_json
from workbench.charts.chart import PLACES
from workbench.errors import ArgumentError
from workbench.lab import notebook as session
from workbench.lab.notebook import Session, defaults, nearest, neutral
from workbench.lab.project import REQUIRED, chapter, parameters
from workbench.study.sweeps import Run, lending

# A notebook whose parameters and set-up were run, with parameters of our choice.


def cells(path):
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in found if cell["cell_type"] == "code"]


def ready(path, out, **parameters):
    """Return the names after parameters and set-up were run, and the cells that follow."""
    names = {}
    given, setup, *others = cells(path)
    exec(given, names)
    names.update(parameters, out=str(out), recompute=True)
    exec(setup, names)
    return names, others


# Every figure is a function of the public numbers it declares: each moves it, and nothing else is taken.

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SKETCH, PREDICTED = Run("quick", 3, most=4), Run("quick", 3, simulate=False)
CHEAP = {  # chapter: figures that take long, and where they are sketched
    "robust_and_private": (("figure_1", "against_corruption", "scoreboard"), {"n": 4000}),
    "sparse_covariance": (("regime_map", "figure_1", "figure_2", "figure_3", "figure_4"), {"p": 20}),
}


def figures():
    for name in CHAPTERS:
        chapter = import_module(f"workbench.chapters.{name}")
        for _, made in sorted(vars(chapter).items()):
            taken = signature(made).parameters if callable(made) else ()
            if "run" in taken and "frame" not in taken:  # a film's frame is no public number
                yield name, made


FIGURES = list(figures())
OF_NUMBERS = [(name, figure) for name, figure in FIGURES if defaults(figure)]
MEASURED_ALONE = {  # what no prediction shows
    "price": {"delta", "n"},
    "ten_releases": {"epsilon"},
    "side_by_side": {"epsilon", "delta"},
    "rows_against_delta": {"epsilon"},
    "skewed_rows": {"epsilon", "delta", "d", "radius"},
    "net_floors": {"epsilon"},
    "abstains": {"epsilon", "delta", "d"},
    "scoreboard": {"corruption", "epsilon", "delta", "n", "d"},
    "figure_2": {"share", "p", "epsilon"},
    "figure_4": {"share", "p", "epsilon"},
    "regime_map": {"epsilon", "delta", "p", "degree"},
}
DEAR = {  # predictions of seconds
    *("error_against_dimension", "error_against_steps", "price_of_facts", "price_of_a_covariance"),
    *("price_of_a_mean", "steps_on_the_wrong_side", "rows_against_d", "rows_needed"),
}
MOVES = [(name, figure, moved) for name, figure in FIGURES for moved in defaults(figure)]


def others(name, parameter, value):
    declared = CHAPTERS[name][parameter]
    found = [round(value * by) if declared.integer else value * by for by in (1.5, 0.6, 2, 0.5)]
    return [one for one in found if declared.admits(one) and one != value]


def numbers(name, figure):
    sketched, here = CHEAP.get(name, ((), {}))
    return {**defaults(figure), **(here if figure.__name__ in sketched else {})}


@cache
def usual(name, figure, run):
    """What is drawn at the numbers of the committed figure, or of its sketch."""
    return [*plotted(figure(run, **numbers(name, figure)))]


def plotted(chart):
    for panel in chart.to_json()["panels"]:
        curves = [(series["x"], series["y"]) for series in panel["series"]]
        marks = [[mark.get(name) for name in PLACES] for mark in panel.get("marks", ())]
        yield curves, panel.get("heat"), marks


def measured(panel):
    """The points of every curve that was measured; none beside published numbers, which are at theirs."""
    if any(one.label == "published" for one in panel.series):
        return []
    return [(one.x, one.y) for one in panel.series if one.role == "estimate" and one.x]


def marked(name, figure, parameter):
    """A case, slow where it takes seconds or needs runs."""
    word = figure.__name__
    alone = parameter in MEASURED_ALONE.get(word, ()) and (name, word) != ("robust_and_private", "figure_2")
    slow, run = [pytest.mark.slow] if alone or word in DEAR else [], SKETCH if alone else PREDICTED
    return pytest.param(name, figure, parameter, run, marks=slow, id=f"{word}-{parameter}")


@pytest.mark.daily
@pytest.mark.parametrize(("name", "figure", "parameter", "run"), [marked(*move) for move in MOVES])
def test_a_declared_number_moves_what_is_plotted(name, figure, parameter, run):
    """Predictions cost no runs; where none of them moves, what is measured does.

    A threshold that is a whole number may be the same at one other value: it is not at all of them.
    """
    here = numbers(name, figure)
    values = others(name, parameter, here[parameter])
    moved = (figure(run, **{**here, parameter: one}) for one in values)
    assert any(usual(name, figure, run) != [*plotted(one)] for one in moved)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "figure"), OF_NUMBERS, ids=lambda one: getattr(one, "__name__", one))
def test_what_is_measured_moves_in_every_panel(name, figure):
    """A curve of its own may stay: an estimator that releases its range does so at other numbers, too."""
    here = numbers(name, figure)
    moved = {parameter: others(name, parameter, value)[0] for parameter, value in here.items()}
    for before, after in zip(figure(SKETCH, **here).panels, figure(SKETCH, **moved).panels, strict=True):
        assert not measured(before) or measured(before) != measured(after)


@pytest.mark.daily
@pytest.mark.parametrize(("name", "figure"), FIGURES, ids=lambda one: getattr(one, "__name__", one))
def test_what_is_recorded_is_what_was_used_and_nothing_else_is_taken(name, figure, tmp_path, monkeypatch):
    monkeypatch.setattr(session, "Run", lambda profile, seed: PREDICTED)
    lab = Session(name, out=str(tmp_path), recompute=True)
    here = numbers(name, figure)
    used = {**here, **{first: others(name, first, here[first])[0] for first in [*here][:1]}}
    lab.show(figure, **used)
    (made,) = tmp_path.glob("*.json")
    recorded = canonical_json.read(made)["parameters"]
    assert recorded == json.loads(json.dumps({"profile": "quick", **defaults(figure), **used}))
    with pytest.raises(TypeError, match="undeclared"):
        figure(PREDICTED, undeclared=1)


SLOW_ENDS = ("any_gaussian", "covariance", "many_dimensions", "matrix_quantile", "which_one")
BESIDE_ENDS = {"epsilon": (0.1, 0.05), "delta": (1e-12,)}
REFUSED = {(figure, ("delta", 1e-15)) for figure in ("abstains", "stability")}
"""Where the plan has no number of rows: the session draws an empty picture with the reason."""
BROKEN = re.compile(r"\b(nan|inf|None|e[+-]\d\d)\b")


def ends(name, parameter):
    declared = CHAPTERS[name][parameter]
    wanted = (declared.low, declared.high, *BESIDE_ENDS.get(parameter, ()))
    return [one for one in wanted if declared.admits(one)]


def shown(path, folder, **moved):
    """The figures of a notebook, and the numbers that it gives them at parameters of our choice."""
    calls, (names, others) = [], ready(path, folder, **moved)

    def show(session, figure, *, verdicts=(), **numbers):
        calls.append((figure, nearest(session.chapter, numbers)))

    with lending(noted=[]), patch.object(Session, "show", show):
        for cell in others:
            if "lab.show(" in cell:
                exec(cell, names)
    return calls


@cache
def calls_at_the_ends(name):
    """Every figure of a notebook with the numbers that it gets at the ends of every parameter."""
    (path,) = (one for one in NOTEBOOKS if chapter(one.stem) == name)
    found = {figure: {} for figure, _ in shown(path, "nowhere")}
    for parameter in CHAPTERS[name]:
        for value in ends(name, parameter):
            calls = shown(path, "nowhere", **{parameter: value})
            for figure, numbers in calls:
                used = {**defaults(figure), **numbers}
                if used != defaults(figure):
                    found[figure][tuple(used.items())] = used
    return {figure: list(calls.values()) for figure, calls in found.items()}


def words(chart):
    for panel in chart.panels:
        yield from (panel.title, panel.xlabel, panel.ylabel, panel.note, *panel.names)
        yield from (one.label for one in panel.series)
        yield from (mark.text for mark in panel.marks)
        yield from (*panel.heat.rows, *panel.heat.columns) if panel.heat else ()
    yield from (chart.title, chart.alt, chart.how_to_read, chart.caption)


def within(value, limits, scale):
    low, high = limits or (-inf, inf)
    return isfinite(value) and low <= value <= high and (value > 0 or scale != "log")


def faults(chart, usual, known):
    """What is wrong with a picture at other numbers; some are known to show what is measured alone."""
    if chart.to_json() == usual.to_json() and not known:
        yield "nothing moves"
    yield from (f"says {one!r}" for one in words(chart) if BROKEN.search(one))
    if len(chart.title) > 80:
        yield f"a title of {len(chart.title)} letters"
    for place, panel in enumerate(chart.panels):
        axes = (panel.xlim, panel.xscale), (panel.ylim, panel.yscale)
        for limits, scale in axes:
            if limits and not (all(within(one, None, scale) for one in limits) and limits[0] < limits[1]):
                yield f"panel {place}: limits {limits}"
        points = (pair for one in panel.series for pair in zip(one.x, one.y, strict=True))
        seen = any(all(map(within, pair, *zip(*axes, strict=True))) for pair in points)
        if not (seen or panel.heat or panel.note or known):
            yield f"panel {place}: nothing is shown"
        marks = [getattr(mark, one) for mark in panel.marks for one in PLACES]
        if not all(one is None or isfinite(one) for one in marks):
            yield f"panel {place}: {marks}"


at_usual_numbers = cache(lambda figure: figure(PREDICTED))


def drawn(figure, used):
    """What is wrong with a picture from predictions alone."""
    moved = {one: value for one, value in used.items() if value != defaults(figure)[one]}
    case, known = f"{figure.__name__} {moved}", MEASURED_ALONE.get(figure.__name__, ())
    try:
        charts = figure(PREDICTED, **used), at_usual_numbers(figure)
    except Exception as error:  # all of them are told at once
        refused = isinstance(error, ArgumentError) and (figure.__name__, *moved.items()) in REFUSED
        return [] if refused else [f"{case}: {type(error).__name__}: {error}"]
    said = [neutral(figure, one, {charts[1].title}) for one in charts]
    return [f"{case}: {one}" for one in faults(*said, known)]


@pytest.mark.daily
@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=[pytest.mark.slow] if one in SLOW_ENDS else []) for one in CHAPTERS]
)
def test_every_declared_value_draws(name):
    """At both ends of every parameter, and at values that are asked for often; from predictions alone."""
    calls = calls_at_the_ends(name).items()
    found = [one for figure, several in calls for used in several for one in drawn(figure, used)]
    assert not found, "\n".join(found)


# What a notebook's parameters may be: declared once, refused early and by name.

EVERY = [(name, parameter) for name, declared in CHAPTERS.items() for parameter in declared]


@pytest.mark.parametrize(("name", "parameter"), EVERY)
def test_wrong_values_are_refused_by_name_and_legal_ones_are_not(name, parameter, tmp_path):
    one = CHAPTERS[name][parameter]
    wrong = [float("nan"), float("inf"), "1", None, True, one.low - 1, 2 * one.high]
    for value in [*wrong, *([10.5, 100.0] if one.integer else [])]:
        with pytest.raises(ArgumentError) as raised:
            Session(name, out=str(tmp_path), **{parameter: value})
        assert raised.value.argument == parameter
        assert str(raised.value).endswith(f": expected {one.words}")
    for value in (one.low, one.default, one.high):
        Session(name, out=str(tmp_path), **{parameter: value})


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_declares_its_parameters_and_gives_them_to_its_session(notebook):
    own = set(parameters(notebook))
    assert own - {*REQUIRED} == set(CHAPTERS[chapter(notebook.stem)])
    with patch("workbench.lab.notebook.Session") as made:
        names, _ = ready(notebook, "nowhere")
    made.assert_called_once_with(chapter(notebook.stem), **{name: names[name] for name in own})
