"""The entries of means of rows of which some may be anything; the last draw exactly, from public nets."""

from functools import partial

import numpy as np

from workbench.catalog.entry import NORMAL, WITHIN, WITHIN_BOX
from workbench.catalog.hardest import between_candidates, in_a_box
from workbench.catalog.mean import (
    APPROX,
    CONCENTRATED,
    GAUSSIAN,
    HEAVY,
    LOUD,
    NARROW,
    SPHERICAL,
    STABLE,
    mean_within,
    round_mean,
)
from workbench.distributions import Gaussian
from workbench.estimators.populous_robust import PopulousRobustMean
from workbench.estimators.prime import FilterMean, PrimeHeavyMean, PrimeMean
from workbench.estimators.references import FilterNonprivateMean
from workbench.estimators.robust import RobustHeavyMean, RobustMean
from workbench.estimators.tukey import ResilientHeavyMean, ResilientMean, TukeyMean
from workbench.populations import MultivariateGaussian, MultivariateStudent
from workbench.privacy import ZCDP, ApproxDP, GaussianDP, NonPrivate, PureDP

QUERIES = ("excess", "size", "moment", "score", "mean", "total", "scores")
LAVISH = ApproxDP(100.0, 0.1)  # what the source's own constants need at few thousand rows
PLANE = MultivariateGaussian(Gaussian([0.5, -0.3], np.eye(2)))


def bounded(epochs: int, rounds: int) -> set[str]:
    """Return the steps of the source's filters, whose noise is for more than one row can move."""
    turns = [f"{s}.{t}" for s in range(1, epochs + 1) for t in range(1, rounds + 1)]
    turns += [str(s) for s in range(1, max(epochs, rounds) + 1)]
    return {f"{query} {turn}" for query in QUERIES for turn in turns}


exact_mean = partial(round_mean, hardest=between_candidates, population=PLANE)

MEAN_ROBUST = (
    round_mean(
        "mean/filter-nonprivate",
        "mean of rows of which some may be anything, without privacy",
        "AL22/Thm7.3 LKKO21/Alg4 LKKO21/Prop2.1",
        (FilterNonprivateMean(corruption=0.05, sigma=1.0), NonPrivate()),
        (FilterNonprivateMean(corruption=0.05, calibration="paper", sigma=1.0), NonPrivate()),
        least_rows=1,
        symmetries="exact none",
    ),
    round_mean(
        "mean/populous-robust",
        "mean of rows of which some may be anything, by a vote of robust groups",
        "AL22/Alg5 AL22/Thm7.4",
        (PopulousRobustMean(corruption=0.05, sigma=1.0), LOUD),
        (PopulousRobustMean(corruption=0.1, sigma=2.0), LOUD),
        symmetries="exact none",
        bounded_steps={"vote", "mask"},
    ),
    mean_within(
        "mean/filter",
        "mean that corrupted rows cannot move far, filtered along the widest direction",
        "LKKO21/Thm5 LKKO21/Alg1 LKKO21/Alg8",
        (FilterMean(radius=10.0, sigma=1.0), APPROX, CONCENTRATED),
        (FilterMean(radius=10.0, passes=5, calibration="paper", sigma=1.0), LAVISH),
        bounded_steps=bounded(1, 5),
    ),
    mean_within(
        "mean/prime",
        "PRIME: mean that corrupted rows cannot move far, filtered along all wide directions",
        "LKKO21/Thm6 LKKO21/Alg9 LKKO21/Alg10 LKKO21/Alg11",
        (PrimeMean(radius=10.0, sigma=1.0), APPROX),
        (PrimeMean(radius=10.0, centre=3.0, sigma=2.0), GAUSSIAN),
        (PrimeMean(radius=10.0, passes=2, sigma=1.0), CONCENTRATED),
        (PrimeMean(radius=10.0, calibration="paper", sigma=1.0), LAVISH),
        bounded_steps=bounded(5, 1),
    ),
    mean_within(
        "mean/prime-heavy",
        "PRIME where only a covariance is known",
        "LKKO21/Thm9 LKKO21/Alg3 LKKO21/Alg16 LKKO21/Alg17",
        (PrimeHeavyMean(radius=10.0, upper=1.0), APPROX),
        (PrimeHeavyMean(radius=10.0, centre=3.0, upper=4.0), GAUSSIAN),
        (PrimeHeavyMean(radius=10.0, calibration="paper", upper=1.0), LAVISH),
        population=HEAVY,
        assumptions=(NARROW, WITHIN),
        bounded_steps=bounded(6, 1),
    ),
    mean_within(
        "mean/robust",
        "mean of corrupted rows: a filter that looks at one row at a time",
        "LKKO21/Asm1",
        (RobustMean(radius=10.0, sigma=1.0), ZCDP(0.5), ApproxDP(4.0, 1e-6)),
        (RobustMean(radius=10.0, centre=3.0, sigma=2.0, corruption=0.1), GaussianDP(1.0)),
        hardest=in_a_box,
        assumptions=(NORMAL, SPHERICAL, WITHIN_BOX),
    ),
    mean_within(
        "mean/robust-heavy",
        "mean of corrupted heavy-tailed rows: a filter that looks at one row at a time",
        "LKKO21/Asm2",
        (RobustHeavyMean(radius=10.0, upper=1.0), ZCDP(0.5), ApproxDP(4.0, 1e-6)),
        (RobustHeavyMean(radius=10.0, centre=3.0, upper=4.0, corruption=0.1), GaussianDP(1.0)),
        hardest=in_a_box,
        population=HEAVY,
        assumptions=(NARROW, WITHIN_BOX),
    ),
    exact_mean(
        "mean/tukey",
        "robust mean: a private Tukey median in up to three dimensions",
        "LKKO21/Alg14 LKKO21/Thm12",
        (TukeyMean(radius=1.0, sigma=1.0), PureDP(0.1), ZCDP(0.002)),
        (TukeyMean(radius=2.0, centre=1.0, step=0.2, sigma=1.0), PureDP(0.05)),
        assumptions=("the clean rows are normal: their mean is the centre of every half-space", WITHIN_BOX),
    ),
    exact_mean(
        "mean/resilient",
        "robust mean: test for resilience, then choose by trimmed means; up to three dimensions",
        "LKKO21/Alg2 LKKO21/Thm7",
        (ResilientMean(radius=1.0, corruption=0.05, step=0.05, sigma=1.0), APPROX, STABLE),
        (
            ResilientMean(radius=2.0, corruption=0.1, centre=1.0, sigma=2.0, check=0.5),
            ApproxDP(0.5, 1e-5),
        ),
        assumptions=("the clean rows are normal, with covariance at most sigma² I", WITHIN_BOX),
        bounded_steps={"mean"},
    ),
    exact_mean(
        "mean/resilient-heavy",
        "robust mean of heavy-tailed rows: as mean/resilient, with wider tails allowed",
        "LKKO21/Alg2 LKKO21/Thm8",
        (ResilientHeavyMean(radius=1.0, corruption=0.05, step=0.05, sigma=1.0), APPROX, STABLE),
        population=MultivariateStudent(PLANE.moments, 5.0),
        assumptions=("the covariance of the clean rows is at most sigma² I", WITHIN_BOX),
        bounded_steps={"mean"},
    ),
)
