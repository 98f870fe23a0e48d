"""Start JupyterLab on the project: offline, in this very process, in the folder of notebooks."""

import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path
from types import FrameType

from workbench.errors import ArgumentError, integer_at_least
from workbench.lab.figures import STYLES
from workbench.lab.project import Project
from workbench.lab.tables import say

SETTINGS = Path(__file__).parent / "jupyter"  # labconfig/ in it: no news, no update checks, no autosaving


def options(project: Project, port: int = 8888, *, browser: bool = True) -> list[str]:
    """Return the server's options."""
    integer_at_least(1, port=port)
    if port > 65535:
        raise ArgumentError("port", port, "at most 65535")
    styles = {"static_custom_path": [str(STYLES)]}  # there is no option of its own for it
    chosen = [
        f"--ServerApp.root_dir={project.root}",
        "--LabApp.default_url=/lab/tree/notebooks",
        "--LabApp.extension_manager=readonly",
        "--LabApp.custom_css=True",
        f"--ServerApp.tornado_settings={styles}",
        f"--ServerApp.port={port}",
        "--ServerApp.answer_yes=True",  # one Ctrl-C ends it
    ]
    if not browser:
        chosen.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        chosen.append("--allow-root")
    return chosen


def environment() -> dict[str, str]:
    """Return the environment of the server: the user's own settings stay, ours come before them."""
    paths = [str(SETTINGS), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    return {**os.environ, "JUPYTER_CONFIG_PATH": os.pathsep.join(path for path in paths if path)}


def serve(project: Project, port: int = 8888, *, browser: bool = True) -> int:
    """Run the server until it is stopped: from its menu, by Ctrl-C, by `kill`, or with its terminal.

    There is no process between the caller and the server, so that whatever ends one ends the other, and
    the server ends its kernels.
    """
    if find_spec("jupyterlab") is None:
        raise ModuleNotFoundError("No module named 'jupyterlab'", name="jupyterlab")
    line = options(project := project.own(), port, browser=browser)
    say(f"the notebooks are in {project.root / 'notebooks'}", sys.stderr)
    os.environ.update(environment())
    _end_with_the_terminal()
    from jupyterlab.labapp import LabApp  # type: ignore[import-untyped]

    LabApp.launch_instance(line)
    return 0


def _end_with_the_terminal() -> None:
    """Let the loss of the terminal end the server as `kill` does, but not under `nohup`."""
    lost = getattr(signal, "SIGHUP", None)  # not on every platform
    if lost is not None and signal.getsignal(lost) is not signal.SIG_IGN:
        signal.signal(lost, _terminate)


def _terminate(_number: int, _frame: FrameType | None) -> None:
    os.kill(os.getpid(), signal.SIGTERM)
