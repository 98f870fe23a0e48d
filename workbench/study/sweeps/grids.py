"""What a sweep is: a grid of public parameters, and a function that measures blocks of trials."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import signature
from itertools import product
from typing import Any

from numpy.typing import ArrayLike

from workbench.errors import ArgumentError, integer_at_least, one_of
from workbench.study.profiles import PROFILES
from workbench.study.sweeps.schema import Point, checked_points, plain

Block = Callable[..., Mapping[str, ArrayLike]]
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
        require_axes(self.block, self.points[0])

    def addresses(self, profile: str) -> list[tuple[int, int]]:
        """Return every block of a profile as (position of its point, number), in the table's order."""
        one_of(self.blocks, profile=profile)
        return list(product(range(len(self.points)), range(self.blocks[profile])))


def require_axes(block: Block, point: Point) -> None:
    """Raise if a block does not take the parameters of a point by name, or wants others."""
    try:
        signature(block).bind(**point, **dict.fromkeys(DRAWN))
    except TypeError as error:
        raise ArgumentError("block", sorted(point), f"a function of them ({error})") from None


def as_annotated(block: Block, point: Point) -> dict[str, Any]:
    """Return a point with its numbers as the block annotates them: 1000.0 is 1000 where an int is wanted."""
    wanted = {name: one.annotation for name, one in signature(block).parameters.items()}
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


def _axis(axis: object) -> list[float | int | str]:
    if isinstance(axis, Iterable) and not isinstance(axis, str):
        return [plain(value) for value in axis]
    return [plain(axis)]
