"""One Gaussian mechanism on the second moment of rows that are cut at a ball.  M21/HT Algorithm 1.

Rows x of shape (n, d), covariance Σ with `lower` I ≤ Σ ≤ `upper` I, (C, 2k)-hypercontractive:
E⟨v, x - μ⟩^{2k} ≤ C (vᵀΣv)^k, k = `moments`, C = `hypercontractivity`. Neighbours: replace one row. The rows
have mean 0 if `centred`; otherwise they are paired first, m = ⌊n/2⌋ rows (x_1 - x_2)/√2 with the constants
of `parts.preconditioned.bounded_moments`.

    (1) w_j = x_j/√upper, cut at the ball of a public radius γ
    (2) Z = (1/m) Σ w_j w_jᵀ + N, N symmetric Gaussian                    sensitivity √2 γ²/m
    (3) out = upper (PSD part of Z)

`calibration="paper"`: rows beyond γ are zeroed, and γ makes the bias alpha/2 in the norm of Σ; the noise, set
by the longest axis, then costs upper/lower along the shortest (M21/HT Theorem 3.1). "tight": rows are
clipped, and γ balances bias and noise for this n in closed form.

The steps are in `parts.preconditioned.heavy_tailed_covariance`. Proof: `proofs/heavy_tails.md`, sections 1
to 3.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Literal

from workbench.estimators.base import Estimator, Trace, recipe_of
from workbench.estimators.parts.preconditioned.heavy_tailed_covariance import HeavyTailedSteps
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.types import Array


@dataclass(frozen=True, kw_only=True)
class HeavyTailedNaiveCovariance(Estimator[Array]):
    """Private covariance of heavy-tailed rows, by one noisy step (M21/HT Algorithm 1).

    Accurate for rows of covariance between `lower` and `upper` times the identity, with bounded moments of
    order 2 `moments`; short axes are lost in the noise.
    Guarantee: central model, one replaced row, for every input. Budgets: ZCDP with delta = 0, GaussianDP,
    ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It,
    or its pair, adds nothing: the covariance shrinks by the share that is absent.

    Parameters
    ----------
    upper : float
        The covariance is at most this times the identity, in the square of the data's unit.
    lower : float
        The covariance is at least this times the identity.
    centred : bool, default False
        Whether the mean is known to be 0. Otherwise pairs (x_1 - x_2)/√2 take the place of the rows.
    moments : int, default 2
        Half the order 2k of the moments that are bounded, at least 2.
    hypercontractivity : float, default 3.0
        C of the bound E⟨v, x - μ⟩^{2k} ≤ C (vᵀΣv)^k.
    calibration : {"paper", "tight"}, default "tight"
        "paper" zeroes rows beyond a radius, "tight" clips them at the best radius for this n.
    alpha : float, default 0.1
        Wanted accuracy that sets the radius of "paper".
    beta : float, default 0.05
        Failure probability of the bounds that set the radius.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ZCDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=(20_000, 2))
    >>> estimator = HeavyTailedNaiveCovariance(upper=2.0, lower=1.0)
    >>> release = estimator(x, budget=ZCDP(0.5), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - np.eye(2)).max() < 0.2)
    True
    """

    upper: float
    lower: float
    centred: bool = False
    moments: int = 2
    hypercontractivity: float = 3.0
    calibration: Literal["paper", "tight"] = "tight"
    alpha: float = 0.1
    beta: float = 0.05

    def _validate(self) -> None:
        self.recipe.check()

    @property
    def recipe(self) -> HeavyTailedSteps:
        """The one step."""
        return recipe_of(HeavyTailedSteps, self, steps=1, mode="proved")

    def cut_radius(self, n: int, d: int, budget: Budget) -> float:
        """Return the norm at which a row, or a pair's difference, is cut, in the unit of the data."""
        unit = sqrt(self.upper) * (1 if self.centred else sqrt(2))
        return unit * self.recipe.design(n, d, budget).stages[0].radius

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the one charge, in the unit of the rows w."""
        return self.recipe.plan(n, d, budget)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None) -> Array:
        """Return the private covariance of sanitised rows."""
        return self.recipe.estimate(x, budget, noise, trace)  # (1) to (3)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on the error in the norm of Σ, true with probability 1 - beta."""
        return self.recipe.error_bound(n, d, budget, beta)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median error in the norm of Σ at Σ = `lower` I, the hardest; infinite from √d on.

        For rows of light tails; those of heavy ones add what the bias of the cut, in `error_bound`, allows.
        """
        return self.recipe.predicted_error(n, d, budget)
