"""A sample size in terms: what the theorems of several sources look like."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    """Terms of a sample size: without privacy, of the last noisy step, and of finding the shape before it.

    >>> Shape(1.0, 2.0, 3.0).total
    6.0
    """

    sampling: float
    noise: float
    preconditioning: float = 0.0

    @property
    def total(self) -> float:
        """Sum of the terms."""
        return self.sampling + self.noise + self.preconditioning
