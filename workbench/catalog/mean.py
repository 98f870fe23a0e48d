"""The entries of means in d dimensions."""

import numpy as np

from workbench import losses
from workbench.catalog.entry import Assumption, Entry, Example, Knob
from workbench.catalog.moments import MOMENTS
from workbench.distributions import Gaussian
from workbench.estimators.mean.clipped_box import ClippedBoxMean
from workbench.estimators.mean.clipped_heavy import ClippedHeavyMean
from workbench.estimators.mean.coinpress import CoinPressMean
from workbench.estimators.mean.coordinatewise import CoordinatewiseMean
from workbench.estimators.mean.empirical import EmpiricalMean
from workbench.estimators.mean.populous import PopulousMean
from workbench.populations import MultivariateGaussian, MultivariateStudent
from workbench.privacy import ZCDP, ApproxDP, GaussianDP, NonPrivate, PureDP

APPROX, CONCENTRATED, GAUSSIAN = ApproxDP(1.0, 1e-6), ZCDP(0.1), GaussianDP(0.5)
LOUD = ApproxDP(8.0, 1e-6)
N, EPSILON, DELTA = Knob("n", 100, 1e6, "rows"), Knob("epsilon", 0.05, 5), Knob("delta", 1e-12, 1e-2)
RADIUS = Knob("radius", 1, 1e6, "unit of the data")

ROUND = MultivariateGaussian(Gaussian([1.0, -2.0, 0.5], np.eye(3)))
NORMAL = Assumption(
    "the rows are normal",
    lambda population, _: isinstance(population, MultivariateGaussian),
    MultivariateStudent(ROUND.moments, 3.0),
)
SPHERICAL = Assumption(
    "the covariance is sigma² I",
    lambda population, estimator: np.allclose(
        population.covariance, estimator.sigma**2 * np.eye(population.d), rtol=1e-9
    ),
    MultivariateGaussian(Gaussian(np.zeros(3), np.diag([100.0, 1.0, 1.0]))),
)
WITHIN = Assumption(
    "the mean lies within radius of centre",
    lambda population, estimator: np.linalg.norm(population.mean - estimator.centre) <= estimator.radius,
    MultivariateGaussian(Gaussian([1e6, 0.0, 0.0], np.eye(3))),
)
WITHIN_BOX = Assumption(
    "every coordinate of the mean lies within radius of centre",
    lambda population, estimator: np.abs(population.mean - estimator.centre).max() <= estimator.radius,
    MultivariateGaussian(Gaussian([1e6, 0.0, 0.0], np.eye(3))),
)
BELOW = Assumption(
    "the covariance is at most upper I",
    lambda population, estimator: (
        np.linalg.eigvalsh(population.covariance)[-1] <= estimator.upper * (1 + 1e-9)
    ),
    MultivariateGaussian(Gaussian(np.zeros(3), np.diag([100.0, 1.0, 1.0]))),
)

MEAN = (
    Entry(
        key="mean/empirical",
        summary="sample mean, without privacy",
        estimand="mean",
        statements=("M21/sample-covariance",),
        examples=(Example(EmpiricalMean(), NonPrivate()),),
        population=ROUND,
        loss=losses.mahalanobis_mean_error,
        least_rows=1,
        knobs=(N,),
        symmetries={"translation": "exact", "scale": "exact"},
    ),
    Entry(
        key="mean/clipped-box",
        summary="mean in a box: cut at the box, average, add noise",
        estimand="mean",
        statements=("M21/prior-CoinPress",),
        examples=(
            Example(ClippedBoxMean(radius=10.0), CONCENTRATED),
            Example(ClippedBoxMean(radius=10.0), APPROX),
            Example(ClippedBoxMean(radius=10.0, centre=3.0, sigma=2.0), GAUSSIAN),
        ),
        population=ROUND,
        loss=losses.mahalanobis_mean_error,
        assumptions=(NORMAL, SPHERICAL, WITHIN),
        knobs=(N, EPSILON, DELTA, RADIUS),
        symmetries={"translation": "none", "scale": "none"},
    ),
    Entry(
        key="mean/coordinatewise",
        summary="a univariate mean for every coordinate",
        estimand="mean",
        statements=("M21/UG/mean-known-covariance", "M21/prior-KV18"),
        examples=(
            Example(CoordinatewiseMean(), APPROX),
            Example(CoordinatewiseMean(radius=100.0), PureDP(1.0)),
            Example(CoordinatewiseMean(radius=100.0), CONCENTRATED),
        ),
        population=ROUND,
        loss=losses.mahalanobis_mean_error,
        assumptions=(NORMAL, SPHERICAL),
        knobs=(N, EPSILON, DELTA),
        symmetries={"translation": "lattice", "scale": "none"},
    ),
    Entry(
        key="mean/coinpress",
        summary="mean in a ball that shrinks step by step",
        estimand="mean",
        statements=("M21/prior-CoinPress",),
        examples=(
            Example(CoinPressMean(radius=100.0), CONCENTRATED),
            Example(CoinPressMean(radius=100.0, mode="proved"), APPROX),
            Example(CoinPressMean(radius=100.0, centre=3.0, sigma=2.0, steps=2), GAUSSIAN),
            Example(CoinPressMean(radius=100.0, calibration="paper"), CONCENTRATED),
        ),
        population=ROUND,
        loss=losses.mahalanobis_mean_error,
        assumptions=(NORMAL, SPHERICAL, WITHIN),
        knobs=(N, EPSILON, DELTA, RADIUS),
        symmetries={"translation": "none", "scale": "none"},
    ),
    Entry(
        key="mean/populous",
        summary="mean anywhere in space, by a vote of rows on who is close to most",
        estimand="mean",
        statements=("AL22/Prop7.1", "AL22/Lem7.2"),
        examples=(Example(PopulousMean(), LOUD),),
        population=ROUND,
        loss=losses.mahalanobis_mean_error,
        assumptions=(NORMAL, SPHERICAL),
        knobs=(N, EPSILON, DELTA),
        symmetries={"translation": "exact", "scale": "none"},
        bounded_steps=frozenset({"mask"}),
    ),
    Entry(
        key="mean/clipped-heavy",
        summary="mean of heavy-tailed rows in a ball that shrinks step by step",
        estimand="mean",
        statements=("M21/prior-KSU20",),
        examples=(
            Example(ClippedHeavyMean(radius=100.0, hypercontractivity=4.0), CONCENTRATED),
            Example(ClippedHeavyMean(radius=100.0, moments=1, hypercontractivity=1.0), APPROX),
            Example(ClippedHeavyMean(radius=100.0, centre=3.0, upper=4.0, hypercontractivity=4.0), GAUSSIAN),
        ),
        population=MultivariateStudent(ROUND.moments, 10.0),
        loss=losses.mahalanobis_mean_error,
        assumptions=(MOMENTS, WITHIN),
        knobs=(N, EPSILON, DELTA, RADIUS),
        symmetries={"translation": "none", "scale": "none"},
    ),
)
