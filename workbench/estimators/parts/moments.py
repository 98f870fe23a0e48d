"""What estimators of unbounded Gaussians release: a covariance and, where it is not known, a mean."""

from dataclasses import dataclass

from workbench.estimators.base import Array


@dataclass(frozen=True)
class Moments:
    """A mean of shape (d,), or None where the rows are centred, and a covariance of shape (d, d)."""

    mean: Array | None
    covariance: Array
