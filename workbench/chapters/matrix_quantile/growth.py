"""The block behind the claims about how n grows: a matrix quantile of any n that has a design.

The catalog's entry refuses n below the one that it plans for its α; what is searched here is not bounded by
that plan.
"""

from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.random import Generator

from workbench import losses
from workbench.bounds.search import smallest
from workbench.chapters.matrix_quantile.rows import BETA
from workbench.errors import ArgumentError
from workbench.estimators.matrix_quantile import Mask, MatrixQuantile
from workbench.populations.rotated import rotated
from workbench.privacy import ApproxDP, SimulatedNoise
from workbench.study.run import Row, answered, each_trial

Target = Literal["thompson", "frobenius"]
LOSSES = {"thompson": losses.thompson_error, "frobenius": losses.mahalanobis_covariance_error}


@each_trial
def quantile(
    d: int,
    n: int,
    epsilon: float,
    delta: float,
    condition: float,
    target: Target,
    mask: Mask,
    *,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure the error of a matrix quantile of n rows of mean 0, for equal ratios and this condition."""
    law, recipe = rotated(np.geomspace(1.0, condition, d), data), recipe_of(n, d, epsilon, delta, mask)
    found = recipe.draw(law.sample(n, rng=data), SimulatedNoise(noise))
    return answered(np.inf if found is None else LOSSES[target](law.in_units(found), np.eye(d)))


def recipe_of(n: int, d: int, epsilon: float, delta: float, mask: Mask) -> MatrixQuantile:
    """Return the recipe for n rows."""
    return MatrixQuantile(n, d, ApproxDP(epsilon, delta), BETA, mask)


@lru_cache(maxsize=256)
def fewest(d: int, epsilon: float, delta: float, mask: Mask) -> int:
    """Return the fewest rows that have a design."""

    def designed(n: int) -> bool:
        try:
            return recipe_of(n, d, epsilon, delta, mask).design is not None
        except ArgumentError:
            return False

    return smallest(designed, 16)
