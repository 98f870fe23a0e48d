"""Every notebook in JupyterLab and Chromium: its cells run, its explorers follow their controls."""

import ast
import re
from dataclasses import dataclass, field
from statistics import median
from urllib.parse import unquote

import pytest

from tests.browser.page import COMMITTED, SETTLES
from tests.lab import starts
from workbench.charts.controls import Slider
from workbench.lab.live.recomputed import AGREES
from workbench.lab.publish.committed_cells import shown as shown_by

pytestmark = pytest.mark.browser

MOVES = 10  # of an explorer from rest; of a point that is dragged
PICTURED_WITHIN = 2  # seconds from the first cell
STANDING = "in the full run"
PARAMETER = re.compile(r"-p (\w+)=(\S+)")


def cells(notebook):
    return ["".join(cell["source"]) for cell in notebook.cells if cell["cell_type"] == "code"]


def calls(notebook, name):
    """Return how many times the cells call a function or method."""
    nodes = [node for cell in cells(notebook) for node in ast.walk(ast.parse(cell))]
    called = [ast.unparse(node.func).split(".")[-1] for node in nodes if isinstance(node, ast.Call)]
    return called.count(name)


@dataclass
class Start:
    """An explorer before anything was moved: what it was asked for, and what readers and listeners get."""

    view: str
    asked: dict
    told: list[dict[str, str]]
    picture: str
    shown: tuple[list[str], str, str]


@dataclass
class Played:
    """What an explorer did: its pictures, what they said, and how long they took."""

    digests: dict[str, list[str]] = field(default_factory=dict)
    shown: list[tuple[list[str], str, str]] = field(default_factory=list)
    rest: list[dict[str, float]] = field(default_factory=list)
    running: list[dict[str, float]] = field(default_factory=list)


def shown(explorer):
    """Return the readouts, the sentence, and the words of the picture, which begin with its title."""
    return explorer.readouts, explorer.words, explorer.picture.get_attribute("alt")


@pytest.fixture(scope="module")
def started(notebook, tmp_path_factory):
    """Every explorer of the notebook as it opens."""
    asked = starts.asked(notebook.path, tmp_path_factory.mktemp("starts"))
    return [
        Start(getattr(call.view, "func", call.view).__name__, call.controls, one.told, one.digest, shown(one))
        for call, one in zip(asked, notebook.explorers, strict=True)
    ]


@pytest.fixture(scope="module")
def played(notebook, started):
    """Every explorer of the notebook after all its controls were moved by key and by mouse, and put back."""
    found = []
    for explorer, start in zip(notebook.explorers, started, strict=True):
        found.append(Played())
        for control, name in zip(explorer.controls, start.asked, strict=True):
            play(explorer, control, name, found[-1])
        more(explorer, found[-1])
    return found


def play(explorer, control, name, played):
    """Move a control by a key from rest, then by the mouse into the simulation that runs, and put it back."""
    neighbour, far = explorer.others(control)
    played.rest.append(explorer.press(control, neighbour, "simulation" if far else "finished"))
    for place in far:
        played.running.append(explorer.choose(control, place, "finished"))
        if "refused" not in played.running[-1]:
            break
    played.digests[name] = [explorer.digest]
    played.shown.append(shown(explorer))
    explorer.push("reset")
    played.digests[name].append(explorer.digest)


def more(explorer, played):
    """Move the controls on by the mouse until there were enough moves from rest."""
    for place in range(1, MOVES):
        for control in explorer.controls:
            _, far = explorer.others(control)
            if len(played.rest) < MOVES and place < len(far):
                played.rest.append(explorer.choose(control, far[place], "simulation"))
                explorer.push("reset")


def test_all_cells_run_without_a_word_of_complaint(notebook):
    code = [cell["metadata"].get("jupyter", {}) for cell in notebook.cells if cell["cell_type"] == "code"]
    assert notebook.errors == []
    seen = [f"[{place}]:" for place, cell in enumerate(code, 1) if not cell.get("source_hidden")]
    assert [prompt for prompt in notebook.prompts if prompt.strip()] == seen


