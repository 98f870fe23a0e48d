"""The operations that a floor is made of: what numpy, BLAS and LAPACK do in one call.

Each is measured on operands of its own, drawn once; an algorithm that needs its result cannot be faster than
it. Elementwise arithmetic has no name here but `copy`, `scan` and `log`: everything between two of them could
be done in the same pass over the memory.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy.spatial.distance import cdist

from workbench.types import Array

Operation: TypeAlias = Callable[[], object]


@dataclass(frozen=True)
class Primitive:
    """One operation of a stated size; `prepare` draws its operands and returns the call to be timed."""

    name: str
    size: tuple[int, ...]
    prepare: Callable[[], Operation] = field(compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.size))})"


Floor: TypeAlias = tuple[Primitive, ...]


def copy(n: int, d: int = 1) -> Primitive:
    """Read n rows of d floats and write them elsewhere."""
    return _primitive("copy", lambda: _rows(n, d).copy, n, d)


def scan(n: int, d: int = 1) -> Primitive:
    """Read n rows of d floats."""
    return _primitive("scan", lambda: _rows(n, d).sum, n, d)


def log(n: int) -> Primitive:
    """Take n logarithms."""
    return _primitive("log", lambda: partial(np.log, 1 + _rows(n) ** 2), n)


def sort(n: int) -> Primitive:
    """Sort n floats."""
    return _primitive("sort", lambda: partial(np.sort, _rows(n)), n)


def bincount(n: int, bins: int) -> Primitive:
    """Count n whole numbers in `bins` bins."""
    return _primitive("bincount", lambda: _counting(n, bins), n, bins)


def norms(n: int, d: int) -> Primitive:
    """Take the squared norms of n rows."""
    return _primitive("norms", lambda: partial(_squared_norms, _rows(n, d)), n, d)


def syrk(n: int, d: int) -> Primitive:
    """Sum the outer products of n rows: XᵀX, of which BLAS computes one half."""
    return _primitive("syrk", lambda: partial(_gram, _rows(n, d)), n, d)


def gemm(n: int, d: int) -> Primitive:
    """Multiply n rows by a (d, d) matrix."""
    return _primitive("gemm", lambda: partial(np.matmul, _rows(n, d), _rows(d, d)), n, d)


def eigh(d: int) -> Primitive:
    """Find the eigenvalues and eigenvectors of a symmetric (d, d) matrix."""
    return _primitive("eigh", lambda: partial(np.linalg.eigh, _gram(_rows(2 * d, d))), d)


def factor(t: int, m: int, d: int) -> Primitive:
    """Reduce t blocks of m rows to triangular factors and find their singular values and right vectors."""
    return _primitive("factor", lambda: partial(_factored, _rows(t * m, d).reshape(t, m, d)), t, m, d)


def distances(t: int, size: int) -> Primitive:
    """Compare the distances of all pairs of t points with a number."""
    return _primitive("distances", lambda: partial(_close, _rows(t, size).reshape(t, size)), t, size)


def normal(size: int) -> Primitive:
    """Draw normal numbers."""
    return _primitive("normal", lambda: partial(_rng().standard_normal, size), size)


def exponential(size: int) -> Primitive:
    """Draw exponential numbers: what Laplace, Gumbel and geometric ones are made of."""
    return _primitive("exponential", lambda: partial(_rng().standard_exponential, size), size)


def _primitive(name: str, prepare: Callable[[], Operation], *size: int) -> Primitive:
    return Primitive(name, size, prepare)


def _rng() -> np.random.Generator:
    return np.random.default_rng(1)


def _rows(n: int, d: int | None = None) -> Array:
    return _rng().standard_normal(n if d in (None, 1) else (n, d))


def _counting(n: int, bins: int) -> Operation:
    keys = _rng().integers(0, bins, size=n)
    return partial(np.bincount, keys, minlength=bins)


def _squared_norms(rows: Array) -> Any:
    return np.vecdot(rows, rows)


def _factored(blocks: Array) -> object:
    return np.linalg.svd(np.linalg.qr(blocks, mode="r"), full_matrices=False)


def _close(points: Array) -> object:
    return cdist(points, points, "sqeuclidean") <= 1


def _gram(rows: Array) -> Array:
    return np.asarray(rows.T @ rows)
