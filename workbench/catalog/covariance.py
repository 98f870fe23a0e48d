"""The covariance entries."""

from functools import partial

import numpy as np

from workbench import losses
from workbench.catalog import spectral
from workbench.catalog.assumptions import MOMENTS, below_upper, normal
from workbench.catalog.entry import DELTA, EPSILON, NO_SYMMETRY, Assumption, Entry, Example, Knob, N, at
from workbench.catalog.hardest import at_corners, off_net, on_a_circle
from workbench.distributions import Gaussian
from workbench.estimators.adaptive_covariance import AdaptiveCovariance
from workbench.estimators.coinpress import ClippedCovariance, CoinPressCovariance
from workbench.estimators.heavy_tailed import HeavyTailedCovariance, HeavyTailedNaiveCovariance
from workbench.estimators.nets import PureNetCovariance
from workbench.estimators.populous import PopulousCovariance
from workbench.estimators.populous_robust import PopulousRobustCovariance
from workbench.estimators.references import EmpiricalCovariance, FilterNonprivateCovariance
from workbench.estimators.sparse import LocalThresholdedCovariance, PerturbedCovariance, ThresholdedCovariance
from workbench.estimators.unbounded import UnboundedCovariance
from workbench.populations import MultivariateGaussian, MultivariateStudent
from workbench.privacy import ZCDP, ApproxDP, GaussianDP, NonPrivate, PureDP

APPROX, CONCENTRATED, GAUSSIAN = ApproxDP(1.0, 1e-6), ZCDP(0.1), GaussianDP(0.5)
RADIUS = Knob("radius", 1e-3, 1e3, "unit of the data")

SPARSE = MultivariateGaussian(
    Gaussian(np.zeros(3), np.array([[0.05, 0.03, 0.0], [0.03, 0.05, 0.0], [0.0, 0.0, 0.05]]))
)
CENTRED = Assumption(
    "the mean is 0",
    lambda population, _: not np.any(population.mean),
    MultivariateGaussian(Gaussian(np.ones(3), SPARSE.covariance)),
)
KNOWN = Assumption(
    "the mean is 0, if centred",
    lambda population, estimator: not (estimator.centred and np.any(population.mean)),
    CENTRED.broken_by,
)
LIGHT = Assumption(
    "the rows are sub-Gaussian",
    lambda population, _: isinstance(population, MultivariateGaussian),
    MultivariateStudent(SPARSE.moments, 3.0),
)


NORMAL = normal(MultivariateStudent(Gaussian(np.zeros(3), np.eye(3)), 3.0))
BELOW = below_upper(MultivariateGaussian(Gaussian(np.zeros(3), 1e9 * np.eye(3))))
NEAR = Assumption(
    "the mean is at most 1e12 √upper long, unless rows are paired",
    lambda population, estimator: bool(
        estimator.centred or estimator.paired or np.linalg.norm(population.mean) <= estimator.joint.radius
    ),
    MultivariateGaussian(Gaussian(np.full(3, 1e14), np.eye(3))),
)
UPPER = Knob("upper", 1, 1e12, "square of the data's unit")
TILTED = MultivariateGaussian(
    Gaussian([1.0, -2.0, 0.5], np.array([[6.0, 2.0, 0.0], [2.0, 3.0, 0.0], [0.0, 0.0, 1.5]]))
)
HEAVY, PLANE = (
    MultivariateStudent(TILTED.moments, 10.0),
    MultivariateStudent(Gaussian([1.0, -2.0], np.array([[2.0, 0.8], [0.8, 1.5]])), 10.0),
)
ALPHA = Knob("alpha", 0.2, 0.9, log=False)

