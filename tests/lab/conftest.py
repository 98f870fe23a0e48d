"""Checkouts with notebooks, processes that end, a cluster and a server of this machine."""

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
from typing import NamedTuple

import pytest

from workbench.lab.project import nbformat
from workbench.lab.publish import METADATA

ROOT = Path(__file__).parents[2]
DEFAULTS = [
    'profile = "quick"  # quick or full',
    "seed = 7  # whole number",
    'out = ""  # folder; empty: temporary',
    "recompute = False  # True or False",
]


def environment():
    own = {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    return os.environ | own


def write_notebook(path, *cells, parameters=DEFAULTS):
    notebook = nbformat().v4.new_notebook(metadata=METADATA)
    notebook.nbformat_minor = 5
    first = nbformat().v4.new_code_cell("\n".join(parameters), metadata={"tags": ["parameters"]})
    notebook.cells = [first, *map(nbformat().v4.new_code_cell, cells)]
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"c{number:02d}"
        cell.metadata["slideshow"] = {"slide_type": "slide"}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(nbformat().writes(notebook) + "\n")
    return path


def checkout(root):
    """A checkout without a notebook."""
    root.mkdir()
    (root / "pyproject.toml").write_text('[project]\nname = "dp-workbench"\n')
    return root


@pytest.fixture
def project(tmp_path):
    """A checkout with one good notebook."""
    root = checkout(tmp_path / "checkout")
    write_notebook(root / "notebooks" / "01_good.ipynb", "print(6 * 7)")
    return root


@pytest.fixture
def _heard():
    """What ends a process by default does: a shell starts what runs behind it deaf to Ctrl-C."""
    hows = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(how, signal.SIG_DFL) for how in hows]
    yield
    for how, handler in zip(hows, before, strict=True):
        signal.signal(how, handler)


def marked(mark, running=""):
    """Return the ids of the processes that inherited this value of MARK, run this and have not ended."""
    listed = subprocess.run(
        ["ps", "axeww", "-o", "pid=,stat=,command="], capture_output=True, text=True, check=True
    )
    rows = [line.split(maxsplit=2) for line in listed.stdout.splitlines()]
    return [
        int(pid)
        for pid, state, words in rows
        if f"MARK={mark}" in words.split() and running in words and state[0] != "Z"
    ]


# A dask cluster of this machine for tests: a scheduler and workers, each a process that can be killed.

PATIENCE = 180.0  # seconds until a test that hangs is called so


def started(name, *options, environment):
    command = [sys.executable, "-W", "ignore", "-m", f"distributed.cli.{name}", *options]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)


@contextmanager
def cluster(environment, workers=2):
    """Yield the address of a cluster on the loopback, at a free port, its scheduler and its workers."""
    options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    processes = [started("dask_scheduler", *options, environment=environment)]
    try:
        lines = (re.search(r"Scheduler at:\s+(tcp://[\d.:]+)", line) for line in processes[0].stderr)
        address = next(filter(None, lines))[1]
        options = (address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
        processes += [started("dask_worker", *options, environment=environment) for _ in range(workers)]
        yield address, *processes
    finally:
        for process in processes:
            process.kill()
            process.wait()
            process.stderr.close()


def until(true):
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


# `workbench lab` on a copy of the notebooks, with settings of its own.

ADDRESS = re.compile(r"(http://[\w.]+:\d+)/lab\S*\?token=(\w+)")
SETTINGS = (
    *("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"),
    *("JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR"),
)
STOPS_WITHIN = 20  # seconds


class Server(NamedTuple):
    """A running JupyterLab: its process, where it is, and the token it wants."""

    process: subprocess.Popen
    base: str
    token: str

    def ask(self, method, what, data=None):
        header = {"Authorization": f"token {self.token}"}
        request = urllib.request.Request(f"{self.base}/{what}", data, header, method=method)
        with urllib.request.urlopen(request, timeout=STOPS_WITHIN) as answer:
            return answer.read()


@contextmanager
def serve(root, folder, **environment):
    """Serve a copy of a project's notebooks and figures from a folder, with no settings of the user's."""
    project, log = folder / "project", folder / "server.log"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
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
        until(lambda: ADDRESS.search(log.read_text()) or process.poll() is not None)
        found = ADDRESS.search(log.read_text())
        assert found, log.read_text()[-2000:]
        server = Server(process, *found.groups())
        yield server
        if process.poll() is None:
            server.ask("POST", "api/shutdown")
            process.wait(STOPS_WITHIN)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(STOPS_WITHIN)
