"""Differentially private estimation: estimators, accounting, data, claims and pictures.

The names below load on first use, so that `import workbench` costs next to nothing:

>>> import numpy as np
>>> from workbench import PureDP, TwoStepMean
>>> TwoStepMean(radius=100)([1.0, 2.0, 0.5], budget=PureDP(1), rng=np.random.default_rng(0)).guarantee.budget
PureDP(epsilon=1)
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.catalog import CATALOG, lookup
    from workbench.errors import ArgumentError, OverspentError
    from workbench.estimators.base import Trace
    from workbench.estimators.covariance.clipped import ClippedCovariance
    from workbench.estimators.covariance.coinpress import CoinPressCovariance
    from workbench.estimators.covariance.empirical import EmpiricalCovariance
    from workbench.estimators.covariance.filter_nonprivate import FilterNonprivateCovariance
    from workbench.estimators.covariance.heavy_tailed import HeavyTailedCovariance
    from workbench.estimators.covariance.heavy_tailed_naive import HeavyTailedNaiveCovariance
    from workbench.estimators.covariance.local_thresholded import LocalThresholdedCovariance
    from workbench.estimators.covariance.matrix_quantile import MatrixQuantileCovariance
    from workbench.estimators.covariance.perturbed import PerturbedCovariance
    from workbench.estimators.covariance.populous import PopulousCovariance
    from workbench.estimators.covariance.populous_robust import PopulousRobustCovariance
    from workbench.estimators.covariance.pure_net import PureNetCovariance
    from workbench.estimators.covariance.thresholded import ThresholdedCovariance
    from workbench.estimators.covariance.unbounded import UnboundedCovariance
    from workbench.estimators.gaussian.coinpress import CoinPressGaussian
    from workbench.estimators.gaussian.populous import PopulousGaussian
    from workbench.estimators.gaussian.populous_robust import PopulousRobustGaussian
    from workbench.estimators.gaussian.unbounded import UnboundedGaussian
    from workbench.estimators.mean.clipped_box import ClippedBoxMean
    from workbench.estimators.mean.clipped_heavy import ClippedHeavyMean
    from workbench.estimators.mean.coinpress import CoinPressMean
    from workbench.estimators.mean.coordinatewise import CoordinatewiseMean
    from workbench.estimators.mean.empirical import EmpiricalMean
    from workbench.estimators.mean.filter import FilterMean
    from workbench.estimators.mean.filter_nonprivate import FilterNonprivateMean
    from workbench.estimators.mean.populous import PopulousMean
    from workbench.estimators.mean.populous_robust import PopulousRobustMean
    from workbench.estimators.mean.prime import PrimeMean
    from workbench.estimators.mean.prime_heavy import PrimeHeavyMean
    from workbench.estimators.mean.resilient import ResilientMean
    from workbench.estimators.mean.resilient_heavy import ResilientHeavyMean
    from workbench.estimators.mean.robust import RobustMean
    from workbench.estimators.mean.robust_heavy import RobustHeavyMean
    from workbench.estimators.mean.tukey import TukeyMean
    from workbench.estimators.range.ball import BallRange
    from workbench.estimators.range.box import BoxRange
    from workbench.estimators.release import Abstention, Guarantee, Release
    from workbench.estimators.spectral.eigenvalues import Eigenvalues
    from workbench.estimators.spectral.preconditioner import Preconditioner
    from workbench.estimators.spectral.subspace_aggregate import SubspaceAggregate
    from workbench.estimators.spectral.subspace_exact import SubspaceExact
    from workbench.estimators.univariate.clipped_mean import ClippedMean
    from workbench.estimators.univariate.histogram_location import HistogramLocation
    from workbench.estimators.univariate.interval import Interval
    from workbench.estimators.univariate.interval_unknown_variance import IntervalUnknownVariance
    from workbench.estimators.univariate.median import Median
    from workbench.estimators.univariate.scale import Scale
    from workbench.estimators.univariate.stable_location import StableLocation
    from workbench.estimators.univariate.two_step_mean import TwoStepMean
    from workbench.estimators.univariate.unbounded_mean import UnboundedMean
    from workbench.privacy.budget import ZCDP, ApproxDP, GaussianDP, NonPrivate, PureDP
    from workbench.privacy.ledger import Ledger
    from workbench.privacy.plan import compose

__version__ = "0.1.0"

__all__ = [
    "CATALOG",
    "ZCDP",
    "Abstention",
    "ApproxDP",
    "ArgumentError",
    "BallRange",
    "BoxRange",
    "ClippedBoxMean",
    "ClippedCovariance",
    "ClippedHeavyMean",
    "ClippedMean",
    "CoinPressCovariance",
    "CoinPressGaussian",
    "CoinPressMean",
    "CoordinatewiseMean",
    "Eigenvalues",
    "EmpiricalCovariance",
    "EmpiricalMean",
    "FilterMean",
    "FilterNonprivateCovariance",
    "FilterNonprivateMean",
    "GaussianDP",
    "Guarantee",
    "HeavyTailedCovariance",
    "HeavyTailedNaiveCovariance",
    "HistogramLocation",
    "Interval",
    "IntervalUnknownVariance",
    "Ledger",
    "LocalThresholdedCovariance",
    "MatrixQuantileCovariance",
    "Median",
    "NonPrivate",
    "OverspentError",
    "PerturbedCovariance",
    "PopulousCovariance",
    "PopulousGaussian",
    "PopulousMean",
    "PopulousRobustCovariance",
    "PopulousRobustGaussian",
    "PopulousRobustMean",
    "Preconditioner",
    "PrimeHeavyMean",
    "PrimeMean",
    "PureDP",
    "PureNetCovariance",
    "Release",
    "ResilientHeavyMean",
    "ResilientMean",
    "RobustHeavyMean",
    "RobustMean",
    "Scale",
    "StableLocation",
    "SubspaceAggregate",
    "SubspaceExact",
    "ThresholdedCovariance",
    "Trace",
    "TukeyMean",
    "TwoStepMean",
    "UnboundedCovariance",
    "UnboundedGaussian",
    "UnboundedMean",
    "compose",
    "lookup",
]

_HOMES = {
    "catalog": ("CATALOG", "lookup"),
    "errors": ("ArgumentError", "OverspentError"),
    "estimators.base": ("Trace",),
    "estimators.release": ("Abstention", "Guarantee", "Release"),
    "estimators.covariance.clipped": ("ClippedCovariance",),
    "estimators.covariance.coinpress": ("CoinPressCovariance",),
    "estimators.covariance.empirical": ("EmpiricalCovariance",),
    "estimators.covariance.filter_nonprivate": ("FilterNonprivateCovariance",),
    "estimators.covariance.local_thresholded": ("LocalThresholdedCovariance",),
    "estimators.covariance.matrix_quantile": ("MatrixQuantileCovariance",),
    "estimators.covariance.perturbed": ("PerturbedCovariance",),
    "estimators.covariance.thresholded": ("ThresholdedCovariance",),
    "estimators.mean.clipped_box": ("ClippedBoxMean",),
    "estimators.mean.coinpress": ("CoinPressMean",),
    "estimators.mean.coordinatewise": ("CoordinatewiseMean",),
    "estimators.mean.empirical": ("EmpiricalMean",),
    "estimators.mean.resilient": ("ResilientMean",),
    "estimators.mean.resilient_heavy": ("ResilientHeavyMean",),
    "estimators.mean.tukey": ("TukeyMean",),
    "estimators.mean.filter": ("FilterMean",),
    "estimators.mean.prime": ("PrimeMean",),
    "estimators.mean.prime_heavy": ("PrimeHeavyMean",),
    "estimators.mean.robust": ("RobustMean",),
    "estimators.mean.robust_heavy": ("RobustHeavyMean",),
    "estimators.mean.filter_nonprivate": ("FilterNonprivateMean",),
    "estimators.mean.populous_robust": ("PopulousRobustMean",),
    "estimators.covariance.populous_robust": ("PopulousRobustCovariance",),
    "estimators.gaussian.populous_robust": ("PopulousRobustGaussian",),
    "estimators.mean.populous": ("PopulousMean",),
    "estimators.range.ball": ("BallRange",),
    "estimators.range.box": ("BoxRange",),
    "estimators.mean.clipped_heavy": ("ClippedHeavyMean",),
    "estimators.covariance.heavy_tailed": ("HeavyTailedCovariance",),
    "estimators.covariance.heavy_tailed_naive": ("HeavyTailedNaiveCovariance",),
    "estimators.covariance.populous": ("PopulousCovariance",),
    "estimators.covariance.pure_net": ("PureNetCovariance",),
    "estimators.covariance.unbounded": ("UnboundedCovariance",),
    "estimators.gaussian.coinpress": ("CoinPressGaussian",),
    "estimators.gaussian.populous": ("PopulousGaussian",),
    "estimators.gaussian.unbounded": ("UnboundedGaussian",),
    "estimators.spectral.eigenvalues": ("Eigenvalues",),
    "estimators.spectral.preconditioner": ("Preconditioner",),
    "estimators.spectral.subspace_aggregate": ("SubspaceAggregate",),
    "estimators.spectral.subspace_exact": ("SubspaceExact",),
    "estimators.univariate.clipped_mean": ("ClippedMean",),
    "estimators.univariate.histogram_location": ("HistogramLocation",),
    "estimators.univariate.interval": ("Interval",),
    "estimators.univariate.interval_unknown_variance": ("IntervalUnknownVariance",),
    "estimators.univariate.median": ("Median",),
    "estimators.univariate.scale": ("Scale",),
    "estimators.univariate.stable_location": ("StableLocation",),
    "estimators.univariate.two_step_mean": ("TwoStepMean",),
    "estimators.univariate.unbounded_mean": ("UnboundedMean",),
    "privacy.budget": ("ApproxDP", "GaussianDP", "NonPrivate", "PureDP", "ZCDP"),
    "privacy.ledger": ("Ledger",),
    "privacy.plan": ("compose",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    """Return one of the names above, loading the module it lives in."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List every name, loaded or not."""
    return sorted({*globals(), *__all__} - {"TYPE_CHECKING", "import_module"})
