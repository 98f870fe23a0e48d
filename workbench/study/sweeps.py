"""Sweeps: a grid of public parameters times blocks of trials, stored, resumed, the same on any worker.

Every figure, claim and table of numbers reads such a table. The numbers of a block depend on the seed, the
sweep's name, the content of the point and the block's number alone, so the table is bit-identical for any
number of workers, and inserting a point into the grid changes no other point's numbers.
"""

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from contextvars import ContextVar
from dataclasses import field, replace
from enum import IntEnum
from functools import wraps
from inspect import Parameter, signature
from itertools import product
from math import ceil, floor, inf, isinf, isnan
from os import PathLike
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import ArrayLike, NDArray

from workbench.errors import ArgumentError, integer_at_least, one_of, plain
from workbench.estimators.base import Abstention
from workbench.privacy import ApproxDP
from workbench.study.profiles import PROFILES, SchedulerLostError, computed
from workbench.study.store import SOFTWARE, Cell, Shelf, Store, one_thread
from workbench.types import Columns, frozen

if TYPE_CHECKING:
    import pandas as pd  # where a table is made: audits need streams alone

# Random streams addressed by what they are for, so that no result depends on who computes it when.
#
# A stream is named by (seed, role, name, point, block). Nothing else enters: not the number of workers, not
# their order, and not the other points of the grid, because a point is addressed by its content.


WORD = 2**32  # every part of a spawn key is one 32-bit word, so two different keys never spell the same


class Role(IntEnum):
    """What a stream is for. The numbers are part of every seed: append, never renumber."""

    DATA = 0  # the sample
    NOISE = 1  # the estimator's own draws
    PIVOT = 2  # the law of a pivot, simulated to calibrate a constant
    BOOTSTRAP = 3  # resampling of results
    ADVERSARY = 4  # corruption of the sample
    SCREEN = 5  # samples on which something is chosen
    CONFIRM = 6  # fresh samples on which the choice is tested


def stream(seed: int, role: Role, name: str, point: int = 0, block: int = 0) -> Generator:
    """Return the generator of one block of one point of the study `name`.

    >>> stream(1, Role.DATA, "demo", 0, 0).integers(100) == stream(1, Role.NOISE, "demo", 0, 0).integers(100)
    np.False_
    """
    integer_at_least(0, seed=seed, point=point, block=block)
    for argument, value in (("point", point), ("block", block)):
        if value >= WORD:
            raise ArgumentError(argument, value, "an integer below 2**32")
    key = (int(Role(role)), crc32(name.encode()), int(point), int(block))
    return default_rng(SeedSequence(int(seed), spawn_key=key))


def streams(seed: int, name: str, point: int = 0, block: int = 0) -> tuple[Generator, Generator]:
    """Return the generators of the data and of the noise."""
    return stream(seed, Role.DATA, name, point, block), stream(seed, Role.NOISE, name, point, block)


def resampler(seed: int, name: str, point: int = 0) -> Generator:
    return stream(seed, Role.BOOTSTRAP, name, point)


def point_id(point: Mapping[str, float | int | str]) -> int:
    """Return the id of a grid point: the CRC-32 of the canonical JSON of its parameters.

    Points that compare equal have the same id: neither the order of the keys nor int against float matters.

    >>> point_id({"n": 1000, "d": 5}) == point_id({"d": 5.0, "n": 1e3})
    True
    """
    canonical = {
        name: value if isinstance(value, str) or isinf(value) or value != int(value) else int(value)
        for name, value in point.items()
    }
    return crc32(json.dumps(canonical, sort_keys=True, separators=(",", ":")).encode())


# The one schema of measured tables: which columns they have, of which types, in which order.
#
# One row per trial: the address `sweep`, `point`, `block`, `trial`, then the point's parameters, then the
# measured columns and the flag `abstained`. `point` is the point's id (`point_id`), not its position.


Point = Mapping[str, Any]

ADDRESS = ("sweep", "point", "block", "trial")  # the columns that say which trial a row is
ABSTAINED = "abstained"  # flags the trials without an output; they count as an infinite error


def parameter(value: object) -> float | int | str:
    """Return a parameter as a Python number or string; nan is none, because it equals nothing."""
    value = plain(value)
    if isinstance(value, str) or (isinstance(value, int | float) and not isnan(value)):
        return value
    raise ArgumentError("parameter", value, "a number or a string")


