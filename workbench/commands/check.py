"""`workbench check`: what a committed notebook must be."""

import argparse
from pathlib import Path
from typing import Any

from workbench.commands.base import command
from workbench.lab.tables import say


def add(commands: Any) -> None:
    """Add the command."""
    text = "whether notebooks are fit to be committed: canonical, without outputs, with slide types"
    parser = command(commands, "check", run, text)
    parser.add_argument("notebook", nargs="*", help="names or files; all of the project by default")
    parser.add_argument("--fix", action="store_true", help="mend what can be mended")
    parser.add_argument("--project", type=Path, metavar="DIR", help="the checkout (found from here upwards)")


def run(options: argparse.Namespace) -> int:
    """Print one line per finding, and return 1 if one is left."""
    from workbench.lab.publish.check import examine, fix

    files = notebooks(options.notebook, options.project)
    lines, left = [], 0
    for path in files:
        found = fix(path) if options.fix else examine(path)
        done = " (mended)" if options.fix else ""
        lines += [f"{path}: {line}{done}" for line in found.mendable]
        lines += [f"{path}: {line}" for line in found.others]
        left += len(found.others) + (0 if options.fix else len(found.mendable))
    count = "1 notebook" if len(files) == 1 else f"{len(files)} notebooks"
    say("\n".join(lines) or f"{count}, nothing to mend")
    return int(left > 0)


def notebooks(names: list[str], root: Path | None) -> list[Path]:
    """Return the files of these names: a file that exists, or a notebook of the project."""
    from workbench.lab import project

    files = [Path(name) for name in names if Path(name).is_file()]
    others = [name for name in names if not Path(name).is_file()]
    if names and not others:
        return files
    return [*files, *project.find(explicit=root).select(others)]
