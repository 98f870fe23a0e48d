"""What commands share: adding one, tables and JSON, words in a cell, files that may be written."""

import argparse
import json
import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from workbench.commands.examples import EXAMPLES, epilog
from workbench.errors import ArgumentError
from workbench.lab.tables import page_width, say


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
    say(json.dumps(records, indent=1, ensure_ascii=False, default=str) if options.json else text())
    return 0


def require_free(argument: str, path: Path, source: Path | None = None) -> None:
    """Raise unless a path is new, or a plain file that may be replaced and is not the one that is read."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        if path.parent.is_dir():
            return
        raise ArgumentError(argument, str(path), "a file in a folder that exists") from None
    except (OSError, ValueError):
        raise ArgumentError(argument, str(path), "the name of a file") from None
    if not stat.S_ISREG(found.st_mode):
        raise ArgumentError(argument, str(path), "a file in a folder that exists, and no link or device")
    if source is not None and os.path.samestat(found, _read(source)):
        raise ArgumentError(argument, str(path), "another file than the one that is read")
    if not os.access(path, os.W_OK):
        raise ArgumentError(argument, str(path), "a file that may be replaced: this one is not to be written")


def _read(source: Path) -> os.stat_result:
    """Return the status of a file; `-` is what is on standard input."""
    return os.fstat(0) if str(source) == "-" else source.stat()
