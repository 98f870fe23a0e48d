"""The entries of robust means in one to three dimensions: exact draws from public nets."""

from functools import partial

import numpy as np

from workbench import losses
from workbench.catalog.assumptions import within_box
from workbench.catalog.entry import DELTA, EPSILON, NO_SYMMETRY, Assumption, Entry, Example, Knob, N, at
from workbench.catalog.hardest import between_candidates
from workbench.distributions import Gaussian
from workbench.estimators.tukey import ResilientHeavyMean, ResilientMean, TukeyMean
from workbench.populations import MultivariateGaussian, MultivariateStudent
from workbench.privacy import ZCDP, ApproxDP, PureDP

RADIUS, CORRUPTION = Knob("radius", 1, 10, "unit of the data"), Knob("corruption", 0.01, 0.16, log=False)

ROUND = MultivariateGaussian(Gaussian([0.5, -0.3], np.eye(2)))
HEAVY = MultivariateStudent(ROUND.moments, 5.0)
WITHIN = within_box(MultivariateGaussian(Gaussian([1e6, 0.0], np.eye(2))))
SYMMETRIC = Assumption(
    "the clean rows are normal: their mean is the centre of every half-space",
    lambda population, _: isinstance(population, MultivariateGaussian),
    HEAVY,
)
NARROW = Assumption(
    "the clean rows are normal, with covariance at most sigma² I",
    lambda population, estimator: (
        isinstance(population, MultivariateGaussian)
        and np.linalg.eigvalsh(population.covariance)[-1] <= estimator.sigma**2 * (1 + 1e-9)
    ),
    MultivariateGaussian(Gaussian(np.zeros(2), np.diag([100.0, 1.0]))),
)
BOUNDED = Assumption(
    "the covariance of the clean rows is at most sigma² I",
    lambda population, estimator: (
        np.linalg.eigvalsh(population.covariance)[-1] <= estimator.sigma**2 * (1 + 1e-9)
    ),
    MultivariateGaussian(Gaussian(np.zeros(2), np.diag([100.0, 1.0]))),
)

exact_mean = partial(
    Entry,
    estimand="mean",
    population=ROUND,
    loss=losses.mahalanobis_mean_error,
    knobs=(N, EPSILON, DELTA, RADIUS, CORRUPTION),
    symmetries=NO_SYMMETRY,
)

MEAN_EXACT = (
    exact_mean(
        key="mean/tukey",
        summary="robust mean: a private Tukey median in up to three dimensions",
        hardest=between_candidates,
        statements=("LKKO21/Alg14", "LKKO21/Thm12"),
        examples=(
            *at(TukeyMean(radius=1.0, sigma=1.0), PureDP(0.1), ZCDP(0.002)),
            Example(TukeyMean(radius=2.0, centre=1.0, step=0.2, sigma=1.0), PureDP(0.05)),
        ),
        assumptions=(SYMMETRIC, WITHIN),
        knobs=(N, EPSILON, RADIUS),
    ),
    exact_mean(
        key="mean/resilient",
        summary="robust mean: test for resilience, then choose by trimmed means; up to three dimensions",
        hardest=between_candidates,
        statements=("LKKO21/Alg2", "LKKO21/Thm7"),
        examples=(
            *at(
                ResilientMean(radius=1.0, corruption=0.05, step=0.05, sigma=1.0),
                ApproxDP(1.0, 1e-6),
                ZCDP(0.1, 1e-6),
            ),
            Example(
                ResilientMean(radius=2.0, corruption=0.1, centre=1.0, sigma=2.0, check=0.5),
                ApproxDP(0.5, 1e-5),
            ),
        ),
        assumptions=(NARROW, WITHIN),
        bounded_steps=frozenset({"mean"}),
    ),
    exact_mean(
        key="mean/resilient-heavy",
        summary="robust mean of heavy-tailed rows: as mean/resilient, with wider tails allowed",
        hardest=between_candidates,
        statements=("LKKO21/Alg2", "LKKO21/Thm8"),
        examples=at(
            ResilientHeavyMean(radius=1.0, corruption=0.05, step=0.05, sigma=1.0),
            ApproxDP(1.0, 1e-6),
            ZCDP(0.1, 1e-6),
        ),
        population=HEAVY,
        assumptions=(BOUNDED, WITHIN),
        bounded_steps=frozenset({"mean"}),
    ),
)
