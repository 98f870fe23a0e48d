"""Sweeps: a grid of public parameters times blocks of trials, computed into one tidy table.

Every figure, claim and table of numbers reads such a table (`schema` has its columns). The numbers of a block
depend on the seed, the sweep's name, the content of the point and the block's number alone, so the table is
bit-identical for any number of workers, and inserting a point into the grid changes no other point's numbers.
"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from tqdm import tqdm

from workbench.errors import ArgumentError, integer_at_least, one_of
from workbench.study.sweeps.engine import CellError as CellError
from workbench.study.sweeps.engine import SchedulerLostError, cells, chosen_backend, compute, task
from workbench.study.sweeps.grids import Block as Block
from workbench.study.sweeps.grids import Sweep as Sweep
from workbench.study.sweeps.grids import grid as grid
from workbench.study.sweeps.grids import multiples as multiples
from workbench.study.sweeps.noting import Declared, notes, noting
from workbench.study.sweeps.resources import resources
from workbench.study.sweeps.schema import ADDRESS, Cell, table
from workbench.study.sweeps.store import Rows, Store

Place: TypeAlias = str | PathLike[str] | Store | None
"""Of finished blocks: a file, an open store, or None for memory."""

REMEMBERED = 64  # tables kept by `run` in one process; a full table is a few megabytes

_memory: dict[tuple[str, str, int, str], tuple[Sweep, pd.DataFrame]] = {}


@dataclass
class Kept:
    """The finished blocks of one sweep in memory while it runs; `store.Rows` has the same of a database."""

    sweep: Sweep
    cells: dict[tuple[int, int], Cell] = field(default_factory=dict)
    code: str = ""  # what workers must have begun with to have the same code

    def missing(self, profile: str) -> list[tuple[int, int]]:
        """Return the position of the point and the number of every block that is still to be computed."""
        return [address for address in self.sweep.addresses(profile) if address not in self.cells]

    def put(self, cell: Cell) -> None:
        """Keep a block."""
        self.cells[cell.position, cell.block] = cell

    def table(self, profile: str) -> pd.DataFrame:
        """Return the table of a profile with no block missing."""
        wanted = (self.cells[address] for address in self.sweep.addresses(profile))
        return table(self.sweep.name, self.sweep.points, self.sweep.trials, wanted)

    def seconds(self) -> dict[int, float]:
        """Return the core-seconds of a block at every point where they are known."""
        return {position: cell.seconds for (position, _), cell in self.cells.items()}


Blocks: TypeAlias = Kept | Rows


class Cost(NamedTuple):
    """What is left of a sweep before it runs."""

    blocks: int
    core_seconds: float


def run(
    sweep: Sweep,
    profile: str,
    *,
    seed: int,
    jobs: int | None = None,
    progress: bool = False,
    store: Place = None,
    backend: str | None = None,
    scheduler: str | None = None,
) -> pd.DataFrame:
    """Compute a sweep, or recall it if this process has computed it before.

    Parameters
    ----------
    sweep : Sweep
        What to compute.
    profile : str
        How many blocks of it.
    seed : int
        The study's seed; with the sweep's name it fixes every number.
    jobs : int, optional
        Blocks computed at a time, by default as many as `resources` has. The table is the same.
    progress : bool
        Whether to show the expected cost and a progress bar on stderr.
    store : path or Store, optional
        Where finished blocks are kept: those in it are read and the others computed and added one by one, so
        that a sweep that was interrupted, or killed, goes on from there. It takes the memory's place. By
        default the store of `resources`, if there is one.
    backend : str, optional
        `serial` computes in this process, the default for one job; `loky` in as many others as
        there are jobs, the default for several; `dask` in those of a cluster.
    scheduler : str, optional
        The address of the cluster, such as `tcp://host:8786`.

    Returns
    -------
    DataFrame
        One row per trial, in the order of the grid, block and trial; the caller's own copy.

    Raises
    ------
    CellError
        If a block fails; names the sweep and the point.
    SchedulerLostError
        If the cluster's scheduler is gone; what is in the store stays there.
    ArgumentError
        If the store is damaged, or no database of sweeps.
    """
    one_of(sweep.blocks, profile=profile)
    integer_at_least(0, seed=seed)
    if (noted := notes()) is not None:
        noted.append(Declared(sweep, profile, int(seed)))
        return columns(sweep, profile, seed=seed)
    if jobs is None:
        jobs = 1 if backend == "serial" else resources().jobs
    store = resources().store if store is None else store
    backend = chosen_backend(backend, jobs, scheduler)
    key = (sweep.name, profile, int(seed), repr((sweep.points, sweep.trials)))
    if store is None and key in _memory and _memory[key][0] == sweep:  # another sweep may have its name
        return _memory[key][1].copy()
    with _blocks(sweep, seed, store) as blocks:
        frame = _compute(sweep, profile, seed, blocks, (backend, jobs, blocks.code, scheduler), progress)
    if store is None:
        _remember(key, sweep, frame.copy())
    return frame


def columns(sweep: Sweep, profile: str, *, seed: int) -> pd.DataFrame:
    """Return the table of a sweep without its rows: two trials at a usual point tell what is measured."""
    usual = (sweep.usual or sweep.points)[:1]
    with noting(None):
        first = replace(sweep, points=usual, trials=2, blocks={profile: 1}, usual=())
        found = run(first, profile, seed=seed)[:0]
    address, axes = found[[*ADDRESS]], pd.DataFrame(sweep.points[:1])[:0]
    return pd.concat([address, axes, found.drop(columns=[*ADDRESS, *usual[0]])], axis=1)


def run_all(sweeps: Iterable[Sweep], profile: str, *, seed: int, jobs: int | None = None) -> pd.DataFrame:
    """Return the tables of those sweeps that the profile computes, one below the other."""
    frames = [run(sweep, profile, seed=seed, jobs=jobs) for sweep in sweeps if profile in sweep.blocks]
    return pd.concat(frames, ignore_index=True)


@contextmanager
def _blocks(sweep: Sweep, seed: int, store: Place) -> Iterator[Blocks]:
    if store is None:
        yield Kept(sweep)
        return
    with nullcontext(store) if isinstance(store, Store) else Store(store) as found:
        yield found.rows(sweep, seed=seed)


def _remember(key: tuple[str, str, int, str], sweep: Sweep, frame: pd.DataFrame) -> None:
    _memory.pop(key, None)
    _memory[key] = (sweep, frame)
    while len(_memory) > REMEMBERED:
        del _memory[next(iter(_memory))]


def forget() -> None:
    """Drop every table that `run` keeps."""
    _memory.clear()


def first_blocks(frame: pd.DataFrame, sweep: Sweep, profile: str) -> pd.DataFrame:
    """Return the table of a smaller profile, exactly, out of a larger profile's."""
    one_of(sweep.blocks, profile=profile)
    if (names := sorted(set(frame["sweep"]))) != [sweep.name]:
        raise ArgumentError("frame", names, f"a table of the sweep {sweep.name!r} alone")
    held, wanted = int(frame["block"].max()) + 1, sweep.blocks[profile]
    if held < wanted:
        raise ArgumentError("profile", profile, f"one of at most the table's {held} blocks, not {wanted}")
    return frame[frame["block"] < wanted].reset_index(drop=True)


