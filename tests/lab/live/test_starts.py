"""Where explorers start: exactly at the parameters of their notebook, and their pictures say the same."""

import pytest

from tests.lab import starts
from tests.lab.conftest import ROOT
from workbench.chapters.parameters import CHAPTERS
from workbench.charts.controls import Slider
from workbench.lab.live.explore import Explorer
from workbench.lab.live.parameters import chapter
from workbench.lab.publish.check import parameters

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
FACTORS = (1, 1 / 40, 1.0371, 40)
OF_FIGURES = {  # what figures alone use
    "many_dimensions": {"rho"},
    "sparse_covariance": {"share"},
}
MULTIPLES = (1, 10)  # of a parameter at which an explorer may start


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def path(request):
    return request.param


def positions(path):
    """The defaults; numbers far below and above, beyond the ends of sliders; some that are not round."""
    defaults, allowed = parameters(path), CHAPTERS[chapter(path.stem)]
    for factor in FACTORS:
        whole = {name: isinstance(defaults[name], int) for name in allowed}
        found = {name: factor * defaults[name] for name in allowed}
        found = {name: max(1, round(value)) if whole[name] else value for name, value in found.items()}
        yield {name: value for name, value in found.items() if allowed[name].admits(value)}


def sliders(call):
    return {name: one for name, one in call.controls.items() if isinstance(one, Slider)}


def test_every_handle_starts_at_its_parameter(path, tmp_path):
    for chosen in positions(path):
        here = {**parameters(path), **chosen}
        met = set()
        for call in starts.asked(path, tmp_path, **chosen):
            explorer = Explorer(call.view, call.alt, call.controls)
            for name, slider in sliders(call).items():
                handle = explorer.widgets[name]
                assert handle.value == slider.value in handle.stops
                assert explorer.values[name] == slider.value
                met |= {one for one in here for by in MULTIPLES if here[one] * by == slider.value}
        for call in starts.solved(path, tmp_path, **chosen):
            met |= {one for one in here if call.starts.get(one) == here[one]}
        own = set(CHAPTERS[chapter(path.stem)])
        assert own - met == OF_FIGURES.get(chapter(path.stem), set()), chosen


def test_a_whole_number_stays_whole(path, tmp_path):
    counts = {"n", "d", "p", "s", "before step"}
    for call in starts.asked(path, tmp_path):
        for slider in sliders(call).values():
            assert slider.integer == (slider.label in counts), slider.label
            assert all(isinstance(stop, int) == slider.integer for stop in slider.stops)


@pytest.mark.daily
def test_the_picture_says_where_the_controls_stand(path, tmp_path):
    for call in starts.asked(path, tmp_path):
        explorer = Explorer(call.view, call.alt, call.controls)
        frame = next(explorer.frames(explorer.values))
        assert not frame.error
        for name, slider in sliders(call).items():
            assert slider.says(slider.value) in frame.position
            assert slider.says(slider.value) in frame.alt
            for said in starts.spoken(slider.label, drawn(explorer.figure) + frame.sentence):
                assert float(said) == slider.value, (name, said)


def drawn(figure):
    """All words of a picture but those of its axes."""
    texts = [*figure.texts, *(text for axes in figure.axes for text in (axes.title, *axes.texts))]
    return " ".join(text.get_text().replace("\n", " ") for text in texts) + " "
