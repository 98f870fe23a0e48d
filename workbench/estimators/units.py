"""Columns of unequal units: an estimator on rows divided by a scale a column, its answer multiplied back.

    (1) s_j, the scale of column j: public, or found by `Scale` on that column, with a share of the budget
    (2) z_i = x_i/s, a map of each row by itself, so that neighbours stay neighbours
    (3) the estimator's answer on z, in the units of the columns: s ⊙ m for a mean m, diag(s) C diag(s) for
        a covariance C

Given s, (2) and (3) cost nothing: a fixed map of every row, and post-processing. A scale that is found is a
release like any other, and what follows adapts to it; the costs add up under the budget's rule.
"""

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from workbench.distributions import Gaussian
from workbench.errors import ArgumentError, one_of, probability, real
from workbench.estimators.base import Abstention, Estimator, Univariate, sanitised
from workbench.estimators.release import Release
from workbench.estimators.scale import Scale
from workbench.estimators.shared.budgets import composed, divided
from workbench.privacy import ZCDP, ApproxDP, Budget, GaussianDP, NoiseSource, Plan, PureDP
from workbench.privacy.budgets import require
from workbench.privacy.plan import renamed
from workbench.types import Array, Floats, public

ANSWERS = ("Mean", "Covariance", "Gaussian")  # classes are named by what they estimate
SMALLEST, LARGEST = 1e-100, 1e100  # scales that are divided by


@public
class Scaled(Estimator[Any]):
    """A mean, covariance or Gaussian of columns in unequal units: an estimator on rows divided by scales.

    Ranges and bounds of `estimator` are those of the divided rows: `radius=5` is five scales of every column.
    One bound for all columns would leave noise of the widest on the narrowest.
    Guarantee: central model, one replaced row, for every input. Budgets: those of `estimator`; where scales
    are found, of `Scale` too.
    Missing entries: as for `estimator`; a row with an entry that is missing, infinite or above 1e100, also
    after the division, is absent, in its place.

    Parameters
    ----------
    estimator : Estimator
        A mean, a covariance or a Gaussian of the catalog, for the divided rows.
    scale : tuple of float, or Scale
        A public number for each column, in its unit, from 1e-100 to 1e100; or `Scale()` or
        `Scale(lower=, upper=)`, with which they are found privately.
    share : float, default 0.2
        Of the budget, for all scales that are found.

    Examples
    --------
    >>> from workbench.estimators.coinpress import CoinPressCovariance
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).normal(size=(20_000, 2)) * [1e-4, 18.0]
    >>> covariance = Scaled(estimator=CoinPressCovariance(lower=0.5, upper=2.0), scale=Scale())
    >>> release = covariance(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> (np.sqrt(np.diag(release.value)) / [1e-4, 18.0]).round(1)
    array([1., 1.])
    """

    estimator: Estimator[Any]
    scale: Floats | Scale
    share: float = 0.2

    def _validate(self) -> None:
        probability(share=self.share)
        known = isinstance(self.estimator, Estimator) and not isinstance(self.estimator, Univariate)
        if not (known and type(self.estimator).__name__.endswith(ANSWERS)):
            allowed = "a mean, covariance or Gaussian of several columns"
            raise ArgumentError("estimator", self.estimator, allowed)
        if isinstance(self.scale, Scale):
            one_of(["tight"], calibration=self.scale.calibration)
        elif not (
            isinstance(self.scale, tuple)
            and all(real(one) and SMALLEST <= one <= LARGEST for one in self.scale)
        ):
            raise ArgumentError("scale", self.scale, f"numbers from {SMALLEST:g} to {LARGEST:g}, or Scale()")

    def _budgets(self, d: int, budget: Budget) -> tuple[Budget, list[Budget]]:
        if not isinstance(self.scale, Scale):
            return budget, []
        *scales, rest = divided(budget, *[self.share / d] * d, deltas=(*[0.0] * d, 1.0))
        return rest, [*scales]

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        require(budget, PureDP, ApproxDP, ZCDP, GaussianDP)
        rest, costs = self._budgets(d, budget)
        plan = self.estimator.plan(n, d, rest)
        if not isinstance(self.scale, Scale):
            if len(self.scale) != d:
                raise ArgumentError("scale", self.scale, f"{d} numbers, one for each column")
            return plan
        found = [
            renamed(self.scale.plan(n, 1, cost), f"column {j} ") for j, cost in enumerate(costs, start=1)
        ]
        return composed(budget, *found, plan)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Any:
        rest, costs = self._budgets(x.shape[1], budget)
        scale = self.scale if isinstance(self.scale, tuple) else ()
        for j, cost in enumerate(costs, start=1):  # (1)
            assert isinstance(self.scale, Scale)
            column, plan = np.ascontiguousarray(x[:, j - 1]), self.scale.plan(len(x), 1, cost)
            steps: Any = {charge.step: renamed(charge, f"column {j} ") for charge in plan.charges()}
            found = self.scale.drawn(column, steps, self.scale.design(len(x), cost), noise)
            if isinstance(found, Abstention):
                return Abstention(f"column {j} {found.step}")
            scale = (*scale, min(max(found, SMALLEST), LARGEST))
        s = np.array(scale)
        with np.errstate(over="ignore", under="ignore"):
            value = self.estimator.estimate(sanitised(x / s), rest, noise)  # (2)
            return value if isinstance(value, Abstention) else _in_units(value, s)  # (3)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median error to expect of the estimator on rows divided by the true scales."""
        ask: Callable[..., float] | None = getattr(self.estimator, "predicted_error", None)
        self.plan(n, d, budget)
        return ask(n, d, self._budgets(d, budget)[0]) if ask else inf


