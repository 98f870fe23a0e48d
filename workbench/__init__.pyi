"""The public names and their homes, once: type checkers read this, and so does `workbench/__init__.py`."""

from workbench.catalog import CATALOG as CATALOG
from workbench.catalog import lookup as lookup
from workbench.errors import ArgumentError as ArgumentError
from workbench.errors import OverspentError as OverspentError
from workbench.estimators.base import Trace as Trace
from workbench.estimators.clipped import ClippedBoxMean as ClippedBoxMean
from workbench.estimators.clipped import ClippedMean as ClippedMean
from workbench.estimators.clipped import CoordinatewiseMean as CoordinatewiseMean
from workbench.estimators.coinpress import ClippedCovariance as ClippedCovariance
from workbench.estimators.coinpress import CoinPressCovariance as CoinPressCovariance
from workbench.estimators.coinpress import CoinPressGaussian as CoinPressGaussian
from workbench.estimators.coinpress import CoinPressMean as CoinPressMean
from workbench.estimators.covariance.matrix_quantile import (
    MatrixQuantileCovariance as MatrixQuantileCovariance,
)
from workbench.estimators.covariance.unbounded import UnboundedCovariance as UnboundedCovariance
from workbench.estimators.gaussian.lifted import LiftedGaussian as LiftedGaussian
from workbench.estimators.gaussian.unbounded import UnboundedGaussian as UnboundedGaussian
from workbench.estimators.heavy_tailed import ClippedHeavyMean as ClippedHeavyMean
from workbench.estimators.heavy_tailed import HeavyTailedCovariance as HeavyTailedCovariance
from workbench.estimators.heavy_tailed import HeavyTailedNaiveCovariance as HeavyTailedNaiveCovariance
from workbench.estimators.histograms import BallRange as BallRange
from workbench.estimators.histograms import BoxRange as BoxRange
from workbench.estimators.histograms import HistogramLocation as HistogramLocation
from workbench.estimators.histograms import StableLocation as StableLocation
from workbench.estimators.interval_mean import IntervalMean as IntervalMean
from workbench.estimators.intervals import Interval as Interval
from workbench.estimators.intervals import IntervalUnknownVariance as IntervalUnknownVariance
from workbench.estimators.intervals import UnboundedMean as UnboundedMean
from workbench.estimators.mean.affine import AffineMean as AffineMean
from workbench.estimators.nets import PureNetCovariance as PureNetCovariance
from workbench.estimators.parts.stored import stream as stream
from workbench.estimators.populous import MedianOfMeansMean as MedianOfMeansMean
from workbench.estimators.populous import Populous as Populous
from workbench.estimators.populous import PopulousCovariance as PopulousCovariance
from workbench.estimators.populous import PopulousGaussian as PopulousGaussian
from workbench.estimators.populous import PopulousMean as PopulousMean
from workbench.estimators.populous import Preconditioner as Preconditioner
from workbench.estimators.populous_robust import PopulousRobustCovariance as PopulousRobustCovariance
from workbench.estimators.populous_robust import PopulousRobustGaussian as PopulousRobustGaussian
from workbench.estimators.populous_robust import PopulousRobustMean as PopulousRobustMean
from workbench.estimators.prime import FilterMean as FilterMean
from workbench.estimators.prime import PrimeHeavyMean as PrimeHeavyMean
from workbench.estimators.prime import PrimeMean as PrimeMean
from workbench.estimators.quantiles import Median as Median
from workbench.estimators.quantiles import Quantiles as Quantiles
from workbench.estimators.references import EmpiricalCovariance as EmpiricalCovariance
from workbench.estimators.references import EmpiricalMean as EmpiricalMean
from workbench.estimators.references import FilterNonprivateCovariance as FilterNonprivateCovariance
from workbench.estimators.references import FilterNonprivateMean as FilterNonprivateMean
from workbench.estimators.release import Abstention as Abstention
from workbench.estimators.release import Guarantee as Guarantee
from workbench.estimators.release import Release as Release
from workbench.estimators.robust import RobustHeavyMean as RobustHeavyMean
from workbench.estimators.robust import RobustMean as RobustMean
from workbench.estimators.scale import Scale as Scale
from workbench.estimators.sparse import LocalThresholdedCovariance as LocalThresholdedCovariance
from workbench.estimators.sparse import PerturbedCovariance as PerturbedCovariance
from workbench.estimators.sparse import ThresholdedCovariance as ThresholdedCovariance
from workbench.estimators.subspaces import Eigenvalues as Eigenvalues
from workbench.estimators.subspaces import SubspaceAggregate as SubspaceAggregate
from workbench.estimators.subspaces import SubspaceExact as SubspaceExact
from workbench.estimators.tukey import ResilientHeavyMean as ResilientHeavyMean
from workbench.estimators.tukey import ResilientMean as ResilientMean
from workbench.estimators.tukey import TukeyMean as TukeyMean
from workbench.estimators.two_step import TwoStepMean as TwoStepMean
from workbench.privacy.budget import ZCDP as ZCDP
from workbench.privacy.budget import ApproxDP as ApproxDP
from workbench.privacy.budget import GaussianDP as GaussianDP
from workbench.privacy.budget import NonPrivate as NonPrivate
from workbench.privacy.budget import PureDP as PureDP
from workbench.privacy.ledger import Ledger as Ledger
from workbench.privacy.plan import compose as compose

__version__: str
__all__: list[str]
