"""What explorers are made of: charts as numbers, folded grids, trials on request, and what is committed."""

import ast
import json
import random
import re
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from math import nan, prod

import numpy as np
import pytest

from tests.lab.conftest import ROOT, until
from workbench import ZCDP, ClippedMean, PureDP, TwoStepMean
from workbench.chapters import columns, which_one
from workbench.chapters import what_epsilon_means as chapter
from workbench.charts import canonical_json
from workbench.errors import ArgumentError
from workbench.lab import explore, explorers
from workbench.lab.notebook import colour_keys, compare
from workbench.lab.project import calls
from workbench.populations import UnivariateGaussian
from workbench.study.sweeps import Run
from workbench.study.trade_off import TradeOff

COMMITTED = sorted((ROOT / "figures").glob(f"*/{explore.FOLDER}/*.json"))
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MOVE = re.compile(r"\b(?:epsilon|delta|alpha|n|rho)=")


def unfold(node, place):
    """A cell of a folded grid, as `pick` of the script returns it."""
    if isinstance(node, list):
        return [unfold(part, place) for part in node]
    if not isinstance(node, dict):
        return node
    if "$" in node:
        return node["$"][node["at"][place] if "at" in node else place]
    return {name: unfold(part, place) for name, part in node.items()}


def listened(made):
    """An explorer, and what it has sent."""
    sent = []
    made.view = type("View", (), {"send": staticmethod(sent.append)})
    return made, sent


def ask(made, turn, **more):
    made._asked(None, {"id": turn, "values": {"epsilon": 2.0, "n": 50}} | more, None)


def test_a_control_is_a_number_and_what_goes_wrong_is_said_in_place_of_a_picture():
    for wrong in ({"rows": 3}, {"radius": 3.0}):
        with pytest.raises(ArgumentError):
            explore.explorer(chapter.tracing, **wrong)
    form = explore.explorer(which_one.best_map, d=3).chart({})
    assert form["error"].endswith("a table of colours is no explorer")
    assert form["panels"] == []
    made, sent = listened(explore.explorer(chapter.tracing, epsilon=1.0, n=100))
    made.compute = lambda text: 1 / 0
    ask(made, 1)
    assert sent == [{"id": 1, "chart": {**sent[0]["chart"], "error": "ZeroDivisionError: division by zero"}}]


@pytest.mark.turns(6)
def test_trials_come_with_bands_and_end_with_the_next_move():
    made, sent = listened(explore.explorer(chapter.tracing, epsilon=1.0, n=100))
    ask(made, 1, runs=40)
    until(lambda: sent)
    assert sent[0]["id"] == 1
    series = [one for panel in sent[0]["chart"]["panels"] for one in panel["series"]]
    assert {"estimate", "bar"} <= {one["role"] for one in series}
    ask(made, 2, runs=40)
    process = made.aside.process
    made._asked(None, {"id": 3}, None)
    assert process.wait(10) != 0
    assert [one["id"] for one in sent] == [1]


@pytest.mark.parametrize("unknown", explorers.SYMBOLS)
def test_a_kernel_solves_as_the_planner_does(unknown):
    key = "univariate/unbounded-mean"
    made, sent = listened(explorers.solve(key, epsilon=1.0, delta=1e-6, alpha=0.1))
    values = {"n": 400.0, "epsilon": 0.8, "delta": 1e-7, "alpha": 0.037}
    ask(made, 5, values={"unknown": unknown, **values, unknown: None}, plan=True)
    n, epsilon, delta, alpha = (values | {unknown: sent[0]["solved"]}).values()
    error = TradeOff(key, 1, {}).error
    assert error(int(n), epsilon, delta) <= alpha * 1.01
    less = {"n": (int(n) - 1, epsilon, delta), "epsilon": (int(n), 0.99 * epsilon, delta)}
    less |= {"delta": (int(n), epsilon, 0.99 * delta)}
    assert unknown == "alpha" or error(*less[unknown]) > alpha


