"""`workbench reproduce`: run the notebooks, decide the claims, compare."""

import argparse
from pathlib import Path
from typing import Any

from workbench.commands.base import command
from workbench.lab.terminal.argument_types import number, pair, whole


def add(commands: Any) -> None:
    """Add the command."""
    text = "run the notebooks and compare with the committed figures"
    parser = command(commands, "reproduce", run, text)
    parser.add_argument("notebook", nargs="*", help="all of them by default")
    parser.add_argument(
        "--profile", choices=("quick", "full"), default="quick", help="how thoroughly (quick)"
    )
    parser.add_argument("--update", action="store_true", help="rewrite figures/; needs --profile full")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where outputs go (reproduced/)")
    parser.add_argument("--project", type=Path, metavar="DIR", help="the checkout (found from here upwards)")
    parser.add_argument("-p", "--parameter", type=pair, action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--seed", type=whole, metavar="N", help="short for -p seed=N")
    parser.add_argument("--jobs", type=whole, metavar="N", help="processes that compute at a time (2)")
    parser.add_argument("--timeout", type=number, metavar="SECONDS", help="for each notebook")


def run(options: argparse.Namespace) -> int:
    """Return 1 if anything is not as committed."""
    from workbench.lab import project
    from workbench.lab.runner.reproduce import Reproduction, reproduce

    given = dict(options.parameter)
    if options.seed is not None:
        given["seed"] = options.seed
    request = Reproduction(
        notebooks=options.notebook,
        profile=options.profile,
        update=options.update,
        out=options.out,
        given=given,
        jobs=options.jobs,
        timeout=options.timeout,
    )
    return reproduce(project.find(explicit=options.project), request)
