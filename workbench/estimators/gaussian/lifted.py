"""Any Gaussian from one quantile of lifted rows: mean and covariance for one price.  Derived here.

Rows x of shape (n, d), any mean, any positive definite covariance Σ: nothing about either is assumed.
Neighbours: replace one row.

    (1) y = (1, x): h = how many rows may be replaced before the matrix quantile P of the lifted rows could
        move far                                                                `parts.affine.stability`
    (2) no answer but with probability p(h), else Q = P under a Wishart mask, its parts m, S `privacy.stable`
    (3) moments of all rows, clipped round m in the frame of S, in Gaussian steps   `parts.gaussians.finish`
    (4) no answer if more rows than normal ones are far from (3), in its norm        `parts.affine.far_rows`

All four see the same n rows, unpaired and in one part, and (1) to (4) share ε (`privacy.stable`). P follows
every affine map of the rows, so that the error, in the norm of Σ, depends on neither mean nor Σ. n, d, the
budget and `beta` decide the design (`parts.affine.gaussian_design`); `plan` refuses rows too few for any.
Proof: `proofs/affine_mean.md`, section 7.
"""

from dataclasses import dataclass

from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.estimators.base import Abstention, Estimator, Trace, require_matrix
from workbench.estimators.parts.affine.far_rows import BEYOND
from workbench.estimators.parts.affine.gaussian import LiftedLaw
from workbench.estimators.parts.affine.gaussian_design import enough, fewest_rows
from workbench.estimators.parts.budgets import require_events
from workbench.estimators.parts.quantile.stability import percent
from workbench.privacy import ApproxDP, Budget, NoiseSource, Plan
from workbench.types import Array

UNNOTICED = "what is not noticed, or lies where normal rows may, biases the answer without a word"


@dataclass(frozen=True, kw_only=True)
class LiftedGaussian(Estimator[Gaussian]):
    """Private mean and covariance of any Gaussian from all rows at once: a stable lifted quantile (ours).

    Accurate for normal rows of any mean and any positive definite covariance; these get "no answer" with
    chance `beta` at most. Far rows, a share from 5 % to `noticed(n, d, budget)`, are mostly noticed and give
    no answer: of 5 % scattered ones up to a sixth of the runs at the fewest rows of two columns answer, of
    5 % in one place one in thirty. More of them in one place may be taken for the law's own; fewer, or rows
    where normal ones may lie, pass and bias the answer. `noticed` is .14 of two columns, .07 of five and
    below 5 % from ten on, where no share is sure to be. Floats end where rows, in units of their columns,
    have a condition of some 10^12, or 10^9 where n is large; `plan` refuses more rows than some millions, and
    names the number.
    Of two columns on it answers from the fewest rows of all learners without bounds, and is nearest at equal
    rows where they answer. `UnboundedGaussian` is for one column (720 rows for 1552 at (1, 1e-6)), zCDP and
    smaller delta, `PopulousGaussian` for singular covariances and more rows, `PopulousRobustGaussian` for
    rows of which some are wrong and an answer is wanted all the same.
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP with delta of 1e-13 or
    more.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It
    holds nothing up, is a term of 0 and is not far: moments are those of the rows that are there, whose share
    the release tells. Many of them give no answer.

    Parameters
    ----------
    beta : float, default 0.1
        Chance, at most, of no answer for normal rows.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).standard_normal((3000, 2)) * [1e-6, 1e6] + [1.0, 1e9]
    >>> law = LiftedGaussian()(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2)).value
    >>> bool((abs((law.mean - [1.0, 1e9]) / [1e-6, 1e6]) < 0.2).all())
    True
    """

    beta: float = 0.1

    def fewest(self, d: int, budget: ApproxDP) -> int:
        """Return the fewest rows, to 1 %."""
        return fewest_rows(d, budget, self.beta)

    def noticed(self, n: int, d: int, budget: Budget) -> float:
        """Return the largest share of far rows that cannot pass for the law's own, wherever they lie."""
        return self.recipe(n, d, budget).design.noticed

    def other_rows(self, n: int, d: int, budget: Budget) -> str:
        """Return which share of far rows is noticed, in words."""
        most = self.noticed(n, d, budget)
        some = f"a share of {BEYOND:.0%} to {percent(most)} is mostly"
        sure = some if most > BEYOND else "no share is sure to be"
        return f"far rows: {sure} noticed, from public numbers; {UNNOTICED}"

    def recipe(self, n: int, d: int, budget: Budget) -> LiftedLaw:
        """Return the steps for n rows, public; raise where they are too few."""
        require_matrix(n, d)
        events = require_events(budget)
        if not enough(n, d, events, self.beta):
            raise ArgumentError("n", n, f"at least {self.fewest(d, events)} for d = {d} at {budget}")
        return LiftedLaw(n, d, events, self.beta)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the one charge of test and mask, with those of the steps after it."""
        return self.recipe(n, d, budget).design.plan

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median error to expect of normal rows, of mean and covariance in their own norm."""
        return self.recipe(n, d, budget).design.squared_error.gaussian_median

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Gaussian | Abstention:
        """Return the private law of sanitised rows."""
        found = self.recipe(len(x), x.shape[1], budget).draw(x, noise, trace)  # (1) to (4)
        if isinstance(found, Abstention):
            return found
        assert found.mean is not None, "a placed finish has one"
        return Gaussian(found.mean, found.covariance)
