"""Huber's contamination: each row comes from an outlier law with a small probability.

A random fraction of outliers that ignore the clean rows; adversaries who see the data are harsher.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from workbench.errors import ArgumentError, real
from workbench.populations.base import Population, checked_size
from workbench.types import Array


@dataclass(frozen=True, init=False)
class PointMass:
    """All mass at one point, a number or an array of shape (d,)."""

    point: tuple[float, ...]
    d: int | None

    def __init__(self, point: ArrayLike) -> None:
        array = np.array(point, dtype=np.float64)
        if array.ndim > 1 or array.size == 0 or not np.isfinite(array).all():
            raise ArgumentError("point", point, "a finite number, or d of them")
        object.__setattr__(self, "point", tuple(array.ravel().tolist()))
        object.__setattr__(self, "d", array.size if array.ndim else None)

    @property
    def mean(self) -> Any:
        return self.point[0] if self.d is None else np.array(self.point)

    def sample(self, n: int, *, rng: np.random.Generator) -> Array:
        """Repeat the point n times; no randomness is drawn."""
        rows = np.tile(np.array(self.point), (checked_size(n), 1))
        return rows[:, 0] if self.d is None else rows


@dataclass(frozen=True, kw_only=True)
class Contaminated:
    """The mixture (1 - fraction) clean + fraction outliers, whose estimand is the clean mean.

    >>> from workbench.populations.gaussian import UnivariateGaussian
    >>> huber = Contaminated(clean=UnivariateGaussian(), outliers=PointMass(1e6), fraction=0.1)
    >>> huber.mean
    0.0
    """

    clean: Population
    outliers: Population
    fraction: float

    def __post_init__(self) -> None:
        if not (real(self.fraction) and 0 <= self.fraction < 0.5):
            raise ArgumentError("fraction", self.fraction, "a number from 0 to below 1/2")
        if self.outliers.d != self.clean.d:
            raise ArgumentError("outliers", self.outliers, f"the dimension of clean, {self.clean.d}")

    @property
    def d(self) -> int | None:
        return self.clean.d

    @property
    def mean(self) -> Any:
        """Mean of the clean law: what an estimator is asked for."""
        return self.clean.mean

    def sample(self, n: int, *, rng: np.random.Generator) -> Array:
        """Draw n independent values; which of them are outliers is not told."""
        values = self.clean.sample(n, rng=rng)
        replaced = rng.random(n) < self.fraction
        values[replaced] = self.outliers.sample(int(replaced.sum()), rng=rng)
        return values
