"""`workbench lab` on a copy of the notebooks, with settings of its own."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

ADDRESS = re.compile(r"(http://[\w.]+:\d+)/lab\S*\?token=(\w+)")
SETTINGS = (
    *("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"),
    *("JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR"),
)
STARTS_WITHIN, STOPS_WITHIN = 180, 20  # seconds


class Server:
    """A running JupyterLab: where it is and the token it wants."""

    def __init__(self, base, token):
        self.base, self.token = base, token

    def address_of(self, notebook):
        """In a workspace of its own, which opens no other notebook beside it."""
        return (
            f"{self.base}/lab/workspaces/{Path(notebook).stem}/tree/notebooks/{notebook}?token={self.token}"
        )

    def end_session(self, notebook):
        """Shut down a notebook's kernel, so that it does not slow the others."""
        for session in json.loads(self._ask("GET", "sessions")):
            if session["name"] == notebook:
                self._ask("DELETE", f"sessions/{session['id']}")

    def stop(self):
        self._ask("POST", "shutdown")

    def _ask(self, method, what):
        header = {"Authorization": f"token {self.token}"}
        request = urllib.request.Request(f"{self.base}/api/{what}", method=method, headers=header)
        with urllib.request.urlopen(request, timeout=STOPS_WITHIN) as answer:
            return answer.read()


@contextmanager
def serve(root, folder):
    """Serve a copy of the project's notebooks and figures from a folder, and log beside it."""
    project = folder / "project"
    for name in ("notebooks", "figures"):
        shutil.copytree(root / name, project / name, ignore=shutil.ignore_patterns(".*"))
    shutil.copy(root / "pyproject.toml", project)
    line = [sys.executable, "-m", "workbench.cli", "lab", "--no-browser", "--port", str(free_port())]
    log = folder / "server.log"
    with log.open("w") as stream:
        process = subprocess.Popen(
            [*line, "--project", str(project)],
            env=environment(folder), cwd=folder, stdout=stream, stderr=stream, start_new_session=True,
        )  # fmt: skip
    try:
        server = wait_for(process, log)
        yield server
        server.stop()
        process.wait(STOPS_WITHIN)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def environment(folder):
    """No settings of the user's, neither read nor written."""
    own = {name: str(folder / name.lower()) for name in SETTINGS}
    return {**os.environ, **own}


def wait_for(process, log):
    until = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < until and process.poll() is None:
        if found := ADDRESS.search(log.read_text()):
            return Server(*found.groups())
        time.sleep(0.1)
    raise RuntimeError(f"no server after {STARTS_WITHIN} s:\n{log.read_text()[-2000:]}")