bounded = partial(
    Entry,
    estimand="covariance",
    population=TILTED,
    loss=losses.mahalanobis_covariance_error,
    assumptions=(NORMAL, BELOW),
    knobs=(N, EPSILON, DELTA, UPPER),
    symmetries={"translation": "exact", "scale": "none"},
)
heavy = partial(bounded, population=HEAVY, assumptions=(MOMENTS, BELOW))
thin = partial(spectral.thin, estimand="covariance", loss=losses.mahalanobis_covariance_error)
sparse = partial(
    Entry,
    estimand="covariance",
    population=SPARSE,
    loss=losses.spectral_error,
    assumptions=(CENTRED, LIGHT),
    knobs=(N, EPSILON, DELTA, RADIUS),
    symmetries=NO_SYMMETRY,
)

COVARIANCE = (
    Entry(
        key="covariance/empirical",
        summary="sample covariance, without privacy",
        estimand="covariance",
        statements=("M21/sample-covariance",),
        examples=(
            Example(EmpiricalCovariance(), NonPrivate()),
            Example(EmpiricalCovariance(centred=True), NonPrivate()),
        ),
        population=TILTED,
        loss=losses.mahalanobis_covariance_error,
        least_rows=1,
        knobs=(N,),
        symmetries={"translation": "exact", "scale": "exact"},
    ),
    bounded(
        key="covariance/clipped",
        summary="covariance by one noisy step: lost on short axes",
        statements=("M21/UG/NaiveEstimator",),
        examples=(
            Example(ClippedCovariance(upper=10.0, lower=1.0), CONCENTRATED),
            Example(ClippedCovariance(upper=10.0, centred=True), APPROX),
        ),
    ),
    bounded(
        key="covariance/coinpress",
        summary="covariance by steps of preconditioning, from a public bound",
        statements=("M21/prior-CoinPress", "M21/Problem"),
        examples=(
            Example(CoinPressCovariance(upper=100.0, lower=1.0), CONCENTRATED),
            Example(CoinPressCovariance(upper=100.0, mode="proved", centred=True, lower=1.0), APPROX),
            Example(CoinPressCovariance(upper=100.0, steps=2, calibration="paper", lower=1.0), GAUSSIAN),
            Example(CoinPressCovariance(upper=100.0, paired=True, lower=1.0), CONCENTRATED),
        ),
        assumptions=(NORMAL, BELOW, NEAR),
        symmetries=NO_SYMMETRY,
    ),
    heavy(
        key="covariance/heavy-tailed-naive",
        summary="covariance of heavy-tailed rows by one noisy step: lost on short axes",
        statements=("M21/HT/Alg1", "M21/HT/Thm3.1"),
        examples=(
            Example(HeavyTailedNaiveCovariance(upper=10.0, hypercontractivity=4.0, lower=1.0), CONCENTRATED),
            Example(
                HeavyTailedNaiveCovariance(
                    upper=10.0, hypercontractivity=4.0, calibration="paper", lower=1.0
                ),
                APPROX,
            ),
        ),
    ),
    heavy(
        key="covariance/heavy-tailed",
        summary="covariance of heavy-tailed rows by steps of preconditioning",
        statements=("M21/Def2.1", "M21/HT/Alg2", "M21/HT/Thm3.2", "M21/HT/Alg3"),
        examples=(
            Example(HeavyTailedCovariance(upper=100.0, hypercontractivity=4.0, lower=1.0), CONCENTRATED),
            Example(
                HeavyTailedCovariance(upper=100.0, hypercontractivity=4.0, mode="proved", lower=1.0), APPROX
            ),
            Example(HeavyTailedCovariance(upper=100.0, hypercontractivity=4.0, steps=2, lower=1.0), GAUSSIAN),
        ),
    ),
    heavy(
        key="covariance/pure-net",
        summary="covariance in one or two dimensions under pure privacy, from a public net",
        hardest=off_net,
        statements=("M21/pure",),
        examples=at(
            PureNetCovariance(upper=4.0, hypercontractivity=4.0, alpha=0.4, lower=1.0),
            PureDP(1.0),
            CONCENTRATED,
        ),
        population=PLANE,
        knobs=(N, EPSILON, ALPHA, UPPER),
    ),
    thin(
        key="covariance/populous",
        summary="covariance without any bound on it, in a frame found by one vote of groups of rows",
        statements=("AL22/Thm5.5", "AL22/Thm5.6"),
        examples=(Example(PopulousCovariance(), spectral.APPROX),),
        symmetries=NO_SYMMETRY,
        bounded_steps=spectral.MASK,
    ),
    thin(
        key="covariance/unbounded",
        summary="covariance without any bound on it, in a frame found by votes of blocks of rows",
        statements=(
            *("M21/UG/iteration", "M21/UG/Alg3", "M21/UG/Alg4", "M21/UG/Thm5.1", "M21/UG/Thm5.2"),
            *("M21/UG/degenerate", "M21/UG/complexity", "M21/Table1"),
        ),
        examples=(
            Example(UnboundedCovariance(), spectral.APPROX),
            Example(UnboundedCovariance(calibration="paper"), spectral.CONCENTRATED),
        ),
        assumptions=(NORMAL,),
        symmetries={"translation": "exact", "scale": "lattice"},
        bounded_steps=spectral.VOTES,
    ),
    sparse(
        key="covariance/perturbed",
        summary="covariance of rows of known norm: noise on every entry",
        hardest=on_a_circle,
        statements=("WX19/Eq7",),
        examples=(
            *at(PerturbedCovariance(radius=1.0), CONCENTRATED, APPROX),
            Example(PerturbedCovariance(radius=2.0), GAUSSIAN),
            Example(PerturbedCovariance(calibration="paper", radius=1.0), APPROX),
        ),
        assumptions=(CENTRED,),
    ),
    sparse(
        key="covariance/adaptive",
        summary="covariance of rows within a crude bound: a private radius, eigenvalues denoised",
        hardest=on_a_circle,
        statements=("M21/adaptive-covariance",),
        examples=(
            *at(AdaptiveCovariance(radius=1.0), CONCENTRATED, APPROX),
            Example(AdaptiveCovariance(radius=1e6), GAUSSIAN),
            Example(AdaptiveCovariance(radius=10.0, centred=False), ZCDP(0.5)),
        ),
        assumptions=(KNOWN,),
    ),
    sparse(
        key="covariance/thresholded",
        summary="sparse covariance: noise, then small entries are dropped",
        hardest=at_corners,
        statements=("WX19/Alg1", "WX19/Thm1", "WX19/Thm2"),
        examples=(
            Example(ThresholdedCovariance(radius=1.0), CONCENTRATED),
            Example(ThresholdedCovariance(radius=None), APPROX),
            Example(ThresholdedCovariance(calibration="paper", radius=1.0), APPROX),
        ),
    ),
    sparse(
        key="covariance/local-thresholded",
        summary="sparse covariance when every user adds the noise",
        hardest=at_corners,
        statements=("WX19/Alg2", "WX19/Thm3"),
        examples=(
            Example(LocalThresholdedCovariance(radius=1.0), GAUSSIAN),
            Example(LocalThresholdedCovariance(calibration="paper", radius=1.0), APPROX),
        ),
        least_rows=1,
        bounded_steps=frozenset({"users"}),
    ),
    thin(
        key="covariance/filter-nonprivate",
        summary="covariance of rows of which some may be anything, without privacy",
        statements=("AL22/Thm6.1",),
        examples=(
            Example(FilterNonprivateCovariance(corruption=0.05), NonPrivate()),
            Example(FilterNonprivateCovariance(corruption=0.05, centred=True), NonPrivate()),
            Example(FilterNonprivateCovariance(corruption=0.05, calibration="paper"), NonPrivate()),
        ),
        knobs=(N, spectral.CORRUPTION),
    ),
    thin(
        key="covariance/populous-robust",
        summary="covariance of rows of which some may be anything, by a vote of robust groups",
        statements=("AL22/Alg4", "AL22/Thm6.3"),
        examples=(
            Example(PopulousRobustCovariance(corruption=0.05), spectral.APPROX),
            Example(PopulousRobustCovariance(corruption=0.02), spectral.APPROX),
        ),
        knobs=(N, EPSILON, DELTA, spectral.CORRUPTION),
        bounded_steps=spectral.ROBUST,
    ),
)
