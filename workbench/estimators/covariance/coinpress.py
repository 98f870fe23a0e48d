"""CoinPress: a private covariance by preconditioning.  Biswas, Dong, Kamath & Ullman (2020), for M21.

Rows x of shape (n, d), covariance Σ at most `upper` times the identity. Neighbours: replace one row. The rows
have mean 0 if `centred`; otherwise they are paired first, m = ⌊n/2⌋ rows (x_1 - x_2)/√2 of mean 0, and m is
the number of rows in everything below. From A = I/√upper, ℓ = 1/upper, for steps 1 .. t:

    (1) w_j = A x_j, shrunk to the ball of a public radius g
    (2) Z = (1/m) Σ w_j w_jᵀ + N, N symmetric Gaussian                    sensitivity √2 g²/m
    (3) last step: out = A⁻¹ M A⁻ᵀ, M the PSD part of Z, its winsorising inverted if `tight`
    (4) otherwise: U = V diag(max(λ + e, f)) Vᵀ for Z = V diag(λ) Vᵀ;  A ← U^(-1/2) A;  ℓ ← ℓ/(ℓ + 2e)

ℓ I ≤ A Σ Aᵀ ≤ I holds throughout if e bounds the spectral error of Z and f = ℓ: the ellipsoid becomes round,
a constant factor at a time, and the last step measures it in its own unit. g, e, f, ℓ, the number of steps
and the shares of the budget are public (`parts.preconditioned.coinpress_covariance_design`): t minimises the
error, its bound or its prediction, unless `steps` fixes it; a step that would not raise ℓ is skipped, its
share going to the last.

`mode="proved"`: nothing is clipped and e is a bound, with probability 1 - beta, for normal rows.
`mode="practical"`, the default: the same privacy, smaller g and e, no proof of coverage. f = e, so that an
axis that noise hides is not taken for a much shorter one; ℓ is what `parts.preconditioned.expected_frame`
expects.

`calibration="tight"`, ours: symmetric noise, whose entries off the diagonal have half the variance, shares of
least predicted error, and, in mode "practical", a last step that winsorises many rows and inverts the bias
for normal ones (`parts.preconditioned.winsorised_covariance`). `calibration="paper"`: noise of one sd on
every entry, a quarter of the budget for all steps but the last, and a last step like the others.

A is not symmetric after two steps: rows are mapped by A on the left, x Aᵀ in matrix form, and the result is
mapped back on both sides. For d = 1 the same code is a univariate variance. Proof:
`proofs/gaussian_steps.md`, section 2.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from workbench.errors import probability
from workbench.estimators.base import Estimator, Trace, recipe_of, require_matrix
from workbench.estimators.covariance.perturbed import perturbed
from workbench.estimators.parts.budgets import gaussian_total, numbered_plan
from workbench.estimators.parts.foreseen import better_than, median_of_matrix
from workbench.estimators.parts.integers import moment_in_ball
from workbench.estimators.parts.preconditioned.coinpress_covariance_design import (
    CovarianceDesign,
    covariance_design,
    winsorised,
)
from workbench.estimators.parts.preconditioned.coinpress_design import Problem
from workbench.estimators.parts.preconditioned.preconditioning import mapped_back
from workbench.estimators.parts.preconditioned.winsorised_covariance import unwinsorised
from workbench.estimators.parts.rescaled import rescaled_moment
from workbench.estimators.parts.rows import (
    centred_count,
    centred_rows,
    require_spread,
    second_moment_sensitivity,
)
from workbench.linalg import psd_part, spectral_map
from workbench.privacy import Budget, Charge, NoiseSource, Plan
from workbench.types import Array, Calibration, Mode


@dataclass(frozen=True, kw_only=True)
class CoinPressCovariance(Estimator[Array]):
    """Private covariance below a known bound, by steps of preconditioning: CoinPress (M21, prior work).

    Accurate for normal rows of covariance between `lower` and `upper` times the identity; a loose `upper`
    costs a step or two.
    Guarantee: central model, one replaced row, for every input. Budgets: ZCDP with delta = 0, GaussianDP,
    ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It,
    or its pair, adds nothing, and the covariance is divided by the share that is there, which is drawn with
    the sum at no cost. A share of absent rows that its noise hides, and any in mode "proved", shrinks it.

    Parameters
    ----------
    upper : float
        The covariance is at most this times the identity, in the square of the data's unit.
    lower : float
        The least eigenvalue that matters: 1 in the source.
    centred : bool, default False
        Whether the mean is known to be 0. Otherwise pairs (x_1 - x_2)/√2 take the place of the rows.
    steps : int or None, default None
        Number of steps; None leaves it to the design, which makes the predicted error small.
    mode : {"practical", "proved"}, default "practical"
        "proved" bounds the error with probability 1 - `beta`, if no row is absent; "practical" has smaller
        radii and no proof of coverage.
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the constants of the source, "tight" ours: the same guarantee, less noise.
    beta : float, default 0.05
        Failure probability of all bounds together; they are proved in mode "proved" alone.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ZCDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=(20_000, 2))
    >>> release = CoinPressCovariance(upper=1e4, lower=1.0)(x, budget=ZCDP(0.5), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - np.eye(2)).max() < 0.1)
    True
    """

    upper: float
    lower: float
    centred: bool = False
    steps: int | None = None
    mode: Mode = "practical"
    calibration: Calibration = "tight"
    beta: float = 0.05

    def _validate(self) -> None:
        require_spread(self.lower, self.upper)

    in_passes = True

    def design(self, n: int, d: int, budget: Budget) -> CovarianceDesign:
        """Return weights, radii and bounds of all steps; public."""
        m, mu = centred_count(n, self.centred), gaussian_total(budget)
        return covariance_design(recipe_of(Problem, self, n=m, d=d, reach=self.upper / self.lower, mu=mu))

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return one charge for each step, in the unit of its rows w."""
        require_matrix(n, d)
        design, m = self.design(n, d, budget), centred_count(n, self.centred)
        mechanism = "symmetric_gaussian" if self.calibration == "tight" else "gaussian"
        moved = [second_moment_sensitivity(m, clip) for clip in design.clips]
        return numbered_plan(budget, design.weights, mechanism, moved)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None) -> Array:
        """Return the private covariance of sanitised rows."""
        (n, d), rows = x.shape, centred_rows(x, self.centred)
        design, a = self.design(n, d, budget), np.eye(d) / np.sqrt(self.upper)
        charges, counted = list(self.plan(n, d, budget).charges()), self.mode == "practical"
        for charge, clip, excess, floor, lower in zip(
            charges[:-1], design.clips, design.excess, design.floors, design.lower, strict=False
        ):
            z = noisy_moment(rows, a, clip, charge, noise, counted)  # (1) (2)
            if trace is not None:
                trace.add(preconditioner=a, lower=lower)
            a = preconditioned(z, excess, floor, a)  # (4)
        if trace is not None:
            trace.add(preconditioner=a, lower=design.lower[-1])
        z = noisy_moment(rows, a, design.clips[-1], charges[-1], noise, counted)
        tight = winsorised(self.mode, self.calibration)
        return mapped_back(unwinsorised(z, design.clips[-1]) if tight else psd_part(z), a)  # (3)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on the error in the norm of Σ, true with probability 1 - beta, in mode "proved".

        Needs normal rows and `lower` I ≤ Σ. Infinite in mode "practical", and for a beta below the field.
        """
        probability(beta=beta)
        require_matrix(n, d)
        proved = self.mode == "proved" and beta >= self.beta
        return self.design(n, d, budget).error if proved else float("inf")

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median error in the norm of Σ at Σ = `lower` I, the hardest; infinite from √d on.

        √d is the error of the zero matrix. Needs normal rows; from the noise that is expected in each step
        (`parts.preconditioned.expected_frame`).
        """
        require_matrix(n, d)
        return better_than(sqrt(d), median_of_matrix(self.design(n, d, budget).rms, d))


def noisy_moment(
    rows: Array, a: Array, clip: float, charge: Charge, noise: NoiseSource, counted: bool = False
) -> Array:
    """Return Z of step (2), over the share of rows that are there if they are counted."""
    moment = moment_in_ball(rows, lambda block: block @ a.T, clip, counted)
    if not counted:
        return perturbed(moment, charge, noise)
    return rescaled_moment(moment, len(rows), charge, lambda joint: perturbed(joint, charge, noise))


def preconditioned(z: Array, excess: float, floor: float, a: Array) -> Array:
    """Return U^(-1/2) A of step (4)."""
    return spectral_map(z, lambda values: 1 / np.sqrt(np.maximum(values + excess, floor))) @ a
