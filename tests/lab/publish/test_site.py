"""The page of everything that is committed: complete, closed in itself, and true to what it was made from."""

import base64
import gzip
import json
import re
import shutil
import time
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pytest
from workbench.lab.publish.site import dots
from workbench.lab.publish.site import page as site
from workbench.lab.publish.site.growing import grown
from workbench.lab.publish.site.prose import formula, html, typeset
from workbench.lab.publish.site.records import Size

from tests.lab.conftest import good_project
from workbench.catalog import CATALOG
from workbench.chapters.registry import CLAIMS
from workbench.cli import main
from workbench.lab.runner.complexity import sizes_of
from workbench.lab.runner.growth import Growth, growths
from workbench.sources import sources, statements

ROOT = Path(__file__).parents[3]
MOST_BYTES, MOST_SECONDS = 15e6, 30  # of a processor that others use, too; alone it takes 3
LOADS = ("src", "srcset", "href", "xlink:href", "poster", "data", "action", "background")
FETCHES = re.compile(r"https?:|url\((?!#)|@import|\bfetch\(|XMLHttpRequest|\bimport\b")
VOID = {"meta", "link", "img", "input", "br", "hr"}


class Element(dict):
    """The name and the attributes of an element, and the words inside it, from one list of all words."""

    def __init__(self, tag, attrs, data):
        super().__init__(attrs, tag=tag)
        self.data, self.begin, self.end = data, len(data), len(data)

    @property
    def words(self):
        return "".join(self.data[self.begin : self.end])


