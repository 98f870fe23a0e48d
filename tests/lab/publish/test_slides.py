import os
import re
import stat
import tarfile

import pytest

from tests.lab.conftest import write_notebook
from workbench.errors import ArgumentError
from workbench.lab.publish import assets, slides
from workbench.lab.publish.assets import ASSETS, Asset
from workbench.lab.schemas import nbformat

ALT = "The error falls."
SOLUTION = "<details><summary>Solutions</summary>\n\nBecause $x^2$.\n</details>"


def cell(source, kind, *tags, html=""):
    made = nbformat().v4.new_code_cell(source)
    made.metadata.update(slideshow={"slide_type": kind}, tags=list(tags))
    if html:
        data = {"text/html": html, "application/vnd.jupyter.widget-view+json": {"model_id": "a"}}
        made.outputs = [nbformat().v4.new_output("display_data", data=data)]
    return made


def text(source, kind="slide"):
    return nbformat().v4.new_markdown_cell(source, metadata={"slideshow": {"slide_type": kind}})


@pytest.fixture
def page(tmp_path):
    """The page of a notebook that was run."""
    injected = nbformat().v4.new_code_cell("injected = 1", metadata={"tags": ["injected-parameters"]})
    cells = [
        text("# Title"),
        cell("profile = 1", "skip", "parameters"),
        injected,
        text("## Picture"),
        cell("plumbing()", "fragment", "remove-input", html=f'<img alt="{ALT}" src="data:,">'),
        cell("shown = 2", "fragment"),
        text("Said aloud", "notes"),
        text(SOLUTION),
    ]
    folder = tmp_path / "01_good"
    folder.mkdir()
    notebook = nbformat().v4.new_notebook(cells=cells)
    nbformat().write(notebook, folder / "executed.ipynb")
    return lambda: slides.write(tmp_path / "01_good.ipynb", tmp_path).read_text(encoding="utf-8")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "workbench" / "slides"


def body(page):
    return re.sub(r"<(style|script)\b.*?</\1>", "", page.partition("<body")[2], flags=re.DOTALL)


@pytest.mark.usefixtures("cache")
def test_cells_become_slides_as_their_slide_types_say(page):
    shown = body(page())
    assert shown.count("<section") == 2 * 3  # nbconvert nests every slide in a stack of its own
    assert shown.count('class="fragment"') == 2
    assert re.search(r'<aside class="notes">.*Said aloud.*</aside>', shown, re.DOTALL)
    assert "shown" in shown
    for absent in ("plumbing", "profile", "injected", "In&nbsp;[", "widget-view"):
        assert absent not in shown


@pytest.mark.usefixtures("cache")
def test_pictures_keep_their_words_and_solutions_stay_closed(page):
    shown = body(page())
    assert f'alt="{ALT}"' in shown
    assert "No description has been provided" not in shown
    assert re.findall(r"<details[^>]*>", shown) == ["<details>"]
    assert "Because $x^2$." in shown


@pytest.mark.usefixtures("cache")
def test_without_the_files_a_page_links_to_them_by_digest_and_to_nothing_else(page):
    made = page()
    links = [tag for tag in re.findall(r"<(?:script|link)\b[^>]*>", made) if "src=" in tag or "href=" in tag]
    assert len(links) == len(ASSETS)
    for asset in ASSETS.values():
        (link,) = [tag for tag in links if f'"{asset.url}"' in tag]
        assert f'integrity="{asset.digest}"' in link
    assert not assets.complete()


def small(name, content, package="pack@1"):
    return Asset(package, name, assets.digest(content))


@pytest.fixture
def contents(monkeypatch):
    """Small files in place of the real ones."""
    found = {name: f"/* {name} */".encode() for name in ASSETS}
    monkeypatch.setattr(
        assets, "ASSETS", {name: small(f"dist/{name}", content) for name, content in found.items()}
    )
    return found


