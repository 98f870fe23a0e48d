"""A browser, pages without a network, and a server of the notebooks."""

import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.lab.conftest import ROOT, serve


@pytest.fixture(scope="session")
def output(request):
    """Where screenshots stay, `--browser-output`."""
    folder = Path(request.config.getoption("--browser-output")).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


@pytest.fixture(scope="session")
def browser():
    if "PYTEST_XDIST_WORKER" in os.environ:
        pytest.fail("latencies are measured one at a time: run `pytest -m browser -n 0`")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.fail("no `chromium` on the path: apt-get install chromium chromium-driver")
    flags = ["--no-sandbox", "--disable-dev-shm-usage"]  # it sees only the server that was started here
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        yield browser
        browser.close()


@pytest.fixture
def offline(browser):
    """Return a function: a page from a file at a size; nothing is asked of a network, nothing goes wrong."""
    contexts, wrong = [], []

    def offline(address, size=(1280, 900)):
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, offline=True)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.on("request", lambda asked: wrong.append(asked.url) if asked.url.startswith("http") else None)
        page.goto(address)
        if not address.startswith("about:"):
            page.wait_for_selector("html[data-ready]", state="attached")
        return page

    yield offline
    for context in contexts:
        context.close()
    assert not wrong


@pytest.fixture(scope="session")
def server(tmp_path_factory, browser):
    with serve(ROOT, tmp_path_factory.mktemp("lab")) as server:
        yield server
