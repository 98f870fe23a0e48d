"""What a sweep is: a grid of public parameters, and a function that measures blocks of trials."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from inspect import signature
from itertools import product
from typing import Any

from numpy.typing import ArrayLike

from workbench.errors import ArgumentError, integer_at_least, one_of
from workbench.study.profiles import PROFILES
from workbench.study.sweeps.schema import Point, checked_points, plain

Block = Callable[..., Mapping[str, ArrayLike]]
COLUMNS = ("d", "p")  # the parameters of a point that count columns
CALL = 10_000  # entries of rows that can be drawn in the time of one call of an estimator
DRAWN = ("trials", "data", "noise")  # what a block takes besides the parameters of its point


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
        Called as `block(**point, trials=, data=, noise=)`, returns columns of one entry per trial. `data`
        draws the samples, `noise` is for the estimators. A trial in which the estimator abstains has an
        infinite `error` and is flagged in the column `abstained`; a block without that column never abstains.
    trials : int
        Trials per block, chosen so that a block is half a second to a second of work.
    blocks : mapping of str to int
        Profile name -> number of blocks (see `profiles.blocks`). A smaller profile computes the first ones.
    in_law : bool
        Whether a trial draws what its estimators need of the rows, and no rows: then n is no work.
    usual : tuple of mappings, optional
        Of a sweep that was moved: the points it has at the usual parameters (`moved`).
    """

    name: str
    points: tuple[Point, ...]
    block: Block
    trials: int
    blocks: Mapping[str, int]
    in_law: bool = field(default=False, compare=False, repr=False)
    usual: tuple[Point, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name):
            raise ArgumentError("name", self.name, "a non-empty string")
        integer_at_least(1, trials=self.trials)
        for profile, count in self.blocks.items():
            one_of(PROFILES, profile=profile)
            integer_at_least(1, blocks=count)
        object.__setattr__(self, "points", checked_points(self.points))
        require_axes(self.block, self.points[0])

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

    @property
    def times_usual(self) -> float:
        """The work of this sweep as a multiple of its work at the usual points."""
        here, usual = (sum(map(self._work, some)) for some in (self.points, self.usual or self.points))
        return here / usual

    def _work(self, point: Point) -> float:
        """Return what a trial at a point takes, in entries of a table that can be drawn in that time."""
        numbers = {**_own(self.block), **point}
        columns = max(float(numbers.get(name, 1) or 1) for name in COLUMNS)
        return CALL + columns * (columns if self.in_law else float(numbers.get("n", 0) or 0))

    def addresses(self, profile: str) -> list[tuple[int, int]]:
        """Return every block of a profile as (position of its point, number), in the table's order."""
        one_of(self.blocks, profile=profile)
        return list(product(range(len(self.points)), range(self.blocks[profile])))


def _own(block: Block) -> dict[str, Any]:
    """Return the numbers for which a block has a default."""
    taken = signature(block).parameters.items()
    return {name: one.default for name, one in taken if one.default is not one.empty}


def require_axes(block: Block, point: Point) -> None:
    """Raise if a block does not take the parameters of a point by name, or wants others."""
    try:
        signature(block).bind(**point, **dict.fromkeys(DRAWN))
    except TypeError as error:
        raise ArgumentError("block", sorted(point), f"a function of them ({error})") from None


def as_annotated(block: Block, point: Point) -> dict[str, Any]:
    """Return a point with its numbers as the block annotates them: 1000.0 is 1000 where an int is wanted."""
    wanted = {name: parameter.annotation for name, parameter in signature(block).parameters.items()}
    return {name: _number(value, wanted.get(name)) for name, value in point.items()}


def _number(value: Any, wanted: object) -> Any:
    if isinstance(value, str):
        return value
    if wanted is int and value == int(value):
        return int(value)
    return float(value) if wanted is float else value


def grid(**axes: object) -> tuple[dict[str, Any], ...]:
    """Return the product of the axes, the last moving fastest; a single number or string is an axis of one.

    >>> grid(n=[10, 20], d=5, mode="proved")
    ({'n': 10, 'd': 5, 'mode': 'proved'}, {'n': 20, 'd': 5, 'mode': 'proved'})
    """
    values = [_axis(axis) for axis in axes.values()]
    return tuple(dict(zip(axes, combination, strict=True)) for combination in product(*values))


def multiples(usual: Iterable[int], factor: float) -> tuple[int, ...]:
    """Return a grid of counts that follows a prediction: the usual ones, times what it has changed by.

    >>> multiples([50, 100, 200], 1.0), multiples([50, 100, 200], 3.333)
    ((50, 100, 200), (170, 330, 670))
    """
    if factor == 1:
        return tuple(usual)
    return tuple(dict.fromkeys(max(1, int(float(f"{factor * count:.2g}"))) for count in usual))


def affordable(work: Mapping[Any, float], most: float) -> list[Any]:
    """Return the cheapest parts of a grid that take at most so much work together, one at least, in order.

    >>> affordable({"a": 5.0, "b": 1.0, "c": 2.0}, 4), affordable({"a": 5.0, "b": 6.0}, 4)
    (['b', 'c'], ['a'])
    """
    total = 0.0
    found: set[str] = set()
    for part in sorted(work, key=lambda one: work[one]):
        total += work[part]
        if total <= most or not found:
            found.add(part)
    return [part for part in work if part in found]


def _axis(axis: object) -> list[float | int | str]:
    if isinstance(axis, Iterable) and not isinstance(axis, str):
        return [plain(value) for value in axis]
    return [plain(axis)]
