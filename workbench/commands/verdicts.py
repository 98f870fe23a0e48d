"""`workbench verdicts`: the committed verdicts on every claim."""

import argparse
from pathlib import Path
from typing import Any

from workbench.commands.base import command

KINDS = ("source", "ours", "lock", "identity")
STATUSES = ("HOLDS", "REFUTED", "UNDECIDED")


def add(commands: Any) -> None:
    """Add the command."""
    parser = command(commands, "verdicts", run, "the committed verdicts on every claim")
    parser.add_argument("claim", nargs="*", metavar="ID", help="show these claims whole")
    text = "show those of this status: " + ", ".join(STATUSES)
    parser.add_argument(
        "--status", type=str.upper, choices=STATUSES, action="append", default=[], metavar="S", help=text
    )
    text = f"show those of this kind: {', '.join(KINDS)}"
    parser.add_argument("--kind", choices=KINDS, action="append", default=[], metavar="K", help=text)
    parser.add_argument("--require", nargs="+", default=[], metavar="ID", help="fail unless they hold")
    parser.add_argument("--require-decided", nargs="+", default=[], metavar="ID", help="fail unless decided")
    parser.add_argument("--from", dest="folder", type=Path, metavar="DIR", help="instead of figures/")
    parser.add_argument("--project", type=Path, metavar="DIR")
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(options: argparse.Namespace) -> int:
    """Return 1 if a requirement is not met."""
    from workbench.lab import project
    from workbench.lab.runner.verdicts import Required, Wanted, verdicts

    folder = options.folder or project.find(explicit=options.project).figures
    required = Required(decided=options.require_decided, holds=options.require)
    wanted = Wanted(ids=options.claim, statuses=options.status, kinds=options.kind)
    return verdicts(folder, required, wanted, as_json=options.json)
