"""The pages: everything has its card, links lead somewhere, nothing is loaded, no word is markup."""

import json
import re
import shutil
from html.parser import HTMLParser

import pytest

from tests.lab.conftest import ROOT
from workbench.catalog import CATALOG
from workbench.chapters.registry import CLAIMS
from workbench.cli import main
from workbench.lab.project import Project
from workbench.lab.publish.pages import write
from workbench.sources import sources, statements

pytestmark = pytest.mark.daily


class Elements(HTMLParser):
    """What stands in a page: ids, links, what is loaded; elements are closed in their order."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads, self.scripts, self.open = set(), set(), [], 0, []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids |= {given["id"]} if "id" in given else set()
        self.links |= {given["href"]} if tag == "a" and "href" in given else set()
        if tag != "a":
            self.loads += [
                given[name]
                for name in ("src", "href")
                if not (given.get(name) or "data:").startswith("data:")
            ]
        self.scripts += tag == "script"
        if tag == "img":
            assert "alt" in given


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    return {path.name: Elements(path) for path in write(Project(ROOT), tmp_path_factory.mktemp("pages"))}


def test_everything_has_a_card_and_every_link_leads_to_one(pages):
    assert pages["claims.html"].ids >= CLAIMS.keys()
    assert pages["estimators.html"].ids >= CATALOG.keys()
    assert pages["sources.html"].ids >= {one.id for source in sources() for one in statements(source)}
    assert pages["proofs.html"].ids >= {path.stem for path in (ROOT / "workbench" / "proofs").glob("*.md")}
    assert pages.keys() >= {f"{path.stem}.html" for path in Project(ROOT).notebooks}
    for name, page in pages.items():
        assert page.loads == []
        for link in (one for one in page.links if not re.match("https?:", one)):
            file, _, anchor = link.partition("#")
            target = pages[file or name]
            assert not anchor or anchor in target.ids, (name, link)


def test_no_formula_is_left_unread_and_no_word_is_markup(tmp_path, capsys):
    root = tmp_path / "checkout"
    shutil.copytree(ROOT / "figures" / "09_which_one", root / "figures" / "09_which_one")
    shutil.copytree(ROOT / "notebooks", root / "notebooks")
    (root / "pyproject.toml").write_text('[project]\nname = "dp-workbench"\n')
    path = root / "figures" / "09_which_one" / "verdicts.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["full"][0] |= {"status": "UNDECIDED", "statement": "</script><script>alert(1)</script>"}
    path.write_text(json.dumps(content))
    assert main(["pages", "--project", str(root)]) == 0
    first = root / "reproduced" / "pages" / "index.html"
    assert capsys.readouterr().out.startswith(f"{first}: with ")
    assert 'class="tex"' not in (first.parent / "proofs.html").read_text(encoding="utf-8")
    claims = first.with_name("claims.html")
    assert Elements(claims).scripts == 1
    assert '<span class="verdict undecided">' in claims.read_text(encoding="utf-8")
    before = sorted(root.rglob("*"))
    assert main(["pages", str(root / "figures" / "new"), "--project", str(root)]) == 2
    assert main(["pages", str(path), "--project", str(root)]) == 2
    assert sorted(root.rglob("*")) == before
