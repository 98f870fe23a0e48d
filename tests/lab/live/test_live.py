"""Explorers that run in the browser, from Python: their HTML, their script, their widget."""

import json
import re
import shutil
import subprocess

import pytest

from tests.lab.live.modules import evaluate, load_in_chromium
from workbench.errors import ArgumentError
from workbench.lab.live import mounted
from workbench.lab.live.browser import EXPLORERS, HERE, element, library, script, sentence
from workbench.lab.live.session import Session

MODULES = sorted(HERE.glob("*.mjs"))
LONGEST, WIDEST = 250, 110


@pytest.fixture
def published(monkeypatch):
    bundles = []
    monkeypatch.setattr(mounted, "publish", lambda *parts: bundles.append(parts))
    return bundles


def test_a_notebook_gets_a_widget_and_a_picture_for_where_there_is_none(published):
    Session("what_epsilon_means").live("row", epsilon=0.5, mechanism="median")
    ((html, text, widget),) = published
    assert html.startswith('<img src="data:image/svg+xml;base64,')
    assert sentence("row") in text
    assert "application/vnd.jupyter.widget-view+json" in widget


def test_a_widget_starts_where_it_is_told_and_has_its_modules_alone():
    made = mounted.kind("row")(explorer="row", values={"epsilon": 0.5})
    assert made.values == {"epsilon": 0.5}
    assert "$one_mean_json" not in made._esm
    assert "$one_mean_json" in mounted.kind("free")._esm
    assert "export default" in made._esm


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("rows", {}),
        ("row", {"epsilom": 1}),
        ("row", {"mechanism": "laplace"}),
        ("row", {"epsilon": 0}),
        ("row", {"row": "5"}),
    ],
)
def test_what_there_is_not_is_refused(name, values):
    with pytest.raises(ArgumentError):
        element(name, **values)
    with pytest.raises(ArgumentError):
        mounted.live(name, **values)


@pytest.mark.parametrize("name", EXPLORERS)
def test_an_element_says_what_it_is_and_shows_a_picture(name):
    made = element(name, text=21, height=380)
    assert f'data-explorer="{name}"' in made
    assert 'data-text="21" data-height="380"' in made
    assert len(sentence(name)) > 60
    assert sentence(name).startswith(next(iter(EXPLORERS[name].controls.values()))["label"])


def test_a_page_gets_one_script_that_asks_for_nothing():
    whole = script()
    assert re.search(r"^\s*(import|export)\b", whole, re.MULTILINE) is None
    assert not re.search(r"\bfetch\(|XMLHttpRequest|https?:|\beval\(|new Function", whole)
    assert "</" not in whole
    assert len(script("row")) < len(whole) < 250_000


def test_scripts_on_a_page_add_up():
    body = f"const one = {library('row')}(), both = {library('free')}(one); return [one.names, both.names];"
    assert evaluate(body) == [["row"], ["row", "free"]]


@pytest.mark.parametrize("name", EXPLORERS)
def test_pictures_that_stand_still_are_those_of_the_modules(name):
    now = evaluate(f"return has.still($${name}_mjs.explorer);".replace("$$", "$"), f"{name}.mjs", "still.mjs")
    assert now == (HERE / "stills" / f"{name}.svg").read_text(encoding="utf-8"), "run `node stills.mjs`"


def test_modules_load_as_they_are():
    node = shutil.which("node")
    if node is None:
        assert load_in_chromium() == list(EXPLORERS)
        return
    files = [f"await import({json.dumps(path.as_uri())});" for path in MODULES if path.stem != "stills"]
    program = "\n".join(files) + "\nconsole.log('loaded');"
    line = [node, "--input-type=module", "-e", program]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.stdout == "loaded\n", done.stderr


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_modules_are_short(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= LONGEST
    assert [line for line in lines if len(line) > WIDEST] == []


def test_the_package_ships_them():
    from importlib.resources import files

    assert {"laws.mjs", "facts.json", "one_mean.json", "stills"} <= {
        one.name for one in files("workbench.lab.live.browser").iterdir()
    }
