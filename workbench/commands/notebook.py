"""`workbench notebook`: a copy of a notebook to hand out."""

import argparse
from pathlib import Path
from typing import Any

from workbench.commands.base import command
from workbench.lab.tables import say


def add(commands: Any) -> None:
    """Add the command."""
    text = "write a copy of a notebook that is one file, for students or to teach from"
    parser = command(commands, "notebook", run, text)
    parser.add_argument("notebook", help="its name")
    which = parser.add_mutually_exclusive_group()
    text = "without the solutions, and with a cell for each answer"
    which.add_argument(
        "--student", dest="edition", action="store_const", const="student", default="", help=text
    )
    text = "with the solutions open and the 90-minute plan after the title"
    which.add_argument("--teacher", dest="edition", action="store_const", const="teacher", help=text)
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the copy goes (reproduced/)")
    parser.add_argument("--project", type=Path, metavar="DIR", help="the checkout (found from here upwards)")


def run(options: argparse.Namespace) -> int:
    """Write the copy, where none is yet."""
    from workbench.lab import project
    from workbench.lab.publish.editions import write

    found = project.find(explicit=options.project)
    (notebook,) = found.select([options.notebook])
    out = (options.out or found.reproduced).resolve()
    found.keep_apart(out)
    say(str(write(found, notebook, out, options.edition)))
    return 0
