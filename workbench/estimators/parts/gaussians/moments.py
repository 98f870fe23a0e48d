"""What estimators of unbounded Gaussians release: a covariance and, where it is not known, a mean."""

from dataclasses import dataclass

import numpy as np

from workbench.types import Array


@dataclass(frozen=True)
class Moments:
    """A mean of shape (d,), or None where none is released, and a covariance of shape (d, d)."""

    mean: Array | None
    covariance: Array

    @property
    def finite(self) -> bool:
        """Whether every entry is a number."""
        known = self.mean is None or np.isfinite(self.mean).all()
        return bool(known and np.isfinite(self.covariance).all())


def point_mass(d: int) -> Moments:
    """Return what is known of rows whose covariance is 0: no unit, hence no mean."""
    return Moments(None, np.zeros((d, d)))
