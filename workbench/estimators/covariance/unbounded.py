"""A covariance without any bound on it: the loop of preconditioners.  M21/UG; Kamath et al. (2022).

Rows x of shape (n, d) of a normal law with any mean and any covariance, singular ones among them. Neighbours:
replace one row. The rows have mean 0 if `centred`; otherwise pairs (x_1 - x_2)/√2 take their place where
blocks are concerned.

    (1) the eigenvalues of most blocks of rows, each to a factor                             M21/UG Alg 1
        (and, if some are 0, the subspace of the rows, in which all that follows happens)
    (2) wherever they have a gap: the subspace before it, by a vote of the blocks, and a preconditioner
        that closes the gap; until the rows are round up to a moderate, known spread      M21/UG Alg 2 to 4
    (3) a noisy covariance of the rows in this frame, mapped back

How many rows it takes depends on d and the budget, not on the condition number. `plan` refuses fewer, on
public grounds, with the number.

"tight", ours: eigenvalues twice, by the window-median mechanism, one vote for each gap, no noisy covariances
on the way, (3) on all rows round a private centre, after as many rounding steps as the widest spectrum that
is left asks for (`parts.gaussians.unbounded_tight`). "paper": the source's loop, with constants, since the
slides have none (`parts.gaussians.unbounded_paper`); a friendly mean takes the place of GoodCenter in both
(`subspaces`). No answer (an `Abstention`) where blocks do not agree, or rows are not round
in the end.

Departures: constants are chosen here; blocks are decomposed by singular values of their rows; in floats, the
subspace of degenerate rows is found to about 1e-11 and never exactly, and a condition number above 1e26 is
degenerate. Proof: `proofs/aggregation.md`.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from workbench.estimators.base import Abstention, Estimator, Trace, require_matrix
from workbench.estimators.parts.budgets import concentrated, delivered
from workbench.estimators.parts.gaussians.frame import Moments
from workbench.estimators.parts.gaussians.unbounded_paper import PaperUnbounded
from workbench.estimators.parts.gaussians.unbounded_tight import TightUnbounded
from workbench.estimators.parts.rows import shuffled
from workbench.privacy import ZCDP, Budget, NoiseSource, Plan
from workbench.types import Array, Calibration

Recipe: TypeAlias = TightUnbounded | PaperUnbounded


@dataclass(frozen=True, kw_only=True)
class UnboundedCovariance(Estimator[Array]):
    """Private covariance without any bound on it, by votes of blocks of rows (M21/UG Algorithms 3 and 4).

    Accurate for normal rows of any mean and any covariance, singular ones included; where blocks do not agree
    the release is "no answer".
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP, or ZCDP, with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. Its
    block says what its other rows say, and moments are those of the rows that are there, whose share the
    release tells.

    Parameters
    ----------
    centred : bool, default False
        Whether the mean is known to be 0; otherwise blocks are made of pairs (x_1 - x_2)/√2.
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the constants of the source, "tight" ours: the same guarantee, less noise.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = 1e9 + np.random.default_rng(1).standard_normal((5000, 2)) * [1e-3, 1e3]
    >>> budget = ApproxDP(1.0, 1e-6)
    >>> release = UnboundedCovariance()(x, budget=budget, rng=np.random.default_rng(2))
    >>> bool((abs(np.diag(release.value) / [1e-6, 1e6] - 1) < 0.2).all())
    True
    """

    centred: bool = False
    calibration: Calibration = "tight"

    def recipe(self, n: int, d: int, budget: Budget) -> Recipe:
        """Return the recipe for n rows; public."""
        return recipe_for(n, d, budget, self.calibration, self.centred, with_mean=False)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return one charge for each draw; raise where n rows are too few, with the number."""
        return delivered(self.recipe(n, d, budget).charges(), budget)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median Frobenius error of the covariance to expect of normal rows, in its own norm."""
        return self.recipe(n, d, budget).squared_error.covariance_median

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Array | Abstention:
        """Return the private covariance of sanitised rows."""
        found = moments(self.recipe(len(x), x.shape[1], budget), x, noise, trace)  # (1) to (3)
        return found if isinstance(found, Abstention) else found.covariance


def recipe_for(
    n: int, d: int, budget: Budget, calibration: Calibration, centred: bool, *, with_mean: bool
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

    Sorted rows, or copies side by side, would make blocks and pairs unlike the data. What is decomposed or
    solved here is made of released values: where that gives no number there is no answer.
    """
    found = recipe.estimate(shuffled(x, noise), noise, trace)
    if isinstance(found, Moments) and not found.finite:
        return Abstention("covariance")
    return found
