"""The entries of means in d dimensions."""

from functools import partial

import numpy as np

from workbench import losses
from workbench.catalog.assumptions import MOMENTS, normal, within_box
from workbench.catalog.entry import DELTA, EPSILON, NO_SYMMETRY, Assumption, Entry, Example, Knob, N, at
from workbench.catalog.hardest import in_a_box
from workbench.distributions import Gaussian
from workbench.estimators.adaptive_mean import AdaptiveMean
from workbench.estimators.affine import AffineMean
from workbench.estimators.clipped import ClippedBoxMean, CoordinatewiseMean
from workbench.estimators.coinpress import CoinPressMean
from workbench.estimators.heavy_tailed import ClippedHeavyMean
from workbench.estimators.populous import MedianOfMeansMean, PopulousMean
from workbench.estimators.references import EmpiricalMean
from workbench.populations import MultivariateGaussian, MultivariatePareto, MultivariateStudent
from workbench.privacy import ZCDP, ApproxDP, GaussianDP, NonPrivate, PureDP

APPROX, CONCENTRATED, GAUSSIAN = ApproxDP(1.0, 1e-6), ZCDP(0.1), GaussianDP(0.5)
LOUD = ApproxDP(8.0, 1e-6)
RADIUS = Knob("radius", 1, 1e6, "unit of the data")

ROUND = MultivariateGaussian(Gaussian([1.0, -2.0, 0.5], np.eye(3)))
NORMAL = normal(MultivariateStudent(ROUND.moments, 3.0))
THIN = MultivariateGaussian(
    Gaussian([3.0, -1e6], [[25.0, 0.0499], [0.0499, 1e-4]])
)  # tilted, correlation .998
SPHERICAL = Assumption(
    "the covariance is sigma² I",
    lambda population, estimator: np.allclose(
        population.covariance, np.square(estimator.sigma) * np.eye(population.d), rtol=1e-9
    ),
    MultivariateGaussian(Gaussian(np.zeros(3), np.diag([100.0, 1.0, 1.0]))),
)
SYMMETRIC = Assumption(
    "the rows are symmetric round their mean, with Gaussian tails or heavier",
    lambda population, _: isinstance(population, MultivariateGaussian | MultivariateStudent),
    MultivariatePareto(ROUND.moments, 2.5),
)
WITHIN = Assumption(
    "the mean lies within radius of centre",
    lambda population, estimator: bool(
        np.all(np.linalg.norm(population.mean - estimator.centre) <= np.asarray(estimator.radius))
    ),
    MultivariateGaussian(Gaussian([1e6, 0.0, 0.0], np.eye(3))),
)
WITHIN_BOX = within_box(MultivariateGaussian(Gaussian([1e6, 0.0, 0.0], np.eye(3))))
BELOW = Assumption(
    "the covariance is at most upper I",
    lambda population, estimator: (
        np.linalg.eigvalsh(population.covariance)[-1] <= estimator.upper * (1 + 1e-9)
    ),
    MultivariateGaussian(Gaussian(np.zeros(3), np.diag([100.0, 1.0, 1.0]))),
)

round_mean = partial(
    Entry,
    estimand="mean",
    population=ROUND,
    loss=losses.mahalanobis_mean_error,
    assumptions=(NORMAL, SPHERICAL),
    knobs=(N, EPSILON, DELTA),
    symmetries=NO_SYMMETRY,
)
mean_within = partial(round_mean, assumptions=(NORMAL, SPHERICAL, WITHIN), knobs=(N, EPSILON, DELTA, RADIUS))