def _in_units(value: Any, s: Array) -> Any:
    if isinstance(value, Gaussian):
        return Gaussian(_in_units(value.mean, s), _in_units(value.covariance, s))
    return value * (s if value.ndim == 1 else np.outer(s, s))


class PrincipalComponents:
    """The principal components of a private covariance: post-processing, so that they cost nothing.

    Parameters
    ----------
    covariance : Release, Gaussian or array of shape (d, d)
        Of a covariance or a Gaussian. Negative eigenvalues, which some private covariances have, count as 0.
    correlation : bool, default False
        Of the correlation matrix, for columns in unequal units (release the covariance by `Scaled` then).

    Attributes
    ----------
    components : array of shape (d, d)
        A component a row, of length 1, the largest variance first; its largest entry is positive.
    variances, shares : arrays of shape (d,)
        The variance along each, and its share of all.
    matrix : array of shape (d, d)
        The covariance or correlation matrix that they are of.
    labels : tuple of str, or None
        Names of the columns.

    Examples
    --------
    >>> pca = PrincipalComponents(np.array([[4.0, 0.0], [0.0, 1.0]]))
    >>> pca.components, pca.shares
    (array([[1., 0.],
           [0., 1.]]), array([0.8, 0.2]))
    """

    def __init__(self, covariance: Any, *, correlation: bool = False) -> None:
        self.labels = getattr(covariance, "labels", None)
        value = covariance._answer if isinstance(covariance, Release) else covariance
        matrix = np.array(getattr(value, "covariance", value), np.float64)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.isfinite(matrix).all():
            raise ArgumentError("covariance", type(value).__name__, "a finite matrix of shape (d, d)")
        self.matrix = correlations(matrix) if correlation else (matrix + matrix.T) / 2
        values, vectors = np.linalg.eigh(self.matrix)
        self.variances = np.maximum(values[::-1], 0.0)
        self.components = vectors[:, ::-1].T.copy()
        largest = np.take_along_axis(self.components, np.abs(self.components).argmax(axis=1)[:, None], axis=1)
        self.components *= np.where(largest < 0, -1.0, 1.0)
        total = self.variances.sum()
        self.shares = self.variances / total if total > 0 else np.zeros_like(self.variances)

    def __repr__(self) -> str:
        lines = []
        names = self.labels or tuple(f"column {j}" for j in range(1, len(self.matrix) + 1))
        for share, component in zip(self.shares, self.components, strict=True):
            weights = ", ".join(
                f"{name} {weight:+.2f}" for name, weight in zip(names, component, strict=True)
            )
            lines.append(f"{share:6.1%}  {weights}")
        return "\n".join(lines)


def correlations(covariance: Any) -> Array:
    """Return the correlation matrix of a covariance; a column of variance 0 or below has none with others.

    >>> correlations(np.array([[4.0, 1.0], [1.0, 1.0]]))
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    matrix = np.asarray(covariance, np.float64)
    sd = np.sqrt(np.maximum(np.diag(matrix), 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        result = np.clip((matrix + matrix.T) / 2 / sd / sd[:, None], -1.0, 1.0)
    result[~((sd > 0) & (sd > 0)[:, None])] = 0.0
    np.fill_diagonal(result, 1.0)
    return result
