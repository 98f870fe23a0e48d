"""The entries of ranges: boxes and balls that hold most rows."""

import numpy as np

from workbench import losses
from workbench.catalog.entry import Assumption, Entry, Example, Knob
from workbench.catalog.moments import MOMENTS
from workbench.distributions import Gaussian
from workbench.estimators.range.ball import BallRange
from workbench.estimators.range.box import BoxRange
from workbench.populations import MultivariateGaussian, MultivariateStudent
from workbench.privacy import ZCDP, ApproxDP

APPROX, CONCENTRATED = ApproxDP(1.0, 1e-6), ZCDP(0.1, 1e-6)
N, EPSILON, DELTA = Knob("n", 100, 1e6, "rows"), Knob("epsilon", 0.05, 5), Knob("delta", 1e-12, 1e-2)

ROUND = MultivariateGaussian(Gaussian([1.0, -2.0, 0.5], np.eye(3)))
NORMAL = Assumption(
    "the rows are normal",
    lambda population, _: isinstance(population, MultivariateGaussian),
    MultivariateStudent(ROUND.moments, 3.0),
)
SIGMA = Assumption(
    "the standard deviation is sigma in every coordinate",
    lambda population, estimator: np.allclose(np.diag(population.covariance), estimator.sigma**2),
    MultivariateGaussian(Gaussian(np.zeros(3), 100.0 * np.eye(3))),
)
BELOW = Assumption(
    "the covariance is at most upper times the identity",
    lambda population, estimator: np.linalg.eigvalsh(population.covariance)[-1] <= estimator.upper,
    MultivariateGaussian(Gaussian(np.zeros(3), 100.0 * np.eye(3))),
)

RANGE = (
    Entry(
        key="range/box",
        summary="box that holds all rows of sub-Gaussian data",
        estimand="range",
        statements=("LKKO21/Alg5", "LKKO21/LemD.2"),
        examples=(
            Example(BoxRange(), APPROX),
            Example(BoxRange(sigma=2.0), CONCENTRATED),
            Example(BoxRange(calibration="paper"), APPROX),
        ),
        population=ROUND,
        loss=losses.centre_error,
        assumptions=(NORMAL, SIGMA),
        knobs=(N, EPSILON, DELTA),
        symmetries={"translation": "none", "scale": "none"},
    ),
    Entry(
        key="range/ball",
        summary="ball that holds most rows of heavy-tailed data",
        estimand="range",
        statements=("LKKO21/Alg15", "LKKO21/LemK.1"),
        examples=(
            Example(BallRange(), APPROX),
            Example(BallRange(upper=4.0, moments=2, hypercontractivity=4.0), CONCENTRATED),
        ),
        population=MultivariateStudent(ROUND.moments, 10.0),
        loss=losses.centre_error,
        assumptions=(MOMENTS, BELOW),
        knobs=(N, EPSILON, DELTA),
        symmetries={"translation": "none", "scale": "none"},
    ),
)
