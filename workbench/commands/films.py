"""`workbench films`: make the films, compare."""

import argparse
from pathlib import Path
from typing import Any

from workbench.commands.base import command


def add(commands: Any) -> None:
    """Add the command."""
    parser = command(commands, "films", run, "make the films and compare with the committed ones")
    parser.add_argument("notebook", nargs="*", help="its name or its chapter; all of them by default")
    parser.add_argument("--update", action="store_true", help="rewrite what is committed")
    parser.add_argument("--project", type=Path, metavar="DIR", help="the checkout (found from here upwards)")


def run(options: argparse.Namespace) -> int:
    """Return 1 if anything is not as committed."""
    from workbench.lab import project
    from workbench.lab.runner.films import make

    return make(project.find(explicit=options.project), options.notebook, update=options.update)
