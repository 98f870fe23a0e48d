"""A server, a browser, and every notebook with all of its cells run."""

import json
import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from .page import Notebook
from .server import serve

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
REPORT = pytest.StashKey[list[str]]()


@pytest.fixture(scope="session")
def output(request):
    """Where screenshots and latencies stay, `--browser-output`."""
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
    flags = [
        "--no-sandbox",
        "--disable-dev-shm-usage",
    ]  # it sees nothing but the server that was started here
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory, browser):
    with serve(ROOT, tmp_path_factory.mktemp("lab")) as server:
        yield server


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request, browser, server, output):
    """An open notebook all of whose cells were run."""
    opened = Notebook(browser, server, request.param, output / request.param.stem)
    opened.run()
    yield opened
    opened.close()
    server.end_sessions()


@pytest.fixture
def publish(request, output):
    """Keep latencies as JSON, and say their medians at the end of the run."""
    lines = request.config.stash.setdefault(REPORT, [])

    def publish(name, found, sentence):
        text = json.dumps(found, indent=1, ensure_ascii=False)
        (output / name / "latencies.json").write_text(text + "\n", encoding="utf-8")
        lines.append(f"{name}: {sentence}")

    return publish


def pytest_terminal_summary(terminalreporter, config):
    for line in config.stash.get(REPORT, []):
        terminalreporter.write_line(line)
