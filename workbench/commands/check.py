"""`workbench check`: whether notebooks are as they must be committed, and `--fix` to mend them."""

import argparse
from pathlib import Path
from typing import Any

from workbench.commands.base import command


def add(commands: Any) -> None:
    """Add the command."""
    parser = command(commands, "check", run, "whether the notebooks are as they must be committed")
    parser.add_argument("notebook", nargs="*", help="names or files; all of them by default")
    parser.add_argument("--fix", action="store_true", help="mend outputs, counts, metadata and form in place")
    parser.add_argument("--project", type=Path, metavar="DIR", help="the checkout (found from here upwards)")


def run(options: argparse.Namespace) -> int:
    """Print one line for every fault and return 1 if there is one."""
    from workbench.lab import project
    from workbench.lab.check import check
    from workbench.lab.mend import mend

    files = [Path(name) for name in options.notebook if Path(name).is_file()]
    names = [name for name in options.notebook if not Path(name).is_file()]
    if names or not files:
        files += project.find(explicit=options.project).select(names)
    faults = [f"{file.name}: {fault}" for file in files for fault in (mend if options.fix else check)(file)]
    print("\n".join(faults) if faults else f"{len(files)} notebooks, nothing to mend")
    return 1 if faults else 0