def test_results_are_seen_before_anything_runs(notebook, publish, within):
    """Loading pictures must not wait for a kernel."""
    publish(notebook=notebook.path.stem, moved="opened", moves=1, first=round(1000 * notebook.pictured))
    assert notebook.pictured < within(PICTURED_WITHIN)
    assert "hold" in notebook.page.locator(".jp-RenderedMarkdown strong", has_text=STANDING).text_content()


def test_every_figure_agrees_and_is_seen_once(notebook):
    figures = [name for cell in cells(notebook) for name in shown_by(cell)]
    names = [unquote(path).partition("/figures/")[2].partition("/")[2] for path in notebook.committed]
    assert names == [f"{name}.svg" for name in figures]
    made = [name for name in figures if not name.startswith("deep/")]
    assert notebook.recomputed == [f"{AGREES}, in its quick profile"] * len(made)
    assert notebook.drawn == calls(notebook, "growths") + calls(notebook, "compare")


def test_figures_follow_the_dark_theme(notebook):
    images = notebook.page.locator(f"{COMMITTED}, .workbench-picture > img")
    filters = "(all) => all.map((one) => getComputedStyle(one).filter)"
    assert set(images.evaluate_all(filters)) == {"none"}
    with notebook.dark():
        images.first.scroll_into_view_if_needed()
        notebook.page.wait_for_timeout(SETTLES)
        notebook.shoot("dark")
        assert set(images.evaluate_all(filters)) == {"invert(1) hue-rotate(180deg)"}


def test_an_explorer_fills_the_screen_for_a_hall(notebook, started):
    for explorer in notebook.explorers[:1]:
        before = explorer.box.bounding_box()
        explorer.button("present").click()
        notebook.page.wait_for_function("document.fullscreenElement != null")
        notebook.page.wait_for_timeout(SETTLES)
        picture = explorer.picture.bounding_box()
        notebook.shoot("presented")
        window = notebook.page.evaluate("[innerWidth, innerHeight]")
        assert picture["y"] + picture["height"] <= window[1]
        assert explorer.cut_off == []
        share = max(picture["width"] / window[0], explorer.tall / window[1])
        assert share > 0.9
        explorer.button("present").click()
        notebook.page.wait_for_function("document.fullscreenElement == null")
        notebook.page.wait_for_timeout(SETTLES)
        assert explorer.box.bounding_box()["width"] == before["width"]


def test_every_explorer_is_on_the_page(notebook, started):
    assert len(notebook.explorers) == calls(notebook, "explore")
    assert len(notebook.solvers) == calls(notebook, "solve")
    for explorer, start in zip(notebook.explorers, started, strict=True):
        assert len(explorer.controls) == len(start.asked)


def test_every_explorer_starts_at_the_parameters(started):
    for start in started:
        values = [one.value if isinstance(one, Slider) else str(one.value) for one in start.asked.values()]
        assert read(start, start.shown[0]) == values
        agrees(start, start.shown)
        sliders = [one for one in start.asked.values() if isinstance(one, Slider)]
        assert not any(isinstance(one.value, float) for one in sliders if one.integer)


def read(start, readouts):
    """Return the numbers and words that stand beside the controls."""
    pairs = zip(start.asked.values(), readouts, strict=True)
    return [float(text) if isinstance(one, Slider) else text for one, text in pairs]


def agrees(start, shown):
    """Check that readouts, sentence, and the picture's title and words say the same numbers.

    Where the sentence refuses the position, the picture is the one before.
    """
    readouts, sentence, alt = shown
    pairs = list(zip(start.asked.values(), read(start, readouts), strict=True))
    position = ", ".join(one.says(value) for one, value in pairs) + "."
    assert sentence.startswith(position)
    if ": expected " in sentence:
        return
    assert position in alt
    for one, value in pairs:
        if isinstance(one, Slider):
            assert {float(said) for said in starts.spoken(one.label, alt)} == {value}, (one.label, alt)


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


def test_every_control_changes_the_picture_and_reset_brings_it_back(started, played):
    assert len(played) == len(started)
    for start, one in zip(started, played, strict=True):
        assert len(one.digests) == len(start.asked)
        for name, (moved, back) in one.digests.items():
            assert moved != start.picture == back, name
        after = [moved for moved, _ in one.digests.values()]
        assert len(set(after)) == len(after)
        for found in one.shown:
            agrees(start, found)


