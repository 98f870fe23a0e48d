"""`workbench lab`: the notebooks in JupyterLab, offline."""

import argparse
from pathlib import Path
from typing import Any

from workbench.commands.base import command
from workbench.lab.terminal.argument_types import whole


def add(commands: Any) -> None:
    """Add the command."""
    parser = command(commands, "lab", run, "open the notebooks in JupyterLab, offline")
    parser.add_argument("--port", type=whole, default=8888)
    parser.add_argument("--no-browser", dest="browser", action="store_false", help="only print the address")
    parser.add_argument("--project", type=Path, metavar="DIR")


def run(options: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from workbench.lab import project
    from workbench.lab.live.server import serve

    return serve(project.find(explicit=options.project), options.port, browser=options.browser)
