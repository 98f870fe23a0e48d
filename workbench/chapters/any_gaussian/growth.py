"""The blocks behind the claims about how n grows, for what is no catalog entry on its hardest law.

Attacked runs measure the worst of several attacks on the same clean rows and the same noise: an adversary who
sees both and picks one of them, who is stronger than one who must commit to it before.
"""

from collections.abc import Iterable
from math import inf
from typing import Literal

import numpy as np
from numpy.random import Generator

from workbench import losses
from workbench.chapters.any_gaussian.attacks import ATTACKS, frame
from workbench.chapters.any_gaussian.frames import named_by
from workbench.estimators.populous import EVERYBODY, NOBODY, QUORUM, Preconditioner
from workbench.estimators.populous_robust import PopulousRobustCovariance, PopulousRobustMean
from workbench.estimators.votes import Vote
from workbench.populations.rotated import rotated
from workbench.privacy import ApproxDP, SimulatedNoise
from workbench.study.run import Row, answered, block_columns, each_trial, error_of
from workbench.types import Array, Columns

Mask = Literal["auto", "thompson_laplace", "wishart"]
AWAY = 1e4  # of a mean, in standard deviations
RADII = (1.5, 1e3)  # of a cluster, the worst for d = 1 and above; its direction is free: rows are round
ALONG = ("top-to-zero", "small-to-quantile")  # the worst of a survey of all, for d = 1


def vote(n: int, epsilon: float, delta: float, *, trials: int, data: Generator, noise: Generator) -> Columns:
    """Count, as an infinite error, where the source's vote of n groups that all agree is silent."""
    source, cost = SimulatedNoise(noise), ApproxDP(epsilon, delta)
    made = Vote.of(n, NOBODY, EVERYBODY, QUORUM)
    charge, friends = made.charge("vote", cost), np.full(n, n)
    return block_columns(
        answered(0.0 if made.passes(friends, charge, source) else inf) for _ in range(trials)
    )


@each_trial
def subspace(d: int, n: int, epsilon: float, delta: float, *, data: Generator, noise: Generator) -> Row:
    """Measure the error of the subspace that n rows name, in groups of d."""
    return answered(named_by(n // d, d, ApproxDP(epsilon, delta), data, SimulatedNoise(noise)))


@each_trial
def preconditioner(
    d: int, n: int, epsilon: float, delta: float, condition: float, mask: Mask, *,
    data: Generator, noise: Generator,
) -> Row:  # fmt: skip
    """Measure the Thompson distance of the preconditioner, for equal ratios and this condition number."""
    law = rotated(np.geomspace(1.0, condition, d), data)
    budget = ApproxDP(epsilon, delta)
    value = Preconditioner(centred=True, mask=mask)(law.sample(n, rng=data), budget=budget, rng=noise).value
    return answered(error_of(value, lambda found: losses.thompson_error(law.in_units(found), np.eye(d))))


@each_trial
def robust_mean(
    d: int, n: int, corruption: float, epsilon: float, delta: float, *, data: Generator, noise: Generator
) -> Row:
    """Measure the worst error of the robust mean over clusters in the place of the lowest rows on an axis."""
    clean, budget = data.standard_normal((n, d)), ApproxDP(epsilon, delta)
    estimator, lowest = PopulousRobustMean(corruption=corruption, sigma=1.0), np.argsort(clean[:, 0])

    def error(radius: float, rng: Generator) -> float:
        x = clean.copy()
        x[lowest[: int(corruption * n)], 0] = radius
        value = estimator(x + AWAY, budget=budget, rng=rng).value
        return error_of(value, lambda mean: np.linalg.norm(mean - AWAY))

    return answered(max(error(radius, rng) for radius, rng in zip(RADII, _same(noise), strict=False)))


@each_trial
def robust_covariance(
    d: int, n: int, corruption: float, epsilon: float, delta: float, *, data: Generator, noise: Generator
) -> Row:
    """Measure the worst Frobenius error of the robust covariance over attacks, in a long rotated frame."""
    estimator = PopulousRobustCovariance(corruption=corruption, centred=True)
    clean, shape, budget = data.standard_normal((n, d)), frame(d, data), ApproxDP(epsilon, delta)
    back = np.linalg.inv(shape)

    def error(x: Array, rng: Generator) -> float:
        value = estimator(x @ shape.T, budget=budget, rng=rng).value
        return error_of(value, lambda found: np.linalg.norm(back @ found @ back.T - np.eye(d)))

    attacked = (ATTACKS[name].corrupt(clean, corruption, rng=data) for name in ALONG)
    return answered(max(error(x, rng) for x, rng in zip(attacked, _same(noise), strict=False)))


def _same(noise: Generator) -> Iterable[Generator]:
    """Yield generators that all draw the same numbers."""
    seed = int(noise.integers(2**63))
    while True:
        yield np.random.default_rng(seed)
