"""Running scalings: every search in a process of its own, its blocks kept in the store.

A block of a search is addressed by the scaling's name, the public numbers with n, and its place in the order
of blocks at that n. The answer is the same for any number of workers, and a search that was killed goes on
from the blocks that it has.
"""

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from math import inf
from pathlib import Path
from typing import NamedTuple

import numpy as np

from workbench.errors import integer_at_least
from workbench.study.scaling.scaling import Least, LeastKind, Scaling
from workbench.study.search import BRACKETING, Target, least_n
from workbench.study.success import Vector
from workbench.study.sweeps.engine import Task, compute
from workbench.study.sweeps.fingerprint import SOFTWARE
from workbench.study.sweeps.resources import resources
from workbench.study.sweeps.schema import Cell, Point
from workbench.study.sweeps.store import Shelf, Store
from workbench.study.workers import mapped

REFUSED = 1.06  # times the fewest rows: an n below is that of the plan's refusal, whatever the error
PARTS = 4  # a draw of the search is of at most so many blocks of `BRACKETING` runs
REMEMBERED = 200  # searches kept in one process

_memory: dict[tuple[str, float, str, int], Least] = {}


class Asked(NamedTuple):
    """One search: all that a worker needs."""

    scaling: Scaling
    value: float
    profile: str
    seed: int
    store: Path | None

    @property
    def known_as(self) -> tuple[str, float, str, int]:
        """What decides its numbers, in this process."""
        return self.scaling.name, self.value, self.profile, self.seed


def measured(
    scalings: Iterable[Scaling], profile: str, *, seed: int, jobs: int | None = None
) -> list[list[Least]]:
    """Return the least n of every scaling that the profile searches, at each of its values.

    Searches that this process has made before are recalled.
    """
    integer_at_least(0, seed=seed)
    wanted = [one for one in scalings if profile in one.caps]
    asked = searches(wanted, profile, seed)
    new = [one for one in asked if one.known_as not in _memory]
    for one, found in zip(new, mapped(_least, new, jobs or resources().jobs), strict=True):
        _memory[one.known_as] = found
    result = [[_memory[each.known_as] for each in asked if each.scaling is one] for one in wanted]
    while len(_memory) > REMEMBERED:
        del _memory[next(iter(_memory))]
    return result


def searches(scalings: Iterable[Scaling], profile: str, seed: int) -> list[Asked]:
    """Return every search of those scalings that the profile searches, each by itself."""
    lent = resources().store
    store = Path(lent.path if isinstance(lent, Store) else lent) if lent is not None else None
    wanted = [one for one in scalings if profile in one.caps]
    return [Asked(one, value, profile, seed, store) for one in wanted for value in one.at(profile)]


def searched(asked: Asked) -> list[tuple[Point, Cell]]:
    """Make a search, and return its blocks, unless it keeps them in a store itself."""
    found: list[tuple[Point, Cell]] = []
    _least(asked, found.append if asked.store is None else None)
    return found


def forget() -> None:
    """Drop every search that `measured` keeps."""
    _memory.clear()


def _least(asked: Asked, told: Callable[[tuple[Point, Cell]], None] | None = None) -> Least:
    scaling, seed = asked.scaling, asked.seed
    setting = scaling.setting(asked.value)
    target = Target(alpha=setting.alpha, share=scaling.share, cap=scaling.caps[asked.profile])
    spent: list[float] = []
    with nullcontext() if asked.store is None else Store(asked.store) as store:
        shelf = store.shelf(scaling.name, scaling.block, BRACKETING, seed=seed) if store else None

        def errors(n: int, place: int, block: int, runs: int) -> Vector:
            if n < setting.fewest:
                return np.full(runs, inf)
            point = {**setting.point, "n": n}
            parts = [_kept(shelf, point, PARTS * block + part, asked) for part in range(runs // BRACKETING)]
            if told:
                for cell in parts:
                    told((point, cell))
            spent.extend(cell.seconds for cell in parts)
            return np.concatenate([cell.columns["error"] for cell in parts])

        found = least_n(errors, target, max(setting.start, 1))
    kind: LeastKind = "refused" if setting.fewest > 1 and found.n <= REFUSED * setting.fewest else found.kind
    return Least(asked.value, setting, found.n, found.interval, kind, found.runs, sum(spent))


def _kept(shelf: Shelf | None, point: Point, block: int, asked: Asked) -> Cell:
    """Return a block from the shelf, or compute it and put it there."""
    held = shelf.get(point, block) if shelf else None
    if held is not None:
        return held
    one = asked.scaling
    cell = compute(Task(one.name, point, 0, block, BRACKETING, asked.seed, one.block, SOFTWARE))
    if shelf:
        shelf.put(point, cell)
    return cell