def checked_points(points: Iterable[Point]) -> tuple[dict[str, Any], ...]:
    """Return the grid with plain values, or raise: points are distinct and have the same parameters."""
    listed = tuple(points) if isinstance(points, Iterable) else ()
    if not listed or not all(isinstance(point, Mapping) for point in listed):
        raise ArgumentError("points", points, "at least one point, each a dictionary of parameters")
    checked = tuple({name: parameter(value) for name, value in point.items()} for point in listed)
    if any(point.keys() != checked[0].keys() for point in checked):
        raise ArgumentError("points", checked, "the same parameters in every point")
    if taken := checked[0].keys() & {*ADDRESS, ABSTAINED}:
        raise ArgumentError("points", sorted(taken), "parameters that are no address and no flag")
    for name in checked[0]:
        if len({isinstance(point[name], str) for point in checked}) > 1:
            raise ArgumentError("points", name, "a parameter that is a string in all points or in none")
    if len({point_id(point) for point in checked}) < len(checked):
        raise ArgumentError("points", checked, "points that differ (and so do their ids)")
    return checked


def checked_columns(measured: Mapping[str, ArrayLike], trials: int, point: Point) -> Columns:
    """Return a block's columns as float64 or bool, or raise; a column's type never depends on its values."""
    columns = {name: _column(name, values, trials) for name, values in measured.items()}
    if taken := columns.keys() & {*ADDRESS, *point}:
        raise ArgumentError("columns", sorted(taken), "names that are no address and no parameter")
    flags = columns.setdefault(ABSTAINED, np.zeros(trials, dtype=bool))
    if flags.dtype != bool:
        raise ArgumentError(ABSTAINED, str(flags.dtype), "a column of booleans")
    if "error" in columns and not np.isposinf(columns["error"][flags]).all():
        raise ArgumentError("error", columns["error"][flags], "inf wherever the estimator abstained")
    return columns


def _column(name: str, values: ArrayLike, trials: int) -> NDArray[Any]:
    array = np.asarray(values)
    if array.shape != (trials,) or array.dtype.kind not in "biuf":
        raise ArgumentError(name, f"{array.dtype}{array.shape}", f"numbers or booleans of shape ({trials},)")
    if array.dtype == bool:
        return array.copy()
    if np.isnan(array).any():  # tables skip nan silently, which would drop the trial
        raise ArgumentError(name, "nan", "no nan (an undefined measurement is inf, and flagged)")
    return array.astype(np.float64)


def table(name: str, points: Sequence[Point], trials: int, cells: Iterable[Cell]) -> "pd.DataFrame":
    """Return the cells of the sweep `name`, given in any order, as one table in the grid's order."""
    ordered = sorted(cells, key=lambda cell: (cell.position, cell.block))
    columns = ordered[0].columns.keys()
    for cell in ordered:
        if cell.columns.keys() != columns:
            where = f"sweep {name!r}, point {dict(points[cell.position])}, block {cell.block}"
            allowed = f"{sorted(columns)}, as in the first block ({where})"
            raise ArgumentError("columns", sorted(cell.columns), allowed)
    position = np.repeat([cell.position for cell in ordered], trials)
    address: dict[str, Any] = {
        "sweep": name,
        "point": np.array([point_id(point) for point in points])[position],
        "block": np.repeat([cell.block for cell in ordered], trials),
        "trial": np.tile(np.arange(trials), len(ordered)),
    }
    address |= {key: np.array([point[key] for point in points])[position] for key in points[0]}
    measured = {column: np.concatenate([cell.columns[column] for cell in ordered]) for column in columns}
    import pandas as pd  # here, as audits need streams alone

    return pd.DataFrame({**address, **measured})


Block = Callable[..., Mapping[str, ArrayLike]]
COLUMNS = ("d", "p")  # the parameters of a point that count columns
# of a sweep quick computes this share of full's trials, or so many at a point where a block has them
SKETCH, FEW = 0.025, 50
FEWEST = 8  # trials of a block that is still worth its place in a figure
CALL = 10_000  # entries of rows that can be drawn in the time of one call of an estimator
DRAWN = ("trials", "data", "noise")  # what a block takes besides the parameters of its point