def publish(folder, contents, monkeypatch):
    """Put a command npm on the path whose package holds these files."""
    archive = folder / "pack-1.tgz"
    with tarfile.open(archive, "w:gz") as packed:
        for name, content in contents.items():
            path = folder / name
            path.write_bytes(content)
            packed.add(path, f"package/dist/{name}")
    npm = folder / "npm"
    npm.write_text(f'#!/bin/sh\n[ "$1" = pack ] && cp "{archive}" .\n')
    npm.chmod(npm.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_with_the_files_a_page_needs_no_network(page, cache, contents, tmp_path, monkeypatch):
    publish(tmp_path, contents, monkeypatch)
    assets.fetch()
    assert sorted(path.name for path in cache.rglob("*") if path.is_file()) == sorted(contents)
    made = page()
    assert not re.findall(r"<script[^>]*\bsrc=|<link\b|@import", made)
    assert all(content.decode() in made for content in contents.values())
    monkeypatch.setenv("PATH", "")
    assets.fetch()  # all is here: nothing to fetch, and no npm needed


def test_another_file_than_the_wanted_is_not_taken(cache, contents, tmp_path, monkeypatch):
    publish(tmp_path, contents | {"mathjax": b"something else"}, monkeypatch)
    with pytest.raises(ArgumentError, match="the file with digest sha384-"):
        assets.fetch()
    assert not assets.complete()
    (cache / "pack@1" / "dist" / "mathjax").write_bytes(b"changed on disk")
    assert assets.ASSETS["mathjax"].text == ""


def test_npm_that_fails_or_is_missing_is_one_line(cache, contents, tmp_path, monkeypatch):
    publish(tmp_path, contents, monkeypatch)
    (tmp_path / "npm").write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(ArgumentError, match="a package that can be fetched"):
        assets.fetch()
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ArgumentError, match="npm = None: expected the command npm"):
        assets.fetch()
    assert not cache.exists()


def test_the_files_wanted_are_published_in_a_fixed_version():
    assert all(re.fullmatch(r"[a-z.]+@\d+\.\d+\.\d+", asset.package) for asset in ASSETS.values())
    assert all(re.fullmatch(r"sha384-[A-Za-z0-9+/]{64}", asset.digest) for asset in ASSETS.values())


def test_the_command_runs_the_notebook_and_uses_the_run_again(project, workbench, cache, tmp_path):
    (notebook,) = (project / "notebooks").glob("*.ipynb")
    done = workbench("slides", "01_good", "--out", tmp_path / "out", cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    page = tmp_path / "out" / "01_good.slides.html"
    assert done.stdout == f"{page}: loads reveal.js and MathJax when it is opened\n"
    assert 'alt="It falls."' in page.read_text()
    ran = (tmp_path / "out" / "01_good" / "executed.ipynb").stat().st_mtime_ns
    assert workbench("slides", notebook, "--out", tmp_path / "out", cwd=project).returncode == 0
    assert (tmp_path / "out" / "01_good" / "executed.ipynb").stat().st_mtime_ns == ran
    assert not cache.exists()


def test_a_notebook_that_fails_makes_no_slides(project, workbench, tmp_path):
    write_notebook(project / "notebooks" / "02_bad.ipynb", "1 / 0")
    done = workbench("slides", "02_bad", "--out", tmp_path / "out", cwd=project)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "02_bad: error: ZeroDivisionError: division by zero (cell 3)\n"
    assert not list((tmp_path / "out").glob("*.html"))


def test_wrong_arguments_are_one_line_and_what_is_committed_stays(project, workbench, tmp_path):
    (tmp_path / "file").write_text("")
    kept = project / "figures" / "01_good" / "error.svg"
    kept.parent.mkdir(parents=True)
    kept.write_text("committed")
    folders = (tmp_path / "file", project, project / "figures", project / "notebooks" / "new")
    for arguments in (("03_other",), *(("01_good", "--out", folder) for folder in folders)):
        done = workbench("slides", *arguments, cwd=project)
        assert (done.returncode, done.stdout) == (2, "")
        assert len(done.stderr.splitlines()) == 1
    assert kept.read_text() == "committed"