def cells(form):
    return prod(len(stops) for stops in form["grid"]["at"])


def said(form):
    """The first argument of the call that a page repeats, and the numbers it gives."""
    call = ast.parse(f"{form['code']})", mode="eval").body
    return call.args[0], {one.arg: ast.literal_eval(one.value) for one in call.keywords}


def close(made, kept):
    """Whether numbers are equal to a unit of their last digit but one, and all else is equal."""
    if isinstance(kept, dict):
        return made.keys() == kept.keys() and all(close(made[name], kept[name]) for name in kept)
    if isinstance(kept, list):
        return len(made) == len(kept) and all(map(close, made, kept))
    return made == (pytest.approx(kept, rel=2e-3, abs=1e-12) if isinstance(kept, float | int) else kept)


@pytest.mark.daily
@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: f"{path.parents[1].name}-{path.stem}")
def test_a_tenth_of_every_grid_is_as_computed(path):
    form = canonical_json.read(path)
    count, (first, stay) = cells(form), said(form)
    start = {one["name"]: one["value"] for one in form["controls"]}
    if form["name"] == "solve":
        solver = explorers.solve(first.value, **start | stay).compute
        compute = lambda values: json.loads(solver(explore.compact(values)))  # noqa: E731
    elif form["name"] == "column":
        compute = explorers.shown
    else:
        module = import_module(f"workbench.chapters.{first.value.id}")
        made = getattr(module, form["name"])
        compute = partial(explore.computed, made, Run("quick", explore.SEED, simulate=False))
    for place in random.Random(path.stem).sample(range(count), max(1, count // 10)):
        values, rest = stay | start, place
        for name, stops in reversed(list(zip(form["grid"]["over"], form["grid"]["at"], strict=True))):
            rest, at = divmod(rest, len(stops))
            values[name] = stops[at]
        computed = json.loads(explore.compact(compute(values)))
        assert close(computed, unfold(form["grid"]["charts"], place))


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: f"{path.parents[1].name}-{path.stem}")
def test_a_committed_explorer_is_small_and_answers_everywhere(path):
    assert path.stat().st_size <= explore.LARGEST
    form = canonical_json.read(path)
    found = [unfold(form["grid"]["charts"], place) for place in range(cells(form))]
    assert all(one["panels"] or one["error"] for one in found)
    assert len({explore.compact(one) for one in found}) > len(found) / 2 or form["name"] == "solve"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_notebook_has_two_explorers_that_move_a_budget_and_all_need_no_kernel(path):
    sources = ["".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]
    asked = [cell for cell in sources if re.search(r"lab\.(explore|solve)\(", cell)]
    assert sum(bool(MOVE.search(cell)) for cell in asked) >= 2
    shown = (pair for cell in asked for pair in calls(cell))
    names = {
        {"explore": name}.get(method, method) for method, name in shown if method in ("explore", "solve")
    }
    assert names == {one.stem for one in (ROOT / "figures" / path.stem / explore.FOLDER).glob("*.json")}


# One's own column, and `compare`, as a notebook has them.

HEIGHTS = {"low": 0.0, "high": 250.0}


def test_simulated_releases_fall_within_the_predicted_bars_half_of_the_time():
    predicted, *_, simulated = (
        columns.column(Run("quick", most=200), n=1000, **HEIGHTS, sigma=10.0).panels[1].series
    )
    bars = (np.array(predicted.y) - np.array(predicted.low)) / 2
    times = (np.array(simulated.high) - np.array(simulated.low)) / 2 / bars
    for key, wider in zip(columns.KEYS, times, strict=True):
        assert wider < 1 if key == columns.BOUNDED else 1.5 < wider < 4.5  # normal errors: 2.4


def test_no_row_is_read_the_code_releases_and_bounds_are_a_range():
    class Length:
        def __len__(self):
            return 500

    made = explorers.column(Length(), **HEIGHTS)
    form = made.chart({"sigma": 10.0})
    assert made.form()["controls"] == explorers.column(np.full(500, np.nan), **HEIGHTS).form()["controls"]
    names = {"np": np, "x": np.random.default_rng(1).normal(170, 10, 500)}
    exec("import workbench\nfrom workbench import *\nfrom workbench.estimators import *", names)
    assert 100 < eval(form["code"], names).value < 240
    assert form["caption"].startswith("ε = 1, n = 500: ")
    for wrong in ({"low": 3.0, "high": 3.0}, {"low": 4.0, "high": 3.0}):
        with pytest.raises(ArgumentError, match="low = "):
            explore.explorer([1.0, 2.0], **wrong)
        refused = explorers.shown({"epsilon": 1.0, "n": 5, "sigma": 1.0, "delta": 1e-6, **wrong})
        assert refused["error"].startswith("low = ")


@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        *((partial(explorers.column, [1.0, 2.0]), {"high": 9.0, "low": low}) for low in ("1", None, nan)),
        *((partial(explorers.column, [1.0, 2.0], low=0.0, high=9.0), {"sigma": sigma}) for sigma in (0, "1")),
        *((partial(explorers.solve, "univariate/scale"), {name: -1}) for name in ("n", "d", "alpha")),
        (explorers.solve, {"key": []}),
    ],
)
def test_an_explorer_names_the_number_that_is_wrong(make, wrong):
    with pytest.raises(ArgumentError, match=f"^{[*wrong][-1]} = "):
        make(**wrong)