@frozen
class Sweep:
    """What is measured, where and how often."""

    name: str  # stable id; part of every seed
    # the grid: the public parameters of each point, the same names in all of them (see `grid`)
    points: tuple[Point, ...]
    # called as `block(**point, trials=, data=, noise=)`, returns columns of one entry per trial. `data` draws
    # the samples, `noise` is for the estimators. A trial in which the estimator abstains has an infinite
    # `error` and is flagged in the column `abstained`; a block without that column never abstains.
    block: Block
    trials: int  # trials per block, chosen so that a block is half a second to a second of work
    # profile name -> number of blocks (see `blocks`): ten of full. A smaller profile computes the first ones.
    blocks: Mapping[str, int] = field(default_factory=lambda: blocks(10))
    # whether a trial draws what its estimators need of the rows, and no rows: then n is no work
    in_law: bool = field(default=False, compare=False, repr=False)
    # of a sweep that was moved: the points it has at the usual parameters (`moved`)
    usual: tuple[Point, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name):
            raise ArgumentError("name", self.name, "a non-empty string")
        integer_at_least(1, trials=self.trials)
        if not isinstance(self.blocks, Mapping):
            raise ArgumentError("blocks", self.blocks, "a dictionary from profiles to numbers of blocks")
        for profile, count in self.blocks.items():
            one_of(PROFILES, profile=profile)
            integer_at_least(1, blocks=count)
        object.__setattr__(self, "points", checked_points(self.points))
        try:
            signature(self.block).bind(**self.points[0], **dict.fromkeys(DRAWN))
        except TypeError as error:
            allowed = f"a function of them ({error})"
            raise ArgumentError("block", sorted(self.points[0]), allowed) from None

    def moved(self, points: Iterable[Point], **more: float) -> "Sweep":
        """Return the same sweep at other points; blocks at points that it has in common are the same.

        `more` are numbers that the block takes by keyword. Where all points have the block's own default of
        such a number, it is no part of them, as in the usual points.
        """
        known = self.usual or self.points
        left = [{**point, **more} for point in points]
        own = {name: value for name, value in _own(self.block).items() if name not in known[0]}
        kept = {name for name in own if all(point.get(name, own[name]) == own[name] for point in left)}
        here = tuple({name: value for name, value in point.items() if name not in kept} for point in left)
        return replace(self, points=here, usual=known)

    def under(self, profile: str) -> "Sweep":
        """Return what a profile computes of it: quick is a sketch, one smaller block where that is enough.

        >>> def block(n, trials, data, noise): ...
        >>> counts = Sweep("counts", grid(n=[10, 20]), block, 400, {"quick": 2, "full": 20}).under("quick")
        >>> counts.trials, counts.blocks["quick"]
        (200, 1)
        """
        if profile != "quick" or profile not in self.blocks:
            return self
        most, full = self.trials * self.blocks[profile], self.trials * self.blocks.get("full", 0)
        wanted = max(min(FEW, most), min(most, round(SKETCH * full))) if full else most
        if wanted >= self.trials:
            return replace(self, blocks={**self.blocks, profile: round(wanted / self.trials)})
        return replace(self, trials=wanted, blocks={**self.blocks, profile: 1})

    @property
    def times_usual(self) -> float:
        here, usual = (sum(map(self._work, some)) for some in (self.points, self.usual or self.points))
        return here / usual

    def _work(self, point: Point) -> float:
        numbers = {**_own(self.block), **point}
        columns = max(float(numbers.get(name, 1) or 1) for name in COLUMNS)
        return CALL + columns * (columns if self.in_law else float(numbers.get("n", 0) or 0))

    def addresses(self, profile: str) -> list[tuple[int, int]]:
        one_of(self.blocks, profile=profile)
        return list(product(range(len(self.points)), range(self.blocks[profile])))


def blocks(full: int) -> dict[str, int]:
    """Return the number of blocks of either profile, given full's; each has at least one.

    >>> blocks(20)
    {'quick': 2, 'full': 20}
    """
    integer_at_least(1, full=full)
    return {name: max(1, round(share * full)) for name, share in PROFILES.items()}


def _own(block: Block) -> dict[str, Any]:
    taken = signature(block).parameters.items()
    return {name: one.default for name, one in taken if one.default is not one.empty}


def as_annotated(block: Block, point: Point) -> dict[str, Any]:
    """Return a point with its numbers as the block annotates them: 1000.0 is 1000 where an int is wanted."""
    taken, found = signature(block).parameters, dict(point)
    for name, value in point.items():
        wanted = taken[name].annotation if name in taken else None
        if not isinstance(value, str) and (wanted is float or (wanted is int and value == int(value))):
            found[name] = wanted(value)
    return found


