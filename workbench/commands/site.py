"""`workbench site`: everything that is committed, as one page."""

import argparse
from pathlib import Path
from typing import Any

from workbench.commands.base import command, require_free
from workbench.lab.tables import say


def add(commands: Any) -> None:
    """Add the command."""
    text = "write figures, claims, statements, estimators and notebooks as one page, from what is committed"
    parser = command(commands, "site", run, text)
    parser.add_argument(
        "page", nargs="?", type=Path, metavar="OUT.html", help="the page (reproduced/workbench.html)"
    )
    parser.add_argument("--project", type=Path, metavar="DIR", help="the checkout (found from here upwards)")


def run(options: argparse.Namespace) -> int:
    """Write the page, which needs no network and no other file."""
    from workbench.lab import project
    from workbench.lab.publish.site.page import NAME, require, write

    found = project.find(explicit=options.project)
    path = (options.page or found.reproduced / NAME).resolve()
    require(found, path)
    require_free("page", path)
    write(found.root, path)
    say(f"{path}: {path.stat().st_size / 1e6:.1f} MB, needs no network and no other file")
    return 0