def test_keys_and_typed_numbers_are_for_the_handle(notebook, started, played):
    for explorer, start in zip(notebook.explorers, started, strict=True):
        sliders = [one for one in start.asked.values() if isinstance(one, Slider)]
        for slider, entry in zip(sliders, explorer.fields, strict=True):
            entry.focus()
            chosen = notebook.selected
            explorer.type(entry, f"{between(slider):.12g}")
            assert float(entry.input_value()) == between(slider)
            agrees(start, shown(explorer))
            for wrong in ("no number", f"{10 * slider.bounds[1]:.12g}"):
                entry.fill(wrong)
                entry.press("Enter")
                assert explorer.refusal(entry).startswith(f"{slider.label} = {wrong}: expected a ")
                assert float(entry.input_value()) == between(slider)
            assert notebook.selected == chosen
            explorer.push("reset")
            assert explorer.refusal(entry) == ""


def between(slider):
    """Return a legal number near the start, between two places of the track where there is room."""
    stops = list(slider.stops)
    place = min(stops.index(slider.value), len(stops) - 2)
    low, high = stops[place], stops[place + 1]
    middle = (low + high) // 2 if slider.integer else float(f"{(low + high) / 2:.3g}")
    return middle if middle != slider.value else high


def test_values_are_copied_and_a_kept_curve_stays(notebook, started, played):
    notebook.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for explorer, start in zip(notebook.explorers, started, strict=True):
        explorer.button("copy these values").press("Enter")
        copied = explorer.box.locator("code").inner_text()
        assert notebook.page.evaluate("navigator.clipboard.readText()") == copied
        values = {name: float(value) for name, value in PARAMETER.findall(copied)}
        assert values == {name: start.asked[name].value for name in values} != {}
        if explorer.button("keep this curve").count():
            kept(explorer, start)


def kept(explorer, start):
    """Keep the curves of the start beneath the next picture; a reset and a drop bring the start back."""
    explorer.button("keep this curve").press("Enter")
    words = f"drop the curve of {start.shown[1].partition('. ')[0]}"
    explorer.button(words).wait_for()
    control = explorer.controls[0]
    explorer.press(control, explorer.others(control)[0], "finished")
    beneath = explorer.digest
    explorer.push(words)
    assert explorer.digest != beneath
    assert explorer.button("keep this curve").count() == 1
    explorer.push("reset")
    assert explorer.digest == start.picture


def test_every_word_fits_at_both_widths_and_is_seen_in_the_dark(notebook, played):
    boxes = [*notebook.explorers, *notebook.solvers]
    for width in (1280, 900):
        notebook.widen(width)
        for box in boxes:
            box.shoot(str(width))
            assert box.cut_off == []
    with notebook.dark():
        for box in boxes:
            box.shoot("dark")
    notebook.shoot_whole()


def test_how_long_pictures_take_is_kept(notebook, started, played, publish):
    for start, one in zip(started, played, strict=True):
        first, coarse = middle(one.rest, "first"), middle(one.rest, "coarse")
        running = middle(one.running, "first")
        publish(
            notebook=notebook.path.stem, moved=start.view, moves=len(one.rest), first=first, coarse=coarse,
            running=running,
        )  # fmt: skip
        assert 0 < first <= coarse


def middle(found, name):
    """The median in milliseconds; a plan that refuses has no picture, and one without runs no such time."""
    return round(median(times[name] for times in found if times.get(name) is not None))


def test_what_is_solved_follows_the_handles_and_the_point(notebook, publish):
    for solver in notebook.solvers:
        for control in solver.free:
            before = solver.digest
            solver.press(control, solver.others(control)[0], "finished")
            assert solver.digest != before
        solver.solve_for("α")
        took = solver.drag(MOVES)
        redrawn = round(median(took))
        publish(notebook=notebook.path.stem, moved="point", moves=len(took), first=redrawn)


def test_nothing_is_asked_of_another_host(notebook, played):
    assert notebook.foreign == []
