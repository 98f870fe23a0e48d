"""What commands share: adding one, tables and JSON, words in a cell."""

import argparse
import json
from collections.abc import Callable, Iterable
from typing import Any

from workbench.commands.examples import EXAMPLES, epilog
from workbench.lab.tables import page_width


class Help(argparse.RawDescriptionHelpFormatter):
    """A help as wide as the page, a flag and what it does on one line where they fit."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30, width=page_width())


def command(commands: Any, name: str, run: Callable[[argparse.Namespace], int], text: str) -> Any:
    """Add a command that `run` carries out, and return its parser."""
    after = epilog(*EXAMPLES[name])
    parser = commands.add_parser(name, help=text, description=text, epilog=after, formatter_class=Help)
    parser.set_defaults(run=run)
    return parser


def words(value: str | Iterable[object] | None) -> str:
    """Return words separated by commas."""
    return value if isinstance(value, str) else ", ".join(map(str, value or ()))


def show(options: argparse.Namespace, records: Any, text: Callable[[], str]) -> int:
    """Print a text, or its records as JSON, and return the exit code 0."""
    print(json.dumps(records, indent=1, ensure_ascii=False, default=str) if options.json else text())
    return 0
