"""Units computed into a store, here, in worker processes or on a cluster; what is there already is not."""

import sys
from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import NamedTuple

from tqdm import tqdm

from workbench.study.scaling.run import Asked, searched
from workbench.study.shards.units import SEARCH, Unit
from workbench.study.sweeps.engine import SchedulerLostError, Task, compute, computed
from workbench.study.sweeps.schema import Cell, Point
from workbench.study.sweeps.store import Shelf, Store

PLAN = "INSERT OR IGNORE INTO planned VALUES (?, ?, ?, ?, 0)"
END = "UPDATE planned SET ended = 1 WHERE sweep = ? AND point = ? AND block = ?"
THERE = """
SELECT sweep, point, block FROM planned WHERE ended
UNION ALL SELECT sweep, point, block FROM planned NATURAL JOIN (SELECT sweep, point, block FROM cells)
"""


class By(NamedTuple):
    """Who computes."""

    backend: str = "serial"
    jobs: int = 1
    scheduler: str | None = None


class _Order(NamedTuple):
    number: int
    work: Task | Asked


def plan(store: Store, units: Iterable[Unit]) -> None:
    """Note in a store which units there are in all, so that whoever reads it knows what is missing."""
    store.add(PLAN, [(*unit.address, unit.name) for unit in units])


def missing(store: Store, units: Iterable[Unit]) -> list[Unit]:
    """Return those of the planned units that are not there, searches first: they take longest."""
    there = set(store.fetch(THERE, ()))
    left = [unit for unit in units if unit.address not in there]
    return sorted(left, key=lambda unit: unit.block != SEARCH)


def fill(store: Store, units: Sequence[Unit], by: By) -> None:
    """Compute what is missing of planned units, and store each as it is ready.

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


def _lent(work: Task | Asked, store: Store, by: By) -> Task | Asked:
    """Let a search keep its blocks itself where it sees the file; a cluster's worker may be elsewhere."""
    if isinstance(work, Task):
        return work
    return work._replace(store=None if by.backend == "dask" else store.path)


def _done(order: _Order) -> tuple[int, list[tuple[Point, Cell]]]:
    if isinstance(order.work, Task):
        return order.number, [(order.work.point, compute(order.work))]
    return order.number, searched(order.work)


def _put(store: Store, unit: Unit, cells: Iterable[tuple[Point, Cell]]) -> None:
    shelf = Shelf(store, unit.name, unit.trials, unit.shelf, unit.code)
    for point, cell in cells:
        shelf.put(point, cell)
    if unit.block == SEARCH:
        store.fetch(END, unit.address)