def grid(**axes: object) -> tuple[dict[str, Any], ...]:
    """Return the product of the axes, the last moving fastest; a single number or string is an axis of one.

    >>> grid(n=[10, 20], d=5, mode="proved")
    ({'n': 10, 'd': 5, 'mode': 'proved'}, {'n': 20, 'd': 5, 'mode': 'proved'})
    """
    several = (
        axis if isinstance(axis, Iterable) and not isinstance(axis, str) else [axis]
        for axis in map(plain, axes.values())
    )
    values = product(*([parameter(value) for value in axis] for axis in several))
    return tuple(dict(zip(axes, combination, strict=True)) for combination in values)


def over_grid(name: str, block: Block, trials: int, full: int = 10, quick: int = 0, **axes: object) -> Sweep:
    """Return the sweep over a grid, with so many blocks under full, and under quick if it is not a tenth."""
    counts = blocks(full) | ({"quick": quick} if quick else {})
    return Sweep(name, grid(**axes), block, trials, counts)


def multiples(usual: Iterable[int], factor: float) -> tuple[int, ...]:
    """Return a grid of counts that follows a prediction: the usual ones, times what it has changed by.

    >>> multiples([50, 100, 200], 1.0), multiples([50, 100, 200], 3.333)
    ((50, 100, 200), (170, 330, 670))
    """
    if factor == 1:
        return tuple(usual)
    return tuple(dict.fromkeys(max(1, int(float(f"{factor * count:.2g}"))) for count in usual))


# One block of trials.

BLOCK = 32_000_000  # bytes: just below the largest threshold that glibc accepts
_alone = Lock()  # the limit on threads is that of a process: two blocks of one would lift each other's


def keep_freed_memory() -> None:
    """Let memory that is freed stay with the process: allocate one large block and free it, untouched.

    The C library returns freed blocks above a threshold, which rises to the largest that was freed so; until
    it has risen, every array of a few hundred kilobytes may be mapped and zeroed again, page by page: with
    1e5 rows, univariate estimators took 1 to 7 times as long.
    """
    np.empty(BLOCK, np.uint8)


class CellError(RuntimeError):
    """A block of trials failed or broke the schema; the message says of which sweep and point."""


class Task(NamedTuple):
    """One block to compute."""

    sweep: str
    point: Point
    position: int
    block: int
    trials: int
    seed: int
    measure: Block
    software: str = SOFTWARE  # of the driver; a worker with another one would compute other numbers

    def __str__(self) -> str:
        return f"sweep {self.sweep!r}, point {dict(self.point)}, block {self.block}"


def task(sweep: Sweep, position: int, block: int, seed: int) -> Task:
    return Task(sweep.name, sweep.points[position], position, block, sweep.trials, seed, sweep.block)


def compute(task: Task) -> Cell:
    if task.software != SOFTWARE:
        raise CellError(f"{task}: a worker has other software than its driver: restart the driver")
    keep_freed_memory()
    data, noise = streams(task.seed, task.sweep, point_id(task.point), task.block)
    arguments = as_annotated(task.measure, task.point)
    try:
        started = time.thread_time()
        with _alone, one_thread():  # sums and eigenvalues are not bit-identical for 1 and 2 threads
            measured = task.measure(**arguments, trials=task.trials, data=data, noise=noise)
        seconds = time.thread_time() - started
        return Cell(task.position, task.block, checked_columns(measured, task.trials, task.point), seconds)
    except Exception as error:
        raise CellError(f"{task}: {type(error).__name__}: {error}") from error


# What the sweeps of a run may use. None of it changes a number at the usual points, so no figure and no claim
# says anything of it: whoever runs these lends it, and every `run` within uses it.


@frozen
class Resources:
    """What sweeps and searches use."""

    # where finished blocks are kept, so that a run that was killed goes on from there
    store: str | PathLike[str] | None = None
    jobs: int = 1  # blocks computed at a time
    # the work of a sweep at other points than the usual ones, as a multiple of what it takes at these
    limit: float = 2.0
    scheduler: str | None = None  # the address of the dask cluster that computes
    noted: list[int] | None = None  # where every `run` notes how many blocks it has, and returns no rows

    def __post_init__(self) -> None:
        integer_at_least(1, jobs=self.jobs)
        if not self.limit > 0:
            raise ArgumentError("limit", self.limit, "a number above 0")


NONE, LENT = Resources(), "WORKBENCH_LENT"
_lent: ContextVar[Resources | None] = ContextVar("lent", default=None)


