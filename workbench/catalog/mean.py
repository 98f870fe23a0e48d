"""The entries of ranges, boxes and balls that hold most rows, and of means in d dimensions."""

from functools import partial

import numpy as np

from workbench import losses
from workbench.catalog.entry import BELOW, MOMENTS, NORMAL, WITHIN, WITHIN_BOX, entry
from workbench.catalog.hardest import in_a_box
from workbench.distributions import Gaussian
from workbench.estimators.adaptive_mean import AdaptiveMean
from workbench.estimators.affine import AffineMean
from workbench.estimators.clipped import ClippedBoxMean, CoordinatewiseMean
from workbench.estimators.coinpress import CoinPressMean
from workbench.estimators.heavy_tailed import ClippedHeavyMean
from workbench.estimators.histograms import BallRange, BoxRange
from workbench.estimators.populous import MedianOfMeansMean, PopulousMean
from workbench.estimators.references import EmpiricalMean
from workbench.populations import MultivariateGaussian, MultivariateStudent
from workbench.privacy import ZCDP, ApproxDP, GaussianDP, NonPrivate, PureDP

APPROX, LOUD, GAUSSIAN = ApproxDP(1.0, 1e-6), ApproxDP(8.0, 1e-6), GaussianDP(0.5)
CONCENTRATED, STABLE = ZCDP(0.1), ZCDP(0.1, 1e-6)
SPHERICAL = "the covariance is sigma² I"
NARROW = "the covariance is at most upper I"

ROUND = MultivariateGaussian(Gaussian([1.0, -2.0, 0.5], np.eye(3)))
HEAVY = MultivariateStudent(ROUND.moments, 10.0)
THIN = MultivariateGaussian(
    Gaussian([3.0, -1e6], [[25.0, 0.0499], [0.0499, 1e-4]])
)  # tilted, correlation .998

range_of = partial(entry, estimand="range", population=ROUND, loss=losses.centre_error)
round_mean = partial(
    entry,
    estimand="mean",
    population=ROUND,
    loss=losses.mahalanobis_mean_error,
    assumptions=(NORMAL, SPHERICAL),
)
mean_within = partial(round_mean, assumptions=(NORMAL, SPHERICAL, WITHIN))

MEAN = (
    range_of(
        "range/box",
        "box that holds all rows of sub-Gaussian data",
        "LKKO21/Alg5 LKKO21/LemD.2",
        (BoxRange(sigma=1.0), APPROX),
        (BoxRange(sigma=2.0), STABLE),
        (BoxRange(calibration="paper", sigma=1.0), APPROX),
        assumptions=(NORMAL, "the standard deviation is sigma in every coordinate"),
    ),
    range_of(
        "range/ball",
        "ball that holds most rows of heavy-tailed data",
        "LKKO21/Alg15 LKKO21/LemK.1",
        (BallRange(upper=1.0), APPROX),
        (BallRange(upper=4.0, moments=2, hypercontractivity=4.0), STABLE),
        population=HEAVY,
        assumptions=(MOMENTS, BELOW),
    ),
    round_mean(
        "mean/empirical",
        "sample mean, without privacy",
        "M21/sample-covariance",
        (EmpiricalMean(sigma=1.0), NonPrivate()),
        assumptions=(),
        least_rows=1,
        symmetries="exact exact",
    ),
    mean_within(
        "mean/clipped-box",
        "mean in a box: clip to the box, average, add noise",
        "M21/prior-CoinPress",
        (ClippedBoxMean(radius=10.0, sigma=1.0), CONCENTRATED, APPROX),
        (ClippedBoxMean(radius=10.0, centre=3.0, sigma=2.0), GAUSSIAN),
    ),
    round_mean(
        "mean/coordinatewise",
        "a univariate mean for every coordinate",
        "M21/UG/mean-known-covariance M21/prior-KV18",
        (CoordinatewiseMean(sigma=1.0), APPROX),
        (CoordinatewiseMean(radius=100.0, sigma=1.0), PureDP(1.0), CONCENTRATED),
        hardest=in_a_box,
        symmetries="lattice none",
    ),
    mean_within(
        "mean/coinpress",
        "mean in a ball that shrinks step by step",
        "M21/prior-CoinPress",
        (CoinPressMean(radius=100.0, sigma=1.0), CONCENTRATED),
        (CoinPressMean(radius=100.0, mode="proved", sigma=1.0), APPROX),
        (CoinPressMean(radius=100.0, centre=3.0, sigma=2.0, steps=2), GAUSSIAN),
        (CoinPressMean(radius=100.0, calibration="paper", sigma=1.0), CONCENTRATED),
    ),
    round_mean(
        "mean/adaptive",
        "mean of columns of unknown, unequal scales: location, scales and radius by weak probes",
        "M21/prior-CoinPress",
        (AdaptiveMean(radius=100.0), CONCENTRATED, APPROX),
        (AdaptiveMean(radius=100.0, centre=3.0), GAUSSIAN),
        hardest=in_a_box,
        assumptions=(NORMAL, WITHIN_BOX),
    ),
    round_mean(
        "mean/populous",
        "mean anywhere in space, by a vote of groups of rows on which of them are close to most",
        "AL22/Prop7.1 AL22/Lem7.2",
        (PopulousMean(sigma=1.0), LOUD),
        symmetries="exact none",
        bounded_steps={"vote"},
    ),
    round_mean(
        "mean/median-of-means",
        "centre of heavy-tailed rows anywhere in space, by a vote of medians of means",
        "AL22/Alg1 AL22/Rem3.4",
        (MedianOfMeansMean(sigma=1.0), LOUD),
        population=MultivariateStudent(ROUND.moments, 3.0),
        assumptions=("the rows are symmetric round their mean, with Gaussian tails or heavier", SPHERICAL),
        symmetries="exact none",
        bounded_steps={"vote", "mask"},
    ),
    round_mean(
        "mean/affine",
        "mean of any Gaussian, its covariance unknown, and noise of the covariance's shape",
        "M21/affine-mean",
        (AffineMean(), LOUD),
        population=THIN,
        assumptions=(NORMAL,),
        symmetries="exact exact",
        bounded_steps={"location"},  # a count that is neither 0 nor its most moves
    ),
    mean_within(
        "mean/clipped-heavy",
        "mean of heavy-tailed rows in a ball that shrinks step by step",
        "M21/prior-KSU20",
        (ClippedHeavyMean(radius=100.0, hypercontractivity=4.0, upper=1.0), CONCENTRATED),
        (ClippedHeavyMean(radius=100.0, moments=1, hypercontractivity=1.0, upper=1.0), APPROX),
        (ClippedHeavyMean(radius=100.0, centre=3.0, upper=4.0, hypercontractivity=4.0), GAUSSIAN),
        population=HEAVY,
        assumptions=(MOMENTS, WITHIN),
    ),
)