def dropped(content):
    file = {"name": "a.csv", "type": "text/csv", "size": len(content), "content": memoryview(content)}
    return ({**file, "last_modified": datetime.now(UTC)},)


def test_a_dropped_file_is_explored_once_its_bounds_are_right():
    drop = explorers.Drop()
    drop.file.value = dropped(b"a,b\n1,2\n3,4\n5,6\n")
    assert list(drop.column.options) == ["a", "b"]
    drop.go.click()
    assert drop.words.value.startswith("low = 0")
    drop.high.value = 10.0
    drop.go.click()
    (view,) = drop.place.children
    values = {one["name"]: one["value"] for one in json.loads(view.form)["controls"]}
    assert (values["n"], values["low"], values["high"]) == (3, 0.0, 10.0)
    drop.file.value = dropped(b"\xff\xfe")
    assert drop.words.value.startswith("no CSV file")


NORMAL = UnivariateGaussian(3.0)


def mine(rows, rng):
    return rows.mean() + rng.laplace()


@pytest.mark.daily
def test_the_picture_is_error_against_n_with_what_is_predicted():
    told = TwoStepMean(radius=9, sigma=1.0)
    found = compare({"two-step": told, "mine": mine}, population=NORMAL, n=[50, 500], trials=20,
                    budget=[PureDP(1), PureDP(2)])  # fmt: skip
    assert [panel.title for panel in found.chart.panels] == ["ε = 1", "ε = 2"]
    measured, theory, _ = found.chart.panels[0].series
    assert (measured.label, theory.role) == ("two-step", "theory")
    assert tuple(theory.y) == tuple(told.predicted_error(n, 1, PureDP(1)) for n in (50, 500))
    assert "two-step" in str(found)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ArgumentError, match=r"budgets of one kind, or several n"):
        compare({"mine": mine}, population=NORMAL, n=9, budget=[ZCDP(1.0), PureDP(1.0)], trials=5)
    with pytest.raises(ArgumentError, match="at most 4"):
        colour_keys({str(k): mine for k in range(5)})
    clipped = {str(radius): ClippedMean(radius=radius, sigma=1.0) for radius in (1, 2)}
    keys = colour_keys({**clipped, "mine": mine})
    assert [*keys.values()] == ["univariate/clipped-mean", "yours/1", "yours/2"]