def resources() -> Resources:
    """Return the resources lent to this run: by default, no store and one process.

    Whoever starts a process lends it some by the environment variable `LENT`, as JSON.
    """
    given = os.environ.get(LENT)
    return _lent.get() or (Resources(**json.loads(given)) if given else NONE)


@contextmanager
def lending(**lent: Any) -> Iterator[None]:
    """Lend resources to every sweep within, beside those that are lent already.

    >>> with lending(jobs=2):
    ...     resources().jobs
    2
    """
    before = _lent.set(replace(resources(), **lent))
    try:
        yield
    finally:
        _lent.reset(before)


# Running a sweep.

REMEMBERED = 64  # tables kept by `run` in one process; a full table is a few megabytes

_memory: dict[tuple[str, str, int, str], tuple[Sweep, Any]] = {}


def run(sweep: Sweep, profile: str, *, seed: int) -> "pd.DataFrame":
    """Compute a sweep, or recall it if this process has computed it before.

    Its profile says how many blocks; the seed and the sweep's name fix every number. Who computes, and where
    finished blocks are kept, is lent (`resources`); the table is the same. Blocks in a store, which takes the
    memory's place, are read and the others added one by one, so that a sweep that was interrupted, or killed,
    goes on from there.

    The table has one row per trial, in the order of the grid, block and trial, and is the caller's own copy.
    A block that fails is a `CellError`, which names the sweep and the point.
    """
    one_of(sweep.blocks, profile=profile)
    integer_at_least(0, seed=seed)
    lent = resources()
    if lent.noted is not None:
        lent.noted.append(len(sweep.addresses(profile)))
        return columns(sweep, profile, seed=seed)
    if lent.store:
        with Store(lent.store) as store:
            return _ran(sweep, profile, seed, store.shelf(sweep.name, sweep.block, sweep.trials, seed=seed))
    key = (sweep.name, profile, int(seed), repr((sweep.points, sweep.trials)))
    if key not in _memory or _memory[key][0] != sweep:  # another sweep may have its name
        frame = _ran(sweep, profile, seed)
        _memory.pop(key, None)
        _memory[key] = sweep, frame
        while len(_memory) > REMEMBERED:
            del _memory[next(iter(_memory))]
    return _memory[key][1].copy()


def _ran(sweep: Sweep, profile: str, seed: int, shelf: Shelf | None = None) -> "pd.DataFrame":
    cells, addresses, lent = dict[tuple[int, int], Cell](), sweep.addresses(profile), resources()
    if shelf:
        held = (shelf.get(sweep.points[position], block, position) for position, block in addresses)
        cells = {(cell.position, cell.block): cell for cell in held if cell}
    todo = [task(sweep, *address, seed) for address in addresses if address not in cells]
    try:
        code = shelf.code if shelf else ""
        with closing(computed(compute, todo, lent.jobs, lent.scheduler, code)) as found:
            for _, cell in found:
                if shelf:
                    shelf.put(sweep.points[cell.position], cell)
                cells[cell.position, cell.block] = cell
    except SchedulerLostError:
        raise SchedulerLostError(len(cells) * sweep.trials, len(addresses) * sweep.trials) from None
    return table(sweep.name, sweep.points, sweep.trials, cells.values())


def columns(sweep: Sweep, profile: str, *, seed: int) -> "pd.DataFrame":
    """Return the table of a sweep without its rows: two trials at a usual point tell what is measured."""
    usual = (sweep.usual or sweep.points)[:1]
    with lending(noted=None):
        found = run(replace(sweep, points=usual, trials=2, blocks={profile: 1}, usual=()), profile, seed=seed)
    known = {*ADDRESS, *usual[0]}
    measured = {str(name): found[name].to_numpy() for name in found if name not in known}
    return table(sweep.name, sweep.points[:1], 2, [Cell(0, 0, measured)])[:0]


def forget() -> None:
    _memory.clear()


