"""Private estimators: one algorithm per module, public parameters only, a release out."""

from workbench.estimators.base import Abstention, Estimator, Guarantee, Release, Trace
from workbench.estimators.release import ErrorStatement

__all__ = ["Abstention", "ErrorStatement", "Estimator", "Guarantee", "Release", "Trace"]
