"""Synthetic data whose truth is known: each population is a distribution that can be sampled.

>>> import numpy as np
>>> UnivariateGaussian(mean=3.0).sample(5, rng=np.random.default_rng(1)).shape
(5,)
"""

from workbench.populations.laws import (
    Coin,
    Contaminated,
    MultivariateGaussian,
    MultivariateStudent,
    PointMass,
    Population,
    UnivariateGaussian,
)
from workbench.populations.rotated import Rotated

__all__ = [
    "Coin",
    "Contaminated",
    "MultivariateGaussian",
    "MultivariateStudent",
    "PointMass",
    "Population",
    "Rotated",
    "UnivariateGaussian",
]
