"""One store of several: whatever their order, however often, however much of each is there."""

import os
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from workbench.errors import ArgumentError
from workbench.study.shards import origin
from workbench.study.shards.digest import Digest, digest
from workbench.study.shards.work import THERE
from workbench.study.sweeps.database import Database, require_intact

CELLS = "SELECT * FROM cells"
SAME = "SELECT columns, numbers FROM cells WHERE sweep = ? AND point = ? AND block = ?"
PUT = "INSERT OR IGNORE INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
PLANNED = "SELECT * FROM planned"
PLAN = """
INSERT INTO planned VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET ended = MAX(ended, excluded.ended)
"""


class Merged(NamedTuple):
    """What a merged store has: how many of the planned units there are, and the hash of all rows."""

    there: int
    planned: int
    rows: Digest


def merge(paths: Sequence[Path], into: Path) -> Merged:
    """Write one store with the rows of all, beside those that it has; on an error it is as it was.

    Raises
    ------
    ArgumentError
        If a store is damaged, or of another code version, seed or parameters, or if two have other numbers
        for one block.
    """
    if not paths:
        raise ArgumentError("store", [], "one store or more")
    for path in paths:
        if not path.is_file():
            raise ArgumentError("store", str(path), "a file")
    sources = sorted({path.absolute() for path in [*paths, into] if path.is_file()})
    part = into.absolute().with_name(f".{into.name}.part")
    part.unlink(missing_ok=True)
    try:
        with ExitStack() as opened:
            stores = [opened.enter_context(Database(path)) for path in sources]
            _require_one_run(stores)
            found = _written(part, stores)
        os.replace(part, into)
    finally:
        part.unlink(missing_ok=True)
    return found


def _require_one_run(stores: Sequence[Database]) -> None:
    for store in stores:
        require_intact(store)
        if not origin.read(store):
            raise ArgumentError(
                "store", str(store.path), "one that `workbench reproduce --shard` has written"
            )
        origin.require(store, origin.read(stores[0]), f"as in {stores[0].path}")


def _written(part: Path, stores: Sequence[Database]) -> Merged:
    with Database(part) as target:
        origin.write(target, origin.read(stores[0]))
        for store in stores:
            rows = store.fetch(CELLS, ())
            _require_same(target, store, rows)
            target.add(PUT, rows)
            target.add(PLAN, store.fetch(PLANNED, ()))
        there, planned = len(set(target.fetch(THERE, ()))), len(target.fetch(PLANNED, ()))
        return Merged(there, planned, digest([target]))


def _require_same(target: Database, store: Database, rows: Iterable[tuple[object, ...]]) -> None:
    """Raise if a block is in the target with other numbers, and name it."""
    for sweep, point, block, columns, numbers, _, name, *_ in rows:
        held = target.fetch(SAME, (sweep, point, block))
        if held and held[0] != (columns, numbers):
            same = f"the numbers of the other stores in block {block} of {name!r} at {point}"
            raise ArgumentError("store", str(store.path), same)
