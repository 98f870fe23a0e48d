"""What commands share: adding one, tables and JSON, words in a cell."""

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any


def command(commands: Any, name: str, run: Callable[[argparse.Namespace], int], text: str) -> Any:
    """Add a command that `run` carries out, and return its parser."""
    parser = commands.add_parser(name, help=text, description=text)
    parser.set_defaults(run=run)
    return parser


def words(value: str | Iterable[object] | None) -> str:
    """Return words separated by commas."""
    return value if isinstance(value, str) else ", ".join(map(str, value or ()))


def show(options: argparse.Namespace, records: Any, header: Sequence[str], rows: list[list[str]]) -> int:
    """Print a table, or its records as JSON, and return the exit code 0."""
    from workbench.lab.tables import text

    as_json = json.dumps(records, indent=1, ensure_ascii=False, default=str)
    print(as_json if options.json else text(header, rows))
    return 0
