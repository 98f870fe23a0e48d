"""Private estimators: one algorithm per module, public parameters only, a release out."""

from .base import Abstention, Estimator, Guarantee, Release, Trace
from .statement import ErrorStatement

__all__ = ["Abstention", "ErrorStatement", "Estimator", "Guarantee", "Release", "Trace"]
