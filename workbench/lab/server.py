"""Start JupyterLab on the project: offline, with this interpreter, in the folder of notebooks."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from workbench.errors import ArgumentError, integer_at_least
from workbench.lab.project import Project

SETTINGS = Path(__file__).parent / "jupyter"  # labconfig/ in it: no news, no update checks


def command(project: Project, port: int = 8888, *, browser: bool = True) -> list[str]:
    """Return the command line of the server."""
    integer_at_least(1, port=port)
    if port > 65535:
        raise ArgumentError("port", port, "at most 65535")
    options = [
        f"--ServerApp.root_dir={project.root}",
        "--LabApp.default_url=/lab/tree/notebooks",
        "--LabApp.extension_manager=readonly",
        f"--ServerApp.port={port}",
    ]
    if not browser:
        options.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--allow-root")
    return [sys.executable, "-m", "jupyterlab", *options]


def environment() -> dict[str, str]:
    """Return the environment of the server: the user's own settings stay, ours come before them."""
    paths = [str(SETTINGS), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    return {**os.environ, "JUPYTER_CONFIG_PATH": os.pathsep.join(path for path in paths if path)}


def serve(project: Project, port: int = 8888, *, browser: bool = True) -> int:
    """Run the server until it is stopped."""
    line = command(project, port, browser=browser)
    if find_spec("jupyterlab") is None:
        raise ModuleNotFoundError("No module named 'jupyterlab'", name="jupyterlab")
    try:
        return subprocess.call(line, env=environment())
    except KeyboardInterrupt:
        return 0
