"""Value types that say what a distribution is; they draw nothing and estimate nothing.

>>> Interval(-1.0, 2.5).contains(0)
True
"""

from dataclasses import dataclass
from math import inf, isnan
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from workbench.errors import ArgumentError, real
from workbench.types import Array, Mask, frozen

_ROUNDING = 1e-9  # asymmetry and negative eigenvalues up to this share of the largest entry are rounding


@dataclass(frozen=True, init=False, eq=False)
class Gaussian:
    """The normal distribution with a mean of shape (d,), a positive semidefinite covariance of shape (d, d).

    Both are read-only copies, the covariance symmetrised; a singular covariance is allowed.

    >>> Gaussian([0, 0], np.eye(2)).d
    2
    """

    mean: Array
    covariance: Array

    def __init__(self, mean: ArrayLike, covariance: ArrayLike) -> None:
        centre, spread = np.array(mean, dtype=np.float64), np.array(covariance, dtype=np.float64)
        if centre.ndim != 1 or centre.size == 0 or not np.isfinite(centre).all():
            raise ArgumentError("mean", mean, "d finite numbers, d at least 1")
        d = centre.size
        square = spread.shape == (d, d) and bool(np.isfinite(spread).all())
        slack = _ROUNDING * np.abs(spread).max() if square else 0.0
        symmetric = square and bool(np.abs(spread - spread.T).max() <= slack)
        if not (symmetric and np.linalg.eigvalsh(spread)[0] >= -slack):
            raise ArgumentError("covariance", covariance, f"a finite covariance matrix, {d} by {d}")
        spread = (spread + spread.T) / 2
        for name, array in (("mean", centre), ("covariance", spread)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @property
    def d(self) -> int:
        return self.mean.size

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Gaussian):
            return NotImplemented
        same_mean = np.array_equal(self.mean, other.mean)
        return same_mean and np.array_equal(self.covariance, other.covariance)

    def __hash__(self) -> int:
        # Zeros of either sign are equal, so they have to hash alike.
        return hash(((self.mean + 0.0).tobytes(), (self.covariance + 0.0).tobytes()))

    def __reduce__(self) -> tuple[type["Gaussian"], tuple[Array, Array]]:
        # Pickle forgets that an array is read-only; construction restores it.
        return Gaussian, (self.mean, self.covariance)


class ReadAsArray:
    """What numpy reads as the array in one of its fields."""

    read: ClassVar[str]

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(getattr(self, self.read), dtype, copy=copy)


@dataclass(frozen=True, eq=False)
class SparseCovariance(ReadAsArray):
    """A symmetric matrix with zeros, and its positive semidefinite part, which has none in general.

    As an array it is the second, which is a covariance.

    >>> print(SparseCovariance(np.diag([2.0, -1.0]), np.diag([2.0, 0.0])))
    [[2. 0.]
     [0. 0.]]
    2 of 4 entries are not 0 before negative eigenvalues are left out
    """

    thresholded: Array
    psd: Array

    read = "psd"

    def __str__(self) -> str:
        kept = f"{self.support.sum()} of {self.support.size} entries are not 0"
        return f"{self.psd}\n{kept} before negative eigenvalues are left out"

    @property
    def support(self) -> Mask:
        return self.thresholded != 0

    def scaled(self, factor: float) -> "SparseCovariance":
        return SparseCovariance(self.thresholded * factor, self.psd * factor)


@dataclass(frozen=True, eq=False)
class DenoisedCovariance(ReadAsArray):
    """A positive semidefinite matrix, as an array that alone, and what a private release says of its error.

    `mean` is that round which it was taken, `radius` the length to which rows were shrunk, `noise` the sd of
    the noise on an entry before it was taken off, `error` about the Frobenius distance to the moment without
    noise. `by_entries` tells whether small entries were dropped, `seen` whether any rows stood out of noise:
    where none did the matrix is about 0.
    """

    covariance: Array
    mean: Array
    radius: float
    noise: float
    error: float
    by_entries: bool
    seen: bool

    read = "covariance"

    def __str__(self) -> str:
        least = self.noise * len(self.covariance) ** 0.5  # below it the estimate is noise itself
        error = f"about {self.error:.3g}" if self.error > least else f"below {least:.3g}"
        rows = f"rows shrunk to length {self.radius:.3g}" if self.seen else "no row stands out of the noise"
        return f"{self.covariance}\nFrobenius error {error}, {rows}"


@dataclass(frozen=True, eq=False)
class Box:
    """The points within `half_widths` of `centre` in every coordinate; both of shape (d,).

    >>> Box(np.zeros(2), np.array([1.0, 2.0])).contains(np.array([[1.0, 2.0], [2.0, 0.0]])).tolist()
    [True, False]
    """

    centre: Array
    half_widths: Array

    def contains(self, rows: Array) -> Mask:
        return np.asarray((np.abs(rows - self.centre) <= self.half_widths).all(axis=1))


@dataclass(frozen=True, eq=False)
class Ball:
    """The points within `radius` of `centre`, of shape (d,), in Euclidean distance.

    >>> Ball(np.zeros(2), 1.5).contains(np.array([[1.0, 1.0], [2.0, 0.0]])).tolist()
    [True, False]
    """

    centre: Array
    radius: float

    def contains(self, rows: Array) -> Mask:
        return np.linalg.norm(rows - self.centre, axis=1) <= self.radius


@frozen
class Interval:
    """The closed interval from `low` to `high`; without arguments the whole line.

    >>> Interval().width
    inf
    """

    low: float = -inf
    high: float = inf

    def __post_init__(self) -> None:
        if not (real(self.low) or self.low == -inf):
            raise ArgumentError("low", self.low, "a number or -inf")
        if not (real(self.high) or self.high == inf):
            raise ArgumentError("high", self.high, "a number or inf")
        if self.low > self.high:
            raise ArgumentError("high", self.high, f"at least low = {self.low}")

    @property
    def width(self) -> float:
        return self.high - self.low

    def contains(self, value: float) -> bool:
        return not isnan(value) and self.low <= value <= self.high


@dataclass(frozen=True, eq=False)
class Counts(ReadAsArray):
    """Numbers of rows, of n in all; numpy reads them as an array, and a single one is a number.

    >>> float(Counts(np.array([203.0]), 1000)), Counts(np.array([203.0]), 1000).shares.tolist()
    (203.0, [0.203])
    """

    counts: Array
    n: int

    read = "counts"

    def __float__(self) -> float:
        return float(self.counts.item())

    def __str__(self) -> str:
        return f"{', '.join(f'{count:.0f}' for count in self.counts)} of {self.n} rows"

    @property
    def shares(self) -> Array:
        return self.counts / self.n
