"""Running a notebook changes no file, however long it stays open; saving it does."""

import json

import pytest

from tests.browser.page import Notebook
from tests.browser.server import serve
from tests.lab.conftest import write_notebook

pytestmark = pytest.mark.browser

INTERVAL = 2  # seconds between two savings, where documents are saved by themselves
PLUGIN = "jupyterlab_settings_dir/@jupyterlab/docmanager-extension/plugin.jupyterlab-settings"


@pytest.fixture
def ran(browser, tmp_path):
    """Return a function: a notebook all of whose cells were run, under these settings of a user's."""
    opened = []

    def ran(server_folder, **settings):
        file = server_folder / PLUGIN
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({"autosaveInterval": INTERVAL, **settings}))
        source = write_notebook(tmp_path / "checkout" / "notebooks" / "01_small.ipynb", "print(1 + 1)")
        (tmp_path / "checkout" / "figures").mkdir()
        (tmp_path / "checkout" / "pyproject.toml").write_text('[project]\nname = "dp-workbench"\n')
        context = serve(tmp_path / "checkout", server_folder)
        opened.append(context)
        notebook = Notebook(browser, context.__enter__(), source, tmp_path / "shots")
        notebook.start()
        notebook.wait()
        return notebook, server_folder / "project" / "notebooks" / source.name

    yield ran
    for context in opened:
        context.__exit__(None, None, None)


def changes(notebook, path, before, seconds):
    """Return whether a file changes within so many seconds."""
    for _ in range(10 * seconds):
        if path.read_bytes() != before:
            return True
        notebook.page.wait_for_timeout(100)
    return False


def test_a_notebook_that_was_run_is_saved_by_hand_alone(ran, tmp_path):
    notebook, path = ran(tmp_path / "lab")
    before = notebook.path.read_bytes()
    assert not changes(notebook, path, before, 5 * INTERVAL)
    notebook.page.click(".jp-Notebook .jp-CodeCell >> nth=0")
    notebook.page.keyboard.press("Control+s")
    assert changes(notebook, path, before, 30)
    notebook.close()


def test_whoever_wants_it_saved_by_itself_may_say_so(ran, tmp_path):
    notebook, path = ran(tmp_path / "lab", autosave=True)
    assert changes(notebook, path, notebook.path.read_bytes(), 30)
    notebook.close()
