"""`workbench deep`: make the figures that take an hour, compare."""

import argparse
from pathlib import Path
from typing import Any

from workbench.commands.base import command
from workbench.lab.terminal.argument_types import whole


def add(commands: Any) -> None:
    """Add the command."""
    text = "make the figures that take an hour and compare with the committed ones"
    parser = command(commands, "deep", run, text)
    parser.add_argument("notebook", nargs="*", help="its name or its chapter; all of them by default")
    parser.add_argument("--update", action="store_true", help="rewrite what is committed")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where outputs go (reproduced/deep/)")
    parser.add_argument("--project", type=Path, metavar="DIR", help="the checkout (found from here upwards)")
    parser.add_argument(
        "--jobs", type=whole, default=1, metavar="N", help="processes that compute at a time (1)"
    )


def run(options: argparse.Namespace) -> int:
    """Return 1 if anything is not as committed."""
    from workbench.errors import integer_at_least
    from workbench.lab import project
    from workbench.lab.runner.deep import make

    integer_at_least(1, jobs=options.jobs)
    found = project.find(explicit=options.project)
    out = (options.out or found.reproduced / "deep").resolve()
    found.keep_apart(out)
    return make(found, options.notebook, out, update=options.update, jobs=options.jobs)
