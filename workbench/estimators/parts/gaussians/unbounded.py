"""The two recipes for unbounded Gaussians behind one door, for `covariance/` and `gaussian/unbounded`."""

from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np

from workbench.estimators.base import Abstention, Trace, require_matrix
from workbench.estimators.parts.budgets import concentrated
from workbench.estimators.parts.gaussians.moments import Moments
from workbench.estimators.parts.gaussians.unbounded_paper import PaperUnbounded
from workbench.estimators.parts.gaussians.unbounded_tight import TightUnbounded
from workbench.estimators.parts.rows import shuffled
from workbench.privacy import ZCDP, Budget, NoiseSource
from workbench.types import Array

Recipe: TypeAlias = TightUnbounded | PaperUnbounded


def recipe_for(
    n: int, d: int, budget: Budget, calibration: Literal["paper", "tight"], centred: bool, with_mean: bool
) -> Recipe:
    """Return the recipe; raise where n rows are too few for its blocks."""
    require_matrix(n, d)
    return _recipe(n, d, concentrated(budget), calibration, centred, with_mean)


@lru_cache(maxsize=1024)
def _recipe(n: int, d: int, cost: ZCDP, calibration: str, centred: bool, with_mean: bool) -> Recipe:
    if calibration == "paper":
        return PaperUnbounded(n, d, cost, centred, with_mean)
    return TightUnbounded(n, d, cost, centred)


def moments(recipe: Recipe, x: Array, noise: NoiseSource, trace: Trace | None) -> Moments | Abstention:
    """Return the private moments of sanitised rows, in an order that has nothing to do with what is in them.

    Sorted rows, or copies side by side, would make blocks and pairs unlike the data. Matrices that are
    decomposed or solved here are made of released values; where they are singular in floats, or what they
    give is no number, there is no answer.
    """
    try:
        found = recipe.estimate(shuffled(x, noise), noise, trace)
    except np.linalg.LinAlgError:
        return Abstention("covariance")
    if isinstance(found, Moments) and not found.finite:
        return Abstention("covariance")
    return found
