import re
import subprocess
from xml.etree import ElementTree

import pytest

from tests.lab.conftest import ROOT
from workbench.charts.chart import Panel, Series
from workbench.charts.film import Film, Frame
from workbench.errors import ArgumentError
from workbench.lab.live import films
from workbench.lab.live.committed import film as committed
from workbench.lab.pictures.films import layers, strip, ticks
from workbench.lab.publish.site.films import cards
from workbench.lab.runner.films import content, differences, films_of
from workbench.study.run import Run

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
FILMS = [(path, film) for path in NOTEBOOKS for film in films_of(path)]
FOUND = films.found(ROOT / "figures")
CALL = re.compile(r"lab\.film\(\\?[\"'](\w+)")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(("notebook", "film"), FILMS, ids=lambda one: getattr(one, "stem", ""))
def test_a_committed_film_is_what_its_chapter_makes(notebook, film):
    made = film(Run("full", 17))
    path = ROOT / "figures" / notebook.stem / films.FOLDER / f"{made.name}.json"
    assert differences(made, path) == []
    assert film(Run("quick", 17)) == made
    assert len(made.frames) == 12


def test_every_committed_film_belongs_to_a_chapter_and_every_call_shows_one():
    made = {f"{notebook.stem}/{film(Run('full', 17)).name}" for notebook, film in FILMS}
    assert made == FOUND.keys()
    shown = {f"{path.stem}/{name}" for path in NOTEBOOKS for name in CALL.findall(path.read_text())}
    assert shown <= made


@pytest.fixture
def film():
    """Two frames; the second has one point more."""
    panel = Panel(
        "", "x", "", (Series("data", (0.1, 0.2), (0.3, 5.0), role="rows"),), xlim=(0, 1), ylim=(0, 1)
    )
    more = Panel("", "x", "", (Series("<here>", (0.5,), (0.5,)),), xlim=(0, 2), ylim=(0, 1))
    return Film("one", "A & B", (Frame("First.", panel), Frame("Then.", more)), alt="It is.")


def test_a_changed_film_differs(film, tmp_path):
    from workbench.charts import canonical_json

    path = tmp_path / "one.json"
    assert differences(film, path) == ["not committed"]
    changed = content(film)
    changed["film"]["frames"][1]["panel"]["series"][0]["x"] = [0.6]
    canonical_json.write(path, changed)
    assert len(differences(film, path)) == 1
    assert films.read(path).frames[1].panel.series[0].x == (0.6,)


def test_layers_hide_all_but_the_last_and_draw_points_where_they_are(film):
    root = ElementTree.fromstring(layers(film))
    first, last = (one for one in root.iter(f"{SVG}g") if one.get("class") == "frame")
    assert (first.get("display"), last.get("display")) == ("none", None)
    assert [one.get("data-words") for one in (first, last)] == ["First.", "Then."]
    assert root.find(f"{SVG}title").text == "A & B"
    dots = [one.get("d") for one in first.iter(f"{SVG}path") if one.get("stroke-linecap")]
    assert dots == [
        "M133.0 339.0h0"
    ]  # a tenth of the plane from the left, three from below; the other is outside
    (point,) = [one.get("d") for one in last.iter(f"{SVG}path") if one.get("stroke-linecap")]
    assert point == "M203.5 245.0h0"
    assert "<here>" in "".join(last.itertext())


def test_a_strip_shows_first_and_last(film):
    words = "".join(ElementTree.fromstring(strip(film, 2)).itertext())
    assert "1 of 2" in words
    assert "2 of 2" in words


def test_ticks_are_round_and_inside():
    for low, high in ((-1.15, 1.15), (-339.2, -326.8), (0.0, 1e-3), (-1000.0, 1240.0)):
        found = ticks(low, high)
        assert 2 <= len(found) <= 6
        assert all(low <= one <= high for one in found)


def test_films_need_frames_and_frames_limits(film):
    with pytest.raises(ArgumentError):
        Film("one", "None", (), alt="None.")
    with pytest.raises(ArgumentError):
        Frame("No limits.", Panel("", "", "", ()))
    assert Film.from_json(film.to_json()) == film


def test_a_notebook_gets_a_player_and_a_still():
    page, alt, bundle = committed("many_dimensions", "balls")
    assert alt == FOUND["03_many_dimensions/balls"].alt
    assert page.count("<img ") == 1
    assert any("widget" in kind for kind in bundle)
    page, _, bundle = committed("many_dimensions", "none")
    assert "not at hand" in page
    assert bundle == {}


def test_the_script_is_one_that_node_reads_and_defines_the_player(tmp_path):
    path = tmp_path / "player.js"
    path.write_text(
        "globalThis.document = { readyState: 'complete', querySelectorAll: () => [] };\n"
        + films.script()
        + "\nconsole.log(Object.keys(workbenchFilms).join());"
    )
    done = subprocess.run(["node", path], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("mount,mountAll\n", "")
    assert "</script" not in films.script()


def test_the_site_has_every_film_with_its_words():
    made = cards(ROOT / "figures")
    assert [one.key for one in made] == list(FOUND)
    for one in made:
        assert one.html.count('class="frame"') == 12
        assert FOUND[one.key].frames[0].words in one.words
