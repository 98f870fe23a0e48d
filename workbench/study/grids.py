"""What a sweep is: a grid of public parameters, and a function that measures blocks of trials."""

import hashlib
import json
import os
import platform
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import partial
from importlib.metadata import version
from inspect import signature
from itertools import product
from math import isinf, isnan
from numbers import Real
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np
import scipy.linalg  # noqa: F401  (its library is a second one, and is to be loaded before they are listed)
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import ArrayLike, NDArray

import workbench
from workbench.errors import ArgumentError, integer_at_least, one_of
from workbench.study.profiles import FEW, PROFILES, SKETCH

if TYPE_CHECKING:
    import pandas as pd

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


def stream(seed: int, role: Role, name: str, point: int, block: int) -> Generator:
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


def resampler(seed: int, name: str) -> Generator:
    return stream(seed, Role.BOOTSTRAP, name, 0, 0)


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
# measured columns and the flag `abstained`. `point` is the point's id (`streams.point_id`), not its position.


Point = Mapping[str, Any]

ADDRESS = ("sweep", "point", "block", "trial")  # the columns that say which trial a row is
ABSTAINED = "abstained"  # flags the trials without an output; they count as an infinite error

_REAL: Any = Real  # the abstract number types are opaque to type checkers


class Cell(NamedTuple):
    """One block of one point: its columns, one entry per trial."""

    position: int  # of the point in the grid: orders the table, enters no seed
    block: int
    columns: dict[str, NDArray[Any]]
    seconds: float = 0.0  # of one core; never part of the table


def plain(value: object) -> float | int | str:
    """Return a parameter as a Python number or string; nan is none, because it equals nothing."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, str) or (isinstance(value, _REAL) and not isnan(value)):
        return value
    raise ArgumentError("parameter", value, "a number or a string")


def checked_points(points: Iterable[Point]) -> tuple[dict[str, Any], ...]:
    """Return the grid with plain values, or raise: points are distinct and have the same parameters."""
    checked = tuple({name: plain(value) for name, value in point.items()} for point in points)
    if not checked:
        raise ArgumentError("points", points, "at least one point")
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


def checked_columns(measured: Mapping[str, ArrayLike], trials: int, point: Point) -> dict[str, NDArray[Any]]:
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
CALL = 10_000  # entries of rows that can be drawn in the time of one call of an estimator
DRAWN = ("trials", "data", "noise")  # what a block takes besides the parameters of its point


@dataclass(frozen=True)
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
    # profile name -> number of blocks (see `profiles.blocks`). A smaller profile computes the first ones.
    blocks: Mapping[str, int]
    # whether a trial draws what its estimators need of the rows, and no rows: then n is no work
    in_law: bool = field(default=False, compare=False, repr=False)
    # of a sweep that was moved: the points it has at the usual parameters (`moved`)
    usual: tuple[Point, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name):
            raise ArgumentError("name", self.name, "a non-empty string")
        integer_at_least(1, trials=self.trials)
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
        axis if isinstance(axis, Iterable) and not isinstance(axis, str) else [axis] for axis in axes.values()
    )
    values = product(*([plain(value) for value in axis] for axis in several))
    return tuple(dict(zip(axes, combination, strict=True)) for combination in values)


def multiples(usual: Iterable[int], factor: float) -> tuple[int, ...]:
    """Return a grid of counts that follows a prediction: the usual ones, times what it has changed by.

    >>> multiples([50, 100, 200], 1.0), multiples([50, 100, 200], 3.333)
    ((50, 100, 200), (170, 330, 670))
    """
    if factor == 1:
        return tuple(usual)
    return tuple(dict.fromkeys(max(1, int(float(f"{factor * count:.2g}"))) for count in usual))


# What decides the last bits of a number besides the software: how this processor adds and multiplies. The
# order of a sum is chosen by the kernels of the linear algebra library, one set for every kind of processor,
# by the vector instructions that numpy finds, and by the number of threads: blocks always run on one.

try:
    from threadpoolctl import ThreadpoolController
except ModuleNotFoundError:  # without the extra `lab`
    LIBRARIES = None
else:
    LIBRARIES = ThreadpoolController()  # found once: to look for them takes longer than many a block


def one_thread() -> AbstractContextManager[Any]:
    """Let linear algebra have one thread for a while; without the extra `lab` it has what it has."""
    return LIBRARIES.limit(limits=1) if LIBRARIES else nullcontext()


def kernels() -> tuple[str, ...]:
    """Name the linear algebra libraries with their kernels, and the vector instructions of numpy."""
    if LIBRARIES is None:
        return ()  # where nothing is kept
    pools = (pool for pool in LIBRARIES.info() if pool["user_api"] == "blas")
    blas = {f"{pool['internal_api']} {pool['version']} {pool.get('architecture')}" for pool in pools}
    vectors = np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", ())
    return (*sorted(blas), *sorted(vectors))


KERNELS = kernels()
"""Of this process, which has chosen them when it loaded the libraries."""


# What a block's numbers depend on besides its address: the function that measures, software, kernels. Stored
# blocks are found again by these digests: a change that matters must change them, any other may.

PACKAGE = Path(workbench.__file__).parent


def _written() -> int:
    folders = (Path(folder) for folder, *_ in os.walk(PACKAGE))
    return max(path.stat().st_mtime_ns for folder in folders for path in folder.glob("*.py"))


def _software() -> str:
    found = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        found.update(f"{path.relative_to(PACKAGE).as_posix()} {_file(path)}\n".encode())
    numbers = [f"{name} {version(name)}" for name in ("numpy", "scipy")]
    runs_on = [platform.python_implementation(), platform.python_version(), platform.machine()]
    found.update(" ".join([*numbers, *runs_on, *KERNELS]).encode())
    return found.hexdigest()


def _file(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


WRITTEN, SOFTWARE = _written(), _software()
"""Digest of the package as it was imported."""


def require_unchanged() -> None:
    """Raise if the package's files were written since it was imported: what runs is then not certain."""
    if _written() != WRITTEN:
        raise ArgumentError(
            "package", workbench.__name__, "no change of its files while it runs (start again)"
        )


def home(block: Block) -> tuple[str, str, str]:
    """Return the module and name of a block and, if `SOFTWARE` does not cover it, the digest of its file.

    A `functools.partial` has the name of its function, with the arguments behind it. Anything but a function
    at the top of a module is refused: nothing else tells which code it is. In a module of your own it should
    call what stands there, or is installed: its file alone counts.
    """
    if isinstance(block, partial):
        module, name, file = home(block.func)
        bound = [*block.args, *sorted(block.keywords.items())]
        return module, f"{name} of {[getattr(value, '__qualname__', repr(value)) for value in bound]}", file
    name, module = getattr(block, "__qualname__", ""), getattr(block, "__module__", "")
    space = vars(sys.modules.get(module, ModuleType("")))
    if space.get(name) is not block or "__file__" not in space:
        raise ArgumentError("block", block, "a function at the top of a module, in a file")
    ours = module.partition(".")[0] == workbench.__name__
    return module, name, "" if ours else _file(Path(space["__file__"]))