class Elements(HTMLParser):
    """Every element of a page."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.all, self.open, self.data = [], [], []
        self.feed(text)
        assert not self.open, [element["tag"] for element in self.open]

    def handle_starttag(self, tag, attrs):
        self.all.append(Element(tag, attrs, self.data))
        if tag not in VOID:
            self.open.append(self.all[-1])

    def handle_startendtag(self, tag, attrs):
        self.all.append(Element(tag, attrs, self.data))

    def handle_endtag(self, tag):
        closed = self.open.pop()
        assert closed["tag"] == tag
        closed.end = len(self.data)

    def handle_data(self, data):
        self.data.append(data)

    def by_id(self):
        return {element["id"]: element for element in self.all if element.get("id")}


@pytest.fixture(scope="module")
def took():
    return {}


@pytest.fixture(scope="module")
def text(took):
    began = time.process_time()
    made = site.page(ROOT)
    took["seconds"] = time.process_time() - began
    return made


@pytest.fixture(scope="module")
def elements(text):
    return Elements(text)


def figures():
    paths = (ROOT / "figures").glob("*/*.json")
    return sorted(
        path.relative_to(ROOT / "figures").with_suffix("") for path in paths if path.stem != "verdicts"
    )


def verdicts():
    found = {}
    for path in sorted((ROOT / "figures").glob("*/verdicts.json")):
        found |= {one["id"]: one for one in json.loads(path.read_text(encoding="utf-8"))["full"]}
    return found


@pytest.mark.daily
def test_it_is_small_and_quickly_made(text, took):
    assert len(text.encode()) < MOST_BYTES
    assert took["seconds"] < MOST_SECONDS


def loading(elements):
    """What a browser would fetch for a page."""
    for one in elements.all:
        for name in LOADS:
            if one["tag"] != "a" and re.match(r"\s*(https?:)?//", one.get(name) or ""):
                yield one[name]
        if one["tag"] in ("style", "script") and one.get("type") != "application/json":
            yield from re.findall(
                r"https?:|url\((?!#)|@import|\bfetch\(|XMLHttpRequest|\bimport\b", one.words
            )
        yield from re.findall(r"url\((?!#)", one.get("style") or "")


@pytest.mark.daily
def test_it_loads_nothing(elements):
    assert not list(loading(elements))
    assert not [one for one in elements.all if one["tag"] in ("iframe", "object", "embed", "base")]
    assert not [one for one in elements.all if one["tag"] == "script" and "src" in one]
    (policy,) = (one for one in elements.all if one.get("http-equiv") == "Content-Security-Policy")
    assert policy["content"].startswith("default-src 'none'; ")
    assert not re.search(r"https?:|\*|'self'", policy["content"])


@pytest.mark.parametrize(
    "wrong",
    [
        '<img src="https://example.org/a.png">',
        '<link rel="stylesheet" href="//example.org/a.css">',
        "<style>body { background: url(a.png) }</style>",
        "<script>fetch('a')</script>",
        '<p style="background: url(a.png)"></p>',
    ],
)
def test_what_loads_would_be_seen(wrong):
    assert len(list(loading(Elements(wrong)))) == 1


def test_everything_has_one_card(elements):
    ids = Counter(one["id"] for one in elements.all if one.get("id"))
    assert [name for name, count in ids.items() if count > 1] == []
    wanted = {f"claim/{name}" for name in CLAIMS}
    wanted |= {f"figure/{path.as_posix()}" for path in figures()}
    wanted |= {f"estimator/{key}" for key in CATALOG}
    wanted |= {f"statement/{one.id}" for source in sources() for one in statements(source)}
    wanted |= {f"notebook/{path.stem}" for path in (ROOT / "notebooks").glob("*.ipynb")}
    wanted |= {f"proof/{path.stem}" for path in (ROOT / "workbench" / "proofs").glob("*.md")}
    assert not wanted - ids.keys()
    cards = {one["id"] for one in elements.all if one["tag"] == "details" and "card" in one.get("class", "")}
    assert cards == wanted


def test_a_card_of_a_claim_says_all_that_is_known(elements):
    found, decided = elements.by_id(), verdicts()
    for name, claim in CLAIMS.items():
        card = found[f"claim/{name}"]
        assert card["data-status"] == decided[name]["status"]
        words = " ".join(card.words.split())
        for wanted in (name, claim.number, decided[name]["status"].lower(), *claim.sources):
            assert wanted in words, (name, wanted)
        (module,) = re.findall(r"workbench/chapters/\S+\.py", words)
        tests = re.findall(r"tests/chapters/[\w/]*test_\w+\.py", words)
        assert tests, name
        assert all((ROOT / path).is_file() for path in (module, *tests))


def test_every_measured_n_is_in_its_card(elements):
    found, counted = elements.by_id(), 0
    for name, verdict in verdicts().items():
        words = found[f"claim/{name}"].words
        for size in sizes_of(verdict):
            counted += 1
            for value in (size["predicted"], size["estimate"]):
                assert dots.number(float(value)) in words, (name, value)
            assert size["formula"] in words
    assert counted > 200


def test_a_card_of_an_estimator_says_how_it_is_made_and_what_it_guarantees(elements):
    found = elements.by_id()
    for key, entry in CATALOG.items():
        words = " ".join(found[f"estimator/{key}"].words.split())
        wanted = [type(entry.estimator).__name__, entry.summary, entry.estimand, *entry.statements]
        wanted += [field.name for field in fields(entry.estimator)]
        wanted += [type(budget).__name__ for budget in entry.budgets]
        wanted += [one.statement for one in entry.assumptions]
        assert not [one for one in wanted if one not in words], key
        assert re.search(r"Guarantee\S.* Budgets\S.* Tested at\S", words), key


def test_a_card_of_a_statement_says_what_covers_it(elements):
    found = elements.by_id()
    for one in (one for source in sources() for one in statements(source)):
        words = found[f"statement/{one.id}"].words
        covers = [name.removeprefix("claim ") for name in one.covered_by]
        assert not [name for name in (one.kind, one.constants, *covers) if name not in words], one.id


def test_every_n_that_grows_is_in_its_card(elements):
    found, growing = elements.by_id(), list(growths([*verdicts().values()]))
    assert growing
    for one in growing:
        words = found[f"claim/{one.claim}"].words
        assert f"rate {one.record['rate']}" in words
        for n, stated in zip(one.record["n"], one.record["stated"], strict=True):
            assert dots.number(float(n)) in words
            assert dots.number(float(stated)) in words


def record(**more):
    base = {"values": [1.0, 10.0], "n": [100.0, "inf"], "intervals": [[0, 200.0], [500.0, "inf"]]}
    base |= {
        "key": "univariate/median [paper]",
        "predicted": ["nan", "nan"],
        "stated": [100.0, 1000.0],
        "slope": "nan",
    }
    return base | {"slope_interval": [0.5, "inf"], "slope_predicted": "nan", "slope_stated": 1.0} | more


def test_a_picture_of_growth_has_open_ends_where_they_are():
    found = grown(Growth("claim", "UNDECIDED", record()), {"univariate/median": "estimator/it"})
    assert [value.between for value in found.values] == ["200 are enough", "more than 500"]
    first, second = found.marks
    assert (first.x, first.y, first.low, first.expected) == (10.0, 140.0, 150.0, 140.0)
    assert (second.x, second.y, second.high, second.expected) == (230.0, None, 0.0, 10.0)
    assert found.target == "estimator/it"
    assert found.slopes == "open in [0.50, open], stated 1.00"


def test_growth_without_a_place_on_the_axes_has_no_picture():
    assert grown(Growth("claim", "UNDECIDED", record(values=[1.0, 1.0])), {}).marks == []


def test_the_same_is_said_of_what_is_shown_before_it(elements):
    found, names = elements.by_id(), list(CLAIMS)
    same = [name for name in names if CLAIMS[name].statement.startswith("The same")]
    assert same
    for name in same:
        words = " ".join(found[f"claim/{name}"].words.split())
        before = names[names.index(name) - 1]
        assert f"{before}: " in words
        assert words.index(f"{before}: ") < words.rindex(CLAIMS[name].statement[:20])


def test_what_was_refuted_stands_on_its_shelf_with_its_reason(elements):
    shelf = elements.by_id()["refuted"].words
    refuted = [name for name, one in verdicts().items() if one["status"] == "REFUTED"]
    assert refuted
    for name in refuted:
        assert f"All of {name}" in shelf
    assert shelf.count("Why:") == len(refuted)
    holding = next(name for name, one in verdicts().items() if one["status"] == "HOLDS")
    assert f"All of {holding}" not in shelf


@pytest.mark.parametrize(
    ("status", "rate", "shown"),
    [("HOLDS", "seen", False), ("HOLDS", "open", True), ("UNDECIDED", "seen", True)],
)
def test_growth_is_left_open_where_its_rate_or_its_verdict_is(status, rate, shown):
    assert site.undecided(Growth("one-mean/two-step-rows-grow", status, {"rate": rate})) is shown


def test_dots_stand_where_the_ratios_are():
    sizes = [
        Size("formula", "L17/Eq1", "searched", 10.0, 10 * ratio, (1.0, 2.0)) for ratio in (1.0, 0.1, 200.0)
    ]
    tried = Size("formula", "L17/Eq1", "tried", 10.0, 500.0, (0.0, 500.0))
    found = dots.picture([SimpleNamespace(sizes=[*sizes, tried]), SimpleNamespace(sizes=[tried])])
    assert [tick.words for tick in found.ticks] == ["0.1", "1", "10", "100", "1000"]
    (line,) = found.lines
    assert [dot.place for dot in line.dots] == [25.0, 0.0, 82.53]
    assert line.dots[0].words == "L17/Eq1: measured 10, predicted 10"


def test_every_link_inside_the_page_leads_somewhere(elements):
    links = {
        one["href"][1:].partition("?")[0] for one in elements.all if (one.get("href") or "").startswith("#")
    }
    assert len(links) > 400
    assert not links - elements.by_id().keys()


def test_no_link_leads_to_a_file(elements):
    links = [one["href"] for one in elements.all if one["tag"] == "a" and one.get("href")]
    assert not [href for href in links if not href.startswith(("#", "https://"))]


def test_every_picture_is_there_and_what_it_was(elements):
    packed = json.loads(elements.by_id()["pictures"].words)
    shown = {one["data-picture"] for one in elements.all if "data-picture" in one}
    assert {path.as_posix() for path in figures()} <= packed.keys()
    assert shown <= packed.keys()
    for key, content in packed.items():
        made = ET.fromstring(gzip.decompress(base64.b64decode(content)))
        kept = ET.parse(ROOT / "figures" / f"{key}.svg").getroot()
        assert made.attrib == kept.attrib
        assert Counter(one.tag for one in made.iter()) == Counter(
            one.tag for one in kept.iter() if not re.search("metadata|rdf|creativecommons|purl", str(one.tag))
        )


def test_pictures_have_words(elements):
    images = [one for one in elements.all if one["tag"] == "img"]
    assert all("alt" in one for one in images)
    named = {one["data-picture"] for one in images if one["alt"]}
    assert {path.as_posix() for path in figures()} <= named


def test_the_search_knows_every_card(elements):
    index = json.loads(elements.by_id()["index"].words)
    cards = {one["id"] for one in elements.all if one["tag"] == "details" and "card" in one.get("class", "")}
    assert cards <= {entry[1] for entry in index}
    assert {entry[1] for entry in index} <= elements.by_id().keys()


def test_every_formula_is_read(elements):
    assert not [one.words for one in elements.all if one.get("class") == "tex"]
    assert sum(one["tag"] == "math" for one in elements.all) > 2000
    prose = [one.words for one in elements.all if "prose" in (one.get("class") or "")]
    assert not [words for words in prose if re.search(r"\\(frac|le|varepsilon)\b", words)]
    assert not [one.words for one in elements.all if one["tag"] == "math" and "\\" in one.words]


@pytest.mark.parametrize(
    ("tex", "made"),
    [
        (r"a_i^2", "<msubsup><mi>a</mi><mi>i</mi><mn>2</mn></msubsup>"),
        (r"\frac12", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
        (r"\operatorname{tr}", "<mo>tr</mo>"),
        (r"\bigl\lVert x \bigr\rVert_F", "‖</mo><mi>F</mi></msub>"),
    ],
)
def test_formulas_become_elements(tex, made):
    assert made in formula(tex)


@pytest.mark.parametrize("wrong", [r"\left( x", "x^"])
def test_a_formula_that_cannot_be_read_stays_as_it_is(wrong):
    assert formula(wrong) == f'<code class="tex">{wrong}</code>'


def test_code_is_no_formula_and_prices_are_none():
    assert "<math" not in html("`$x$` costs 5 $ or 6 $")
    assert html("it is $x$").count("<math") == 1


@pytest.mark.parametrize("before", ["", "   "])
def test_a_formula_between_fences_is_read_where_it_belongs_to_a_step(before):
    made = html(f"1. A\n2. Hence\n\n{before}```math\n{before}a \\le b.\n{before}```\n")
    assert made.count('display="block"') == 1
    assert "```" not in made


def test_names_of_parameters_are_no_letters():
    assert typeset("`delta` and delta_rows") == "`delta` and delta_rows"
    assert typeset("e^{t/106} <b>") == "e<sup>t/106</sup> &lt;b&gt;"


@pytest.fixture
def checkout(tmp_path):
    """A checkout of one chapter, one of whose claims is undecided and tries to be a script."""
    root = tmp_path / "checkout"
    (root / "notebooks").mkdir(parents=True)
    (root / "pyproject.toml").write_text('[project]\nname = "dp-workbench"\n')
    shutil.copy(ROOT / "notebooks" / "09_which_one.ipynb", root / "notebooks")
    shutil.copytree(ROOT / "figures" / "09_which_one", root / "figures" / "09_which_one")
    path = root / "figures" / "09_which_one" / "verdicts.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["full"][0] |= {"status": "UNDECIDED", "statement": "</script><script>alert(1)</script>"}
    path.write_text(json.dumps(content))
    return root


@pytest.mark.daily
def test_what_is_undecided_has_its_shelf_and_words_are_no_markup(checkout):
    elements = Elements(site.page(checkout))
    run = [one for one in elements.all if one["tag"] == "script" and one.get("type") != "application/json"]
    assert len(run) == 2
    shelf = elements.by_id()["refuted"].words
    assert "Undecided: 1" in shelf
    assert "<script>alert(1)</script>" in shelf
    assert {one["href"] for one in elements.all if one["tag"] == "a" and "which-one" in one["href"]}


@pytest.fixture
def command(checkout, capsys):
    """Run the command in this process; return its exit code and what it printed."""

    def command(*arguments, project=checkout):
        code = main(["pages", *map(str, arguments), "--project", str(project)])
        return (code, *capsys.readouterr())

    return command


@pytest.mark.daily
def test_the_command_writes_a_page_and_says_its_size(checkout, command, tmp_path):
    page = tmp_path / "new" / "page.html"
    done = command(page)
    size = page.stat().st_size / 1e6
    assert done == (0, f"{page}: {size:.1f} MB, needs no network and no other file\n", "")
    assert page.read_text(encoding="utf-8") == site.page(checkout)
    assert command()[0] == 0
    assert (checkout / "reproduced" / "workbench.html").read_bytes() == page.read_bytes()


@pytest.mark.parametrize(
    "page", ["page.txt", "page", "figures", "figures/new/price.html", "notebooks/page.html", "file/page.html"]
)
def test_what_is_committed_stays(checkout, command, page):
    (checkout / "file").write_text("")
    before = sorted(checkout.rglob("*"))
    code, printed, complaint = command(checkout / page)
    assert (code, printed, len(complaint.splitlines())) == (2, "", 1)
    assert sorted(checkout.rglob("*")) == before


def test_what_is_no_checkout_is_one_line(command, tmp_path):
    for project in (tmp_path, good_project(tmp_path / "without_figures")):
        code, printed, complaint = command(tmp_path / "page.html", project=project)
        assert (code, printed, len(complaint.splitlines())) == (2, "", 1)
    assert not (tmp_path / "page.html").exists()
