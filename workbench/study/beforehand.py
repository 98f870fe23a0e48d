"""What a run declares, computed beforehand by any backend: blocks of sweeps, and whole searches.

What is in the store already is not computed again.
"""

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from tqdm import tqdm

from workbench.study.grids import Cell, Point
from workbench.study.search import BRACKETING
from workbench.study.store import Database, Shelf, Store, point_key, shelf_digest
from workbench.study.sweeps import Declared, SchedulerLostError, Task, compute, computed, task

if TYPE_CHECKING:
    from workbench.study.scaling import Asked

SEARCH = -1  # in place of the number of a block
ROWS = "SELECT name, trials, point, block, columns, numbers FROM cells"
END = "INSERT OR IGNORE INTO planned VALUES (?, ?, ?, ?, 1)"
THERE = """
SELECT sweep, point, block FROM planned WHERE ended UNION ALL SELECT sweep, point, block FROM cells
"""


class Unit(NamedTuple):
    """One block or search, and where its blocks are stored."""

    shelf: str
    point: str
    block: int
    name: str
    trials: int
    code: str
    work: "Task | Asked"

    @property
    def address(self) -> tuple[str, str, int]:
        """What the store finds it by; a search is not found there, but marked when it has ended."""
        return self.shelf, self.point, self.block


def units(declared: Iterable[object]) -> list[Unit]:
    """Return every unit of what was declared, once; a larger profile has the blocks of a smaller one."""
    return list({unit.address: unit for one in declared for unit in _of(one)}.values())


def _of(declared: object) -> Iterator[Unit]:
    if isinstance(declared, Declared):
        sweep, seed = declared.sweep, declared.seed
        shelf, code = shelf_digest(sweep.name, sweep.block, sweep.trials, seed)
        keys = [point_key(point) for point in sweep.points]
        for position, block in sweep.addresses(declared.profile):
            work = task(sweep, position, block, seed)
            yield Unit(shelf, keys[position], block, sweep.name, sweep.trials, code, work)
    from workbench.study.scaling import Asked  # the planner and the catalog, for those who search

    if isinstance(declared, Asked):
        one = declared.scaling
        shelf, code = shelf_digest(one.name, one.block, BRACKETING, declared.seed)
        key = json.dumps([declared.profile, declared.value])
        yield Unit(shelf, key, SEARCH, one.name, BRACKETING, code, declared)


class By(NamedTuple):
    """Who computes."""

    backend: str = "serial"
    jobs: int = 1
    scheduler: str | None = None


class _Order(NamedTuple):
    number: int
    work: "Task | Asked"


def missing(store: Store, units: Iterable[Unit]) -> list[Unit]:
    """Return those units that are not there, searches first: they take longest."""
    there = set(store.fetch(THERE, ()))
    left = [unit for unit in units if unit.address not in there]
    return sorted(left, key=lambda unit: unit.block != SEARCH)


def fill(store: Store, units: Sequence[Unit], by: By) -> None:
    """Compute what is missing of units, and store each as it is ready.

    Raises
    ------
    SchedulerLostError
        With the rows that are kept, of all of these units; a search counts as those of one block.
    CellError
        If a block fails.
    """
    todo = missing(store, units)
    orders = [_Order(number, _lent(unit.work, store, by)) for number, unit in enumerate(todo)]
    code = " ".join(sorted({unit.code for unit in units} - {""}))
    bar = {"total": len(units), "initial": len(units) - len(todo), "unit": "block"}
    try:
        with closing(computed(_done, orders, by.backend, by.jobs, code, by.scheduler)) as found:
            for number, cells in tqdm(found, disable=not sys.stderr.isatty(), **bar):
                _put(store, todo[number], cells)
    except SchedulerLostError:
        left = sum(unit.trials for unit in missing(store, units))
        rows = sum(unit.trials for unit in units)
        raise SchedulerLostError(rows - left, rows) from None


def _lent(work: "Task | Asked", store: Store, by: By) -> "Task | Asked":
    """Let a search keep its blocks itself where it sees the file; a cluster's worker may be elsewhere."""
    if isinstance(work, Task):
        return work
    return work._replace(store=None if by.backend == "dask" else store.path)


def _done(order: _Order) -> tuple[int, list[tuple[Point, Cell]]]:
    if isinstance(order.work, Task):
        return order.number, [(order.work.point, compute(order.work))]
    from workbench.study.scaling import searched

    return order.number, searched(order.work)


def _put(store: Store, unit: Unit, cells: Iterable[tuple[Point, Cell]]) -> None:
    shelf = Shelf(store, unit.name, unit.trials, unit.shelf, unit.code)
    for point, cell in cells:
        shelf.put(point, cell)
    if unit.block == SEARCH:
        store.fetch(END, (*unit.address, unit.name))


class Digest(NamedTuple):
    """How many blocks there are, and their hash."""

    blocks: int
    sha256: str

    def __str__(self) -> str:
        return f"{self.blocks} blocks of rows, sha256 {self.sha256}"


def digest(stores: Iterable[Database]) -> Digest:
    """Return one hash of all rows of stores: equal where, and only where, all bits of their numbers are.

    It is of every block's sweep, trials, point, number, columns and bits; not of when, where, in which order
    or how fast they were computed, nor of how many stores have it.
    """
    rows = (row for store in stores for row in store.fetch(ROWS, ()))
    found = {(*place, hashlib.sha256(numbers).hexdigest()) for *place, numbers in rows}
    whole = hashlib.sha256()
    for row in sorted(found):
        whole.update(repr(row).encode())
    return Digest(len(found), whole.hexdigest())
