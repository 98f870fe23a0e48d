"""Rows within bounds: of one length, the hardest for what clips at a known radius, and zeros and ones."""

from dataclasses import dataclass
from math import pi, sqrt

import numpy as np

from workbench.errors import integer_at_least, positive, probability
from workbench.populations.base import checked_size
from workbench.types import Array


@dataclass(frozen=True)
class Sphere:
    """Rows of length `radius`: on the circle in the first two axes, or at the corners of a cube.

    Parameters
    ----------
    columns : int
        d, at least 1.
    radius : float
        The length of every row.
    corners : bool
        Whether the rows are the corners ±radius/√d of a cube, whose columns are uncorrelated. Otherwise they
        lie on a circle, whose second moment is the hardest to sample; for d = 1 there is none.
    """

    columns: int
    radius: float = 1.0
    corners: bool = False

    def __post_init__(self) -> None:
        integer_at_least(1, columns=self.columns)
        positive(radius=self.radius)

    @property
    def d(self) -> int:
        return self.columns

    @property
    def mean(self) -> Array:
        return np.zeros(self.columns)

    @property
    def covariance(self) -> Array:
        axes = self.columns if self.corners else min(self.columns, 2)
        return np.diag([self.radius**2 / axes] * axes + [0.0] * (self.columns - axes))

    def sample(self, n: int, *, rng: np.random.Generator) -> Array:
        size = checked_size(n)
        if self.corners or self.columns == 1:
            return rng.choice([-1.0, 1.0], (size, self.columns)) * (self.radius / sqrt(self.columns))
        turns, rows = rng.uniform(0, 2 * pi, size), np.zeros((size, self.columns))
        rows[:, 0], rows[:, 1] = self.radius * np.cos(turns), self.radius * np.sin(turns)
        return rows


@dataclass(frozen=True)
class Coin:
    """Zeros and ones, the latter with probability `share`: the widest rows between two bounds."""

    share: float = 0.5

    def __post_init__(self) -> None:
        probability(share=self.share)

    @property
    def d(self) -> None:
        """None: values are numbers."""

    @property
    def mean(self) -> float:
        """The probability of a one."""
        return self.share

    @property
    def sigma(self) -> float:
        """Standard deviation."""
        return sqrt(self.share * (1 - self.share))

    def sample(self, n: int, *, rng: np.random.Generator) -> Array:
        return np.asarray(rng.random(checked_size(n)) < self.share, np.float64)