MEAN = (
    Entry(
        key="mean/empirical",
        summary="sample mean, without privacy",
        estimand="mean",
        statements=("M21/sample-covariance",),
        examples=(Example(EmpiricalMean(sigma=1.0), NonPrivate()),),
        population=ROUND,
        loss=losses.mahalanobis_mean_error,
        least_rows=1,
        knobs=(N,),
        symmetries={"translation": "exact", "scale": "exact"},
    ),
    mean_within(
        key="mean/clipped-box",
        summary="mean in a box: cut at the box, average, add noise",
        statements=("M21/prior-CoinPress",),
        examples=(
            *at(ClippedBoxMean(radius=10.0, sigma=1.0), CONCENTRATED, APPROX),
            Example(ClippedBoxMean(radius=10.0, centre=3.0, sigma=2.0), GAUSSIAN),
        ),
    ),
    round_mean(
        key="mean/coordinatewise",
        summary="a univariate mean for every coordinate",
        hardest=in_a_box,
        statements=("M21/UG/mean-known-covariance", "M21/prior-KV18"),
        examples=(
            Example(CoordinatewiseMean(sigma=1.0), APPROX),
            *at(CoordinatewiseMean(radius=100.0, sigma=1.0), PureDP(1.0), CONCENTRATED),
        ),
        symmetries={"translation": "lattice", "scale": "none"},
    ),
    mean_within(
        key="mean/coinpress",
        summary="mean in a ball that shrinks step by step",
        statements=("M21/prior-CoinPress",),
        examples=(
            Example(CoinPressMean(radius=100.0, sigma=1.0), CONCENTRATED),
            Example(CoinPressMean(radius=100.0, mode="proved", sigma=1.0), APPROX),
            Example(CoinPressMean(radius=100.0, centre=3.0, sigma=2.0, steps=2), GAUSSIAN),
            Example(CoinPressMean(radius=100.0, calibration="paper", sigma=1.0), CONCENTRATED),
        ),
    ),
    round_mean(
        key="mean/adaptive",
        summary="mean of columns of unknown, unequal scales: place, scales and radius by weak probes",
        statements=("M21/prior-CoinPress",),
        examples=(
            *at(AdaptiveMean(radius=100.0), CONCENTRATED, APPROX),
            Example(AdaptiveMean(radius=100.0, centre=3.0), GAUSSIAN),
        ),
        hardest=in_a_box,
        assumptions=(NORMAL, WITHIN_BOX),
        knobs=(N, EPSILON, DELTA, RADIUS),
    ),
    round_mean(
        key="mean/populous",
        summary="mean anywhere in space, by a vote of groups of rows on which of them are close to most",
        statements=("AL22/Prop7.1", "AL22/Lem7.2"),
        examples=(Example(PopulousMean(sigma=1.0), LOUD),),
        symmetries={"translation": "exact", "scale": "none"},
        bounded_steps=frozenset({"vote"}),
    ),
    round_mean(
        key="mean/median-of-means",
        summary="centre of heavy-tailed rows anywhere in space, by a vote of medians of means",
        statements=("AL22/Alg1", "AL22/Rem3.4"),
        examples=(Example(MedianOfMeansMean(sigma=1.0), LOUD),),
        population=MultivariateStudent(ROUND.moments, 3.0),
        assumptions=(SYMMETRIC, SPHERICAL),
        symmetries={"translation": "exact", "scale": "none"},
        bounded_steps=frozenset({"vote", "mask"}),
    ),
    Entry(
        key="mean/affine",
        summary="mean of any Gaussian, its covariance unknown, and noise of the covariance's shape",
        estimand="mean",
        statements=("M21/affine-mean",),
        examples=(Example(AffineMean(), LOUD),),
        population=THIN,
        loss=losses.mahalanobis_mean_error,
        assumptions=(normal(MultivariateStudent(THIN.moments, 3.0)),),
        knobs=(N, EPSILON, DELTA),
        symmetries={"translation": "exact", "scale": "exact"},
        bounded_steps=frozenset({"location"}),  # a count that is neither 0 nor its most moves
    ),
    mean_within(
        key="mean/clipped-heavy",
        summary="mean of heavy-tailed rows in a ball that shrinks step by step",
        statements=("M21/prior-KSU20",),
        examples=(
            Example(ClippedHeavyMean(radius=100.0, hypercontractivity=4.0, upper=1.0), CONCENTRATED),
            Example(ClippedHeavyMean(radius=100.0, moments=1, hypercontractivity=1.0, upper=1.0), APPROX),
            Example(ClippedHeavyMean(radius=100.0, centre=3.0, upper=4.0, hypercontractivity=4.0), GAUSSIAN),
        ),
        population=MultivariateStudent(ROUND.moments, 10.0),
        assumptions=(MOMENTS, WITHIN),
    ),
)
