"""`workbench lab`: what ends it ends the server and all of its kernels, and browsing changes no notebook."""

import json
import signal
import subprocess
import sys
import urllib.request

import pytest

from tests.browser.server import environment, free_port, wait_for
from tests.cluster import until
from tests.lab.conftest import ROOT, marked

pytestmark = pytest.mark.usefixtures("_heard")
ENDS_WITHIN = 30.0  # seconds, on a busy machine


@pytest.fixture
def serving(project, tmp_path):
    """Return a running server with two kernels, one of which is at work, and its process."""
    log, port = tmp_path / "server.log", str(free_port())
    words = ["lab", "--no-browser", "--port", port, "--project", str(project)]
    own = {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "", "MARK": str(tmp_path)}
    with log.open("w") as stream:
        process = subprocess.Popen(
            [sys.executable, "-m", "workbench.cli", *words],
            stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, start_new_session=True, cwd=tmp_path,
            env={**environment(tmp_path), **own},
        )  # fmt: skip
    try:
        server = wait_for(process, log)
        start_kernels(server, tmp_path)
        yield server, process
    finally:
        process.kill()
        process.wait()


def start_kernels(server, mark):
    assert len(marked(str(mark))) >= 1
    for _ in range(2):
        asked(server, "POST", "api/kernels", b'{"name": "python3"}')
    until(lambda: len(marked(str(mark), running="ipykernel_launcher")) == 2)


def asked(server, method, what, data=None):
    header = {"Authorization": f"token {server.token}"}
    request = urllib.request.Request(f"{server.base}/{what}", data, header, method=method)
    with urllib.request.urlopen(request, timeout=ENDS_WITHIN) as answer:
        return json.load(answer)


@pytest.mark.daily
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_to_the_command_ends_the_server_and_its_kernels(serving, tmp_path, how):
    _, process = serving
    assert process.pid in marked(str(tmp_path))
    process.send_signal(how)
    assert process.wait(ENDS_WITHIN) == 0
    until(lambda: not marked(str(tmp_path)))


@pytest.mark.daily
def test_documents_are_not_saved_by_themselves(serving):
    server, _ = serving
    found = asked(server, "GET", "lab/api/settings/@jupyterlab/docmanager-extension:plugin")
    assert found["schema"]["properties"]["autosave"]["default"] is False
    assert found["settings"] == {}
