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
    """A running JupyterLab: its process, where it is, and the token it wants."""

    def __init__(self, process, base, token):
        self.process, self.base, self.token = process, base, token

    def address_of(self, notebook):
        """In a workspace of its own, which opens no other notebook beside it."""
        return (
            f"{self.base}/lab/workspaces/{Path(notebook).stem}/tree/notebooks/{notebook}?token={self.token}"
        )

    def end_session(self, notebook):
        """Shut down a notebook's kernel, so that it does not slow the others."""
        for session in json.loads(self.ask("GET", "api/sessions")):
            if session["name"] == notebook:
                self.ask("DELETE", f"api/sessions/{session['id']}")

    def ask(self, method, what, data=None):
        header = {"Authorization": f"token {self.token}"}
        request = urllib.request.Request(f"{self.base}/{what}", data, header, method=method)
        with urllib.request.urlopen(request, timeout=STOPS_WITHIN) as answer:
            return answer.read()


@contextmanager
def serve(root, folder, **environment):
    """Serve a copy of a project's notebooks and figures from a folder, with no settings of the user's."""
    project, log, port = folder / "project", folder / "server.log", str(free_port())
    for name in ("notebooks", "figures"):
        if (root / name).is_dir():
            shutil.copytree(root / name, project / name, ignore=shutil.ignore_patterns(".*"))
    shutil.copy(root / "pyproject.toml", project)
    line = [sys.executable, "-m", "workbench.cli", "lab", "--no-browser", "--port", port]
    settings = {name: str(folder / name.lower()) for name in SETTINGS}
    with log.open("w") as stream:
        process = subprocess.Popen(
            [*line, "--project", str(project)], env={**os.environ, **settings, **environment}, cwd=folder,
            stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, start_new_session=True,
        )  # fmt: skip
    try:
        server = wait_for(process, log)
        yield server
        if process.poll() is None:
            server.ask("POST", "api/shutdown")
            process.wait(STOPS_WITHIN)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(process, log):
    until = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < until and process.poll() is None:
        if found := ADDRESS.search(log.read_text()):
            return Server(process, *found.groups())
        time.sleep(0.1)
    raise RuntimeError(f"no server after {STARTS_WITHIN} s:\n{log.read_text()[-2000:]}")
