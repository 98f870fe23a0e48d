"""Synthetic data whose truth is known: each population is a law that can be sampled.

>>> import numpy as np
>>> UnivariateGaussian(mean=3.0).sample(5, rng=np.random.default_rng(1)).shape
(5,)
"""

from workbench.populations.base import Population
from workbench.populations.bounded import Coin
from workbench.populations.contaminated import Contaminated, PointMass
from workbench.populations.gaussian import MultivariateGaussian, UnivariateGaussian
from workbench.populations.heavy_tailed import MultivariatePareto, MultivariateStudent, UnivariateStudent
from workbench.populations.rotated import Rotated
from workbench.populations.spectra import Spectrum

__all__ = [
    "Coin",
    "Contaminated",
    "MultivariateGaussian",
    "MultivariatePareto",
    "MultivariateStudent",
    "PointMass",
    "Population",
    "Rotated",
    "Spectrum",
    "UnivariateGaussian",
    "UnivariateStudent",
]
