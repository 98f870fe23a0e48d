"""The entries of ranges: boxes and balls that hold most rows."""

from functools import partial

import numpy as np

from workbench import losses
from workbench.catalog.assumptions import MOMENTS, below_upper
from workbench.catalog.entry import DELTA, EPSILON, NO_SYMMETRY, Assumption, Entry, Example, N
from workbench.catalog.mean import NORMAL, ROUND
from workbench.distributions import Gaussian
from workbench.estimators.histograms import BallRange, BoxRange
from workbench.populations import MultivariateGaussian, MultivariateStudent
from workbench.privacy import ZCDP, ApproxDP

APPROX, CONCENTRATED = ApproxDP(1.0, 1e-6), ZCDP(0.1, 1e-6)

SIGMA = Assumption(
    "the standard deviation is sigma in every coordinate",
    lambda population, estimator: np.allclose(np.diag(population.covariance), estimator.sigma**2),
    MultivariateGaussian(Gaussian(np.zeros(3), 100.0 * np.eye(3))),
)
BELOW = below_upper(MultivariateGaussian(Gaussian(np.zeros(3), 100.0 * np.eye(3))))

range_of = partial(
    Entry,
    estimand="range",
    population=ROUND,
    loss=losses.centre_error,
    knobs=(N, EPSILON, DELTA),
    symmetries=NO_SYMMETRY,
)

RANGE = (
    range_of(
        key="range/box",
        summary="box that holds all rows of sub-Gaussian data",
        statements=("LKKO21/Alg5", "LKKO21/LemD.2"),
        examples=(
            Example(BoxRange(sigma=1.0), APPROX),
            Example(BoxRange(sigma=2.0), CONCENTRATED),
            Example(BoxRange(calibration="paper", sigma=1.0), APPROX),
        ),
        assumptions=(NORMAL, SIGMA),
    ),
    range_of(
        key="range/ball",
        summary="ball that holds most rows of heavy-tailed data",
        statements=("LKKO21/Alg15", "LKKO21/LemK.1"),
        examples=(
            Example(BallRange(upper=1.0), APPROX),
            Example(BallRange(upper=4.0, moments=2, hypercontractivity=4.0), CONCENTRATED),
        ),
        population=MultivariateStudent(ROUND.moments, 10.0),
        assumptions=(MOMENTS, BELOW),
    ),
)