def cost(sweep: Sweep, profile: str, *, seed: int, store: Place = None) -> Cost:
    """Return how many blocks `run` would compute and what they cost, in seconds of one core.

    A block costs what earlier ones at its point did, even of former code. Where there are none, the first,
    middle and last point compute one block each, stored if there is a store, and others lie between them.
    """
    one_of(sweep.blocks, profile=profile)
    integer_at_least(0, seed=seed)
    with _blocks(sweep, seed, store) as blocks:
        return _expected(sweep, profile, seed, blocks)


def _expected(sweep: Sweep, profile: str, seed: int, blocks: Blocks) -> Cost:
    todo = blocks.missing(profile)
    if not todo:
        return Cost(0, 0.0)
    places = sorted({position for position, _ in todo})
    for position in {places[0], places[len(places) // 2], places[-1]} - blocks.seconds().keys():
        blocks.put(compute(task(sweep, position, 0, seed)))
    at, seconds = zip(*sorted(blocks.seconds().items()), strict=True)
    return Cost(len(todo), float(np.interp([position for position, _ in todo], at, seconds).sum()))


def _compute(
    sweep: Sweep,
    profile: str,
    seed: int,
    blocks: Blocks,
    by: tuple[str, int, str, str | None],
    progress: bool,
) -> pd.DataFrame:
    if progress:
        left = _expected(sweep, profile, seed, blocks)
        print(
            f"{sweep.name}: {left.blocks} blocks, about {left.core_seconds:.3g} core-seconds", file=sys.stderr
        )
    todo = [task(sweep, *address, seed) for address in blocks.missing(profile)]
    count = len(sweep.addresses(profile))
    options = {"total": count, "initial": count - len(todo), "desc": sweep.name, "unit": "block"}
    try:
        with closing(cells(todo, *by)) as found:
            for cell in tqdm(found, disable=not progress, **options):
                blocks.put(cell)
    except SchedulerLostError:
        kept = count - len(blocks.missing(profile))
        raise SchedulerLostError(kept * sweep.trials, count * sweep.trials) from None
    return blocks.table(profile)
