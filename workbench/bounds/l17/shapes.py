"""The sample sizes displayed as (1), (2) and (6), with constant 1 on every term: shapes, not guarantees."""

from dataclasses import dataclass
from math import log, sqrt

from workbench.errors import positive, probability


@dataclass(frozen=True)
class Shape:
    """The three terms of a displayed sample size.

    `sampling` is what the estimate costs without privacy, `location` what finding it costs, `noise` what
    the noise costs once it is found.
    """

    sampling: float
    location: float
    noise: float

    @property
    def total(self) -> float:
        """Sum of the terms."""
        return self.sampling + self.location + self.noise


def _shape(alpha: float, epsilon: float, location: float) -> Shape:
    product = alpha * epsilon
    # The displays assume alpha epsilon < 1; the logarithm is 0 beyond.
    return Shape(1 / alpha**2, location, sqrt(max(0.0, -log(product))) / product)


def clipped_mean_shape(alpha: float, radius: float, epsilon: float) -> Shape:
    """Return the terms of (1): 1/alpha^2 + R/(alpha eps) + sqrt(log 1/(alpha eps)) / (alpha eps)."""
    positive(alpha=alpha, radius=radius, epsilon=epsilon)
    return _shape(alpha, epsilon, radius / (alpha * epsilon))


def two_step_shape(alpha: float, radius: float, epsilon: float) -> Shape:
    """Return the terms of (2), where the range costs log(R) / eps (0 for R below 1).

    >>> two_step_shape(0.1, 1.0, 1.0).location
    0.0
    """
    positive(alpha=alpha, radius=radius, epsilon=epsilon)
    return _shape(alpha, epsilon, max(0.0, log(radius)) / epsilon)


def unbounded_shape(alpha: float, epsilon: float, delta: float) -> Shape:
    """Return the terms of (6), where log(1/delta) / eps takes the place of the range."""
    positive(alpha=alpha, epsilon=epsilon)
    probability(delta=delta)
    return _shape(alpha, epsilon, -log(delta) / epsilon)
