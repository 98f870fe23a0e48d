"""A private covariance of heavy-tailed rows, by preconditioning.  M21/HT Algorithms 2 and 3.

Rows x of shape (n, d), covariance Σ with `lower` I ≤ Σ ≤ `upper` I, (C, 2k)-hypercontractive:
E⟨v, x - μ⟩^{2k} ≤ C (vᵀΣv)^k, k = `moments`, C = `hypercontractivity`. Neighbours: replace one row. The rows
have mean 0 if `centred`; otherwise they are paired first, m = ⌊n/2⌋ rows (x_1 - x_2)/√2 with the constants of
`parts.preconditioned.bounded_moments`. From A = I/√upper, ℓ = lower/upper:

    (1) w_j = A x_j, cut at the ball of a public radius γ
    (2) Z = (1/m) Σ w_j w_jᵀ + N, N symmetric Gaussian                    sensitivity √2 γ²/m
    (3) last step: out = A⁻¹ (PSD part of Z) A⁻ᵀ
    (4) otherwise: A ← U^{-1/2} A and ℓ ← ℓ' of `parts.preconditioned.preconditioning`

The steps are in `parts.preconditioned.heavy_tailed_covariance`.

ℓI ≤ A Σ Aᵀ ≤ I throughout, if the bands hold. Radii, bands, shares and the number of steps are public
(`parts.preconditioned.heavy_tailed_design`). `calibration="paper"`: rows beyond γ are zeroed, a step's bias
is a/2 = 1/32 and the last one's alpha/2, steps until ℓ ≥ 1/4. "tight": rows are clipped, γ is the best for
this n.

`mode="proved"`: each step has a batch of rows of its own and the whole budget. With the same rows in every
step A depends on them, and the bands are not proved: that is `mode="practical"`, of the same privacy.

Departures: A is not symmetric, rows are mapped as x Aᵀ and the result as A⁻¹ Z A⁻ᵀ; U is not cut from above.
Proof: `proofs/heavy_tails.md`, sections 1 to 5.
"""

from dataclasses import dataclass

from workbench.estimators.base import Estimator, Trace, recipe_of
from workbench.estimators.parts.preconditioned.heavy_tailed_covariance import HeavyTailedSteps
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.types import Array, Calibration, Mode


@dataclass(frozen=True, kw_only=True)
class HeavyTailedCovariance(Estimator[Array]):
    """Private covariance of heavy-tailed rows, by steps of preconditioning (M21/HT Algorithms 2 and 3).

    Accurate for rows of covariance between `lower` and `upper` times the identity, with bounded moments of
    order 2 `moments`.
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
    steps : int or None, default None
        Most steps that are taken; None for no limit but the design's own.
    calibration : {"paper", "tight"}, default "tight"
        "paper" zeroes rows beyond a radius, "tight" clips them at the best radius for this n.
    mode : {"practical", "proved"}, default "practical"
        "proved" gives every step rows of its own and bounds the error; "practical" uses all rows in every
        step.
    alpha : float, default 0.1
        Wanted accuracy that sets the last radius of "paper".
    beta : float, default 0.05
        Failure probability of all bounds together.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ZCDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=(20_000, 2))
    >>> estimator = HeavyTailedCovariance(upper=1e4, lower=1.0)
    >>> release = estimator(x, budget=ZCDP(0.5), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - np.eye(2)).max() < 0.2)
    True
    """

    upper: float
    lower: float
    centred: bool = False
    moments: int = 2
    hypercontractivity: float = 3.0
    steps: int | None = None
    calibration: Calibration = "tight"
    mode: Mode = "practical"
    alpha: float = 0.1
    beta: float = 0.05

    def _validate(self) -> None:
        self.recipe.check()

    @property
    def recipe(self) -> HeavyTailedSteps:
        """The steps."""
        return recipe_of(HeavyTailedSteps, self)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return one charge for each step, in the unit of its rows w; batches are parallel."""
        return self.recipe.plan(n, d, budget)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None) -> Array:
        """Return the private covariance of sanitised rows."""
        return self.recipe.estimate(x, budget, noise, trace)  # (1) to (4)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on the error in the norm of Σ, true with probability 1 - beta, in mode "proved".

        Infinite in mode "practical", and for a beta below the field where several steps are taken.
        """
        return self.recipe.error_bound(n, d, budget, beta)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median error in the norm of Σ at Σ = `lower` I, the hardest; infinite from √d on.

        For rows of light tails; those of heavy ones add what the bias of the cut, in `error_bound`, allows.
        """
        return self.recipe.predicted_error(n, d, budget)
