"""Differentially private estimation: estimators, accounting, data, claims and pictures.

The names below are loaded when they are first used, so that `import workbench` costs next to nothing.

>>> from workbench import PureDP, TwoStepMean
>>> print(TwoStepMean(radius=100.0).plan(1000, 1, PureDP(1.0))["mean"].cost)
ε = 0.95
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.catalog import CATALOG as CATALOG
    from workbench.estimators.base import Abstention as Abstention
    from workbench.estimators.base import Release as Release
    from workbench.estimators.base import Trace as Trace
    from workbench.estimators.univariate.clipped_mean import ClippedMean as ClippedMean
    from workbench.estimators.univariate.histogram_location import HistogramLocation as HistogramLocation
    from workbench.estimators.univariate.interval import Interval as Interval
    from workbench.estimators.univariate.interval_unknown_variance import (
        IntervalUnknownVariance as IntervalUnknownVariance,
    )
    from workbench.estimators.univariate.median import Median as Median
    from workbench.estimators.univariate.scale import Scale as Scale
    from workbench.estimators.univariate.stable_location import StableLocation as StableLocation
    from workbench.estimators.univariate.two_step_mean import TwoStepMean as TwoStepMean
    from workbench.estimators.univariate.unbounded_mean import UnboundedMean as UnboundedMean
    from workbench.privacy import ZCDP as ZCDP
    from workbench.privacy import ApproxDP as ApproxDP
    from workbench.privacy import GaussianDP as GaussianDP
    from workbench.privacy import Ledger as Ledger
    from workbench.privacy import NonPrivate as NonPrivate
    from workbench.privacy import PureDP as PureDP

__version__ = "0.1.0"

_HOMES = {
    "workbench.catalog": ("CATALOG",),
    "workbench.estimators.base": ("Abstention", "Release", "Trace"),
    "workbench.estimators.univariate.clipped_mean": ("ClippedMean",),
    "workbench.estimators.univariate.histogram_location": ("HistogramLocation",),
    "workbench.estimators.univariate.interval": ("Interval",),
    "workbench.estimators.univariate.interval_unknown_variance": ("IntervalUnknownVariance",),
    "workbench.estimators.univariate.median": ("Median",),
    "workbench.estimators.univariate.scale": ("Scale",),
    "workbench.estimators.univariate.stable_location": ("StableLocation",),
    "workbench.estimators.univariate.two_step_mean": ("TwoStepMean",),
    "workbench.estimators.univariate.unbounded_mean": ("UnboundedMean",),
    "workbench.privacy": ("ApproxDP", "GaussianDP", "Ledger", "NonPrivate", "PureDP", "ZCDP"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}
__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    """Load a public name from its module."""
    if name not in _HOME:
        raise AttributeError(f"module 'workbench' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
