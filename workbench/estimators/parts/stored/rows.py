"""Rows that lie elsewhere, read a block at a time, once for each statistic that an estimator asks for.

A block has as many rows as one of rows in memory, whatever chunks a source hands out, so that every result is
the same to the last bit. Every pass counts the rows and, where there are several, takes a checksum: a source
whose rows change between passes makes no release.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from workbench.errors import ArgumentError
from workbench.estimators.base import sanitised
from workbench.estimators.parts.rows import rows_of_a_block
from workbench.estimators.reading import read
from workbench.types import Array

Source = Callable[[], Iterable[object]]
"""What returns the rows from the first one on, in chunks of any size, as often as it is called."""

Progress = Callable[[int], None]
"""What is told of every block how many rows it has."""


_HALF = np.uint64(32)
_ODD = 0x9E3779B97F4A7C15


class ChangedError(RuntimeError):
    """The rows of a source differ between two passes: there is no release."""


@dataclass
class StoredRows:
    """n rows of d columns, or n numbers if `d` is None, of a source; sanitised as they are read.

    With `once` a second pass is an error, and the first one takes no checksum.
    """

    source: Source
    n: int
    d: int | None
    progress: Progress | None = None
    once: bool = False
    passes: int = 0
    checksum: int | None = None
    names: object = False  # of the columns of the first chunk, None where it has none

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of all rows."""
        return (self.n,) if self.d is None else (self.n, self.d)

    @property
    def ndim(self) -> int:
        """Number of axes: 1 for numbers, 2 for rows."""
        return len(self.shape)

    def __len__(self) -> int:
        return self.n

    def __array__(self, *_: object, **__: object) -> Array:
        raise TypeError("rows of a source are read in blocks")

    def blocks(self, times: int = 1) -> Iterator[Array]:
        """Yield the rows of one pass in blocks, `times` the size of those of rows in memory."""
        size = times * rows_of_a_block(self.d or 1)
        self.passes += 1
        assert self.passes == 1 or not self.once, "a second pass over rows that are read once"
        checksum, met = 0, 0
        for block in resized(self._chunks(), size, self.shape[1:]):
            checksum, met = self._checked(checksum, block), met + len(block)
            if self.progress is not None:
                self.progress(len(block))
            yield sanitised(block)
        self._close(met, checksum)

    def mapped(self, change: Callable[[Array], Array]) -> "StoredMap":
        """Return the rows, changed one by one."""
        return StoredMap(self, change)

    def paired(self) -> "StoredPairs":
        """Return the pairs of consecutive rows, as `parts.rows.paired`."""
        return StoredPairs(self)

    def _chunks(self) -> Iterator[Array]:
        met = 0
        chunks = self.source()
        if not isinstance(chunks, Iterable):
            raise ArgumentError("source", type(chunks).__name__, "a function that returns chunks of rows")
        for chunk in chunks:
            rows, names = read(chunk)
            if self.names is False:
                self.names = names
            if names != self.names:
                allowed = f"the columns of the first chunk, in their order: {self.names}"
                raise ArgumentError("source", f"chunk of columns {names}", allowed)
            rows = self._shaped(rows)
            met += len(rows)
            if met > self.n:
                raise ArgumentError("n", self.n, f"the number of rows of the source, which is {met} or more")
            yield rows

    def _shaped(self, rows: Array) -> Array:
        if self.d is None and rows.ndim == 2 and rows.shape[1] == 1:
            rows = rows[:, 0]
        if self.d == 1 and rows.ndim == 1:
            rows = rows[:, None]
        if not rows.ndim or rows.shape[1:] != self.shape[1:]:
            raise ArgumentError("source", f"chunk of shape {rows.shape}", f"rows of {self.d or 1} columns")
        return rows

    def _checked(self, checksum: int, block: Array) -> int:
        return 0 if self.once else (_ODD * checksum + _bits(block)) % 2**64

    def _close(self, met: int, checksum: int) -> None:
        if met < self.n:
            raise ArgumentError("n", self.n, f"the number of rows of the source, which is {met}")
        if self.checksum not in (None, checksum):
            raise ChangedError("source: the rows changed between two passes; nothing is released")
        self.checksum = checksum


@dataclass
class StoredMap:
    """Stored rows, each changed by a map of its own."""

    rows: StoredRows
    change: Callable[[Array], Array]

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of all rows."""
        return self.rows.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.rows.ndim

    def __len__(self) -> int:
        return self.rows.n

    def __array__(self, *_: object, **__: object) -> Array:
        raise TypeError("rows of a source are read in blocks")

    def blocks(self) -> Iterator[Array]:
        """Yield the changed rows of one pass."""
        return map(self.change, self.rows.blocks())


@dataclass
class StoredPairs:
    """The ⌊n/2⌋ rows (x_{2i-1} - x_{2i})/√2 of stored rows, in blocks of the size of rows in memory."""

    rows: StoredRows

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of all pairs."""
        return (self.rows.n // 2, *self.rows.shape[1:])

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.rows.ndim

    def __len__(self) -> int:
        return self.rows.n // 2

    def __array__(self, *_: object, **__: object) -> Array:
        raise TypeError("rows of a source are read in blocks")

    def blocks(self) -> Iterator[Array]:
        """Yield the pairs of one pass."""
        for block in self.rows.blocks(times=2):
            whole = len(block) // 2 * 2
            if whole:
                yield sanitised((block[0:whole:2] - block[1:whole:2]) / sqrt(2))


def _bits(block: Array) -> int:
    """Return a sum of the bits of all entries, each times a number of its own place; modulo 2^64."""
    bits = np.ascontiguousarray(block).ravel().view(np.uint64)
    mixed = bits >> _HALF
    mixed ^= bits
    mixed *= _weights(bits.size)
    return int(mixed.sum())


@lru_cache(maxsize=8)
def _weights(count: int) -> NDArray[np.uint64]:
    drawn = np.random.default_rng(_ODD).integers(2**64, size=count, dtype=np.uint64)
    return drawn | np.uint64(1)  # odd: no change of one entry is lost


def resized(chunks: Iterable[Array], size: int, shape: tuple[int, ...]) -> Iterator[Array]:
    """Yield the rows of chunks in blocks of `size`, the last one shorter; a block is valid until the next."""
    held, filled = np.empty((size, *shape)), 0
    for chunk in chunks:
        start = 0
        while start < len(chunk):
            taken = min(size - filled, len(chunk) - start)
            if taken == size:
                yield chunk[start : start + size]
            else:
                held[filled : filled + taken] = chunk[start : start + taken]
                filled += taken
            start += taken
            if filled == size:
                yield held
                filled = 0
    if filled:
        yield held[:filled]
