"""Every notebook in JupyterLab and Chromium: its cells run, its explorers follow their controls in time."""

import ast
import os
from dataclasses import dataclass
from itertools import chain
from statistics import median

import pytest

from tests.lab import starts
from workbench.charts.controls import Slider

pytestmark = pytest.mark.browser

MOVES = 2  # of each control, from rest and into a running simulation
TARGET = {"first": 150.0, "coarse": 700.0}  # milliseconds, median of the moves from rest
LIMIT = 3.0  # times the target


@dataclass
class Moved:
    """What one control did."""

    control: str
    pictures: list[str]
    rest: list[dict[str, float]]
    running: list[dict[str, float]]


def calls_of_explore(notebook):
    cells = ["".join(cell["source"]) for cell in notebook.cells if cell["cell_type"] == "code"]
    calls = [node for cell in cells for node in ast.walk(ast.parse(cell)) if isinstance(node, ast.Call)]
    return [call for call in calls if ast.unparse(call.func).split(".")[-1] == "explore"]


def middle(found, name):
    """The median time; a plan that refuses has a first picture and no runs."""
    return round(median(times[name] for times in found if times[name] is not None))


def play(explorer, control, name):
    """Move one control again and again; every other time into the simulation that still runs."""
    moved = Moved(name, [explorer.digest], [], [])
    for _ in range(min(MOVES, explorer.steps(control) // 2)):
        moved.rest.append(explorer.move(control, "simulation"))
        moved.running.append(explorer.move(control, "finished"))
        moved.pictures.append(explorer.digest)
    return moved


@dataclass
class Start:
    """An explorer before anything was moved: what it was asked for, and what readers and listeners get."""

    asked: dict
    told: list[dict[str, str]]
    fields: list[str]
    sentence: str
    alt: str


@pytest.fixture(scope="module")
def started(notebook, tmp_path_factory):
    """Every explorer of the notebook as it opens."""
    calls = starts.asked(notebook.path, tmp_path_factory.mktemp("starts"))
    return [
        Start(
            call.controls,
            one.told,
            [field.input_value() for field in one.fields],
            one.words,
            one.picture.get_attribute("alt"),
        )
        for call, one in zip(calls, notebook.explorers, strict=True)
    ]


@pytest.fixture(scope="module")
def played(notebook, started):
    """Every explorer of the notebook after all its controls were moved."""
    found = []
    for explorer in notebook.explorers:
        explorer.shoot("start")
        found.append([play(explorer, *pair) for pair in zip(explorer.controls, explorer.names, strict=True)])
        explorer.shoot("moved")
    notebook.shoot_whole()
    return found


def test_all_cells_run_without_a_word_of_complaint(notebook):
    code = [
        cell for cell in notebook.cells if cell["cell_type"] == "code" and "".join(cell["source"]).strip()
    ]
    assert notebook.errors == []
    assert [prompt for prompt in notebook.prompts if prompt.strip()] == [
        f"[{k}]:" for k in range(1, len(code) + 1)
    ]


def test_every_explorer_is_on_the_page_and_no_word_of_it_is_cut_off(notebook):
    calls = calls_of_explore(notebook)
    assert len(notebook.explorers) == len(calls)
    for explorer, call in zip(notebook.explorers, calls, strict=True):
        assert len(explorer.controls) == len([word for word in call.keywords if word.arg != "alt"])
        assert explorer.cut_off == []


def test_every_explorer_starts_at_the_parameters(started):
    for start in started:
        sliders = [one for one in start.asked.values() if isinstance(one, Slider)]
        assert [float(field) for field in start.fields] == [slider.value for slider in sliders]
        assert not any(
            "." in field for field, slider in zip(start.fields, sliders, strict=True) if slider.integer
        )
        position = ", ".join(one.says(one.value) for one in start.asked.values()) + "."
        assert start.sentence.startswith(position)
        assert position in start.alt


def test_every_control_has_a_name_and_announces_what_it_shows(notebook, started, keep):
    keep(notebook.path.stem, "accessible_names", [start.told for start in started])
    for start in started:
        assert [one["name"] for one in start.told] == [named(control) for control in start.asked.values()]
        for one, control in zip(start.told, start.asked.values(), strict=True):
            assert one["role"] == ("slider" if isinstance(control, Slider) else "combobox")
            assert one["announced"] == announced(control)


def named(control):
    unit = getattr(control, "unit", "")
    return control.label + f" ({unit})" * bool(unit)


def announced(control):
    """A screen reader says the number beside the handle, and its unit."""
    return control.says(control.value).removeprefix(f"{control.label} = ").removeprefix(f"{control.label}: ")


def test_keys_and_typed_numbers_are_for_the_handle(notebook, played):
    for explorer in notebook.explorers:
        for track, field in zip(explorer.tracks, explorer.fields, strict=True):
            track.focus()
            before = notebook.selected
            track.press("Home")
            low = float(field.input_value())
            track.press("ArrowRight")
            assert float(field.input_value()) > low
            explorer.type(field, f"{low:.12g}")
            assert float(field.input_value()) == low
            field.fill("no number")
            field.press("Enter")
            assert float(field.input_value()) == low
            assert notebook.selected == before


def test_every_control_changes_the_picture(notebook, played):
    assert len(played) == len(notebook.explorers)
    for moved in chain.from_iterable(played):
        assert moved.rest, moved.control
        assert len(set(moved.pictures)) == len(moved.pictures), moved.control


def test_pictures_come_in_time(notebook, played, publish):
    if not played:
        assert calls_of_explore(notebook) == []
        return
    medians = [latencies(moves) for moves in played]
    details = [[moved.__dict__ for moved in moves] for moves in played]
    state = {"load": os.getloadavg(), "cores": os.cpu_count(), "targets": TARGET, "limit": LIMIT}
    publish(notebook.path.stem, state | {"medians": medians, "explorers": details}, words(medians))
    for found in medians:
        for name, target in TARGET.items():
            assert found["from rest"][name] <= LIMIT * target, name


def latencies(moves):
    """Return the medians over an explorer's moves, in milliseconds."""
    return {
        kind: {name: middle(found, name) for name in ("first", "coarse", "last")}
        for kind, found in (
            ("from rest", [times for moved in moves for times in moved.rest]),
            ("while it simulates", [times for moved in moves for times in moved.running]),
        )
    }


def words(medians):
    pairs = [f"{one['from rest']['first']} and {one['from rest']['coarse']} ms" for one in medians]
    targets = " and ".join(f"{target:g}" for target in TARGET.values())
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    return f"first picture and first runs after {'; '.join(pairs)} (target {targets}; {load})"


def test_nothing_is_asked_of_another_host(notebook, played):
    assert notebook.foreign == []
