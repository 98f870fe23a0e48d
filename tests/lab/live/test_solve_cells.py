"""What notebooks solve for: from their own parameters, with the number that the planner gives."""

import json
import re
import shlex

import pytest

from tests.lab import starts
from tests.lab.conftest import ROOT
from workbench.chapters.parameters import CHAPTERS
from workbench.cli import main
from workbench.lab.live.parameters import chapter
from workbench.lab.live.solve import solver
from workbench.lab.publish.check import parameters
from workbench.study.trade_off import TradeMap

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SECONDS = {"06_matrix_quantile"}  # for a number
UNTOLD = {"00_start_here": {"delta"}}  # an estimator under ε alone


def planned(command, capsys):
    """What the planner seeks, and what it finds by key: of a prediction, where there is one."""
    assert main(["plan", *shlex.split(command), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    seeks = "epsilon" if found["question"]["n"] else "n"
    best = {one["key"]: one["predicted"] or one["proved"] for one in found["answers"]}
    best = {key: one for key, one in best.items() if one and one["reached"]}
    return seeks, {key: one["n"] if seeks == "n" else one["budget"]["epsilon"] for key, one in best.items()}


@pytest.fixture(autouse=True)
def points_alone(monkeypatch):
    """The number of a point needs no map."""
    monkeypatch.setattr(TradeMap, "refine", lambda self, delta: iter(()))


def shown(made):
    """What a solver's handle for the unknown stands at."""
    made.draw_now()
    return made.widgets[made.unknown].value


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_notebook_solves_for_one_estimator_at_its_own_parameters(path, tmp_path):
    declared, here = CHAPTERS[chapter(path.stem)], parameters(path)
    other = {name: 1.5 * here[name] for name in ("epsilon", "delta", "alpha") if name in declared}
    (usual,), (moved,) = starts.solved(path, tmp_path), starts.solved(path, tmp_path, **other)
    assert usual.key == moved.key
    assert {*other} - {*usual.starts} == UNTOLD.get(path.stem, set())
    for name in {*other} & {*usual.starts}:
        assert moved.starts[name] == pytest.approx(1.5 * usual.starts[name])


@pytest.mark.daily
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if path.stem in SECONDS else [])
        for path in NOTEBOOKS
    ],
)
def test_the_number_is_that_of_the_command_which_the_notebook_names(path, tmp_path, capsys):
    (call,) = starts.solved(path, tmp_path)
    (command,) = re.findall(r"`workbench plan ([^`]*)`", call.said)
    made = solver(call.key, **call.starts)
    seeks, found = planned(command, capsys)
    if seeks != made.unknown:  # the question in words: rows are typed, and ε is sought
        made.draw_now()
        made.widgets["unknown"].value = "ε"
        made.widgets["n"].value = float(re.search(r"type n = (\d+)", call.said)[1])
    assert shown(made) == found[call.key]


@pytest.mark.daily
def test_both_journeys_have_one_number_in_the_map_and_in_the_planner(capsys):
    """3,000 rows of 5 columns, α = .2: which ε? And what does δ = 1e-9 cost instead of 1e-6?"""
    _, found = planned("mean --d 5 --alpha 0.2 --n 3000 --delta 1e-6", capsys)
    made = solver("mean/coinpress", d=5, alpha=0.2, n=2000, unknown="epsilon")
    assert shown(made) > found["mean/coinpress"]
    made.picture.point = [0.2, 3000.0]  # dragged: ε is what the rows ask for, wherever it is let go
    assert made.picture.point == [found["mean/coinpress"], 3000]
    rows = []
    for delta in ("1e-6", "1e-9"):
        made = solver("mean/coinpress", d=5, alpha=0.2, epsilon=1.0)
        made.widgets["delta"].value = float(delta)
        _, found = planned(f"mean/coinpress --d 5 --alpha 0.2 --epsilon 1 --delta {delta}", capsys)
        assert shown(made) == found["mean/coinpress"]
        rows.append(shown(made))
    assert rows[1] > 1.1 * rows[0]
