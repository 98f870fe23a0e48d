"""What can be computed by itself, beforehand: a block of a sweep, or a search with all its blocks.

Which shard a unit falls to depends on its own address alone (the name, trials and seed of its sweep, the
content of its point, the number of the block), never on which others there are, or in which order. So every
unit is in exactly one shard, whoever counts, and shards are about equal where there are many units.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from workbench.errors import ArgumentError, integer_at_least
from workbench.study.scaling.run import Asked
from workbench.study.search import BRACKETING
from workbench.study.sweeps.engine import Task, task
from workbench.study.sweeps.noting import Declared
from workbench.study.sweeps.store import point_key, shelf_digest

SEARCH = -1  # in place of the number of a block


class Unit(NamedTuple):
    """One of them, and where its blocks are stored."""

    shelf: str
    point: str
    block: int
    name: str
    trials: int
    seed: int
    code: str
    work: Task | Asked

    @property
    def address(self) -> tuple[str, str, int]:
        """What the store finds it by; a search is not found there, but marked when it has ended."""
        return self.shelf, self.point, self.block


class Shard(NamedTuple):
    """One part of so many, counted from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    @classmethod
    def checked(cls, number: int, of: int) -> "Shard":
        """Return a shard, or raise if there is none such."""
        integer_at_least(1, shards=of, shard=number)
        if number > of:
            raise ArgumentError("shard", f"{number}/{of}", f"a number from 1 to {of}")
        return cls(number, of)

    def has(self, unit: Unit) -> bool:
        """Return whether a unit falls to this shard."""
        address = (unit.name, unit.trials, unit.seed, unit.point, unit.block)
        digest = hashlib.sha256(repr(address).encode()).digest()
        return int.from_bytes(digest[:8]) % self.of == self.number - 1


def units(declared: Iterable[object]) -> list[Unit]:
    """Return every unit of what was declared, once; a larger profile has the blocks of a smaller one."""
    found: dict[tuple[str, str, int], Unit] = {}
    for one in declared:
        for unit in _of(one):
            found.setdefault(unit.address, unit)
    return list(found.values())


def _of(declared: object) -> Iterator[Unit]:
    if isinstance(declared, Declared):
        yield from _blocks(declared)
    if isinstance(declared, Asked):
        yield _search(declared)


def _blocks(declared: Declared) -> Iterator[Unit]:
    sweep, seed = declared.sweep, declared.seed
    shelf, code = shelf_digest(sweep.name, sweep.block, sweep.trials, seed)
    keys = [point_key(point) for point in sweep.points]
    for position, block in sweep.addresses(declared.profile):
        work = task(sweep, position, block, seed)
        yield Unit(shelf, keys[position], block, sweep.name, sweep.trials, seed, code, work)


def _search(asked: Asked) -> Unit:
    one = asked.scaling
    shelf, code = shelf_digest(one.name, one.block, BRACKETING, asked.seed)
    key = json.dumps([asked.profile, asked.value])
    return Unit(shelf, key, SEARCH, one.name, BRACKETING, asked.seed, code, asked)
