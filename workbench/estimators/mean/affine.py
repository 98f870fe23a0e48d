"""The mean of any Gaussian in Mahalanobis norm, its covariance neither known nor learnt.  Derived here.

Rows x of shape (n, d), any mean, any positive definite covariance Σ: nothing about either is assumed.
Neighbours: replace one row.

    (1) y = (1, x): the matrix quantile P_v of the lifted rows holds a location m and a scatter S,
        P_v = [[s, s mᵀ], [s m, S + s m mᵀ]]                                      `parts.affine.lifted`
    (2) h = how many rows may be replaced before m and S could move far          `parts.affine.stability`
    (3) no answer but with probability p(h), else m + σ S^½ Z

P_v follows every linear map of the lifted rows, hence m and S every affine map of the rows, and the noise has
their shape: the error |out - mean| in the norm of Σ depends on neither. One row moves m by about as much as
the mean of rows clipped to an ellipsoid that nobody knows; test and mask share ε (`privacy.stable`).
Accuracy is for normal rows; outliers and heavy tails give no answer, but for more far rows in one place than
`other_rows` says. n, d, the budget and `beta` decide the design (`parts.affine.design`); `plan` refuses rows
too few for any. The rate is that of Brown, Hopkins & Smith 2023, the lift that of Kent & Tyler 1991. Proof:
`proofs/affine_mean.md`.
"""

from dataclasses import dataclass

from workbench.errors import ArgumentError
from workbench.estimators.base import Abstention, Estimator, Trace, require_matrix
from workbench.estimators.parts.affine.design import STEP, fewest_rows
from workbench.estimators.parts.affine.location import LiftedLocation
from workbench.estimators.parts.budgets import require_events
from workbench.estimators.parts.quantile.stability import carried
from workbench.privacy import ApproxDP, Budget, NoiseSource, Plan
from workbench.types import Array


@dataclass(frozen=True, kw_only=True)
class AffineMean(Estimator[Array]):
    """Private mean of any Gaussian, with noise of its covariance's shape: a stable lifted quantile (ours).

    Accurate for normal rows of any mean and any positive definite covariance; these get "no answer" with
    chance `beta` at most. Rows that are not normal mostly get none: a few far ones are borne, more mean no
    answer. Up to the share that `other_rows` tells they cannot carry an answer away, however far they lie;
    more of them in one place are taken for the law's own, without a word. Floats end where rows, in units of
    their columns, have a condition of some 10^8.5 (the units themselves may be anything): beyond it there is
    no answer either. `plan` refuses more rows than some 10^6, where rounding would count.
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP with delta of 1e-13 or
    more.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It
    holds nothing up, so that the location is that of the others. Many of them give no answer.

    Parameters
    ----------
    beta : float, default 0.1
        Chance, at most, of no answer for normal rows.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).standard_normal((3000, 2)) * [1e-6, 1e6] + [1.0, 1e9]
    >>> release = AffineMean()(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> bool((abs((release.value - [1.0, 1e9]) / [1e-6, 1e6]) < 0.2).all())
    True
    """

    beta: float = 0.1

    def fewest(self, d: int, budget: ApproxDP) -> int:
        """Return the fewest rows, to 1 %."""
        return fewest_rows(d, budget, self.beta)

    def recipe(self, n: int, d: int, budget: Budget) -> LiftedLocation:
        """Return the steps for n rows, public; raise where they are too few."""
        require_matrix(n, d)
        events = require_events(budget)
        fewest = self.fewest(d, events)
        if n < fewest:
            raise ArgumentError("n", n, f"at least {fewest} for d = {d} at {events}")
        return LiftedLocation(n, d, events, self.beta)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the one charge of test and mask."""
        return self.recipe(n, d, budget).design.charge

    def other_rows(self, n: int, d: int, budget: Budget) -> str:
        """Return which share of far rows cannot carry an answer away, in words."""
        return carried(self.recipe(n, d, budget).design.test.held)

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Array | Abstention:
        """Return the private mean of sanitised rows."""
        found = self.recipe(len(x), x.shape[1], budget).draw(x, noise, trace)  # (1) (2) (3)
        return Abstention(STEP) if found is None else found

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean| in the norm of Σ for normal rows, given an answer."""
        return self.recipe(n, d, budget).predicted_error
