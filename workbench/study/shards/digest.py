"""One hash of all rows of stores: equal where, and only where, the numbers are the same to the last bit.

It is of results: of every block its sweep's name, trials, point, number, columns and the bits of their
entries, in the order of these; not of when, where, in which order or how fast they were computed.
"""

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from workbench.study.sweeps.database import Database

ROWS = "SELECT name, trials, point, block, columns, numbers FROM cells"


class Digest(NamedTuple):
    """How many blocks there are, and their hash."""

    blocks: int
    sha256: str

    def __str__(self) -> str:
        return f"{self.blocks} blocks of rows, sha256 {self.sha256}"


def digest(stores: Iterable[Database]) -> Digest:
    """Return the hash of the rows of stores, those that several have counted once."""
    found = {_row(*row) for store in stores for row in store.fetch(ROWS, ())}
    whole = hashlib.sha256()
    for row in sorted(found):
        whole.update(repr(row).encode())
    return Digest(len(found), whole.hexdigest())


def _row(
    name: str, trials: int, point: str, block: int, columns: str, numbers: bytes
) -> tuple[str, int, str, int, str, str]:
    return name, trials, point, block, columns, hashlib.sha256(numbers).hexdigest()
