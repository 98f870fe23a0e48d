"""`workbench lab`: what ends it ends the server and all of its kernels, and browsing changes no notebook."""

import json
import signal

import pytest

from tests.browser.server import serve
from tests.cluster import until
from tests.lab.conftest import ROOT, marked

pytestmark = [pytest.mark.daily, pytest.mark.usefixtures("_heard")]
ENDS_WITHIN = 30.0  # seconds, on a busy machine


@pytest.fixture
def server(project, tmp_path):
    """A running server with two kernels."""
    own = {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "", "MARK": str(tmp_path)}
    folder = tmp_path / "served"
    folder.mkdir()
    with serve(project, folder, **own) as server:
        for _ in range(2):
            server.ask("POST", "api/kernels", b'{"name": "python3"}')
        until(lambda: len(marked(str(tmp_path), running="ipykernel_launcher")) == 2)
        yield server


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_to_the_command_ends_the_server_and_its_kernels(server, tmp_path, how):
    assert server.process.pid in marked(str(tmp_path))
    server.process.send_signal(how)
    assert server.process.wait(ENDS_WITHIN) == 0
    until(lambda: not marked(str(tmp_path)))


def test_documents_are_not_saved_by_themselves(server):
    found = json.loads(server.ask("GET", "lab/api/settings/@jupyterlab/docmanager-extension:plugin"))
    assert found["schema"]["properties"]["autosave"]["default"] is False
    assert found["settings"] == {}
