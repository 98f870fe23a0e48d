"""`workbench merge`: one store of the stores of shards."""

import argparse
from pathlib import Path
from typing import Any

from workbench.commands.base import command


def add(commands: Any) -> None:
    """Add the command."""
    parser = command(commands, "merge", run, "merge the stores of shards into one")
    parser.add_argument("store", nargs="+", type=Path, help="what `workbench reproduce --shard` has written")
    parser.add_argument(
        "--into", type=Path, metavar="FILE", default=Path("merged.sqlite"), help="the one (merged.sqlite)"
    )


def run(options: argparse.Namespace) -> int:
    """Return 1 if blocks are missing: those that are there are merged all the same."""
    from workbench.study.shards.merge import merge

    found = merge(options.store, options.into)
    print(f"{options.into}: {found.rows}")
    print(f"{found.there} of {found.planned} planned blocks and searches are there")
    if found.there < found.planned:
        print("run the shards again that were killed, or let the next line compute the rest")
    print(f"workbench reproduce --store {options.into}    (with the notebooks and options of the shards)")
    return int(found.there < found.planned)
