"""Runs the explorers' modules as a page has them, put one after the other: in node, or else in Chromium."""

import json
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from workbench.lab.live.browser import EXPLORERS, HERE, bundled

WITHIN = 120  # seconds


def evaluate(body, *files, given=None):
    """Return what a function body in JavaScript returns; it sees `given` and all names that files export."""
    scopes = ", ".join(f"...${file.replace('.', '_')}" for file in files)
    parts = "\n".join(bundled(files))
    function = f"(given) => {{\n{parts}\nconst has = {{ {scopes} }};\n{body}\n}}"
    if shutil.which("node"):
        return _node(function, given)
    return _chromium(function, given)


def _node(function, given):
    program = f"const given = {json.dumps(given)};\nconsole.log(JSON.stringify(({function})(given) ?? null));"
    done = subprocess.run(
        ["node", "-"], input=program, capture_output=True, text=True, timeout=WITHIN, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _chromium(function, given):
    with _page() as page:
        return json.loads(page.evaluate(f"(given) => JSON.stringify(({function})(given) ?? null)", given))


@contextmanager
def _page():
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.fail("neither `node` nor `chromium` is on the path: apt-get install nodejs, or chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser.new_page()
        browser.close()


def load_in_chromium():
    """Import the modules in a browser of its own."""
    with _page() as page:
        return loaded(page)


def loaded(page):
    """Import the modules one by one, as they are, and return the names of those that are explorers."""
    page.route("http://modules/**", _answer)
    page.goto("http://modules/")
    each = "async (name) => Boolean((await import(`./${name}.mjs`)).explorer)"
    return [name for name in EXPLORERS if page.evaluate(each, name)]


def _answer(route):
    name = urlsplit(route.request.url).path.removeprefix("/")
    kind = {".mjs": "text/javascript", ".json": "application/json"}.get(Path(name).suffix, "text/html")
    body = (HERE / name).read_text(encoding="utf-8") if name else "<!doctype html>"
    route.fulfill(content_type=f"{kind}; charset=utf-8", body=body)
