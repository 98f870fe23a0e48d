"""Private estimators: one algorithm per module, public parameters only, a release out."""

from .base import Abstention, Estimator, Guarantee, Release, Trace

__all__ = ["Abstention", "Estimator", "Guarantee", "Release", "Trace"]
