"""`workbench sources`: the numbered statements."""

import argparse
from typing import Any

from workbench.commands.base import command, show, words


def add(commands: Any) -> None:
    """Add the command."""
    parser = command(commands, "sources", run, "every numbered statement of a source and what covers it")
    parser.add_argument("name", nargs="?", help="one source; all of them by default")
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(options: argparse.Namespace) -> int:
    """Print one row for every statement."""
    from dataclasses import asdict

    from workbench.sources import sources, statements

    names = [options.name.lower()] if options.name else list(sources())
    found = [(name, statement) for name in names for statement in statements(name)]
    records = [{"source": name} | asdict(statement) for name, statement in found]
    rows = [
        [
            name,
            one.id,
            one.kind,
            words(one.covered_by) or f"({one.reason})",
            words(slip.location for slip in one.errata),
            one.text,
        ]
        for name, one in found
    ]
    return show(options, records, ("source", "id", "kind", "covered by", "errata", "statement"), rows)
