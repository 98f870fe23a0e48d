"""What a cell says when it is run: its figure agrees with the committed one or differs."""

import re
import time

import pytest

from workbench.chapters import what_epsilon_means
from workbench.charts import canonical_json
from workbench.charts.chart import Chart, Panel, Series
from workbench.lab import again
from workbench.lab import figures as shown_figures
from workbench.lab import notebook as session
from workbench.lab.notebook import Session


def falls(run, *, n=3):
    """Return the error in both profiles (an example)."""
    first = 0.3 if run.profile == "quick" else 0.29
    series = Series("measured", (10, 100), (first, n / 30), colour_key="mean/prime")
    panel = Panel("Error", "n", "error", (series,))
    return Chart("falls", "It falls", (panel,), alt="It falls.", how_to_read="Down is good.")


@pytest.fixture
def figures(tmp_path, monkeypatch):
    """Committed figures of a chapter, made by a full run."""
    figures = tmp_path / "figures"
    monkeypatch.setattr(session, "figures_folder", lambda: None)
    monkeypatch.setattr(session, "publish", lambda *_: None)
    Session("one", out=str(figures / "01_one"), profile="full", seed=7).show(falls)
    monkeypatch.setattr(session, "figures_folder", lambda: figures)
    return figures


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function: the page and the text of the figure, as a session shows it."""

    def run(profile="quick", seed=7, chapter="one", recompute=True, **parameters):
        shown = []
        monkeypatch.setattr(session, "publish", lambda page, text: shown.append((page, text)))
        Session(chapter, out=str(tmp_path / "out"), profile=profile, seed=seed, recompute=recompute).show(
            falls, **parameters
        )
        (found,) = shown
        return found

    return run


def unfolded(page):
    """The pictures that are seen."""
    return re.findall(r"<img", re.sub(r"<details.*?</details>", "", page, flags=re.DOTALL))


@pytest.mark.turns(4)
@pytest.mark.usefixtures("figures")
@pytest.mark.parametrize(
    ("asked", "said", "seen"),
    [
        ({}, "agrees with the committed figure, in its quick profile", 0),
        ({"profile": "full"}, "agrees with the committed figure", 0),
        ({"n": 6}, "at other parameters than the committed figure: n = 6, there 3\n"
         "The error in both profiles. Error: error against n.", 1),  # the committed words need not hold there
        ({"seed": 8}, "at other parameters than the committed figure: seed = 8, there 7\nIt falls.", 1),
    ],
)  # fmt: skip
def test_a_figure_that_agrees_is_one_line_and_one_elsewhere_is_seen(run, tmp_path, asked, said, seen):
    page, text = run(**asked)
    assert text == f"recomputed: {said}".replace("recomputed: at", "recomputed at")
    assert text.partition("\n")[0] in page
    assert (len(unfolded(page)), page.count("<img")) == (seen, 1)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"falls.json", "falls.svg"}


def test_numbers_that_differ_are_named_and_the_fresh_picture_is_shown(run, figures):
    path = figures / "01_one" / "falls.json"
    content = canonical_json.read(path)
    content["charts"]["quick"]["panels"][0]["series"][0]["y"][0] = 0.4
    canonical_json.write(path, content)
    page, text = run()
    assert text.startswith("recomputed: differs from the committed figure: charts quick panels[0]")
    assert "y[0]: 0.3, committed 0.4" in text
    assert len(unfolded(page)) == 1


def test_what_takes_longer_than_a_second_says_so_and_nothing_else_does(monkeypatch):
    shown = []
    handle = {name: lambda _, words, raw: shown.append(words["text/plain"]) for name in ("display", "update")}
    monkeypatch.setattr("IPython.display.DisplayHandle", type("Handle", (), handle))
    running, cell = shown_figures.Running(), type("Info", (), {"raw_cell": "x = 1\nlab.compare(methods)"})
    running.begin(cell)
    running.end(None)
    running.begin(cell)
    time.sleep(1.5)
    running.end(None)
    until = time.monotonic() + 10
    while len(shown) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    assert shown == ["lab.compare(methods): 1 s so far; ■ above or Kernel > Interrupt stops it", ""]


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """Return a function: the button below a committed figure, as a plain run shows it."""
    made = []
    monkeypatch.setattr(again.Again, "show", lambda button: made.append(button))

    def asked(**moved):
        chapter = "what_epsilon_means"
        Session(chapter, out=str(tmp_path), seed=17).show(what_epsilon_means.attacker, **moved)
        return made.pop()

    return asked


def test_what_is_made_again_is_stopped_by_the_same_button(asked):
    button = asked()
    button.button.click()
    process = button.process
    button.button.click()
    assert process.wait(10) != 0
    assert "stopped" in button.words.value