def at_budget(
    sweep: Sweep, budget: ApproxDP, points: Iterable[Point] | None = None, work: float | None = None
) -> Sweep:
    """Return the sweep at other points and at (ε, δ), which its block takes by keyword.

    What the block takes by itself is no part of the points: at the sweep's own budget and points the
    sweep is the same, and so are its blocks. `work` is how many times the usual a trial takes, where the
    points do not say so: beyond the limit there are fewer trials, a quarter of `FEWEST` at least.
    """
    here = sweep.points if points is None else points
    moved = sweep.moved(here, epsilon=budget.epsilon, delta=budget.delta)
    if work is None:
        return moved
    fewest = min(sweep.trials, FEWEST // 4)
    trials = int(sweep.trials * min(1.0, resources().limit / work))
    return replace(moved, trials=max(fewest, trials), usual=())


class TooMuchWorkError(ArgumentError):
    """A figure's runs would take more work than is allowed, even with few trials."""

    def __init__(self, name: str, times: float, limit: float) -> None:
        super().__init__(f"work of {name}", times, f"at most {limit:g}")
        self.times, self.limit = times, limit

    def __str__(self) -> str:
        lifted = float(f"{1.1 * self.times:.2g}")
        return (
            f"{self.argument}: {self.times:.3g} times the usual, {self.limit:g} allowed;"
            f" `workbench reproduce --limit {lifted:g}` runs it"
        )


@frozen
class Run:
    """What a figure is told besides its public numbers."""

    profile: str = "quick"  # how many blocks of trials
    seed: int = 17  # of everything random
    most: int | None = None  # trials at every point, up to whole blocks: a sketch of the figure
    simulate: bool = True  # whether to run anything; else tables are empty and figures show what is predicted

    def table(self, *sweeps: Sweep) -> "pd.DataFrame":
        """Return the tables of those sweeps that the profile computes, one below the other."""
        import pandas as pd

        frames = [self._table(sweep) for sweep in sweeps if self.profile in sweep.blocks]
        return pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]

    def _table(self, sweep: Sweep) -> "pd.DataFrame":
        if not self.simulate:
            return columns(sweep, self.profile, seed=self.seed)
        times, limit = sweep.times_usual, resources().limit
        if times > limit:
            trials = floor(sweep.trials * limit / times)
            if trials < min(FEWEST, sweep.trials):
                raise TooMuchWorkError(sweep.name, times, limit)
            sweep = replace(sweep, trials=trials)
        if self.most is None:
            sweep = sweep.under(self.profile)
        else:
            trials = min(self.most, sweep.trials)
            sweep = replace(sweep, trials=trials, blocks={self.profile: ceil(self.most / trials)})
        return run(sweep, self.profile, seed=self.seed)


# A block of trials out of one: what a single trial measures, repeated, is a column per name.


Row = Mapping[str, Any]
"""What one trial measures, by column."""


def block_columns(rows: Iterable[Row]) -> Columns:
    """Return the columns of a block, given a row per trial.

    >>> block_columns({"error": error, "abstained": error > 1} for error in (0.5, 2.0))
    {'error': array([0.5, 2. ]), 'abstained': array([False,  True])}
    """
    found = list(rows)
    return {name: np.array([row[name] for row in found]) for name in found[0]}


def each_trial(trial: Callable[..., Row]) -> Callable[..., Columns]:
    """Return the block (see `Sweep`) that repeats one trial on the same two streams.

    The trial is a function of a point's parameters and of `data` and `noise`; its block takes `trials`, too.
    """

    @wraps(trial)
    def block(*bound: Any, trials: int, **drawn: Any) -> Columns:
        return block_columns(trial(*bound, **drawn) for _ in range(trials))

    one = signature(trial)
    count = Parameter("trials", Parameter.KEYWORD_ONLY, annotation=int)
    taken = sorted([*one.parameters.values(), count], key=lambda parameter: parameter.kind)
    block.__signature__ = one.replace(parameters=taken)  # type: ignore[attr-defined]
    return block


def answered(error: Any, **more: Any) -> Row:
    """Return the row of a run that may give no answer: an infinite error, and its flag."""
    return {"error": error, **more, "abstained": error == inf}


def error_of(value: object, loss: Callable[[Any], Any]) -> float:
    return inf if isinstance(value, Abstention) else float(loss(value))


def value_of(estimator: Any, x: object, budget: Any, rng: object) -> Any:
    """Return what an estimator releases, or its abstention."""
    return estimator(x, budget=budget, rng=rng).value


def loss_of(estimator: Any, x: object, budget: Any, rng: object, loss: Callable[[Any], Any]) -> float:
    """Return the loss of what an estimator releases, infinite where it abstains."""
    return error_of(value_of(estimator, x, budget, rng), loss)


def distance_of(estimator: Any, x: object, truth: Any, budget: Any, rng: object) -> float:
    """Return how far a released mean is from the truth, infinite where it abstains."""
    return loss_of(estimator, x, budget, rng, lambda mean: np.linalg.norm(mean - truth))
