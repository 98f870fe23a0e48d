"""`workbench check`: what a committed notebook must be."""

import argparse
from pathlib import Path
from typing import Any

from workbench.commands.base import command


def add(commands: Any) -> None:
    """Add the command."""
    text = "whether notebooks are as they are committed: canonical, without outputs, with slide types"
    parser = command(commands, "check", run, text)
    parser.add_argument("notebook", nargs="*", help="names or files; all of the project by default")
    parser.add_argument("--fix", action="store_true", help="mend what can be mended")
    parser.add_argument("--project", type=Path, metavar="DIR", help="the checkout (found from here upwards)")


def run(options: argparse.Namespace) -> int:
    """Print one line per finding that is left, and return 1 if there is one."""
    from workbench.lab.check import examine, fix

    count = 0
    for path in notebooks(options.notebook, options.project):
        found = fix(path) if options.fix else examine(path)
        left = found.others if options.fix else [*found.mendable, *found.others]
        mended = [f"{line} (mended)" for line in found.mendable] if options.fix else []
        for line in [*mended, *left]:
            print(f"{path}: {line}")
        count += len(left)
    return int(count > 0)


def notebooks(names: list[str], root: Path | None) -> list[Path]:
    """Return the files of these names: a file that exists, or a notebook of the project."""
    from workbench.lab import project

    files = [Path(name) for name in names if Path(name).is_file()]
    others = [name for name in names if not Path(name).is_file()]
    if names and not others:
        return files
    return [*files, *project.find(explicit=root).select(others)]
