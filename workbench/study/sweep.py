"""Sweeps: a grid of public parameters times blocks of trials, computed into one tidy table.

Every figure, claim and table of numbers reads such a table (`schema` has its columns). The numbers of a block
depend on the seed, the sweep's name, the content of the point and the block's number alone, so the table is
bit-identical for any number of workers, and inserting a point into the grid changes no other point's numbers.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import pandas as pd
from joblib import Parallel, delayed
from numpy.random import Generator
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from workbench.errors import ArgumentError, integer_at_least, one_of
from workbench.study.profiles import PROFILES
from workbench.study.schema import Cell, Point, checked_columns, checked_points, plain, table
from workbench.study.streams import Role, point_id, stream

Block = Callable[[Point, int, Generator, Generator], Mapping[str, ArrayLike]]

REMEMBERED = 64  # tables kept by `run` in one process; a full table is a few megabytes

_memory: dict[tuple[str, str, int], tuple["Sweep", pd.DataFrame]] = {}


class CellError(RuntimeError):
    """A block of trials failed or broke the schema; the message says of which sweep and point."""


@dataclass(frozen=True)
class Sweep:
    """What is measured, where and how often.

    Parameters
    ----------
    name : str
        Stable id; part of every seed.
    points : tuple of mappings
        The grid: the public parameters of each point, the same names in all of them (see `grid`).
    block : callable
        `(point, trials, data, noise) -> columns`, one entry per trial in each column. `data` draws the
        samples, `noise` is for the estimators. A trial in which the estimator abstains has an infinite
        `error` and is flagged in the column `abstained`; a block without that column never abstains.
    trials : int
        Trials per block, chosen so that a block is half a second to a second of work.
    blocks : mapping of str to int
        Profile name -> number of blocks (see `profiles.blocks`). A smaller profile computes the first ones.
    """

    name: str
    points: tuple[Point, ...]
    block: Block
    trials: int
    blocks: Mapping[str, int]

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name):
            raise ArgumentError("name", self.name, "a non-empty string")
        integer_at_least(1, trials=self.trials)
        for profile, count in self.blocks.items():
            one_of(PROFILES, profile=profile)
            integer_at_least(1, blocks=count)
        object.__setattr__(self, "points", checked_points(self.points))


def grid(**axes: object) -> tuple[dict[str, Any], ...]:
    """Return the product of the axes, the last moving fastest; a single number or string is an axis of one.

    >>> grid(n=[10, 20], d=5, mode="proved")
    ({'n': 10, 'd': 5, 'mode': 'proved'}, {'n': 20, 'd': 5, 'mode': 'proved'})
    """
    values = [_axis(axis) for axis in axes.values()]
    return tuple(dict(zip(axes, combination, strict=True)) for combination in product(*values))


def _axis(axis: object) -> list[float | int | str]:
    if isinstance(axis, Iterable) and not isinstance(axis, str):
        return [plain(value) for value in axis]
    return [plain(axis)]


def run(sweep: Sweep, profile: str, *, seed: int, jobs: int = 1, progress: bool = False) -> pd.DataFrame:
    """Compute a sweep, or recall it if this process has computed it before.

    Parameters
    ----------
    sweep : Sweep
        What to compute.
    profile : str
        How many blocks of it.
    seed : int
        The study's seed; with the sweep's name it fixes every number.
    jobs : int
        Worker processes; 1 computes in this one. The table is the same.
    progress : bool
        Whether to show a progress bar on stderr.

    Returns
    -------
    DataFrame
        One row per trial, in the order of the grid, block and trial; the caller's own copy.

    Raises
    ------
    CellError
        If a block fails; names the sweep and the point.
    """
    one_of(sweep.blocks, profile=profile)
    integer_at_least(0, seed=seed)
    integer_at_least(1, jobs=jobs)
    key = (sweep.name, profile, int(seed))
    if key not in _memory or _memory[key][0] != sweep:  # a notebook may give the name to another sweep
        _remember(key, sweep, _compute(sweep, profile, seed, jobs, progress))
    return _memory[key][1].copy()


def _remember(key: tuple[str, str, int], sweep: Sweep, frame: pd.DataFrame) -> None:
    _memory.pop(key, None)
    _memory[key] = (sweep, frame)
    while len(_memory) > REMEMBERED:
        del _memory[next(iter(_memory))]


def forget() -> None:
    """Drop every table that `run` keeps."""
    _memory.clear()


def first_blocks(frame: pd.DataFrame, sweep: Sweep, profile: str) -> pd.DataFrame:
    """Return what a smaller profile would have computed, exactly, out of a larger profile's table."""
    one_of(sweep.blocks, profile=profile)
    if (names := sorted(set(frame["sweep"]))) != [sweep.name]:
        raise ArgumentError("frame", names, f"a table of the sweep {sweep.name!r} alone")
    held, wanted = int(frame["block"].max()) + 1, sweep.blocks[profile]
    if held < wanted:
        raise ArgumentError("profile", profile, f"one of at most the table's {held} blocks, not {wanted}")
    return frame[frame["block"] < wanted].reset_index(drop=True)


def _compute(sweep: Sweep, profile: str, seed: int, jobs: int, progress: bool) -> pd.DataFrame:
    tasks = [(sweep, i, k, seed) for i in range(len(sweep.points)) for k in range(sweep.blocks[profile])]
    cells = tqdm(_cells(tasks, jobs), total=len(tasks), desc=sweep.name, unit="block", disable=not progress)
    return table(sweep.name, sweep.points, sweep.trials, cells)


def _cells(tasks: list[tuple[Sweep, int, int, int]], jobs: int) -> Iterator[Cell]:
    """Yield the cells as they are ready, in any order."""
    if jobs == 1:
        return (_cell(*task) for task in tasks)
    workers = Parallel(n_jobs=jobs, backend="loky", return_as="generator_unordered")
    return iter(workers(delayed(_cell)(*task) for task in tasks))


def _cell(sweep: Sweep, position: int, block: int, seed: int) -> Cell:
    point = dict(sweep.points[position])
    data, noise = (stream(seed, role, sweep.name, point_id(point), block) for role in (Role.DATA, Role.NOISE))
    try:
        with threadpool_limits(1):  # sums and eigenvalues are not bit-identical for 1 and 2 threads
            measured = sweep.block(dict(point), sweep.trials, data, noise)
        return Cell(position, block, checked_columns(measured, sweep.trials, point))
    except Exception as error:
        where = f"sweep {sweep.name!r}, point {point}, block {block}"
        raise CellError(f"{where}: {type(error).__name__}: {error}") from error
